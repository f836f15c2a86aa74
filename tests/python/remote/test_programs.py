# SPDX-License-Identifier: BSD-3-Clause
"""URLs in other programs."""

import pickle

import ase.io
import dpdata
import MDAnalysis as mda
import numpy as np
import pytest
from serving import FRAMES, KEY, PARTICLES

import gpz
import gpz.dpdata
import gpz.mdanalysis
import gpz.mdtraj

pytestmark = pytest.mark.filterwarnings("ignore")  # of MDAnalysis, about masses and the like

X = [0, KEY + 3, FRAMES - 1]


def test_mdanalysis(server, local):
    universe = mda.Universe(server.url())
    assert len(universe.atoms) == PARTICLES and len(universe.trajectory) == FRAMES
    # The topology and the trajectory are opened by themselves.
    assert len(server.requests) <= 8
    for index in X:
        np.testing.assert_array_equal(universe.trajectory[index].positions, local[index].positions.astype(np.float32))
    again = pickle.loads(pickle.dumps(universe))
    assert again.trajectory.frame == FRAMES - 1


def test_mdanalysis_with_a_query(server, local):
    """As of presigned URLs. MDAnalysis guesses formats by extensions."""
    url = server.url("/file.gpz?signature=secret")
    server.files["/file.gpz?signature=secret"] = server.files["/file.gpz"]
    universe = mda.Universe(url, url, remote=gpz.remote.Options(memory=1 << 20))
    universe.trajectory[KEY]
    np.testing.assert_array_equal(universe.atoms.positions, local[KEY].positions.astype(np.float32))
    chain = mda.Universe(url, [url, url])
    assert len(chain.trajectory) == 2 * FRAMES


def test_ase(server, local):
    atoms = ase.io.read(server.url(), index=KEY + 3, format="gpz")
    assert len(atoms) == PARTICLES
    np.testing.assert_allclose(atoms.positions, local[KEY + 3].positions, atol=1e-12)
    assert server.sent < len(server.files["/file.gpz"]) / 2


def test_mdtraj_and_dpdata(server):
    assert gpz.mdtraj.load(server.url(), frame=KEY).n_atoms == PARTICLES
    assert len(dpdata.System(server.url(), fmt="gpz")) == FRAMES
