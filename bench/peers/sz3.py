# SPDX-License-Identifier: BSD-3-Clause
"""SZ3: FP32, the best of its algorithms and layouts, with time as a dimension.

Arrays: x, y and z one by one as frames x particles (particles x frames is the same within 0.1 %), and as one dimension, one particle after
the other; for ALGO_BIOMD, which is made for that, frames x particles x 3. A single frame: x, y and z as one-dimensional arrays in the
order given. Algorithms: interpolation with Lorenzo (the default), and Lorenzo of first and second order with regression (interpolation
alone was 2 to 8 bits larger).
"""
import os

import numpy as np

from . import Failed, Result, largest_error, read_values, run, smallest, timed
from .grid import indices, morton_codes

ALGORITHMS = {
    "interpolation, Lorenzo": "CmprAlgo = ALGO_INTERP_LORENZO",
    "Lorenzo, regression": "CmprAlgo = ALGO_LORENZO_REG\n[AlgoSettings]\nLorenzo2ndOrder = Yes",
    "BIOMD": "CmprAlgo = ALGO_BIOMD",
}


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
    return Result(os.path.getsize(path + ".sz"), largest_error(decoded, values.astype(np.float64), bound), encode, decode)


def layouts(positions):
    frames = positions.shape[0]
    values = np.asarray(positions, np.float32)
    axes = [values[:, :, d] for d in range(3)]
    if frames == 1:
        yield "one array an axis", [np.ascontiguousarray(axis[0]) for axis in axes]
        return
    yield "frames x particles", [np.ascontiguousarray(axis) for axis in axes]
    yield "one particle after the other", [np.ascontiguousarray(axis.T).reshape(-1) for axis in axes]
    yield "frames x particles x 3", [np.ascontiguousarray(values)]


def measure(program, positions, bound, scratch):
    results = []
    for layout, arrays in layouts(positions):
        for algorithm in ALGORITHMS:
            if (algorithm == "BIOMD") != (layout == "frames x particles x 3"):
                continue
            try:
                parts = [measure_array(program, algorithm, array, bound, scratch) for array in arrays]
            except Failed:
                continue
            results.append(
                Result(
                    sum(part.size for part in parts),
                    max(part.error for part in parts),
                    sum(part.encode for part in parts),
                    sum(part.decode for part in parts),
                    f"{algorithm}; {layout}",
                )
            )
    return smallest(results)


def measure_sorted(program, positions, bound, scratch):
    """A single frame without its order: particles in the order of Morton codes."""
    (_, _, order), ordering = timed(lambda: morton_codes(indices(positions, bound)[0]))
    result = measure(program, positions[:, order], bound, scratch)
    result.encode += ordering
    return result
