# SPDX-License-Identifier: BSD-3-Clause
"""Structures as ase.Atoms, and back. Packs in metal units have ASE's numbers, but for velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ase
import numpy as np
from ase.calculators.singlepoint import SinglePointCalculator

from gpz._ase import known
from gpz._errors import ArgumentError
from gpz.ase import _factor
from gpz.pack.structure import TAKEN, Structure

if TYPE_CHECKING:
    from typing import Any

OF_ATOMS = ("numbers", "positions", "momenta")  # arrays that are fields of a structure
# Further results of calculators of ASE, which are entries of info, and arrays.
RESULTS_OF_INFO = ("dipole", "magmom")
RESULTS_OF_ARRAYS = ("charges", "magmoms", "energies", "stresses")


def to_ase(structure: Structure) -> ase.Atoms:
    """Structure.to_ase."""
    atoms = ase.Atoms(
        numbers=structure.numbers,
        positions=structure.positions,
        cell=structure.cell,
        pbc=structure.pbc,
        info=dict(structure.info),
    )
    if structure.velocities is not None:
        atoms.set_velocities(structure.velocities * _factor("velocity", "metal"))
    for name, values in structure.arrays.items():
        atoms.set_array(name, values)
    results = {name: getattr(structure, name) for name in ("energy", "forces", "stress")}
    results |= {name: structure.info.get(name) for name in RESULTS_OF_INFO}
    results |= {name: structure.arrays.get(name) for name in RESULTS_OF_ARRAYS}
    results = {name: value for name, value in results.items() if value is not None}
    if results:
        atoms.calc = SinglePointCalculator(atoms, **results)
    return atoms


def from_ase(atoms: Any) -> Structure:
    """What the calculator has found, without a calculation: energy, forces, stress; dipole and magnetic moment as entries of
    info; charges, magnetic moments, energies and stresses of atoms as arrays. Numbers, texts and (k,) arrays of info; arrays of
    numbers. What else there is, such as constraints, is left out."""
    stress = known(atoms, "stress")
    return Structure(
        atoms.numbers,
        atoms.positions,
        atoms.cell.array,
        atoms.pbc,
        energy=known(atoms, "energy"),
        forces=known(atoms, "forces"),
        velocities=atoms.get_velocities() / _factor("velocity", "metal") if atoms.has("momenta") else None,
        stress=stress if np.shape(stress) == (6,) else None,
        info=_with_results(
            {name: value for name, value in atoms.info.items() if name not in TAKEN and _is_kept(value)}, atoms, RESULTS_OF_INFO
        ),
        arrays=_with_results(
            {
                name: values
                for name, values in atoms.arrays.items()
                if name not in (*OF_ATOMS, *TAKEN) and values.dtype.kind in "iuf" and values.ndim <= 2
            },
            atoms,
            RESULTS_OF_ARRAYS,
        ),
    )


def _with_results(found: dict[str, Any], atoms: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """With these results of the calculator. ArgumentError where Atoms has something else under the name of one."""
    for name in names:
        value = known(atoms, name)
        if value is None or np.ndim(value) > 2:
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
