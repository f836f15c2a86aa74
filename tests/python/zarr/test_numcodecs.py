# SPDX-License-Identifier: BSD-3-Clause
"""gpz.numcodecs.Gpz: the codec of numcodecs, and Zarr's format 2."""

import subprocess
import sys

import numcodecs
import numpy as np
import pytest
import zarr
from conftest import BOUND, PARTICLES, made, require_close

import gpz
from gpz.numcodecs import Gpz


def create(store, frames, chunks=(3, PARTICLES, 3), **arguments):
    arguments = {"compressors": Gpz(BOUND), "zarr_format": 2, **arguments}
    array = zarr.create_array(store=store, shape=frames.shape, chunks=chunks, dtype=frames.dtype, **arguments)
    array[...] = frames
    return array


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_values(dtype):
    frames = made(dtype)
    codec = Gpz(bound=BOUND, effort="fast")
    data = codec.encode(frames)
    assert gpz.frame_array(data).bound == BOUND
    require_close(codec.decode(data), frames)


@pytest.mark.parametrize(
    "view", [lambda x: x.T, np.asfortranarray, lambda x: x[::2, ::-1], lambda x: x[0], lambda x: x[0, 0, 0]]
)
def test_layouts(frames, view):
    """Values come back in the order of memory, as from codecs of numcodecs; views that have no such order in that of C."""
    values = np.asarray(view(frames))
    order = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
    back = Gpz(BOUND).decode(Gpz(BOUND).encode(values))
    require_close(back.ravel().reshape(values.shape, order=order), values)


@pytest.mark.parametrize("kind", ["array", "flat", "bytes", "bytearray"])
def test_out(frames, kind):
    data = Gpz(BOUND).encode(frames)
    wanted = gpz.decompress_frames(data)
    out = {
        "array": np.empty_like(frames),
        "flat": np.empty(frames.size, "f4"),
        "bytes": np.empty(frames.nbytes, "u1"),
        "bytearray": bytearray(frames.nbytes),
    }[kind]
    Gpz(BOUND).decode(data, out)
    assert np.array_equal(np.frombuffer(out, "f4"), wanted.ravel())


@pytest.mark.parametrize("count", [1, PARTICLES, 99999])
def test_out_of_another_size(frames, count):
    """Also not one value for all of them."""
    one, many = (Gpz(BOUND).encode(values) for values in (frames[0, 0, 0], frames))
    for data in (many,) if count == 1 else (one, many):
        with pytest.raises(gpz.ArgumentError, match=f"out: {4 * count} bytes, where the values take"):
            Gpz(BOUND).decode(data, np.empty(count, "f4"))


def test_configuration():
    codec = numcodecs.get_codec({"id": "gpz", "bound": 0.5, "effort": "dense"})
    assert codec == Gpz(0.5, "dense") and codec.get_config() == {"id": "gpz", "bound": 0.5, "effort": "dense"}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("chunks", [(1, PARTICLES, 3), (3, 77, 3)])
def test_zarr(tmp_path, frames, chunks, order):
    create(tmp_path / "a.zarr", frames, chunks, order=order)
    require_close(zarr.open_array(tmp_path / "a.zarr", mode="r")[...], frames)


def test_programs_that_do_not_import_gpz(tmp_path, frames):
    array = create(tmp_path / "a.zarr", frames)
    program = "import zarr, sys; print(zarr.open_array(sys.argv[1], mode='r')[4, 5].tobytes().hex())"
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, str(tmp_path / "a.zarr")], capture_output=True, text=True, check=False
    )
    assert done.stdout == array[4, 5].tobytes().hex() + "\n", done.stderr


@pytest.mark.parametrize("dtype", ["i4", "f2", ">f4", "c8", "bool"])
def test_other_types_are_refused(frames, dtype):
    with pytest.raises(gpz.ArgumentError, match="an array of float32 or float64, not of "):
        Gpz(BOUND).encode(frames.astype(dtype))


def test_filters_before_are_refused(frames):
    """A shuffled chunk is no array of floats any more."""
    with pytest.raises(gpz.ArgumentError, match="not of uint8"):
        create({}, frames, filters=[numcodecs.Shuffle(4)])


@pytest.mark.parametrize("data", [b"", b"abc", np.zeros(100, "u1")])
def test_other_bytes(data):
    with pytest.raises(gpz.Error):
        Gpz(BOUND).decode(data)
