# SPDX-License-Identifier: BSD-3-Clause
"""Random structures, and a file of frames, for the tests of packs and data sets."""

import numpy as np

import gpz


def molecules(count, seed=1, **others):
    """Dicts of 1 to 12 atoms with energies and forces. `others`: functions of the generator and the number of atoms."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        n = int(random.integers(1, 13))
        made.append(
            {
                "numbers": random.choice([1, 6, 7, 8, 79], n),
                "positions": random.normal(0, 2, (n, 3)),
                "energy": random.normal() * 1e4,
                "forces": random.normal(0, 1, (n, 3)),
                **{name: make(random, n) for name, make in others.items()},
            }
        )
    return made


def trajectory(path, frames=5, atoms=7, **options):
    """Writes frames with boxes, velocities, forces and the observables PotEng and Temp. Returns what was written."""
    random = np.random.default_rng(3)
    written = []
    with gpz.Writer(path, units="metal", elements=["O", "H"], bound=1e-3, **options) as writer:
        for k in range(frames):
            given = {name: random.normal(0, 2, (atoms, 3)) for name in ("positions", "velocities", "forces")}
            types = random.integers(1, 3, atoms)
            writer.write(
                **given, ids=np.arange(1, atoms + 1), types=types, box=[9.0, 8.0, 7.0], timestep=k,
                observables={"PotEng": 0.1 * k, "Temp": 300.0 + k},
            )  # fmt: skip
            written.append({**given, "numbers": np.array([8, 1])[types - 1], "energy": 0.1 * k, "Temp": 300.0 + k})
    return written
