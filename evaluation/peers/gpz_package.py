# SPDX-License-Identifier: BSD-3-Clause
"""gpz itself, on a CPU, by its Python package, one thread, FP32.

Trajectories (`measure_frames`): gpz.compress_frames and gpz.decompress_frames, in memory, a key frame every 100 frames (the default). The order
is kept.

Single frames without ids (`measure`): the order is lost, unless gpz is told to keep it and that is smaller. Which decoded particle is which, a
second file with ids says, whose decoded positions have to be those of the first in another order: they depend neither on ids nor on the effort.
The second file is not counted.
"""
import os

import numpy as np

from . import Failed, Result, largest_error, timed


def fingerprint(positions):
    """A hash of rows of FP32 in any order: equal for equal rows, and for others with a chance of 2^-64."""
    rows = np.zeros(len(positions), np.uint64)
    for column in positions.T:
        rows ^= np.ascontiguousarray(column).view(np.uint32).astype(np.uint64) + np.uint64(1)
        rows *= np.uint64(0x9E3779B97F4A7C15)
        rows ^= rows >> np.uint64(29)
        rows *= np.uint64(0xBF58476D1CE4E5B9)
        rows ^= rows >> np.uint64(32)
    return len(positions), int(np.sum(rows, dtype=np.uint64))


def measure(tool, positions, bound, scratch, effort="fast", order="place"):
    import gpz

    given = positions[0].astype(np.float32)
    particles, components = given.shape

    def write(name, ids, **how):
        path = os.path.join(scratch, name)
        with gpz.Writer(path, bound=bound, **how) as writer:
            writer.write(positions=given, ids=ids)
        return path

    def read(path):
        out = np.empty((particles, components), np.float32)
        with gpz.open(path) as trajectory:
            trajectory.read(0, out=dict(zip("xyz", out.T)))
        return out

    path, encode = timed(lambda: write("plain.gpz", None, effort=effort, order=order))
    if order == "memory":  # blocks where they are smaller: the order of memory would number the particles to keep their rows
        blocks, more = timed(lambda: write("blocks.gpz", None, effort=effort, order="place"))
        path, encode = min(path, blocks, key=os.path.getsize), encode + more
    plain, decode = timed(read, path)
    decoded = read(write("ids.gpz", np.arange(1, particles + 1), effort="fast", order="place"))
    if fingerprint(plain) != fingerprint(decoded):
        raise Failed("its positions are not those of the file with ids")
    kept = "order kept" if np.array_equal(plain, decoded) else "order lost"
    error = largest_error(decoded, positions[0], bound)
    return Result(os.path.getsize(path), error, encode, decode, f"effort {effort}, {kept}", decoded=decoded)


def measure_frames(_, positions, bound, __, cells, effort):
    """`cells`: (frames, 3, 3) edge vectors, or None."""
    import gpz

    given = positions.astype(np.float32)
    boxes = None if cells is None else [gpz.Box.from_vectors(cell) for cell in cells]
    data, encode = timed(lambda: gpz.compress_frames(given, bound, box=boxes, effort=effort))
    decoded, decode = timed(gpz.decompress_frames, data)
    return Result(len(data), largest_error(decoded, given.astype(np.float64), bound), encode, decode, f"effort {effort}")
