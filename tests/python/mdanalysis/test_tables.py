# SPDX-License-Identifier: BSD-3-Clause
"""Topologies from tables of .gpz files and back, and observables as ts.data."""

import os
import threading
import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysis.exceptions import NoDataError
from MDAnalysisTests.datafiles import DCD, PSF

import gpz
import gpz.mdanalysis
from gpz.mdanalysis.units import units_of

# Two molecules of water and an ion, with gaps in the ids; the file has them in another order.
IDS = np.array([2, 3, 5, 10, 11, 12, 20])
TYPES = np.array([1, 2, 2, 1, 2, 2, 3])
X = np.random.default_rng(5).uniform(0, 9, (7, 3))
MASSES = {1: 15.999, 2: 1.008, 3: 22.99}
ATOMS = gpz.Table(
    {
        "id": [20, 12, 11, 10, 5, 3, 2, 99],
        "q": [1, 0.41, 0.41, -0.82, 0.41, 0.41, -0.82, 7],
        "name": ["NA", "H2", "H1", "OW", "H2", "H1", "OW", "gone"],
        "resname": ["ION", "SOL", "SOL", "SOL", "SOL", "SOL", "SOL", ""],
        "resid": [8, 7, 7, 7, 4, 4, 4, 0],
        "chain": ["B", "A", "A", "A", "A", "A", "A", ""],
    }
)
TABLES = {
    "atoms": ATOMS,
    "types": {"type": [3, 2, 1], "mass": [MASSES[3], MASSES[2], MASSES[1]], "label": ["Na", "H", "O"]},
    "bonds": {"type": [1, 1, 1, 1, 1], "atom1": [2, 2, 10, 10, 99], "atom2": [3, 5, 11, 12, 20]},
    "angles": {"type": ["bent", "bent"], "atom1": [3, 11], "atom2": [2, 10], "atom3": [5, 12]},
    "dihedrals": {name: [] for name in ("type", "atom1", "atom2", "atom3", "atom4")},
}


def written(path, tables=TABLES, frames=2, units="real", **options):
    shuffled = np.random.default_rng(1).permutation(len(IDS))
    with gpz.Writer(path, units=units, **options) as writer:
        writer.write_tables(tables)
        for k in range(frames):
            columns = {"positions": X[shuffled], "ids": IDS[shuffled], "types": TYPES[shuffled]}
            observables = {"Temp": (300.0 + k, "K"), "PotEng": -1.5 * k} if k != 1 else {}
            writer.write(**columns, box=[9, 9, 9], timestep=10 * k, time=float(k), observables=observables)
    return str(path)


def quiet(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # masses that are guessed
        return mda.Universe(*arguments, **options)


def pairs(group):
    return sorted(tuple(row) for row in group.to_indices().tolist())


def test_a_topology_from_tables(tmp_path):
    atoms = mda.Universe(written(tmp_path / "a.gpz")).atoms
    assert atoms.ids.tolist() == IDS.tolist()
    assert atoms.names.tolist() == ["OW", "H1", "H2", "OW", "H1", "H2", "NA"]
    assert atoms.types.tolist() == ["O", "H", "H", "O", "H", "H", "Na"]
    assert np.array_equal(atoms.masses, [MASSES[t] for t in TYPES])
    assert np.array_equal(atoms.charges, [-0.82, 0.41, 0.41, -0.82, 0.41, 0.41, 1])
    assert atoms.resids.tolist() == [4, 4, 4, 7, 7, 7, 8] and atoms.residues.resids.tolist() == [4, 7, 8]
    assert atoms.residues.resnames.tolist() == ["SOL", "SOL", "ION"]
    assert atoms.segments.segids.tolist() == ["A", "B"] and atoms.segids.tolist() == ["A"] * 6 + ["B"]
    assert atoms.chainIDs.tolist() == ["A"] * 6 + ["B"]
    assert pairs(atoms.bonds) == [(0, 1), (0, 2), (3, 4), (3, 5)]  # not that to 99, which is no atom
    assert pairs(atoms.angles) == [(1, 0, 2), (4, 3, 5)]
    assert {bond.type for bond in atoms.bonds} == {"1"} and {angle.type for angle in atoms.angles} == {"bent"}
    assert len(atoms.dihedrals) == 0
    assert [len(fragment) for fragment in atoms.fragments] == [3, 3, 1]
    with pytest.raises(NoDataError):
        _ = atoms.impropers
    assert atoms.select_atoms("resname ION and chainID B and name NA").ids.tolist() == [20]


def test_a_file_without_tables_is_read_as_before(tmp_path):
    atoms = quiet(written(tmp_path / "a.gpz", {}, elements=["O", "H", "Na"])).atoms
    assert atoms.names.tolist() == atoms.elements.tolist() == ["O", "H", "H", "O", "H", "H", "Na"]
    assert atoms.resids.tolist() == [1] * 7 and atoms.segids.tolist() == ["SYSTEM"] * 7
    for name in ("bonds", "angles", "charges", "resnames", "chainIDs"):
        assert not hasattr(atoms, name)


def test_columns_of_frames_come_first(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="metal") as writer:
        writer.write_tables(
            {"atoms": {"id": IDS, "q": np.ones(7), "mass": np.ones(7), "mol": np.ones(7, int), "type": TYPES}}
        )
        writer.write(positions=X, ids=IDS, q=np.arange(7.0), mass=np.arange(7) + 2.0, mol=np.arange(7))
    atoms = mda.Universe(tmp_path / "a.gpz").atoms
    assert atoms.charges.tolist() == list(range(7)) and atoms.masses.tolist() == [k + 2 for k in range(7)]
    assert atoms.resids.tolist() == list(range(7)) and atoms.types.tolist() == [str(t) for t in TYPES]


def test_tables_are_in_units_of_the_file(tmp_path):
    path = written(tmp_path / "a.gpz", {"atoms": {"id": IDS, "q": np.ones(7), "mass": np.ones(7)}}, units="micro")
    atoms = mda.Universe(path).atoms
    assert np.allclose(atoms.charges, units_of("micro").charge, rtol=1e-12)
    assert np.allclose(atoms.masses, units_of("micro").mass, rtol=1e-12)


def test_atoms_of_which_the_tables_say_nothing(tmp_path):
    path = written(
        tmp_path / "a.gpz",
        {"atoms": {"id": [2, 10], "mass": [16.0, 17], "name": ["O1", "O2"]}},
        elements=["O", "H", "Na"],
    )
    atoms = quiet(path).atoms
    assert atoms.names.tolist() == ["O1", "H", "H", "O2", "H", "H", "Na"]
    assert np.allclose(atoms.masses, [16, 1.008, 1.008, 17, 1.008, 1.008, 22.989769])
    with pytest.warns(UserWarning, match="no masses of 5 atoms"):
        atoms = mda.Universe(written(tmp_path / "b.gpz", {"atoms": {"id": [2, 10], "mass": [16.0, 17]}})).atoms
    assert atoms.masses.tolist() == [16, 1, 1, 17, 1, 1, 1]


def test_columns_of_other_kinds_are_ignored(tmp_path):
    tables = {
        "atoms": {"id": IDS, "q": ["a"] * 7, "mass": ["b"] * 7, "resid": np.ones(7), "name": IDS},
        "bonds": {"atom1": [2]},
    }
    atoms = quiet(written(tmp_path / "a.gpz", tables, elements=["O", "H", "Na"])).atoms
    assert atoms.names.tolist() == ["O", "H", "H", "O", "H", "H", "Na"]
    assert not hasattr(atoms, "charges") and not hasattr(atoms, "bonds") and set(atoms.resids) == {1}


def test_without_ids_nothing_says_which_atom_a_row_is(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="real", order="place") as writer:
        writer.write_tables(TABLES)
        writer.write(positions=X, types=TYPES)
    atoms = quiet(tmp_path / "a.gpz").atoms
    assert not hasattr(atoms, "bonds") and not hasattr(atoms, "charges")
    assert sorted(atoms.masses) == sorted(MASSES[t] for t in TYPES)


def test_the_topology_is_that_of_the_first_frame(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="real") as writer:
        for bond in ([2, 3], [3, 5]):
            writer.write_tables({"bonds": {"atom1": bond[:1], "atom2": bond[1:]}})
            writer.write(positions=X, ids=IDS)
    universe = quiet(tmp_path / "a.gpz")
    universe.trajectory[1]
    assert pairs(universe.atoms.bonds) == [(0, 1)]


def test_damaged_tables_leave_frames_and_topology(tmp_path):
    path = written(
        tmp_path / "a.gpz", {"atoms": gpz.Table(dict(ATOMS), units={"q": "charge unit"}), "bonds": TABLES["bonds"]}
    )
    data = bytearray((tmp_path / "a.gpz").read_bytes())
    data[data.index(b"charge unit")] ^= 1
    (tmp_path / "a.gpz").write_bytes(data)
    with pytest.warns(UserWarning, match="bonds and other tables cannot be read"):
        universe = mda.Universe(path)
    assert not hasattr(universe.atoms, "bonds") and len(universe.trajectory) == 2
    with pytest.warns(UserWarning, match="observables of frames cannot be read"):
        assert np.abs(universe.trajectory[0].positions - X).max() < 1e-3
    assert "Temp" not in universe.trajectory.ts.data


# --- Writing ---


def same_topology(a, b, attributes):
    for name in attributes:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for name in ("bonds", "angles", "dihedrals", "impropers"):
        assert hasattr(a, name) == hasattr(b, name)
        if hasattr(a, name):
            assert pairs(getattr(a, name)) == pairs(getattr(b, name))


def test_a_protein_comes_back(tmp_path):
    universe = mda.Universe(PSF, DCD)
    part = universe.select_atoms("resid 10:40")
    part.write(str(tmp_path / "a.gpz"), frames=universe.trajectory[:2])
    copy = mda.Universe(tmp_path / "a.gpz").atoms
    attributes = ("names", "resnames", "resids", "segids", "types", "charges", "masses")
    for name in attributes:
        assert np.array_equal(getattr(part, name), getattr(copy, name)), name
    assert copy.n_residues == part.n_residues and copy.n_segments == 1 and copy.segids[0] == "4AKE"
    assert copy.select_atoms("protein and name CA").n_atoms == 31
    # The bonds and the like between them, and not those to other atoms.
    where = {index: k for k, index in enumerate(part.ix)}
    for name in ("bonds", "angles", "dihedrals", "impropers"):
        rows = getattr(part, name).to_indices().tolist()
        inside = [tuple(where[k] for k in row) for row in rows if all(k in where for k in row)]
        assert len(inside) > 10 and len(rows) > len(inside)
        assert pairs(getattr(copy, name)) == sorted(inside), name
    # And once more, from the file.
    copy.write(str(tmp_path / "b.gpz"))
    same_topology(copy, mda.Universe(tmp_path / "b.gpz").atoms, attributes)


def test_what_a_gpz_file_has_comes_back(tmp_path):
    path = written(tmp_path / "a.gpz", TABLES | {"provenance": {"name": ["program"], "value": ["LAMMPS"]}})
    universe = mda.Universe(path)
    universe.atoms.write(str(tmp_path / "b.gpz"), frames="all")
    same_topology(
        universe.atoms,
        mda.Universe(tmp_path / "b.gpz").atoms,
        ("ids", "names", "resnames", "resids", "segids", "chainIDs", "charges", "masses", "types"),
    )
    with gpz.open(path) as a, gpz.open(tmp_path / "b.gpz") as b:
        assert b.tables()["bonds"]["type"].dtype == np.int64 and b.tables()["angles"]["type"].tolist() == ["bent"] * 2
        assert sorted(b.tables()["bonds"]["atom2"].tolist()) == [3, 5, 11, 12]
        assert b.tables()["provenance"]["value"].tolist() == ["LAMMPS"]
        for k in range(2):
            assert a[k].observables == b[k].observables and a[k].observables.units == b[k].observables.units
    # A file that is continued has them already.
    universe.atoms.write(str(tmp_path / "b.gpz"), append=True)
    with gpz.open(tmp_path / "b.gpz") as b:
        assert len(b) == 3 and len(b.tables(2)["bonds"]["type"]) == 4
    assert (tmp_path / "b.gpz").read_bytes().count(b"dihedrals") == 1


def test_no_tables_where_nothing_is_known(tmp_path):
    universe = mda.Universe.empty(3, trajectory=True)
    universe.atoms.write(str(tmp_path / "a.gpz"))
    with gpz.open(tmp_path / "a.gpz") as trajectory:
        assert trajectory.tables() == {} and trajectory.table_frames.tolist() == []


# --- Observables ---


def test_observables_are_data_of_timesteps(tmp_path):
    universe = mda.Universe(written(tmp_path / "a.gpz", frames=3))
    found = [(ts.data.get("Temp"), ts.data.get("PotEng")) for ts in universe.trajectory]
    assert found == [(300.0, 0.0), (None, None), (302.0, -3.0)]
    assert universe.trajectory[2].data["Temp"] == 302 and universe.copy().trajectory[0].data["Temp"] == 300
    assert universe.trajectory[2].data["step"] == 20


def test_floats_of_timesteps_are_written(tmp_path):
    universe = mda.Universe.empty(3, trajectory=True)
    universe.trajectory.ts.data.update(Temp=1.5, n=3, x=np.float32(0.5), array=np.ones(3), text="t", time=7.0)
    with mda.Writer(str(tmp_path / "a.gpz"), 3) as writer:
        writer.write(universe.atoms)
    with gpz.open(tmp_path / "a.gpz") as trajectory:
        assert trajectory[0].observables == {"Temp": 1.5, "x": 0.5} and trajectory[0].time == 7


def test_energies_of_some_atoms(tmp_path):
    """A group is written with the number of atoms of its universe, and has no energy. Energies per atom are multiplied."""
    with gpz.Writer(tmp_path / "a.gpz", units="real") as writer:
        for k, unit in enumerate(("kcal/mol", "kcal/mol/atom")):
            writer.write(positions=np.eye(3) + 1, ids=[1, 2, 3], timestep=k, observables={"PotEng": (-2.0, unit), "Temp": 300.0})
    universe = mda.Universe(tmp_path / "a.gpz")
    assert [ts.data["PotEng"] for ts in universe.trajectory] == [-2, -6]
    universe.atoms.write(str(tmp_path / "b.gpz"), frames="all")
    universe.atoms[:2].write(str(tmp_path / "c.gpz"), frames="all")
    with gpz.open(tmp_path / "b.gpz") as whole, gpz.open(tmp_path / "c.gpz") as some:
        assert [frame.observables for frame in whole] == [{"PotEng": e, "Temp": 300} for e in (-2, -6)]
        assert [frame.observables for frame in some] == [{"PotEng": e, "Temp": 300, "Atoms": 3} for e in (-2, -6)]
        assert {frame.observables.units["PotEng"] for frame in (*whole, *some)} == {"kcal/mol"}
    with pytest.warns(UserWarning, match="c.gpz: PotEng of 3 atoms is left out, because frames have 2"):
        data = mda.Universe(tmp_path / "c.gpz").trajectory[1].data
    assert "PotEng" not in data and (data["Temp"], data["Atoms"]) == (300, 3)


def test_observables_in_other_units_are_not_written(tmp_path):
    universe = mda.Universe(written(tmp_path / "a.gpz"))
    universe.trajectory.ts.data["mine"] = 2.0
    with pytest.warns(UserWarning, match="are in other units"):
        universe.atoms.write(str(tmp_path / "b.gpz"), lammps_units="metal")
    with gpz.open(tmp_path / "b.gpz") as trajectory:
        assert trajectory[0].observables == {"mine": 2.0}


@pytest.mark.skipif(not hasattr(gpz.mdanalysis, "GPZStreamReader"), reason="MDAnalysis before 2.10")
def test_a_pipe(tmp_path):
    path = written(tmp_path / "a.gpz", frames=3)
    reading, writing = os.pipe()

    def feed():
        with open(writing, "wb") as pipe, open(path, "rb") as file:
            pipe.write(file.read())

    feeder = threading.Thread(target=feed)
    feeder.start()
    universe = mda.Universe(path, reading, format=gpz.mdanalysis.GPZStreamReader)
    with mda.Writer(str(tmp_path / "b.gpz"), 7) as writer:
        for _ in universe.trajectory:
            writer.write(universe.atoms)
    feeder.join()
    os.close(reading)
    with gpz.open(tmp_path / "b.gpz") as trajectory:
        assert [frame.observables.get("Temp") for frame in trajectory] == [300, None, 302]


def test_a_topology_is_added_to_a_finished_file(tmp_path):
    """Of a PSF file to a file without tables; its frames keep their bytes."""
    path = tmp_path / "t.gpz"
    protein = mda.Universe(PSF, DCD)
    ids = 5 * np.arange(1, len(protein.atoms) + 1)
    with gpz.Writer(path, units="real") as writer:
        for ts in protein.trajectory[:2]:
            writer.write(positions=ts.positions[::-1].astype(float), ids=ids[::-1], timestep=ts.frame, time=ts.time)
    before, sizes = path.read_bytes(), gpz.open(path).sizes
    gpz.mdanalysis.annotate(path, PSF)
    after = path.read_bytes()
    assert after.startswith(before[: len(before) - 40 * 2 - 64]) and (gpz.open(path).sizes == sizes).all()
    atoms = mda.Universe(str(path)).atoms
    assert (atoms.names == protein.atoms.names).all() and (atoms.resids == protein.atoms.resids).all()
    assert (atoms.charges == protein.atoms.charges).all() and (atoms.masses == protein.atoms.masses).all()
    for kind in ("bonds", "angles", "dihedrals", "impropers"):
        theirs, ours = (getattr(group, kind).to_indices() for group in (protein.atoms, atoms))
        assert sorted(map(tuple, theirs)) == sorted(map(tuple, ours)), kind
    # What an earlier table says and this topology does not, stays.
    with gpz.Writer(path, append=True) as writer:
        writer.write_tables({"atoms": {"id": ids[::-1], "type": np.arange(len(ids))[::-1]}})
    gpz.mdanalysis.annotate(path, PSF)
    table = gpz.open(path).tables()["atoms"]
    assert (table["type"] == np.arange(len(ids))).all() and (table["name"] == protein.atoms.names).all()
    after = path.read_bytes()
    with pytest.raises(gpz.ArgumentError, match="the topology has 10 atoms, the first frame 3341"):
        gpz.mdanalysis.annotate(path, protein.atoms[:10])
    assert path.read_bytes() == after
