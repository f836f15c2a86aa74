# SPDX-License-Identifier: BSD-3-Clause
"""Compares codecs of Zarr for trajectories: size, and the processor time to write and read. Prints a Markdown table for each array.

zarr_arrays.py [--bound NM] [--rounds N] NAME=FILE...

FILE as of hdf5.py. Chunks have one frame, or eight. Arrays are in memory. Needs zarr 3, and what hdf5.py needs.
"""

from __future__ import annotations

import argparse
import statistics

import numpy as np
import zarr
from hdf5 import EFFORTS, frames_of, processor_time

from gpz.zarr import Gpz

LENGTHS = (1, 8)  # frames of a chunk


def codecs(bound):
    """By name: arguments of create_array, and the bound that the values keep."""
    blosc = zarr.codecs.BloscCodec(cname="zstd", clevel=5, shuffle="shuffle", typesize=4)
    return {
        "zstd, Zarr's default": ({"compressors": "auto"}, 0),
        "Blosc zstd-5 + shuffle": ({"compressors": blosc}, 0),
        **{f"gpz {effort}": ({"serializer": Gpz(bound=bound, effort=effort), "compressors": None}, bound) for effort in EFFORTS},
    }


def stored(frames, length, arguments):
    store = zarr.storage.MemoryStore()
    array = zarr.create_array(store, shape=frames.shape, chunks=(length, *frames.shape[1:]), dtype="f4", **arguments)
    array[...] = frames
    return array


def row(frames, length, name, arguments, bound, rounds):
    written, read = [], []
    for _ in range(rounds + 1):  # the first one is not counted
        seconds, array = processor_time(lambda: stored(frames, length, arguments))
        written.append(seconds)
        seconds, values = processor_time(lambda array=array: array[...])
        read.append(seconds)
    error = float(np.abs(values.astype(np.float64) - frames).max())
    if error > bound:
        raise SystemExit(f"{name}: an error of {error}")
    speeds = [[frames.nbytes / 1e6 / seconds for seconds in times[1:]] for times in (written, read)]
    spread = max((max(of) - min(of)) / statistics.median(of) for of in speeds)
    bits = 8 * array.nbytes_stored() / (frames.shape[0] * frames.shape[1])
    medians = [statistics.median(of) for of in speeds]
    return f"| {name} | {length} | {bits:.1f} | {medians[0]:.0f} | {medians[1]:.0f} | {100 * spread:.0f} % |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bound", type=float, default=0.0005)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("files", nargs="+", metavar="NAME=FILE")
    options = parser.parse_args()
    zarr.config.set({"threading.max_workers": 1, "async.concurrency": 1})
    for given in options.files:
        name, _, file = given.partition("=")
        frames = frames_of(file or name)
        print(f"\n{name}: {frames.shape[0]} frames of {frames.shape[1]} atoms\n")
        print("| codec | frames a chunk | bits an atom and frame | encode MB/s | decode MB/s | spread |\n|---|---|---|---|---|---|")
        for length in LENGTHS:
            whole = frames[: len(frames) // length * length]
            for codec, (arguments, bound) in codecs(options.bound).items():
                print(row(whole, length, codec, arguments, bound, options.rounds), flush=True)


if __name__ == "__main__":
    main()
