# SPDX-License-Identifier: BSD-3-Clause
"""SZ3: FP32, the best of its algorithms and layouts, with time as a dimension.

Arrays: x, y and z one by one as frames x particles (particles x frames is the same within 0.1 %), and as one dimension, one particle after
the other; for ALGO_BIOMD, which is made for that, frames x particles x 3. A single frame: x, y and z as one-dimensional arrays in the
order given, and as three-dimensional ones where the particles began on a grid and have kept its order. Algorithms: interpolation with Lorenzo (the default), and Lorenzo of first and second order with regression (interpolation
alone was 2 to 8 bits larger).
"""
import os

import numpy as np

from . import Failed, Result, joined, largest_error, read_values, run, smallest, timed
from .grid import in_order, indices, morton_codes

ALGORITHMS = {
    "interpolation, Lorenzo": "CmprAlgo = ALGO_INTERP_LORENZO",
    "Lorenzo, regression": "CmprAlgo = ALGO_LORENZO_REG\n[AlgoSettings]\nLorenzo2ndOrder = Yes",
    "BIOMD": "CmprAlgo = ALGO_BIOMD",
}

BIOMD_LAYOUT = "frames x particles x 3"


def measure_array(program, algorithm, values, bound, scratch):
    path = os.path.join(scratch, "values")
    values.tofile(path + ".f32")
    with open(path + ".config", "w") as file:
        file.write("[GlobalSettings]\n" + ALGORITHMS[algorithm] + "\n")
    # Its first dimension is the one that is contiguous.
    shape = [f"-{values.ndim}", *reversed(values.shape)]
    bounds = ["-M", "ABS", f"{bound:.9g}"]
    _, encode, _ = run(program, "-f", "-i", path + ".f32", "-z", path + ".sz", "-c", path + ".config", *shape, *bounds)
    _, decode, _ = run(program, "-f", "-z", path + ".sz", "-o", path + ".out", *shape, *bounds)
    decoded = read_values(path + ".out", np.float32, values.shape)
    error = largest_error(decoded, values.astype(np.float64), bound)
    return Result(os.path.getsize(path + ".sz"), error, encode, decode, decoded=decoded)


def layouts(positions, grid):
    frames = positions.shape[0]
    values = np.asarray(positions, np.float32)
    axes = [values[:, :, d] for d in range(values.shape[2])]
    if frames == 1:
        columns = [np.ascontiguousarray(axis[0]) for axis in axes]
        yield "one array an axis", columns
        if grid:
            yield "one grid an axis", [column.reshape(grid) for column in columns]
        yield BIOMD_LAYOUT, [np.ascontiguousarray(values)]
        return
    yield "frames x particles", [np.ascontiguousarray(axis) for axis in axes]
    yield "one particle after the other", [np.ascontiguousarray(axis.T).reshape(-1) for axis in axes]
    yield BIOMD_LAYOUT, [np.ascontiguousarray(values)]


def measure(program, positions, bound, scratch, grid=None):
    """`grid`: the particles of a single frame along each edge, the fastest last."""
    results = []
    for layout, arrays in layouts(positions, grid):
        for algorithm in ALGORITHMS:
            if (algorithm == "BIOMD") != (layout == BIOMD_LAYOUT):
                continue
            try:
                parts = [measure_array(program, algorithm, array, bound, scratch) for array in arrays]
            except Failed:
                continue
            results.append(joined(parts, f"{algorithm}; {layout}"))
            if len(positions) == 1:
                decoded = [part.decoded.reshape(-1) for part in parts]
                results[-1].decoded = np.stack(decoded, axis=-1) if len(decoded) > 1 else parts[0].decoded[0]
    return smallest(results)


def measure_sorted(program, positions, bound, scratch):
    """A single frame without its order: particles in the order of Morton codes."""
    (_, _, order), ordering = timed(lambda: morton_codes(indices(positions, bound)[0]))
    result = measure(program, positions[:, order], bound, scratch)
    result.encode += ordering
    result.decoded = in_order(result.decoded, order)
    return result
