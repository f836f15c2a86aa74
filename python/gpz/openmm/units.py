# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of OpenMM (nm, ps, kJ/mol, u, e) in the units of the files: LAMMPS's `real` (Å, fs, kcal/mol, g/mol, e).

Each conversion is one product or one quotient of a number that float64 has exactly, so that its result is correctly rounded.
None depends on a measured constant.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
from openmm import unit

from gpz._arguments import shown
from gpz._origins import HALF_UNIT_OF_DOUBLES, half_unit

STYLE = "real"
NANOMETER = 10.0  # in Å
PICOSECOND = 1000.0  # in fs
KILOCALORIE = 4.184  # in kJ, by definition
PS_OF_VELOCITY = PICOSECOND / NANOMETER  # a velocity in Å/fs is one in nm/ps divided by this
NM_OF_FORCE = KILOCALORIE * NANOMETER  # a force in kcal/(mol Å) is one in kJ/(mol nm) divided by this
# What observables have, in the words of LAMMPS's page of the command units.
ENERGY, TEMPERATURE, VOLUME, DENSITY = "kcal/mol", "Kelvin", "Angstroms^3", "g/cm^3"

OF_LENGTHS = unit.nanometer
OF_VELOCITIES = unit.nanometer / unit.picosecond
OF_FORCES = unit.kilojoule_per_mole / unit.nanometer
OF_ENERGIES = unit.kilojoule_per_mole


def plain(name: str, value: Any, of: unit.Unit) -> Any:
    """A quantity as a number in this unit; other values as they are, which are in this unit already. TypeError for a quantity
    of another dimension."""
    if not unit.is_quantity(value):
        return value
    if not value.unit.is_compatible(of):
        raise TypeError(f"{name}: a number in {of}, or a quantity of this dimension, not {shown(value)}")
    return value.value_in_unit(of)


def lengths(nanometers: np.ndarray) -> np.ndarray:
    """In Å."""
    return nanometers * NANOMETER


def bound_of_lengths(nanometers: float) -> float:
    """In Å. The product of the decimal number that the user gave: 0.0003 nm are 0.003 Å, and not 0.0029999999999999996 Å."""
    return float(Decimal(repr(nanometers)) * 10)


def velocities(of_openmm: np.ndarray) -> np.ndarray:
    """nm/ps in Å/fs."""
    return of_openmm / PS_OF_VELOCITY


def forces(of_openmm: np.ndarray) -> np.ndarray:
    """kJ/(mol nm) in kcal/(mol Å)."""
    return of_openmm / NM_OF_FORCE


def energy(kilojoules: float) -> float:
    """kJ/mol in kcal/mol."""
    return kilojoules / KILOCALORIE


def rounding_of(converted: np.ndarray) -> float:
    """No number was rounded by more than this when it was converted. The same for numbers between two powers of two."""
    return half_unit([converted], HALF_UNIT_OF_DOUBLES)
