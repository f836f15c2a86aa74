# SPDX-License-Identifier: BSD-3-Clause
"""What the units of LAMMPS are in SI units."""

from __future__ import annotations

_BOHR = 5.29177210903e-11  # CODATA 2018
ANGSTROM = 1e-10
ELECTRONVOLT = 1.602176634e-19
ELECTRON = 1.602176634e-19  # C
DALTON = 1.66053906660e-27  # kg, CODATA 2018

# By the name in the LAMMPS command `units`, in meters and seconds. The style lj has no units.
LENGTHS = {
    "real": ANGSTROM,
    "metal": ANGSTROM,
    "si": 1.0,
    "cgs": 1e-2,
    "electron": _BOHR,
    "micro": 1e-6,
    "nano": 1e-9,
}
TIMES = {"real": 1e-15, "metal": 1e-12, "si": 1.0, "cgs": 1.0, "electron": 1e-15, "micro": 1e-6, "nano": 1e-9}

# In joules and pascals.
ENERGIES = {
    "real": 4184 / 6.02214076e23,
    "metal": ELECTRONVOLT,
    "si": 1.0,
    "cgs": 1e-7,
    "electron": 4.3597447222071e-18,
    "micro": 1e-15,
    "nano": 1e-21,
}
PRESSURES = {"real": 101325.0, "metal": 1e5, "si": 1.0, "cgs": 0.1, "electron": 1.0, "micro": 1e3, "nano": 1e6}

# In kilograms and coulombs.
_GRAM_PER_MOLE = 1e-3 / 6.02214076e23
MASSES = {
    "real": _GRAM_PER_MOLE,
    "metal": _GRAM_PER_MOLE,
    "si": 1.0,
    "cgs": 1e-3,
    "electron": DALTON,
    "micro": 1e-15,
    "nano": 1e-21,
}
CHARGES = {
    "real": ELECTRON,
    "metal": ELECTRON,
    "si": 1.0,
    "cgs": 0.1 / 299792458,
    "electron": ELECTRON,
    "micro": 1e-12,
    "nano": ELECTRON,
}


def length_factor(units: str, meters: float) -> float:
    """A length in these LAMMPS units, multiplied by this, is one in the unit that has so many meters. 1 for lj, and for
    a file that does not name its units."""
    return LENGTHS.get(units, meters) / meters


def time_factor(units: str, seconds: float) -> float:
    """A time in these LAMMPS units, multiplied by this, is one in the unit that has so many seconds. 1 for lj, and for
    a file that does not name its units."""
    return TIMES.get(units, seconds) / seconds


def mass_factor(units: str | None) -> float | None:
    """The factor from masses in these LAMMPS units to u. It is 1 for grams/mole, which differ from u by 3e-10. None for lj, and for
    a file that does not name its units."""
    kilograms = MASSES.get(units or "")
    return None if kilograms is None else kilograms / _GRAM_PER_MOLE


def energy_factor(units: str, joules: float) -> float:
    """An energy in these LAMMPS units, multiplied by this, is one in the unit that has so many joules. 1 for lj, and for
    a file that does not name its units."""
    return ENERGIES.get(units, joules) / joules
