# SPDX-License-Identifier: BSD-3-Clause
"""gpz.compress and gpz.decompress."""

import json

import numpy as np
import pytest

import gpz

NORMAL = np.random.default_rng(1).normal(size=(60, 3))
ARRAYS = {
    "positions": NORMAL,
    "float32": NORMAL.astype(np.float32),
    "float16": NORMAL.astype(np.float16),
    "big endian": NORMAL.astype(">f8"),
    "fortran": np.asfortranarray(NORMAL),
    "strided": NORMAL[::3, ::-1],
    "one value": np.array(3.5),
    "three axes": NORMAL.reshape(4, 5, 9),
    "wide": NORMAL.reshape(2, 90),
    "empty": np.zeros((0, 3)),
    "no columns": np.zeros((3, 0)),
    "int16": np.arange(-5, 5, dtype=np.int16),
    "uint64": np.array([0, 1, 2**64 - 1], np.uint64),
    "bool": NORMAL > 0,
    "special": np.array([np.nan, np.inf, -np.inf, 1e300, -0.0]),
}


@pytest.mark.parametrize("bound", [0, 1e-3])
@pytest.mark.parametrize("name", ARRAYS)
def test_round_trip(name, bound):
    array = ARRAYS[name]
    if array.dtype.kind != "f" and bound:
        with pytest.raises(gpz.ArgumentError):
            gpz.compress(array, bound)
        return
    again = gpz.decompress(gpz.compress(array, bound))
    assert again.shape == array.shape and again.dtype == array.dtype.newbyteorder("=")
    if bound == 0 or name == "special":
        np.testing.assert_array_equal(again, array)
        np.testing.assert_array_equal(np.signbit(again), np.signbit(array))
    elif name == "float16":  # the bound, and rounding to the nearest float16
        np.testing.assert_allclose(again, array, rtol=2**-11, atol=bound)
    else:
        assert np.abs(again - array).max(initial=0) <= bound


def test_smaller():
    """Steps of 0.01 over a range of 1 take 6 to 7 bits instead of 64."""
    values = np.random.default_rng(1).random((10_000, 3))
    assert len(gpz.compress(values, 5e-3)) < values.nbytes / 7


def test_refused():
    for array in (np.array(["text"]), np.array([1j]), np.zeros(3, "M8[s]")):
        with pytest.raises(gpz.ArgumentError):
            gpz.compress(array, 0)
    for bound in (-1.0, np.nan, np.inf):
        with pytest.raises(gpz.ArgumentError):
            gpz.compress(NORMAL, bound)


def test_not_made_by_compress(sample):
    with pytest.raises(gpz.NotGpzError):
        gpz.decompress(b"no such thing")
    with pytest.raises(gpz.NotGpzError, match="gpz.open"):
        gpz.decompress(sample.path.read_bytes())


@pytest.mark.parametrize(
    "described",
    [
        "",
        "[]",
        json.dumps({"shape": [-2, -2], "dtype": "<f8"}),
        json.dumps({"shape": [5], "dtype": "<f8"}),
        json.dumps({"shape": [2**40, 2**40], "dtype": "<f8"}),
        json.dumps({"shape": [4], "dtype": "O"}),
        json.dumps({"shape": [4], "dtype": "nothing"}),
        json.dumps({"shape": "four", "dtype": "<f8"}),
        json.dumps({"dtype": "<f8"}),
    ],
)
def test_hostile_shapes(tmp_path, described):
    path = tmp_path / "hostile.gpz"
    with gpz.Writer(path, metadata={"generator": "gpz.compress", "command": described}) as writer:
        writer.write(**{"0": np.zeros(4)})
    with pytest.raises(gpz.Error):
        gpz.decompress(path.read_bytes())


def test_damage():
    data = bytearray(gpz.compress(NORMAL, 1e-3))
    data[len(data) // 2] ^= 1
    with pytest.raises(gpz.Error):
        gpz.decompress(bytes(data))
