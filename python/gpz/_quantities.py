# SPDX-License-Identifier: BSD-3-Clause
"""The table of quantities: their names, shapes, the order of their components, and their units in the programs that gpz reads
and writes. Readers and writers take names, orders and conversions from here. Of extended XYZ the command has the same in
tools/decompress/quantities.cpp.

Columns of atoms are in the units of the file. An observable names its unit, or is in the units of the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gpz import _components, _core
from gpz._units import (
    ANGSTROM,
    CHARGES,
    DALTON,
    ELECTRON,
    ELECTRONVOLT,
    ENERGIES,
    GRAM_PER_MOLE,
    KILOJOULE_PER_MOLE,
    LENGTHS,
    MASSES,
    PRESSURES,
    TIMES,
)

# Columns of LAMMPS, in the order x y z.
VECTORS = {"velocities": ("vx", "vy", "vz"), "forces": ("fx", "fy", "fz"), "images": ("ix", "iy", "iz")}
# Observables of the potential energy: the first of these that a frame has.
ENERGY_NAMES = ("PotEng", "pe", "energy")
# Places of xx yy zz yz xz xy, the order of ASE, in nine numbers row by row; and of those nine in the six.
SIX_OF_NINE = (0, 4, 8, 5, 2, 1)
NINE_OF_SIX = (0, 5, 4, 5, 1, 3, 4, 3, 2)

ASE_STYLE = "ase"  # besides the styles of LAMMPS: what ASE and extended XYZ have


def _styles_of_words(quantity: str) -> dict[str, str]:
    """A style that has this unit, by LAMMPS's word for it."""
    return {units[quantity][0]: style for style, units in _core.units.items() if style != "lj"}


# What names of units mean in observables: a style that has this unit.
STYLES_OF_UNITS = {
    "energy": _styles_of_words("energy") | {"eV": ASE_STYLE},
    "pressure": _styles_of_words("pressure") | {"eV/Angstrom^3": ASE_STYLE},
    "dipole": {"e*Angstrom": ASE_STYLE},
}

_TIME_OF_ASE = ANGSTROM * (DALTON / ELECTRONVOLT) ** 0.5
_OF_ASE = {
    "length": ANGSTROM,
    "time": _TIME_OF_ASE,
    "velocity": ANGSTROM / _TIME_OF_ASE,
    "energy": ELECTRONVOLT,
    "force": ELECTRONVOLT / ANGSTROM,
    "pressure": ELECTRONVOLT / ANGSTROM**3,
    "dipole": ELECTRON * ANGSTROM,
    "mass": DALTON,
    "charge": ELECTRON,
}
# Units of programs, in SI units. H5MD files name theirs: these are the ones that gpz convert writes, as MDAnalysis does.
UNITS: dict[str, dict[str, float]] = {
    "ASE": _OF_ASE,
    "extended XYZ": {name: _OF_ASE[name] for name in ("length", "energy", "force", "pressure", "dipole")},
    "dpdata": {name: _OF_ASE[name] for name in ("length", "energy", "force")},
    "MDAnalysis": {
        "length": ANGSTROM,
        "time": 1e-12,
        "velocity": ANGSTROM / 1e-12,
        "force": KILOJOULE_PER_MOLE / ANGSTROM,
        "mass": GRAM_PER_MOLE,
        "charge": ELECTRON,
    },
    "OpenMM": {
        "length": 1e-9,
        "time": 1e-12,
        "velocity": 1e3,
        "energy": KILOJOULE_PER_MOLE,
        "force": KILOJOULE_PER_MOLE / 1e-9,
        "mass": DALTON,
        "charge": ELECTRON,
    },
}
UNITS["H5MD"] = {name: UNITS["MDAnalysis"][name] for name in ("length", "time", "velocity", "force")}


class Quantity(NamedTuple):
    """A row of the table. dimension: of its unit, as in UNITS; "" for numbers that stay as they are. names: of columns or observables
    of a .gpz file, in the order of components; () for what frames have beside these. places: what each program calls it; a
    program that is missing has none, or gpz does not fill it."""

    dimension: str
    names: tuple[str, ...]
    places: Mapping[str, str]


def _components_of(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name}[{k + 1}]" for k in range(count))


# The table, as docs/programs.md shows it.
QUANTITIES = {
    "position": Quantity(
        "length",
        ("x", "y", "z"),
        {
            "LAMMPS": "x y z",
            "extended XYZ": "pos",
            "ASE": "positions",
            "dpdata": "coords",
            "MDAnalysis": "positions",
            "H5MD": "position",
            "OpenMM": "positions",
        },
    ),
    "velocity": Quantity(
        "velocity",
        VECTORS["velocities"],
        {
            "LAMMPS": "vx vy vz",
            "extended XYZ": "vel",
            "ASE": "velocities",
            "MDAnalysis": "velocities",
            "H5MD": "velocity",
            "OpenMM": "velocities",
        },
    ),
    "force": Quantity(
        "force",
        VECTORS["forces"],
        {
            "LAMMPS": "fx fy fz",
            "extended XYZ": "forces",
            "ASE": "forces",
            "dpdata": "forces",
            "MDAnalysis": "forces",
            "H5MD": "force",
            "OpenMM": "forces",
        },
    ),
    "momentum": Quantity("", _components_of("momenta", 3), {"extended XYZ": "momenta", "ASE": "momenta"}),
    "energy": Quantity(
        "energy",
        ("PotEng",),
        {"LAMMPS": "PotEng", "extended XYZ": "energy", "ASE": "energy", "dpdata": "energies", "OpenMM": "potentialEnergy"},
    ),
    "stress": Quantity("pressure", _components_of("stress", 6), {"extended XYZ": "stress", "ASE": "stress", "dpdata": "virials"}),
    "virial": Quantity("energy", _components_of("virial", 9), {"extended XYZ": "virial", "ASE": "virial", "dpdata": "virials"}),
    "dipole": Quantity("dipole", _components_of("dipole", 3), {"extended XYZ": "dipole", "ASE": "dipole"}),
    "magnetic moment": Quantity("", ("magmom",), {"extended XYZ": "magmom", "ASE": "magmom"}),
    "magnetic moments of atoms": Quantity("", ("magmoms",), {"extended XYZ": "magmoms", "ASE": "magmoms"}),
    "mass": Quantity(
        "mass",
        ("mass",),
        {"LAMMPS": "mass", "extended XYZ": "mass", "ASE": "masses", "MDAnalysis": "masses", "OpenMM": "mass"},
    ),
    "charge": Quantity(
        "charge",
        ("q",),
        {"LAMMPS": "q", "extended XYZ": "q", "ASE": "initial_charges", "MDAnalysis": "charges", "OpenMM": "charge"},
    ),
    "time": Quantity(
        "time", (), {"LAMMPS": "TIME", "extended XYZ": "Time", "ASE": "time", "MDAnalysis": "time", "H5MD": "time", "OpenMM": "time"}
    ),
    "box": Quantity(
        "length",
        (),
        {
            "LAMMPS": "BOX BOUNDS",
            "extended XYZ": "Lattice",
            "ASE": "cell",
            "dpdata": "cells",
            "MDAnalysis": "dimensions",
            "H5MD": "edges",
            "OpenMM": "periodicBoxVectors",
        },
    ),
}


def si(quantity: str, style: str) -> float:
    """The unit of a quantity in a style of LAMMPS, or in ASE_STYLE, in SI units. KeyError for lj, which has none."""
    if style == ASE_STYLE:
        return _OF_ASE[quantity]
    if quantity == "velocity":
        return LENGTHS[style] / TIMES[style]
    if quantity == "force":
        return ENERGIES[style] / LENGTHS[style]
    if quantity == "dipole":
        return CHARGES[style] * LENGTHS[style]
    of = {"length": LENGTHS, "time": TIMES, "energy": ENERGIES, "pressure": PRESSURES, "mass": MASSES, "charge": CHARGES}
    return of[quantity][style]


def factor(quantity: str, style: str, program: str) -> float:
    """One unit of the style in that of the program. 1 for lj, and for a file that does not name its units."""
    return 1.0 if style in ("", "lj") else si(quantity, style) / UNITS[program][quantity]


class Value(NamedTuple):
    """A quantity that a program can hold. values: a number, or (6,) or (3,). names: of the observables it comes from. style: whose units
    it has, of LAMMPS, ASE_STYLE, or "" as in a file that names none."""

    values: np.ndarray
    names: tuple[str, ...]
    style: str

    def scaled(self, factor: float) -> np.ndarray | float:
        """Multiplied, as a number or an array."""
        values = self.values * factor
        return float(values) if values.ndim == 0 else values


def energy_of(observables: Mapping[str, float], style: str, names: Sequence[str] = ENERGY_NAMES) -> Value | None:
    """The potential energy. style: of the file. None where there is none, or its unit is not known."""
    name = next((name for name in names if name in observables), None)
    return None if name is None else _value(observables, (name,), "energy", style)


def stress_of(observables: Mapping[str, float], style: str) -> Value | None:
    """(6,), xx yy zz yz xz xy, positive under tension, without its kinetic part: of stress[1] to stress[6] in this order, or of
    stress[1] to stress[9], a symmetric matrix row by row."""
    return _six(_value(observables, _all_of(observables, "stress"), "pressure", style))


def virial_of(observables: Mapping[str, float], style: str) -> Value | None:
    """(6,), xx yy zz yz xz xy, minus stress times volume: of virial[1] to virial[6] or virial[9], as stress_of."""
    return _six(_value(observables, _all_of(observables, "virial"), "energy", style))


def dipole_of(observables: Mapping[str, float], style: str) -> Value | None:
    """(3,): of dipole[1] to dipole[3]."""
    names = _all_of(observables, "dipole")
    return _value(observables, names, "dipole", style) if len(names) == 3 else None


def matrix(six: np.ndarray) -> np.ndarray:
    """(3, 3) of xx yy zz yz xz xy."""
    return np.asarray(six)[list(NINE_OF_SIX)].reshape(3, 3)


def _all_of(observables: Mapping[str, float], name: str) -> tuple[str, ...]:
    """name[1] to name[k]."""
    names = []
    while f"{name}[{len(names) + 1}]" in observables:
        names.append(f"{name}[{len(names) + 1}]")
    return tuple(names)


def _value(observables: Mapping[str, float], names: tuple[str, ...], quantity: str, style: str) -> Value | None:
    units = {getattr(observables, "units", {}).get(name, "") for name in names}
    if len(units) != 1:
        return None
    (unit,) = units
    of_unit = STYLES_OF_UNITS[quantity].get(unit) if unit else style
    values = np.array([observables[name] for name in names])
    return None if of_unit is None else Value(values[0] if len(names) == 1 else values, names, of_unit)


def _six(value: Value | None) -> Value | None:
    if value is None or np.shape(value.values) not in ((6,), (9,)):
        return None
    if len(value.values) == 6:
        return value
    whole = value.values.reshape(3, 3)
    if not np.allclose(whole, whole.T, rtol=1e-6, atol=1e-6 * np.abs(whole).max(initial=0.0)):
        return None
    return value._replace(values=value.values[list(SIX_OF_NINE)])


def arrays_of_observables(observables: Mapping[str, float]) -> dict[str, float | np.ndarray]:
    """Numbers and arrays by their names: name[1] to name[k] is an array (k,), name[1,1] to name[m,n] one of the shape (m, n)."""
    found = _components.joined({name: np.array([value]) for name, value in observables.items()})
    return {name: float(values[0]) if values.ndim == 1 else values[0] for name, values in found.items()}
