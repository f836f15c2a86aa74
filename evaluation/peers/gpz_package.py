# SPDX-License-Identifier: BSD-3-Clause
"""gpz itself, on a CPU, by its Python package: a single frame without ids, one thread. FP32. It loses the order, unless it is told to keep it
and that is smaller.

Which decoded particle is which, a second file with ids says, whose decoded positions have to be those of the first in another order: they
depend neither on ids nor on the effort. The second file is not counted.
"""
import os

import numpy as np

from . import Failed, Result, largest_error, timed


def fingerprint(positions):
    """Of rows of FP32 in any order: equal for equal rows, and for others with a chance of 2^-64."""
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
