# SPDX-License-Identifier: BSD-3-Clause
"""zfp (github.com/LLNL/zfp, 1.0.1-da9a834), fixed accuracy, FP32, header included, for single frames: x, y and z as one-dimensional arrays
in the order given, and as three-dimensional ones where the particles began on a grid and have kept its order.

zfp rounds the tolerance down to a power of two, and its largest error is well below it. Each array therefore gets the largest tolerance
whose largest error is within the bound, found in steps of two from 16 x bound on. The time is that of the last step alone.
"""
import os
from functools import partial

import numpy as np

from . import Failed, Result, joined, largest_error, read_values, run, smallest_mode

FIRST_STEP, LAST_STEP = 4, -3


def measure_tolerance(program, values, tolerance, bound, scratch):
    path = os.path.join(scratch, "values")
    values.tofile(path + ".f32")
    # Its first dimension is the one that is contiguous.
    shape = [f"-{values.ndim}", *reversed(values.shape)]
    _, encode, _ = run(program, "-q", "-h", "-f", "-i", path + ".f32", *shape, "-a", f"{tolerance:.9g}", "-z", path + ".zfp")
    _, decode, _ = run(program, "-q", "-h", "-z", path + ".zfp", "-o", path + ".out")
    decoded = read_values(path + ".out", np.float32, values.shape)
    error = largest_error(decoded, values.astype(np.float64), bound)
    return Result(os.path.getsize(path + ".zfp"), error, encode, decode, f"{tolerance / bound:g}", decoded=decoded)


def measure_array(program, values, bound, scratch):
    for step in range(FIRST_STEP, LAST_STEP - 1, -1):
        result = measure_tolerance(program, values, bound * 2.0**step, bound, scratch)
        if result.error <= result.slack:
            return result
    raise Failed("no tolerance keeps the bound")


def measure_shape(program, columns, shape, bound, scratch):
    parts = [measure_array(program, column.reshape(shape), bound, scratch) for column in columns]
    tolerances = ", ".join(part.mode for part in parts)
    result = joined(parts, f"{len(shape)}-D, tolerances of {tolerances} times the bound")
    result.decoded = np.stack([part.decoded.reshape(-1) for part in parts], axis=-1)
    return result


def measure(program, positions, bound, scratch, grid=None):
    """`grid`: the particles along each edge, the fastest last."""
    _, particles, components = positions.shape
    columns = [np.ascontiguousarray(positions[0, :, d], np.float32) for d in range(components)]
    shapes = [(particles,)] + ([tuple(grid)] if grid else [])
    return smallest_mode({str(shape): partial(measure_shape, program, columns, shape, bound, scratch) for shape in shapes})
