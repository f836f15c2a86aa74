# SPDX-License-Identifier: BSD-3-Clause
"""Tables and observables (docs/format.md, sections 11a and 11b): what comes back, for which frames, and damage."""

import contextlib
import io
import os
import pickle
import threading

import numpy as np
import pytest

import gpz

N = 20
X = np.random.default_rng(3).uniform(0, 10, (N, 3))
IDS = np.arange(1, N + 1)
BONDS = {"type": [1, 1, 2], "atom1": [1, 1, 4], "atom2": [2, 3, 5]}
NAN_BITS = np.array([0x7FF0000000000001], np.uint64).view(np.float64)[0]


def write_frame(writer, k, **further):
    writer.write(positions=X + 0.01 * k, ids=IDS, timestep=10 * k, **further)


def in_memory(write):
    memory = io.BytesIO()
    with gpz.Writer(memory, bound=1e-3) as writer:
        write(writer)
    return memory.getvalue()


@pytest.fixture
def made():
    """Three frames; other bonds from frame 2 on; observables of frames 0 and 2."""

    def write(writer):
        atoms = gpz.Table({"id": IDS, "mass": np.linspace(1, 2, N), "name": ["CA"] * N}, units={"mass": "grams/mole"})
        writer.write_tables({"atoms": atoms, "bonds": BONDS})
        write_frame(writer, 0, observables={"Temp": (300.0, "K"), "PotEng": -4.5})
        write_frame(writer, 1)
        writer.write_tables({"bonds": {"type": [], "atom1": [], "atom2": []}})
        write_frame(writer, 2, observables={"Temp": (310.0, "K"), "PotEng": -4.25})

    return in_memory(write)


def equal(a, b):
    return (
        list(a) == list(b)
        and a.units == b.units
        and all(a[name].dtype == b[name].dtype and np.array_equal(a[name], b[name]) for name in a)
    )


def test_tables_of_frames(made):
    with gpz.open(made) as trajectory:
        tables = trajectory.tables()
        assert list(tables) == ["atoms", "bonds"]
        assert list(tables["bonds"]) == ["type", "atom1", "atom2"] and tables["bonds"].n_rows == 3
        assert all(column.dtype == np.int64 for column in tables["bonds"].values())
        assert np.array_equal(tables["bonds"]["atom2"], [2, 3, 5])
        atoms = tables["atoms"]
        assert atoms["mass"].dtype == np.float64 and atoms["name"].dtype == object
        assert atoms.units == {"mass": "grams/mole"} and np.array_equal(atoms["mass"], np.linspace(1, 2, N))
        assert atoms["name"].tolist() == ["CA"] * N
        assert equal(trajectory.tables(1)["bonds"], tables["bonds"])
        assert trajectory.tables(-1)["bonds"].n_rows == 0
        assert list(trajectory.tables(0, ["bonds", "nothing"])) == ["bonds"]
        assert trajectory.tables(0, []) == {}
        assert trajectory.table_frames.tolist() == [0, 2]
        assert trajectory[1:].table_frames.tolist() == [0, 1]
        assert trajectory[::-1].table_frames.tolist() == [0, 1]
        assert trajectory[2:].tables()["bonds"].n_rows == 0
        with pytest.raises(IndexError):
            trajectory.tables(3)


def test_observables_of_frames(made):
    with gpz.open(made) as trajectory:
        first = trajectory[0].observables
        assert first == {"Temp": 300.0, "PotEng": -4.5} and first.units == {"Temp": "K"}
        assert trajectory[1].observables == {}
        assert [frame.observables.get("Temp") for frame in trajectory] == [300.0, None, 310.0]
        table = trajectory.observables()
        assert list(table) == ["timestep", "time", "Temp", "PotEng"] and table.units == {"Temp": "K"}
        assert table["timestep"].tolist() == [0, 10, 20] and np.isnan(table["time"]).all()
        assert np.array_equal(table["PotEng"], [-4.5, np.nan, -4.25], equal_nan=True)
        assert trajectory[::-2].observables()["Temp"].tolist() == [310.0, 300.0]
        assert trajectory[:0].observables().n_rows == 0


def test_a_file_without_them(trajectory):
    assert trajectory.tables() == {} and trajectory.table_frames.tolist() == []
    assert trajectory[0].observables == {}
    assert list(trajectory.observables()) == ["timestep", "time"]


def test_no_byte_differs_without_them(sample, tmp_path):
    def write(**options):
        with gpz.Writer(tmp_path / "f.gpz", units="metal") as writer:
            if options:
                writer.write_tables({})
            sample.write(writer, 0)
        return (tmp_path / "f.gpz").read_bytes()

    assert write() == write(tables=True)


def test_every_bit_of_every_value():
    odd = np.array([0.0, -0.0, NAN_BITS, -np.inf, 5e-324])
    texts = ["", "a", "\0\n", "naïve 水", b"\xff\xfe".decode("utf-8", "surrogateescape")]
    integers = np.array([-(2**63), -1, 0, 7, 2**63 - 1])
    table = gpz.Table(
        {"i": integers, "f": odd, "t": texts, "\udcff": np.arange(5, dtype=np.float32)}, units={"f": "\udcfe"}
    )
    data = in_memory(
        lambda writer: (
            writer.write_tables({"odd \udcff": table, "nothing": {}}),
            write_frame(
                writer, 0, observables={f"o{k}": value for k, value in enumerate(odd)} | {"\udcff": (1, "\udcfd")}
            ),
        )
    )
    with gpz.open(data) as trajectory:
        read = trajectory.tables()["odd \udcff"]
        assert list(read) == ["i", "f", "t", "\udcff"] and read.units == {"f": "\udcfe"}
        assert np.array_equal(read["i"], integers) and read["t"].tolist() == texts
        assert np.array_equal(read["f"].view(np.int64), odd.view(np.int64))
        assert trajectory.tables()["nothing"].n_rows == 0 and len(trajectory.tables()["nothing"]) == 0
        observables = trajectory[0].observables
        assert np.array_equal(np.array([observables[f"o{k}"] for k in range(5)]).view(np.int64), odd.view(np.int64))
        assert observables.units == {"\udcff": "\udcfd"}


def test_copies_keep_observables_and_tables_are_copied_by_hand(made):
    def copy(writer):
        with gpz.open(made) as trajectory:
            changes = set(trajectory.table_frames.tolist())
            for k, frame in enumerate(trajectory):
                if k in changes:
                    writer.write_tables(trajectory.tables(k))
                writer.write(frame)

    with gpz.open(made) as a, gpz.open(in_memory(copy)) as b:
        for k in range(3):
            assert a[k].observables == b[k].observables and a[k].observables.units == b[k].observables.units
            assert a.tables(k).keys() == b.tables(k).keys()
            assert all(equal(a.tables(k)[name], b.tables(k)[name]) for name in a.tables(k))

    def frames_only(writer):
        with gpz.open(made) as trajectory:
            writer.write(trajectory[0], observables={})
            writer.write(trajectory[2], observables=trajectory[2].observables | {"PotEng": (1.0, "eV"), "n": 3})

    with gpz.open(in_memory(frames_only)) as copy:
        assert copy.tables() == {} and copy[0].observables == {}
        assert copy[1].observables == {"Temp": 310.0, "PotEng": 1.0, "n": 3.0}
        assert copy[1].observables.units == {"Temp": "K", "PotEng": "eV"}


THERMO = {
    "timestep": [0, 20, 20, 5],
    "Temp": [1.0, 2.0, 9.0, 3.0],
    "n": [1, 2, 3, 4],
    "PotEng": [-1.0, -2.0, -9.0, -3.0],
}


def with_thermo(writer):
    """Observables of a table, except for frame 1, which has a record of its own."""
    writer.write_tables({"thermo": gpz.Table(THERMO, units={"Temp": "K"})})
    write_frame(writer, 0)
    write_frame(writer, 1, observables={"Press": 7.0})
    write_frame(writer, 2)
    write_frame(writer, 3)


EXPECTED = [{"Temp": 1.0, "PotEng": -1.0}, {"Press": 7.0}, {"Temp": 2.0, "PotEng": -2.0}, {}]


def test_observables_of_the_table_thermo():
    data = in_memory(with_thermo)
    with gpz.open(data) as trajectory:
        assert [frame.observables for frame in trajectory] == EXPECTED
        assert trajectory[0].observables.units == {"Temp": "K"}
        assert np.array_equal(trajectory.observables()["Temp"], [1, np.nan, 2, np.nan], equal_nan=True)
        assert list(trajectory.tables()) == ["thermo"]
    assert [frame.observables for frame in streamed(data)] == EXPECTED


def test_tables_behind_the_last_frame():
    """They are valid where there are no others: a program has added them to a finished file."""
    data = in_memory(
        lambda writer: (
            write_frame(writer, 0),
            writer.write_tables({"bonds": BONDS}),
            write_frame(writer, 1),
            writer.write_tables({"bonds": {"atom1": [], "atom2": []}, "types": {"type": [1], "mass": [2.0]}}),
        )
    )
    with gpz.open(data) as trajectory:
        assert [trajectory.tables(k)["bonds"].n_rows for k in range(2)] == [0, 3]
        assert all(trajectory.tables(k)["types"]["mass"].tolist() == [2] for k in range(2))
        assert trajectory.table_frames.tolist() == [0, 1]
    only_behind = in_memory(
        lambda writer: (write_frame(writer, 0), write_frame(writer, 1), writer.write_tables({"bonds": BONDS}))
    )
    with gpz.open(only_behind) as trajectory:
        assert trajectory.table_frames.tolist() == [0] and trajectory.tables(1)["bonds"].n_rows == 3


def test_a_file_is_continued(made, tmp_path):
    path = tmp_path / "a.gpz"
    path.write_bytes(made)
    with gpz.Writer(path, append=True) as writer:
        write_frame(writer, 3, observables={"Temp": (320.0, "K"), "PotEng": -4.0})
        writer.write_tables({"types": {"type": [1], "label": ["O"]}})
        write_frame(writer, 4, observables={"Press": 1.0})
    with gpz.open(path) as trajectory:
        assert trajectory.observables()["Temp"][[0, 2, 3]].tolist() == [300, 310, 320]
        assert trajectory[4].observables == {"Press": 1.0}
        assert list(trajectory.tables(3)) == ["atoms", "bonds"]
        assert list(trajectory.tables(4)) == ["atoms", "bonds", "types"]


@contextlib.contextmanager
def piped(data):
    """A stream of these bytes."""
    reading, writing = os.pipe()

    def feed():
        with open(writing, "wb") as pipe:
            pipe.write(data)

    feeder = threading.Thread(target=feed)
    feeder.start()
    yield gpz.stream(reading, threads=1)
    feeder.join()
    os.close(reading)


def streamed(data):
    with piped(data) as stream:
        return list(stream)


def test_a_pipe(made):
    with piped(made) as stream:
        assert stream.tables() == {}
        found = [(frame.observables, frame.observables.units, stream.tables()["bonds"].n_rows) for frame in stream]
    assert found == [
        ({"Temp": 300.0, "PotEng": -4.5}, {"Temp": "K"}, 3),
        ({}, {}, 3),
        ({"Temp": 310.0, "PotEng": -4.25}, {"Temp": "K"}, 0),
    ]
    assert "observables" not in stream.tables()


def test_frames_and_tables_are_pickled(made):
    with gpz.open(made) as trajectory:
        frame = pickle.loads(pickle.dumps(trajectory[0]))
        table = pickle.loads(pickle.dumps(trajectory.tables()["atoms"]))
        assert frame.observables == trajectory[0].observables and frame.observables.units == {"Temp": "K"}
        assert equal(table, trajectory.tables()["atoms"])


def test_pandas(made):
    pandas = pytest.importorskip("pandas")
    with gpz.open(made) as trajectory:
        frame = trajectory.observables().to_pandas()
        assert list(frame.columns) == ["timestep", "time", "Temp", "PotEng"] and frame.attrs["units"] == {"Temp": "K"}
        assert frame["Temp"].iloc[2] == 310
        atoms = trajectory.tables()["atoms"].to_pandas()
    back = in_memory(
        lambda writer: (writer.write_tables({"atoms": atoms, "bonds": pandas.DataFrame(BONDS)}), write_frame(writer, 0))
    )
    with gpz.open(back) as trajectory:
        assert trajectory.tables()["atoms"]["name"].tolist() == ["CA"] * N
        assert trajectory.tables()["bonds"]["atom1"].tolist() == [1, 1, 4]


# --- Damage ---


def damaged(data, at):
    """The file with another byte, and without its index, which would hide the damage."""
    changed = bytearray(data)
    changed[at] ^= 0xFF
    return bytes(changed)


def place_of(data, text):
    assert data.count(text) == 1
    return data.index(text)


def test_damaged_tables_leave_the_frames(made):
    broken = damaged(made, place_of(made, b"grams/mole"))
    with gpz.open(broken) as trajectory:
        with pytest.raises(gpz.CorruptError, match="byte"):
            trajectory.tables()
        assert len(trajectory) == 3
        for k, frame in enumerate(trajectory):
            assert np.abs(frame.positions - X - 0.01 * k).max() <= 1e-3
        frame = pickle.loads(pickle.dumps(trajectory[0]))
        assert frame.n_particles == N
        # The names of observables may be in the damaged record.
        with pytest.raises(gpz.CorruptError):
            _ = frame.observables
        with pytest.warns(UserWarning, match="observables of 3 frames cannot be read.*frame 0"):
            assert "Temp" not in trajectory.observables()
        with pytest.raises(gpz.CorruptError):
            in_memory(lambda writer: writer.write(trajectory[0]))
        copy = in_memory(lambda writer: writer.write(trajectory[0], observables={}))
    with gpz.open(copy) as trajectory:
        assert np.abs(trajectory[0].positions - X).max() <= 1e-3


def test_damaged_tables_of_a_pipe_leave_the_frames(made, tmp_path):
    path = tmp_path / "broken.gpz"
    path.write_bytes(damaged(made, place_of(made, b"grams/mole")))
    with open(path, "rb") as file:
        stream = gpz.stream(file)
        frames = list(stream)
        assert [frame.timestep for frame in frames] == [0, 10, 20]
        assert np.abs(frames[2].positions - X - 0.02).max() <= 1e-3
        with pytest.raises(gpz.CorruptError):
            stream.tables()
        for frame in frames:  # the damaged record may have the table thermo
            with pytest.raises(gpz.CorruptError):
                _ = frame.observables


def test_tables_larger_than_the_memory_allowed():
    data = in_memory(lambda writer: (writer.write_tables({"t": {"a": np.zeros(1_000_000)}}), write_frame(writer, 0)))
    assert len(data) < 10_000
    with gpz.open(data, max_memory=1_000_000) as trajectory, pytest.raises(gpz.LimitError):
        trajectory.tables()
