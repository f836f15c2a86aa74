# SPDX-License-Identifier: BSD-3-Clause
"""What MDAnalysis writes into .gpz files, read with gpz itself."""

import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysis.exceptions import NoDataError
from runs import make

import gpz
from gpz.mdanalysis import GPZWriter

EV_BY_ANGSTROM = 96.4853  # kJ/(mol A)


def universe_of(run, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # masses that are guessed
        return mda.Universe(run.gpz, **keywords)


def small(types=("C", "O", "C"), dimensions=(10, 11, 12, 90, 90, 90)):
    """Three atoms that are in no file."""
    universe = mda.Universe.empty(3, trajectory=True, velocities=True, forces=True)
    universe.add_TopologyAttr("types", list(types))
    universe.atoms.positions = np.arange(9.0).reshape(3, 3) + 0.123456
    universe.atoms.velocities = np.arange(9.0).reshape(3, 3) / 7
    universe.atoms.forces = np.arange(9.0).reshape(3, 3) * 100
    universe.dimensions = dimensions
    universe.trajectory.ts.time = 2.5
    return universe


@pytest.mark.parametrize("name", ["melt", "triclinic", "fields", "elements", "scaled"])
def test_a_file_of_lammps_copied(name, tmp_path):
    run = make(name)
    universe = universe_of(run)
    path = str(tmp_path / "copy.gpz")
    with universe.trajectory.Writer(path) as writer:
        for _ in universe.trajectory:
            writer.write(universe)
    copy = mda.Universe(path)
    for attribute in ("ids", "types", "masses", "resids", "elements", "charges"):
        assert hasattr(copy.atoms, attribute) == hasattr(universe.atoms, attribute)
        if hasattr(universe.atoms, attribute):
            np.testing.assert_array_equal(getattr(copy.atoms, attribute), getattr(universe.atoms, attribute))
    assert copy.trajectory.lammps_units == run.units
    assert len(copy.trajectory) == len(run.frames)
    for ts, other, frame in zip(universe.trajectory, copy.trajectory, run.frames):
        np.testing.assert_allclose(other.positions, ts.positions, rtol=0, atol=1.01 * run.bounds["x"])
        np.testing.assert_allclose(other.dimensions, ts.dimensions, rtol=1e-6)
        assert other.data["step"] == frame["timestep"] and other.time == pytest.approx(ts.time, rel=1e-9)
        if ts.has_forces:
            np.testing.assert_allclose(other.forces, ts.forces, rtol=1e-6)
    # It has the bounds of the file of LAMMPS.
    first, second = gpz.open(run.gpz)[0].bounds, gpz.open(path)[0].bounds
    for column in {"x", "vx", "fx"} & set(first):
        # Exact columns have the rounding to the float32 of MDAnalysis.
        assert second[column] == pytest.approx(first[column] or 0, abs=0 if first[column] else 1e-4)


def test_in_units_of_the_file(tmp_path):
    universe = small()
    universe.atoms.write(tmp_path / "metal.gpz")
    universe.atoms.write(tmp_path / "real.gpz", lammps_units="real")
    for name, velocity, force, time in (("metal", 1, EV_BY_ANGSTROM, 1), ("real", 1000, 4.184, 0.001)):
        with gpz.open(tmp_path / f"{name}.gpz") as trajectory:
            assert trajectory.units == name
            frame = trajectory[0]
            np.testing.assert_allclose(frame.positions, universe.atoms.positions, rtol=0, atol=0.001)
            np.testing.assert_allclose(frame.velocities * velocity, universe.atoms.velocities, rtol=1e-6)
            np.testing.assert_allclose(frame.forces * force, universe.atoms.forces, rtol=1e-5)
            np.testing.assert_allclose(frame.box.lengths, [10, 11, 12])
            assert frame.time * time == pytest.approx(2.5)


def test_bounds_in_units_of_mdanalysis(tmp_path):
    path = tmp_path / "bounds.gpz"
    small().atoms.write(path, lammps_units="nano", bound=0.01, velocity_bound=0.5, force_bound=3)
    bounds = gpz.open(path)[0].bounds
    assert bounds["x"] == pytest.approx(0.001)  # nm
    assert bounds["vx"] == pytest.approx(50)  # 0.5 A/ps in nm/ns
    assert bounds["fx"] == pytest.approx(3 / 0.0602214, rel=1e-5)  # attonewtons by a million: ag nm/ns^2
    universe = mda.Universe(path)
    np.testing.assert_allclose(universe.atoms.positions, small().atoms.positions, rtol=0, atol=0.01)
    np.testing.assert_allclose(universe.atoms.velocities, small().atoms.velocities, rtol=0, atol=0.5)
    np.testing.assert_allclose(universe.atoms.forces, small().atoms.forces, rtol=1e-6, atol=3)


def test_exact_positions(tmp_path):
    small().atoms.write(tmp_path / "exact.gpz", bound=0)
    np.testing.assert_array_equal(mda.Universe(tmp_path / "exact.gpz").atoms.positions, small().atoms.positions)


def test_types_that_are_no_numbers_become_labels(tmp_path):
    small(("OW", "HW", "HW")).atoms.write(tmp_path / "labels.gpz")
    with gpz.open(tmp_path / "labels.gpz") as trajectory:
        assert trajectory.type_labels == ["HW", "OW"]
        np.testing.assert_array_equal(trajectory[0].types, [2, 1, 1])
    np.testing.assert_array_equal(mda.Universe(tmp_path / "labels.gpz").atoms.names, ["OW", "HW", "HW"])


def test_elements(tmp_path):
    universe = small(("3", "1", "3"))
    universe.add_TopologyAttr("elements", ["O", "Na", "O"])
    universe.atoms.write(tmp_path / "elements.gpz")
    assert gpz.open(tmp_path / "elements.gpz").elements == ["Na", "", "O"]
    np.testing.assert_array_equal(mda.Universe(tmp_path / "elements.gpz").atoms.elements, ["O", "Na", "O"])


def test_one_type_of_two_elements_has_none(tmp_path):
    universe = small(("1", "1", "2"))
    universe.add_TopologyAttr("elements", ["O", "S", "H"])
    universe.atoms.write(tmp_path / "elements.gpz")
    assert gpz.open(tmp_path / "elements.gpz").elements == []


def test_the_order_of_atoms_stays(tmp_path):
    universe = small()
    universe.add_TopologyAttr("ids", [30, 10, 20])
    universe.atoms.write(tmp_path / "order.gpz")
    np.testing.assert_allclose(
        mda.Universe(tmp_path / "order.gpz").atoms.positions, universe.atoms.positions, rtol=0, atol=0.001
    )
    universe.atoms[[1, 0]].write(tmp_path / "group.gpz")
    group = mda.Universe(tmp_path / "group.gpz").atoms
    np.testing.assert_allclose(group.positions, universe.atoms.positions[[1, 0]], rtol=0, atol=0.001)


def test_a_group_of_atoms(tmp_path):
    universe = universe_of(make("fields"))
    oxygen = universe.select_atoms("element O")
    oxygen.write(tmp_path / "oxygen.gpz", frames=universe.trajectory[::3])
    other = mda.Universe(tmp_path / "oxygen.gpz")
    np.testing.assert_array_equal(other.atoms.ids, oxygen.ids)
    np.testing.assert_array_equal(other.atoms.resids, oxygen.resids)
    assert [ts.data["step"] for ts in other.trajectory] == [0, 30, 60, 90]
    universe.trajectory[3]
    other.trajectory[1]
    np.testing.assert_allclose(other.atoms.positions, oxygen.positions, rtol=0, atol=0.0011)


def test_append(tmp_path):
    path = tmp_path / "both.gpz"
    universe = small()
    universe.atoms.write(path)
    universe.atoms.positions += 1
    with GPZWriter(path, 3, append=True) as writer:
        writer.write(universe.atoms)
    first, second = (ts.positions.copy() for ts in mda.Universe(path).trajectory)
    np.testing.assert_allclose(second, first + 1, rtol=0, atol=0.002)


def test_without_a_box(tmp_path):
    small(dimensions=None).atoms.write(tmp_path / "none.gpz")
    assert gpz.open(tmp_path / "none.gpz")[0].box is None
    assert mda.Universe(tmp_path / "none.gpz").dimensions is None


def test_frames_that_cannot_be_written(tmp_path):
    universe = small()
    with GPZWriter(tmp_path / "few.gpz", 3) as writer:
        writer.write(universe)
        with pytest.raises(ValueError, match="a frame of 2 atoms in a trajectory of 3"):
            writer.write(universe.atoms[:2])
        with pytest.raises(ValueError, match="no atom of the first frame had the type 'N'"):
            writer.write(small(types=["C", "O", "N"]))
        universe.trajectory.ts.has_positions = False
        with pytest.raises(NoDataError, match="without positions"):
            writer.write(universe)
    assert len(gpz.open(tmp_path / "few.gpz")) == 1
    with pytest.raises(ValueError, match="at least one atom"):
        GPZWriter(tmp_path / "none.gpz", 0)
    with pytest.raises(ValueError, match="no units 'imperial'"):
        GPZWriter(tmp_path / "none.gpz", 3, lammps_units="imperial")


def test_the_number_of_atoms_is_that_of_the_first_frame(tmp_path):
    with mda.Writer(str(tmp_path / "any.gpz")) as writer:
        writer.write(small())
    assert mda.Universe(tmp_path / "any.gpz").atoms.n_atoms == 3


@pytest.mark.parametrize(("factor", "kept"), [(None, True), (1, True), (1.9, True), (4, False)])
@pytest.mark.parametrize("name", ["melt", "triclinic", "elements"])
def test_bounds_hold_for_the_values_of_lammps(tmp_path, name, factor, kept):
    run = make(name)
    path = tmp_path / "copy.gpz"
    bound = None if factor is None else factor * run.bounds["x"]
    mda.Universe(run.gpz).atoms.write(path, frames="all", bound=bound)
    with gpz.open(path) as trajectory, gpz.open(run.gpz) as original:
        for frame, before, text in zip(trajectory, original, run.frames, strict=True):
            exact = np.stack([text["columns"][column] for column in before.position_columns], axis=-1)
            order = np.argsort(text["columns"]["id"])
            error = np.abs(frame.positions - (before.box.to_cartesian(exact) if before.position_columns[0] == "xs" else exact)[order])
            assert error.max() <= frame.position_bound
            assert np.array_equal(frame.positions, before.positions) == kept
            if kept:
                assert frame.position_bound == before.position_bound and frame.box == before.box
