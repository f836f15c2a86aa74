# SPDX-License-Identifier: BSD-3-Clause
"""gpz.cuda. What needs a GPU also needs PyTorch or CuPy, which read the arrays by DLPack."""

import importlib
import sys

import numpy as np
import pytest

import gpz
import gpz.cuda


def has_gpu():
    try:
        gpz.cuda._cuda.zeros((1,), "float32", 0)
    except gpz.Error:
        return False
    return True


@pytest.fixture(scope="module")
def arrays():
    """A module that takes arrays by DLPack."""
    if not has_gpu():
        pytest.skip("no GPU")
    for name in ("torch", "cupy"):
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    pytest.skip("neither PyTorch nor CuPy")


def on_cpu(module, array):
    made = module.from_dlpack(array)
    return made.cpu().numpy() if module.__name__ == "torch" else made.get()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Frames of a liquid: positions, velocities as float64, ids in another order than the rows, types."""
    rng = np.random.default_rng(7)
    n, frames, edge = 6000, 7, 40.0
    start, drift = rng.uniform(0, edge, (n, 3)), rng.normal(0, 0.02, (n, 3))
    ids = rng.permutation(n) + 1
    name = tmp_path_factory.mktemp("cuda") / "liquid.gpz"
    with gpz.Writer(name, units="lj", bound=1e-3, key_interval=3, effort="fast") as writer:
        for k in range(frames):
            x = start + k * drift
            writer.write(
                positions=x.astype(np.float32),
                velocities=drift,
                ids=ids,
                types=ids % 3 + 1,
                box=[edge] * 3,
                timestep=10 * k,
            )
    return name


def test_without_a_gpu(path):
    if has_gpu():
        pytest.skip("there is one")
    with pytest.raises(gpz.NotFoundError, match="device"):
        gpz.cuda.open(path)


def test_a_gpu_that_is_not_there(path):
    with pytest.raises(gpz.NotFoundError, match="device"):
        gpz.cuda.open(path, device=4095)


def test_built_without_cuda(monkeypatch):
    monkeypatch.setitem(sys.modules, "gpz._cuda", None)
    monkeypatch.delattr(gpz, "_cuda", raising=False)
    monkeypatch.delitem(sys.modules, "gpz.cuda")
    with pytest.raises(ImportError, match="built with CUDA"):
        importlib.import_module("gpz.cuda")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": -1}, "device"),
        ({"threads": 5000}, "threads"),
        ({"ahead": -1}, "ahead"),
        ({"max_memory": 0}, "max_memory"),
    ],
)
def test_wrong_options(path, options, message):
    with pytest.raises(gpz.ArgumentError, match=message):
        gpz.cuda.open(path, **options)


@pytest.mark.parametrize("order", [None, "id", "stored"])
def test_all_columns(arrays, path, order):
    with gpz.cuda.open(path) as trajectory, gpz.open(path) as known:
        assert len(trajectory) == len(known)
        for k in (0, 1, 2, 3, 6, 4, -1):
            read = trajectory.read(k, order=order)
            assert trajectory.decoded == (True, "")
            wanted = known.read(k, order=order)
            assert read.keys() == wanted.keys()
            for name, values in wanted.items():
                found = on_cpu(arrays, read[name])
                assert found.dtype == values.dtype
                np.testing.assert_array_equal(found, values, err_msg=name)


@pytest.mark.parametrize("dtype", [None, "float32", "float64"])
def test_positions(arrays, path, dtype):
    with gpz.cuda.open(path) as trajectory, gpz.open(path) as known:
        for k in range(len(known)):
            found = on_cpu(arrays, trajectory.read_positions(k, dtype=dtype))
            wanted = known.read_positions(k, dtype=dtype)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


def test_into_an_array_of_the_caller(arrays, path):
    if arrays.__name__ == "torch":
        room = arrays.full((6000, 5), -1.0, device="cuda", dtype=arrays.float64)
        stream = arrays.cuda.current_stream().cuda_stream
    else:
        room = arrays.full((6000, 5), -1.0)
        stream = arrays.cuda.get_current_stream().ptr
    with gpz.cuda.open(path) as trajectory, gpz.open(path) as known:
        assert trajectory.read_positions(5, out=room[:, 1:4], stream=stream) is not None
        found = on_cpu(arrays, room)
        np.testing.assert_array_equal(found[:, 1:4], known.read_positions(5, dtype="float64"))
        assert (found[:, [0, 4]] == -1).all()
        trajectory.read(2, out={"vy": room[:, 0]})
        np.testing.assert_array_equal(on_cpu(arrays, room)[:, 0], known.read(2, ["vy"])["vy"])


def test_arrays_outlive_the_reader(arrays, path):
    with gpz.cuda.open(path) as trajectory:
        kept = trajectory.read_positions(1)
    with pytest.raises(ValueError, match="closed"):
        trajectory.read_positions(1)
    with gpz.open(path) as known:
        np.testing.assert_array_equal(on_cpu(arrays, kept), known.read_positions(1))


def test_what_the_gpu_cannot_decode(arrays, tmp_path):
    """The CPU does, and says so."""
    rng = np.random.default_rng(3)
    oxygen = rng.uniform(0, 60, (3000, 3))
    water = np.repeat(oxygen, 3, axis=0) + np.tile([[0, 0, 0], [0.957, 0, 0], [-0.24, 0.927, 0]], (3000, 1))
    with gpz.Writer(tmp_path / "water.gpz", units="real") as writer:
        for _ in range(3):
            water = water + rng.normal(0, 0.03, (3000, 3)).repeat(3, axis=0)
            writer.write(positions=water, ids=np.arange(9000) + 1, types=np.tile([1, 2, 2], 3000), box=[60] * 3)
    with gpz.cuda.open(tmp_path / "water.gpz") as trajectory, gpz.open(tmp_path / "water.gpz") as known:
        found = on_cpu(arrays, trajectory.read_positions(2))
        np.testing.assert_array_equal(found, known.read_positions(2))
        assert not trajectory.decoded.on_device
        assert trajectory.decoded.reason


def test_wrong_arrays(arrays, path):
    with gpz.cuda.open(path) as trajectory:
        with pytest.raises(TypeError, match="NVIDIA GPU"):
            trajectory.read_positions(0, out=np.empty((6000, 3)))
        short = gpz.cuda._cuda.zeros((5999, 3), "float32", 0)
        with pytest.raises(gpz.ArgumentError, match="6000 particles"):
            trajectory.read_positions(0, out=short)
        with pytest.raises(gpz.ColumnError, match="no column q"):
            trajectory.read(0, ["q"])
        with pytest.raises(IndexError):
            trajectory.read(7)
        np.testing.assert_array_equal(on_cpu(arrays, trajectory.read_positions(0)), gpz.open(path).read_positions(0))
