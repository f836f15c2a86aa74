# SPDX-License-Identifier: BSD-3-Clause
"""The atoms of the first frame of a .gpz file, as a topology of MDAnalysis."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from MDAnalysis.core.topology import Topology
from MDAnalysis.core.topologyattrs import (
    Angles,
    Atomids,
    Atomnames,
    Atomtypes,
    Bonds,
    ChainIDs,
    Charges,
    Dihedrals,
    Elements,
    Impropers,
    Masses,
    Resids,
    Resnames,
    Resnums,
    Segids,
    TopologyAttr,
)
from MDAnalysis.guesser.tables import SYMB2Z
from MDAnalysis.guesser.tables import masses as mass_of_element
from MDAnalysis.topology.base import TopologyReaderBase, change_squash, squash_by

from gpz import _core, _particles
from gpz._elements import symbols_of_masses
from gpz.mdanalysis.reader import open_fixed
from gpz.mdanalysis.units import units_of
from gpz.remote.names import is_gpz_url

LINKS = {"bonds": Bonds, "angles": Angles, "dihedrals": Dihedrals, "impropers": Impropers}
COLUMNS = ("id", "type", "element", "typelabel", "mol", "mass", "q")  # what a topology is made of


class GPZParser(TopologyReaderBase):
    """Reads the topology of .gpz files: what is valid for the first frame, from its columns and from the tables of the file.

    ids: column id, else 1, 2, ....
    types: texts, as they were written: the type labels where the file is not of LAMMPS itself, or has a column typelabel and no
        column type; likewise the elements of a column element; else the numbers. All are "1" in a file without types.
    elements: table atoms, else those of the types, else those whose mass an atom has.
    names: table atoms, else type labels, else elements.
    masses, in u: column mass, else table atoms, else table types, else guessed from the elements, else 1, as for LAMMPS's text
        dumps.
    charges, in e: column q, else table atoms.
    resids, resnums: table atoms (resid), else column mol, else table atoms (mol), else 1. resnames: table atoms.
    segids: table atoms (segid, else chain), else "SYSTEM". chainIDs: table atoms (chain).
    bonds, angles, dihedrals, impropers: the tables of these names. Entries that name absent atoms are left out.

    Attributes that the file says nothing about are left out, except those that have an "else" above.
    """

    format = "GPZ"

    @staticmethod
    def _format_hint(thing: Any) -> bool:
        """MDAnalysis takes the query of a URL for a part of its extension."""
        return is_gpz_url(thing)

    def parse(self, lammps_units: str | None = None, convert_units: bool = True, **kwargs: Any) -> Topology:
        """The topology of the first frame: ids, types, masses, charges, elements, residues and segments, as far as the file has them.

        lammps_units: units of the file, if it does not name them. convert_units: masses and charges in units of MDAnalysis.
        kwargs: threads, max_memory, remote and atoms, as of gpz.open: the topology is that of these atoms, with the bonds between
        them. Raises gpz.Error for a file that cannot be read.
        """
        options = {name: kwargs[name] for name in ("threads", "max_memory", "remote", "atoms") if name in kwargs}
        with open_fixed(self.filename, **options) as trajectory:
            present = trajectory.columns
            columns = trajectory.read(0, [name for name in COLUMNS if name in present], dtype=np.float64)
            count = trajectory[0].n_particles
            # Columns that are shown as elements or labels have the numbers of types as well.
            column = next((name for name in ("type", "element", "typelabel") if name in columns), None)
            atoms = _particles.of_frame(trajectory, 0, columns.get("id"), columns.get(column))
            symbols, labels = trajectory.elements, trajectory.type_labels or atoms.labels()
            of_lammps = bool(trajectory.metadata["command"] or trajectory.metadata["atom_style"])
            style = lammps_units or trajectory.units
            units = units_of(style if convert_units else None)

        types = atoms.types()
        if types is not None and column is None:
            column = "type"
        names = atoms.texts("type") if types is None else None  # of a table whose types are texts
        types = np.ones(count, np.int64) if types is None else types
        attributes: list[TopologyAttr] = [
            Atomids(columns["id"] if "id" in columns else np.arange(1, count + 1)),
            Atomtypes(texts(types, names_of_types(column, labels, symbols, of_lammps)) if names is None else names),
        ]
        mass = columns.get("mass", atoms.numbers("mass"))
        elements = named = self._elements(symbols, columns.get("element", types), atoms.texts("element"))
        by_mass = symbols_of_masses(mass, style)
        if by_mass is not None and (by_mass != "").any():
            elements = filled(named, by_mass)
        if elements is not None:
            attributes.append(Elements(elements))
        by_types = by_type(labels, types) if labels else elements
        names = filled(atoms.texts("name"), by_types)
        if names is not None:
            attributes.append(Atomnames(names))
        attributes.append(self._masses(mass, named, count, units.mass))
        charges = columns.get("q", atoms.numbers("q"))
        if charges is not None:
            attributes.append(Charges(np.nan_to_num(charges) * units.charge))
        for name, attribute in LINKS.items():
            links = atoms.links(name)
            if links is not None:
                attributes.append(attribute(list(map(tuple, links.indices.tolist())), types=links.type_names()))
        chains = atoms.texts("chain")
        if chains is not None:
            attributes.append(ChainIDs(chains))
        return self._with_residues(count, attributes, columns.get("mol"), atoms)

    def _with_residues(
        self, count: int, attributes: list[TopologyAttr], molecules: np.ndarray | None, atoms: _particles.Particles
    ) -> Topology:
        """A topology with residues and segments."""
        resids = atoms.column("resid", "i")
        resnames, segids = atoms.texts("resname"), filled(atoms.texts("segid"), atoms.texts("chain"))
        if resids is not None:
            criteria = [values for values in (resids, resnames, segids) if values is not None]
            residues = change_squash(criteria, [resids])[0]
        else:
            molecules = atoms.column("mol", "i") if molecules is None else molecules
            resids = np.ones(count, np.int64) if molecules is None else molecules
            residues = squash_by(resids)[0]
        first = np.unique(residues, return_index=True)[1]  # an atom of each residue
        attributes += [Resids(resids[first]), Resnums(resids[first])]
        if resnames is not None:
            attributes.append(Resnames(resnames[first]))
        if segids is None:
            attributes.append(Segids(np.array(["SYSTEM"], dtype=object)))
            return Topology(count, len(first), 1, attrs=attributes, atom_resindex=residues)
        segments, (of_segments,) = change_squash([segids[first]], [segids[first]])
        attributes.append(Segids(of_segments))
        return Topology(
            count, len(first), len(of_segments), attrs=attributes, atom_resindex=residues, residue_segindex=segments
        )

    def _elements(self, symbols: Sequence[str], types: np.ndarray, of_atoms: np.ndarray | None) -> np.ndarray | None:
        """(N,) symbols, of atoms, else of their types; empty where it is that of no element; None if the file has none."""
        known = {symbol: self._element(symbol) for symbol in (*symbols, *(() if of_atoms is None else set(of_atoms)))}
        unknown = [symbol for symbol, name in known.items() if symbol and not name]
        if unknown:
            warnings.warn(f"{self.filename}: {_core.printable(', '.join(unknown))}: no such elements. Their atoms have none")
        of_types = by_type([known[symbol] for symbol in symbols], types) if symbols else None
        if of_atoms is None:
            return of_types
        return filled(np.array([known[symbol] for symbol in of_atoms], dtype=object), of_types)

    def _element(self, symbol: str) -> str:
        return symbol.capitalize() if symbol.capitalize() in SYMB2Z else ""

    def _masses(self, column: np.ndarray | None, elements: np.ndarray | None, count: int, factor: float) -> Masses:
        unknown = np.isnan(column) if column is not None else np.ones(count, bool)
        if not unknown.any():
            return Masses(column * factor)
        if elements is not None:
            table = {symbol: mass_of_element.get(symbol, 1.0) for symbol in set(elements)}
            guessed = np.array([table[symbol] for symbol in elements])
            return Masses(guessed if column is None else np.where(unknown, guessed, column * factor), guessed=True)
        if column is not None:
            warnings.warn(f"{self.filename} has no masses of {unknown.sum()} atoms: theirs are 1")
            return Masses(np.where(unknown, 1.0, column * factor))
        warnings.warn(f"{self.filename} has neither masses nor elements: all masses are 1")
        return Masses(np.ones(count), guessed=True)


def names_of_types(column: str | None, labels: Sequence[str], symbols: Sequence[str], of_lammps: bool) -> Sequence[str]:
    """The names that the writer of a column gave to its types; empty if they have numbers only. Names that two types share would
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


def filled(values: np.ndarray | None, others: np.ndarray | None) -> np.ndarray | None:
    """(N,) texts: the others where there are none or an empty one. A new array."""
    if values is None or others is None:
        found = others if values is None else values
        return None if found is None else found.copy()
    return np.where(values == "", others, values)


def by_type(names: Sequence[str], types: np.ndarray) -> np.ndarray:
    """(N,) names of types 1, 2, ...; empty for types beyond them."""
    table = np.array(["", *names, ""], dtype=object)
    return table[np.where((types > 0) & (types <= len(names)), types, 0)]
