# SPDX-License-Identifier: BSD-3-Clause
"""What the units of LAMMPS are in SI units."""

from __future__ import annotations

_BOHR = 5.29177210903e-11  # CODATA 2018
_ANGSTROM = 1e-10

# By the name in the LAMMPS command `units`, in meters and seconds. The style lj has no units.
LENGTHS = {
    "real": _ANGSTROM,
    "metal": _ANGSTROM,
    "si": 1.0,
    "cgs": 1e-2,
    "electron": _BOHR,
    "micro": 1e-6,
    "nano": 1e-9,
}
TIMES = {"real": 1e-15, "metal": 1e-12, "si": 1.0, "cgs": 1.0, "electron": 1e-15, "micro": 1e-6, "nano": 1e-9}


def length_factor(units: str, meters: float) -> float:
    """A length in these LAMMPS units, multiplied by this, is one in the unit that has so many meters. 1 for lj, and for
    a file that does not name its units."""
    return LENGTHS.get(units, meters) / meters


def time_factor(units: str, seconds: float) -> float:
    """A time in these LAMMPS units, multiplied by this, is one in the unit that has so many seconds. 1 for lj, and for
    a file that does not name its units."""
    return TIMES.get(units, seconds) / seconds
