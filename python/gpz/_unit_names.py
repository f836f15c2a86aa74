# SPDX-License-Identifier: BSD-3-Clause
"""What pictures call distances and times."""

from __future__ import annotations

from typing import NamedTuple


class Names(NamedTuple):
    """What distances and times are called on axes."""

    distance: str
    time: str


# By the name in the LAMMPS command `units`.
_NAMES = {
    "lj": Names("σ", "τ"),
    "real": Names("Å", "fs"),
    "metal": Names("Å", "ps"),
    "si": Names("m", "s"),
    "cgs": Names("cm", "s"),
    "electron": Names("Bohr", "fs"),
    "micro": Names("µm", "µs"),
    "nano": Names("nm", "ns"),
}


def names_of(style: str) -> Names:
    """Of distance and time; of a file that names no units they are "distance units" and "time units"."""
    return _NAMES.get(style, Names("distance units", "time units"))
