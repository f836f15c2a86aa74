# SPDX-License-Identifier: BSD-3-Clause
"""Columns of all frames as arrays of dask and xarray: what a plain loop gives, with every scheduler."""

import os
import pickle
import shutil
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from conftest import BOUND, FRAMES, KEY, PARTICLES
from long_form import in_turn

import gpz

dask = pytest.importorskip("dask")
dask_array = pytest.importorskip("dask.array")
xarray = pytest.importorskip("xarray")
SCHEDULERS = ("synchronous", "threads", "processes")


def looped(trajectory, name):
    return np.stack([getattr(frame, name) if hasattr(frame, name) else frame[name] for frame in trajectory])


def test_means_of_every_scheduler(trajectory):
    expected = looped(trajectory, "positions").astype(np.float64)
    for scheduler in SCHEDULERS:
        with dask.config.set(scheduler=scheduler, num_workers=2):
            array = trajectory.dask_array("position", dtype=np.float64, chunk_bytes=1)
            assert isinstance(array, dask_array.Array)
            assert (array.shape, array.dtype) == ((FRAMES, PARTICLES, 3), np.float64)
            assert np.array_equal(array.compute(), expected)
            if scheduler == "processes":
                continue  # their start takes seconds, each time
            assert np.allclose(array.mean(axis=0).compute(), expected.mean(axis=0), rtol=0, atol=1e-12)
            assert np.allclose(array.mean(axis=(1, 2)).compute(), expected.mean(axis=(1, 2)), rtol=0, atol=1e-12)


def test_every_column(trajectory):
    for name in ("positions", "velocities", "images", "ids", "types", "vx", "iz", "charge", "type"):
        expected = looped(trajectory, name)
        array = trajectory.dask_array(name)
        assert array.dtype == expected.dtype, name
        assert np.array_equal(array.compute(scheduler="threads"), expected), name
    single = trajectory.dask_array("positions", np.float32).compute(scheduler="threads")
    assert single.dtype == np.float32
    assert np.array_equal(single, expected_single(trajectory))


def expected_single(trajectory):
    return np.stack([trajectory.read_positions(k, dtype=np.float32) for k in range(len(trajectory))])


def test_some_of_the_atoms(sample):
    few = np.sort(sample.ids)[::9]
    for number, atoms in enumerate((few, lambda frame: frame.types == 2, {"types": ["H", "O"]})):
        with gpz.open(sample.path, atoms=atoms) as part:
            expected = looped(part, "positions")
            for scheduler in in_turn(SCHEDULERS, number):
                array = part.dask_array("positions", chunk_bytes=1)
                assert array.shape == (FRAMES, part[0].n_particles, 3)
                assert np.array_equal(array.compute(scheduler=scheduler, num_workers=2), expected)


def test_chunks_are_whole_key_intervals(trajectory):
    assert trajectory.dask_array(chunk_bytes=1).chunks[0] == (KEY, KEY, FRAMES - 2 * KEY)
    frame = PARTICLES * 3 * trajectory.dask_array().dtype.itemsize
    assert trajectory.dask_array(chunk_bytes=2 * KEY * frame).chunks[0] == (2 * KEY, FRAMES - 2 * KEY)
    assert trajectory.dask_array(chunk_bytes=2 * KEY * frame - 1).chunks[0] == (KEY, FRAMES - KEY)
    assert trajectory.dask_array().chunks == ((FRAMES,), (PARTICLES,), (3,))
    assert trajectory[3:9].dask_array(chunk_bytes=1).chunks[0] == (KEY - 3, 4)
    assert trajectory[::2].dask_array(chunk_bytes=1).chunks[0] == (3, 2, 1)
    assert trajectory[::-3].dask_array(chunk_bytes=1).chunks[0] == (1, 2, 1)


def test_slices(trajectory):
    for part in (trajectory[3:9], trajectory[::2], trajectory[::-1], trajectory[10:1:-4], trajectory[7:8]):
        expected = looped(part, "positions")
        for chunk_bytes in (1, 1 << 30):
            assert np.array_equal(part.dask_array(chunk_bytes=chunk_bytes).compute(scheduler="threads"), expected)


def test_each_frame_is_decoded_once(trajectory, monkeypatch):
    """In the order of the file, by one reader for each key interval."""
    decoded = []
    decode = gpz._open_file.File.decode

    def counted(file, index, *columns):
        decoded.append((id(file), index))
        return decode(file, index, *columns)

    for part in (trajectory, trajectory[::-1]):
        array = part.dask_array(chunk_bytes=1)
        with monkeypatch.context() as patched:
            patched.setattr(gpz._open_file.File, "decode", counted)
            decoded.clear()
            array.compute(scheduler="threads", num_workers=3)
        assert Counter(index for _, index in decoded) == Counter(range(FRAMES))
        starts = trajectory.key_frames.cumsum()
        for interval in range(1, starts[-1] + 1):
            frames = np.flatnonzero(starts == interval).tolist()
            of_interval = [(file, index) for file, index in decoded if index in frames]
            assert [index for _, index in of_interval] == frames
            assert len({file for file, _ in of_interval}) == 1


def bytes_read():
    """By this process so far, from files."""
    with open("/proc/self/io") as counts:
        return int(counts.readline().removeprefix("rchar:"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc/self/io is Linux's")
def test_the_bytes_of_each_frame_are_read_once(tmp_path):
    """A key frame is not read again for the frame that builds on it."""
    random = np.random.default_rng(3)
    x = random.random((20_000, 3)) * 30
    with gpz.Writer(tmp_path / "t.gpz", key_interval=3, bound=1e-3) as writer:
        for k in range(12):
            x += 0.01 * random.normal(size=x.shape)
            writer.write(positions=x, ids=np.arange(len(x)), box=[40, 40, 40], timestep=k)
    with gpz.open(tmp_path / "t.gpz") as trajectory:
        size, keys = trajectory.sizes.sum(), trajectory.sizes[trajectory.key_frames].sum()
        array = trajectory.dask_array(chunk_bytes=1)
        assert array.numblocks[0] == 4
        array.compute(scheduler="synchronous")  # imports modules
        before = bytes_read()
        array.compute(scheduler="synchronous")
        assert size <= bytes_read() - before < size + keys / 2


def test_only_what_is_asked_for_is_decoded(trajectory, monkeypatch):
    decoded = []
    decode = gpz._open_file.File.decode
    array = trajectory.dask_array(chunk_bytes=1)
    monkeypatch.setattr(
        gpz._open_file.File, "decode", lambda file, index, *rest: (decoded.append(index), decode(file, index, *rest))[1]
    )
    array[KEY + 1].compute(scheduler="synchronous")
    assert decoded == list(range(KEY, 2 * KEY))


def test_same_names_for_same_values(sample, trajectory, tmp_path):
    with gpz.open(sample.path) as again, gpz.open(sample.path, atoms=sample.ids[:9]) as part:
        name = trajectory.dask_array().name
        assert again.dask_array().name == name
        others = [part.dask_array(), again[1:].dask_array(), again.dask_array("velocities"), again.dask_array(dtype="f4")]
        assert name not in [array.name for array in others]
        assert len({array.name for array in others}) == len(others)
    copy = tmp_path / "copy.gpz"
    copy.write_bytes(sample.path.read_bytes())
    with gpz.open(copy) as other:
        assert other.dask_array().name != name


def test_tasks_are_small_and_of_the_path(sample, trajectory):
    array = trajectory.dask_array(chunk_bytes=1)
    data = pickle.dumps(dict(array.__dask_graph__()))
    assert len(data) < 20_000
    assert str(sample.path).encode() in data
    again = pickle.loads(pickle.dumps(array))
    trajectory.close()  # tasks open the file for themselves
    assert again.compute(scheduler="threads").shape == (FRAMES, PARTICLES, 3)


def test_a_file_that_was_replaced(sample, trajectory, tmp_path):
    """By one of the same size, whose values nobody asked for, and by one that is written over."""
    path, other = tmp_path / "t.gpz", tmp_path / "other.gpz"
    shutil.copy(sample.path, path)
    with gpz.open(path) as opened:
        array = opened.dask_array(chunk_bytes=1)
        assert np.array_equal(array.compute(scheduler="threads"), looped(trajectory, "positions"))
        status = path.stat()
        shutil.copy(path, other)
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
        os.replace(other, path)
        for scheduler in SCHEDULERS:
            with pytest.raises(gpz.FileError, match=r"t\.gpz: the file has changed since the array was made"):
                array.compute(scheduler=scheduler, num_workers=2)
        again = opened.dask_array(chunk_bytes=1)
        assert again.name != array.name
        assert again.compute(scheduler="threads").shape == array.shape
        with path.open("ab") as file:
            file.write(bytes(8))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
        with pytest.raises(gpz.FileError, match="has changed"):
            again.compute(scheduler="threads")
        path.unlink()
        with pytest.raises(FileNotFoundError):
            again.compute(scheduler="threads")


def test_in_memory(sample, trajectory):
    with gpz.open(sample.path.read_bytes()) as in_memory:
        for scheduler in SCHEDULERS:
            array = in_memory.dask_array("vx", chunk_bytes=1)
            assert np.array_equal(array.compute(scheduler=scheduler, num_workers=2), looped(trajectory, "vx"))


def test_scaled_and_flat_positions(tmp_path):
    random = np.random.default_rng(2)
    with gpz.Writer(tmp_path / "s.gpz", key_interval=2) as writer:
        for k in range(5):
            places = random.random((50, 3))
            columns = {"xs": places[:, 0], "ys": places[:, 1], "zs": places[:, 2]}
            writer.write(ids=np.arange(50), box=[10 + k, 20, 30], timestep=k, **columns)
    with gpz.Writer(tmp_path / "f.gpz", key_interval=2) as writer:
        for k in range(5):
            writer.write(ids=np.arange(50), x=random.random(50), y=random.random(50), box=[1, 1, 1], timestep=k)
    for name in ("s", "f"):
        with gpz.open(tmp_path / f"{name}.gpz") as trajectory:
            array = trajectory.dask_array("positions", chunk_bytes=1).compute(scheduler="threads")
            assert np.array_equal(array, looped(trajectory, "positions"))


def test_other_atoms_are_refused(sample, tmp_path):
    def written(name, frames, **options):
        with gpz.Writer(tmp_path / name, key_interval=2, **options) as writer:
            for k, ids in enumerate(frames):
                writer.write(positions=np.full((len(ids), 3), float(k)), ids=ids, box=[9, 9, 9], timestep=k)
        return tmp_path / name

    with gpz.open(written("n.gpz", [[1, 2, 3], [1, 2, 3], [1, 2]])) as trajectory:
        with pytest.raises(gpz.ArgumentError, match="frame 2 has 2 particles, the first one 3"):
            trajectory.dask_array()
        assert trajectory[:2].dask_array().shape == (2, 3, 3)
    with gpz.open(written("i.gpz", [[1, 2, 3], [1, 2, 3], [1, 2, 4]])) as trajectory:
        array = trajectory.dask_array(chunk_bytes=1)
        assert array[:2].compute(scheduler="threads").shape == (2, 3, 3)
        for scheduler in SCHEDULERS:
            with pytest.raises(gpz.ArgumentError, match="frame 2 has other atoms than the first one"):
                array.compute(scheduler=scheduler, num_workers=2)
    for ids, words in (([2, 3, 4], "frame 2 has 2 of the atoms, the first one 3"), ([1, 2], "frame 3 has 0 of the atoms")):
        frames = [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 4, 5] if 4 in ids else [1, 2, 4], [3, 4]]
        path = written("s.gpz", frames)
        with gpz.open(path, atoms=ids) as trajectory, pytest.raises(gpz.ArgumentError, match=words):
            trajectory.dask_array().compute(scheduler="threads")


def test_wrong_arguments(trajectory):
    with pytest.raises(gpz.ColumnError, match="no column q: there are"):
        trajectory.dask_array("q")
    with pytest.raises(gpz.ColumnError, match="no column fx"):
        trajectory.dask_array("forces")
    with pytest.raises(TypeError, match="the name of a column"):
        trajectory.dask_array(3)
    with pytest.raises(gpz.ArgumentError, match="dtype is float32 or float64"):
        trajectory.dask_array(dtype=np.float16)
    for wrong in (0, -1):
        with pytest.raises(gpz.ArgumentError, match="chunk_bytes"):
            trajectory.dask_array(chunk_bytes=wrong)
    with pytest.raises(gpz.ArgumentError, match="the first frame, and there is none"):
        trajectory[:0].dask_array()
    with pytest.raises(gpz.ArgumentError, match="the first frame, and there is none"):
        trajectory[:0].xarray()


def test_dataset(sample, trajectory):
    made = trajectory.xarray()
    assert made.sizes == {"frame": FRAMES, "atom": PARTICLES, "space": 3}
    assert set(made.data_vars) == {"positions", "velocities", "images", "type", "charge"}
    assert made["atom"].values.tolist() == sorted(sample.ids)
    assert made["timestep"].values.tolist() == trajectory.timesteps.tolist()
    assert np.array_equal(made["time"].values, trajectory.times, equal_nan=True)
    assert made.attrs["units"] == "metal"
    assert made["positions"].attrs["bound"] == BOUND
    assert "bound" not in made["type"].attrs
    height = made["positions"].sel(space="z", atom=sample.ids[4]).mean("frame")
    row = int(np.flatnonzero(sample.by_id == 4)[0])
    assert float(height) == pytest.approx(looped(trajectory, "positions")[:, row, 2].mean())
    with gpz.open(sample.path, atoms=sample.ids[:8]) as part:
        few = part.xarray(["vx", "positions"], np.float32)
        assert few["vx"].dims == ("frame", "atom")
        assert few["vx"].dtype == np.float32
        assert few["atom"].values.tolist() == sorted(sample.ids[:8])
        assert np.array_equal(few["vx"].values, looped(part, "vx").astype(np.float32))
    assert "space" not in trajectory.xarray(["vx"]).coords


def test_gpz_needs_neither():
    code = "import sys, gpz; sys.exit(bool({'dask', 'xarray'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
