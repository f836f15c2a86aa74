# SPDX-License-Identifier: BSD-3-Clause
"""Files as sequences of frames, and frames as arrays."""

import copy
import io
import lzma
import os
import pickle
import threading

import numpy as np
import pytest
from conftest import BOUND, FRAMES, KEY, PARTICLES

import gpz


def text_frames(path):
    """[(timestep, {column: values in the order of ids})] of a text dump of LAMMPS."""
    text = lzma.decompress(path.read_bytes()).decode()
    for frame in text.split("ITEM: TIMESTEP\n")[1:]:
        head, _, table = frame.partition("ITEM: ATOMS ")
        names, _, rows = table.partition("\n")
        values = np.loadtxt(io.StringIO(rows), ndmin=2)
        values = values[np.argsort(values[:, names.split().index("id")])]
        yield int(head.split("\n")[0]), dict(zip(names.split(), values.T))


def test_a_dump_of_lammps_is_that_of_the_text(golden):
    trajectory = gpz.open(golden / "lammps-melt.gpz")
    expected = list(text_frames(golden / "lammps-melt.lammpstrj.xz"))
    assert len(trajectory) == len(expected)
    for frame, (timestep, columns) in zip(trajectory, expected):
        assert frame.timestep == timestep
        assert np.abs(frame.positions - np.column_stack([columns[c] for c in "xyz"])).max() <= BOUND + 1e-5
        np.testing.assert_array_equal(frame.ids, columns["id"])
        np.testing.assert_array_equal(frame.types, columns["type"])
        np.testing.assert_array_equal(frame.images, np.column_stack([columns[c] for c in ("ix", "iy", "iz")]))


def test_every_golden_file_can_be_read(golden):
    files = sorted(golden.glob("*.gpz"))
    assert len(files) > 40
    for path in files:
        for frame in gpz.open(path):
            values = frame.load()._values
            assert all(len(array) == frame.n_particles for array in values.values())


# --- What is known before anything is decoded ---


def test_of_the_file(sample, trajectory):
    assert trajectory.path == str(sample.path)
    assert trajectory.units == "metal"
    assert trajectory.elements == ["C", "H", "O"]
    assert trajectory.type_labels == []
    assert trajectory.columns == ("x", "y", "z", "id", "type", "vx", "vy", "vz", "ix", "iy", "iz", "charge")
    assert not trajectory.torn and not trajectory.damaged


def test_of_all_frames(trajectory):
    assert len(trajectory) == trajectory.n_frames == FRAMES
    assert trajectory.timesteps.dtype == np.int64
    np.testing.assert_array_equal(trajectory.timesteps, 100 * np.arange(FRAMES))
    np.testing.assert_array_equal(trajectory.times, [0, 0.5, 1, np.nan, *(0.5 * np.arange(4, FRAMES))])
    np.testing.assert_array_equal(trajectory.counts, PARTICLES)
    np.testing.assert_array_equal(np.flatnonzero(trajectory.key_frames), range(0, FRAMES, KEY))
    assert 0 < trajectory.sizes.min() and trajectory.sizes.sum() < os.path.getsize(trajectory.path)


def test_find(trajectory):
    assert trajectory.find(700) == 7
    assert trajectory[2:].find(700) == 5
    with pytest.raises(ValueError, match="timestep 650"):
        trajectory.find(650)


# --- Slices ---

SLICES = [
    slice(None),
    slice(3, 9),
    slice(None, None, 4),
    slice(8, 2, -2),
    slice(None, None, -1),
    slice(-3, None),
    slice(5, 5),
]


@pytest.mark.parametrize("part", SLICES, ids=str)
def test_a_slice_is_that_of_the_list(trajectory, part):
    chosen = trajectory[part]
    expected = list(range(FRAMES))[part]
    assert len(chosen) == len(expected)
    assert [frame.index for frame in chosen] == expected
    assert chosen.timesteps.tolist() == [100 * k for k in expected]
    assert chosen.key_frames.tolist() == [k % KEY == 0 for k in expected]
    assert [frame.index for frame in chosen[1:]] == expected[1:]


def test_an_index(trajectory):
    assert trajectory[-1].index == FRAMES - 1
    assert trajectory[np.int64(2)].timestep == 200
    for index in (FRAMES, -FRAMES - 1):
        with pytest.raises(IndexError):
            trajectory[index]
    with pytest.raises(TypeError):
        trajectory["x"]


# --- Values ---


def test_positions_in_the_order_of_ids(sample, trajectory):
    for k in (0, 7, 3, FRAMES - 1):
        positions = trajectory[k].positions
        assert positions.shape == (PARTICLES, 3) and positions.dtype == np.float64
        assert np.abs(positions - sample.positions(k)[sample.by_id]).max() <= BOUND


def test_columns(sample, trajectory):
    frame = trajectory[4]
    np.testing.assert_array_equal(frame.ids, np.sort(sample.ids))
    np.testing.assert_array_equal(frame["type"], sample.types[sample.by_id])
    np.testing.assert_array_equal(frame["charge"], sample.start[sample.by_id, 0].astype(np.float32))
    assert frame["charge"].dtype == np.float32 and frame.ids.dtype == np.int64
    assert np.abs(frame.velocities - sample.velocities[sample.by_id]).max() <= 1e-4
    np.testing.assert_array_equal(frame["vy"], frame.velocities[:, 1])
    np.testing.assert_array_equal(frame.images, np.tile([4, -4, 0], (PARTICLES, 1)))
    assert frame.forces is None
    assert "charge" in frame and "fx" not in frame and list(frame) == list(trajectory.columns)
    with pytest.raises(gpz.ColumnError, match="no column fx: there are x y z id"):
        frame["fx"]
    with pytest.raises(KeyError):
        frame.load("forces")


def test_of_a_frame(trajectory):
    frame = trajectory[3]
    assert (frame.index, frame.timestep, frame.time, frame.n_particles) == (3, 300, None, PARTICLES)
    assert trajectory[2].time == 1.0
    assert trajectory[5].is_key and not frame.is_key
    assert frame.bounds["x"] == BOUND and frame.bounds["vx"] == 1e-4 and frame.bounds["id"] is None
    assert frame.bounds["charge"] is None
    assert frame.position_bound == BOUND and frame.position_columns == ("x", "y", "z")
    column = frame.column_info["vz"]
    assert column.dtype == np.float64 and 0 < column.largest_error <= 1e-4


def test_box(trajectory):
    box = trajectory[0].box
    np.testing.assert_array_equal(box.origin, [-1, -2, -3])
    np.testing.assert_array_equal(box.matrix, np.diag([12, 14, 16]))
    np.testing.assert_array_equal(box.lengths, [12, 14, 16])
    np.testing.assert_array_equal(box.angles, [90, 90, 90])
    assert box.boundary == "pp pp ff" and box.periodic == (True, True, False)
    assert box.volume == pytest.approx(12 * 14 * 16) and not box.is_triclinic and box.dimension == 3


def test_several_columns_are_decoded_once(trajectory):
    frame = trajectory[6]
    calls = []
    read = frame._read
    frame._read = lambda groups: calls.append(groups) or read(groups)
    frame.load("positions", "velocities", "ids")
    frame.positions, frame.velocities, frame.ids, frame["x"], frame["vx"], frame["id"]
    assert len(calls) == 1
    assert frame.positions is frame.positions and frame["x"].base is frame.positions


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_of_one_type(sample, trajectory, dtype):
    with gpz.open(sample.path, dtype=dtype) as opened:
        frame = opened[1]
        assert frame.positions.dtype == frame["charge"].dtype == frame.velocities.dtype == dtype
        np.testing.assert_array_equal(frame.positions, trajectory[1].positions.astype(dtype))
    assert trajectory.read_positions(1, dtype=dtype).dtype == dtype
    assert trajectory.read(1, ["x", "id"], dtype=dtype)["x"].dtype == dtype


def test_threads_do_not_change_values(sample, trajectory):
    with gpz.open(sample.path, threads=2) as opened:
        for one, other in zip(trajectory, opened):
            np.testing.assert_array_equal(one.positions, other.positions)


def test_the_stored_order_has_the_same_particles(sample, trajectory):
    with gpz.open(sample.path, order="stored") as opened:
        ids = opened[7].ids
        assert sorted(ids) == sorted(sample.ids)
        np.testing.assert_array_equal(opened[7].positions[np.argsort(ids)], trajectory[7].positions)
        np.testing.assert_array_equal(opened.read_positions(7, order="id"), trajectory[7].positions)
    np.testing.assert_array_equal(trajectory.read(7, ["id"], order="stored")["id"], ids)


def test_without_ids(golden):
    path = golden / "key-place-f64.gpz"
    assert gpz.open(path)[0].positions.shape == (1040, 3)
    assert gpz.open(path)[0].ids is None
    with pytest.raises(gpz.NotFoundError, match="no integer column id"):
        gpz.open(path, order="id")[0].positions  # noqa: B018


# --- Arrays of the caller ---


def strided(kind):
    """(N, 3) arrays in other layouts than NumPy's own."""
    n = PARTICLES
    if kind == "fortran":
        return np.empty((n, 3), order="F")
    if kind == "every second row":
        return np.zeros((2 * n, 3))[::2]
    if kind == "reversed":
        return np.empty((n, 3))[::-1, ::-1]
    if kind == "columns of more":
        return np.empty((n, 7), np.float32)[:, 2:5]
    packed = np.dtype([("mark", np.int8), ("x", np.float64, 3)])  # strides of 25 bytes
    return np.zeros(n, packed)["x"]


@pytest.mark.parametrize("kind", ["fortran", "every second row", "reversed", "columns of more", "packed"])
def test_positions_go_straight_into_an_array(trajectory, kind):
    out = strided(kind)
    assert trajectory.read_positions(3, out) is out
    np.testing.assert_array_equal(out, trajectory[3].positions.astype(out.dtype))


def test_columns_go_into_arrays(trajectory):
    ids, x = np.empty(PARTICLES, np.int32), np.empty(PARTICLES, np.float32)
    values = trajectory.read(3, out={"id": ids, "x": x})
    assert set(values) == {"id", "x"} and values["id"] is ids
    np.testing.assert_array_equal(ids, trajectory[3].ids)
    assert set(trajectory.read(3, ["vx"], out={"x": x})) == {"vx", "x"}
    assert set(trajectory.read(3)) == set(trajectory.columns)


def test_wrong_arrays(trajectory):
    for shape in ((PARTICLES,), (PARTICLES - 1, 3), (PARTICLES, 4)):
        with pytest.raises(gpz.ArgumentError, match="shape"):
            trajectory.read_positions(0, np.empty(shape))
    read_only = np.empty((PARTICLES, 3))
    read_only.flags.writeable = False
    with pytest.raises((TypeError, ValueError)):
        trajectory.read_positions(0, read_only)
    for dtype in (">f8", np.float16, np.complex128):
        with pytest.raises(TypeError, match="float64"):
            trajectory.read(0, out={"x": np.empty(PARTICLES, dtype)})
    with pytest.raises(gpz.ArgumentError, match="integers go to arrays of integers"):
        trajectory.read(0, out={"x": np.empty(PARTICLES, np.int64)})
    with pytest.raises(TypeError, match="list"):
        trajectory.read_positions(0, [0.0])
    with pytest.raises(gpz.ArgumentError, match="float16"):
        trajectory.read_positions(0, dtype=np.float16)


# --- Forms of positions ---


@pytest.fixture
def scaled(tmp_path):
    fractions = np.random.default_rng(3).random((50, 3))
    box = gpz.Box.from_bounds([1, 2, 3], [9, 8, 7], tilt=[1, 0.5, -0.25])
    with gpz.Writer(tmp_path / "scaled.gpz", bound=BOUND) as writer:
        writer.write(xs=fractions[:, 0], ys=fractions[:, 1], zs=fractions[:, 2], ids=np.arange(50), box=box)
    return gpz.open(tmp_path / "scaled.gpz"), fractions, box


def test_fractions_become_coordinates(scaled):
    trajectory, fractions, box = scaled
    expected = np.array([1, 2, 3]) + fractions @ [[8, 0, 0], [1, 6, 0], [0.5, -0.25, 4]]
    frame = trajectory[0]
    assert frame.position_columns == ("xs", "ys", "zs")
    assert frame.position_bound == pytest.approx(BOUND)
    assert np.abs(frame.positions - expected).max() <= BOUND * (1 + 1e-9)
    np.testing.assert_allclose(trajectory.read_positions(0), frame.positions, rtol=0, atol=0)
    assert np.abs(frame["xs"] - fractions[:, 0]).max() <= frame.bounds["xs"] < BOUND
    assert frame.box == box and frame.box.is_triclinic
    np.testing.assert_array_equal(frame.box.tilt, [1, 0.5, -0.25])


@pytest.mark.parametrize("columns", ["x y zs", "xs ys z", "xu ysu zu", "xs y zs", "x y xs ys zs", "xu yu z", "xs ys zs x"])
def test_coordinates_in_columns_of_several_forms(tmp_path, columns):
    box, origin = np.array([[8, 0, 0], [1, 6, 0], [0.5, -0.25, 4]]), np.array([1, 2, 3])
    fractions = np.random.default_rng(5).random((40, 3))
    points = origin + fractions @ box
    values = {}
    for name in columns.split():
        axis = "xyz".index(name[0])
        is_other = len(columns.split()) > 3 and "s" not in name  # not of the set that is whole
        values[name] = fractions[:, axis] if "s" in name else points[:, axis] + is_other
    with gpz.Writer(tmp_path / "m.gpz", bound=BOUND) as writer:
        writer.write(ids=range(40), box=gpz.Box.from_vectors(box, origin), **values)
    with gpz.open(tmp_path / "m.gpz") as trajectory:
        frame = trajectory[0]
        assert sorted(name[0] for name in frame.position_columns) == ["x", "y", "z"]
        assert np.abs(frame.positions - points).max() <= 3 * BOUND
        assert frame.position_bound == pytest.approx(BOUND)
        np.testing.assert_array_equal(trajectory.read_positions(0), frame.positions)
        np.testing.assert_array_equal(trajectory.dask_array("positions").compute()[0], frame.positions)
        for name, given in values.items():
            assert np.abs(frame[name] - given).max() <= frame.bounds[name]


def test_fractions_of_two_dimensions_lie_at_zero(tmp_path):
    """As coordinates do: the box of LAMMPS goes from -0.5 to 0.5."""
    with gpz.Writer(tmp_path / "f.gpz", bound=0) as writer:
        writer.write(ids=[1], xs=[0.5], ys=[0.25], box=gpz.Box.from_bounds((0, 0, -0.5), (10, 20, 0.5)))
    assert gpz.open(tmp_path / "f.gpz")[0].positions.tolist() == [[5, 5, 0]]


def test_two_dimensions_lie_at_zero(golden):
    frame = gpz.open(golden / "two-dimensions-f64.gpz")[1]
    assert frame.position_columns == ("x", "y") and frame.box.dimension == 2
    assert frame.positions.shape == (80, 3)
    np.testing.assert_array_equal(frame.positions[:, 2], 0)
    np.testing.assert_array_equal(frame.positions[:, 1], frame["y"])
    out = np.full((80, 3), 7.0)
    gpz.open(golden / "two-dimensions-f64.gpz").read_positions(1, out)
    np.testing.assert_array_equal(out, frame.positions)


def test_integers_are_no_positions(tmp_path):
    with gpz.Writer(tmp_path / "cells.gpz") as writer:
        writer.write(x=[1, 2], y=[3, 4], xu=[0.5, 1.5], yu=[2.5, 3.5], ids=[1, 2], box=[9, 9, 9])
    frame = gpz.open(tmp_path / "cells.gpz")[0]
    assert frame.position_columns == ("xu", "yu") and frame["x"].dtype == np.int64
    assert np.abs(frame.positions - [[0.5, 2.5, 0], [1.5, 3.5, 0]]).max() <= BOUND


def test_fractions_of_a_box_are_rounded_once(tmp_path):
    """As float32, they are the nearest ones to the coordinates in float64."""
    fractions = np.random.default_rng(11).random((3000, 3))
    with gpz.Writer(tmp_path / "fractions.gpz", bound=1e-4) as writer:
        writer.write(**dict(zip(("xs", "ys", "zs"), fractions.T)), ids=range(3000), box=[[12, 0, 0], [3, 11, 0], [1, 2, 13]])
    exact = gpz.open(tmp_path / "fractions.gpz")[0].positions
    out = np.empty((3000, 3), np.float32)
    with gpz.open(tmp_path / "fractions.gpz", dtype=np.float32) as trajectory:
        for single in (trajectory[0].positions, trajectory.read_positions(0), trajectory.read_positions(0, out)):
            assert single.dtype == np.float32
            np.testing.assert_array_equal(single, exact.astype(np.float32))
    assert exact.dtype == np.float64


def test_general_triclinic_box(golden):
    box = gpz.open(golden / "general-triclinic-f64.gpz")[0].box
    assert box.kind == "general triclinic" and np.triu(box.matrix, 1).any()


# --- Other ways to open ---


def test_bytes_are_a_file(sample, trajectory):
    data = sample.path.read_bytes()
    for source in (data, bytearray(data), memoryview(data)):
        opened = gpz.open(source)
        assert opened.path is None
        np.testing.assert_array_equal(opened[3].positions, trajectory[3].positions)
    again = pickle.loads(pickle.dumps(opened))
    np.testing.assert_array_equal(again[3].positions, trajectory[3].positions)


def test_pickling_a_trajectory(sample):
    opened = gpz.open(sample.path, dtype=np.float32, threads=2)
    again = pickle.loads(pickle.dumps(opened[2:9:3]))
    assert [frame.index for frame in again] == [2, 5, 8]
    assert again[0].positions.dtype == np.float32
    assert copy.copy(opened)[1].timestep == copy.deepcopy(opened)[1].timestep == 100


def test_pickling_a_frame(trajectory, scaled):
    for frame in (trajectory[8], scaled[0][0]):
        again = pickle.loads(pickle.dumps(frame))
        assert (again.index, again.timestep, again.time, again.box) == (
            frame.index,
            frame.timestep,
            frame.time,
            frame.box,
        )
        np.testing.assert_array_equal(again.positions, frame.positions)
        for name in frame:
            np.testing.assert_array_equal(again[name], frame[name])


def test_closed(sample):
    with gpz.open(sample.path) as opened:
        frame, part = opened[0], opened[1:]
        positions = frame.positions
    assert frame.positions is positions
    for use in (lambda: opened[0], lambda: part[0].positions, lambda: frame.velocities, lambda: iter(opened)):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_a_file_that_grows(sample, tmp_path):
    path = tmp_path / "grows.gpz"
    writer = gpz.Writer(path, bound=BOUND)
    sample.write(writer, 0)
    opened = gpz.open(path)
    assert len(opened) == 1
    sample.write(writer, 1)
    sample.write(writer, 2)
    assert opened.refresh() == 2 and len(opened) == 3
    assert np.abs(opened[2].positions - sample.positions(2)[sample.by_id]).max() <= BOUND
    with pytest.raises(ValueError, match="slice"):
        opened[:2].refresh()
    writer.close()
    assert opened.refresh() == 0


def test_a_pipe(sample, trajectory):
    """The writer of the pipe is a thread of this process: reading must leave it the interpreter."""

    reading, writing = os.pipe()

    def feed():
        with open(writing, "wb") as pipe:
            pipe.write(sample.path.read_bytes())

    feeder = threading.Thread(target=feed)
    feeder.start()
    with open(reading, "rb") as pipe:
        stream = gpz.stream(pipe)
        frames = list(stream)
    feeder.join()
    assert stream.units == "metal" and len(frames) == FRAMES
    for frame, expected in zip(frames, trajectory):
        assert frame.index == expected.index
        np.testing.assert_array_equal(frame.positions, expected.positions)
        np.testing.assert_array_equal(frame["charge"], expected["charge"])
