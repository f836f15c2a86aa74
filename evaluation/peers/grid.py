# SPDX-License-Identifier: BSD-3-Clause
"""Lossless coders on indices of the grid of width 2 x bound: what pco and zstd have in common.

A coder turns an array of one dimension (int32 or uint64) into bytes, and back with `decompress(bytes, dtype)`.

Trajectories: x, y and z one by one; differences from the frame before, or differences of those, one frame after the other, the first frame
as it is; or the indices of one particle after the other. Single frames: the indices in the order given; or the sorted Morton codes of the
particles, as differences (this loses the order).
"""
import numpy as np

from . import Failed, Result, largest_error, smallest, timed

MORTON_BITS = 21


def indices(positions, bound):
    """int32 of the shape of the positions."""
    q = np.rint(positions / (2 * bound))
    if np.max(np.abs(q)) >= 2**30:
        raise Failed("indices beyond 30 bits")
    return q.astype(np.int32)


def differences(q, order):
    first = np.zeros((order, *q.shape[1:]), q.dtype)
    return np.diff(q, order, axis=0, prepend=first).transpose(2, 0, 1).reshape(q.shape[2], -1)


def sums(rows, shape, order):
    q = rows.reshape(shape[2], *shape[:2]).transpose(1, 2, 0)
    for _ in range(order):
        q = np.cumsum(q, axis=0, dtype=np.int32)
    return q


def by_particle(q):
    return q.transpose(2, 1, 0).reshape(q.shape[2], -1)


def from_particles(rows, shape):
    return rows.reshape(shape[2], shape[1], shape[0]).transpose(2, 1, 0)


# name: (rows of numbers, one an axis, of indices; indices of rows and a shape)
MODES = {
    "differences": (lambda q: differences(q, 1), lambda rows, shape: sums(rows, shape, 1)),
    "second differences": (lambda q: differences(q, 2), lambda rows, shape: sums(rows, shape, 2)),
    "indices by particle": (by_particle, from_particles),
}


def measure(coder, modes, positions, bound):
    q = indices(positions, bound)
    results = []
    for name in modes if len(q) > 1 else ("indices by particle",):
        forward, backward = MODES[name]
        parts, encode = timed(lambda: [coder.compress(np.ascontiguousarray(row)) for row in forward(q)])
        decoded, decode = timed(lambda: backward(np.stack([coder.decompress(part, np.int32) for part in parts]), q.shape))
        values = decoded * (2 * bound)
        results.append(Result(sum(map(len, parts)), largest_error(values, positions, bound), encode, decode, name))
        if len(q) == 1:
            results[-1].decoded = values[0]
    return smallest(results)


def morton_codes(q):
    """The lowest indices, and of indices (particles, components) the sorted codes and the order."""
    components = q.shape[1]
    low = q.min(axis=0)
    above = (q - low).astype(np.uint64)
    if np.max(above) >= 2**MORTON_BITS:
        raise Failed(f"indices beyond {MORTON_BITS} bits")
    codes = np.zeros(len(q), np.uint64)
    for bit in range(MORTON_BITS):
        for d in range(components):
            codes |= (above[:, d] >> np.uint64(bit) & np.uint64(1)) << np.uint64(components * bit + d)
    order = np.argsort(codes, kind="stable")
    return low, codes[order], order


def from_morton(low, codes):
    components = len(low)
    q = np.zeros((len(codes), components), np.int64)
    for bit in range(MORTON_BITS):
        for d in range(components):
            q[:, d] |= ((codes >> np.uint64(components * bit + d) & np.uint64(1)) << np.uint64(bit)).astype(np.int64)
    return q + low


def in_order(values, order):
    """Rows in the order given, of rows that were sorted by `order`."""
    restored = np.empty_like(values)
    restored[order] = values
    return restored


def measure_sorted(coder, positions, bound):
    """A single frame without its order."""

    def forward():
        low, codes, order = morton_codes(indices(positions, bound)[0])
        return low, order, coder.compress(np.diff(codes, prepend=np.zeros(1, codes.dtype)))

    (low, order, part), encode = timed(forward)
    decoded, decode = timed(lambda: from_morton(low, np.cumsum(coder.decompress(part, np.uint64), dtype=np.uint64)))
    values = in_order(decoded * (2 * bound), order)
    error = largest_error(values, positions[0], bound)
    return Result(len(part) + low.nbytes, error, encode, decode, "sorted Morton codes", decoded=values)
