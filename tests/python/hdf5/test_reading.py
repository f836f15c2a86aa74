# SPDX-License-Identifier: BSD-3-Clause
"""gpz.hdf5.read is the same as indexing a dataset."""

import h5py
import numpy as np
import pytest
from conftest import BOUND, FRAMES, PARTICLES, require_close

import gpz
import gpz.hdf5


def same(path, where, **arguments):
    with h5py.File(path) as file:
        wanted = file["x"][where]
        got = gpz.hdf5.read(file["x"], where, **arguments)
    assert got.dtype == wanted.dtype and np.array_equal(got, wanted, equal_nan=wanted.dtype.kind == "f")
    return got


SLICES = [slice(None), slice(3, 8), slice(-2, None), slice(4, 4), slice(8, 2), slice(0, 99), slice(FRAMES - 1, FRAMES)]


@pytest.mark.parametrize("threads", [1, 2, 0, None])
@pytest.mark.parametrize("length", [1, 4, FRAMES])
def test_slices(write, frames, length, threads):
    path = write(frames, chunks=(length, PARTICLES, 3))
    for where in SLICES:
        require_close(same(path, where, threads=threads), frames[where])


@pytest.mark.parametrize(
    "shape, chunks",
    [
        ((1000,), (64,)),
        ((3,), (2,)),
        ((300, 3), (100, 3)),
        ((20, 300), (3, 300)),
        ((6, 5, 40, 3), (2, 5, 40, 3)),
        ((6, 5, 40), (2, 5, 40)),
        ((10, 40, 3), (2, 11, 3)),
        ((5, 0, 3), None),
    ],
)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", ">f4"])
def test_dimensions(write, shape, chunks, dtype):
    values = (np.random.default_rng(3).uniform(0, 5, shape) * 10).astype(dtype)
    path = (
        write(values, chunks=chunks) if chunks else write(values, chunks=None, compression=None, compression_opts=None)
    )
    for where in (slice(None), slice(1, 4), slice(2, None)):
        same(path, where, threads=2)


def test_other_pipelines(write, frames):
    for name, arguments in {
        "checksum": {"fletcher32": True},
        "gzip": {"compression": "gzip", "compression_opts": 1, "shuffle": True},
        "none": {"compression": None, "compression_opts": None},
    }.items():
        same(write(frames, name=f"{name}.h5", **arguments), slice(1, 7), threads=2)


@pytest.mark.parametrize("length", [1, 4])
def test_chunks_that_are_not_there(tmp_path, frames, length):
    with h5py.File(tmp_path / "made.h5", "w") as file:
        made = file.create_dataset(
            "x", frames.shape, "f4", chunks=(length, PARTICLES, 3), fillvalue=7, **gpz.hdf5.options(BOUND)
        )
        made[5] = frames[5]
        # Not written to the file yet, in the same file object.
        require_close(gpz.hdf5.read(made, slice(5, 6), threads=2), frames[5:6])
    for where in (slice(None), slice(2, 7)):
        same(tmp_path / "made.h5", where, threads=2)


def test_out(write, frames):
    path = write(frames, chunks=(4, PARTICLES, 3))
    with h5py.File(path) as file:
        wanted = file["x"][2:9]
        for threads in (1, 2):
            out = np.empty((7, PARTICLES, 3), "f4")
            assert gpz.hdf5.read(file["x"], slice(2, 9), out=out, threads=threads) is out
            assert np.array_equal(out, wanted)
            larger = np.zeros((7, PARTICLES, 6), "f4")
            gpz.hdf5.read(file["x"], slice(2, 9), out=larger[..., ::2], threads=threads)
            assert np.array_equal(larger[..., ::2], wanted) and not larger[..., 1::2].any()


def test_a_chunk_of_another_dataset_is_refused(write, frames):
    with h5py.File(write(frames), "a") as file:
        for wrong in (
            frames[:1, :-1],
            frames[:1].astype("f8"),
            frames[:2],
            frames[:1, :, :2],
            frames[:1].transpose(0, 2, 1)[:, :, :3],
        ):
            file["x"].id.write_direct_chunk((3, 0, 0), gpz.compress_frames(wrong, BOUND))
            with pytest.raises(gpz.CorruptError, match="where its array has float32"):
                gpz.hdf5.read(file["x"], threads=2)
            with pytest.raises(OSError, match="other frames, particles, components or type than its dataset has"):
                file["x"][3]
