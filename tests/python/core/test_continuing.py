# SPDX-License-Identifier: BSD-3-Clause
"""gpz.Writer(append=True): what is not given is that of the file, what is refused leaves the file as it is."""

import pickle

import numpy as np
import pytest

import gpz

X = np.random.default_rng(3).uniform(0, 10, (40, 3))
IDS = np.arange(40, 0, -1)
COLUMNS = {"positions": X, "ids": IDS, "velocities": X, "q": X[:, 0], "types": np.ones(40, int)}
BOUNDS = {"velocities": 0.01, "q": 0.1}


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "file.gpz"
    with gpz.Writer(made, units="nano", elements=["Cu"], type_labels=["A"], metadata={"command": "run"}, bound=0.02,
                    bounds=BOUNDS) as writer:  # fmt: skip
        writer.write(**COLUMNS, box=[10, 10, 10])
    return made


def test_what_is_not_given_is_that_of_the_file(path):
    with gpz.open(path) as file:
        metadata = file.metadata
    with gpz.Writer(path, append=True) as writer:
        writer.write(**COLUMNS)
    with gpz.open(path) as file:
        assert file.metadata == metadata and len(file) == 2
        assert file[1].bounds == file[0].bounds and file[1].position_bound == 0.02 and file[1].bounds["vz"] == 0.01


def test_what_is_given_as_in_the_file_is_taken(path):
    with gpz.open(path) as file:
        metadata = file.metadata
    given = {"units": "nano", "elements": np.array(["Cu"]), "type_labels": ("A",)}
    with gpz.Writer(path, append=True, metadata=metadata, bound=0.02, bounds=BOUNDS, **given) as writer:
        writer.write(**COLUMNS)
    assert gpz.open(path)[1].position_bound == 0.02


def test_entries_that_say_nothing_are_not_compared(path, tmp_path):
    """Metadata of a file without units, as Trajectory.metadata has them."""
    with gpz.Writer(tmp_path / "other.gpz", metadata={"generator": gpz.open(path).metadata["generator"]}):
        pass
    with gpz.open(tmp_path / "other.gpz") as other, gpz.Writer(path, append=True, metadata=other.metadata) as writer:
        writer.write(**COLUMNS)
    assert gpz.open(path).units == "nano"


def test_how_a_file_began_stays(path):
    told = {"generator": "another", "command": "run 2", "columns": ["x"], "reference": "another file"}
    before = gpz.open(path).metadata
    with gpz.Writer(path, append=True, metadata=told) as writer:
        writer.write(**COLUMNS)
    assert gpz.open(path).metadata == before


def test_a_column_that_the_file_does_not_have_yet(path):
    with gpz.Writer(path, append=True, bounds={"c_pe": 0.5}) as writer:
        writer.write(**COLUMNS, c_pe=X[:, 1])
    assert gpz.open(path)[1].bounds["c_pe"] == 0.5


def test_the_bound_of_the_last_frame(tmp_path):
    """Of exact positions, of fractions of a box, and of a file without frames."""
    path = tmp_path / "exact.gpz"
    with gpz.Writer(path, bound=0) as writer:
        writer.write(positions=X, ids=IDS)
    with gpz.Writer(path, append=True) as writer:
        writer.write(positions=X, ids=IDS)
    assert gpz.open(path)[1].position_bound is None
    path = tmp_path / "scaled.gpz"
    fractions = dict(zip(("xs", "ys", "zs"), X.T / 10))
    with gpz.Writer(path, bound=0.003) as writer:
        writer.write(**fractions, ids=IDS, box=[7, 10, 13])
    with gpz.Writer(path, append=True, bound=0.003) as writer:
        writer.write(**fractions, ids=IDS, box=[17, 10, 13])
    assert [frame.position_bound for frame in gpz.open(path)] == pytest.approx([0.003, 0.003])
    path = tmp_path / "empty.gpz"
    with gpz.Writer(path, units="nano"):
        pass
    with gpz.Writer(path, append=True, bound=0.25) as writer:
        writer.write(positions=X)
    assert gpz.open(path)[0].position_bound == 0.25


@pytest.mark.parametrize("empty", [False, True])
def test_a_file_that_is_missing_or_empty_is_a_new_one(tmp_path, empty):
    path = tmp_path / "new.gpz"
    if empty:
        path.touch()
    with gpz.Writer(path, append=True, units="real", elements=["C"], bound=0.5) as writer:
        writer.write(positions=X, types=np.ones(40, int))
    with gpz.open(path) as file:
        assert file.units == "real" and file.elements == ["C"] and file[0].position_bound == 0.5


def test_refusals_leave_a_torn_file_as_it_is(path):
    """Also what an accepted writer would cut."""
    path.write_bytes(path.read_bytes()[:-20])
    before = path.read_bytes()
    with pytest.raises(gpz.ArgumentError, match="units='metal'"):
        gpz.Writer(path, append=True, units="metal")
    assert path.read_bytes() == before


def test_no_gpz_file(tmp_path):
    path = tmp_path / "text.gpz"
    path.write_text("this is a text\n" * 10)
    with pytest.raises(gpz.NotGpzError):
        gpz.Writer(path, append=True)
    assert path.read_text() == "this is a text\n" * 10


# --- Frames of another file ---


@pytest.mark.parametrize("given", [{}, {"bound": 0.02}])
def test_frames_of_a_file_with_a_smaller_bound(path, tmp_path, given):
    """They keep it where 0.02 would not make them smaller. Those of a file with a larger one are refused."""
    for bound in (0.015, 0.03):
        with gpz.Writer(tmp_path / f"{bound}.gpz", bound=bound) as writer:
            writer.write(positions=X, ids=IDS)
    with gpz.Writer(path, append=True, **given) as writer:
        writer.write(gpz.open(tmp_path / "0.015.gpz")[0])
        with pytest.raises(gpz.ArgumentError, match="a bound of 0.02 cannot be kept"):
            writer.write(gpz.open(tmp_path / "0.03.gpz")[0])
    with gpz.open(path) as file:
        assert len(file) == 2 and 0.015 <= file[1].position_bound <= 0.02
        assert np.abs(file[1].positions - X[::-1]).max() <= file[1].position_bound


@pytest.mark.parametrize("way", ["trajectory", "pickle", "stream"])
def test_frames_of_a_file_with_other_types(path, tmp_path, way):
    """They can be written with types of the new file; types that no particle has may differ."""
    with open(path, "rb") as pipe:
        frame = next(gpz.stream(pipe)) if way == "stream" else gpz.open(path)[0]
        frame = pickle.loads(pickle.dumps(frame)) if way == "pickle" else frame
    with gpz.Writer(tmp_path / "out.gpz", elements=["Zn", "Cu"]) as writer:
        with pytest.raises(gpz.ArgumentError, match="type 1 is the element Cu in its file, and Zn in this one"):
            writer.write(frame)
        writer.write(frame, types=frame.types + 1)
    assert gpz.open(tmp_path / "out.gpz")[0].types.tolist() == [2] * 40
    with gpz.Writer(tmp_path / "out.gpz", elements=["Cu", "Zn"], type_labels=["", "B"]) as writer:
        writer.write(frame)
    with gpz.Writer(tmp_path / "out.gpz", units="metal") as writer:
        with pytest.raises(gpz.ArgumentError, match="its file is in units nano, and this one in metal"):
            writer.write(frame)
