# SPDX-License-Identifier: BSD-3-Clause
"""Keywords of ase.io.write arrive in the file, and wrong ones are refused."""

import ase.io
import numpy as np
import pytest

import gpz


@pytest.fixture
def images():
    random = np.random.default_rng(4)
    return [ase.Atoms("Cu5000", positions=random.uniform(0, 30, (5000, 3)), cell=[30] * 3, pbc=True) for _ in range(3)]


@pytest.mark.parametrize(("effort", "features"), [("fast", 0), ("standard", 264), ("dense", 267)])
def test_the_effort_arrives(images, tmp_path, effort, features):
    ase.io.write(tmp_path / "out.gpz", images[:1], effort=effort)
    with gpz.open(tmp_path / "out.gpz") as file:
        assert file.metadata["features"] == features


def test_a_key_interval_that_frames_without_a_past_give(tmp_path):
    random = np.random.default_rng(4)
    images = [ase.Atoms("Cu500", positions=random.uniform(0, 30, (500, 3)), cell=[30] * 3, pbc=True) for _ in range(9)]
    ase.io.write(tmp_path / "out.gpz", images, bound=1e-3)
    with gpz.open(tmp_path / "out.gpz") as file:
        assert np.flatnonzero(file.key_frames).tolist()[:2] == [0, 6]


@pytest.mark.parametrize(("units", "bound"), [("metal", 5e-4), ("nano", 5e-4)])
def test_the_order_of_atoms_and_the_bound_without_keywords(images, tmp_path, units, bound):
    """The bound of nano is 5e-5 nm, which is 5e-4 of ASE's Angstrom as well."""
    ase.io.write(tmp_path / "out.gpz", images, units=units)
    for read, given in zip(ase.io.read(tmp_path / "out.gpz", index=":"), images):
        error = np.abs(read.positions - given.positions).max()
        assert bound / 2 < error <= bound * (1 + 1e-9)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"efort": "dense"}, TypeError, "efort"),
        ({"effort": "strong"}, ValueError, "effort is"),
        ({"bound": True}, ValueError, "finite number"),
        ({"bounds": {"velocities": 0.1}}, ValueError, "no column vx"),
    ],
)
def test_refused(images, tmp_path, keywords, error, message):
    with pytest.raises(error, match=message):
        ase.io.write(tmp_path / "out.gpz", images, **keywords)


def test_the_thermal_bound_of_velocities(tmp_path):
    """A thousandth of the speed of the heavier element, in the units of the file."""
    random = np.random.default_rng(4)
    atoms = ase.Atoms("OH2" * 200, positions=random.uniform(0, 30, (600, 3)), cell=[30] * 3, pbc=True)
    atoms.set_velocities(random.normal(size=(600, 3)) / np.sqrt(atoms.get_masses())[:, None])
    ase.io.write(tmp_path / "out.gpz", atoms, units="real", bounds={"velocities": "thermal"})
    with gpz.open(tmp_path / "out.gpz") as file:
        bound, types = file[0].bounds["vx"], file[0]["type"]
        speed = np.sqrt(file[0].velocities[types == 1].var(axis=0, ddof=1).mean())
    assert 0.00090 * speed < bound <= 0.00101 * speed
    read = ase.io.read(tmp_path / "out.gpz").get_velocities()
    assert np.abs(read - atoms.get_velocities()).max() < 0.0011 / 4  # the oxygens have a speed of 1/4
