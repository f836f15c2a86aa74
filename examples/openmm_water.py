#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Water of OpenMM into a .gpz file, with energies, and a mean temperature from the file.

  pip install ".[openmm]"            # at the root of the repository
  python examples/openmm_water.py    # 1 minute on two cores

It makes water.gpz in this folder. Run it again: it goes on from the checkpoint water.chk, and adds to the file.
"""

from pathlib import Path

from openmm import LangevinMiddleIntegrator, app, unit

import gpz
from gpz.openmm import GPZReporter

STEPS = 1000
CHECKPOINT = Path("water.chk")


def simulation():
    """A box of 2.5 nm with TIP4P-Ew water, whose molecules have a virtual site each."""
    field = app.ForceField("tip4pew.xml")
    modeller = app.Modeller(app.Topology(), [])
    modeller.addSolvent(field, model="tip4pew", boxSize=(2.5, 2.5, 2.5) * unit.nanometer)
    system = field.createSystem(modeller.topology, nonbondedMethod=app.PME, constraints=app.HBonds)
    integrator = LangevinMiddleIntegrator(300 * unit.kelvin, 1 / unit.picosecond, 0.002 * unit.picosecond)
    made = app.Simulation(modeller.topology, system, integrator)
    made.context.setPositions(modeller.positions)
    return made


def main():
    """Runs, and reads what was written."""
    water = simulation()
    goes_on = CHECKPOINT.exists()
    if goes_on:
        water.loadCheckpoint(str(CHECKPOINT))
    else:
        water.minimizeEnergy(maxIterations=50)
        water.context.setVelocitiesToTemperature(300 * unit.kelvin)
    with GPZReporter("water.gpz", 50, append=goes_on, eb=0.0005, potentialEnergy=True, temperature=True) as reporter:
        water.reporters.append(reporter)
        water.step(STEPS)
    water.saveCheckpoint(str(CHECKPOINT))

    with gpz.open("water.gpz") as trajectory:
        table = trajectory.observables()
        print(f"{len(trajectory)} frames of {trajectory[0].n_particles} particles, steps {trajectory.timesteps[0]} to {trajectory.timesteps[-1]}")
        print(f"mean temperature {table['Temp'].mean():.0f} K, bonds {trajectory.tables()['bonds'].n_rows}")


if __name__ == "__main__":
    main()
