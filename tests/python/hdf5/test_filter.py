# SPDX-License-Identifier: BSD-3-Clause
"""Datasets that h5py writes and reads through the filter."""

import struct

import h5py
import numpy as np
import pytest
from conftest import BOUND, FRAMES, PARTICLES, made, require_close, was_compressed

import gpz
import gpz.hdf5

LOW, HIGH = struct.unpack("<2I", struct.pack("<d", BOUND))


def stored_values(path):
    with h5py.File(path) as file:
        return file["x"].id.get_create_plist().get_filter(0)[2]


@pytest.mark.parametrize("effort", ["fast", "standard", "dense"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_values(write, read, dtype, effort):
    frames = made(dtype)
    path = write(frames, effort=effort)
    require_close(read(path), frames)
    require_close(read(path, np.s_[3:7, 10:20]), frames[3:7, 10:20])
    with h5py.File(path) as file:
        assert all(was_compressed(file["x"])) and file["x"].id.get_storage_size() < frames.nbytes / 2


def test_exact(write, read, frames):
    frames[2, 5] = np.nan, np.inf, -0.0
    back = read(write(frames, bound=0))
    assert np.array_equal(back.view("u4"), frames.view("u4"))


def test_special_values_within_a_bound(write, read, frames):
    frames[2, 5] = np.nan, np.inf, -np.inf
    frames[3, 5] = 3e38, 1e-40, -0.0
    back = read(write(frames, chunks=(FRAMES, PARTICLES, 3)))
    assert np.array_equal(back[2, 5].view("u4"), frames[2, 5].view("u4"))
    require_close(np.delete(back, 2, axis=0), np.delete(frames, 2, axis=0))


@pytest.mark.parametrize(
    "chunks, says",
    [
        ((1, PARTICLES, 3), (3, PARTICLES, 1)),
        ((4, PARTICLES, 3), (3, PARTICLES, 4)),  # the last chunk has two frames of the dataset
        ((3, 77, 3), (3, 77, 3)),
        ((3, PARTICLES, 2), (2, PARTICLES, 3)),
        ((1, 1, 1), (1, 1, 1)),
        ((FRAMES, PARTICLES, 3), (3, PARTICLES, FRAMES)),
    ],
)
def test_chunks(write, read, frames, chunks, says):
    """`says`: components, particles and frames of a chunk, as they are stored."""
    frames = frames[:, :33] if chunks == (1, 1, 1) else frames
    path = write(frames, chunks=chunks)
    require_close(read(path), frames)
    assert stored_values(path) == (LOW, HIGH, 1, 1, 4, *says)


@pytest.mark.parametrize(
    "shape, chunks, says",
    [
        ((1000,), (64,), (1, 64, 1)),
        ((2,), (2,), (1, 2, 1)),  # the only dimension holds particles
        ((300, 3), (100, 3), (3, 100, 1)),
        ((20, 300), (4, 300), (1, 300, 4)),
        ((6, 5, 40, 3), (2, 5, 40, 3), (3, 40, 10)),
        ((6, 5, 40, 4), (1, 5, 40, 4), (1, 4, 200)),
        ((9, 3, 3), (1, 3, 3), (3, 3, 1)),  # boxes of H5MD
        ((0, 40, 3), (1, 40, 3), (3, 40, 1)),
    ],
)
def test_dimensions(write, read, shape, chunks, says):
    values = np.random.default_rng(3).uniform(0, 5, shape).astype("f4")
    path = write(values, chunks=chunks, maxshape=(None,) * values.ndim)
    require_close(read(path), values)
    assert stored_values(path)[5:] == says


def test_scalar_datasets_have_no_chunks(tmp_path):
    with h5py.File(tmp_path / "made.h5", "w") as file:
        with pytest.raises(TypeError, match="Scalar datasets don't support"):
            file.create_dataset("x", data=1.5, **gpz.hdf5.options(BOUND))


@pytest.mark.parametrize("dtype", ["i4", "u1", "i8", "f2", ">f4", ">f8", "?", "c8", "S3", [("a", "f4"), ("b", "i4")]])
def test_other_types_pass_unharmed(write, read, frames, dtype):
    values = np.zeros(frames.shape, dtype) if isinstance(dtype, list) else (frames * 100).astype(dtype)
    if isinstance(dtype, list):
        values["a"], values["b"] = frames[..., 0:3], np.arange(3)
    path = write(values)
    back = read(path)
    assert back.dtype == values.dtype and back.tobytes() == values.tobytes()
    with h5py.File(path) as file:
        assert not any(was_compressed(file["x"]))


def test_floats_of_fewer_bits_pass_unharmed(tmp_path, frames):
    """A type of the size of float32 that is none."""
    few = h5py.h5t.IEEE_F32LE.copy()
    few.set_fields(31, 20, 11, 0, 20)
    few.set_ebias(1023)
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((1, PARTICLES, 3))
    properties.set_filter(gpz.hdf5.FILTER, h5py.h5z.FLAG_OPTIONAL, (LOW, HIGH))
    with h5py.File(tmp_path / "made.h5", "w") as file:
        identity = h5py.h5d.create(file.id, b"x", few, h5py.h5s.create_simple(frames.shape), properties)
        exact = np.round(frames)  # 20 bits hold these
        file["x"][...] = exact
        assert not any(was_compressed(h5py.Dataset(identity)))
    with h5py.File(tmp_path / "made.h5") as file:
        assert np.array_equal(file["x"][...], exact)


def test_named_types(tmp_path, frames):
    with h5py.File(tmp_path / "made.h5", "w") as file:
        file["type"] = np.dtype("f4")
        made = file.create_dataset("x", frames.shape, file["type"], chunks=(1, PARTICLES, 3), **gpz.hdf5.options(BOUND))
        made[...] = frames
        assert all(was_compressed(made))
        require_close(made[...], frames)


def test_checksum_of_hdf5(write, read, frames):
    path = write(frames, fletcher32=True)
    require_close(read(path), frames)


def test_other_filters_before_are_refused(write, frames):
    """Shuffled bytes are no values: a bound for them would destroy those that they were made of."""
    with pytest.raises(ValueError, match="first filter of a dataset: leave out shuffle"):
        write(frames, shuffle=True)
    integers = (frames * 1000).astype("i4")
    write(integers, shuffle=True)


def test_filters_behind(tmp_path, frames):
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((1, PARTICLES, 3))
    properties.set_filter(gpz.hdf5.FILTER, 0, (LOW, HIGH, 0))
    properties.set_deflate(1)
    with h5py.File(tmp_path / "made.h5", "w") as file:
        h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_FLOAT, h5py.h5s.create_simple(frames.shape), properties)
        file["x"][...] = frames
    with h5py.File(tmp_path / "made.h5") as file:
        require_close(file["x"][...], frames)


@pytest.mark.parametrize(
    "values, says",
    [
        ((), "needs the error bound: two numbers"),
        ((1,), "needs the error bound: two numbers"),
        ((HIGH, 0xFFF00000), "negative or not finite"),
        ((0, 0x7FF80000), "negative or not finite"),
        ((LOW, HIGH, 7), "0 (fast), 1 (standard) or 2 (dense), not 7"),
    ],
)
def test_wrong_settings(write, frames, values, says):
    with pytest.raises(ValueError) as error:
        write(frames, compression_opts=values)
    assert says in str(error.value)


def test_settings_of_another_dataset_are_replaced(write, read, frames, tmp_path):
    """h5repack and copies of property lists hand over what was stored with a dataset of other chunks."""
    path = write(frames, compression_opts=(LOW, HIGH, 1, 1, 8, 1, 2, 3))
    assert stored_values(path) == (LOW, HIGH, 1, 1, 4, 3, PARTICLES, 1)
    require_close(read(path), frames)


def test_growing(tmp_path, frames):
    """Frame by frame, with HDF5's cache of 1 MiB, and chunks of several frames that are written again."""
    for length in (1, 4):
        path = tmp_path / f"{length}.h5"
        with h5py.File(path, "w") as file:
            grown = file.create_dataset(
                "x",
                (0, PARTICLES, 3),
                "f4",
                maxshape=(None, PARTICLES, 3),
                chunks=(length, PARTICLES, 3),
                **gpz.hdf5.options(BOUND),
            )
            for k, frame in enumerate(frames):
                grown.resize(k + 1, axis=0)
                grown[k] = frame
                if k % 3 == 0:
                    file.flush()
        with h5py.File(path) as file:
            require_close(file["x"][...], frames)


def test_written_again_values_do_not_move(write, read, frames):
    """What was rounded once is on the grid: writing it again changes nothing."""
    first = read(write(frames))
    for _ in range(3):
        again = read(write(first))
        assert np.array_equal(again, first)


@pytest.mark.parametrize("fill", [0, np.nan, 1e30, 2.5])
def test_fill_values(tmp_path, frames, fill):
    with h5py.File(tmp_path / "made.h5", "w") as file:
        made = file.create_dataset(
            "x", frames.shape, "f4", chunks=(4, PARTICLES, 3), fillvalue=fill, **gpz.hdf5.options(BOUND)
        )
        made[1] = frames[1]  # frames 0, 2 and 3 of the chunk, and all other chunks, have the fill value
    with h5py.File(tmp_path / "made.h5") as file:
        back = file["x"][...]
        assert len(was_compressed(file["x"])) == 1
    require_close(back[1], frames[1])
    rest = np.delete(back, 1, axis=0)
    assert np.isnan(rest).all() if np.isnan(fill) else (np.abs(rest - np.float32(fill)) <= BOUND).all()


def test_copies(write, tmp_path, frames):
    path = write(frames)
    with h5py.File(path, "a") as file:
        file.copy("x", "y")
        with h5py.File(tmp_path / "other.h5", "w") as other:
            file.copy("x", other, "z")
        assert np.array_equal(file["y"][...], file["x"][...])
    with h5py.File(tmp_path / "other.h5") as other:
        require_close(other["z"][...], frames)


def test_virtual_datasets(write, tmp_path, frames):
    sources = [write(frames + k, name=f"{k}.h5") for k in range(2)]
    layout = h5py.VirtualLayout((2, *frames.shape), "f4")
    for k, path in enumerate(sources):
        layout[k] = h5py.VirtualSource(path, "x", frames.shape)
    with h5py.File(tmp_path / "all.h5", "w") as file:
        file.create_virtual_dataset("x", layout)
    with h5py.File(tmp_path / "all.h5") as file:
        require_close(file["x"][1], frames + 1)
        require_close(gpz.hdf5.read(file["x"], slice(0, 2), threads=2), np.stack([frames, frames + 1]))


def test_chunks_are_frame_arrays(write, frames):
    """What other programs read as bytes."""
    with h5py.File(write(frames)) as file:
        mask, data = file["x"].id.read_direct_chunk((4, 0, 0))
    assert mask == 0
    assert gpz.frame_array(data) == gpz.FrameArray((1, PARTICLES, 3), np.dtype("f4"), BOUND)
    require_close(gpz.decompress_frames(data), frames[4:5])


def test_chunks_that_other_programs_compress(tmp_path, frames):
    """gpz.compress_frames with the box of the frames, which no filter knows."""
    with h5py.File(tmp_path / "made.h5", "w") as file:
        made = file.create_dataset("x", frames.shape, "f4", chunks=(1, PARTICLES, 3), **gpz.hdf5.options(BOUND))
        for k in range(FRAMES):
            made.id.write_direct_chunk((k, 0, 0), gpz.compress_frames(frames[k], BOUND, box=[5, 5, 5]))
    with h5py.File(tmp_path / "made.h5") as file:
        require_close(file["x"][...], frames)
