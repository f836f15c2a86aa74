# SPDX-License-Identifier: BSD-3-Clause
"""Keywords of `atoms.write` arrive in the file, and unknown ones are refused."""

import MDAnalysis as mda
import numpy as np
import pytest

import gpz
import gpz.mdanalysis


@pytest.fixture
def universe():
    made = mda.Universe.empty(5000, trajectory=True)
    made.atoms.positions = np.random.default_rng(3).uniform(0, 30, (5000, 3))
    made.dimensions = [30, 30, 30, 90, 90, 90]
    return made


@pytest.mark.parametrize(("effort", "features"), [("fast", 0), ("standard", 264), ("dense", 267)])
def test_the_effort_arrives(universe, tmp_path, effort, features):
    universe.atoms.write(tmp_path / "out.gpz", effort=effort)
    with gpz.open(tmp_path / "out.gpz") as file:
        assert file.metadata["features"] == features


def test_a_key_interval_that_frames_without_a_past_give(tmp_path):
    made = mda.Universe.empty(500, trajectory=True)
    random = np.random.default_rng(3)
    with mda.Writer(str(tmp_path / "out.gpz"), n_atoms=500, bound=1e-3) as writer:
        for _ in range(9):
            made.atoms.positions = random.uniform(0, 30, (500, 3))
            writer.write(made.atoms)
    with gpz.open(tmp_path / "out.gpz") as file:
        assert np.flatnonzero(file.key_frames).tolist()[:2] == [0, 6]


def test_the_order_of_atoms_and_the_bound_without_keywords(universe, tmp_path):
    with mda.Writer(str(tmp_path / "out.gpz"), n_atoms=5000) as writer:
        for _ in range(3):
            universe.atoms.positions = universe.atoms.positions[::-1]
            writer.write(universe.atoms)
    with gpz.open(tmp_path / "out.gpz") as file:
        assert len(file) == 3 and file[0].position_bound == 5e-4
        for frame, step in zip(file, (1, -1, 1)):
            assert np.abs(frame.positions - universe.atoms.positions[::step]).max() <= 5e-4


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"efort": "dense"}, TypeError, "no keyword efort"),
        ({"effort": "strong"}, ValueError, "effort is"),
        ({"bound": -1}, ValueError, "finite number"),
        ({"velocity_bound": 0.1}, ValueError, "no column vx"),
    ],
)
def test_refused(universe, tmp_path, keywords, error, message):
    with pytest.raises(error, match=message):
        universe.atoms.write(tmp_path / "out.gpz", **keywords)


@pytest.mark.parametrize("species", ["types", "masses"])
def test_the_thermal_bound_of_velocities(tmp_path, species):
    """A thousandth of the speed of the slower species, in the units of the file."""
    random = np.random.default_rng(4)
    slow = np.arange(600) % 3 == 0
    made = mda.Universe.empty(600, trajectory=True, velocities=True)
    made.add_TopologyAttr(species, np.where(slow, "O", "H") if species == "types" else np.where(slow, 16.0, 1.0))
    made.atoms.positions = random.uniform(0, 30, (600, 3))
    made.atoms.velocities = random.normal(size=(600, 3)) * np.where(slow, 0.5, 2)[:, None]
    made.atoms.write(tmp_path / "out.gpz", lammps_units="real", velocity_bound="thermal")
    with gpz.open(tmp_path / "out.gpz") as file:
        bound = file[0].bounds["vx"] * 1000  # Angstrom/ps
        assert np.abs(file[0].velocities * 1000 - made.atoms.velocities).max() <= 1.01 * bound
    speed = np.sqrt(made.atoms.velocities[slow].var(axis=0, ddof=1).mean())
    assert 0.00090 * speed < bound <= 0.00101 * speed
