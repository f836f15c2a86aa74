# SPDX-License-Identifier: BSD-3-Clause
"""zstd -19 on bytes of the same place value, all lowest ones first, for each axis; what it gets: grid.py. Signs are folded: 0 -1 1 -2 2."""
import os

import numpy as np

from . import grid, run


class Coder:
    def __init__(self, program, scratch):
        self.program = program
        self.path = os.path.join(scratch, "zstd")

    def compress(self, values):
        if values.dtype == np.int32:
            values = (values << 1 ^ values >> 31).view(np.uint32)
        planes = values.view(np.uint8).reshape(len(values), -1).T
        np.ascontiguousarray(planes).tofile(self.path)
        run(self.program, "-q", "-f", "-19", "--single-thread", self.path, "-o", self.path + ".zst")
        with open(self.path + ".zst", "rb") as file:
            return file.read()

    def decompress(self, part, dtype):
        with open(self.path + ".zst", "wb") as file:
            file.write(part)
        run(self.program, "-q", "-f", "-d", self.path + ".zst", "-o", self.path)
        size = np.dtype(dtype).itemsize
        values = np.ascontiguousarray(np.fromfile(self.path, np.uint8).reshape(size, -1).T).reshape(-1)
        if dtype == np.int32:
            values = values.view(np.uint32)
            return (values >> 1 ^ -(values & 1)).view(np.int32)
        return values.view(dtype)


def measure(program, positions, bound, scratch):
    return grid.measure(Coder(program, scratch), ("differences", "second differences"), positions, bound)


def measure_sorted(program, positions, bound, scratch):
    return grid.measure_sorted(Coder(program, scratch), positions, bound)
