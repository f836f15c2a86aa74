# SPDX-License-Identifier: BSD-3-Clause
"""The units of LAMMPS in SI units: the table of gpz/units.hpp."""

from __future__ import annotations

from gpz import _core

ANGSTROM, ELECTRONVOLT, ELECTRON, DALTON = _core.angstrom, _core.electronvolt, _core.electron_charge, _core.dalton
KILOJOULE_PER_MOLE = _core.kilojoule_per_mole


def _in_si(quantity: str) -> dict[str, float]:
    """SI values of the units of a quantity, by style of the LAMMPS command `units`. The style lj has none."""
    return {style: units[quantity][1] for style, units in _core.units.items() if style != "lj"}


# In meters, seconds, joules, pascals, kilograms and coulombs.
LENGTHS, TIMES, ENERGIES = _in_si("length"), _in_si("time"), _in_si("energy")
PRESSURES, MASSES, CHARGES = _in_si("pressure"), _in_si("mass"), _in_si("charge")
GRAM_PER_MOLE = _core.units["real"]["mass"][1]


def length_factor(units: str, meters: float) -> float:
    """A length in these LAMMPS units, multiplied by this, is one in the unit that has so many meters. 1 for lj, and for
    a file that does not name its units."""
    return LENGTHS.get(units, meters) / meters


def time_factor(units: str, seconds: float) -> float:
    """A time in these LAMMPS units, multiplied by this, is one in the unit that has so many seconds. 1 for lj, and for
    a file that does not name its units."""
    return TIMES.get(units, seconds) / seconds


def mass_factor(units: str | None) -> float | None:
    """The factor from masses in these LAMMPS units to u. It is 1 for grams/mole. None for lj, and for
    a file that does not name its units."""
    kilograms = MASSES.get(units or "")
    return None if kilograms is None else kilograms / GRAM_PER_MOLE


def energy_factor(units: str, joules: float) -> float:
    """An energy in these LAMMPS units, multiplied by this, is one in the unit that has so many joules. 1 for lj, and for
    a file that does not name its units."""
    return ENERGIES.get(units, joules) / joules
