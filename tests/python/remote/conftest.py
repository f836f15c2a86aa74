# SPDX-License-Identifier: BSD-3-Clause
"""Files on a web server."""

import sys
from pathlib import Path

import numpy as np
import pytest
from serving import FRAMES, KEY, PARTICLES, Server

import gpz

sys.path.append(str(Path(__file__).parents[2]))  # long_form


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    """A file of 2 MB: difference frames of 44 KB, and every eighth a key frame of 84 KB."""
    random = np.random.default_rng(11)
    start = random.uniform(0, 60, (PARTICLES, 3))
    speed = random.normal(size=(PARTICLES, 3))
    made = tmp_path_factory.mktemp("remote") / "file.gpz"
    with gpz.Writer(made, units="lj", bound=1e-3, key_interval=KEY) as writer:
        for k in range(FRAMES):
            writer.write(
                positions=start + 0.02 * k * speed + random.normal(scale=0.05, size=(PARTICLES, 3)),
                ids=np.arange(1, PARTICLES + 1),
                box=[60, 60, 60],
                timestep=100 * k,
            )
    return made


@pytest.fixture(scope="session")
def local(path):
    """The frames of the file."""
    with gpz.open(path) as trajectory:
        yield trajectory


@pytest.fixture
def server(path):
    with Server() as made:
        made.files["/file.gpz"] = path.read_bytes()
        made.tags["/file.gpz"] = '"one"'
        yield made


@pytest.fixture
def remote():
    """Attempts that do not wait."""
    return gpz.remote.Options(delay=0.0)


@pytest.fixture
def same(local):
    """Whether these frames are those of the file."""

    def check(trajectory, indices=range(FRAMES)):
        for index in indices:
            np.testing.assert_array_equal(trajectory[index].positions, local[index].positions)

    return check
