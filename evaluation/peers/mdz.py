# SPDX-License-Identifier: BSD-3-Clause
"""MDZ of SZ3: `mdz FILE -2 FRAMES PARTICLES -a BOUND FRAMES METHOD 65536`, FP32, x, y and z one by one, all frames in one buffer.

Methods -1 (its own choice of VQ, VQT, MT) and 4 (differences in time, which it never chooses), the better for each axis. Its default of
1,024 bins is as good or worse.

SZ3 3.3.2 (4359047) needs `compressed_size = sz->compress(...)` in tools/mdz/include/mdz.hpp: without it the program takes the size of its
buffer for that of the result, and every ratio is 0.5. It writes no file; with
`SZ3::writefile((input_path + ".out").data(), dec_data.data(), conf.num);` before `verify` in tools/mdz/mdz.cpp the decoded values are
checked here, else the error is that of its own check. Times are its own, scaled from the clock to processor time.
"""
import os
import re

import numpy as np

from . import Failed, Result, joined, largest_error, read_values, run, smallest


def measure_axis(program, values, bound, scratch):
    path = os.path.join(scratch, "axis.f32")
    values.tofile(path)
    frames, particles = values.shape
    results = []
    for method in (-1, 4):
        try:
            text, processor, clock = run(program, path, "-2", frames, particles, "-a", f"{bound:.9g}", frames, method, 65536)
        except Failed:
            continue
        if len(values) == 1 and "Compression ratio=inf" in text:
            raise Failed("its program compresses several frames, and a single one to nothing")
        number = {
            name: float(re.search(name + r" ?= ?(\S+)", text)[1])
            for name in ("Compression ratio", "Compression time", "Decompression time", "Max absolute error")
        }
        error = number["Max absolute error"] / bound
        decoded = None
        if os.path.exists(path + ".out"):
            decoded = read_values(path + ".out", np.float32, values.shape)
            error = largest_error(decoded, values.astype(np.float64), bound)
            os.remove(path + ".out")
        scale = processor / clock
        # The program gives the ratio with three decimals.
        size = values.size * 4 / number["Compression ratio"]
        mode = re.search(r"Compressor = (\S+)", text)[1]
        results.append(Result(size, error, number["Compression time"] * scale, number["Decompression time"] * scale, mode, decoded=decoded))
    return smallest(results)


def measure(program, positions, bound, scratch):
    columns = [np.ascontiguousarray(positions[:, :, d], np.float32) for d in range(positions.shape[2])]
    axes = [measure_axis(program, column, bound, scratch) for column in columns]
    result = joined(axes, " ".join(axis.mode for axis in axes))
    if len(positions) == 1 and all(axis.decoded is not None for axis in axes):
        result.decoded = np.stack([axis.decoded[0] for axis in axes], axis=-1)
    return result
