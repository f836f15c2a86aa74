# SPDX-License-Identifier: BSD-3-Clause
"""Where the positions of a frame are, in which of LAMMPS's four forms."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpz import _core
from gpz._box import Box
from gpz._errors import ArgumentError

# Wrapped into the box, unwrapped, and both as fractions of the box: x y z, xu yu zu, xs ys zs, xsu ysu zsu.
FORMS = tuple(_core.position_forms.values())
WRAPPED, UNWRAPPED = (_core.position_forms[form] for form in ("wrapped", "unwrapped"))
SCALED = frozenset(name for form in FORMS if "s" in form[0] for name in form)


def find(columns: Iterable[str]) -> tuple[str, ...] | None:
    """The columns of positions among these float columns: three, or two if a 2-D frame has no third one. None if there are none.

    The form (such as x y z or xs ys zs) with the most columns wins, and the first form of FORMS if several have as many. A column
    that this form lacks comes from another form."""
    return _core.position_columns(list(columns)) or None


def leading(columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The columns of the positions that are one field of a frame: the first two or three, of one form; None without them."""
    return _core.leading_positions(list(columns or ())) or None


def is_scaled(columns: Iterable[str]) -> bool:
    """Whether some of them are fractions of the box."""
    return any(name in SCALED for name in columns)


def to_distance(column: str, edges: float) -> float:
    """The factor that makes an error of this column a distance. edges: the largest_edge_sum of the box."""
    return edges if column in SCALED else 1.0


def is_unwrapped(columns: Iterable[str]) -> bool:
    """Whether none of them is wrapped into the box."""
    return all("u" in name for name in columns)


def add_images(box: Box, columns: Iterable[str], images: np.ndarray, positions: np.ndarray) -> None:
    """Unwraps values of the columns that are wrapped, in place: (N, 3) float64, fractions where the columns are fractions. images:
    (N, 3)."""
    for axis, name in enumerate(columns):
        if not is_unwrapped([name]):
            positions[:, axis] += images[:, axis] if name in SCALED else images @ box.matrix[:, axis]


def to_cartesian(box: Box | None, columns: tuple[str, ...], positions: np.ndarray) -> None:
    """Makes those of (N, 3) float64 that are fractions of the box coordinates, in place. Without a third column z is 0."""
    if box is None:
        raise ArgumentError("the positions are fractions of a box, and the frame has none")
    scaled = tuple(name in SCALED for name in (*columns, "")[:3])
    if all(scaled):
        positions[...] = box.to_cartesian(positions)
    else:
        _core.to_cartesian(positions, box.matrix, box.origin, scaled)
