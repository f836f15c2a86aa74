# SPDX-License-Identifier: BSD-3-Clause
"""ase.io.write(append=True): atoms get the types of their elements in the file, whose units and bounds stay."""

import ase
import ase.io
import numpy as np
import pytest

import gpz
import gpz.ase

X = np.random.default_rng(6).uniform(0, 10, (4, 3))


def molecule(symbols="H2OC"):
    atoms = ase.Atoms(symbols, positions=X, cell=[10, 10, 10], pbc=True)
    atoms.set_velocities(X)
    return atoms


@pytest.fixture
def path(tmp_path):
    """In nm, with types in an order of its own."""
    path = tmp_path / "file.gpz"
    with gpz.Writer(path, units="nano", elements=["O", "C", "H"], bound=0.001, bounds={"velocities": 0.5}) as writer:
        writer.write(positions=X / 10, ids=range(1, 5), types=[3, 3, 1, 2], velocities=X, box=[1, 1, 1])
    return path


def test_types_units_and_bounds_are_those_of_the_file(path):
    ase.io.write(path, molecule(), append=True)
    with gpz.open(path) as file:
        assert file.units == "nano" and file[1].types.tolist() == [3, 3, 1, 2]
        assert file[1].position_bound == 0.001 and file[1].bounds["vx"] == 0.5
        assert np.abs(file[1].positions - X / 10).max() <= 0.001
    for atoms in ase.io.read(path, ":"):
        assert str(atoms.symbols) == "H2OC" and np.abs(atoms.positions - X).max() <= 0.01 * (1 + 1e-9)


def test_what_is_given_as_in_the_file_is_taken(path):
    """The bound in Angstrom."""
    ase.io.write(path, molecule(), append=True, units="nano", bound=0.01, specorder=["O", "C", "H"])
    assert gpz.open(path)[1].position_bound == 0.001


def test_elements_of_type_labels(tmp_path):
    path = tmp_path / "labels.gpz"
    with gpz.Writer(path, units="metal", type_labels=["C", "H", "O"], bound=0.001) as writer:
        writer.write(positions=X, ids=range(1, 5), types=[2, 2, 3, 1])
    ase.io.write(path, molecule(), append=True)
    assert gpz.open(path)[1].types.tolist() == [2, 2, 3, 1]


def test_two_types_of_one_element(tmp_path):
    """The array "type" says which, in a new file and in one that is continued."""
    atoms = molecule()
    atoms.set_array("type", np.array([1, 3, 4, 2]))
    ase.io.write(tmp_path / "out.gpz", atoms)
    ase.io.write(tmp_path / "out.gpz", atoms, append=True)
    with gpz.open(tmp_path / "out.gpz") as file:
        assert file.elements == ["H", "C", "H", "O"]
        assert [frame.types.tolist() for frame in file] == [[1, 3, 4, 2]] * 2
    atoms.set_array("type", np.array([2, 3, 4, 1]))  # not as in the file: the elements count
    ase.io.write(tmp_path / "out.gpz", atoms, append=True)
    assert gpz.open(tmp_path / "out.gpz")[2].types.tolist() == [1, 1, 4, 2]


def test_a_file_without_names_takes_the_array_type(tmp_path):
    path = tmp_path / "numbers.gpz"
    with gpz.Writer(path, units="metal", bound=0.001) as writer:
        writer.write(positions=X, ids=range(1, 5), types=[2, 2, 3, 1])
    atoms = ase.io.read(path)
    ase.io.write(path, atoms, append=True)
    assert gpz.open(path)[1].types.tolist() == [2, 2, 3, 1]


def test_atoms_without_ids_behind_others(path):
    with gpz.Writer(path, append=True) as writer:
        writer.write(positions=X / 10, ids=[7, 5, 9, 3], types=[3, 3, 1, 2])
    before = path.read_bytes()
    with pytest.raises(gpz.ArgumentError, match='file.gpz: append: .* no array "id"'):
        ase.io.write(path, molecule(), append=True)
    assert path.read_bytes() == before
    atoms = ase.io.read(path)
    ase.io.write(path, atoms, append=True)
    with gpz.open(path) as file:
        np.testing.assert_array_equal(file[2].ids, file[1].ids)


def test_a_refused_element_leaves_no_file(tmp_path):
    with pytest.raises(gpz.ArgumentError, match="C is not among the elements H O"):
        ase.io.write(tmp_path / "new.gpz", [molecule("H4"), molecule()], specorder=["H", "O"])
    assert not (tmp_path / "new.gpz").exists()


def test_columns_with_names_of_arrays(tmp_path):
    """Of a file whose column "numbers" has nothing to do with atomic numbers, and which has no vy and vz."""
    path = tmp_path / "names.gpz"
    with gpz.Writer(path, units="metal", elements=["C"]) as writer:
        writer.write(positions=X, ids=range(4), types=[1] * 4, numbers=[5, 6, 7, 8], vx=X[:, 0])
    atoms = ase.io.read(path)
    assert str(atoms.symbols) == "C4" and atoms.arrays["numbers_"].tolist() == [5, 6, 7, 8]
    ase.io.write(tmp_path / "again.gpz", atoms)
    np.testing.assert_array_equal(gpz.open(tmp_path / "again.gpz")[0]["vx"], X[:, 0])


def test_no_atoms(tmp_path):
    ase.io.write(tmp_path / "none.gpz", ase.Atoms())
    assert len(ase.io.read(tmp_path / "none.gpz")) == 0
