# SPDX-License-Identifier: BSD-3-Clause
"""Topologies of OpenMM as elements, types and tables of .gpz files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import openmm
from openmm import unit

import gpz
from gpz._arguments import as_array, shown

if TYPE_CHECKING:
    from openmm.app import Simulation, Topology


class Atoms:
    """The atoms of a file.

    indices: (N,) of the simulation, from 0; None: all atoms.
    ids: (N,) int64 that ascend: indices + 1; 1 to N if the indices do not ascend, so that readers have the order of the caller.
    types: (N,) int64: a type for each element, in the order in which they occur.
    elements: symbols, [t - 1] for type t. Virtual sites and other particles without an element have the symbol "".

    Raises ArgumentError for an index beyond the topology, and for a topology that does not have the particles of the system.
    """

    def __init__(self, simulation: Simulation, subset: np.ndarray | None):
        self._simulation = simulation
        self._atoms = list(simulation.topology.atoms())
        particles = simulation.system.getNumParticles()
        if particles != len(self._atoms):
            raise gpz.ArgumentError(f"the system has {particles} particles, and the topology {len(self._atoms)} atoms")
        self.indices = subset
        if subset is not None and len(subset) and subset.max() >= len(self._atoms):
            raise gpz.ArgumentError(f"atomSubset: {subset.max()}, and the topology has {len(self._atoms)} atoms, from 0")
        self.rows = np.arange(len(self._atoms)) if subset is None else subset
        ascend = bool((np.diff(self.rows) > 0).all())
        self.ids = self.rows + 1 if ascend else np.arange(1, len(self.rows) + 1)
        symbols = [_symbol(self._atoms[row]) for row in self.rows.tolist()]
        self.elements = list(dict.fromkeys(symbols))
        numbers = {symbol: number for number, symbol in enumerate(self.elements, 1)}
        self.types = np.array([numbers[symbol] for symbol in symbols], np.int64)

    def of(self, values: np.ndarray) -> np.ndarray:
        """(N, ...): the values of these atoms, from those of all particles of the simulation."""
        return values if self.indices is None else values[self.indices]

    def tables(self) -> dict[str, gpz.Table]:
        """atoms (names, residues, chains, molecules, masses, charges) and bonds."""
        topology, system = self._simulation.topology, self._simulation.system
        atoms = [self._atoms[row] for row in self.rows.tolist()]
        columns: dict[str, Any] = {
            "name": [atom.name for atom in atoms],
            "resname": [atom.residue.name for atom in atoms],
            "resid": _residue_numbers(topology)[[atom.residue.index for atom in atoms]],
            "chain": [str(atom.residue.chain.id) for atom in atoms],
            "mol": _molecules(self._simulation, len(self._atoms))[self.rows],
            "mass": masses_of(system)[self.rows],
        }
        charges = _charges(system)
        if charges is not None:
            columns["q"] = charges[self.rows]
        said = {name: values for name, values in columns.items() if not isinstance(values, list) or any(values)}
        return {"atoms": gpz.Table({"id": self.ids, **said}), "bonds": self._bonds(topology)}

    def _bonds(self, topology: Topology) -> gpz.Table:
        """Between atoms of the file."""
        pairs = np.array([[bond[0].index, bond[1].index] for bond in topology.bonds()], np.int64).reshape(-1, 2)
        of_row = np.zeros(len(self._atoms), np.int64)
        of_row[self.rows] = self.ids
        found = of_row[pairs]
        found = found[(found > 0).all(axis=1)]
        return gpz.Table({"atom1": found[:, 0], "atom2": found[:, 1]})


def checked_subset(subset: Sequence[int] | None) -> np.ndarray | None:
    """(N,) int64: indices from 0, each once. TypeError and ArgumentError for others."""
    if subset is None:
        return None
    indices = as_array("atomSubset", subset)
    if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
        raise TypeError(f"atomSubset: indices of atoms, whole numbers from 0, not {shown(subset)}")
    if not indices.size:
        raise gpz.ArgumentError("atomSubset: no atoms. For all atoms: atomSubset=None")
    if indices.min() < 0:
        raise gpz.ArgumentError(f"atomSubset: {indices.min()}: indices of atoms are whole numbers from 0")
    distinct, counts = np.unique(indices, return_counts=True)
    if len(distinct) < len(indices):
        raise gpz.ArgumentError(f"atomSubset: {distinct[counts > 1][0]} is given twice")
    return indices.astype(np.int64)


def _symbol(atom: Any) -> str:
    return "" if atom.element is None else atom.element.symbol


def _residue_numbers(topology: Topology) -> np.ndarray:
    """(residues,) int64: their ids if all are numbers, as in a PDB file; else 1, 2, ...."""
    residues = list(topology.residues())
    try:
        return np.array([int(residue.id) for residue in residues], np.int64)
    except (TypeError, ValueError, OverflowError):
        return np.arange(1, len(residues) + 1)


def _molecules(simulation: Simulation, count: int) -> np.ndarray:
    """(atoms,) int64, from 1: which particles bonds and constraints hold together."""
    numbers = np.zeros(count, np.int64)
    for number, molecule in enumerate(simulation.context.getMolecules(), 1):
        numbers[list(molecule)] = number
    return numbers


def masses_of(system: openmm.System) -> np.ndarray:
    """(particles,) u."""
    return np.array([system.getParticleMass(k).value_in_unit(unit.dalton) for k in range(system.getNumParticles())])


def _charges(system: openmm.System) -> np.ndarray | None:
    """(particles,) e; None if no force has charges."""
    for force in system.getForces():
        if isinstance(force, openmm.NonbondedForce):
            get = force.getParticleParameters
        elif isinstance(force, openmm.AmoebaMultipoleForce):
            get = force.getMultipoleParameters
        else:
            continue
        charges = (get(k)[0] for k in range(system.getNumParticles()))
        return np.array([charge.value_in_unit(unit.elementary_charge) for charge in charges])
    return None


def provenance_of(simulation: Simulation) -> gpz.Table:
    """Program, platform and integrator."""
    facts = {
        "program": f"OpenMM {openmm.Platform.getOpenMMVersion()}",
        "platform": simulation.context.getPlatform().getName(),
        "integrator": type(simulation.context.getIntegrator()).__name__,
    }
    return gpz.Table({"name": list(facts), "value": list(facts.values())})
