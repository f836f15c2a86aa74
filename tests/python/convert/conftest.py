# SPDX-License-Identifier: BSD-3-Clause
"""Files that the tests convert."""

import os
import sys

import numpy as np
import pytest

import gpz

if "GPZ_CLIENT_TESTS" in os.environ:
    sys.path.insert(0, os.environ["GPZ_CLIENT_TESTS"])

BOUND, VELOCITY_BOUND = 1e-3, 1e-4
ATOMS, FRAMES = 60, 5
# Triclinic, and its origin is not zero.
BOX = gpz.Box.from_bounds([-4.0, 1.0, 2.5], [16.0, 19.0, 20.5], [2.0, -1.5, 3.0])


class Made:
    """What is in the file, in the order of ids."""

    def __init__(self, path, units):
        random = np.random.default_rng(5)
        self.path, self.units = path, units
        self.ids = random.permutation(ATOMS) * 2 + 7
        by_id = np.argsort(self.ids)
        start = BOX.to_cartesian(random.random((ATOMS, 3)))
        velocities = random.normal(size=(ATOMS, 3))
        frames = [start + 0.01 * k * velocities for k in range(FRAMES)]
        self.positions = [frame[by_id] for frame in frames]
        self.velocities = velocities[by_id]
        self.times = [0.25 * k for k in range(FRAMES)]
        with gpz.Writer(path, units=units, bound=BOUND, bounds={"velocities": VELOCITY_BOUND}) as writer:
            for k, frame in enumerate(frames):
                writer.write(
                    positions=frame, velocities=velocities, ids=self.ids, box=BOX, timestep=50 * k, time=self.times[k]
                )


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return {units: Made(folder / f"{units}.gpz", units) for units in ("real", "lj")}
