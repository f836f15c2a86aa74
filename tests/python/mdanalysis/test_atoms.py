# SPDX-License-Identifier: BSD-3-Clause
"""A Universe of some of the atoms, as select_atoms finds them in the whole one."""

import pickle

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysis.analysis.rms import RMSD
from test_tables import IDS, X, pairs, quiet, written

import gpz
import gpz.mdanalysis


def test_what_select_atoms_finds(tmp_path):
    path = written(tmp_path / "a.gpz", frames=5, key_interval=2)
    whole = quiet(path)
    for words in ("resname SOL", "name OW", "type H", "resid 7", "chainID B", "id 2:5", "not all"):
        group = whole.select_atoms(words)
        if not len(group):
            continue
        part = quiet(path, atoms=group.ids)
        assert part.atoms.ids.tolist() == group.ids.tolist()
        for name in ("names", "types", "masses", "charges", "resids", "resnames", "segids", "chainIDs"):
            assert getattr(part.atoms, name).tolist() == getattr(group, name).tolist(), (words, name)
        merged = mda.Merge(group)
        assert pairs(part.bonds) == pairs(merged.bonds) and pairs(part.angles) == pairs(merged.angles)
        for ts, own in zip(whole.trajectory, part.trajectory):
            assert np.array_equal(part.atoms.positions, group.positions)
            assert (own.time, own.n_atoms, own.data["step"]) == (ts.time, len(group), ts.data["step"])
            assert own.dimensions.tolist() == ts.dimensions.tolist()
            assert own.data.get("Temp") == ts.data.get("Temp")


def test_functions_masks_and_dicts(tmp_path):
    path = written(tmp_path / "a.gpz")
    for atoms in (
        lambda frame: frame.types == 2,
        np.array([False, True, True, False, True, True, False]),
        {"types": ["2"]},
        {"types": 2, "ids": slice(3, None)},
    ):
        assert quiet(path, atoms=atoms).atoms.ids.tolist() == [3, 5, 11, 12]


def test_a_topology_from_elsewhere(tmp_path):
    path = written(tmp_path / "a.gpz", frames=3)
    water = quiet(path).select_atoms("resname SOL")
    part = mda.Merge(water).load_new(path, atoms=water.ids)
    assert part.trajectory.n_frames == 3
    part.trajectory[2]
    assert np.allclose(part.atoms.positions, X[:6], atol=0.002)
    with pytest.raises(ValueError):
        part.load_new(path, atoms=water.ids[1:])


def of_water(frame):
    return frame.types < 3


def test_pickled_copied_and_in_parallel(tmp_path):
    path = written(tmp_path / "a.gpz", frames=4)
    part = quiet(path, atoms=of_water)
    for again in (pickle.loads(pickle.dumps(part)), part.copy()):
        again.trajectory[3]
        assert again.atoms.ids.tolist() == IDS[:6].tolist()
        assert np.allclose(again.atoms.positions, X[:6], atol=0.002)
    one = RMSD(part.atoms).run().results.rmsd
    two = RMSD(part.atoms).run(backend="multiprocessing", n_workers=2).results.rmsd
    assert np.array_equal(one, two)


def test_written(tmp_path):
    path = written(tmp_path / "a.gpz", frames=3, bound=1e-3)
    part = quiet(path, atoms=IDS[:3])
    part.atoms.write(str(tmp_path / "b.gpz"), frames="all")
    with gpz.open(path, atoms=IDS[:3]) as source, gpz.open(tmp_path / "b.gpz") as made:
        assert made[2].position_bound == source[2].position_bound
        assert np.array_equal(made[2].positions, source[2].positions)
        assert made.tables()["bonds"]["atom2"].tolist() == [3, 5]


def test_other_atoms_are_refused(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="real") as writer:
        for k, ids in enumerate(([1, 2, 3, 4], [1, 2, 3], [2, 3, 4])):
            writer.write(positions=np.eye(len(ids), 3), ids=ids, box=[9, 9, 9], timestep=k)
    with pytest.raises(TypeError, match="frame 0 has 4 atoms, frame 1 has 3"):
        quiet(str(tmp_path / "a.gpz"))
    part = quiet(str(tmp_path / "a.gpz"), atoms=[2, 3])
    assert [ts.n_atoms for ts in part.trajectory] == [2, 2, 2]
    part = quiet(str(tmp_path / "a.gpz"), atoms=[1, 2, 3])
    part.trajectory[1]
    with pytest.raises(gpz.mdanalysis.FrameError, match=r"frame 2 has other atoms than frame 0 \(2 atoms, where frame 0 has 3\)"):
        part.trajectory[2]
    part = quiet(str(tmp_path / "a.gpz"), atoms=[1, 2])
    with pytest.raises(gpz.mdanalysis.FrameError, match=r"frame 2 has other atoms than frame 0 \(1 atoms, where frame 0 has 2\)"):
        part.trajectory[2]
