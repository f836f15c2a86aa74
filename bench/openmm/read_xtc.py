#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time to read frames of XTC, as bench/frame_bench measures it for .gpz: one thread, one float32 array used again.

read_xtc.py FILE [--passes N] [--random N]
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from MDAnalysis.lib.formats.libmdaxdr import XTCFile


def usage() -> tuple[float, float, int]:
    return time.perf_counter(), time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--random", type=int, default=0)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    costs = []
    with XTCFile(options.file) as file:
        frames, atoms = len(file), file.n_atoms
        positions = np.zeros((atoms, 3), np.float32)

        def read() -> None:
            before = usage()
            file.read_direct_x(positions)
            costs.append(np.subtract(usage(), before))

        for number in range(options.passes if not options.random else 0):
            file.seek(0)
            for _ in range(frames):
                read()
            if number == 0 and options.passes > 1:
                costs.clear()
        for index in random.integers(frames, size=options.random):
            file.seek(int(index))
            read()
    wall, processor, faults = np.median(costs, axis=0)
    kind = "any" if options.random else "each"
    print(f"{atoms} atoms, {frames} frames")
    print(
        f"{'frames':17} {'calls':>6} {'ms':>9} {'cpu ms':>9} {'ns/atom':>8} {'MB/s':>8} {'faults':>12} {'most faults':>12}"
    )
    most = int(max(cost[2] for cost in costs))
    print(
        f"{kind:17} {len(costs):6} {1e3 * wall:9.2f} {1e3 * processor:9.2f} {1e9 * processor / atoms:8.1f} "
        f"{12e-6 * atoms / processor:8.0f} {int(faults):12} {most:12}"
    )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
