# SPDX-License-Identifier: BSD-3-Clause
"""The error that values have already, because they were read from a .gpz file: the bounds of a new file hold for the original
values too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpz import _positions
from gpz._arguments import checked_number, shown
from gpz._errors import ArgumentError

if TYPE_CHECKING:
    from gpz._frame import Frame
    from gpz._head import Column

NUMBERS = {np.dtype(np.float32): 2, np.dtype(np.float64): 3}  # gpz::ValueType
ARITHMETIC = 16  # halves of a unit, which the library keeps of a bound for its own rounding, and more
SAMPLE = 4096  # values that are looked at to see whether they are on a grid
# Most values of a file are on its grid; some are stored exactly.
MOST = 8 / 9
DIGITS_OF_STEP = 6  # binary digits of a value below one step of its grid; with fewer, exact values may be smaller
# Half of the distance between two float32, and two float64, relative to the power of two above a value.
HALF_UNIT = 2.0**-25
HALF_UNIT_OF_DOUBLES = 2.0**-54
HALF_OF_LEAST = 2.0**-150  # half of the smallest float32 that is not 0


class Origin(NamedTuple):
    """How far values may be from those of the simulation, in units of the column.

    bound: no value is further away. 0: they are the original values, but for their rounding.
    step: distance between values of the grid that they were read from. 0: they are on no grid.
    largest_error: no value of this frame is further away; at most the bound.
    rounding: the largest change since they were read, by a conversion of units or of type.
    dtype: in the file: float32 or float64.
    """

    bound: float
    step: float = 0.0
    largest_error: float | None = None
    rounding: float = 0.0
    dtype: np.dtype = np.dtype(np.float64)

    def scaled(self, factor: float) -> Origin:
        """That of values which are multiplied by the factor."""
        error = None if self.largest_error is None else self.largest_error * factor
        return self._replace(
            bound=self.bound * factor, step=self.step * factor, largest_error=error, rounding=self.rounding * factor
        )

    def to_library(self) -> tuple[float, float, float, float, int]:
        error = self.bound if self.largest_error is None else min(self.largest_error, self.bound)
        return (self.bound, self.step, error, self.rounding, NUMBERS[np.dtype(self.dtype)])


EXACT = (0.0, 0.0, 0.0, 0.0, NUMBERS[np.dtype(np.float64)])  # of values that no file had before


def of_column(column: Column) -> Origin | None:
    """None for integers."""
    if column.dtype.kind != "f":
        return None
    return Origin(column.bound or 0.0, column.step, column.largest_error, 0.0, column.dtype)


def of_columns(frame: Frame, names: Sequence[str]) -> dict[str, Origin]:
    """The origin of each of these columns that the frame has."""
    infos = frame.column_info
    origins = {name: of_column(infos[name]) for name in names if name in infos}
    return {name: origin for name, origin in origins.items() if origin is not None}


def of_argument(origin: Frame | Mapping[str, Origin], names: Sequence[str], vectors: Mapping[str, Sequence[str]]) -> dict[str, Origin]:
    """The origin of each column: those of a frame, or those that a mapping gives for columns and vectors ("positions")."""
    if isinstance(origin, Mapping):
        result: dict[str, Origin] = {}
        for name, given in origin.items():
            columns = [column for column in vectors.get(name, (name,)) if column in names]
            if not columns:
                raise ArgumentError(f"origin[{name!r}]: there is no such column: there are {' '.join(names)}")
            result.update(dict.fromkeys(columns, checked(f"origin[{name!r}]", given)))
        return result
    if not hasattr(origin, "column_info"):
        raise TypeError(f"origin: a frame of a .gpz file, or a gpz.Origin for each column, not {shown(origin)}")
    positions = of_positions(origin)
    found = {} if positions is None else dict.fromkeys((name for name in _positions.WRAPPED if name in names), positions)
    return {**found, **of_columns(origin, names)}


def checked(name: str, origin: Origin) -> Origin:
    """TypeError, or ArgumentError, for what says nothing about errors."""
    if not isinstance(origin, Origin):
        raise TypeError(f"{name} is a gpz.Origin, not {shown(origin)}")
    for member in ("bound", "step", "largest_error", "rounding"):
        given = getattr(origin, member)
        if given is None and member == "largest_error":
            continue
        number = checked_number(f"{name}.{member}", given)
        if not 0 <= number < math.inf:
            raise ArgumentError(f"{name}.{member}: a finite number, and not negative: not {number:g}")
    if origin.dtype not in (np.float32, np.float64):
        raise ArgumentError(f"{name}.dtype is float32 or float64, not {shown(origin.dtype)}")
    return origin._replace(dtype=np.dtype(origin.dtype))


def of_positions(frame: Frame, columns: Sequence[str] | None = None) -> Origin | None:
    """That of frame.positions, distance units, or of positions from these columns. Those that were fractions of the box are on no
    grid."""
    stored = frame.position_columns if columns is None else columns
    if stored is None:
        return None
    origins = [of_column(frame.column_info[name]) for name in stored]
    for k, name in enumerate(stored):
        if name in _positions.SCALED and origins[k] is not None:
            origins[k] = origins[k].scaled(frame._head.largest_edge_sum)._replace(step=0.0)
    return joined(origins)


def joined(origins: Sequence[Origin | None]) -> Origin | None:
    """That of columns which become one field."""
    known = [origin for origin in origins if origin is not None]
    if not known:
        return None
    if len(known) == len(origins) and len({(origin.bound, origin.step, origin.dtype) for origin in known}) == 1:
        errors = [origin.largest_error for origin in known]
        error = None if None in errors else max(errors)
        return known[0]._replace(largest_error=error, rounding=max(origin.rounding for origin in known))
    return max(known, key=lambda origin: origin.bound)._replace(step=0.0, largest_error=None, rounding=max(origin.rounding for origin in known))


def rounded(origin: Origin, arrays: Sequence[np.ndarray]) -> Origin:
    """The origin with the rounding of values that the file has as float64, and the arrays as float32, unless it is counted already."""
    if origin.dtype != np.float64 or arrays[0].dtype != np.float32 or origin.rounding:
        return origin
    return origin._replace(rounding=origin.rounding + rounding_to(arrays))


def require_range(names: Sequence[str], origin: Origin, arrays: Sequence[np.ndarray]) -> None:
    """ArgumentError for infinities that may have been numbers, which float32 does not have."""
    if origin.dtype == np.float64 and arrays[0].dtype == np.float32 and any(np.isinf(array).any() for array in arrays):
        raise ArgumentError(
            f"{' '.join(names)}: inf, of float64 values that were read as float32: numbers above 3.4e38 become infinite so. "
            "Read them with dtype=numpy.float64"
        )


def computed(origin: Origin, arrays: Sequence[np.ndarray], operations: int) -> Origin:
    """That of values which were computed from those of the file in so many operations, each of which rounds."""
    return origin._replace(rounding=origin.rounding + operations * rounding_to(arrays))


def rounding_to(arrays: Sequence[np.ndarray]) -> float:
    """The largest rounding to a value of these arrays. A float32 of 0 may have been a number below all others."""
    if arrays[0].dtype != np.float32:
        return half_unit(arrays, HALF_UNIT_OF_DOUBLES)
    return max(half_unit(arrays, HALF_UNIT), HALF_OF_LEAST if len(arrays[0]) else 0.0)


def half_unit(arrays: Sequence[np.ndarray], unit: float) -> float:
    """A part of the power of two above the finite values: it stays the same from frame to frame, mostly."""
    largest = 0.0
    for array in arrays:
        if len(array):
            with np.errstate(invalid="ignore"):
                top = float(np.nanmax(np.abs(array[np.isfinite(array)]), initial=0.0))
            largest = max(largest, top)
    return math.ldexp(unit, math.frexp(largest)[1]) if largest else 0.0


def is_on_grid(origin: Origin, arrays: Sequence[np.ndarray]) -> bool:
    """Whether most values are still those of the file. A sample is looked at."""
    if not origin.step > 0 or not origin.rounding < origin.step / 4:
        return False
    values = np.concatenate([array[:: max(1, len(array) * len(arrays) // SAMPLE)] for array in arrays])
    values = values[np.isfinite(values)].astype(np.float64)
    single = origin.dtype == np.float32
    with np.errstate(over="ignore"):
        grid = np.rint(values / origin.step) * origin.step
        grid = grid.astype(np.float32).astype(np.float64) if single else grid
        changes = np.abs(values - grid)
    # Values that are so large that they are stored exactly say nothing.
    unit = HALF_UNIT if single else HALF_UNIT_OF_DOUBLES
    held = np.abs(values) * (unit * 2.0**DIGITS_OF_STEP) < origin.step
    return not held.any() or float(np.mean(changes[held] <= origin.rounding)) >= MOST


def in_type(origin: Origin | None, bound: float, step: float, arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """The arrays in the type of the file, if they get a grid: one of float32 would have less room in the bound."""
    widens = origin is not None and origin.dtype == np.float64 and bound > 0 and not step
    return [array.astype(np.float64, copy=False) for array in arrays] if widens else arrays


def choose(
    names: Sequence[str],
    origin: Origin | None,
    arrays: Sequence[np.ndarray],
    asked: float | None,
    usual: float,
    unchanged: bool,
) -> tuple[float, float, tuple]:
    """Bound, step and origin of a field as the library takes them.

    asked: the bound that the caller names. usual: the one of values that nothing is asked for; 0: they are exact.
    unchanged: whether the values are known to be those of the file.
    """
    if origin is None:
        return (usual if asked is None else asked), 0.0, EXACT
    require_range(names, origin, arrays)
    origin = rounded(origin, arrays)
    if asked == 0 and not origin.bound and origin.rounding:  # of the library: the bound that the values have already
        raise ArgumentError(
            f"{' '.join(names)}: within {origin.rounding:g} of the original, because of a rounding since it was read: a bound "
            "of 0 cannot be kept. Read it with dtype=numpy.float64, or write without a bound"
        )
    if asked is not None:
        # The library cannot tell exact values of the file from changed ones, for which there is no room.
        stays = unchanged and asked == origin.bound and not origin.rounding
        return asked, origin.step if stays else 0.0, origin.to_library()
    if unchanged or not usual or (not origin.bound and not origin.rounding) or is_on_grid(origin, arrays):
        return origin.bound, origin.step, origin.to_library()
    # Values that were changed since they were read: what is added is the usual bound, or that of their file.
    added = min(usual, origin.bound) or usual  # float64 (in_type) has room for it
    unit = HALF_UNIT if origin.dtype == np.float32 else HALF_UNIT_OF_DOUBLES
    if origin.step and added <= ARITHMETIC * half_unit(arrays, unit):
        return origin.bound, origin.step, origin.to_library()  # so large that no grid is within it
    return math.nextafter(origin.bound + origin.rounding + added, math.inf), 0.0, origin.to_library()
