# SPDX-License-Identifier: BSD-3-Clause
"""Text dumps of LAMMPS whose rows are sorted by id: `id type x y z ...`."""
from itertools import islice

import numpy as np


def read(path):
    """Positions (frames, particles, 3), types (particles,), edge vectors (frames, 3, 3) of orthogonal boxes, those with tilts of 0 included."""
    positions, cells, types = [], [], None
    with open(path, encoding="ascii") as file:
        while file.readline():
            file.readline(), file.readline()
            particles = int(file.readline())
            file.readline()
            bounds = [list(map(float, file.readline().split())) for _ in range(3)]
            if any(tilt != 0 for row in bounds for tilt in row[2:]):
                raise ValueError(f"{path}: a triclinic box")
            edges = [row[1] - row[0] for row in bounds]
            columns = file.readline().split()[2:]
            if columns[:5] != ["id", "type", "x", "y", "z"]:
                raise ValueError(f"{path}: columns {columns}, not id type x y z")
            rows = np.array("".join(islice(file, particles)).split(), np.float64).reshape(particles, -1)
            if np.any(np.diff(rows[:, 0]) <= 0):
                raise ValueError(f"{path}: rows that are not sorted by id")
            positions.append(rows[:, 2:5])
            cells.append(np.diag(edges))
            types = rows[:, 1].astype(np.int64)
    return np.array(positions), types, np.array(cells)
