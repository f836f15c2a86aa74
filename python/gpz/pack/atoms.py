# SPDX-License-Identifier: BSD-3-Clause
"""Structures as ase.Atoms, and back. Packs in metal units have ASE's numbers, but for velocities."""

from __future__ import annotations

import warnings
from typing import Any

import ase
import numpy as np
from ase.calculators.singlepoint import SinglePointCalculator
from ase.stress import full_3x3_to_voigt_6_stress

from gpz._ase import OF_ATOMS as RESULTS_OF_ATOMS
from gpz._ase import OF_SYSTEM, known
from gpz._errors import ArgumentError
from gpz.ase import _factor
from gpz.pack.names import TAKEN

OF_ATOMS = ("numbers", "positions", "momenta")  # arrays that are fields of a structure
RESULTS_OF_SYSTEM = ("dipole", *OF_SYSTEM)  # of calculators, in info


def to_ase(structure: Any) -> ase.Atoms:
    """Structure.to_ase."""
    atoms = ase.Atoms(
        numbers=structure.numbers,
        positions=structure.positions,
        cell=structure.cell,
        pbc=structure.pbc,
        info={name: value for name, value in structure.info.items() if name not in RESULTS_OF_SYSTEM},
    )
    if structure.velocities is not None:
        atoms.set_velocities(structure.velocities * _factor("velocity", "metal"))
    results = {name: getattr(structure, name) for name in ("energy", "forces", "stress")}
    results.update({name: structure.info.get(name) for name in RESULTS_OF_SYSTEM})
    for name, values in structure.arrays.items():
        if name in RESULTS_OF_ATOMS:
            results[name] = values
        else:
            atoms.set_array(name, values)
    results = {name: value for name, value in results.items() if value is not None}
    if results:
        atoms.calc = SinglePointCalculator(atoms, **results)
    return atoms


def fields_of(atoms: Any) -> dict[str, Any]:
    """The fields of a Structure: energy, forces, stress and other results of the calculator, without a calculation; numbers,
    texts and (k,) arrays of info; arrays of numbers. A warning names what else there is, such as constraints."""
    stress = known(atoms, "stress")
    if np.shape(stress) == (3, 3):
        stress = full_3x3_to_voigt_6_stress(np.asarray(stress))
    results = {name: known(atoms, name) for name in (*RESULTS_OF_SYSTEM, *RESULTS_OF_ATOMS)}
    info = _with_results(atoms.info, {name: results[name] for name in RESULTS_OF_SYSTEM})
    arrays = _with_results(atoms.arrays, {name: results[name] for name in RESULTS_OF_ATOMS})
    arrays = {name: np.asarray(values) for name, values in arrays.items() if name not in OF_ATOMS}
    kept_info = {name: value for name, value in info.items() if name not in TAKEN and _is_kept(value)}
    kept_arrays = {
        name: values for name, values in arrays.items() if name not in TAKEN and values.dtype.kind in "biuf" and values.ndim <= 2
    }
    dropped = {str(name) for name in (info.keys() - kept_info.keys()) | (arrays.keys() - kept_arrays.keys())}
    # Entries of info that say the same as the fields.
    dropped -= {"timestep", "time", "gpz_origins"} | ({"id", "type"} & arrays.keys())
    if atoms.constraints:
        dropped.add("constraints")
    if dropped:
        warnings.warn(f"not in the pack, which has no place for them: {', '.join(sorted(dropped))}", stacklevel=4)
    return {
        "numbers": atoms.numbers,
        "positions": atoms.positions,
        "cell": atoms.cell.array,
        "pbc": atoms.pbc,
        "energy": known(atoms, "energy"),
        "forces": known(atoms, "forces"),
        "velocities": atoms.get_velocities() / _factor("velocity", "metal") if atoms.has("momenta") else None,
        "stress": stress if np.shape(stress) == (6,) else None,
        "info": kept_info,
        "arrays": {name: values.astype(np.int64) if values.dtype.kind == "b" else values for name, values in kept_arrays.items()},
    }


def _with_results(found: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    """Values of Atoms with these results of the calculator. ArgumentError where Atoms has something else under the name of one."""
    found = dict(found)
    for name, value in results.items():
        if value is None:
            continue
        if name in found and not np.array_equal(found[name], value):
            raise ArgumentError(f"{name} of the calculator differs from {name} of the Atoms, and a structure has one of them")
        found[name] = value
    return found


def _is_kept(value: Any) -> bool:
    if isinstance(value, str):
        return True
    if not isinstance(value, (int, float, np.ndarray, np.integer, np.floating)) or isinstance(value, bool):
        return False
    array = np.asarray(value)
    return array.dtype.kind in "iuf" and array.dtype.itemsize <= 8 and array.ndim <= 1 and array.size > 0
