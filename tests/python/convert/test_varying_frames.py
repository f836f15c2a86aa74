# SPDX-License-Identifier: BSD-3-Clause
"""Frames that have other vectors than the first one, and timesteps that a format cannot hold."""

import h5py
import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysis.lib.formats.libmdaxdr import TRRFile

import gpz
from gpz._box import spanned_by
from gpz.convert import convert
from gpz.convert.comparison import compare
from gpz.programs import convert as command

pytestmark = pytest.mark.filterwarnings("ignore")  # of MDAnalysis

N = 3
RANDOM = np.random.default_rng(0)
X = (RANDOM.random((4, N, 3)) * 3).astype("f4")  # nm
V = RANDOM.normal(0, 1, (4, N, 3)).astype("f4")


def trr(path, with_positions, with_velocities):
    """Frames of TRR at the steps 0, 10, 20, 30."""
    with TRRFile(str(path), "w") as file:
        for k, (has_x, has_v) in enumerate(zip(with_positions, with_velocities)):
            file.write(X[k] if has_x else None, V[k] if has_v else None, None, 3 * np.eye(3, dtype="f4"), 10 * k, 0.1 * k, 0.0, N)
    return path


@pytest.mark.parametrize("has", [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 1]])
def test_velocities_in_some_frames(tmp_path, has):
    source = trr(tmp_path / "in.trr", [1] * 4, has)
    convert(source, tmp_path / "out.gpz", bound=0.0)
    convert(tmp_path / "out.gpz", tmp_path / "again.trr")
    with gpz.open(tmp_path / "out.gpz") as file:
        assert file.timesteps.tolist() == [0, 10, 20, 30]
        for k, frame in enumerate(file):
            assert np.allclose(frame.positions, 10 * X[k])
            assert (frame.velocities is not None) == bool(has[k])
            assert not has[k] or np.allclose(frame.velocities, 10 * V[k])
    for universe in (mda.Universe(str(tmp_path / "out.gpz")), mda.Universe.empty(N, trajectory=True).load_new(str(tmp_path / "again.trr"))):
        assert [ts.has_velocities for ts in universe.trajectory] == [bool(one) for one in has]
        for k in (3, 0, 2):  # in any order
            ts = universe.trajectory[k]
            assert np.allclose(ts.positions, 10 * X[k]) and (not has[k] or np.allclose(ts.velocities, 10 * V[k]))
    assert compare(source, tmp_path / "out.gpz").frames == 4


def test_bounds_of_velocities_that_the_first_frame_does_not_have(tmp_path):
    source = trr(tmp_path / "in.trr", [1] * 4, [0, 1, 0, 1])
    convert(source, tmp_path / "out.gpz", bounds={"velocities": 0.01})
    with gpz.open(tmp_path / "out.gpz") as file:
        assert [frame.bounds.get("vx") for frame in file] == [None, 0.01, None, 0.01]
        assert np.abs(file[3].velocities - 10 * V[3]).max() <= 0.01 + 1e-6
    with pytest.raises(gpz.ArgumentError, match="the file has no velocities"):
        convert(trr(tmp_path / "none.trr", [1] * 4, [0] * 4), tmp_path / "no.gpz", bounds={"velocities": 0.01})
    assert not (tmp_path / "no.gpz").exists()


def test_velocities_of_some_frames_where_the_format_has_them_in_all(tmp_path):
    convert(trr(tmp_path / "in.trr", [1] * 4, [1, 0, 1, 0]), tmp_path / "a.gpz")
    for ending in ("nc", "h5md"):
        notes = convert(tmp_path / "a.gpz", tmp_path / f"out.{ending}")
        assert any(note.startswith("velocities of 2 of 4 frames") for note in notes)
        assert not mda.coordinates.core.reader(str(tmp_path / f"out.{ending}")).ts.has_velocities


def test_frames_without_positions(tmp_path, capsys):
    source = trr(tmp_path / "in.trr", [1, 0, 1, 0], [1] * 4)
    assert command.main([str(source), str(tmp_path / "out.gpz")]) == 0
    assert "frames without positions are left out: 2 of 4, the first is frame 1 (timestep 10)" in capsys.readouterr().err
    assert gpz.open(tmp_path / "out.gpz").timesteps.tolist() == [0, 20]
    assert compare(source, tmp_path / "out.gpz").frames == 2
    source = trr(tmp_path / "first.trr", [0, 1, 1, 1], [1] * 4)
    convert(source, tmp_path / "out.gpz")
    assert gpz.open(tmp_path / "out.gpz").timesteps.tolist() == [10, 20, 30]
    assert command.main([str(trr(tmp_path / "none.trr", [0] * 4, [1] * 4)), str(tmp_path / "none.gpz")]) == 6
    assert "no frame of it has positions" in capsys.readouterr().err
    assert not (tmp_path / "none.gpz").exists()


def test_a_frame_of_a_gpz_file_without_positions(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="metal") as writer:
        writer.write(positions=X[0], ids=[1, 2, 3])
        writer.write(velocities=V[1], ids=[1, 2, 3])
    for ending in ("trr", "nc", "xtc"):
        with pytest.raises(gpz.UnsupportedError, match="frame 1 has no positions"):
            convert(tmp_path / "a.gpz", tmp_path / f"a.{ending}")
    trajectory = mda.Universe(str(tmp_path / "a.gpz")).trajectory
    assert [(ts.has_positions, ts.has_velocities) for ts in trajectory] == [(True, False), (False, True)]


@pytest.mark.parametrize(("step", "fits"), [(2**31 - 1, True), (2**31, False), (4294967290, False), (-(2**31) - 5, False)])
def test_timesteps_of_formats(tmp_path, capsys, step, fits):
    with gpz.Writer(tmp_path / "a.gpz", units="real") as writer:
        writer.write(positions=X[0], ids=[1, 2, 3], box=[30, 30, 30], timestep=0, time=0.0)
        writer.write(positions=X[1], ids=[1, 2, 3], box=[30, 30, 30], timestep=step, time=1.0)
    for ending, name in (("xtc", "XTC"), ("trr", "TRR"), ("h5md", "H5MD")):
        code = command.main([str(tmp_path / "a.gpz"), str(tmp_path / f"a.{ending}")])
        said = capsys.readouterr().err
        assert code == (0 if fits else 6)
        assert (tmp_path / f"a.{ending}").exists() == fits
        if fits:
            assert mda.coordinates.core.reader(str(tmp_path / f"a.{ending}"))[1].data["step"] == step
        else:
            assert f"frame 1 has the timestep {step}, and {name} holds timesteps up to 2147483647" in said and ".nc, .dcd" in said
    for ending in ("nc", "dcd"):  # the way out
        assert command.main([str(tmp_path / "a.gpz"), str(tmp_path / f"a.{ending}")]) == 0
        assert np.allclose(mda.coordinates.core.reader(str(tmp_path / f"a.{ending}"))[1].positions, X[1], atol=0.001)


FLAT = {
    "plane": gpz.Box.from_bounds([0, 0, 0], [20, 21, 0], boundary="pp pp ff"),
    "tilted plane": gpz.Box.from_bounds([0, 0, 0], [20, 21, 0], [5, 0, 0], boundary="pp pp ff"),
    "plane of x and z": gpz.Box.from_bounds([0, 0, 0], [20, 0, 22], [0, 3, 0], boundary="pp ff pp"),
    "line": gpz.Box.from_bounds([0, 0, 0], [0, 21, 0], boundary="ff pp ff"),
}


@pytest.mark.parametrize("box", FLAT)
def test_boxes_with_an_edge_of_length_0(tmp_path, box):
    """They are kept, or it is said that they are not."""
    with gpz.Writer(tmp_path / "a.gpz", units="metal", bound=0.001) as writer:
        for k in range(2):
            writer.write(positions=X[k], ids=[1, 2, 3], box=FLAT[box], timestep=k, time=0.1 * k)
    for ending in "dcd", "nc", "xtc", "trr", "h5md":
        notes = convert(tmp_path / "a.gpz", tmp_path / f"a.{ending}")
        convert(tmp_path / f"a.{ending}", tmp_path / "b.gpz", bound=0.001)
        with gpz.open(tmp_path / "b.gpz") as file:
            boxes = [frame.box for frame in file]
        said = [note for note in notes if note.startswith("boxes with an edge of length 0")]
        assert bool(said) == (ending in ("trr", "h5md")) and all("2 of 2 frames have no box" in note for note in said)
        for found in boxes:
            if said:
                assert found is None
            else:
                assert np.allclose(found.matrix, FLAT[box].matrix, atol=1e-5) and found.boundary == FLAT[box].boundary, ending


def test_flat_boxes_of_other_programs(tmp_path):
    """TRR and H5MD have them, and MDAnalysis does not pass them on."""
    edges = np.array([[2.0, 0, 0], [0.5, 2.1, 0], [0, 0, 0]], np.float32)
    with TRRFile(str(tmp_path / "a.trr"), "w") as made:
        for k in range(2):
            made.write(X[k] / 10, X[k] if k else None, None, edges * (k + 1), k, 0.1 * k, 0.0, 3)
    with h5py.File(tmp_path / "a.h5md", "w") as made:
        made.create_group("h5md").attrs["version"] = [1, 1]
        group = made.create_group("particles/all")
        box = group.create_group("box")
        box.attrs["dimension"], box.attrs["boundary"] = 3, np.array([b"periodic", b"periodic", b"none"])
        for parent, name, values in ((group, "position", X[:2]), (box, "edges", np.array([10 * edges, 20 * edges]))):
            element = parent.create_group(name)
            element["value"], element["step"], element["time"] = values, [0, 1], [0.0, 0.1]
            element["value"].attrs["unit"], element["time"].attrs["unit"] = "Angstrom", "ps"
    for name in "a.trr", "a.h5md":
        convert(tmp_path / name, tmp_path / "b.gpz", bound=0.001)
        with gpz.open(tmp_path / "b.gpz") as file:
            for k, frame in enumerate(file):
                assert np.allclose(frame.box.matrix, 10 * edges * (k + 1), atol=1e-5) and frame.box.boundary == "pp pp ff"
                assert np.abs(frame.positions - X[k]).max() <= 0.00101


@pytest.mark.parametrize(
    "edges", [None, np.zeros((3, 3)), np.ones((3, 3)), [[1, 0, 0], [2, 0, 0], [0, 0, 0]], [[1, 2, 0], [2, 4, 0], [0, 0, 1]]]
)
def test_vectors_of_no_box(edges):
    assert spanned_by(edges) is None


def test_vectors_of_a_box():
    """As engines send them, also to gpz record."""
    assert spanned_by([[0, 0, 0], [0, 2, 0], [0, 1, 3]], "pp pp ss").boundary == "ff pp ss"
    assert spanned_by(2 * np.eye(3)) == gpz.Box.from_bounds([0, 0, 0], [2, 2, 2])
