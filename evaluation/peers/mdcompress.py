# SPDX-License-Identifier: BSD-3-Clause
"""mdcompress (github.com/refresh-bio/mdcompress, 2.0.1, 685f64e): lossy, for molecules; FP32 in a DCD file, boxes included.

Level 5, 100 frames a batch, no subsegments, a history of one frame (its decoder ends with a signal on files with more), one thread,
`--res` = 2 x bound in fm (100 at least). Water is found by the types: the most frequent pair (t, u) in rows t u u, where it stands in runs
of ten or more; all else is one molecule, or, if that is smaller, `other`. For a trajectory in the unit of Lennard-Jones a length of 1 is
1 nm.
"""
import os
from collections import Counter
from functools import partial

import numpy as np

from . import Failed, Result, dcd, fp32_slack, largest_error, run, smallest_mode

ANGSTROM = 1e5  # fm


def segments(types):
    """(kind, particles) of rows of particles; types are those of all particles in the order of the positions."""
    starts = np.flatnonzero((types[:-2] != types[1:-1]) & (types[1:-1] == types[2:]))
    pairs = Counter(zip(types[starts].tolist(), types[starts + 1].tolist()))
    if not pairs:
        return [["MOLECULE", len(types)]]
    (oxygen, hydrogen), _ = pairs.most_common(1)[0]
    is_water = np.zeros(len(types), bool)
    is_water[starts[(types[starts] == oxygen) & (types[starts + 1] == hydrogen)]] = True
    rows, at = [], 0
    while at < len(types):
        run_end = at
        while run_end < len(types) and is_water[run_end]:
            run_end += 3
        kind, size = ("WATER", run_end - at) if run_end - at >= 30 else ("MOLECULE", max(1, run_end - at))
        if rows and rows[-1][0] == kind:
            rows[-1][1] += size
        else:
            rows.append([kind, size])
        at += size
    return rows


def measure_mode(program, given, bound, path, descriptions, mode):
    """`given` and the bound in Angstrom; a description is (kind, particles)."""
    with open(path + ".desc", "w") as file:
        for i, (kind, size) in enumerate(descriptions):
            file.write(f"{kind} {kind.lower()}{i} {size}\n")
    step = 2 * bound * ANGSTROM
    options = ["-d", path + ".desc", "-l", 5, "--preset", "archive", "--subsegment-size", 0, "-t", 1, "--res", round(step)]
    _, encode, _ = run(program, "compress", "-i", path + ".dcd", "-o", path + ".mdc", *options)
    _, decode, _ = run(program, "decompress", "-i", path + ".mdc", "-o", path + ".out.dcd", "-t", 1)
    error = largest_error(dcd.read(path + ".out.dcd"), given.astype(np.float64), bound)
    return Result(os.path.getsize(path + ".mdc"), error, encode, decode, mode, fp32_slack(given, bound))


def measure(program, positions, bound, scratch, types, edges, angstroms):
    """`angstroms`: in a unit of the positions."""
    path = os.path.join(scratch, "mdc")
    given = (positions * angstroms).astype(np.float32)
    dcd.write(path + ".dcd", given, edges * angstroms)
    bound *= angstroms
    if 2 * bound * ANGSTROM < 99.99:
        raise Failed("its grid is not finer than 100 fm")
    molecules = segments(types)
    others = [("OTHER" if kind == "MOLECULE" else kind, size) for kind, size in molecules]
    return smallest_mode(
        {
            mode: partial(measure_mode, program, given, bound, path, descriptions, mode)
            for mode, descriptions in (("molecule", molecules), ("other", others))
        }
    )
