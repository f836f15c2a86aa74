# SPDX-License-Identifier: BSD-3-Clause
"""What atoms of a type look like: name, colour and radius, from elements, labels and masses of the file."""

from __future__ import annotations

from typing import Any

import gpz
from gpz._units import LENGTHS

# Mass (grams/mole), covalent radius (Angstrom; Cordero et al., doi:10.1039/b801115j), colour (that of Jmol).
ELEMENTS = {
    "H": (1.008, 0.31, "ffffff"),
    "He": (4.003, 0.28, "d9ffff"),
    "Li": (6.94, 1.28, "cc80ff"),
    "Be": (9.012, 0.96, "c2ff00"),
    "B": (10.81, 0.84, "ffb5b5"),
    "C": (12.011, 0.76, "909090"),
    "N": (14.007, 0.71, "3050f8"),
    "O": (15.999, 0.66, "ff0d0d"),
    "F": (18.998, 0.57, "90e050"),
    "Ne": (20.180, 0.58, "b3e3f5"),
    "Na": (22.990, 1.66, "ab5cf2"),
    "Mg": (24.305, 1.41, "8aff00"),
    "Al": (26.982, 1.21, "bfa6a6"),
    "Si": (28.085, 1.11, "f0c8a0"),
    "P": (30.974, 1.07, "ff8000"),
    "S": (32.06, 1.05, "ffff30"),
    "Cl": (35.45, 1.02, "1ff01f"),
    "Ar": (39.95, 1.06, "80d1e3"),
    "K": (39.098, 2.03, "8f40d4"),
    "Ca": (40.078, 1.76, "3dff00"),
    "Ti": (47.867, 1.60, "bfc2c7"),
    "V": (50.942, 1.53, "a6a6ab"),
    "Cr": (51.996, 1.39, "8a99c7"),
    "Mn": (54.938, 1.39, "9c7ac7"),
    "Fe": (55.845, 1.32, "e06633"),
    "Co": (58.933, 1.26, "f090a0"),
    "Ni": (58.693, 1.24, "50d050"),
    "Cu": (63.546, 1.32, "c88033"),
    "Zn": (65.38, 1.22, "7d80b0"),
    "Ga": (69.723, 1.22, "c28f8f"),
    "Ge": (72.630, 1.20, "668f8f"),
    "As": (74.922, 1.19, "bd80e3"),
    "Se": (78.971, 1.20, "ffa100"),
    "Br": (79.904, 1.20, "a62929"),
    "Kr": (83.798, 1.16, "5cb8d1"),
    "Sr": (87.62, 1.95, "00ff00"),
    "Y": (88.906, 1.90, "94ffff"),
    "Zr": (91.224, 1.75, "94e0e0"),
    "Nb": (92.906, 1.64, "73c2c9"),
    "Mo": (95.95, 1.54, "54b5b5"),
    "Ru": (101.07, 1.46, "248f8f"),
    "Rh": (102.91, 1.42, "0a7d8c"),
    "Pd": (106.42, 1.39, "006985"),
    "Ag": (107.87, 1.45, "c0c0c0"),
    "Cd": (112.41, 1.44, "ffd98f"),
    "In": (114.82, 1.42, "a67573"),
    "Sn": (118.71, 1.39, "668080"),
    "Sb": (121.76, 1.39, "9e63b5"),
    "Te": (127.60, 1.38, "d47a00"),
    "I": (126.90, 1.39, "940094"),
    "Xe": (131.29, 1.40, "429eb0"),
    "Cs": (132.91, 2.44, "57178f"),
    "Ba": (137.33, 2.15, "00c900"),
    "La": (138.91, 2.07, "70d4ff"),
    "Hf": (178.49, 1.75, "4dc2ff"),
    "Ta": (180.95, 1.70, "4da6ff"),
    "W": (183.84, 1.62, "2194d6"),
    "Re": (186.21, 1.51, "267dab"),
    "Ir": (192.22, 1.41, "175487"),
    "Pt": (195.08, 1.36, "d0d0e0"),
    "Au": (196.97, 1.36, "ffd123"),
    "Hg": (200.59, 1.32, "b8b8d0"),
    "Pb": (207.2, 1.46, "575961"),
    "Bi": (208.98, 1.48, "9e4fb5"),
    "U": (238.03, 1.96, "008fff"),
}
# Styles of LAMMPS whose masses are in grams/mole.
GRAMS_PER_MOLE = ("real", "metal", "electron")
ANGSTROM = 1e-10  # meters
LARGEST_TYPE = 1000  # types above get a colour and no name
CLOSE = 0.02  # of a mass to that of its element


def species_of(trajectory: gpz.Trajectory) -> list[dict[str, Any]]:
    """For each type from 1 that the file describes: its name, and where it is an element its colour ("rrggbb") and radius
    (distance units), else None. Colours of hydrogen etc. are those that molecular viewers share."""
    labels, elements = list(trajectory.type_labels), list(trajectory.elements)
    masses = _masses(trajectory)
    angstrom = ANGSTROM / LENGTHS[trajectory.units] if trajectory.units in LENGTHS else None  # in distance units
    names_masses = trajectory.units in GRAMS_PER_MOLE
    found = []
    for type_ in range(1, min(max(len(labels), len(elements), *masses, 0), LARGEST_TYPE) + 1):
        label = labels[type_ - 1] if type_ <= len(labels) else ""
        element = elements[type_ - 1] if type_ <= len(elements) else ""
        if element not in ELEMENTS:
            element = _by_mass(masses.get(type_, 0.0)) if names_masses else ""
        _, radius, colour = ELEMENTS.get(element, (0.0, None, None))
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


def _by_mass(mass: float) -> str:
    """The symbol of the element with about this mass, "" if there is none."""
    symbol = min(ELEMENTS, key=lambda element: abs(ELEMENTS[element][0] - mass))
    return symbol if abs(ELEMENTS[symbol][0] - mass) <= CLOSE * mass else ""
