# SPDX-License-Identifier: BSD-3-Clause
"""A System of OpenMM that holds another one many times."""

from __future__ import annotations

import functools

import numpy as np
import openmm
from openmm import unit


def plain(values) -> list:
    """Parameters without their units, in those of OpenMM (nm, ps, amu, kJ/mol)."""
    return [value.value_in_unit_system(unit.md_unit_system) if unit.is_quantity(value) else value for value in values]


def direct(thing, method: str):
    """A method without the look for units in each argument, which takes half of the time of millions of calls."""
    return functools.partial(getattr(openmm.openmm._openmm, f"{type(thing).__name__}_{method}"), thing)


def add_terms(copies: int, count: int, particles: int, atoms: int, get, add) -> None:
    """Terms whose parameters begin with the indices of `atoms` particles."""
    terms = [plain(get(i)) for i in range(count)]
    heads = np.array([term[:atoms] for term in terms], int).reshape(-1, atoms)
    tails = [tuple(term[atoms:]) for term in terms]
    for shift in range(0, particles * copies, particles):
        for head, tail in zip((heads + shift).tolist(), tails, strict=True):
            add(*head, *tail)


def repeated(one: openmm.System, copies: int) -> openmm.System:
    """`copies` times the particles, constraints and forces of `one`. Boxes and positions are the caller's."""
    n = one.getNumParticles()
    whole = openmm.System()
    masses = plain(one.getParticleMass(i) for i in range(n))
    add = direct(whole, "addParticle")
    for _ in range(copies):
        for mass in masses:
            add(mass)
    add_terms(copies, one.getNumConstraints(), n, 2, one.getConstraintParameters, direct(whole, "addConstraint"))
    for force in one.getForces():
        whole.addForce(repeated_force(force, copies, n))
    return whole


def repeated_force(force: openmm.Force, copies: int, n: int) -> openmm.Force:
    if isinstance(force, openmm.NonbondedForce):
        return repeated_nonbonded(force, copies, n)
    made = type(force)()
    made.setUsesPeriodicBoundaryConditions(force.usesPeriodicBoundaryConditions())
    if isinstance(force, openmm.HarmonicBondForce):
        add_terms(copies, force.getNumBonds(), n, 2, force.getBondParameters, direct(made, "addBond"))
    elif isinstance(force, openmm.HarmonicAngleForce):
        add_terms(copies, force.getNumAngles(), n, 3, force.getAngleParameters, direct(made, "addAngle"))
    elif isinstance(force, openmm.PeriodicTorsionForce):
        add_terms(copies, force.getNumTorsions(), n, 4, force.getTorsionParameters, direct(made, "addTorsion"))
    else:
        raise TypeError(f"no copies of a {type(force).__name__}")
    return made


def repeated_nonbonded(force: openmm.NonbondedForce, copies: int, n: int) -> openmm.NonbondedForce:
    made = openmm.NonbondedForce()
    made.setNonbondedMethod(force.getNonbondedMethod())
    made.setCutoffDistance(force.getCutoffDistance())
    made.setEwaldErrorTolerance(force.getEwaldErrorTolerance())
    made.setUseDispersionCorrection(force.getUseDispersionCorrection())
    particles = [plain(force.getParticleParameters(i)) for i in range(n)]
    add = direct(made, "addParticle")
    for _ in range(copies):
        for parameters in particles:
            add(*parameters)
    add_terms(copies, force.getNumExceptions(), n, 2, force.getExceptionParameters, direct(made, "addException"))
    return made


def placed(positions: np.ndarray, box: np.ndarray, copies: tuple[int, int, int]) -> np.ndarray:
    """Positions of copies of an orthogonal box side by side."""
    corners = np.stack(np.meshgrid(*(np.arange(count) for count in copies), indexing="ij"), axis=-1).reshape(-1, 1, 3)
    return (positions[None] + corners * box).reshape(-1, 3)
