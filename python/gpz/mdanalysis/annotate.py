# SPDX-License-Identifier: BSD-3-Clause
"""Topologies of MDAnalysis for .gpz files that are finished."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import MDAnalysis as mda
import numpy as np

import gpz
from gpz.mdanalysis import tables
from gpz.mdanalysis.units import units_of

if TYPE_CHECKING:
    from MDAnalysis.core.groups import AtomGroup


def annotate(path: str | os.PathLike, topology: str | os.PathLike | mda.Universe | AtomGroup) -> None:
    """Adds a topology to a .gpz file, at its end: names, residues, masses, charges, bonds, angles, dihedrals, impropers, as
    far as the topology has them. No frame is written again.

    path: a .gpz file with ids, which nothing else writes.
    topology: a file that MDAnalysis reads (PSF, GRO, PDB, PRMTOP, ...), a Universe, or an AtomGroup. Its first atom is the
        one with the smallest id in the first frame, and so on.
    Raises gpz.ArgumentError if the numbers of atoms differ, or the file has no ids.
    """
    with gpz.open(path) as trajectory:
        if len(trajectory) == 0:
            raise gpz.ArgumentError("has no complete frame", os.fspath(path))
        first, units = trajectory[0], units_of(trajectory.units)
        if first.ids is None:
            raise gpz.ArgumentError("has no ids, so nothing says which atom a row of a table is", os.fspath(path))
        ids = np.sort(first.ids)
        known = trajectory.tables().get("atoms")
    atoms = topology.atoms if hasattr(topology, "atoms") else mda.Universe(os.fspath(topology)).atoms
    if len(atoms) != len(ids):
        raise gpz.ArgumentError(f"the topology has {len(atoms)} atoms, the first frame {len(ids)}", os.fspath(path))
    found = tables.of_atoms(atoms, ids, False, tables.masses_and_charges(atoms, units))
    if known is not None and "atoms" in found and "id" in known and np.array_equal(np.sort(known["id"]), ids):
        # The table replaces the one before: what the topology does not say is kept.
        order = np.argsort(known["id"])
        kept = {name: values[order] for name, values in known.items() if name not in found["atoms"]}
        found["atoms"] = gpz.Table({**found["atoms"], **kept}, units={**known.units, **found["atoms"].units})
    if not found:
        raise gpz.ArgumentError("the topology says nothing that is not in the file", os.fspath(path))
    with gpz.Writer(path, append=True) as writer:
        writer.write_tables(found)
