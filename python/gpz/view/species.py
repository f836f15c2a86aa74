# SPDX-License-Identifier: BSD-3-Clause
"""The appearance of atoms of a type: name, colour and radius, from elements, labels and masses of the file."""

from __future__ import annotations

from typing import Any

import gpz
from gpz._elements import symbols_of
from gpz._units import LENGTHS, mass_factor

# Covalent radius (Angstrom; Cordero et al., doi:10.1039/b801115j), colour (that of Jmol).
ELEMENTS = {
    "H": (0.31, "ffffff"),
    "He": (0.28, "d9ffff"),
    "Li": (1.28, "cc80ff"),
    "Be": (0.96, "c2ff00"),
    "B": (0.84, "ffb5b5"),
    "C": (0.76, "909090"),
    "N": (0.71, "3050f8"),
    "O": (0.66, "ff0d0d"),
    "F": (0.57, "90e050"),
    "Ne": (0.58, "b3e3f5"),
    "Na": (1.66, "ab5cf2"),
    "Mg": (1.41, "8aff00"),
    "Al": (1.21, "bfa6a6"),
    "Si": (1.11, "f0c8a0"),
    "P": (1.07, "ff8000"),
    "S": (1.05, "ffff30"),
    "Cl": (1.02, "1ff01f"),
    "Ar": (1.06, "80d1e3"),
    "K": (2.03, "8f40d4"),
    "Ca": (1.76, "3dff00"),
    "Ti": (1.60, "bfc2c7"),
    "V": (1.53, "a6a6ab"),
    "Cr": (1.39, "8a99c7"),
    "Mn": (1.39, "9c7ac7"),
    "Fe": (1.32, "e06633"),
    "Co": (1.26, "f090a0"),
    "Ni": (1.24, "50d050"),
    "Cu": (1.32, "c88033"),
    "Zn": (1.22, "7d80b0"),
    "Ga": (1.22, "c28f8f"),
    "Ge": (1.20, "668f8f"),
    "As": (1.19, "bd80e3"),
    "Se": (1.20, "ffa100"),
    "Br": (1.20, "a62929"),
    "Kr": (1.16, "5cb8d1"),
    "Sr": (1.95, "00ff00"),
    "Y": (1.90, "94ffff"),
    "Zr": (1.75, "94e0e0"),
    "Nb": (1.64, "73c2c9"),
    "Mo": (1.54, "54b5b5"),
    "Ru": (1.46, "248f8f"),
    "Rh": (1.42, "0a7d8c"),
    "Pd": (1.39, "006985"),
    "Ag": (1.45, "c0c0c0"),
    "Cd": (1.44, "ffd98f"),
    "In": (1.42, "a67573"),
    "Sn": (1.39, "668080"),
    "Sb": (1.39, "9e63b5"),
    "Te": (1.38, "d47a00"),
    "I": (1.39, "940094"),
    "Xe": (1.40, "429eb0"),
    "Cs": (2.44, "57178f"),
    "Ba": (2.15, "00c900"),
    "La": (2.07, "70d4ff"),
    "Hf": (1.75, "4dc2ff"),
    "Ta": (1.70, "4da6ff"),
    "W": (1.62, "2194d6"),
    "Re": (1.51, "267dab"),
    "Ir": (1.41, "175487"),
    "Pt": (1.36, "d0d0e0"),
    "Au": (1.36, "ffd123"),
    "Hg": (1.32, "b8b8d0"),
    "Pb": (1.46, "575961"),
    "Bi": (1.48, "9e4fb5"),
    "U": (1.96, "008fff"),
}
ANGSTROM = 1e-10  # meters
LARGEST_TYPE = 1000  # types above get a colour and no name


def species_of(trajectory: gpz.Trajectory) -> list[dict[str, Any]]:
    """For each type from 1 that the file describes: its name, and where it is an element its colour ("rrggbb") and radius
    (distance units), else None. Colours of hydrogen etc. are those that molecular viewers share."""
    labels, elements = list(trajectory.type_labels), list(trajectory.elements)
    masses = _masses(trajectory)
    angstrom = ANGSTROM / LENGTHS[trajectory.units] if trajectory.units in LENGTHS else None  # in distance units
    mass_in_u = mass_factor(trajectory.units)
    by_mass = {} if mass_in_u is None else dict(zip(masses, symbols_of(mass * mass_in_u for mass in masses.values())))
    found = []
    for type_ in range(1, min(max(len(labels), len(elements), *masses, 0), LARGEST_TYPE) + 1):
        label = labels[type_ - 1] if type_ <= len(labels) else ""
        element = elements[type_ - 1] if type_ <= len(elements) else ""
        if element not in ELEMENTS:
            element = by_mass.get(type_, "")
        radius, colour = ELEMENTS.get(element, (None, None))
        name = label or element
        found.append(
            {
                "name": f"{type_} {name}" if name else str(type_),
                "colour": colour,
                "radius": radius * angstrom if radius is not None and angstrom is not None else None,
            }
        )
    return found


def _masses(trajectory: gpz.Trajectory) -> dict[int, float]:
    """By type, from the tables. Empty where they are damaged: their reader says so elsewhere."""
    try:
        table = trajectory.tables(0, ["types"]).get("types", {})
    except gpz.Error:
        return {}
    if "type" not in table or "mass" not in table or table["mass"].dtype.kind not in "if":
        return {}
    return {int(type_): float(mass) for type_, mass in zip(table["type"], table["mass"]) if 0 < type_ <= LARGEST_TYPE}
