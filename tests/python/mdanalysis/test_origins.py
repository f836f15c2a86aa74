# SPDX-License-Identifier: BSD-3-Clause
"""Writing what a universe has from .gpz files: recorded bounds hold for the original values."""

import MDAnalysis as mda
import numpy as np
import pytest

import gpz
import gpz.mdanalysis  # noqa: F401

ATOMS = 60
SOURCE = np.random.default_rng(8)
POSITIONS = SOURCE.uniform(0, 20, (ATOMS, 3))
VELOCITIES = SOURCE.normal(size=(ATOMS, 3)) * [0, 1, 1]


def made(path, bound, **options):
    with gpz.Writer(path, units="metal", elements=["Cu"], bound=bound, **options) as writer:
        for k in range(3):
            types, ids = np.ones(ATOMS, int), np.arange(1, ATOMS + 1)
            writer.write(positions=POSITIONS + k, velocities=VELOCITIES, types=types, ids=ids, box=[24, 24, 24])
    return str(path)


def require_true(path, frames=3):
    with gpz.open(path) as trajectory:
        assert len(trajectory) == frames
        for k, frame in enumerate(trajectory):
            assert np.abs(frame.positions - POSITIONS - k % 3).max() <= frame.position_bound
            for axis, name in enumerate(("vx", "vy", "vz")):
                error = np.abs(frame[name] - VELOCITIES[:, axis]).max()
                info = frame.column_info[name]
                assert error <= info.largest_error * (1 + 1e-12) and info.largest_error <= (info.bound or 0)


@pytest.mark.parametrize("bounds", [{"velocities": 0.01}, {"vy": 0.1}, {}])
def test_every_component_of_a_vector_counts(tmp_path, bounds):
    path = made(tmp_path / "a.gpz", 1e-3, bounds=bounds)
    mda.Universe(path).atoms.write(str(tmp_path / "o.gpz"), frames="all")
    require_true(tmp_path / "o.gpz")


def test_several_files(tmp_path):
    paths = [made(tmp_path / name, 0.1) for name in ("a.gpz", "b.gpz")]
    mda.Universe(paths[0], paths).atoms.write(str(tmp_path / "o.gpz"), frames="all")
    require_true(tmp_path / "o.gpz", 6)
    assert gpz.open(tmp_path / "o.gpz")[4].position_bound == 0.1


def test_the_timestep_stays_as_it_is(tmp_path):
    path = made(tmp_path / "a.gpz", 1e-3)
    universe = mda.Universe(path)
    universe.trajectory.ts.has_velocities = False
    with mda.Writer(str(tmp_path / "o.gpz"), n_atoms=ATOMS) as writer:
        for _ in range(2):
            writer.write(universe.atoms)
    assert not universe.trajectory.ts.has_velocities
    assert all("vx" not in frame for frame in gpz.open(tmp_path / "o.gpz"))
