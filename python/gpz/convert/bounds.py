# SPDX-License-Identifier: BSD-3-Clause
"""The bounds that a .gpz file gets from a conversion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gpz
from gpz import _checks, _core
from gpz._frame import VECTORS


@dataclass(frozen=True)
class Bounds:
    """positions: in distance units of the .gpz file; None: none is given. relative: of the positions, to the longest edge of
    the box; None. vectors: of "velocities" and "forces", in their units, or "thermal"."""

    positions: float | None
    relative: float | None
    vectors: Mapping[str, float | str]

    @property
    def has_positions(self) -> bool:
        """Whether a bound of positions is given, in either way."""
        return self.positions is not None or self.relative is not None

    def of_positions(self, positions: np.ndarray, box: gpz.Box | None, source: Path) -> float | None:
        """The bound of positions that is given, by the first frame if it is relative; None if none is given. Raises
        gpz.ArgumentError if the frame has no extent."""
        if self.relative is None:
            return self.positions
        components = {name: positions[:, k] for k, name in enumerate("xyz")}
        extent = _core.value_range(components) if box is None else float(box.lengths.max())
        bound = self.relative * extent
        if not 0 < bound < float("inf"):
            raise gpz.ArgumentError(
                f"relative_bound: {self.relative:g} of a range of {extent:g} is no bound; give one in distance units",
                str(source),
            )
        return bound


def checked_bounds(bound: float | None, relative: float | None, bounds: Mapping[str, float | str] | None) -> Bounds:
    """The arguments of convert(). Raises gpz.ArgumentError for names of `bounds` other than those of vectors, and for values
    that are no bound."""
    if bound is not None and relative is not None:
        raise gpz.ArgumentError("give one of bound and relative_bound")
    if bound is not None:
        bound = _checks.checked_bound("bound", bound)
    if relative is not None:
        relative = _checks.checked_bound("relative_bound", relative)
        if relative >= 1:
            raise gpz.ArgumentError(
                f"relative_bound: {relative:g} is a bound of the whole box or more; give less than 1"
            )
        if relative == 0:
            bound, relative = 0.0, None
    given = bounds or {}
    for name in given:
        if name not in ("velocities", "forces"):
            raise gpz.ArgumentError(
                f"bounds: {name!r} is none of 'velocities' and 'forces'; the bound of positions is bound="
            )
    vectors = {name: _checks.checked_bound_of(f"bounds[{name!r}]", one, VECTORS[name]) for name, one in given.items()}
    return Bounds(bound, relative, vectors)
