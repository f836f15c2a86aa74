# SPDX-License-Identifier: BSD-3-Clause
"""h5dump and h5repack of hdf5-tools: another HDF5 library, of another version, which knows nothing of gpz.hdf5."""

import re
import struct

import h5py
import numpy as np
import pytest
from conftest import BOUND, FRAMES, PARTICLES, require_close, was_compressed

LOW, HIGH = struct.unpack("<2I", struct.pack("<d", BOUND))


@pytest.fixture
def plain(tmp_path, frames):
    """An uncompressed file: frames "x", integers "n", floats in the other byte order "big"."""
    with h5py.File(tmp_path / "plain.h5", "w") as file:
        file.create_dataset("x", data=frames, chunks=(1, PARTICLES, 3), maxshape=(None, PARTICLES, 3))
        file.create_dataset("n", data=(frames * 1000).astype("i4"), chunks=(1, PARTICLES, 3))
        file.create_dataset("big", data=frames.astype(">f4"), chunks=(1, PARTICLES, 3))
        file["x"].attrs["units"] = "nm"
    return tmp_path / "plain.h5"


@pytest.mark.parametrize("values", [f"2,{LOW},{HIGH}", f"3,{LOW},{HIGH},0"])
def test_h5repack_compresses_a_dataset(run, plain, tmp_path, frames, values):
    run("h5repack", "-f", f"/x:UD=32800,1,{values}", plain, tmp_path / "made.h5")
    with h5py.File(tmp_path / "made.h5") as file:
        require_close(file["x"][...], frames)
        assert all(was_compressed(file["x"])) and file["x"].attrs["units"] == "nm" and file["x"].maxshape[0] is None
        effort = 1 if values[0] == "2" else 0
        assert file["x"].id.get_create_plist().get_filter(0)[2] == (LOW, HIGH, effort, 1, 4, 3, PARTICLES, 1)
        assert file["n"].id.get_create_plist().get_nfilters() == 0


def test_h5repack_of_all_datasets_leaves_others_unharmed(run, plain, tmp_path, frames):
    run("h5repack", "-f", f"UD=32800,1,2,{LOW},{HIGH}", plain, tmp_path / "made.h5")
    with h5py.File(tmp_path / "made.h5") as file, h5py.File(plain) as before:
        require_close(file["x"][...], frames)
        for name in ("n", "big"):
            assert file[name][...].tobytes() == before[name][...].tobytes() and not any(was_compressed(file[name]))


@pytest.mark.parametrize(
    "name, filters, says",
    [
        ("n", ["/n:UD=32800,0,2,{},{}"], "the filter gpz compresses float32 and float64"),  # flag 0: must not fail
        ("x", ["/x:SHUF", "/x:UD=32800,1,2,{},{}"], "gpz has to be the first filter"),
    ],
)
def test_h5repack_copies_what_the_filter_refuses(run, plain, tmp_path, name, filters, says):
    words = [word for text in filters for word in ("-f", text.format(LOW, HIGH))]
    printed = run("h5repack", "--enable-error-stack", *words, plain, tmp_path / "made.h5")
    assert says in printed
    with h5py.File(tmp_path / "made.h5") as file, h5py.File(plain) as before:
        assert file[name].id.get_create_plist().get_nfilters() == 0
        assert np.array_equal(file[name][...], before[name][...])


def test_h5repack_without_the_plugin_leaves_the_dataset_out(run, write, tmp_path, frames):
    printed = run("h5repack", "-f", "x:NONE", write(frames), tmp_path / "copy.h5", plugin=False)
    assert "cannot be read, user defined filter is not available" in printed
    with h5py.File(tmp_path / "copy.h5") as file:
        assert "x" not in file


def test_h5repack_and_back(run, plain, tmp_path, frames):
    made, back = tmp_path / "made.h5", tmp_path / "back.h5"
    run("h5repack", "-l", f"/x:CHUNK=5x{PARTICLES}x3", "-f", f"/x:UD=32800,1,2,{LOW},{HIGH}", plain, made)
    run("h5repack", "-f", "/x:NONE", made, back)
    with h5py.File(made) as compressed, h5py.File(back) as file:
        assert compressed["x"].chunks == (5, PARTICLES, 3)
        assert file["x"].id.get_create_plist().get_nfilters() == 0
        assert np.array_equal(file["x"][...], compressed["x"][...])
        require_close(file["x"][...], frames)


def test_h5repack_of_what_is_compressed(run, write, tmp_path, frames):
    """What is stored with the dataset, eight values, goes through h5repack; other chunks get values of their own."""
    path = write(frames)
    run("h5repack", path, tmp_path / "same.h5")
    run("h5repack", "-l", "x:CHUNK=2x100x3", path, tmp_path / "other.h5")
    for name, says in (("same.h5", (3, PARTICLES, 1)), ("other.h5", (3, 100, 2))):
        with h5py.File(tmp_path / name) as file:
            require_close(file["x"][...], frames)
            assert file["x"].id.get_create_plist().get_filter(0)[2][5:] == says
            assert all(was_compressed(file["x"]))


def test_h5dump_reads(run, write, frames):
    printed = run("h5dump", "-d", "x", "-s", f"{FRAMES - 1},7,0", "-c", "1,1,3", "-m", "%.9g", write(frames))
    numbers = [float(text) for text in re.findall(rf"\({FRAMES - 1},7,\d\): ([-0-9.e]+)", printed)]
    assert len(numbers) == 3
    assert np.abs(np.array(numbers) - frames[-1, 7].astype(float)).max() <= BOUND


def test_h5dump_shows_the_filter(run, write, frames):
    printed = run("h5dump", "-p", "-H", write(frames))
    low, high = struct.unpack("<2i", struct.pack("<d", BOUND))  # h5dump prints numbers with a sign
    assert "FILTER_ID 32800" in printed and f"PARAMS {{ {low} {high} 1 1 4 3 {PARTICLES} 1 }}" in printed


def test_h5dump_without_the_plugin(run, write, frames):
    """It prints no value and no error unless it is asked for errors."""
    printed = run("h5dump", "-d", "x", "-c", "1,1,3", write(frames), plugin=False)
    assert "(0,0,0)" not in printed and "filter" not in printed
    printed = run("h5dump", "--enable-error-stack", "-d", "x", "-c", "1,1,3", write(frames), plugin=False)
    assert "required filter 'gpz: particles within an error bound' is not registered" in printed


def test_h5dump_names_damage(run, write, frames):
    path = write(frames)
    with h5py.File(path) as file:
        place = file["x"].id.get_chunk_info(0).byte_offset
    data = bytearray(path.read_bytes())
    data[place + 100] ^= 4
    path.write_bytes(data)
    printed = run("h5dump", "--enable-error-stack", "-d", "x", "-c", "1,1,3", path)
    assert "the checksum of the frame array does not hold" in printed
