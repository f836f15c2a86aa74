# SPDX-License-Identifier: BSD-3-Clause
"""Checks of writers, which refuse values that would be stored with another meaning than the caller's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpz import _core, _positions
from gpz._arguments import checked_number, numbers_of, require_plain, shown
from gpz._box import KINDS, Box
from gpz._errors import ArgumentError
from gpz._frame import VECTORS

UNITS_OF_NONE = "lj"  # whose bound is that of files which name no units
THERMAL = "thermal"  # in place of a bound: the first frame says it
OF_SPECIES = ("type", "typelabel", "element", "mass")  # the first that a frame has identifies species


def require_units(units: Any) -> None:
    """ArgumentError, with the units that there are, for other names. None and "" name no units."""
    if units is not None and not isinstance(units, str):
        raise TypeError(f'units: a text such as "metal", not {shown(units)}')
    if units:
        _core.position_bound(units)


def position_bound(units: str) -> float:
    """The bound of positions without another: that of the units, and 0.0005 for a file whose units are not known."""
    try:
        return _core.position_bound(units)
    except ArgumentError:
        return _core.position_bound(UNITS_OF_NONE)


def checked_bound(name: str, bound: Any) -> float:
    """The bound as a float. ArgumentError unless it is a finite number that is not negative; TypeError with units."""
    meaning = "a bound is a finite number, and not negative"
    require_plain(name, bound)
    if isinstance(bound, (bool, np.bool_, str, bytes)):
        raise ArgumentError(f"{name}: {meaning}: not {shown(bound)}")
    number = checked_number(name, bound, "a bound is one finite number")
    if not 0 <= number < math.inf:
        raise ArgumentError(f"{name}: {meaning}: not {number:g}")
    if number == 0 and bound != 0:
        raise ArgumentError(f"{name}: {shown(bound)} is too small for a float64, where it is 0. Exact values: 0")
    return number


def checked_grid(grid: Any, names: tuple[str, ...] | None) -> float:
    """A distance between positions as a float. ArgumentError unless it is finite and above 0, and the frame has positions in
    distance units."""
    require_plain("grid", grid)
    number = checked_number("grid", grid)
    if not 0 < number < math.inf:
        raise ArgumentError(f"grid: a finite distance above 0, not {number:g}")
    if names is None or _positions.is_scaled(names):
        raise ArgumentError(f"grid={number:g} is a distance between positions, and the frame has none in distance units")
    return number


def checked_bound_of(name: str, bound: Any, columns: Iterable[str]) -> float | str:
    """The bound of these columns as a float, or THERMAL, which velocities can have."""
    if not (isinstance(bound, str) and bound == THERMAL):
        return checked_bound(name, bound)
    others = [column for column in columns if column not in VECTORS["velocities"]]
    if others:
        raise ArgumentError(f"{name}: a thermal bound is for vx, vy and vz, not for {others[0]}. Give a number")
    return THERMAL


def thermal_bound(columns: Mapping[str, np.ndarray]) -> float:
    """That of the velocities of a frame. ArgumentError if they have no thermal speed, or species are not known."""
    needed = {name: columns[name] for name in (*VECTORS["velocities"], *OF_SPECIES) if name in columns}
    try:
        return _core.thermal_bound(needed)
    except ArgumentError as error:
        raise ArgumentError(f"bounds: {error.cause}") from None


def bound_beyond(bound: float, box: Box | None) -> str | None:
    """A warning if the bound leaves nothing of the positions in this box."""
    longest = 0.0 if box is None else float(box.lengths.max())
    if not 0 < longest <= 2 * bound:
        return None
    lengths = " ".join(f"{length:g}" for length in box.lengths)
    return (
        f"a bound of {bound:g} for positions in a box with edges of {lengths}: errors may be half of the box. A bound is "
        "an absolute error in distance units of the file"
    )


def columns_of_bounds(bounds: Mapping[str, float | str]) -> dict[str, float | str]:
    """The bound of each column: "velocities" stands for vx, vy and vz, which may have the bound THERMAL."""
    if not isinstance(bounds, Mapping):
        raise TypeError(
            f'bounds: a dict of columns, such as {{"velocities": 1e-4}}, not {shown(bounds)}. The bound of positions is '
            "the argument bound="
        )
    result: dict[str, float | str] = {}
    for name, bound in bounds.items():
        if not isinstance(name, str):
            raise TypeError(f"bounds: columns have names, such as \"vx\", not {shown(name)}")
        if name == "positions" or any(name in form for form in _positions.FORMS):
            raise ArgumentError(f"bounds[{name!r}]: the bound of positions is the argument bound=")
        if name.endswith("*"):
            raise ArgumentError(f'bounds[{name!r}]: give whole names of columns; "velocities" stands for vx, vy and vz')
        names = VECTORS.get(name, (name,))
        columns = dict.fromkeys(names, checked_bound_of(f"bounds[{name!r}]", bound, names))
        twice = [column for column in columns if column in result]
        if twice:
            raise ArgumentError(f"bounds[{name!r}]: the column {twice[0]} has a bound already. Leave one of them out")
        result.update(columns)
    return result


def require_columns(bounds: Iterable[str], columns: Iterable[str]) -> None:
    """ArgumentError for a bound of a column that the frame does not have. In two dimensions a vector lacks its third
    component."""
    columns = list(columns)
    for name in bounds:
        partner = next((vector[0] for vector in VECTORS.values() if name == vector[2]), None)
        if name not in columns and partner not in columns:
            raise ArgumentError(f"bounds: there is no column {name}; the frame has {' '.join(columns)}")


def _volume(edges: np.ndarray) -> float:
    """Length, area or volume that one to three vectors span."""
    return abs(np.linalg.det(edges)) if len(edges) == 3 else float(np.sqrt(np.linalg.det(edges @ edges.T)))


def require_box(box: Box) -> None:
    """ArgumentError for edges that span no volume, numbers that are not finite, and what is no box at all."""
    matrix, origin = numbers_of("box: the matrix", box.matrix, (3, 3)), numbers_of("box: the origin", box.origin, (3,))
    if not (np.isfinite(matrix).all() and np.isfinite(origin).all()):
        wrong = next(value for value in (*matrix.flat, *origin) if not math.isfinite(value))
        raise ArgumentError(f"box: all numbers have to be finite, not {wrong}. Without a box: box=None")
    if box.kind not in KINDS[1:]:
        raise ArgumentError(f'box: the kind is "{KINDS[1]}", "{KINDS[2]}" or "{KINDS[3]}", not {shown(box.kind)}')
    if isinstance(box.dimension, bool) or box.dimension not in (2, 3):
        raise ArgumentError(f"box: the dimension is 2 or 3, not {shown(box.dimension)}")
    if not isinstance(box.boundary, str):
        raise TypeError(f'boundary: "pp pp pp" or the like, not {shown(box.boundary)}')
    outside = np.triu(matrix, 1) if box.kind == "triclinic" else matrix - np.diag(np.diag(matrix))
    if box.kind != "general triclinic" and outside.any():
        value = outside[outside != 0][0]
        raise ArgumentError(
            f"box: {value:g} is where the matrix of a box of the kind {box.kind!r} has 0. Box.from_vectors(matrix) finds "
            "the kind"
        )
    # Slabs and wires have such edges where they are not periodic.
    missing = ~matrix.any(axis=1) & [pair[:1] != "p" for pair in (box.boundary.split() + 3 * ["pp"])[:3]]
    if box.kind != "general triclinic" and not ((np.diag(matrix) > 0) | missing).all():
        lengths = " ".join(f"{length:g}" for length in np.diag(matrix))
        raise ArgumentError(
            f"box: edges are longer than 0, not {lengths}, unless the box is not periodic along them. Without a box: box=None"
        )
    with np.errstate(all="ignore"):
        if missing.all() or not _volume(matrix[~missing] / np.abs(matrix).max()) > 0:
            raise ArgumentError("box: the edges span no volume. Without a box: box=None")
