# SPDX-License-Identifier: BSD-3-Clause
"""Tables and observables of .gpz files as parts of ASE's Atoms, and back, for gpz.ase.

`to_ase` and `from_ase` convert values of a quantity between the units of the file and those of ASE.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ase import Atoms
from ase.data import atomic_numbers

import gpz
from gpz._observed import ATOMS
from gpz._particles import Particles
from gpz._tables import LONGEST
from gpz._units import ENERGY_NAMES, STRESS_NAMES

OF_INFO = ("timestep", "time", "gpz_origins")  # what is no observable
# Arrays of Atoms by columns of the table `atoms`, as ASE's reader of PDB files calls them.
ARRAYS = {"name": "atomtypes", "resname": "residuenames", "resid": "residuenumbers"}

Convert = Callable[[Any, str], Any]


def arrays_of(particles: Particles) -> dict[str, np.ndarray]:
    """Arrays of Atoms: names and residues as of PDB files; bonds, angles and dihedrals in texts, as ASE's reader of LAMMPS's data
    files has them."""
    found: dict[str, np.ndarray | None] = {
        "atomtypes": particles.texts("name"),
        "residuenames": particles.texts("resname"),
        "residuenumbers": particles.column("resid", "i"),
        "bonds": _links(particles, "bonds", 0),
        "angles": _links(particles, "angles", 1),
        "dihedrals": _links(particles, "dihedrals", 0),
    }
    return {
        name: values.astype(str) if values.dtype.kind == "O" else values
        for name, values in found.items()
        if values is not None
    }


def _links(particles: Particles, name: str, owner: int) -> np.ndarray | None:
    """(N,) texts: of the atom in place `owner` of each entry, the other indices and the type: "1(1),2(1)"; "_" for none."""
    links = particles.links(name)
    if links is None:
        return None
    types = [1] * len(links.indices) if links.types is None or links.types.dtype.kind != "i" else links.types.tolist()
    texts: list[list[str]] = [[] for _ in range(particles.count)]
    for row, kind in zip(links.indices.tolist(), types):
        others = "-".join(str(index) for place, index in enumerate(row) if place != owner)
        texts[row[owner]].append(f"{others}({kind})")
    return np.array([",".join(entries) or "_" for entries in texts])


def numbers_of(particles: Particles, others: np.ndarray) -> np.ndarray:
    """(N,) atomic numbers: of the elements that the tables have, else the others."""
    symbols = particles.texts("element")
    if symbols is None:
        return others
    found = np.array([atomic_numbers.get(symbol, 0) for symbol in symbols])
    return np.where(symbols == "", others, found)


def results_of(observables: Mapping[str, float], to_ase: Convert) -> tuple[dict[str, Any], dict[str, float]]:
    """Results of a calculator, and what else becomes entries of Atoms.info, in units of the file."""
    results: dict[str, Any] = {}
    used: set[str] = set()
    name = next((name for name in ENERGY_NAMES if name in observables), None)
    if name is not None:
        results["energy"] = float(to_ase(observables[name], "energy"))
        used.add(name)
    if all(name in observables for name in STRESS_NAMES):
        results["stress"] = np.array([to_ase(observables[name], "pressure") for name in STRESS_NAMES])
        used.update(STRESS_NAMES)
    return results, {
        f"{name}_" if name in OF_INFO else name: value for name, value in observables.items() if name not in used
    }


def observables_of(atoms: Atoms, from_ase: Convert) -> dict[str, float]:
    """Energy and stress of the calculator, and the numbers of Atoms.info."""
    found: dict[str, float] = {}
    energy, stress = known(atoms, "energy"), known(atoms, "stress")
    if energy is not None:
        found[ENERGY_NAMES[0]] = float(from_ase(energy, "energy"))
    if stress is not None and np.shape(stress) == (6,):
        found.update({name: float(from_ase(value, "pressure")) for name, value in zip(STRESS_NAMES, stress)})
    taken = {*OF_INFO, *(ENERGY_NAMES if energy is not None else ()), *(STRESS_NAMES if stress is not None else ())}
    if found:
        taken.add(ATOMS)  # of a system that these atoms were some of: what the calculator has is of these atoms alone
    for name, value in atoms.info.items():
        if name not in taken and _is_name(name) and _is_number(value):
            found[name] = float(value)
    return found


def _is_name(name: Any) -> bool:
    if not isinstance(name, str):
        return False
    try:
        return 1 <= len(name.encode("utf-8", "surrogateescape")) <= LONGEST
    except UnicodeEncodeError:
        return False


def _is_number(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    return not isinstance(value, int) or abs(value) < 2**1000  # larger ones are no float64


def known(atoms: Atoms, name: str) -> Any:
    """What a calculator has found for these very atoms, without a calculation; None for nothing."""
    try:
        return atoms.calc.get_property(name, atoms, allow_calculation=False) if atoms.calc is not None else None
    except NotImplementedError:
        return None


def tables_of(atoms: Atoms, ids: np.ndarray) -> dict[str, gpz.Table]:
    """The table `atoms`, of names and residues; nothing if there are none."""
    columns = {
        column: atoms.arrays[name].astype(object if column != "resid" else np.int64)
        for column, name in ARRAYS.items()
        if is_of_tables(name, atoms.arrays.get(name))
    }
    return {"atoms": gpz.Table({"id": ids, **columns})} if columns else {}


def is_of_tables(name: str, values: np.ndarray | None) -> bool:
    """Whether an array of Atoms belongs into the table `atoms`."""
    kinds = {"atomtypes": "U", "residuenames": "U", "residuenumbers": "iu"}
    return values is not None and values.ndim == 1 and values.dtype.kind in kinds.get(name, "")
