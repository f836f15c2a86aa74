#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recorded bound and the true error of a trajectory that is written again and again, by another program each time:
LAMMPS, Python, gpz encode, MDAnalysis, gpz select, gpz convert.

  PYTHONPATH=build/python build/venv/bin/python bench/python/rewriting.py FOLDER [--build FOLDER]

FOLDER: for the files. Needs what scripts/test.sh leaves in the build folder. Errors are distances from the exact values that
`dump custom` writes in the same run of LAMMPS, in extended precision. Ends with exit code 1 if one is above its recorded bound.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import warnings
from pathlib import Path

import MDAnalysis as mda
import numpy as np

import gpz
import gpz.convert
import gpz.mdanalysis

REPOSITORY = Path(__file__).resolve().parents[2]
# The bound of the run, and by which factor each of the three steps asks for a larger one than the file before it has.
# None: no bound is asked for.
PAIRS = ((1e-3, None), (1e-3, 1.0), (1e-3, 1.5), (1e-3, 3.0), (5e-3, 2.5), (1e-5, 10.0))
STEPS = ("dump gpz", "Python", "gpz encode", "MDAnalysis", "gpz select", "gpz convert, DCD")


def run(build: Path, folder: Path, bound: float) -> Path:
    """The trajectory; its exact values are in melt.bin."""
    environment = {**os.environ, "LAMMPS_PLUGIN_PATH": str(build / "lib")}
    command = [build / "bin/lmp", "-in", REPOSITORY / "examples/in.melt", "-var", "eb", str(bound), "-var", "custom", "yes"]
    subprocess.run([str(part) for part in command], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder / "melt.gpz"


def errors(path: Path, exact: list[np.ndarray]) -> tuple[float, float]:
    """The largest recorded bound, and the largest error."""
    recorded, largest = 0.0, 0.0
    with gpz.open(path) as trajectory:
        for frame, values in zip(trajectory, exact, strict=True):
            recorded = max(recorded, frame.position_bound or 0.0)
            largest = max(largest, float(np.abs(frame.positions.astype(np.longdouble) - values).max()))
    return recorded, largest


def errors_of_dcd(path: Path, before: float, exact: list[np.ndarray]) -> tuple[float, float]:
    """DCD has float32 and no bounds: that of the file before it, and the rounding."""
    largest = recorded = 0.0
    for ts, values in zip(mda.coordinates.DCD.DCDReader(str(path)), exact, strict=True):
        rounding = float(np.spacing(np.abs(values).max().astype(np.float32))) / 2
        recorded = max(recorded, before + rounding)
        largest = max(largest, float(np.abs(ts.positions.astype(np.longdouble) - values).max()))
    return recorded, largest


def chain(build: Path, folder: Path, first: float, factor: float | None) -> list[tuple[float, float, int]]:
    """Recorded bound, largest error and bytes after each of STEPS."""
    program = str(build / "bin/gpz")
    source = run(build, folder, first)

    def call(*command: str) -> None:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    call(program, "encode", "melt.bin", "-o", "exact.gpz", "--lossless")
    with gpz.open(folder / "exact.gpz") as trajectory:
        exact = [frame.positions.astype(np.longdouble) for frame in trajectory]
    found = [(*errors(source, exact), source.stat().st_size)]

    def asked() -> float | None:
        return None if factor is None else factor * found[-1][0]

    bound = asked()
    with gpz.open(source) as trajectory, gpz.Writer(folder / "python.gpz", units="lj", bound=bound) as writer:
        for frame in trajectory:
            writer.write(frame)
    found.append((*errors(folder / "python.gpz", exact), (folder / "python.gpz").stat().st_size))

    bound = asked()
    eb = [] if bound is None else ["--eb", repr(bound)]
    call(program, "encode", "python.gpz", "-o", "encode.gpz", *eb)
    found.append((*errors(folder / "encode.gpz", exact), (folder / "encode.gpz").stat().st_size))

    bound = asked()
    mda.Universe(folder / "encode.gpz").atoms.write(folder / "mda.gpz", frames="all", bound=bound)
    found.append((*errors(folder / "mda.gpz", exact), (folder / "mda.gpz").stat().st_size))

    # With a selection of atoms, if it is of all of them, frames are decoded and encoded again.
    call(program, "select", "mda.gpz", "-o", "select.gpz", "--ids", "1:1000000000")
    found.append((*errors(folder / "select.gpz", exact), (folder / "select.gpz").stat().st_size))

    end = folder / "end.dcd"
    gpz.convert.convert(folder / "select.gpz", end)
    found.append((*errors_of_dcd(end, found[-1][0], exact), end.stat().st_size))
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--build", type=Path, default=REPOSITORY / "build")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    print("| bound of the run, factor of each step | " + " | ".join(STEPS) + " |")
    print("|---" * (len(STEPS) + 1) + "|")
    wrong = 0
    for number, (first, factor) in enumerate(PAIRS):
        folder = chosen.folder / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        found = chain(chosen.build.resolve(), folder, first, factor)
        wrong += sum(error > recorded for recorded, error, _ in found)
        cells = [f"{recorded:.7g}, {error:.7g}{' **above**' if error > recorded else ''}" for recorded, error, _ in found]
        print(f"| {first:g}, {'no bound' if factor is None else f'{factor:g}'} | " + " | ".join(cells) + " |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
