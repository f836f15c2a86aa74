# SPDX-License-Identifier: BSD-3-Clause
"""Topologies of MDAnalysis as tables of .gpz files, and numbers of timesteps as observables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import gpz
from gpz import _core, _particles
from gpz._observed import ATOMS, total_unit
from gpz._tables import LONGEST
from gpz.mdanalysis.layout import OF_TIMESTEPS
from gpz.mdanalysis.origins import OfFrame

if TYPE_CHECKING:
    from MDAnalysis.core.groups import AtomGroup

    from gpz.mdanalysis.units import Units

# By column of the table `atoms`. Masses, charges and ids of molecules are columns of frames.
TEXTS = {"name": "names", "resname": "resnames", "chain": "chainIDs", "segid": "segids"}
NO_SEGMENTS = ({"SYSTEM"}, {""})  # what MDAnalysis has where nothing is known
KEPT = ("provenance", "history")  # of the .gpz file that is read: what they say stays true


def of_atoms(
    atoms: AtomGroup, ids: np.ndarray, elements_of_types: bool, further: Mapping[str, np.ndarray] | None = None
) -> dict[str, gpz.Table]:
    """The tables atoms, bonds, angles, dihedrals and impropers, as far as the atoms have them. ids: (N,), those in the file.

    elements_of_types: the file has the elements of types, so that the table needs none. further: numeric columns for the
    table atoms.
    """
    columns: dict[str, Any] = {}
    for column, attribute in TEXTS.items():
        values = getattr(atoms, attribute, None)
        if values is not None and not (column == "segid" and set(values) in NO_SEGMENTS):
            columns[column] = values.astype(object)
    if not elements_of_types and hasattr(atoms, "elements"):
        columns["element"] = atoms.elements.astype(object)
    columns = {name: values for name, values in columns.items() if (values != "").any()} | dict(further or {})
    tables = {}
    if columns:
        if hasattr(atoms, "resids"):
            columns["resid"] = atoms.resids
        tables["atoms"] = gpz.Table({"id": ids, **columns})
    for name in _particles.LINKS:
        table = _links(atoms, ids, name)
        if table is not None:
            tables[name] = table
    return tables


def masses_and_charges(atoms: AtomGroup, units: Units) -> dict[str, np.ndarray]:
    """Columns mass and q in units of the file, as far as the atoms have them and they are not guessed."""
    found = {}
    for column, name, factor in (("mass", "masses", units.mass), ("q", "charges", units.charge)):
        attribute = getattr(atoms.universe._topology, name, None)
        if attribute is not None and attribute.is_guessed is False:
            found[column] = getattr(atoms, name) / factor
    return found


def _links(atoms: AtomGroup, ids: np.ndarray, name: str) -> gpz.Table | None:
    """Bonds or the like within these atoms; None if nothing is known about them."""
    group = getattr(atoms, name, None)
    if group is None:
        return None
    indices = np.asarray(group.to_indices(), np.int64).reshape(len(group), _particles.LINKS[name])
    of_index = np.zeros(len(atoms.universe.atoms), np.int64)
    is_here = np.zeros(len(of_index), bool)
    of_index[atoms.ix], is_here[atoms.ix] = ids, True
    inside = is_here[indices].all(axis=1)
    types = _types(np.asarray(group._bondtypes, dtype=object)[inside])
    columns = {f"atom{k + 1}": of_index[indices[inside, k]] for k in range(_particles.LINKS[name])}
    return gpz.Table(({} if types is None else {"type": types}) | columns)


def _types(types: np.ndarray) -> np.ndarray | None:
    """Numbers, if all are; texts; None for types that are neither, such as those that are the types of the atoms."""
    texts = [str(value) if isinstance(value, (int, np.integer)) else value for value in types.tolist()]
    if not texts or not all(isinstance(text, str) for text in texts):
        return None
    if all(text.isdecimal() and len(text) < 10 and str(int(text)) == text for text in texts):
        return np.array([int(text) for text in texts], np.int64)
    return np.array(texts, object)


def kept_of(reader: OfFrame | None) -> dict[str, gpz.Table]:
    """Tables of the .gpz file that the atoms come from which do not depend on its atoms."""
    try:
        tables = {} if reader is None else reader.tables()
    except (gpz.CorruptError, gpz.LimitError):  # of which the reader of topologies has warned
        return {}
    return {name: tables[name] for name in KEPT if name in tables}


class ObservablesOf:
    """The entries of ts.data that writers take: floats, in units of the file."""

    def __init__(self, filename: str):
        self._filename = filename
        self._warned = False

    def of(self, data: dict[str, Any], reader: OfFrame | None, same_units: bool, atoms: AtomGroup) -> gpz.Observables:
        """Observables with the number of atoms that they describe, if `atoms` are some of them. reader: of the .gpz file that the timestep comes from, if it does. same_units: whether this file has its units. Others
        would need a conversion, and nothing says what quantity an observable is."""
        found = {name: float(value) for name, value in data.items() if _is_observable(name, value)}
        if found and len(atoms) != len(atoms.universe.atoms):
            found.setdefault(ATOMS, float(len(atoms.universe.atoms)))
        if reader is None:
            return gpz.Observables(found)
        try:
            of_file = reader.current_frame().observables
        except gpz.CorruptError:
            of_file = gpz.Observables()
        foreign = [name for name in found if name in of_file]
        if same_units or not foreign:
            return gpz.Observables(found, {name: total_unit(unit) for name, unit in of_file.units.items() if name in found})
        if not self._warned:
            self._warned = True
            names = _core.printable(", ".join(foreign))
            warnings.warn(f"{self._filename}: {names} are in other units in the file that is read, and are not written")
        return gpz.Observables({name: value for name, value in found.items() if name not in of_file})


def _is_observable(name: Any, value: Any) -> bool:
    if not isinstance(name, str) or name in OF_TIMESTEPS or np.ndim(value) != 0:
        return False
    if not isinstance(value, (float, np.floating)) and getattr(getattr(value, "dtype", None), "kind", "") != "f":
        return False
    return 1 <= len(name.encode("utf-8", "surrogatepass")) <= LONGEST and name.isprintable()
