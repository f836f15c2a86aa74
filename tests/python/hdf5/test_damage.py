# SPDX-License-Identifier: BSD-3-Clause
"""Damaged files give errors or the right values. Settings of a dataset that contradict its chunks are refused."""

import struct

import h5py
import numpy as np
import pytest
from conftest import BOUND, FRAMES, PARTICLES

import gpz
import gpz.hdf5

LOW, HIGH = struct.unpack("<2I", struct.pack("<d", BOUND))


@pytest.mark.parametrize("length", [1, 5])
def test_flipped_bits(write, read, frames, tmp_path, length):
    path = write(frames, chunks=(length, PARTICLES, 3))
    with h5py.File(path) as file:
        places = [file["x"].id.get_chunk_info(k) for k in range(FRAMES // length)]
    whole, wanted = path.read_bytes(), read(path)
    random = np.random.default_rng(1)
    damaged = tmp_path / "damaged.h5"
    refused = 0
    for _ in range(60):
        data = bytearray(whole)
        place = places[random.integers(len(places))]
        data[place.byte_offset + random.integers(place.size)] ^= 1 << random.integers(8)
        damaged.write_bytes(data)
        for call in (read, read_by_chunks):
            try:
                values = call(damaged)
            except (OSError, gpz.Error):
                refused += 1
            else:
                assert np.array_equal(values, wanted)
    assert refused == 120


def read_by_chunks(path):
    with h5py.File(path) as file:
        return gpz.hdf5.read(file["x"], threads=2)


def test_errors_have_the_cause(write, read, frames):
    path = write(frames)
    with h5py.File(path, "a") as file:
        _, data = file["x"].id.read_direct_chunk((2, 0, 0))
        file["x"].id.write_direct_chunk((2, 0, 0), data[:-1])
        file["x"].id.write_direct_chunk((3, 0, 0), b"GPZ")
        file["x"].id.write_direct_chunk((4, 0, 0), frames[4].tobytes())
    with pytest.raises(OSError, match="the checksum of the frame array does not hold"):
        read(path, 2)
    for frame in (3, 4):
        with pytest.raises(OSError, match="frame array: "):
            read(path, frame)
    assert np.abs(read(path, 5).astype(float) - frames[5]).max() <= BOUND


def with_settings(path, old, new):
    """The file with other values of the filter, 32 bits each, in the description of the dataset."""
    data = path.read_bytes()
    packed = struct.pack(f"<{len(old)}I", *old)
    assert data.count(packed) == 1
    path.write_bytes(data.replace(packed, struct.pack(f"<{len(new)}I", *new)))


@pytest.mark.parametrize(
    "settings, says",
    [
        ((LOW, HIGH, 1, 1, 4, 3, PARTICLES - 1, 1), "other frames, particles, components or type"),
        ((LOW, HIGH, 1, 1, 4, 3, 0xFFFFFFFF, 0xFFFFFFFF), "other frames, particles, components or type"),
        ((LOW, HIGH, 1, 1, 8, 3, PARTICLES, 1), "other frames, particles, components or type"),
        ((LOW, HIGH, 1, 1, 0, 0, 0, 0), "other frames, particles, components or type"),
        ((LOW, HIGH, 1, 1, 5, 3, PARTICLES, 1), "says an unknown type"),
        ((LOW, HIGH, 1, 0, 4, 3, PARTICLES, 1), "says nothing of its chunks"),
        ((LOW, HIGH, 3, 1, 4, 3, PARTICLES, 1), "not 3"),
        ((0, 0xFFF00000, 1, 1, 4, 3, PARTICLES, 1), "negative or not finite"),
    ],
)
def test_settings_that_contradict_the_chunks(write, read, frames, settings, says):
    path = write(frames)
    with_settings(path, (LOW, HIGH, 1, 1, 4, 3, PARTICLES, 1), settings)
    with pytest.raises(OSError) as error:
        read(path)
    assert says in str(error.value)


@pytest.mark.parametrize("threads", [1, 2])
def test_settings_that_are_forged_together_with_the_chunks(write, frames, threads):
    """HDF5 would read beyond the 40 particles."""
    path = write(frames)
    with_settings(path, (LOW, HIGH, 1, 1, 4, 3, PARTICLES, 1), (LOW, HIGH, 1, 1, 4, 3, 40, 1))
    with h5py.File(path, "a") as file:
        file["x"].id.write_direct_chunk((3, 0, 0), gpz.compress_frames(frames[3:4, :40], BOUND))
        with pytest.raises(gpz.CorruptError, match=r"\(1, 40, 3\), where its array has float32 and \(1, 400, 3\)"):
            gpz.hdf5.read(file["x"], threads=threads)


def test_the_kept_chunk_is_that_of_its_settings(write, read, frames):
    """The chunk that was decompressed last is kept, also for another file; not for one with other settings."""
    first, second = write(frames, name="1.h5"), write(frames, name="2.h5")
    with_settings(second, (LOW, HIGH, 1, 1, 4, 3, PARTICLES, 1), (LOW, HIGH, 1, 1, 4, 1, 3 * PARTICLES, 1))
    read(first, 0)
    with pytest.raises(OSError, match="other frames, particles, components or type"):
        read(second, 0)
