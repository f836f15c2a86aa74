# SPDX-License-Identifier: BSD-3-Clause
"""Time of a report of OpenMM, and size of its frames: GPZReporter, DCDReporter and XTCReporter.

    openmm_reporters.py [--frames 40] [--steps 50] [--edges 3 6] [--repeat 5] [--loop STEPS] [--json FILE]

Water (TIP3P) in boxes of these edges, nm, at 300 K on OpenMM's platform (the fastest there is, or --platform). Every `steps`
steps of 2 fs a state is taken; all reporters get the same states afterwards, in turns. Processor time of the whole process in
report(), of each frame behind the first; the median of all repetitions, and the spread of their means. "state" is what OpenMM
takes to hand out positions, which each reporter asks for: it is in no other line. A state with energies takes OpenMM a
calculation of all forces, as for StateDataReporter.

--loop: also the wall time of runs with a report every so many steps, in turns with runs without reporters.
"""

import argparse
import json
import os
import statistics
import tempfile
import time

import openmm
from openmm import app, unit

from gpz.openmm import GPZReporter


def water(edge, platform):
    field = app.ForceField("tip3p.xml")
    modeller = app.Modeller(app.Topology(), [])
    modeller.addSolvent(field, model="tip3p", boxSize=(edge, edge, edge) * unit.nanometer)
    system = field.createSystem(modeller.topology, nonbondedMethod=app.PME, constraints=app.HBonds)
    integrator = openmm.LangevinMiddleIntegrator(300 * unit.kelvin, 1 / unit.picosecond, 0.002 * unit.picosecond)
    chosen = [] if platform is None else [openmm.Platform.getPlatformByName(platform)]
    made = app.Simulation(modeller.topology, system, integrator, *chosen)
    made.context.setPositions(modeller.positions)
    made.minimizeEnergy(maxIterations=100)
    made.context.setVelocitiesToTemperature(300 * unit.kelvin, 1)
    made.step(500)
    return made


class Moment:
    """A simulation at an earlier step, for reporters that ask for it."""

    def __init__(self, simulation, step):
        self._simulation, self.currentStep = simulation, step

    def __getattr__(self, name):
        return getattr(self._simulation, name)


REPORTERS = {
    "DCD": lambda path: app.DCDReporter(path + ".dcd", 1),
    "XTC (0.001 nm)": lambda path: app.XTCReporter(path + ".xtc", 1),
    "gpz fast, 0.0005 nm": lambda path: GPZReporter(path + "f.gpz", 1, eb=0.0005, effort="fast"),
    "gpz, 0.0005 nm": lambda path: GPZReporter(path + "s.gpz", 1, eb=0.0005),
    "gpz, 0.005 nm": lambda path: GPZReporter(path + "l.gpz", 1, eb=0.005),
    "gpz, 0.0005 nm, velocities thermal, energies": lambda path: GPZReporter(
        path + "v.gpz", 1, eb=0.0005, velocities=True, velocity_eb="thermal", potentialEnergy=True
    ),
}


def measured(simulation, states, repeat):
    costs = {name: [] for name in REPORTERS}
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repeat):
            for name, make in REPORTERS.items():
                path = os.path.join(folder, f"{turn}")
                reporter = make(path)
                times = []
                for step, state in states:
                    begin = time.process_time()
                    reporter.report(Moment(simulation, step), state)
                    times.append(time.process_time() - begin)
                del reporter
                costs[name].append(times[1:])
                sizes[name] = sum(os.path.getsize(os.path.join(folder, file)) for file in os.listdir(folder)) / len(states)
                for file in os.listdir(folder):
                    os.remove(os.path.join(folder, file))
    return costs, sizes


def loop(simulation, steps, reports, repeat):
    """Seconds of a report interval with each reporter, and without one ("none"): of each repetition."""
    found = {name: [] for name in ("none", *REPORTERS)}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repeat):
            for name, times in found.items():
                made = [] if name == "none" else [REPORTERS[name](os.path.join(folder, f"{turn}"))]
                for reporter in made:
                    reporter._reportInterval = reporter._interval = steps
                simulation.reporters[:] = made
                simulation.step(steps)  # the first report opens the file
                simulation.context.getState(energy=True)  # waits for the device
                begin = time.perf_counter()
                simulation.step(steps * reports)
                simulation.context.getState(energy=True)
                times.append((time.perf_counter() - begin) / reports)
                simulation.reporters.clear()
                del made
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--edges", type=float, nargs="+", default=[3, 6])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--platform")
    parser.add_argument("--loop", type=int)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    for edge in options.edges:
        simulation = water(edge, options.platform)
        platform = simulation.context.getPlatform().getName()
        atoms = simulation.topology.getNumAtoms()
        states, own, steps = [], [], []
        for _ in range(options.frames):
            begin = time.process_time()
            simulation.step(options.steps)
            steps.append((time.process_time() - begin) / options.steps)
            begin = time.process_time()
            simulation.context.getState(positions=True, enforcePeriodicBox=True)
            own.append(time.process_time() - begin)
            state = simulation.context.getState(positions=True, velocities=True, energy=True, enforcePeriodicBox=True)
            states.append((simulation.currentStep, state))
        print(f"{atoms} atoms, {options.frames} frames, {options.steps} steps apart, {platform}")
        print(f"  {'a step':46} {1e3 * statistics.median(steps):9.2f} ms")
        print(f"  {'state':46} {1e3 * statistics.median(own):9.2f} ms")
        costs, sizes = measured(simulation, states, options.repeat)
        for name, turns in costs.items():
            means = [1e3 * statistics.fmean(turn) for turn in turns]
            median = 1e3 * statistics.median(value for turn in turns for value in turn)
            rows.append(
                {"atoms": atoms, "name": name, "ms": median, "least": min(means), "most": max(means), "bytes": sizes[name]}
            )
            bits = 8 * sizes[name] / atoms
            print(f"  {name:46} {median:9.2f} ms ({min(means):.2f} to {max(means):.2f}) {sizes[name]:12.0f} bytes, {bits:.1f} bits an atom")
        if options.loop:
            simulation.currentStep -= simulation.currentStep % options.loop
            print(f"  a report every {options.loop} steps, wall time of an interval")
            for name, times in loop(simulation, options.loop, 20, options.repeat).items():
                times = [1e3 * value for value in times]
                print(f"  {name:46} {statistics.median(times):9.2f} ms ({min(times):.2f} to {max(times):.2f})")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
