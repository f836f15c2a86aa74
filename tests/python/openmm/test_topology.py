# SPDX-License-Identifier: BSD-3-Clause
"""Topologies that readers of other packages make of a file, against those that they make of the simulation."""

import MDAnalysis as mda
import mdtraj
import numpy as np
import openmm
import pytest
from conftest import simulation_of, water
from openmm import app, unit

import gpz
import gpz.mdanalysis
import gpz.mdtraj
from gpz.openmm import GPZReporter


@pytest.fixture(scope="module", params=["tip3p", "tip4pew"])
def run(request, tmp_path_factory):
    """A simulation and its file of one frame."""
    path = tmp_path_factory.mktemp("run") / "traj.gpz"
    simulation = simulation_of(*water(request.param))
    with GPZReporter(path, 1, velocities=True, forces=True) as reporter:
        simulation.reporters.append(reporter)
        simulation.step(1)
    simulation.reporters.clear()
    return simulation, path


def test_mdanalysis(run):
    """As its own converter has the simulation, and what that leaves out."""
    simulation, path = run
    universe, direct = mda.Universe(path), mda.Universe(simulation)
    for name in ("names", "resnames", "resids", "chainIDs"):
        assert getattr(universe.atoms, name).tolist() == getattr(direct.atoms, name).tolist(), name
    atoms = list(simulation.topology.atoms())
    assert universe.atoms.elements.tolist() == ["" if atom.element is None else atom.element.symbol for atom in atoms]
    assert universe.residues.n_residues == direct.residues.n_residues == 27
    assert [len(segment.atoms) for segment in universe.segments] == [
        sum(1 for _ in chain.atoms()) for chain in simulation.topology.chains()
    ]
    assert {tuple(sorted(pair)) for pair in universe.bonds.to_indices().tolist()} == {
        tuple(sorted((bond[0].index, bond[1].index))) for bond in simulation.topology.bonds()
    }
    system = simulation.system
    count = system.getNumParticles()
    masses = [system.getParticleMass(k).value_in_unit(unit.dalton) for k in range(count)]
    (nonbonded,) = (force for force in system.getForces() if isinstance(force, openmm.NonbondedForce))
    charges = [nonbonded.getParticleParameters(k)[0].value_in_unit(unit.elementary_charge) for k in range(count)]
    assert universe.atoms.masses.tolist() == masses and universe.atoms.charges.tolist() == charges
    assert universe.trajectory.ts.time == pytest.approx(0.001)
    state = simulation.context.getState(velocities=True, forces=True)
    velocities = state.getVelocities(asNumpy=True).value_in_unit(unit.angstrom / unit.picosecond)
    forces = state.getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / unit.angstrom)
    assert universe.atoms.velocities == pytest.approx(velocities, rel=1e-6)
    assert universe.atoms.forces == pytest.approx(forces, rel=1e-6)


def test_mdtraj(run):
    simulation, path = run
    topology, direct = gpz.mdtraj.topology(path), mdtraj.Topology.from_openmm(simulation.topology)
    assert [(atom.name, atom.residue.name, atom.residue.resSeq) for atom in topology.atoms] == [
        (atom.name, atom.residue.name, atom.residue.resSeq) for atom in direct.atoms
    ]
    assert topology.n_chains == direct.n_chains == 3 and topology.n_bonds == direct.n_bonds


def test_tables(run):
    simulation, path = run
    with gpz.open(path) as file:
        tables = file.tables()
        molecules = tables["atoms"]["mol"]
        facts = dict(zip(tables["provenance"]["name"], tables["provenance"]["value"]))
        assert file.metadata["generator"].startswith("gpz ") and "OpenMM" in file.metadata["generator"]
    for residue in simulation.topology.residues():  # each is a molecule here
        indices = [atom.index for atom in residue.atoms()]
        assert len(set(molecules[indices].tolist())) == 1
    assert len(set(molecules.tolist())) == 27
    assert facts == {
        "program": f"OpenMM {openmm.Platform.getOpenMMVersion()}", "platform": "CPU", "integrator": "LangevinMiddleIntegrator"
    }  # fmt: skip


def test_residues_that_are_no_numbers_are_counted(path):
    """PDB files of large systems have hexadecimal ones."""
    topology = app.Topology()
    for chain in (topology.addChain("A"), topology.addChain("B")):
        for number in ("9999", "A000"):
            topology.addAtom("AR", app.element.argon, topology.addResidue("AR", chain, number))
    system = openmm.System()
    for _ in range(4):
        system.addParticle(39.9)
    simulation = simulation_of(topology, system, np.eye(4, 3) * unit.nanometer)
    with GPZReporter(path, 1, density=False) as reporter:
        simulation.reporters.append(reporter)
        simulation.step(1)
    tables = gpz.open(path).tables()
    assert tables["atoms"]["resid"].tolist() == [1, 2, 3, 4]
    assert tables["atoms"]["chain"].tolist() == ["A", "A", "B", "B"]
    assert "q" not in tables["atoms"] and tables["bonds"].n_rows == 0
