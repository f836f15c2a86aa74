# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of particles as the columns of a frame, of which none may change its meaning on the way into the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpz import _origins, _positions
from gpz._arguments import as_array, shown
from gpz._errors import ArgumentError
from gpz._frame import SCALARS, VECTORS, Frame

# Arguments of Writer.write, and the columns that they stand for.
ARGUMENTS = {"positions": _positions.WRAPPED, **{name: (column,) for name, column in SCALARS.items()}, **VECTORS}
# These columns have whole numbers, also if they come as floats.
WHOLE = {*SCALARS.values(), *VECTORS["images"]}
LARGEST = np.iinfo(np.int64).max
EXACT = 2.0**53  # above it, not every integer is a float64


class KeptColumns:
    """Columns of a frame of another file that are not given.

    values: by column. displays: of columns. origins: of columns of floats. unchanged: columns that nobody has changed.
    """

    def __init__(self, frame: Frame | None, given: Mapping[str, np.ndarray], replaces_positions: bool):
        self.values: dict[str, np.ndarray] = {}
        self.displays: dict[str, str] = {}
        self.origins: dict[str, _origins.Origin] = {}
        self.unchanged: set[str] = set()
        if frame is None:
            return
        handed_out = frame.handed_out()
        frame.load()
        positions = frame.position_columns or ()
        replaced = (*_positions.WRAPPED, *positions) if replaces_positions else ()
        names = [*positions, *(name for name in frame if name not in positions)]
        # Fractions of the box stay fractions.
        self.values = {name: frame[name] for name in names if name not in given and name not in replaced}
        self.displays = {name: column.display for name, column in frame.column_info.items()}
        # What replaces values of the frame was computed from them, unless the caller says otherwise (take_origins).
        self.origins = {**_origins.of_argument(frame, list(given), ARGUMENTS), **_origins.of_columns(frame, list(self.values))}
        self.unchanged = set(self.values) - handed_out

    def take_origins(self, origin: Frame | Mapping[str, _origins.Origin], names: Sequence[str]) -> None:
        """The argument `origin` of Writer.write, for columns that are given."""
        for name in names:
            self.origins.pop(name, None)
        self.origins.update(_origins.of_argument(origin, names, ARGUMENTS))


def given_columns(arguments: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The columns of what a caller gives: by the names of ARGUMENTS (None: nothing), and by their own names."""
    values: dict[str, np.ndarray] = {}
    for argument, given in arguments.items():
        if given is None:
            continue
        names = ARGUMENTS[argument]
        twice = [name for name in names if name in columns]
        if twice:
            raise ArgumentError(f"{twice[0]}= next to {argument}=: the column {twice[0]} has two values. Leave one out")
        if len(names) == 1:
            values[names[0]] = column_of(argument, given, names[0])
        else:
            values.update(split(argument, given, names))
    values.update({name: column_of(name, given) for name, given in columns.items()})
    return values


def column_of(name: str, values: npt.ArrayLike, column: str | None = None) -> np.ndarray:
    """(N,): an array that the library takes, without a copy where that is possible. `name`: in messages."""
    column = name if column is None else column
    require_name(column)
    if isinstance(values, Mapping):
        raise TypeError(f"{name}: an array, not a dict. A column is a keyword argument: write(q=values), write(**columns)")
    array = array_of(name, values)
    if array.ndim == 0 and array.dtype.kind in "biuf":
        raise ArgumentError(f"{name}: one number, {array}, where each particle has one: numpy.full(N, {array})")
    if array.ndim != 1:
        raise ArgumentError(f"{name}: the array has the shape {array.shape}, not (N,)")
    if column in WHOLE:
        array = whole(name, array)
    if array.dtype.kind in "biu":
        native: type = np.int32 if array.dtype == np.int32 else np.int64
    else:
        native = np.float32 if array.dtype.itemsize <= 4 else np.float64
    aligned = all(stride % array.itemsize == 0 for stride in array.strides)
    return array.astype(native, copy=not aligned)


def split(name: str, values: npt.ArrayLike, columns: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The columns of an (N, 3) or (N, 2) array, which they are views of."""
    array = array_of(name, values)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ArgumentError(f"{name}: the array has the shape {array.shape}, not (N, 3) or (N, 2)")
    if name != "images":
        array = as_floats(name, array)
    return {columns[k]: column_of(name, array[:, k], columns[k]) for k in range(array.shape[1])}


def array_of(name: str, values: npt.ArrayLike) -> np.ndarray:
    """An array of integers, bools or floats of at most 64 bits, with the numbers that were given."""
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
        large = [value for value in array.flat if type(value) is int] if array.dtype.kind == "O" else []
        example = large or ([array.flat[0]] if array.size and array.dtype.kind == "O" else [])
        what = f", such as {shown(example[0] if not large else max(large, key=abs))}" if example else ""
        raise ArgumentError(f"{name}: the array is of {array.dtype}{what}, not of numbers with at most 64 bits")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        refuse(name, array, array > LARGEST, "is too large: integers have at most 63 bits and a sign")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            kept = array.astype(np.float64)
        refuse(name, array, ~((kept == array) | np.isnan(array)), "is no float64: round it, as by astype(numpy.float64)")
        array = kept
    return array


def whole(name: str, array: np.ndarray) -> np.ndarray:
    """Integers. Floats become integers if each stands for one, and for no other."""
    if array.dtype.kind == "b":
        raise ArgumentError(f"{name}: whole numbers, not an array of bool")
    if array.dtype.kind != "f":
        return array
    most = min(2.0 ** (np.finfo(array.dtype).nmant + 1), EXACT)
    refuse(name, array, array != np.floor(array), "is no whole number")
    refuse(name, array, ~(np.abs(array) <= most), f"is too large for {array.dtype} to be sure of: give integers")
    return array.astype(np.int64)


def as_floats(name: str, array: np.ndarray) -> np.ndarray:
    """Floats. Integers become float64, if they are the same there."""
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind == "b":
        raise ArgumentError(f"{name}: numbers, not an array of bool")
    if array.dtype.itemsize == 8:
        refuse(name, array, (array > int(EXACT)) | (array < -int(EXACT)), "is an integer that float64 does not have")
    return array.astype(np.float64)


def refuse(name: str, array: np.ndarray, wrong: np.ndarray, why: str) -> None:
    """ArgumentError with the first wrong value and its row, if there is one."""
    if wrong.any():
        place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        raise ArgumentError(f"{name}: {array[place]} in row {place[0]} {why}")


def require_name(column: str) -> None:
    """ArgumentError for a name that cannot be in a file. Bytes of files that are no UTF-8 can (surrogateescape)."""
    try:
        column.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ArgumentError(f"{column!a}: a name of a column has characters that are in UTF-8") from None


def require_known_types(types: np.ndarray, elements: Sequence[str], labels: Sequence[str]) -> None:
    """ArgumentError for types that the elements and type labels of the file do not name."""
    count = max(len(elements), len(labels))
    if not count or not len(types) or (types.min() >= 1 and types.max() <= count):
        return
    names = f"elements {' '.join(elements)}" if len(elements) == count else f"type labels {' '.join(labels)}"
    refuse("types", types, (types < 1) | (types > count), f"is no type of the file, which are 1 to {count} ({names})")


def are_row_numbers(ids: np.ndarray) -> bool:
    """Whether they are 1, 2, ..."""
    return len(ids) > 0 and ids[0] == 1 and ids[-1] == len(ids) and np.array_equal(ids, np.arange(1, len(ids) + 1))


def repeated(ids: np.ndarray) -> tuple[int, int, int] | None:
    """An id that occurs twice, and its first two rows: of all such pairs of rows, that whose second comes first."""
    if len(ids) < 2 or (ids[1:] > ids[:-1]).all():
        return None
    least, most = int(ids.min()), int(ids.max())
    if most - least < 4 * len(ids):  # in O(N), without sorting
        seen = np.zeros(most - least + 1, bool)
        seen[ids.astype(np.int64) - least] = True
        if np.count_nonzero(seen) == len(ids):
            return None
    order = np.argsort(ids, kind="stable")
    again = np.flatnonzero(ids[order[1:]] == ids[order[:-1]])
    if not len(again):
        return None
    k = again[np.argmin(order[again + 1])]
    return int(ids[order[k]]), int(order[k]), int(order[k + 1])
