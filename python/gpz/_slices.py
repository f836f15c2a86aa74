# SPDX-License-Identifier: BSD-3-Clause
"""Frames in the options of the programs."""

from __future__ import annotations


def as_slice(text: str) -> slice:
    """A:B or A:B:STEP as in Python, or one number. ValueError for anything else."""
    parts = [int(part) if part.strip() else None for part in text.split(":")]
    if len(parts) == 1:
        if parts[0] is None:
            raise ValueError(text)
        return slice(parts[0], parts[0] + 1 or None)
    if len(parts) > 3 or parts[2:] == [0]:
        raise ValueError(text)
    return slice(*parts)
