# SPDX-License-Identifier: BSD-3-Clause
"""Whatever MDAnalysis opens becomes a .gpz file."""

import gzip
import os
import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from cut_inputs import ATOMS, mdcrd, trz, universe

import gpz
import gpz.mdanalysis
from gpz.convert import convert

NAMES = ["Zn", "O"] * 6


@pytest.fixture(scope="module")
def atoms():
    """12 atoms with names, elements and a box."""
    made = mda.Universe.empty(12, n_residues=2, atom_resindex=[0] * 6 + [1] * 6, trajectory=True)
    for name, values in {"names": NAMES, "types": NAMES, "elements": NAMES, "resnames": ["A", "B"]}.items():
        made.add_TopologyAttr(name, values)
    made.atoms.positions = np.random.default_rng(2).random((12, 3)) * 20
    made.dimensions = [20, 21, 22, 90, 90, 90]
    return made.atoms


def write(atoms, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        atoms.write(str(path))


@pytest.mark.parametrize(("ending", "digits"), [("gro", 0.005), ("pdb", 0.0005), ("crd", 0.000005)])
def test_structures(atoms, tmp_path, ending, digits):
    write(atoms, tmp_path / f"a.{ending}")
    convert(tmp_path / f"a.{ending}", tmp_path / "a.gpz", bound=0)
    with gpz.open(tmp_path / "a.gpz") as made:
        assert len(made) == 1
        assert np.abs(made[0].positions - atoms.positions).max() <= digits + 1e-5
        if ending in ("gro", "pdb"):
            assert np.diag(made[0].box.matrix) == pytest.approx([20, 21, 22], abs=1e-4)


def test_types_of_a_pdb_can_be_selected(atoms, tmp_path):
    write(atoms, tmp_path / "a.pdb")
    convert(tmp_path / "a.pdb", tmp_path / "a.gpz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = mda.Universe(str(tmp_path / "a.gpz"))
    # As MDAnalysis has them after it has read the PDB itself.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        types = mda.Universe(str(tmp_path / "a.pdb")).atoms.types
    assert again.atoms.types.tolist() == types.tolist()
    assert again.select_atoms(f"type {types[0]}").indices.tolist() == list(range(0, 12, 2))
    assert again.atoms.elements.tolist() == NAMES


def test_a_compressed_file(atoms, tmp_path):
    write(atoms, tmp_path / "a.pdb")
    (tmp_path / "b.pdb.gz").write_bytes(gzip.compress((tmp_path / "a.pdb").read_bytes()))
    for name in ("a.pdb", "b.pdb.gz"):
        convert(tmp_path / name, tmp_path / f"{name}.gpz")
    assert (tmp_path / "a.pdb.gpz").read_bytes() == (tmp_path / "b.pdb.gz.gpz").read_bytes()


@pytest.mark.parametrize(("name", "make"), [("a.mdcrd", mdcrd), ("a.trz", trz)])
def test_files_that_do_not_say_how_many_atoms_they_have(tmp_path, name, make):
    make(tmp_path / name, 3)
    with pytest.raises(gpz.ArgumentError, match=f"{name}: .*how many atoms.*topology"):
        convert(tmp_path / name, tmp_path / "a.gpz")
    write(universe().atoms, tmp_path / "atoms.gro")
    convert(tmp_path / name, tmp_path / "a.gpz", topology=tmp_path / "atoms.gro")
    with gpz.open(tmp_path / "a.gpz") as made:
        assert (len(made), made[0].n_particles) == (3, ATOMS)
    write(universe().atoms[:-1], tmp_path / "fewer.gro")
    with pytest.raises(gpz.CorruptError, match=f"{name}: .*{ATOMS - 1} atoms"):
        convert(tmp_path / name, tmp_path / "b.gpz", topology=tmp_path / "fewer.gro")


def test_a_topology_leaves_no_files(tmp_path):
    with gpz.Writer(tmp_path / "run.gpz") as writer:
        writer.write(positions=np.ones((12, 3)), ids=np.arange(1, 13), box=[5, 5, 5])
    convert(tmp_path / "run.gpz", tmp_path / "run.xtc")
    convert(tmp_path / "run.xtc", tmp_path / "a.gpz", topology=tmp_path / "run.xtc")
    assert sorted(os.listdir(tmp_path)) == ["a.gpz", "run.gpz", "run.xtc"]


def test_types_of_a_gpz_topology_keep_their_numbers(tmp_path):
    with gpz.Writer(tmp_path / "run.gpz", type_labels=["Zn", "O"], elements=["Zn", "O"]) as writer:
        writer.write(positions=np.ones((4, 3)), ids=np.arange(1, 5), types=[1, 2, 2, 1], box=[5, 5, 5])
    convert(tmp_path / "run.gpz", tmp_path / "run.dcd")
    convert(tmp_path / "run.dcd", tmp_path / "a.gpz", topology=tmp_path / "run.gpz")
    with gpz.open(tmp_path / "a.gpz") as made:
        assert (made[0].types.tolist(), made.type_labels, made.elements) == ([1, 2, 2, 1], ["Zn", "O"], ["Zn", "O"])


def test_text_that_may_have_been_cut_is_named(atoms, tmp_path):
    write(atoms, tmp_path / "a.pdb")
    assert not any("END" in note for note in convert(tmp_path / "a.pdb", tmp_path / "a.gpz"))
    lines = (tmp_path / "a.pdb").read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("END")][:-3]
    (tmp_path / "cut.pdb").write_text("".join(kept))
    assert any("does not end with END" in note for note in convert(tmp_path / "cut.pdb", tmp_path / "a.gpz"))
    write(atoms, tmp_path / "a.gro")
    text = (tmp_path / "a.gro").read_text()
    (tmp_path / "cut.gro").write_text(text.rstrip("\n")[:-1])
    assert any("no line break" in note for note in convert(tmp_path / "cut.gro", tmp_path / "a.gpz"))
