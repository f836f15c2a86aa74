# SPDX-License-Identifier: BSD-3-Clause
"""mdtraj: trajectories and topologies from .gpz files of LAMMPS against the text dumps of the runs."""

import warnings

import gpz.mdtraj
import mdtraj
import numpy as np
import pytest
from comparison import SAME_ATOMS, positions, require_positions, require_within
from page import run_block
from runs import make

FLOAT32 = 2.0**-23  # relative, of a coordinate and of its conversion to nm


def nanometers(run):
    return 1.0 if run.units == "lj" else 0.1


@pytest.mark.parametrize("run", SAME_ATOMS, indirect=True)
def test_values(run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of two_dimensional; see test_partly_periodic
        loaded = gpz.mdtraj.load(run.gpz)
    require_positions(loaded.xyz, run, nanometers(run), relative=FLOAT32)
    picoseconds = {"lj": 1, "real": 1e-3, "metal": 1}[run.units]
    require_within(loaded.time, [frame["time"] * picoseconds for frame in run.frames], 0, relative=FLOAT32)
    if run.name != "two_dimensional":
        # mdtraj keeps lengths and angles, and makes vectors of them
        cells = np.array([frame["matrix"] for frame in run.frames]) * nanometers(run)
        require_within(loaded.unitcell_vectors, cells, 0, relative=4 * FLOAT32)
    assert [atom.serial for atom in loaded.topology.atoms] == list(run.frames[0]["columns"]["id"])


def test_topology_of_molecules():
    run = make("fields")
    topology, columns = gpz.mdtraj.topology(run.gpz), run.frames[0]["columns"]
    assert [atom.element.symbol for atom in topology.atoms] == list(columns["element"])
    assert [atom.name for atom in topology.atoms] == list(columns["element"])
    assert [atom.residue.resSeq for atom in topology.atoms] == list(columns["mol"])
    assert topology.n_residues == 216


def test_types_without_elements():
    run = make("melt")
    topology = gpz.mdtraj.topology(run.gpz)
    assert [atom.name for atom in topology.atoms] == [str(number) for number in run.frames[0]["columns"]["type"]]
    assert {atom.element.symbol for atom in topology.atoms} == {"VS"}


def test_rmsd_and_rdf():
    """mdtraj's own functions give what the text gives."""
    run = make("elements")
    loaded = gpz.mdtraj.load(run.gpz)
    exact = mdtraj.Trajectory(
        np.array([positions(frame) for frame in run.frames]) * 0.1,
        loaded.topology,
        unitcell_lengths=np.array([frame["lengths"] for frame in run.frames]) * 0.1,
        unitcell_angles=np.full((len(run.frames), 3), 90.0),
    )
    rmsd, expected = mdtraj.rmsd(loaded, loaded), mdtraj.rmsd(exact, exact)
    assert expected[-1] > 0.01, "nothing moved"
    # An error of a coordinate moves an atom by no more than sqrt(3) bounds, in both frames that are compared.
    require_within(rmsd, expected, 2 * np.sqrt(3) * run.case.bound * 0.1)
    pairs = loaded.topology.select_pairs("all", "all")
    (r, g), (_, exact_g) = (
        mdtraj.compute_rdf(each[-1], pairs, r_range=(0.0, 1.2), n_bins=60) for each in (loaded, exact)
    )
    assert 0.3 < r[g.argmax()] < 0.45, "the first peak of argon and krypton"
    require_within(g, exact_g, 0.05 * exact_g.max())


def test_parts_of_a_file():
    run = make("melt")
    steps = [frame["timestep"] for frame in run.frames]
    every = gpz.mdtraj.load(run.gpz, stride=4)
    assert list(np.rint(every.time / 0.005)) == steps[::4]
    assert list(np.rint(gpz.mdtraj.load(run.gpz, frame=-1).time / 0.005)) == steps[-1:]
    chosen = gpz.mdtraj.load(run.gpz, atom_indices=[0, 7, 499])
    assert [atom.serial for atom in chosen.topology.atoms] == [1, 8, 500]
    require_within(chosen.xyz[3], positions(run.frames[3])[[0, 7, 499]], run.case.bound, relative=FLOAT32)
    parts = list(gpz.mdtraj.iterload(run.gpz, chunk=4))
    assert [len(part) for part in parts] == [4, 4, 3]
    require_positions(np.concatenate([part.xyz for part in parts]), run, relative=FLOAT32)
    assert [len(part) for part in gpz.mdtraj.iterload(run.gpz, chunk=0)] == [11]
    with pytest.raises(ValueError, match="chunk=-1"):
        next(gpz.mdtraj.iterload(run.gpz, chunk=-1))


def test_no_such_frame(tmp_path):
    with pytest.raises(IndexError, match="no frame 11"):
        gpz.mdtraj.load(make("melt").gpz, frame=11)
    with gpz.Writer(tmp_path / "t.gpz", units="lj"):
        pass
    with pytest.raises(ValueError, match="no complete frame"):
        gpz.mdtraj.load(tmp_path / "t.gpz")


def test_mdtraj_load(tmp_path):
    """mdtraj.load reads .gpz with a topology from elsewhere."""
    run = make("fields")
    gpz.mdtraj.load(run.gpz, frame=0).save_pdb(tmp_path / "start.pdb")
    loaded = mdtraj.load(str(run.gpz), top=str(tmp_path / "start.pdb"))
    require_positions(loaded.xyz, run, 0.1, relative=FLOAT32)


def test_partly_periodic():
    with pytest.warns(UserWarning, match="periodic in some directions only"):
        loaded = gpz.mdtraj.load(make("two_dimensional").gpz)
    assert loaded.unitcell_vectors is None


def test_number_of_atoms_changes():
    with pytest.raises(ValueError, match=r"changes from \d+ to \d+.*ASE.*OVITO"):
        gpz.mdtraj.load(make("varying").gpz)
    one = gpz.mdtraj.load(make("varying").gpz, frame=2)
    assert one.n_atoms == len(make("varying").frames[2]["columns"]["id"])


def test_other_atoms(tmp_path):
    """As many as before, but others."""
    with gpz.Writer(tmp_path / "t.gpz", units="real") as writer:
        for ids in ([1, 2, 3], [1, 2, 4]):
            writer.write(positions=np.eye(3), ids=ids, box=[5, 5, 5])
    with pytest.raises(ValueError, match="timestep 1 have other ids than those of 0.*ASE"):
        gpz.mdtraj.load(tmp_path / "t.gpz")


@pytest.mark.parametrize(
    ("units", "nm", "ps"),
    [
        ("real", 0.1, 1e-3),
        ("metal", 0.1, 1.0),
        ("si", 1e9, 1e12),
        ("cgs", 1e7, 1e12),
        ("electron", 0.0529177210903, 1e-3),
        ("micro", 1e3, 1e6),
        ("nano", 1.0, 1e3),
        ("lj", 1.0, 1.0),
        ("", 1.0, 1.0),
    ],
)
def test_units(tmp_path, units, nm, ps):
    """The factors of LAMMPS's page on units."""
    with gpz.Writer(tmp_path / "t.gpz", units=units, bound=0) as writer:
        writer.write(positions=np.eye(3) * 2, box=[5, 5, 5], time=3.0)
    loaded = gpz.mdtraj.load(tmp_path / "t.gpz")
    assert loaded.xyz.max() == pytest.approx(2 * nm, rel=1e-6)
    assert loaded.unitcell_lengths.max() == pytest.approx(5 * nm, rel=1e-6)
    assert loaded.time[0] == pytest.approx(3 * ps, rel=1e-6)


def test_torn():
    run = make("torn")
    with pytest.warns(UserWarning, match="ends inside a frame.*10 complete frames"):
        loaded = gpz.mdtraj.load(run.gpz)
    require_positions(loaded.xyz, run, relative=FLOAT32)


def test_files_of_ranks(joined):
    run = make("percent")
    require_positions(gpz.mdtraj.load(joined).xyz, run, relative=FLOAT32)
    with pytest.raises(FileNotFoundError, match="a file for each rank.*gpz merge"):
        gpz.mdtraj.load(run.gpz)
    with pytest.raises(ValueError, match="changes|other ids"):
        gpz.mdtraj.load(run.parts[0])


def test_page(tmp_path, monkeypatch, capsys):
    run_block("mdtraj", tmp_path, monkeypatch)
    assert "6 frames, 648 atoms, 216 residues" in capsys.readouterr().out
