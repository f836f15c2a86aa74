# SPDX-License-Identifier: BSD-3-Clause
"""The head of a frame, which is read before the frame is decoded."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gpz import _box, _positions
from gpz._box import Box

_DTYPES: dict[int, np.dtype] = {
    1: np.dtype(np.int64),
    2: np.dtype(np.float32),
    3: np.dtype(np.float64),
}  # gpz::ValueType
DISPLAYS = {0: "number", 2: "element", 4: "type_label"}  # gpz::Display


class Column(NamedTuple):
    """One number of every particle.

    name: as in a LAMMPS dump: "x", "id", "c_pe", ...
    field: columns with one number are components of one quantity, and were compressed together.
    dtype: as it is stored: int64, float32 or float64.
    display: how a text dump shows an integer: "number", "element" or "type_label".
    bound: absolute error bound of every value, in units of the column; None: the values are exact.
    largest_error: no absolute error in this frame is larger, in units of the column.
    step: distance of the values that the grid of the column holds, in units of the column; 0: the values are exact.
    """

    name: str
    field: int
    dtype: np.dtype
    display: str
    bound: float | None
    largest_error: float
    step: float = 0.0


class Head(NamedTuple):
    """A frame without its values."""

    n_particles: int
    timestep: int
    time: float | None
    since_key: int  # frames since the last key frame
    box: Box | None
    largest_edge_sum: float  # of the box: the error of a coordinate if each fraction of the box has an error of 1
    columns: dict[str, Column]

    @property
    def position_columns(self) -> tuple[str, ...] | None:
        """The columns of the positions, which are floats; None if there are none."""
        return _positions.find([column.name for column in self.columns.values() if column.dtype.kind == "f"])

    @property
    def position_bound(self) -> float | None:
        """The error bound of coordinates in positions, distance units; None: they are exact, or there are none."""
        bounds = (
            (self.columns[name].bound or 0.0) * _positions.to_distance(name, self.largest_edge_sum)
            for name in self.position_columns or ()
        )
        return max(bounds, default=0.0) or None


def from_library(values: tuple[Any, ...]) -> Head:
    """The head that gpz._core has as a tuple."""
    particles, timestep, time, since_key, box, largest_edge_sum, columns = values
    described = (
        Column(name, field, _DTYPES[kind], DISPLAYS.get(display, "number"), bound or None, largest_error, step)
        for name, field, kind, display, bound, largest_error, step in columns
    )
    return Head(
        particles,
        timestep,
        None if math.isnan(time) else time,
        since_key,
        _box.from_library(*box),
        largest_edge_sum,
        {column.name: column for column in described},
    )
