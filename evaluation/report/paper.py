# SPDX-License-Identifier: BSD-3-Clause
"""Ratios that the GPZ paper prints, next to those measured here on data of the same kind."""
from . import claims
from .tables import plain, short, table

ORIGINAL = "GPZ (paper)"  # as its adapter calls it
PROGRAMS = ("PFPL", "cuSZp", "FZ-GPU", "cuSZ", "cuSZ-i", "GPZ")
# data here: (data of the paper, {bound: ratios of PROGRAMS, None where it has none})
RATIOS = {
    "melt": (
        "LAMMPS, 67 M",
        {1e-2: (22.22, 13.70, 9.46, 24.12, 6.26, 33.80), 1e-3: (7.67, 6.87, 5.22, 9.73, None, 8.99), 1e-4: (4.16, 4.05, 3.52, 4.58, None, 5.17)},
    ),
    "cosmology_coarse": (
        "OuterRim, 84 M",
        {
            1e-2: (152.36, 20.10, 23.70, 29.86, 6.37, 219.41),
            1e-3: (26.60, 13.03, 10.77, 25.73, 6.29, 131.58),
            1e-4: (8.01, 6.60, 5.85, 10.31, 4.75, 10.63),
        },
    ),
    "cosmology_fine": (
        "NewWorlds, 144 M",
        {
            1e-2: (81.30, 17.22, 15.48, 30.13, 6.35, 204.79),
            1e-3: (31.26, 12.09, 8.21, 26.25, 6.11, 97.09),
            1e-4: (9.60, 7.21, 5.49, 13.22, 5.11, 10.88),
        },
    ),
    "plasma": (
        "WarpX, 273 M",
        {1e-2: (33.69, 14.00, 12.50, 24.03, 6.14, 60.71), 1e-3: (13.20, 8.41, 6.58, 13.02, None, 21.11), 1e-4: (7.00, 5.14, 4.21, 8.00, None, 6.15)},
    ),
    "poincare": (
        "XGC Poincaré, 13 M",
        {1e-2: (4.90, 4.73, 5.13, 5.53, None, 42.32), 1e-3: (3.20, 3.21, 3.42, 3.52, None, 7.68), 1e-4: (2.38, 2.41, 2.52, None, None, 3.81)},
    ),
    "terrain": (
        "USGS, 734 M",
        {
            1e-2: (None, 30.53, None, None, None, 219.42),
            1e-3: (None, 18.13, None, None, None, 217.51),
            1e-4: (None, 10.63, None, None, None, 15.08),
        },
    ),
}


def best_peer(ratios):
    ratio, name = max((ratio, name) for name, ratio in zip(PROGRAMS[:-1], ratios) if ratio is not None)
    return f"{short(ratio)} {name}"


def beside(results):
    """The paper's GPZ and its best peer, then the original GPZ, the best peer and ours, measured here."""
    rows = []
    for data, (theirs, bounds) in RATIOS.items():
        for bound, ratios in bounds.items():
            here = results.of(data, bound, "gpu")
            if not here:
                continue
            mine = claims.smallest(row for row in here if claims.is_ours(row.program))
            original = [row for row in here if row.program == ORIGINAL and row.kept]
            peer = claims.smallest(row for row in here if not claims.is_ours(row.program) and row.program != ORIGINAL)
            rows.append(
                [
                    theirs,
                    plain(bound),
                    short(ratios[-1]),
                    best_peer(ratios),
                    data,
                    short(original[0].ratio) if original else "",
                    f"{short(peer.ratio)} {peer.program}" if peer else "",
                    f"{short(mine.ratio)} {mine.program}" if mine else "",
                ]
            )
    return table(["the paper's data", "bound", "its GPZ", "its best other", "data here", "its GPZ here", "best other", "ours"], rows)
