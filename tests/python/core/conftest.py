# SPDX-License-Identifier: BSD-3-Clause
"""Files that the tests read."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import gpz

if "GPZ_CLIENT_TESTS" in os.environ:
    sys.path.insert(0, os.environ["GPZ_CLIENT_TESTS"])

sys.path.append(str(Path(__file__).resolve().parents[2]))  # long_form

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "files"
BOUND = 1e-3
PARTICLES, FRAMES, KEY = 700, 12, 5


class Sample:
    """What a file was written from: positions and velocities of frame k in the order in which they were given."""

    def __init__(self, path):
        random = np.random.default_rng(7)
        self.path = path
        self.ids = random.permutation(PARTICLES) * 3 + 5
        self.types = random.integers(1, 4, PARTICLES)
        self.start = random.random((PARTICLES, 3)) * 10
        self.velocities = random.normal(size=(PARTICLES, 3))
        self.by_id = np.argsort(self.ids)
        self.starts = []  # of the frames in the file, bytes

    def positions(self, k):
        return self.start + 0.01 * k * self.velocities

    def write(self, writer, k):
        writer.write(
            positions=self.positions(k),
            ids=self.ids,
            types=self.types,
            velocities=self.velocities,
            images=np.tile([k, -k, 0], (PARTICLES, 1)),
            box=gpz.Box.from_bounds([-1, -2, -3], [11, 12, 13], boundary="pp pp ff"),
            timestep=100 * k,
            time=None if k == 3 else 0.5 * k,
            charge=self.start[:, 0].astype(np.float32),
        )


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    made = Sample(tmp_path_factory.mktemp("sample") / "sample.gpz")
    with gpz.Writer(
        made.path, units="metal", elements=["C", "H", "O"], bound=BOUND, bounds={"velocities": 1e-4}, key_interval=KEY
    ) as writer:
        for k in range(FRAMES):
            made.starts.append(writer.size)
            made.write(writer, k)
    return made


@pytest.fixture
def trajectory(sample):
    with gpz.open(sample.path) as opened:
        yield opened


@pytest.fixture(scope="session")
def golden():
    return GOLDEN
