# SPDX-License-Identifier: BSD-3-Clause
"""Chemical symbols by atomic numbers, and by masses."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gpz._units import mass_factor

SYMBOLS = tuple(
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh "
    "Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr "
    "Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og".split()
)  # of atomic number z: [z - 1]
NUMBERS = {symbol: number for number, symbol in enumerate(SYMBOLS, 1)}

# Standard atomic masses, u, of the elements that have one.
MASSES = {
    "H": 1.008, "He": 4.003, "Li": 6.94, "Be": 9.012, "B": 10.81, "C": 12.011, "N": 14.007, "O": 15.999, "F": 18.998,
    "Ne": 20.18, "Na": 22.99, "Mg": 24.305, "Al": 26.982, "Si": 28.085, "P": 30.974, "S": 32.06, "Cl": 35.45, "Ar": 39.95,
    "K": 39.098, "Ca": 40.078, "Sc": 44.956, "Ti": 47.867, "V": 50.942, "Cr": 51.996, "Mn": 54.938, "Fe": 55.845,
    "Co": 58.933, "Ni": 58.693, "Cu": 63.546, "Zn": 65.38, "Ga": 69.723, "Ge": 72.63, "As": 74.922, "Se": 78.971,
    "Br": 79.904, "Kr": 83.798, "Rb": 85.468, "Sr": 87.62, "Y": 88.906, "Zr": 91.224, "Nb": 92.906, "Mo": 95.95,
    "Ru": 101.07, "Rh": 102.91, "Pd": 106.42, "Ag": 107.87, "Cd": 112.41, "In": 114.82, "Sn": 118.71, "Sb": 121.76,
    "Te": 127.6, "I": 126.9, "Xe": 131.29, "Cs": 132.91, "Ba": 137.33, "La": 138.91, "Ce": 140.12, "Pr": 140.91,
    "Nd": 144.24, "Sm": 150.36, "Eu": 151.96, "Gd": 157.25, "Tb": 158.93, "Dy": 162.5, "Ho": 164.93, "Er": 167.26,
    "Tm": 168.93, "Yb": 173.05, "Lu": 174.97, "Hf": 178.49, "Ta": 180.95, "W": 183.84, "Re": 186.21, "Os": 190.23,
    "Ir": 192.22, "Pt": 195.08, "Au": 196.97, "Hg": 200.59, "Tl": 204.38, "Pb": 207.2, "Bi": 208.98, "Th": 232.04,
    "Pa": 231.04, "U": 238.03,
}  # fmt: skip
DEUTERIUM = 2.014  # u; far from the mass of hydrogen
CLOSE = 1e-3  # of a mass: tables and force fields differ by less (28.06 for silicon), CH2 in one particle and nitrogen by more
DECIMALS = (2, 1, 0)  # to which force fields round: 1 for hydrogen, 24 for magnesium. 72 is not germanium, which would be 73
FLOAT32 = 1e-6  # of a mass: how it is rounded
LIGHTEST = 0.9  # u; what is lighter is no atom, but a virtual site or a particle on a spring


def symbol_of_mass(mass: float) -> str:
    """The element whose standard mass (u) is this one, or is rounded to it; "" if there is none, or more than one (59: Co, Ni)."""
    known = [*MASSES.items(), ("H", DEUTERIUM)]
    tolerances = [CLOSE * mass, *(0.5 * 10.0**-n for n in DECIMALS if abs(round(mass, n) - mass) <= FLOAT32 * mass)]
    for tolerance in tolerances:
        found = {symbol for symbol, of_element in known if abs(of_element - mass) <= tolerance + FLOAT32 * mass}
        if found:
            return found.pop() if len(found) == 1 else ""
    return ""


def symbols_of(masses: Iterable[float]) -> list[str]:
    """The element of each of the masses (u) of a system. "" for all of them if one is that of no element: then particles may be
    groups of atoms, some of which have the mass of an element by chance. Masses below LIGHTEST, and NaN, say nothing about the others."""
    known = [(mass >= LIGHTEST, symbol_of_mass(mass) if LIGHTEST <= mass < math.inf else "") for mass in masses]
    are_elements = all(symbol for is_atom, symbol in known if is_atom)
    return [symbol if are_elements else "" for _, symbol in known]


def symbols_of_masses(masses: np.ndarray | None, units: str | None) -> np.ndarray | None:
    """(N,) texts: the element of each mass in these LAMMPS units, as symbols_of. None without masses, for lj, and for files
    that do not name their units."""
    factor = mass_factor(units)
    if masses is None or factor is None:
        return None
    distinct, which = np.unique(masses, return_inverse=True)  # all that are NaN are one
    return np.array(symbols_of((distinct * factor).tolist()), dtype=object)[which]
