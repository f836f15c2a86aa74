# SPDX-License-Identifier: BSD-3-Clause
"""What lossless columns cost, and the bounds that would be usual."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

import gpz
from gpz import _core
from gpz._frame import VECTORS
from gpz._head import Column

WORTH_NAMING = 0.25  # of the file


def notes(path: str | os.PathLike) -> list[str]:
    """A line that names the lossless float columns other than positions if together they take more than WORTH_NAMING
    of the file; else no line."""
    reader = _core.Reader.open(os.fsencode(path), _core.default_memory_limit())
    with gpz.open(path) as file:
        first: dict[str, int] = {}  # by column: the frame that has it first
        size = 0
        for i in range(len(file)):
            columns = lossless(file[i])
            size += int(reader.field_sizes(i)[sorted({column.field for column in columns})].sum()) if columns else 0
            first = {column.name: i for column in columns} | first
        if not size > WORTH_NAMING * os.path.getsize(path):
            return []
        share = 100 * size / os.path.getsize(path)
        values = {name: np.asarray(file[i][name], np.float64) for name, i in first.items()}
    bounds = [f"--bound {name}={bound:g}" for name, bound in usual_bounds(values).items() if bound]
    text = f"lossless: {' '.join(values)}, {share:.0f} % of the file"
    return [text + (f"; a thousandth of their root mean square: {' '.join(bounds)}" if bounds else "")]


def lossless(frame: gpz.Frame) -> list[Column]:
    """The float columns of a frame that have no bound, without its positions."""
    positions = frame.position_columns or ()
    return [
        column
        for column in frame.column_info.values()
        if column.dtype.kind == "f" and column.bound is None and column.name not in positions
    ]


def usual_bounds(columns: Mapping[str, np.ndarray]) -> dict[str, float]:
    """By column, and by "velocities" or "forces" where the column is one of their components; 0: none."""
    quantities = {name: quantity for quantity, vector in VECTORS.items() for name in vector}
    values: dict[str, list[np.ndarray]] = {}
    for name, of_column in columns.items():
        values.setdefault(quantities.get(name, name), []).append(of_column)
    return {name: _core.usual_bound(root_mean_square(np.concatenate(parts))) for name, parts in values.items()}


def root_mean_square(values: np.ndarray) -> float:
    """Of the finite values; 0 if there are none."""
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
