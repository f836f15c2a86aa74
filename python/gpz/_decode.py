# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a frame as NumPy arrays: room for them, and decoding straight into it."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from gpz import _core, _positions
from gpz._arguments import checked_choice, checked_memory, checked_reading_threads, shown
from gpz._errors import ArgumentError, ColumnError, LimitError
from gpz._head import Head

# What is decoded into one array: a column, (N,); several columns, (N, k); or "positions", (N, 3).
Group = str | tuple[str, ...]
POSITIONS = "positions"

# decode(names, arrays, sort_by_id): the values of columns into (N,) arrays, by gpz._core. Returns the number of particles,
# which is smaller than N where some of the atoms are read.
Decode = Callable[[list, list, bool], int]


# Types of arrays that values are decoded into.
ROOM = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.float64))


class Options:
    """How the frames of a file are read."""

    def __init__(self, threads: int | None, max_memory: int | None, order: str | None, dtype):
        self.threads = checked_reading_threads(threads)
        self.max_memory = checked_memory(max_memory)
        self.order = checked_order(order)
        self.dtype = checked_dtype(dtype)

    def of_task(self, dtype: np.dtype) -> Options:
        """Options for one of several threads that decode parts of a file, and for floats of this type."""
        made = copy.copy(self)
        made.threads = 1
        if dtype.kind == "f":
            made.dtype = dtype
        return made

    def sorts(self, head: Head, order: str | None = None) -> bool:
        """Whether the frame is read in the order of ids. Without ids only an explicit wish for it is an error."""
        order = order or self.order
        column = head.columns.get("id")
        return order == "id" or (order is None and column is not None and column.dtype.kind == "i")

    def dtype_of(self, head: Head, names: Iterable[str], dtype: np.dtype | None = None) -> np.dtype:
        """The dtype of an array of these columns: int64 for integers, for floats `dtype`, else as they are stored."""
        stored = np.result_type(*(head.columns[name].dtype for name in names))
        return stored if stored.kind == "i" else dtype or self.dtype or stored

    def require_room(self, shape: tuple[int, ...], dtype: np.dtype) -> None:
        """Raises LimitError if an array takes more memory than a file may ask for. The number of particles is what the file says,
        and nothing has shown yet that it is true."""
        limit = self.max_memory or _core.default_memory_limit()
        if math.prod(shape) * dtype.itemsize > limit:
            raise LimitError(f"{shape[0]} particles take more memory than the limit of {limit} bytes")

    def new_array(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Room for decoded values. Raises LimitError."""
        self.require_room(shape, dtype)
        return np.empty(shape, dtype)


def checked_order(order: str | None) -> str | None:
    return None if order is None else checked_choice("order", order, ("id", "stored"))


def checked_dtype(dtype) -> np.dtype | None:
    """None for no wish."""
    if dtype is None:
        return None
    try:
        made = np.dtype(dtype)
    except TypeError:
        made = None
    if made not in (np.float32, np.float64):
        raise ArgumentError(f"dtype is float32 or float64, not {shown(dtype)}")
    return made


def checked_array(name: str, array: np.ndarray, shape: tuple[int, ...], kind: str) -> np.ndarray:
    """An array of the caller's for values of this shape: integers (kind "i") or floats ("f")."""
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name}: values go into NumPy arrays, not into {type(array).__name__}")
    if array.shape != shape:
        raise ArgumentError(f"{name}: the array has the shape {array.shape}, the frame needs {shape}")
    if array.dtype not in ROOM:
        raise TypeError(f"{name}: values go into arrays of int32, int64, float32 or float64, not of {array.dtype}")
    if array.dtype.kind != kind:
        raise ArgumentError(
            f"{name}: integers go to arrays of integers, floats to arrays of floats, not to {array.dtype}"
        )
    if not array.flags.writeable:
        raise ArgumentError(f"{name}: the array is read-only")
    return array


def checked_names(names) -> list[str]:
    """A list of columns. A text would be one of letters."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        example = names if isinstance(names, str) else "id"
        raise TypeError(f'columns: a list of names, as ["{_core.printable(example)}"], not {shown(names)}')
    return list(names)


def checked_out(out) -> dict[str, np.ndarray]:
    if not isinstance(out, Mapping):
        raise TypeError(f'out: a dict of arrays by the names of columns, as {{"q": array}}, not {shown(out)}')
    return dict(out)


def position_names(head: Head) -> tuple[str, ...]:
    """The columns of the positions. Raises ColumnError if there are none."""
    names = head.position_columns
    if names is None:
        raise ColumnError(f"no positions (x y, xu yu, xs ys or xsu ysu): there are {' '.join(head.columns)}")
    return names


def read_columns(decode: Decode, sort_by_id: bool, columns: Mapping[str, np.ndarray]) -> int:
    """Decodes columns into (N,) arrays of any strides. Returns the number of particles."""
    arrays, detours = [], []
    for array in columns.values():
        target = array
        if any(stride % array.itemsize for stride in array.strides):  # a member of a packed structure
            target = array.copy()
            detours.append((array, target))
        arrays.append(target)
    count = decode(list(columns), arrays, sort_by_id)
    for array, target in detours:
        array[...] = target
    return count


def read_groups(decode: Decode, head: Head, options: Options, groups: Iterable[Group]) -> list[np.ndarray]:
    """One new array for each group, all of them decoded in one go. The head has the largest number of particles that there
    may be."""
    columns: dict[str, np.ndarray] = {}
    copies, results = [], []
    scaled = None
    for group in groups:
        names = position_names(head) if group == POSITIONS else (group,) if isinstance(group, str) else group
        width = () if isinstance(group, str) and group != POSITIONS else (max(len(names), 3),)
        dtype = options.dtype_of(head, names)
        is_scaled = group == POSITIONS and _positions.is_scaled(names)
        # Fractions of the box are rounded to float32 once, as coordinates.
        result = options.new_array((head.n_particles, *width), np.dtype(np.float64) if is_scaled else dtype)
        for k, name in enumerate(names):
            target = result[:, k] if width else result
            if name in columns:  # in two groups: decoded once
                copies.append((target, columns[name]))
            else:
                columns[name] = target
        if group == POSITIONS:
            result[:, len(names) :] = 0
        if is_scaled:
            scaled = len(results), dtype
        results.append(result)
    count = read_columns(decode, options.sorts(head), columns)
    for target, values in copies:
        target[...] = values
    results = [cut(result, count) for result in results]
    if scaled is not None:
        place, dtype = scaled
        to_cartesian(head, results[place])
        results[place] = results[place].astype(dtype, copy=False)
    return results


def cut(array: np.ndarray, count: int) -> np.ndarray:
    """The first rows of an array, without keeping the memory of the others."""
    return array if count == len(array) else array[:count].copy()


def to_cartesian(head: Head, positions: np.ndarray) -> None:
    """Makes fractions of the box coordinates, in place."""
    _positions.to_cartesian(head.box, position_names(head), positions)
