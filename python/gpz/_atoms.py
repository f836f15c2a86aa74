# SPDX-License-Identifier: BSD-3-Clause
"""Some of the atoms of a file: the argument `atoms` of gpz.open."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from gpz import _core
from gpz._arguments import as_array, checked_number, shown
from gpz._errors import ArgumentError
from gpz._frame import Frame

KEYS = ("ids", "types", "region")
MEANING = (
    "ids (an array, a range or a slice of them), a mask of the first frame, a function that makes one of them of the first "
    f"frame, or a dict with {', '.join(KEYS)}"
)
INT64 = np.iinfo(np.int64)
Interval = tuple[float, float]


class Atoms:
    """Which atoms are read, as `gpz select` has it: by ids, types and region, all of which must hold in a frame.

    Can be pickled: ids of a mask or a function are those that it gave.
    """

    def __init__(self, atoms: Any, first: Callable[[], Frame]):
        """first: the first frame with all its atoms, for masks and functions."""
        self.ids: np.ndarray | None = None
        self.id_ranges: list[tuple[int, int]] = []  # first and last
        self.types: list[str] | None = None
        self.region: list[Interval] | None = None
        if isinstance(atoms, Mapping):
            unknown = [key for key in atoms if key not in KEYS]
            if unknown or not atoms:
                raise ArgumentError(f"atoms: a dict with {', '.join(KEYS)}, not {shown(atoms)}")
            if "types" in atoms:
                self.types = checked_types(atoms["types"])
            if "region" in atoms:
                self.region = checked_region(atoms["region"])
            if "ids" not in atoms:
                return
            atoms = atoms["ids"]
        if callable(atoms):
            atoms = atoms(first())
        self._take_ids(atoms, first)

    def _take_ids(self, atoms: Any, first: Callable[[], Frame]) -> None:
        self.ids = np.empty(0, np.int64)
        if isinstance(atoms, (slice, range)) and atoms.step in (None, 1):
            start = INT64.min if atoms.start is None else checked_id(atoms.start)
            stop = INT64.max + 1 if atoms.stop is None else checked_id(atoms.stop)
            first_id, last_id = max(start, INT64.min), min(stop - 1, INT64.max)
            if first_id <= last_id:
                self.id_ranges = [(int(first_id), int(last_id))]
            return
        if isinstance(atoms, slice):
            if atoms.start is None or atoms.stop is None:
                raise ArgumentError(f"atoms: a slice of ids with a step has two ends, and not {shown(atoms)}")
            atoms = range(checked_id(atoms.start), checked_id(atoms.stop), atoms.step)
        if atoms is None or isinstance(atoms, (str, bytes)):
            raise TypeError(f"atoms: {MEANING}, not {shown(atoms)}")
        values = as_array("atoms", list(atoms) if isinstance(atoms, (range, set, frozenset)) else atoms)
        if values.dtype == np.bool_:
            values = ids_of_mask(values, first())
        if values.ndim != 1 or (values.dtype.kind not in "iu" and len(values)):
            raise TypeError(f"atoms: {MEANING}, not {shown(atoms)}")
        if values.dtype.kind == "u" and len(values) and values.max() > INT64.max:
            raise ArgumentError(f"atoms: ids have 64 bits, and {values.max()} has not")
        self.ids = np.ascontiguousarray(values, np.int64)

    def for_library(self, elements: list[str], labels: list[str]) -> _core.Selection:
        """The selection for a file with these names of types. ArgumentError for a name that the file does not have."""
        return _core.Selection.make(self.ids, self.id_ranges, self.types, self.region, elements, labels)


def checked_id(number: Any) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"atoms: ids are whole numbers, not {shown(number)}") from None


def ids_of_mask(mask: np.ndarray, frame: Frame) -> np.ndarray:
    ids = frame.ids
    if ids is None:
        raise ArgumentError("atoms: the first frame has no ids, so that a mask cannot name atoms of other frames")
    if mask.shape != ids.shape:
        raise ArgumentError(f"atoms: a mask of the first frame has the shape {ids.shape}, not {mask.shape}")
    return ids[mask]


def checked_types(types: Any) -> list[str]:
    """Numbers, ranges "A:B", elements and type labels, as texts."""
    if isinstance(types, (str, int, np.integer)):
        types = [types]
    if isinstance(types, bytes) or not isinstance(types, Iterable):
        raise TypeError(f"atoms: types are numbers, elements and type labels, not {shown(types)}")
    texts = []
    for value in types:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (str, int, np.integer)):
            raise TypeError(f"atoms: types are numbers, elements and type labels, not {shown(value)}")
        texts.append(value if isinstance(value, str) else str(int(value)))
    return texts


def checked_region(region: Any) -> list[Interval]:
    """Pairs of the smallest and the largest x, y and z, distance units; None for no limit."""
    meaning = "atoms: a region is ((xlo, xhi), (ylo, yhi), (zlo, zhi)), with None for no limit"
    if isinstance(region, (str, bytes)) or not isinstance(region, Iterable):
        raise TypeError(f"{meaning}, not {shown(region)}")
    axes = list(region)
    if not 2 <= len(axes) <= 3:
        raise ArgumentError(f"{meaning}, not {shown(region)}")
    checked = []
    for axis in axes:
        sides = [None, None] if axis is None else list(axis) if isinstance(axis, Iterable) else [axis]
        if len(sides) != 2:
            raise ArgumentError(f"{meaning}, not {shown(region)}")
        low = -math.inf if sides[0] is None else checked_number("atoms: a side of the region", sides[0])
        high = math.inf if sides[1] is None else checked_number("atoms: a side of the region", sides[1])
        if not low <= high:
            raise ArgumentError(f"atoms: a region begins at its smaller side, and not at {low} of {low} to {high}")
        checked.append((low, high))
    return checked
