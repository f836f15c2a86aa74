# SPDX-License-Identifier: BSD-3-Clause
"""Measures how fast trajectories are read; reading.sh makes them.

    reading.py FOLDER [--rounds N]

Frames a second of all frames of a file, with all positions in memory, from wall time; formats in turn, one round after
the other. Processor time stands beside it, which other programs on the machine disturb less.
"""

import argparse
import os
import pathlib
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np
from MDAnalysis.coordinates.core import get_reader_for

import gpz
import gpz.mdanalysis

SLOW = 20.0  # seconds: one round of such a reader is enough


class Case:
    """A reader of a file: open() returns a function that reads all frames and returns their number."""

    def __init__(self, name: str, path: pathlib.Path, opened: Callable):
        self.name, self.path = name, path
        start = time.perf_counter()
        self.read = opened(path)
        self.opening = time.perf_counter() - start
        self.wall: list[float] = []
        self.processor: list[float] = []

    def measure(self) -> None:
        wall, processor = time.perf_counter(), time.process_time()
        frames = self.read()
        self.wall.append(frames / (time.perf_counter() - wall))
        self.processor.append(frames / (time.process_time() - processor))


def in_mdanalysis(path: pathlib.Path):
    reader = get_reader_for(str(path), format="LAMMPSDUMP" if path.suffix == ".lammpstrj" else None)(str(path))

    def read() -> int:
        frames = 0
        for step in reader:
            frames += len(step.positions) > 0
        return frames

    return read


def in_a_loop(dtype):
    def opened(path: pathlib.Path):
        trajectory = gpz.open(path, dtype=dtype)
        return lambda: sum(len(frame.positions) > 0 for frame in trajectory)

    return opened


def into_an_array(path: pathlib.Path):
    trajectory = gpz.open(path)
    out = np.empty((trajectory.counts.max(), 3), np.float32)
    return lambda: sum(len(trajectory.read_positions(k, out)) > 0 for k in range(len(trajectory)))


def cases(folder: pathlib.Path) -> list[Case]:
    found = []
    for order in ("place", "id"):
        path = folder / f"{order}.gpz"
        found += [
            Case(f"gpz, order {order}: loop, float32", path, in_a_loop(np.float32)),
            Case(f"gpz, order {order}: loop, float64", path, in_a_loop(np.float64)),
            Case(f"gpz, order {order}: into an array, float32", path, into_an_array),
            Case(f"gpz, order {order}: MDAnalysis", path, in_mdanalysis),
        ]
    names = {"XTC": "melt.xtc", "DCD": "melt.dcd", "H5MD": "melt.h5md", "NetCDF": "melt.ncdf", "text": "melt.lammpstrj"}
    return found + [Case(f"{name}: MDAnalysis", folder / file, in_mdanalysis) for name, file in names.items()]


def measure_reading(folder: pathlib.Path, rounds: int) -> None:
    measured = cases(folder)
    for k in range(rounds):
        for case in measured:
            if k == 0 or statistics.median(case.wall) * SLOW > len(case.wall):
                case.measure()
    print(f"{'':42} {'frames/s, wall':>22} {'frames/s, CPU':>14} {'opening':>9} {'file':>9}")
    for case in measured:
        spread = f"{statistics.median(case.wall):7.1f} ({min(case.wall):.1f} to {max(case.wall):.1f})"
        size = case.path.stat().st_size / 1e6
        processor = statistics.median(case.processor)
        print(f"{case.name:42} {spread:>22} {processor:14.1f} {case.opening:7.3f} s {size:6.0f} MB")


def timed(work: Callable) -> float:
    """Milliseconds of processor time."""
    start = time.process_time()
    work()
    return 1e3 * (time.process_time() - start)


def measure_random_access(folder: pathlib.Path, rounds: int) -> None:
    print("\nOne frame of 1,000, in a file just opened, and all frames of its key interval; ms of processor time")
    for key in (100, 10):
        path = folder / f"long-{key}.gpz"
        out = np.empty((gpz.open(path).counts[0], 3), np.float32)
        interval = []
        for _ in range(rounds):
            trajectory = gpz.open(path)
            interval.append(timed(lambda: [trajectory.read_positions(k, out) for k in range(500, 500 + key)]))  # noqa: B023
        print(f"key every {key}: a whole interval {statistics.median(interval):.1f}", end="")
        for frame in (500, 500 + key // 2, 500 + key - 1):
            times = [timed(lambda: gpz.open(path).read_positions(frame, out)) for _ in range(rounds)]  # noqa: B023
            print(f", frame {frame}: {statistics.median(times):.1f}", end="")
        print(f"; {path.stat().st_size / 1e6:.0f} MB")


def measure_opening(folder: pathlib.Path, rounds: int) -> None:
    path = folder / "many.gpz"
    frames = len(gpz.open(path))
    times = [timed(lambda: gpz.open(path).timesteps) for _ in range(max(rounds, 5))]
    print(f"\nOpening {frames:,} frames, with all timesteps: {statistics.median(times):.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"gpz {gpz.__version__}, {os.uname().machine}, {len(os.sched_getaffinity(0))} core")
    measure_reading(arguments.folder, arguments.rounds)
    measure_random_access(arguments.folder, arguments.rounds)
    measure_opening(arguments.folder, arguments.rounds)


main()
