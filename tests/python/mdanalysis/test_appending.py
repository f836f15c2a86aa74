# SPDX-License-Identifier: BSD-3-Clause
"""atoms.write(append=True): atoms get types of the file, whose units and bounds stay."""

import MDAnalysis as mda
import numpy as np
import pytest

import gpz
import gpz.mdanalysis

X = np.random.default_rng(7).uniform(0, 10, (4, 3)).astype(np.float32)


def molecule(types=("HC", "HC", "OC", "CT"), elements=("H", "H", "O", "C"), ids=(1, 2, 3, 4)):
    universe = mda.Universe.empty(len(types), trajectory=True, velocities=True)
    universe.add_TopologyAttr("types", list(types))
    universe.add_TopologyAttr("ids", list(ids))
    if elements:
        universe.add_TopologyAttr("elements", list(elements))
    universe.atoms.positions = X
    universe.atoms.velocities = X
    universe.dimensions = [10, 10, 10, 90, 90, 90]
    return universe.atoms


def file_with(path, types=(3, 3, 1, 2), **options):
    options = {"units": "nano", "bound": 0.001, "bounds": {"velocities": 0.5}} | options
    with gpz.Writer(path, **options) as writer:
        writer.write(positions=X / 10, ids=range(1, 5), types=types, velocities=X, box=[1, 1, 1])
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.gpz"


@pytest.mark.parametrize(("names", "types", "elements"), [
    ({"elements": ["O", "C", "H"]}, ("HC", "HC", "OC", "CT"), ("H", "H", "O", "C")),
    ({"elements": ["O", "C", "H"]}, ("H", "H", "O", "C"), None),
    ({"elements": ["O", "C", "H"]}, ("3", "3", "1", "2"), ("H", "H", "O", "C")),
    ({"elements": ["O", "C", "H"]}, ("3", "3", "1", "2"), None),
    ({"elements": ["O", "C", "H"]}, ("1", "1", "2", "3"), ("H", "H", "O", "C")),  # of another file: elements count
    ({"type_labels": ["OC", "CT", "HC"]}, ("HC", "HC", "OC", "CT"), ("H", "H", "O", "C")),
    ({"elements": ["O", "C", "H"], "type_labels": ["OC", "CT", "HC"]}, ("HC", "HC", "OC", "CT"), None),
    ({}, ("3", "3", "1", "2"), None),
])  # fmt: skip
def test_types_units_and_bounds_are_those_of_the_file(path, names, types, elements):
    file_with(path, **names)
    molecule(types, elements).write(str(path), append=True)
    with gpz.open(path) as file:
        assert file.units == "nano" and file[1].types.tolist() == [3, 3, 1, 2]
        assert file.elements == names.get("elements", []) and file.type_labels == names.get("type_labels", [])
        assert file[1].position_bound == 0.001 and file[1].bounds["vx"] == 0.5
        assert np.abs(file[1].positions - X / 10).max() <= 0.001
        assert np.abs(file[1].velocities - X * 100).max() <= 0.5 + 1e-4  # A/ps in m/s, and float32


@pytest.mark.parametrize(("names", "types", "elements", "said"), [
    ({"elements": ["O", "H"], "types": (2, 2, 1, 1)}, ("HC", "HC", "OC", "CT"), ("H", "H", "O", "C"), "type CT .element C."),
    ({"type_labels": ["OC", "CT", "HC"]}, ("HC", "HC", "OC", "X"), None, "type X .* type labels OC CT HC"),
    ({}, ("HC", "HC", "OC", "CT"), None, "type CT .* neither elements nor type labels"),
    ({"elements": ["O", "C", "H"]}, ("3", "3", "1", "4"), None, "type 4"),
])  # fmt: skip
def test_other_types_are_refused(path, names, types, elements, said):
    before = file_with(path, **names).read_bytes()
    with pytest.raises(gpz.ArgumentError, match=f"file.gpz: append: {said}"):
        molecule(types, elements).write(str(path), append=True)
    assert path.read_bytes() == before


def test_other_atoms_are_refused(path):
    before = file_with(path).read_bytes()
    with pytest.raises(gpz.ArgumentError, match="file.gpz: append: .* ids 1 to 4"):
        molecule(("3", "3", "1", "2"), None, ids=(1, 2, 3, 5)).write(str(path), append=True)
    assert path.read_bytes() == before


def test_keywords_as_in_the_file_are_taken(path):
    """Bounds in the units of MDAnalysis."""
    file_with(path)
    molecule(("3", "3", "1", "2"), None).write(
        str(path), append=True, lammps_units="nano", bound=0.01, velocity_bound=0.005
    )
    assert gpz.open(path)[1].bounds == gpz.open(path)[0].bounds


def test_a_trajectory_in_other_units(path, tmp_path):
    """The writer of a reader has its units and bounds for new files only."""
    source = file_with(tmp_path / "source.gpz", units="metal", bound=0.002, bounds={})
    file_with(path)
    universe = mda.Universe(source)
    with universe.trajectory.Writer(str(path), append=True) as writer:
        writer.write(universe.atoms)
    with gpz.open(path) as file, gpz.open(source) as metal:
        assert file.units == "nano" and file[1].position_bound == 0.001
        assert np.abs(file[1].positions - metal[0].positions / 10).max() <= 0.001
    coarse = file_with(tmp_path / "coarse.gpz", units="metal", bound=0.02, bounds={})
    before = path.read_bytes()
    with pytest.raises(gpz.ArgumentError, match="a bound of 0.001 cannot be kept"):
        mda.Universe(coarse).atoms.write(str(path), append=True)
    assert path.read_bytes() == before
    with pytest.raises(gpz.ArgumentError, match="units='metal', and the file has 'nano'"):
        universe.atoms.write(str(path), append=True, convert_units=False)


def test_a_missing_file_is_a_new_one(path):
    molecule().write(str(path), append=True, bound=0.5)
    with gpz.open(path) as file:
        assert file.units == "metal" and file.type_labels == ["CT", "HC", "OC"] and file[0].position_bound == 0.5


def test_types_that_change_between_frames(path):
    atoms = molecule()
    with mda.Writer(str(path), n_atoms=4) as writer:
        writer.write(atoms)
        atoms.types = ["CT", "OC", "HC", "HC"]
        writer.write(atoms)
    assert [frame.types.tolist() for frame in gpz.open(path)] == [[2, 2, 3, 1], [1, 3, 2, 2]]
