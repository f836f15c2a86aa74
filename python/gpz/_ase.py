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
from ase.stress import full_3x3_to_voigt_6_stress

import gpz
from gpz._components import split
from gpz._observed import ATOMS
from gpz._particles import Particles
from gpz._quantities import (
    ENERGY_NAMES,
    Value,
    arrays_of_observables,
    dipole_of,
    energy_of,
    matrix,
    stress_of,
    virial_of,
)
from gpz._tables import LONGEST

OF_INFO = ("timestep", "time", "gpz_origins")  # what is no observable
# Results of calculators for the whole system that have no unit of ours, or that of an energy.
OF_SYSTEM = {"free_energy": "energy", "magmom": None}
# Those for each atom, by their names in ASE, which are those of columns: what from_ase() takes for their units.
OF_ATOMS = {"energies": "energy", "charges": "charge", "magmoms": None, "stresses": None}
OTHER_NAMES = {"charge": "charges"}  # of these in extended XYZ
MOST_NUMBERS = 9  # of an array of info that becomes observables
# Arrays of Atoms by columns of the table `atoms`, as ASE's reader of PDB files calls them.
ARRAYS = {"name": "atomtypes", "resname": "residuenames", "resid": "residuenumbers"}

Convert = Callable[..., Any]


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


def results_of(observables: Mapping[str, float], to_ase: Convert, units: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Results of a calculator, and what else becomes entries of Atoms.info, in units of the file: numbers, and arrays of name[1] to
    name[k]. `virial` is in eV, as ASE has it of extended XYZ."""
    results: dict[str, Any] = {}
    used: set[str] = set()

    def take(name: str, found: Value | None, quantity: str) -> None:
        if found is not None:
            results[name] = to_ase(found.values, quantity, found.style)
            used.update(found.names)

    take("energy", energy_of(observables, units), "energy")
    take("free_energy", energy_of(observables, units, ("free_energy",)), "energy")
    take("stress", stress_of(observables, units), "pressure")
    take("dipole", dipole_of(observables, units), "dipole")
    if "magmom" in observables:
        take("magmom", Value(np.float64(observables["magmom"]), ("magmom",), ""), "energy")
    take("virial", virial_of(observables, units), "energy")
    rest = arrays_of_observables({name: value for name, value in observables.items() if name not in used})
    info = {f"{name}_" if name in OF_INFO else name: value for name, value in rest.items()}
    if "virial" in results:
        info["virial"] = matrix(results.pop("virial"))
    return {name: float(value) if np.ndim(value) == 0 else np.array(value) for name, value in results.items()}, info


def observables_of(atoms: Atoms, from_ase: Convert, dropped: set[str]) -> gpz.Observables:
    """Energies, stress, dipole and magnetic moment of the calculator; the numbers of Atoms.info, and its arrays of up to nine. dropped:
    gets the names of what else there is in info."""
    found: dict[str, float] = {}
    units: dict[str, str] = {}
    of_results: set[str] = set()
    energy, stress, dipole = (known(atoms, name) for name in ("energy", "stress", "dipole"))
    if energy is not None:
        found[ENERGY_NAMES[0]] = float(from_ase(energy, "energy"))
        of_results.update(ENERGY_NAMES)
    if stress is not None and np.shape(stress) in ((6,), (3, 3)):
        six = stress if np.shape(stress) == (6,) else full_3x3_to_voigt_6_stress(np.asarray(stress))
        found.update({f"stress[{k + 1}]": float(from_ase(value, "pressure")) for k, value in enumerate(six)})
        of_results.update(f"stress[{k + 1}]" for k in range(9))
    if dipole is not None and np.shape(dipole) == (3,):
        parts = {f"dipole[{k + 1}]": float(value) for k, value in enumerate(dipole)}
        found.update(parts)
        units.update(dict.fromkeys(parts, "e*Angstrom"))
        of_results.update(parts)
    for name, quantity in OF_SYSTEM.items():
        value = known(atoms, name)
        if value is not None and np.ndim(value) == 0:
            found[name] = float(value if quantity is None else from_ase(value, quantity))
            of_results.add(name)
    if found:
        of_results.add(ATOMS)  # of a system that these atoms were some of: what the calculator has is of these atoms alone
    for name, value in atoms.info.items():
        if name in OF_INFO or name in of_results:
            continue
        parts = _numbers_of(name, value)
        if not parts or of_results.intersection(parts):
            dropped.add(str(name))
            continue
        found.update(parts)
        if name == "virial":
            units.update(dict.fromkeys(parts, "eV"))
    return gpz.Observables(found, units)


def _numbers_of(name: Any, value: Any) -> dict[str, float]:
    """A number, or an array of one or two dimensions, by the names of observables; nothing for other values."""
    if not _is_name(name):
        return {}
    if _is_number(value):
        return {name: float(value)}
    if not isinstance(value, (np.ndarray, list, tuple)):
        return {}
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return {}
    if array.dtype.kind not in "iuf" or array.ndim not in (1, 2) or not 1 <= array.size <= MOST_NUMBERS:
        return {}
    # ASE's matrix, which is symmetric, as extended XYZ has it: nine numbers in a row.
    array = array.ravel() if name == "virial" and array.shape == (3, 3) else array
    parts = {part: float(values[0]) for part, values in split(name, array[None].astype(np.float64)).items()}
    return parts if all(_is_name(part) for part in parts) else {}


def columns_of(atoms: Atoms, from_ase: Convert) -> dict[str, np.ndarray]:
    """Results of the calculator for each atom, except forces, by the name of the array."""
    found = {}
    for name, quantity in OF_ATOMS.items():
        values = known(atoms, name)
        if values is not None and np.ndim(values) in (1, 2):
            found[name] = np.asarray(values if quantity is None else from_ase(values, quantity))
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
    """A result that a calculator already has for these atoms; None if it has none."""
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
