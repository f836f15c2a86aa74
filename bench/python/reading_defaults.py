#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reading speed in MDAnalysis of the files that bench/defaults.sh leaves: reading_defaults.py FOLDER [ROUNDS].

For each FOLDER/SYSTEM.EVERY, milliseconds a frame of default.gpz, fast.gpz, dense.gpz and x.xtc: median, and the range over the rounds. Formats
take turns; the files are in memory. Needs the packages gpz and MDAnalysis.
"""

import statistics
import sys
import time
import warnings
from pathlib import Path

from MDAnalysis.coordinates.XTC import XTCReader

import gpz.mdanalysis

warnings.filterwarnings("ignore")


def read(path: Path) -> float:
    """Milliseconds a frame, of a second pass over the file."""
    opened = XTCReader(str(path)) if path.suffix == ".xtc" else gpz.mdanalysis.GPZReader(str(path))
    frames = sum(1 for _ in opened)
    start = time.perf_counter()
    for _ in opened:
        pass
    return 1e3 * (time.perf_counter() - start) / frames


def main() -> None:
    folder = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    names = ["default.gpz", "fast.gpz", "dense.gpz", "x.xtc"]
    print("| system, steps between frames |", " | ".join(names), "|")
    for run in sorted(folder.iterdir()):
        if not all((run / name).exists() for name in names):
            continue
        times = {name: [] for name in names}
        try:
            for _ in range(rounds):
                for name in names:
                    times[name].append(read(run / name))
        except TypeError as error:  # the number of atoms changes
            print(f"{run.name}: {error}", file=sys.stderr)
            continue
        cells = [f"{statistics.median(t):.2f} ({min(t):.2f} to {max(t):.2f})" for t in times.values()]
        system, every = run.name.rsplit(".", 1)
        print(f"| {system}, {every} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
