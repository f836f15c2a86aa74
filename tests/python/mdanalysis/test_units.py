# SPDX-License-Identifier: BSD-3-Clause
"""Units of LAMMPS in those of MDAnalysis."""

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysis.units import convert

import gpz
from gpz.mdanalysis import GPZReader
from gpz.mdanalysis.units import STYLES, units_of

# An acceleration in (velocity unit) / (time unit) is this times a force by a mass: ftm2v in LAMMPS's Update::set_units.
FORCE_BY_MASS = {
    "real": 1 / 48.88821291**2,
    "metal": 1 / 1.0364269e-4,
    "si": 1,
    "cgs": 1,
    "electron": 0.937582899,
    "micro": 1,
    "nano": 1,
}
# What LAMMPS's manual says the units are: metres, seconds, kilograms.
SI = {
    "real": (1e-10, 1e-15, 1.66053907e-27),
    "metal": (1e-10, 1e-12, 1.66053907e-27),
    "si": (1, 1, 1),
    "cgs": (1e-2, 1, 1e-3),
    "electron": (0.529177e-10, 1e-15, 1.66053907e-27),
    "micro": (1e-6, 1e-6, 1e-15),
    "nano": (1e-9, 1e-9, 1e-21),
}


def test_every_style_of_lammps_is_there():
    assert set(STYLES) == {"lj", *SI} == {"lj", *FORCE_BY_MASS}


@pytest.mark.parametrize("style", SI)
def test_lengths_times_and_masses(style):
    units, (metre, second, kilogram) = STYLES[style], SI[style]
    assert units.length == pytest.approx(metre / 1e-10, rel=1e-6)
    assert units.time == pytest.approx(second / 1e-12, rel=1e-6)
    assert units.mass == pytest.approx(kilogram / 1.66053907e-27, rel=1e-6)
    assert units.velocity == pytest.approx(units.length / units.time, rel=1e-12)


@pytest.mark.parametrize("style", FORCE_BY_MASS)
def test_forces_accelerate_masses_as_in_lammps(style):
    units = STYLES[style]
    # 1 kJ/(mol A) accelerates 1 u by 100 A/ps^2.
    of_one_unit = 100 * units.force / units.mass
    assert of_one_unit == pytest.approx(FORCE_BY_MASS[style] * units.velocity / units.time, rel=1e-7)


@pytest.mark.parametrize("style", STYLES)
def test_as_mdanalysis_where_it_has_a_name_for_the_unit(style):
    units = STYLES[style]
    base = {"length": "A", "time": "ps", "velocity": "A/ps", "force": "kJ/(mol*A)"}
    for quantity, name in units.names.items():
        if name is not None:
            assert getattr(units, quantity) == pytest.approx(convert(1.0, name, base[quantity]), rel=1e-6)


def test_charges():
    assert STYLES["si"].charge == pytest.approx(1 / 1.602176634e-19, rel=1e-6)
    assert STYLES["cgs"].charge == pytest.approx(1 / 4.80320471e-10, rel=1e-6)
    assert STYLES["micro"].charge == pytest.approx(1 / 1.602176634e-7, rel=1e-6)
    assert {STYLES[style].charge for style in ("real", "metal", "electron", "nano", "lj")} == {1}


def test_no_units():
    assert units_of("") == units_of(None) == STYLES["lj"]
    with pytest.raises(ValueError, match="no units 'imperial'.*real"):
        units_of("imperial")


@pytest.fixture
def write(tmp_path):
    def write_one(units, length=1.0):
        path = str(tmp_path / "one.gpz")
        ones = np.ones((2, 3))
        with gpz.Writer(path, units=units, bound=0) as writer:
            for step in (0, 5):
                writer.write(
                    positions=ones * length,
                    ids=[1, 2],
                    types=[1, 1],
                    velocities=ones,
                    forces=ones,
                    q=np.ones(2),
                    mass=np.ones(2),
                    box=[3 * length, 4 * length, 5 * length],
                    timestep=step,
                    time=2.0 * step,
                )
        return path

    return write_one


@pytest.mark.parametrize("style", STYLES)
def test_frames_and_topology_in_units_of_mdanalysis(style, write):
    path, units = write(style), STYLES[style]
    universe = mda.Universe(path)
    ts = universe.trajectory[1]
    np.testing.assert_allclose(ts.positions, units.length, rtol=1e-6)
    np.testing.assert_allclose(
        ts.dimensions, [3 * units.length, 4 * units.length, 5 * units.length, 90, 90, 90], rtol=1e-6
    )
    np.testing.assert_allclose(ts.velocities, units.velocity, rtol=1e-6)
    np.testing.assert_allclose(ts.forces, units.force, rtol=1e-6)
    assert ts.time == pytest.approx(10 * units.time)
    assert ts.dt == pytest.approx(10 * units.time)
    np.testing.assert_allclose(universe.atoms.charges, units.charge, rtol=1e-6)
    np.testing.assert_allclose(universe.atoms.masses, units.mass, rtol=1e-6)
    assert universe.trajectory.lammps_units == style
    # What MDAnalysis's writers take for the units of the timestep.
    names = [None] * 4 if style == "lj" else ["A", "ps", "A/ps", "kJ/(mol*Angstrom)"]
    assert universe.trajectory.units == dict(zip(("length", "time", "velocity", "force"), names))


def test_as_the_file_has_them(write):
    path = write("real")
    universe = mda.Universe(path, convert_units=False)
    ts = universe.trajectory[1]
    assert (ts.velocities == 1).all() and (ts.forces == 1).all() and ts.time == 10
    assert universe.trajectory.units == {
        "length": "A",
        "time": "fs",
        "velocity": "A/fs",
        "force": "kcal/(mol*Angstrom)",
    }


def test_units_that_the_caller_gives(write):
    reader = GPZReader(write(None), lammps_units="nano")
    assert (reader.ts.positions == 10).all()
    reader.close()
    with pytest.raises(ValueError, match="no units 'imperial'"):
        GPZReader(write(None), lammps_units="imperial")
