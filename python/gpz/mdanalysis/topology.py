# SPDX-License-Identifier: BSD-3-Clause
"""What the first frame of a .gpz file says about its atoms, as a topology of MDAnalysis."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from MDAnalysis.core.topology import Topology
from MDAnalysis.core.topologyattrs import (
    Atomids,
    Atomnames,
    Atomtypes,
    Charges,
    Elements,
    Masses,
    Resids,
    Resnums,
    Segids,
    TopologyAttr,
)
from MDAnalysis.guesser.tables import SYMB2Z
from MDAnalysis.guesser.tables import masses as mass_of_element
from MDAnalysis.topology.base import TopologyReaderBase, squash_by

from gpz import _core
from gpz.mdanalysis.reader import open_fixed
from gpz.mdanalysis.units import units_of

COLUMNS = ("id", "type", "element", "typelabel", "mol", "mass", "q")  # what a topology is made of


class GPZParser(TopologyReaderBase):
    """Reads the topology of .gpz files.

    ids (1, 2, ... for a file without ids), types, resids and resnums (column mol, else all 1), segids ("SYSTEM"). Where
    the file has them: names (type labels, else elements), elements, charges (column q, in e), masses (column mass, in
    u). Without that column masses are guessed from the elements; without elements they are 1, as for LAMMPS's text dumps.

    Types are texts, as they were written: the type labels where the file is not of LAMMPS itself, or has a column
    typelabel and no column type; likewise the elements of a column element; else the numbers. All are "1" in a file
    without types.
    """

    format = "GPZ"

    def parse(self, lammps_units: str | None = None, convert_units: bool = True, **kwargs: Any) -> Topology:
        """The topology of the first frame: ids, types, masses, charges, elements, residues and segments, as far as the file has them.

        lammps_units: units of the file, if it does not name them. convert_units: masses and charges in units of MDAnalysis.
        kwargs: threads and max_memory, as of gpz.open. Raises gpz.Error for a file that cannot be read.
        """
        options = {name: kwargs[name] for name in ("threads", "max_memory") if name in kwargs}
        with open_fixed(self.filename, **options) as trajectory:
            present = trajectory.columns
            columns = trajectory.read(0, [name for name in COLUMNS if name in present], dtype=np.float64)
            count = int(trajectory.counts[0])
            symbols, labels = trajectory.elements, trajectory.type_labels
            of_lammps = bool(trajectory.metadata["command"] or trajectory.metadata["atom_style"])
            units = units_of((lammps_units or trajectory.units) if convert_units else None)

        # Columns that are shown as elements or labels have the numbers of types as well.
        column = next((name for name in ("type", "element", "typelabel") if name in columns), None)
        types = np.ones(count, np.int64) if column is None else columns[column]
        attributes: list[TopologyAttr] = [
            Atomids(columns["id"] if "id" in columns else np.arange(1, count + 1)),
            Atomtypes(texts(types, names_of_types(column, labels, symbols, of_lammps))),
        ]
        elements = self._elements(symbols, columns.get("element", types))
        if elements is not None:
            attributes.append(Elements(elements))
        if labels:
            attributes.append(Atomnames(by_type(labels, types)))
        elif elements is not None:
            attributes.append(Atomnames(elements.copy()))
        attributes.append(self._masses(columns.get("mass"), elements, count, units.mass))
        if "q" in columns:
            attributes.append(Charges(columns["q"] * units.charge))

        residues, resids = squash_by(columns.get("mol", np.ones(count, np.int64)))[:2]
        attributes += [Resids(resids), Resnums(resids.copy()), Segids(np.array(["SYSTEM"], dtype=object))]
        return Topology(count, len(resids), 1, attrs=attributes, atom_resindex=residues)

    def _elements(self, symbols: Sequence[str], types: np.ndarray) -> np.ndarray | None:
        """(N,) symbols, empty where the file's is that of no element; None if the file has none."""
        if not symbols:
            return None
        known = [symbol.capitalize() if symbol.capitalize() in SYMB2Z else "" for symbol in symbols]
        unknown = [symbol for symbol, name in zip(symbols, known) if symbol and not name]
        if unknown:
            warnings.warn(f"{self.filename}: {_core.printable(', '.join(unknown))}: no such elements. Their atoms have none")
        return by_type(known, types)

    def _masses(self, column: np.ndarray | None, elements: np.ndarray | None, count: int, factor: float) -> Masses:
        if column is not None:
            return Masses(column * factor)
        if elements is not None:
            table = {symbol: mass_of_element.get(symbol, 1.0) for symbol in set(elements)}
            return Masses(np.array([table[symbol] for symbol in elements]), guessed=True)
        warnings.warn(f"{self.filename} has neither masses nor elements: all masses are 1")
        return Masses(np.ones(count), guessed=True)


def names_of_types(column: str | None, labels: Sequence[str], symbols: Sequence[str], of_lammps: bool) -> Sequence[str]:
    """What the types of a column were called by whoever wrote it; empty: by their numbers. Names that two types share would
    make one type of them."""
    names: Sequence[str] = ()
    if column == "element":
        names = symbols
    elif column == "typelabel" or (column == "type" and not of_lammps):
        # A run of LAMMPS that has labels dumps numbers all the same, as its text dumps do.
        names = labels
    given = [name for name in names if name]
    return names if len(set(given)) == len(given) else ()


def texts(types: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """(N,) names of types; the numbers of those that have none."""
    numbers = types.astype(str).astype(object)
    return np.where(by_type(names, types) == "", numbers, by_type(names, types)) if names else numbers


def by_type(names: Sequence[str], types: np.ndarray) -> np.ndarray:
    """(N,) names of types 1, 2, ...; empty for types beyond them."""
    table = np.array(["", *names, ""], dtype=object)
    return table[np.where((types > 0) & (types <= len(names)), types, 0)]
