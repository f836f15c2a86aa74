# SPDX-License-Identifier: BSD-3-Clause
"""Where the positions of a frame are, in which of LAMMPS's four forms."""

from __future__ import annotations

from collections.abc import Collection

# In the order in which a frame's positions are looked for: wrapped into the box, unwrapped, and both as fractions of the box.
FORMS = (("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ("xsu", "ysu", "zsu"))


def find(columns: Collection[str]) -> tuple[str, ...] | None:
    """The columns of the positions: three, or two where a 2-D frame has no third one; None if there are none."""
    for form in FORMS:
        if form[0] in columns and form[1] in columns:
            return form if form[2] in columns else form[:2]
    return None


def is_scaled(columns: tuple[str, ...]) -> bool:
    """Whether they are fractions of the box."""
    return columns[0] in ("xs", "xsu")
