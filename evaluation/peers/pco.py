# SPDX-License-Identifier: BSD-3-Clause
"""pco (Python package pcodec, 1.1.0), a lossless coder of numbers, at level 12; what it gets: grid.py."""
from . import grid


class Coder:
    @staticmethod
    def compress(values):
        from pcodec import ChunkConfig, standalone

        return standalone.simple_compress(values, ChunkConfig(compression_level=12))

    @staticmethod
    def decompress(part, _):
        from pcodec import standalone

        return standalone.simple_decompress(part)


def measure(_, positions, bound, __):
    return grid.measure(Coder, grid.MODES, positions, bound)


def measure_sorted(_, positions, bound, __):
    return grid.measure_sorted(Coder, positions, bound)
