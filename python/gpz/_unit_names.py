# SPDX-License-Identifier: BSD-3-Clause
"""What pictures call distances and times."""

from __future__ import annotations

from typing import NamedTuple

from gpz import _core


class Names(NamedTuple):
    """What distances and times are called on axes."""

    distance: str
    time: str


def names_of(style: str) -> Names:
    """Of distance and time; of a file that names no units they are "distance units" and "time units"."""
    return Names(*_core.units[style]["symbols"]) if style in _core.units else Names("distance units", "time units")
