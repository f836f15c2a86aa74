# SPDX-License-Identifier: BSD-3-Clause
"""The programs of docs/hdf5.md run, and what the page says of numbers is true."""

import json
import re
import struct
from pathlib import Path

import h5py
import numpy as np
import pytest

import gpz
import gpz.hdf5
from gpz.zarr import Gpz

PAGE = (Path(__file__).resolve().parents[3] / "docs/hdf5.md").read_text()


@pytest.mark.filterwarnings("ignore")
def test_the_programs_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, read = {}, {}
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(programs) == 5
    for program in programs:
        exec(program, names)  # noqa: S102
        read = read or {name: names[name] for name in ("frame", "some")}
    frames = names["frames"]
    assert np.abs(read["frame"].astype(float) - frames[7]).max() <= 0.0005
    assert np.abs(read["some"].astype(float) - frames[5:15]).max() <= 0.0005
    for name in ("run.zarr", "old.zarr"):
        assert np.abs(names["zarr"].open_array(name, mode="r")[...].astype(float) - frames).max() <= 0.0005
    with h5py.File("boxed.h5") as file:
        assert np.abs(file["position"][...].astype(float) - frames).max() <= 0.0005
    with h5py.File("run.h5md") as file:
        value = file["particles/trajectory/position/value"]
        assert value.id.get_create_plist().get_filter(0)[0] == gpz.hdf5.FILTER
        assert np.abs(value[...].astype(float) - frames * np.float32(10)).max() <= 0.005


def test_the_numbers_of_bounds():
    rows = re.findall(r"^\| ([0-9.]+) \| (\d+),(\d+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 4
    for bound, low, high in rows:
        assert struct.unpack("<d", struct.pack("<2I", int(low), int(high)))[0] == float(bound)
        assert gpz.hdf5.options(float(bound))["compression_opts"][:2] == (int(low), int(high))
    for low, high in re.findall(r"UD=32800,1,[23],(\d+),(\d+)", PAGE):
        assert struct.unpack("<d", struct.pack("<2I", int(low), int(high)))[0] == 0.0005


def test_the_dimensions(tmp_path):
    rows = re.findall(r"^\| \(([\d, ]+)\)(?:, a box)? \| (\d+), (\d+), (\d+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 4
    # Of other numbers of dimensions.
    for chunk, *numbers in [*rows, ("4, 32000", "4", "32000", "1"), ("2, 5, 400, 3", "10", "400", "3")]:
        chunk = tuple(int(length) for length in chunk.split(","))
        with h5py.File(tmp_path / "a.h5", "w") as file:
            made = file.create_dataset("x", chunk, "f4", chunks=chunk, **gpz.hdf5.options(1))
            components, particles, frames = made.id.get_create_plist().get_filter(0)[2][5:]
        assert [frames, particles, components] == [int(number) for number in numbers]


def test_the_metadata_of_zarr():
    (text,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert Gpz(0.0005).to_dict() == json.loads(text)
