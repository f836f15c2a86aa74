# SPDX-License-Identifier: BSD-3-Clause
"""What lossless columns cost, and the bounds that would be usual."""

from __future__ import annotations

import os

import numpy as np

import gpz
from gpz import _core
from gpz._frame import VECTORS

WORTH_NAMING = 0.25  # of the file


def notes(path: str | os.PathLike) -> list[str]:
    """A line that names the lossless float columns other than positions if together they take more than WORTH_NAMING
    of the file; else no line."""
    reader = _core.Reader.open(os.fsencode(path), _core.default_memory_limit())
    with gpz.open(path) as file:
        first = file[0]
        # (name, field, type, display, bound, largest error).
        columns = {
            column[0]: column[1]
            for column in reader.head(0)[-1]
            if column[0] not in (first.position_columns or ()) and first[column[0]].dtype.kind == "f" and not column[4]
        }
        fields = sorted(set(columns.values()))
        size = sum(int(reader.field_sizes(i)[fields].sum()) for i in range(reader.n_frames)) if fields else 0
        if not size > WORTH_NAMING * os.path.getsize(path):
            return []
        share = 100 * size / os.path.getsize(path)
        bounds = [f"--bound {name}={bound:g}" for name, bound in usual_bounds(first, list(columns)).items() if bound]
    text = f"lossless: {' '.join(columns)}, {share:.0f} % of the file"
    return [text + (f"; a thousandth of their root mean square: {' '.join(bounds)}" if bounds else "")]


def usual_bounds(frame: gpz.Frame, columns: list[str]) -> dict[str, float]:
    """By column, and by "velocities" or "forces" where the column is one of their components; 0: none."""
    quantities = {name: quantity for quantity, vector in VECTORS.items() for name in vector}
    values: dict[str, list[np.ndarray]] = {}
    for name in columns:
        values.setdefault(quantities.get(name, name), []).append(np.asarray(frame[name], np.float64))
    return {name: _core.usual_bound(root_mean_square(np.concatenate(parts))) for name, parts in values.items()}


def root_mean_square(values: np.ndarray) -> float:
    """Of the finite values; 0 if there are none."""
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
