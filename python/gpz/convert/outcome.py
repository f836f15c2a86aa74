# SPDX-License-Identifier: BSD-3-Clause
"""The outcome of a conversion."""

from __future__ import annotations

from typing import NamedTuple

import gpz


class Outcome(NamedTuple):
    """notes: what got lost, a line each. written: frames. problem: what is wrong with the source, whose whole frames
    were written; None: nothing."""

    notes: list[str]
    written: int
    problem: gpz.Error | None
