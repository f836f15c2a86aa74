# SPDX-License-Identifier: BSD-3-Clause
"""What writers refuse, because it would be stored with another meaning than the caller's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpz import _core, _positions
from gpz._box import Box
from gpz._errors import ArgumentError
from gpz._frame import VECTORS

UNITS_OF_NONE = "lj"  # whose bound is that of files which name no units


def require_plain(name: str, values: Any) -> None:
    """TypeError for quantities with units, as of pint, openmm.unit, astropy and unyt, and ArgumentError for masked values:
    numpy would drop units and masks."""
    if type(values) in (np.ndarray, float, int, str):
        return
    if np.ma.is_masked(values):
        raise ArgumentError(f"{name}: masked values cannot be stored. Fill them, or leave these particles out")
    if isinstance(values, (list, tuple)):
        for value in {type(value): value for value in values}.values():  # one of each type
            require_plain(name, value)
        return
    for attribute in ("units", "unit"):
        unit = getattr(values, attribute, None)
        if unit is not None:
            raise TypeError(
                f"{name}: a quantity in {unit}, whose units would be dropped. Convert it to a plain array in the "
                "units of the file"
            )


def require_units(units: str | None) -> None:
    """ArgumentError, with the units that there are, for other names. None and "" name no units."""
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
    require_plain(name, bound)
    if isinstance(bound, (bool, np.bool_, str, bytes)):
        raise ArgumentError(f"{name}: a bound is a finite number, and not negative: not {bound!r}")
    number = float(bound)
    if not 0 <= number < math.inf:
        raise ArgumentError(f"{name}: a bound is a finite number, and not negative: not {number:g}")
    return number


def columns_of_bounds(bounds: Mapping[str, float]) -> dict[str, float]:
    """By column: "velocities" stands for vx, vy and vz."""
    result: dict[str, float] = {}
    for name, bound in bounds.items():
        if name == "positions" or any(name in form for form in _positions.FORMS):
            raise ArgumentError(f"bounds[{name!r}]: the bound of positions is the argument bound=")
        result.update(dict.fromkeys(VECTORS.get(name, (name,)), checked_bound(f"bounds[{name!r}]", bound)))
    return result


def require_columns(bounds: Mapping[str, float], columns: Iterable[str]) -> None:
    """ArgumentError for a bound of a column that the frame does not have. In two dimensions a vector lacks its third
    component."""
    columns = list(columns)
    for name in bounds:
        partner = next((vector[0] for vector in VECTORS.values() if name == vector[2]), None)
        if name not in columns and partner not in columns:
            raise ArgumentError(f"bounds: there is no column {name}; the frame has {' '.join(columns)}")


def require_box(box: Box) -> None:
    """ArgumentError for edges that span no volume, and for numbers that are not finite."""
    matrix = np.asarray(box.matrix, np.float64)
    if not (np.isfinite(matrix).all() and np.isfinite(np.asarray(box.origin, np.float64)).all()):
        raise ArgumentError("box: all numbers have to be finite")
    if box.kind != "general triclinic" and not (np.diag(matrix) > 0).all():
        lengths = " ".join(f"{length:g}" for length in np.diag(matrix))
        raise ArgumentError(f"box: edges are longer than 0, not {lengths}. Without a box: box=None")
    if not abs(np.linalg.det(matrix)) > 0:
        raise ArgumentError("box: the edges span no volume. Without a box: box=None")
