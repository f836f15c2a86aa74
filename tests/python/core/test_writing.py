# SPDX-License-Identifier: BSD-3-Clause
"""gpz.Writer: what is written can be read within the bound, and a file has complete frames only."""

import io
import os
import subprocess
import threading

import numpy as np
import pytest
from conftest import BOUND, FRAMES, PARTICLES

import gpz


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.gpz"


def test_the_program_reads_it(sample):
    if "GPZ" not in os.environ:
        pytest.skip("the program gpz is not built")
    shown = subprocess.run([os.environ["GPZ"], "info", sample.path], capture_output=True, text=True, check=True).stdout
    assert "metal" in shown and str(FRAMES) in shown
    subprocess.run([os.environ["GPZ"], "verify", sample.path], check=True, capture_output=True)


@pytest.mark.parametrize("order", ["id", "place"])
@pytest.mark.parametrize("key_interval", [1, 4])
def test_order_and_keys(sample, path, order, key_interval):
    with gpz.Writer(path, bound=BOUND, order=order, key_interval=key_interval) as writer:
        for k in range(5):
            sample.write(writer, k)
        assert writer.n_frames == 5 and writer.size <= os.path.getsize(path)
    with gpz.open(path) as trajectory:
        assert np.flatnonzero(trajectory.key_frames).tolist() == list(range(0, 5, key_interval))
        for frame in trajectory:
            assert np.abs(frame.positions - sample.positions(frame.index)[sample.by_id]).max() <= BOUND


def moving_frames(count):
    random = np.random.default_rng(3)
    positions = random.random((500, 3)) * 100
    velocities = random.normal(0, 0.1, (500, 3))
    return [positions + k * velocities + random.normal(0, 0.01, (500, 3)) for k in range(count)]


def test_a_key_interval_that_the_first_frames_give(path):
    """The bytes are those of the number that they give, in files and in file objects, and with threads."""
    ids = np.arange(500)[::-1]

    def write(where, **arguments):
        with gpz.Writer(where, bound=1e-3, **arguments) as writer:
            for positions in moving_frames(90):
                writer.write(positions=positions, ids=ids)

    write(path)
    keys = np.flatnonzero(gpz.open(path).key_frames)
    interval = int(keys[1])
    assert 6 < interval < 60
    assert keys.tolist() == list(range(0, 90, interval))
    number, memory = path.with_name("number.gpz"), io.BytesIO()
    write(number, key_interval=interval)
    write(memory, key_interval="auto", threads=2)
    assert path.read_bytes() == number.read_bytes() == memory.getvalue()


def test_a_key_interval_that_the_first_appended_frames_give(path):
    """Positions without a past: six frames, then short intervals."""
    random = np.random.default_rng(3)
    for arguments in ({"key_interval": 2}, {"append": True, "key_interval": "auto"}):
        with gpz.Writer(path, bound=1e-3, **arguments) as writer:
            for _ in range(9):
                writer.write(positions=random.random((500, 3)) * 100, ids=np.arange(500))
    assert np.flatnonzero(gpz.open(path).key_frames).tolist()[:7] == [0, 2, 4, 6, 8, 9, 15]


@pytest.mark.parametrize(
    ("effort", "order", "features"),
    [
        ("fast", "id", 0),
        ("standard", "id", 264),
        ("standard", "place", 0),
        ("dense", "id", 267),
        ("dense", "place", 11),
        ("standard", "auto", 264),
        ("fast", "memory", 4),
    ],
)
def test_efforts(sample, path, effort, order, features):
    """Values are the same; the header has what readers have to know."""
    with gpz.Writer(path, bound=BOUND, order=order, effort=effort) as writer:
        for k in range(4):
            sample.write(writer, k)
    with gpz.open(path) as trajectory:
        assert trajectory.metadata["features"] == features
        for frame in trajectory:
            assert np.abs(frame.positions - sample.positions(frame.index)[sample.by_id]).max() <= BOUND
    # A file that is continued keeps to its header.
    with gpz.Writer(path, bound=BOUND, order=order, effort="dense", append=True) as writer:
        sample.write(writer, 4)
    with gpz.open(path) as trajectory:
        assert trajectory.metadata["features"] == features and len(trajectory) == 5
        assert np.abs(trajectory[4].positions - sample.positions(4)[sample.by_id]).max() <= BOUND


def test_the_order_of_memory(path):
    """Steps along a line, of which neighbours in memory say more than neighbours in space."""
    n = 20000
    steps = np.stack([np.arange(n) % 100 * 0.5, np.arange(n) // 100 * 0.5, np.sin(np.arange(n) * 1e-3)], axis=1)
    with gpz.Writer(path, bound=BOUND, order="memory") as writer:
        writer.write(positions=steps)
    with gpz.open(path) as trajectory:
        assert np.abs(trajectory[0].positions - steps).max() <= BOUND


def test_an_effort_that_there_is_not(path):
    with pytest.raises(gpz.ArgumentError, match='effort is "fast", "standard" or "dense"'):
        gpz.Writer(path, effort="strong")
    assert not path.exists()


def test_metadata(path):
    with gpz.Writer(
        path,
        units="real",
        type_labels=["CT", "HC"],
        metadata={"timestep_size": 0.5, "command": "fix 1", "elements": ["C", "H"]},
    ) as writer:
        writer.write(ids=[1])
    with gpz.open(path) as trajectory:
        metadata = trajectory.metadata
        assert (trajectory.units, trajectory.elements, trajectory.type_labels) == ("real", ["C", "H"], ["CT", "HC"])
        assert metadata["timestep_size"] == 0.5 and metadata["command"] == "fix 1" and "gpz" in metadata["generator"]
    with gpz.Writer(path.with_name("again.gpz"), metadata=metadata) as writer:
        writer.write(ids=[1])
    assert gpz.open(path.with_name("again.gpz")).metadata == metadata


def test_types_of_arrays(path):
    columns = {
        "a": np.array([1, -2], np.int8),
        "b": np.array([True, False]),
        "c": np.array([2**63 - 1, -(2**63)], np.int64),
        "d": np.array([1.5, 2.5], np.float16),
        "e": np.array([0.1, 0.2], np.float32),
        "f": np.array([0.1, np.nan]),
        "g": np.array([1, 2], ">i4"),
        "h": [0.5, 1.5],
        "i": np.arange(8.0)[::-4],
        "j": np.zeros(2, [("mark", "i1"), ("value", "f8")])["value"],
    }
    with gpz.Writer(path) as writer:
        writer.write(**columns)
    frame = gpz.open(path)[0]
    for name, values in columns.items():
        np.testing.assert_array_equal(frame[name], values)
    assert frame["d"].dtype == frame["e"].dtype == np.float32 and frame["f"].dtype == np.float64
    assert frame["a"].dtype == np.int64


@pytest.mark.parametrize(
    "columns",
    [
        {"positions": np.zeros((2, 4))},
        {"positions": np.zeros(3)},
        {"positions": np.zeros((2, 3)), "ids": [1]},
        {"charge": np.zeros((2, 2))},
        {"name": ["C", "H"]},
        {"c": np.array([1j])},
        {"c": np.array([2**64 - 1], np.uint64)},
        {"positions": np.zeros((2, 3)), "box": [1, 2]},
        {"positions": np.zeros((2, 3)), "box": gpz.Box(np.zeros(3), np.eye(3), "periodic")},
        {"xs": [0.5], "ys": [0.5], "zs": [0.5]},
    ],
    ids=range(10),
)
def test_refused_frames_leave_the_file_whole(path, columns):
    with gpz.Writer(path) as writer:
        writer.write(positions=np.ones((2, 3)), ids=[1, 2])
        with pytest.raises((gpz.ArgumentError, TypeError)):
            writer.write(**columns)
        writer.write(positions=np.ones((2, 3)), ids=[1, 2])
    assert len(gpz.open(path)) == 2


def test_an_exception_leaves_the_frames_before(sample, path):
    with pytest.raises(RuntimeError), gpz.Writer(path, bound=BOUND) as writer:
        sample.write(writer, 0)
        raise RuntimeError
    with gpz.open(path) as trajectory:
        assert len(trajectory) == 1 and not trajectory.torn
    with pytest.raises(ValueError, match="closed"):
        writer.write(ids=[1])
    writer.close()


def test_append(sample, path):
    for k in range(3):
        with gpz.Writer(path, bound=BOUND, units="lj", append=True) as writer:
            assert writer.n_frames == k
            sample.write(writer, k)
    with gpz.open(path) as trajectory:
        assert trajectory.timesteps.tolist() == [0, 100, 200] and trajectory.units == "lj"
        assert np.abs(trajectory[2].positions - sample.positions(2)[sample.by_id]).max() <= BOUND
    with gpz.Writer(path, bound=BOUND) as writer:
        sample.write(writer, 5)
    assert gpz.open(path).timesteps.tolist() == [500]


def test_append_cuts_a_torn_end(sample, path):
    path.write_bytes(sample.path.read_bytes()[:-5000])
    whole = len(gpz.open(path))
    assert gpz.open(path).torn
    with gpz.Writer(path, bound=BOUND, append=True) as writer:
        sample.write(writer, 50)
    with gpz.open(path) as trajectory:
        assert len(trajectory) == whole + 1 and not trajectory.torn


# --- Bounds ---


def test_bounds(path):
    values = np.random.default_rng(1).normal(size=(500, 3))
    with gpz.Writer(path, bound=0.01, bounds={"forces": 0.1, "q": 1e-5}) as writer:
        writer.write(positions=values, forces=values, velocities=values, q=values[:, 0])
    frame = gpz.open(path)[0]
    assert (frame.bounds["x"], frame.bounds["fz"], frame.bounds["q"], frame.bounds["vx"]) == (0.01, 0.1, 1e-5, None)
    order = np.lexsort(frame.velocities.T)
    original = values[np.lexsort(values.T)]
    np.testing.assert_array_equal(frame.velocities[order], original)
    for found, bound in ((frame.positions, 0.01), (frame.forces, 0.1)):
        assert 0 < np.abs(found[order] - original).max() <= bound


def test_exact_positions(path):
    values = np.random.default_rng(1).normal(size=(100, 3))
    with gpz.Writer(path, bound=0) as writer:
        writer.write(positions=values, ids=np.arange(100))
    frame = gpz.open(path)[0]
    np.testing.assert_array_equal(frame.positions, values)
    assert frame.position_bound is None


def test_bounds_that_cannot_be(path):
    for bound in (-1, np.nan, np.inf):
        with pytest.raises(gpz.ArgumentError):
            gpz.Writer(path, bound=bound)
        with pytest.raises(gpz.ArgumentError):
            gpz.Writer(path, bounds={"vx": bound})
    with pytest.raises(gpz.ArgumentError, match="bound="):
        gpz.Writer(path, bounds={"positions": 1e-3})
    with pytest.raises(gpz.ArgumentError):
        gpz.Writer(path, order="name")
    with pytest.raises(gpz.ArgumentError):
        gpz.Writer(path, key_interval=0)


@pytest.mark.parametrize(
    ("units", "bound"), [("metal", 5e-4), ("si", 5e-14), ("nano", 5e-5), ("electron", 1e-3), (None, 5e-4)]
)
def test_without_a_bound_positions_have_that_of_their_units(path, units, bound):
    with gpz.Writer(path, units=units) as writer:
        writer.write(positions=np.zeros((1, 3)), velocities=np.zeros((1, 3)))
    with gpz.Writer(path, append=True) as writer:  # the units are those of the file
        writer.write(positions=np.ones((1, 3)), ids=[1])
    with gpz.open(path) as trajectory:
        assert [frame.position_bound for frame in trajectory] == [bound, bound]
        assert trajectory[0].bounds["vx"] is None


# --- Boxes, times, frames of other files ---


def test_forms_of_boxes(path):
    vectors = [[5, 0, 0], [1, 6, 0], [0, 2, 7]]
    general = [[0, 5, 1], [6, 0, 0], [0, 1, 7]]
    boxes = [
        None,
        [5, 6, 7],
        vectors,
        general,
        gpz.Box.from_bounds([1, 1, 1], [2, 3, 4], boundary="ff ss pm", dimension=2),
    ]
    with gpz.Writer(path) as writer:
        for box in boxes:
            writer.write(ids=[1], box=box)
    found = [frame.box for frame in gpz.open(path)]
    assert found[0] is None
    assert [box.kind for box in found[1:]] == ["orthogonal", "triclinic", "general triclinic", "orthogonal"]
    for box, matrix in zip(found[1:4], (np.diag([5, 6, 7]), vectors, general)):
        np.testing.assert_array_equal(box.matrix, matrix)
        assert box.boundary == "pp pp pp" and not box.origin.any()
    assert found[4] == boxes[4]


def test_timesteps(path):
    with gpz.Writer(path) as writer:
        writer.write(ids=[1])
        writer.write(ids=[1], time=2.5)
        writer.write(ids=[1], timestep=-(2**62))
    with gpz.open(path) as trajectory:
        assert trajectory.timesteps.tolist() == [0, 1, -(2**62)]
        assert [frame.time for frame in trajectory] == [None, 2.5, None]


def test_two_dimensions(path):
    with gpz.Writer(path, bound=BOUND) as writer:
        writer.write(positions=np.ones((4, 2)), velocities=np.ones((4, 2)), ids=range(4), box=[1, 1, 1])
    frame = gpz.open(path)[0]
    assert frame.columns == ("x", "y", "id", "vx", "vy") and frame.box.dimension == 2 and frame.velocities is None


def test_frames_of_another_file(sample, trajectory, path):
    with gpz.Writer(path, metadata=trajectory.metadata, bound=BOUND) as writer:
        for frame in trajectory[::3]:
            writer.write(frame)
        # They were computed from those of the frame, and there is no room for another error in the bound of the file.
        with pytest.raises(gpz.ArgumentError, match="of the original: a bound of"):
            writer.write(trajectory[1], positions=trajectory[1].positions + 1, timestep=77)
        writer.write(trajectory[1], positions=trajectory[1].positions + 1, timestep=77, origin={})
    with gpz.open(path) as again:
        for one, other in zip(again, trajectory[::3]):
            assert one.columns == other.columns
            assert (one.timestep, one.time, one.box) == (other.timestep, other.time, other.box)
            np.testing.assert_array_equal(one.ids, other.ids)
            np.testing.assert_array_equal(one.velocities, other.velocities)
            assert np.abs(one.positions - other.positions).max() <= BOUND
        assert again[-1].timestep == 77
        assert np.abs(again[-1].positions - trajectory[1].positions - 1).max() <= BOUND


def test_a_pipe(sample, trajectory):
    reading, writing = os.pipe()
    received = []

    def receive():
        with open(reading, "rb") as pipe:
            received.append(pipe.read())

    receiver = threading.Thread(target=receive)
    receiver.start()
    with open(writing, "wb") as pipe, gpz.Writer(pipe, bound=BOUND) as writer:
        for k in range(3):
            sample.write(writer, k)
    receiver.join()
    opened = gpz.open(received[0])
    assert len(opened) == 3
    np.testing.assert_array_equal(opened[0].ids, trajectory[0].ids)
    with pytest.raises(gpz.ArgumentError, match="append"):
        gpz.Writer(1, append=True)


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError):
        gpz.Writer(tmp_path / "none" / "out.gpz")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk(sample):
    with open("/dev/full", "wb") as full, pytest.raises(OSError, match="No space left") as caught:
        sample.write(gpz.Writer(full, bound=BOUND), 0)
    assert isinstance(caught.value, gpz.FileError) and caught.value.errno == 28
    assert len(sample.ids) == PARTICLES


@pytest.mark.parametrize("columns", [{}, {"types": np.arange(500) % 3 + 1}, {"velocities": np.ones((500, 3))}])
def test_arrays_without_ids_come_back_in_the_order_given(path, columns):
    x = np.random.default_rng(5).uniform(0, 20, (500, 3))
    with gpz.Writer(path, bound=BOUND) as writer:
        for k in range(3):
            writer.write(positions=x + k, **columns)
    with gpz.open(path) as trajectory:
        assert trajectory.key_frames.tolist() == [True, False, False]
        for frame in trajectory:
            assert np.abs(frame.positions - x - frame.index).max() <= BOUND
            assert frame.ids.tolist() == list(range(1, 501))


@pytest.mark.parametrize("memory", [False, True])
def test_threads_that_share_a_writer(path, memory):
    x = np.random.default_rng(8).uniform(0, 20, (3000, 3))
    target = io.BytesIO() if memory else path
    with gpz.Writer(target, bound=BOUND) as writer:

        def write(number):
            for k in range(4):
                writer.write(positions=x + k, ids=range(3000), timestep=10 * number + k)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with gpz.open(target) as trajectory:
        assert sorted(trajectory.timesteps) == [10 * number + k for number in range(4) for k in range(4)]
        for frame in trajectory:
            assert np.abs(frame.positions - x - frame.timestep % 10).max() <= BOUND
