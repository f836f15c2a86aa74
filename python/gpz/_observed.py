# SPDX-License-Identifier: BSD-3-Clause
"""The atoms that observables describe (docs/format.md, section 11b): a frame may have some of the atoms of a system, with the energy
of all of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

from gpz import _core
from gpz._tables import Observables

ATOMS = _core.observed_atoms  # the observable with the number of atoms of the system, as LAMMPS calls it
PER_ATOM = _core.per_atom  # ends the units of what is divided by that number: "eV/atom", and "1/atom" where there is no unit
# What programs take for results of the atoms of a frame: numbers, and vectors whose components are stress[1], stress[2], ...
RESULTS = frozenset(_core.results_of_atoms)

Packed = list[tuple[str, str, float]]  # name, unit, value, as gpz._core has them


def of_system(observables: Packed, count: int) -> Packed:
    """Observables of a frame of which only some atoms are taken, with the number of atoms that they describe (`count`)."""
    if not observables or any(name == ATOMS for name, _, _ in observables):
        return observables
    return [*observables, (ATOMS, "", float(count))]


def total_unit(unit: str) -> str:
    """The unit of a value per atom after multiplication by the number of atoms; other units stay."""
    return "" if unit == f"1{PER_ATOM}" else unit.removesuffix(PER_ATOM)


def are_of(observables: Mapping[str, float], count: int) -> bool:
    """Whether a frame of `count` atoms has those of the system, as far as is known."""
    atoms = observables.get(ATOMS, math.nan)
    return math.isnan(atoms) or atoms == count


def of_atoms(observables: Observables, count: int, where: str = "observables", stacklevel: int = 2) -> Observables:
    """The observables of a frame of `count` atoms, for programs that know nothing but values of all atoms of a frame: values per
    atom are multiplied by the number of atoms of the system. If the frame has others than these atoms, RESULTS are left out,
    with a warning.

    where: the file, in the warning.
    """
    per_atom = [name for name in observables if observables.units.get(name, "").endswith(PER_ATOM)]
    atoms = observables.get(ATOMS, math.nan)
    atoms = count if math.isnan(atoms) else atoms
    left_out = [] if are_of(observables, count) else [name for name in observables if name.split("[")[0] in RESULTS]
    if not per_atom and not left_out:
        return observables
    found = observables.copy()
    for name in per_atom:
        found[name] *= atoms
        found.units[name] = total_unit(found.units[name])
    for name in left_out:
        del found[name]
        found.units.pop(name, None)
    if left_out:
        warnings.warn(
            f"{where}: {' '.join(left_out)} of {atoms:g} atoms {'is' if len(left_out) == 1 else 'are'} left out, because frames "
            f"have {count} of them. gpz.open(...)[i].observables has the values",
            stacklevel=stacklevel + 1,
        )
    return found
