# SPDX-License-Identifier: BSD-3-Clause
"""Small simulations on OpenMM's CPU platform, and a reporter that keeps what the engine itself says of each frame."""

import numpy as np
import openmm
import pytest
from openmm import app, unit

KJ = unit.kilojoule_per_mole
PLATFORM = "CPU"


class Truth:
    """A reporter: steps, times (ps), positions (nm), velocities (nm/ps), forces (kJ/(mol nm)), boxes (nm) and energies (kJ/mol)."""

    def __init__(self, interval, periodic=None):
        self._interval, self._periodic = interval, periodic
        self.steps, self.times, self.positions, self.velocities, self.forces, self.boxes = [], [], [], [], [], []
        self.potentials, self.kinetics = [], []

    def describeNextReport(self, simulation):
        steps = self._interval - simulation.currentStep % self._interval
        return {"steps": steps, "periodic": self._periodic, "include": ["positions", "velocities", "forces", "energy"]}

    def report(self, simulation, state):
        self.steps.append(simulation.currentStep)
        self.times.append(state.getTime().value_in_unit(unit.picosecond))
        self.positions.append(state.getPositions(asNumpy=True).value_in_unit(unit.nanometer))
        self.velocities.append(state.getVelocities(asNumpy=True).value_in_unit(unit.nanometer / unit.picosecond))
        self.forces.append(state.getForces(asNumpy=True).value_in_unit(KJ / unit.nanometer))
        self.boxes.append(np.array(state.getPeriodicBoxVectors().value_in_unit(unit.nanometer)))
        self.potentials.append(state.getPotentialEnergy().value_in_unit(KJ))
        self.kinetics.append(state.getKineticEnergy().value_in_unit(KJ))


def water(model="tip3p", molecules=27, edge=1.1, vectors=None, pressure=False):
    """A topology of waters and two ions in three chains, its system and positions (nm)."""
    topology = app.Topology()
    oxygen, hydrogen = app.element.oxygen, app.element.hydrogen
    places = [np.array([k % 3, k // 3 % 3, k // 9]) * edge / 3 + 0.1 for k in range(molecules)]
    positions = []
    for half in (places[: molecules // 2], places[molecules // 2 : -2]):
        chain = topology.addChain()
        for place in half:
            residue = topology.addResidue("HOH", chain)
            o = topology.addAtom("O", oxygen, residue)
            hydrogens = [topology.addAtom(name, hydrogen, residue) for name in ("H1", "H2")]
            for atom in hydrogens:
                topology.addBond(o, atom)
            positions += [place, place + [0.0957, 0, 0], place + [-0.024, 0.0927, 0]]
    chain = topology.addChain("I")
    for name, symbol, place in (("NA", "Na", places[-2]), ("CL", "Cl", places[-1])):
        topology.addAtom(name, app.element.get_by_symbol(symbol), topology.addResidue(name, chain))
        positions.append(place)
    vectors = np.diag([edge] * 3) if vectors is None else np.array(vectors)
    topology.setPeriodicBoxVectors(vectors * unit.nanometer)
    field = app.ForceField("amber14-all.xml", f"amber14/{model}.xml")
    modeller = app.Modeller(topology, np.array(positions) * unit.nanometer)
    modeller.addExtraParticles(field)
    system = field.createSystem(
        modeller.topology, nonbondedMethod=app.CutoffPeriodic, nonbondedCutoff=0.4 * edge * unit.nanometer, rigidWater=True
    )
    if pressure:
        system.addForce(openmm.MonteCarloBarostat(1 * unit.bar, 300 * unit.kelvin, 5))
    return modeller.topology, system, modeller.positions


def simulation_of(topology, system, positions, integrator=None):
    integrator = integrator or openmm.LangevinMiddleIntegrator(300 * unit.kelvin, 1 / unit.picosecond, 0.001 * unit.picosecond)
    integrator.setRandomNumberSeed(7) if hasattr(integrator, "setRandomNumberSeed") else None
    platform = openmm.Platform.getPlatformByName(PLATFORM)
    made = app.Simulation(topology, system, integrator, platform, {"Threads": "1"} if PLATFORM == "CPU" else {})
    made.context.setPositions(positions)
    made.context.applyConstraints(1e-6)
    made.context.computeVirtualSites()
    made.context.setVelocitiesToTemperature(300 * unit.kelvin, 3)
    return made


@pytest.fixture
def path(tmp_path):
    return tmp_path / "traj.gpz"
