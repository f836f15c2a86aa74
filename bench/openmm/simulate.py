#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs OpenMM and keeps positions as float32, in nm, as its reporters write them: molecules whole, centres in the box.

  simulate.py argon|water|adk FOLDER --atoms N --run STEP NAME:FRAMES:SPACING[,...] [--run ...]

A --run is a part of the trajectory with steps of STEP fs. Each NAME of a --run keeps FRAMES frames that are SPACING fs
apart; all begin where the run begins. NAME.npy has the shape (frames, atoms, 3), NAME.json what was run.

  --equilibrate PS  before the first --run (10)
  --prepared FILE   what adk.py made
  --relax FILE      instead of --run: energy minimised, PS with a barostat at 1 bar, and FILE as another --prepared
  --limit SECONDS   of wall time: the equilibration becomes shorter, and runs end with the frames that they have
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path

import numpy as np
import openmm
import systems
from openmm import unit

BEGAN = time.monotonic()
LEAST = 0.2  # of the equilibration that was asked for
HOT = 10  # times the temperature: the integration is not stable


def elapsed() -> float:
    return time.monotonic() - BEGAN


class Simulation:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.start = start = systems.start(
            options.kind, options.atoms, options.equilibrate, options.seed, options.prepared
        )
        self.say(f"{len(start.positions)} atoms, box {start.box}")
        if options.relax:
            start.system.addForce(openmm.MonteCarloBarostat(1.01325, start.temperature))
        self.integrator = openmm.LangevinMiddleIntegrator(start.temperature, 1, 0.001)
        self.integrator.setRandomNumberSeed(options.seed)
        platform = openmm.Platform.getPlatform(options.platform)
        properties = {"Precision": "mixed"} if options.platform == "CUDA" else {}
        self.context = openmm.Context(start.system, self.integrator, platform, properties)
        self.context.setPositions(start.positions)
        self.context.applyConstraints(1e-6)
        if options.relax:
            self.minimise()
        self.context.setVelocitiesToTemperature(start.stages[0].temperature, options.seed)
        self.say("context made")
        self.time = 0.0  # ps
        self.done: list[dict] = []

    def minimise(self) -> None:
        openmm.LocalEnergyMinimizer.minimize(self.context, 100, 250)
        self.context.applyConstraints(1e-6)
        state = self.context.getState(getEnergy=True, getForces=True)
        energy = state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)
        forces = np.linalg.norm(state.getForces(asNumpy=True)._value, axis=1)
        self.say(
            f"energy minimised to {energy:.4g} kJ/mol, "
            f"largest force {forces.max():.4g} kJ/mol/nm on particle {forces.argmax()}"
        )
        if not np.isfinite(energy):
            raise SystemExit("the energy of the start is not a number")

    def say(self, text: str) -> None:
        print(f"[{elapsed():6.1f} s] {self.options.kind} {self.options.atoms}: {text}", flush=True)

    def steps(self, count: int, step: float) -> None:
        self.integrator.setStepSize(step / 1000)
        self.integrator.step(count)
        self.time += count * step / 1000

    def state(self):
        state = self.context.getState(getPositions=True, enforcePeriodicBox=True)
        box = state.getPeriodicBoxVectors(asNumpy=True).value_in_unit(unit.nanometer)
        return state.getPositions(asNumpy=True).value_in_unit(unit.nanometer), np.diag(box)

    def temperature(self) -> float:
        energy = self.context.getState(getEnergy=True).getKineticEnergy().value_in_unit(unit.kilojoule_per_mole)
        system = self.start.system
        freedoms = 3 * system.getNumParticles() - system.getNumConstraints()
        return 2 * energy / (freedoms * 8.31446e-3)

    def equilibrate(self, limit: float) -> None:
        for stage in self.start.stages:
            self.stage(stage, limit)
        self.integrator.setTemperature(self.start.temperature)
        self.integrator.setFriction(1)

    def stage(self, stage: systems.Stage, limit: float) -> None:
        """Where the steps are too long for the forces, the stage begins again with half of them."""
        self.integrator.setTemperature(stage.temperature)
        self.integrator.setFriction(stage.friction)
        before, time_before = self.context.getState(getPositions=True, getVelocities=True), self.time
        step = stage.step
        while True:
            try:
                self.stage_of(stage, step, limit)
                return
            except (openmm.OpenMMException, ArithmeticError) as error:
                if step < stage.step / 4:
                    raise
                self.say(f"steps of {step} fs fail: {error}")
            step /= 2
            self.context.setState(before)
            self.time = time_before

    def stage_of(self, stage: systems.Stage, step: float, limit: float) -> None:
        wanted = max(1, round(1000 * stage.ps / step))
        made, began = 0, time.monotonic()
        while made < wanted:
            count = min(100, wanted - made)
            self.steps(count, step)
            made += count
            kelvin = self.temperature()  # waits for the GPU
            if not kelvin < HOT * self.start.temperature:  # nor is a NaN
                raise ArithmeticError(f"{kelvin:.0f} K")
            if elapsed() > limit and made >= LEAST * wanted:
                break
        rate = made / (time.monotonic() - began)
        self.done.append({"ps": made * step / 1000, "fs": step, "K": stage.temperature, "friction": stage.friction})
        self.say(f"equilibrated: {made} of {wanted} steps of {step} fs, {rate:.0f} steps/s, {kelvin:.1f} K")

    def describe(self, name: str, frames: int, spacing: float, step: float, box: np.ndarray, seconds: float) -> None:
        options, folder = self.options, self.options.folder
        described = {
            "kind": options.kind, "frames": frames, "spacing_fs": spacing, "step_fs": step, "box": box.tolist(),
            "bound": self.start.bound, "elements": sorted(set(self.start.elements)), "equilibrated": self.done,
            "temperature": self.start.temperature, "friction": 1, "seed": options.seed, "platform": options.platform,
            "openmm": openmm.__version__, "seconds": round(seconds, 1),
        }  # fmt: skip
        (folder / f"{name}.json").write_text(json.dumps(described) + "\n")

    def run(self, step: float, sets: list[tuple[str, int, int]], limit: float) -> None:
        shape = self.start.positions.shape
        arrays = {
            name: np.lib.format.open_memmap(
                self.options.folder / f"part-{name}.npy", "w+", np.float32, (frames, *shape)
            )
            for name, frames, _ in sets
        }
        made = dict.fromkeys(arrays, 0)
        times = sorted({k * spacing for _, frames, spacing in sets for k in range(frames)})
        began, before, box = time.monotonic(), 0, None
        for moment in times:
            if elapsed() > limit and all(made.values()):
                self.say(f"ends at {before} fs: no time is left")
                break
            self.steps(round((moment - before) / step), step)
            before = moment
            positions, box = self.state()
            if not np.isfinite(positions).all():
                raise SystemExit("positions are not numbers")
            for name, frames, spacing in sets:
                if moment % spacing == 0 and moment // spacing == made[name] < frames:
                    arrays[name][made[name]] = positions
                    made[name] += 1
        seconds = time.monotonic() - began
        rate = before / step / max(seconds, 1e-9)
        for name, frames, spacing in sets:
            part, path = self.options.folder / f"part-{name}.npy", self.options.folder / f"{name}.npy"
            array = arrays.pop(name)
            array.flush()
            if made[name] < frames:
                np.save(path, array[: made[name]])
                part.unlink()
            else:
                shutil.move(part, path)
            self.describe(name, made[name], spacing, step, box, seconds)
            self.say(f"{name}: {made[name]} of {frames} frames, {rate:.0f} steps/s, {self.temperature():.1f} K")

    def relaxed(self, path: Path) -> None:
        """Another prepared file, with the box of the barostat."""
        positions, box = self.state()
        with np.load(self.options.prepared) as stored:
            others = {name: stored[name] for name in ("system", "elements")}
        part = path.with_name("part-" + path.name)
        np.savez(part, positions=positions.astype(np.float32), box=box, **others)
        shutil.move(part, path)
        self.say(f"box {box}")


def sets_of(text: str) -> list[tuple[str, int, int]]:
    return [
        (name, int(frames), int(spacing)) for name, frames, spacing in (item.split(":") for item in text.split(","))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["argon", "water", "adk"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--atoms", type=int, required=True)
    parser.add_argument("--run", nargs=2, action="append", default=[], metavar=("STEP", "SETS"))
    parser.add_argument("--equilibrate", type=float, default=10)
    parser.add_argument("--prepared", type=Path)
    parser.add_argument("--relax", type=Path)
    parser.add_argument("--limit", type=float, default=np.inf)
    parser.add_argument("--platform", default="CUDA")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    simulation = Simulation(options)
    simulation.equilibrate(0.6 * options.limit)
    if options.relax:
        simulation.relaxed(options.relax)
    for step, sets in options.run:
        simulation.run(float(step), sets_of(sets), options.limit)


if __name__ == "__main__":
    main()
