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

_ELECTRONVOLT = 1.602176634e-19
# In joules and pascals.
ENERGIES = {
    "real": 4184 / 6.02214076e23,
    "metal": _ELECTRONVOLT,
    "si": 1.0,
    "cgs": 1e-7,
    "electron": 4.3597447222071e-18,
    "micro": 1e-15,
    "nano": 1e-21,
}
# In u. LAMMPS's grams/mole are u, to 3e-10.
_KILOGRAM = 6.02214076e26
MASSES = {
    "real": 1.0,
    "metal": 1.0,
    "si": _KILOGRAM,
    "cgs": 1e-3 * _KILOGRAM,
    "electron": 1.0,
    "micro": 1e-15 * _KILOGRAM,
    "nano": 1e-21 * _KILOGRAM,
}
PRESSURES = {"real": 101325.0, "metal": 1e5, "si": 1.0, "cgs": 0.1, "electron": 1.0, "micro": 1e3, "nano": 1e6}


def length_factor(units: str, meters: float) -> float:
    """A length in these LAMMPS units, multiplied by this, is one in the unit that has so many meters. 1 for lj, and for
    a file that does not name its units."""
    return LENGTHS.get(units, meters) / meters


def time_factor(units: str, seconds: float) -> float:
    """A time in these LAMMPS units, multiplied by this, is one in the unit that has so many seconds. 1 for lj, and for
    a file that does not name its units."""
    return TIMES.get(units, seconds) / seconds


def mass_factor(units: str | None) -> float | None:
    """A mass in these LAMMPS units, multiplied by this, is one in u. None for lj, and for a file that does not name its units."""
    return MASSES.get(units or "")


def energy_factor(units: str, joules: float) -> float:
    """An energy in these LAMMPS units, multiplied by this, is one in the unit that has so many joules. 1 for lj, and for
    a file that does not name its units."""
    return ENERGIES.get(units, joules) / joules


def pressure_factor(units: str, pascals: float) -> float:
    """A pressure in these LAMMPS units, multiplied by this, is one in the unit that has so many pascals. 1 for lj, and for
    a file that does not name its units."""
    return PRESSURES.get(units, pascals) / pascals


# Observables that other programs have a place for. The potential energy: the first of these that a frame has.
ENERGY_NAMES = ("PotEng", "pe", "energy")
# xx yy zz yz xz xy of the stress without its kinetic part, positive under tension, in units of pressure.
STRESS_NAMES = tuple(f"stress[{k + 1}]" for k in range(6))
