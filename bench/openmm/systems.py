# SPDX-License-Identifier: BSD-3-Clause
"""Systems at their start: a liquid, water, a protein in water. Lengths are in nm."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import openmm
from copies import placed, repeated

AVOGADRO = 6.02214076e23


@dataclass
class Stage:
    """A part of the equilibration; steps of `step` fs, friction of 1/ps."""

    ps: float
    step: float
    temperature: float
    friction: float


@dataclass
class Start:
    system: openmm.System
    positions: np.ndarray
    box: np.ndarray  # three edges
    elements: np.ndarray
    temperature: float
    stages: list[Stage]
    bound: float  # of positions, nm


def edge_of(count: int, mass: float, density: float) -> float:
    """The edge of a cube of `count` molecules of `mass` g/mol at `density` g/cm3, in nm."""
    return (count * mass / AVOGADRO / density) ** (1 / 3) * 1e7


def lattice(cells: int, edge: float, basis: list) -> np.ndarray:
    corners = np.stack(np.meshgrid(*3 * [np.arange(cells)], indexing="ij"), axis=-1).reshape(-1, 1, 3)
    return ((corners + np.array(basis)) * (edge / cells)).reshape(-1, 3)


def argon(atoms: int, equilibration: float, random: np.random.Generator) -> Start:
    """The liquid of Rahman (1964): 94 K, 1.374 g/cm3. A crystal that melts at 400 K is the start."""
    mass, sigma, epsilon = 39.948, 0.3405, 0.996
    cells = round((atoms / 4) ** (1 / 3))
    edge = edge_of(4 * cells**3, mass, 1.374)
    positions = lattice(cells, edge, [(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)])
    one = openmm.System()
    one.addParticle(mass)
    force = openmm.NonbondedForce()
    force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
    force.setCutoffDistance(2.5 * sigma)
    force.addParticle(0, sigma, epsilon)
    one.addForce(force)
    system = repeated(one, len(positions))
    stages = [Stage(equilibration / 3, 5, 400, 5), Stage(equilibration * 2 / 3, 10, 94, 5)]
    return Start(system, positions, np.full(3, edge), np.full(len(positions), "Ar"), 94, stages, 0.00017)


def orientations(count: int, random: np.random.Generator) -> np.ndarray:
    """Rotation matrices, uniformly distributed: of unit quaternions."""
    w, x, y, z = (q := random.normal(size=(4, count))) / np.sqrt((q**2).sum(axis=0))
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], axis=-1),
            np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], axis=-1),
            np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=-1),
        ],
        axis=1,
    )


def water(atoms: int, equilibration: float, random: np.random.Generator) -> Start:
    """Rigid TIP3P at 300 K, 0.985 g/cm3. Molecules on a cubic lattice, each turned at random, are the start."""
    bond, angle = 0.09572, np.radians(104.52)
    charge, sigma, epsilon = 0.417, 0.315075, 0.635968
    cells = round((atoms / 3) ** (1 / 3))
    edge = edge_of(cells**3, 18.0154, 0.985)
    oxygens = lattice(cells, edge, [(0.5, 0.5, 0.5)])
    hydrogens = bond * np.array([[1, 0, 0], [np.cos(angle), np.sin(angle), 0]])
    turned = np.einsum("mij,hj->mhi", orientations(len(oxygens), random), hydrogens)
    positions = (oxygens[:, None] + np.concatenate([np.zeros_like(turned[:, :1]), turned], axis=1)).reshape(-1, 3)

    one = openmm.System()
    for mass in (15.99943, 1.007947, 1.007947):
        one.addParticle(mass)
    one.addConstraint(0, 1, bond)
    one.addConstraint(0, 2, bond)
    one.addConstraint(1, 2, 2 * bond * np.sin(angle / 2))
    force = openmm.NonbondedForce()
    force.setNonbondedMethod(openmm.NonbondedForce.PME)
    force.setCutoffDistance(0.9)
    force.addParticle(-2 * charge, sigma, epsilon)
    for _ in range(2):
        force.addParticle(charge, 1, 0)
    for pair in ((0, 1), (0, 2), (1, 2)):
        force.addException(*pair, 0, 1, 0)
    one.addForce(force)
    system = repeated(one, cells**3)
    stages = [Stage(0.25, 0.5, 300, 50), Stage(1, 2, 300, 20), Stage(equilibration, 4, 300, 2)]
    return Start(system, positions, np.full(3, edge), np.tile(["O", "H", "H"], cells**3), 300, stages, 0.0005)


def boxes(count: int) -> tuple[int, int, int]:
    """`count` boxes in three rows that are as equal as they can be."""
    shapes = [
        (a, b, count // a // b)
        for a in range(1, count + 1)
        if count % a == 0
        for b in range(a, count // a + 1)
        if count // a % b == 0
    ]
    return min(shapes, key=lambda shape: max(shape) / min(shape))


def adk(atoms: int, equilibration: float, random: np.random.Generator, prepared: Path) -> Start:
    """Copies of what adk.py prepared. Velocities are drawn anew, so that the copies part.

    Short steps at 10 K come first: a minimum is within rounding of steep walls, and velocities of 300 K leave it fast.
    """
    with np.load(prepared) as stored:
        positions, box, elements = stored["positions"].astype(float), stored["box"], stored["elements"]
        one = openmm.XmlSerializer.deserialize(zlib.decompress(stored["system"].tobytes()).decode())
    shape = boxes(max(1, round(atoms / len(positions))))
    system = repeated(one, int(np.prod(shape)))
    stages = [Stage(0.05, 0.5, 10, 50), Stage(0.1, 1, 100, 50), Stage(0.5, 2, 300, 20), Stage(equilibration, 4, 300, 2)]
    return Start(
        system, placed(positions, box, shape), box * shape, np.tile(elements, np.prod(shape)), 300, stages, 0.0005
    )


def start(kind: str, atoms: int, equilibration: float, seed: int, prepared: Path | None) -> Start:
    random = np.random.default_rng(seed)
    if kind == "adk":
        made = adk(atoms, equilibration, random, prepared)
    else:
        made = {"argon": argon, "water": water}[kind](atoms, equilibration, random)
    made.system.setDefaultPeriodicBoxVectors(*np.diag(made.box))
    return made
