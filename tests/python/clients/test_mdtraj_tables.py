# SPDX-License-Identifier: BSD-3-Clause
"""Topologies of mdtraj from tables of .gpz files."""

import mdtraj
import numpy as np
import pytest
from mdtraj.core import element

import gpz
import gpz.mdtraj

IDS = np.array([2, 3, 5, 10, 11, 20])
X = np.random.default_rng(1).uniform(0, 9, (6, 3))
ATOMS = {
    "id": [20, 11, 10, 5, 3, 2, 99],
    "name": ["NA", "CA", "N", "H2", "H1", "OW", "gone"],
    "element": ["Na", "C", "N", "H", "H", "O", ""],
    "resname": ["ION", "ALA", "ALA", "HOH", "HOH", "HOH", ""],
    "resid": [1, 1, 1, 7, 7, 7, 0],
    "chain": ["B", "B", "B", "A", "A", "A", ""],
}
BONDS = {"type": [1, 1, 2, 3], "atom1": [2, 5, 10, 99], "atom2": [3, 2, 11, 20]}


def written(path, tables, **columns):
    with gpz.Writer(path, units="real") as writer:
        writer.write_tables(tables)
        for k in range(2):
            writer.write(positions=X, ids=IDS, box=[9, 9, 9], timestep=k, **columns)
    return path


def pairs(topology):
    return sorted((a.index, b.index) for a, b in topology.bonds)


def test_a_topology_from_tables(tmp_path):
    loaded = gpz.mdtraj.load(written(tmp_path / "a.gpz", {"atoms": ATOMS, "bonds": BONDS}))
    topology = loaded.topology
    assert [atom.name for atom in topology.atoms] == ["OW", "H1", "H2", "N", "CA", "NA"]
    assert [atom.element for atom in topology.atoms] == [
        element.get_by_symbol(symbol) for symbol in ("O", "H", "H", "N", "C", "Na")
    ]
    assert [(residue.name, residue.resSeq, residue.n_atoms) for residue in topology.residues] == [
        ("HOH", 7, 3),
        ("ALA", 1, 2),
        ("ION", 1, 1),
    ]
    assert [(chain.chain_id, chain.n_residues) for chain in topology.chains] == [("A", 1), ("B", 2)]
    assert pairs(topology) == [(0, 1), (0, 2), (3, 4)]
    assert [atom.serial for atom in topology.atoms] == IDS.tolist()
    assert topology.select("water").tolist() == [0, 1, 2] and topology.select("name CA").tolist() == [4]
    part = gpz.mdtraj.load(tmp_path / "a.gpz", atom_indices=[0, 2, 3])
    assert pairs(part.topology) == [(0, 1)]


def test_a_file_without_tables_is_read_as_before(tmp_path):
    topology = gpz.mdtraj.topology(written(tmp_path / "a.gpz", {}, types=[1, 1, 2, 2, 2, 3], mol=[4, 4, 4, 2, 2, 2]))
    assert [atom.name for atom in topology.atoms] == ["1", "1", "2", "2", "2", "3"]
    assert [residue.resSeq for residue in topology.residues] == [4, 2] and topology.n_chains == 1
    assert [atom.residue.resSeq for atom in topology.atoms] == [4, 4, 4, 2, 2, 2] and topology.n_bonds == 0


def test_molecules_whose_atoms_do_not_follow_each_other(tmp_path):
    """The order of atoms is that of the coordinates."""
    topology = gpz.mdtraj.topology(written(tmp_path / "a.gpz", {}, types=[1, 2, 3, 4, 5, 6], mol=[1, 2, 1, 2, 1, 1]))
    assert [atom.name for atom in topology.atoms] == ["1", "2", "3", "4", "5", "6"]
    assert [atom.index for atom in topology.atoms] == list(range(6))
    assert [residue.resSeq for residue in topology.residues] == [1, 2, 1, 2, 1]


def test_molecules_with_names(tmp_path):
    atoms = {name: ATOMS[name] for name in ("id", "resname")}
    topology = gpz.mdtraj.topology(written(tmp_path / "a.gpz", {"atoms": atoms}, mol=[4, 4, 4, 2, 2, 2]))
    assert [(residue.name, residue.resSeq) for residue in topology.residues][:2] == [("HOH", 4), ("ALA", 2)]


def test_a_protein_comes_back(tmp_path):
    """From mdtraj's own reader of PDB files, by way of the tables."""
    lines = [
        "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00           N",
        "ATOM      2  CA  ALA A   1      11.639   6.071  -5.147  1.00  0.00           C",
        "ATOM      3  C   ALA A   1      12.104   7.134  -4.504  1.00  0.00           C",
        "ATOM      4  O   ALA A   1      12.604   7.134  -3.504  1.00  0.00           O",
        "ATOM      5  N   GLY A   2      12.104   8.334  -5.004  1.00  0.00           N",
        "END",
    ]
    (tmp_path / "a.pdb").write_text("\n".join(lines) + "\n")
    original = mdtraj.load(tmp_path / "a.pdb")
    atoms = {
        "id": [atom.serial for atom in original.topology.atoms],
        "name": [atom.name for atom in original.topology.atoms],
        "element": [atom.element.symbol for atom in original.topology.atoms],
        "resname": [atom.residue.name for atom in original.topology.atoms],
        "resid": [atom.residue.resSeq for atom in original.topology.atoms],
        "chain": ["A"] * 5,
    }
    bonds = [(a.serial, b.serial) for a, b in original.topology.bonds]
    with gpz.Writer(tmp_path / "a.gpz", units="nano", bound=1e-5) as writer:
        writer.write_tables({"atoms": atoms, "bonds": dict(zip(("atom1", "atom2"), np.array(bonds).T))})
        writer.write(positions=original.xyz[0], ids=atoms["id"])
    assert gpz.mdtraj.topology(tmp_path / "a.gpz") == original.topology


def test_damaged_tables_leave_the_frames(tmp_path):
    path = written(tmp_path / "a.gpz", {"atoms": gpz.Table(ATOMS, units={"id": "a number"}), "bonds": BONDS})
    data = bytearray(path.read_bytes())
    data[data.index(b"a number")] ^= 1
    path.write_bytes(data)
    with pytest.warns(UserWarning, match="bonds and other tables cannot be read"):
        loaded = gpz.mdtraj.load(path)
    assert loaded.n_frames == 2 and loaded.topology.n_bonds == 0


def test_elements_from_masses(tmp_path):
    """Labels of force fields are no symbols; a mass of the frame comes before the table."""
    tables = {"types": {"type": [1, 2, 3], "mass": [15.9994, 1.0, 0.0], "label": ["OW", "HW", "C"]}}
    topology = gpz.mdtraj.topology(written(tmp_path / "a.gpz", tables, types=[1, 1, 2, 2, 3, 3]))
    assert [atom.name for atom in topology.atoms] == ["OW", "OW", "HW", "HW", "C", "C"]
    assert [atom.element.symbol for atom in topology.atoms] == ["O", "O", "H", "H", "C", "C"]
    topology = gpz.mdtraj.topology(written(tmp_path / "b.gpz", {}, types=[1] * 6, mass=np.array([12.0] * 5 + [1e-10])))
    assert [atom.element for atom in topology.atoms] == [element.carbon] * 5 + [element.virtual]
    topology = gpz.mdtraj.topology(written(tmp_path / "c.gpz", {}, types=[1] * 6, mass=np.array([12.0] * 5 + [72.0])))  # beads
    assert {atom.element for atom in topology.atoms} == {element.virtual}


def test_parts_of_a_file(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="metal", bound=0.0) as writer:
        for k in range(10):
            writer.write(positions=np.full((3, 3), float(k)), ids=[1, 2, 3], box=[20] * 3, timestep=k)
    topology = gpz.mdtraj.topology(tmp_path / "a.gpz")

    def places(parts):
        return [[round(10 * x) for x in part.xyz[:, 0, 0]] for part in parts]

    for skip, stride, chunk in ((3, None, 4), (0, 2, 2), (3, 3, 2), (0, None, 0), (10, None, 4), (12, 1, 4)):
        expected = list(range(10))[skip :: stride or 1]
        size = chunk or 10
        expected = [expected[k : k + size] for k in range(0, len(expected), size)]
        options = {"skip": skip, "stride": stride, "chunk": chunk}
        assert places(gpz.mdtraj.iterload(tmp_path / "a.gpz", **options)) == expected
        if chunk and stride:
            assert places(mdtraj.iterload(tmp_path / "a.gpz", top=topology, **options)) == expected
    assert places(mdtraj.iterload(tmp_path / "a.gpz", top=topology, chunk=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    parts = mdtraj.iterload(tmp_path / "a.gpz", top=topology, chunk=8, atom_indices=[0, 2])
    assert [part.xyz.shape for part in parts] == [(8, 2, 3), (2, 2, 3)]
    with pytest.raises(ValueError, match="-1"):
        next(gpz.mdtraj.iterload(tmp_path / "a.gpz", skip=-1))
    with mdtraj.open(tmp_path / "a.gpz") as file:
        file.seek(-2, 2)
        assert len(file) == 10 and file.tell() == 8 and len(file.read_as_traj(topology)) == 2 and file.tell() == 10
    with pytest.raises(ValueError, match="mode='w'"):
        mdtraj.open(tmp_path / "a.gpz", "w")
