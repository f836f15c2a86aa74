# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in memory as bytes: a .gpz file of one frame, which has the array as columns."""

from __future__ import annotations

import json
import math
import os

import numpy as np
import numpy.typing as npt

from gpz import _box, _core, _files
from gpz._arguments import checked_threads, require_plain, shown
from gpz._checks import checked_bound
from gpz._errors import ArgumentError, NotGpzError
from gpz._trajectory import open as open_file

MADE_BY = "gpz.compress"
# Arrays of more columns are stored as one.
MOST_COLUMNS = 64


def compress(array: npt.ArrayLike, bound: float, *, threads: int = 1) -> bytes:
    """Compresses an array of any shape.

    array: float32, float64, integers or bool; other types of floats and integers come back as they are.
    bound: the largest absolute error of a value; 0: exact. Integers are always exact, and have to be given with 0. NaN,
        infinities and what the bound cannot hold are kept bit by bit.

    The order of the elements stays. For particles with ids use gpz.Writer, which is smaller.
    """
    require_plain("array", array)
    try:
        array = np.asarray(array)
    except ValueError:
        raise ArgumentError(f"array: rows of different lengths: {shown(array)}") from None
    bound = checked_bound("bound", bound)
    threads = checked_threads(threads)
    stored = {"f": np.float32 if array.dtype.itemsize <= 4 else np.float64, "i": np.int64, "u": np.int64, "b": np.int64}
    if array.dtype.kind not in stored or array.dtype.itemsize > 8:
        raise ArgumentError(f"array: floats and integers of at most 64 bits, or bools, not {array.dtype}")
    if array.dtype.kind != "f" and bound:
        raise ArgumentError(f"bound={bound:g}: integers are stored without loss. Give bound=0")
    columns = as_columns(array)
    fields = [
        (
            [str(c)],
            [column.view(np.int64) if column.dtype == np.uint64 else native(column, stored[array.dtype.kind])],
            0,
            False,
            bound,
        )
        for c, column in enumerate(columns)
    ]
    described = {
        "generator": MADE_BY,
        "command": json.dumps({"shape": array.shape, "dtype": array.dtype.newbyteorder("=").str}),
    }
    writer = _core.Writer.of_memory(described, threads)
    writer.write(len(columns[0]), 0, math.nan, _box.to_library(None), fields, [])
    writer.close()
    return writer.memory()


def decompress(data: bytes, *, threads: int = 1, max_memory: int | None = None) -> np.ndarray:
    """The array that gpz.compress made these bytes of. Raises gpz.CorruptError and other gpz.Error."""
    wanted = "data: the bytes that gpz.compress made, or a binary file object"
    if isinstance(data, (str, os.PathLike)):
        raise TypeError(f"{wanted}, not {shown(data)}")
    file = open_file(_files.source_of(data, wanted), threads=threads, max_memory=max_memory, order="stored")
    if file.metadata["generator"] != MADE_BY or len(file) != 1:
        raise NotGpzError("not made by gpz.compress: gpz.open(data) reads .gpz files in memory")
    shape, dtype = shape_of(file.metadata["command"])
    values = file.read(0)
    columns = [values[str(c)] for c in range(len(values))]
    if not columns or sum(len(column) for column in columns) != math.prod(shape):
        raise NotGpzError("the shape of the array is not that of its values")
    if len(columns) == 1:
        return restored(columns[0], dtype).reshape(shape)
    result = np.empty((len(columns[0]), len(columns)), dtype)
    for c, column in enumerate(columns):
        result[:, c] = restored(column, dtype)
    return result.reshape(shape)


def as_columns(array: np.ndarray) -> list[np.ndarray]:
    """The components along the last axis, or all values in a row."""
    if array.ndim >= 2 and 0 < array.shape[-1] <= MOST_COLUMNS:
        rows = array.reshape(-1, array.shape[-1])
        return [rows[:, c] for c in range(rows.shape[1])]
    return [array.reshape(-1)]


def native(column: np.ndarray, dtype) -> np.ndarray:
    return column.astype(dtype, copy=False)


def restored(column: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return column.view(np.uint64) if dtype == np.uint64 else column.astype(dtype, copy=False)


def shape_of(text: str) -> tuple[tuple[int, ...], np.dtype]:
    try:
        described = json.loads(text)
        shape, dtype = tuple(map(int, described["shape"])), np.dtype(described["dtype"])
    except (ValueError, TypeError, KeyError) as error:
        raise NotGpzError("the file does not say what the shape of the array is") from error
    if dtype.kind not in "fiub" or dtype.itemsize > 8 or any(length < 0 for length in shape):
        raise NotGpzError("the file does not say what the shape of the array is")
    return shape, dtype
