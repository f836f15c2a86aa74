# SPDX-License-Identifier: BSD-3-Clause
"""Names of units of distance and time in pictures."""

from __future__ import annotations

from typing import NamedTuple

from gpz import _core


class Names(NamedTuple):
    """Names of units of distance and time on axes."""

    distance: str
    time: str


def names_of(style: str) -> Names:
    """Names of distance and time units; "distance units" and "time units" if the file names no units."""
    return Names(*_core.units[style]["symbols"]) if style in _core.units else Names("distance units", "time units")
