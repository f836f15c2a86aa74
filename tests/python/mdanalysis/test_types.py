# SPDX-License-Identifier: BSD-3-Clause
"""Types of atoms as they were written: what `select_atoms("type ...")` finds."""

import os
import subprocess
import warnings

import MDAnalysis as mda
import numpy as np
import pytest

import gpz
import gpz.mdanalysis
from gpz.mdanalysis.topology import names_of_types

POSITIONS = np.arange(12.0).reshape(4, 3)


def universe(types, **attributes):
    made = mda.Universe.empty(len(types), trajectory=True)
    for name, values in {"types": types, **attributes}.items():
        made.add_TopologyAttr(name, values)
    made.atoms.positions = POSITIONS
    made.dimensions = [20, 20, 20, 90, 90, 90]
    return made


def opened(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # masses that are guessed
        return mda.Universe(str(path))


def written(path, types, labels=None, elements=None):
    with gpz.Writer(path, units="metal", type_labels=labels, elements=elements) as writer:
        writer.write(positions=POSITIONS, ids=np.arange(1, 5), types=types, box=[20, 20, 20])


@pytest.mark.parametrize("names", [["Zn", "O", "Zn", "O"], ["2", "1", "2", "1"], ["OW", "7", "HW", "7"]])
def test_names_that_were_written_select(tmp_path, names):
    universe(names).atoms.write(str(tmp_path / "a.gpz"))
    atoms = opened(tmp_path / "a.gpz").atoms
    assert atoms.types.tolist() == names
    for name in set(names):
        assert atoms.select_atoms(f"type {name}").n_atoms == names.count(name)
    # And written once more.
    atoms.write(str(tmp_path / "b.gpz"))
    assert opened(tmp_path / "b.gpz").atoms.types.tolist() == names


def test_labels_keep_the_numbers_of_their_types(tmp_path):
    written(tmp_path / "a.gpz", [1, 2, 2, 1], labels=["Zn", "O", "Cu"])
    atoms = opened(tmp_path / "a.gpz").atoms
    assert atoms.types.tolist() == ["Zn", "O", "O", "Zn"]
    atoms.write(str(tmp_path / "b.gpz"))
    with gpz.open(tmp_path / "b.gpz") as copy:
        assert copy.type_labels == ["Zn", "O", "Cu"]
        assert copy[0].types.tolist() == [1, 2, 2, 1]
    with mda.Writer(str(tmp_path / "a.gpz"), n_atoms=4, append=True) as writer:
        writer.write(atoms)
    assert len(gpz.open(tmp_path / "a.gpz")) == 2


def test_labels_of_some_types_and_labels_that_are_not_unique(tmp_path):
    written(tmp_path / "a.gpz", [1, 2, 3, 1], labels=["Zn", "", ""])
    assert opened(tmp_path / "a.gpz").atoms.types.tolist() == ["Zn", "2", "3", "Zn"]
    written(tmp_path / "b.gpz", [1, 2, 3, 1], labels=["C", "C", "H"])
    assert opened(tmp_path / "b.gpz").atoms.types.tolist() == ["1", "2", "3", "1"]


def test_numbers_with_elements_stay_numbers(tmp_path):
    written(tmp_path / "a.gpz", [1, 2, 2, 1], elements=["Zn", "O"])
    atoms = opened(tmp_path / "a.gpz").atoms
    assert atoms.types.tolist() == ["1", "2", "2", "1"]
    assert atoms.select_atoms("element Zn").n_atoms == 2


def test_types_of_lammps_stay_numbers_where_it_dumped_numbers():
    labels, elements = ["Zn", "O"], ["Zn", "O"]
    assert names_of_types("type", labels, elements, of_lammps=True) == ()
    assert names_of_types("typelabel", labels, elements, of_lammps=True) == labels
    assert names_of_types("element", labels, elements, of_lammps=True) == elements
    assert names_of_types("element", labels, ["Zn", "O", "Zn"], of_lammps=True) == ()
    assert names_of_types(None, labels, elements, of_lammps=False) == ()


@pytest.mark.skipif("GPZ" not in os.environ, reason="needs the program gpz")
def test_species_of_xyz(tmp_path):
    rows = "".join(f"{name} {x} 0 0\n" for x, name in enumerate(("Zn", "O", "O", "Zn")))
    (tmp_path / "a.xyz").write_text(f"4\n\n{rows}")
    command = [os.environ["GPZ"], "encode", tmp_path / "a.xyz", "-o", tmp_path / "a.gpz", "--eb", "0.001"]
    subprocess.run(command, check=True, capture_output=True)
    atoms = opened(tmp_path / "a.gpz").atoms
    assert atoms.select_atoms("type Zn").positions[:, 0] == pytest.approx([0, 3], abs=0.001)
    atoms.write(str(tmp_path / "b.gpz"))
    assert gpz.open(tmp_path / "b.gpz")[0].types.tolist() == [1, 2, 2, 1]


def test_elements_from_masses(tmp_path):
    """Where the file names none. Units that are not grams/mole are converted."""
    for units, unit in (("real", 1.0), ("si", 1.66053906660e-27), ("lj", None)):
        path = tmp_path / f"{units}.gpz"
        with gpz.Writer(path, units=units, elements=["", "", "Zn"] if units == "real" else None) as writer:
            masses = np.array([15.9994, 1.0, 1.008, 1e-3]) * (unit or 1.0)
            writer.write_tables({"types": {"type": [1, 2, 3, 4][: 3 if units == "real" else 4], "mass": masses[: 3 if units == "real" else 4]}})
            writer.write(positions=POSITIONS, ids=np.arange(1, 5), types=[1, 2, 3, 3 if units == "real" else 4], box=[20, 20, 20])
        atoms = opened(path).atoms
        if unit is None:
            assert not hasattr(atoms, "elements")
        else:
            assert atoms.elements.tolist() == (["O", "H", "Zn", "Zn"] if units == "real" else ["O", "H", "H", ""])
            assert atoms.masses[:2] == pytest.approx([15.9994, 1.0], rel=1e-6)
    with gpz.Writer(tmp_path / "beads.gpz", units="real") as writer:
        writer.write(positions=POSITIONS, ids=np.arange(1, 5), types=[1, 1, 2, 2], box=[20, 20, 20], mass=np.array([72.0, 72.0, 45.0, 45.0]))
    assert not hasattr(opened(tmp_path / "beads.gpz").atoms, "elements")


def test_a_file_without_types_warns_of_its_masses_only(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="metal") as writer:
        writer.write(positions=POSITIONS, ids=np.arange(1, 5), box=[20, 20, 20])
    with pytest.warns(UserWarning) as caught:
        atoms = mda.Universe(str(tmp_path / "a.gpz")).atoms
    assert [str(warning.message) for warning in caught] == [
        f"{tmp_path / 'a.gpz'} has neither masses nor elements: all masses are 1"
    ]
    assert atoms.types.tolist() == ["1"] * 4
    atoms.write(str(tmp_path / "again.gpz"))
    assert "mass" not in gpz.open(tmp_path / "again.gpz")[0].columns
    with gpz.Writer(tmp_path / "b.gpz", units="metal") as writer:
        writer.write(positions=POSITIONS, ids=np.arange(1, 5), box=[20, 20, 20], mass=np.ones(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mda.Universe(str(tmp_path / "b.gpz"))


@pytest.mark.parametrize("cell", [[10, 11, 0], [0, 0, 12], [[5, 5, 0], [5, -5, 0], [0, 0, 0]]])
def test_edges_of_length_0(tmp_path, cell):
    """Slabs and wires, as ASE has them: MDAnalysis has no box of the last one."""
    matrix = np.diag(np.array(cell, float)) if np.ndim(cell) == 1 else np.array(cell, float)
    boundary = " ".join("pp" if edge.any() else "ff" for edge in matrix)
    with gpz.Writer(tmp_path / "a.gpz", units="metal", bound=0) as writer:
        writer.write(positions=POSITIONS, ids=np.arange(1, 5), types=[1, 1, 1, 1], box=gpz.Box.from_vectors(matrix, boundary=boundary))
    read = opened(tmp_path / "a.gpz")
    assert read.atoms.positions.tolist() == POSITIONS.tolist()
    if np.ndim(cell) > 1:
        assert read.dimensions is None
        return
    assert read.dimensions.tolist() == [*cell, 90, 90, 90]
    for made in read, universe(["1"] * 4):
        made.dimensions = [*cell, 90, 90, 90]
        made.atoms.write(str(tmp_path / "b.gpz"))
        box = gpz.open(tmp_path / "b.gpz")[0].box
        assert (box.matrix.tolist(), box.boundary) == (matrix.tolist(), boundary)
