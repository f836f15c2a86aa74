# SPDX-License-Identifier: BSD-3-Clause
"""Energies and other numbers of a state of OpenMM, as StateDataReporter has them, as observables of frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import openmm
from openmm import unit

from gpz._arguments import checked_flag
from gpz._observed import ATOMS
from gpz._units import DALTON
from gpz.openmm import units
from gpz.openmm.topology import masses_of

if TYPE_CHECKING:
    from openmm.app import Simulation

# Names of LAMMPS, by StateDataReporter's arguments.
NAMES = {
    "potentialEnergy": "PotEng",
    "kineticEnergy": "KinEng",
    "totalEnergy": "TotEng",
    "temperature": "Temp",
    "volume": "Volume",
    "density": "Density",
}
OF_ENERGIES = {"potentialEnergy", "kineticEnergy", "totalEnergy", "temperature"}
DALTONS = DALTON * 1e27  # in 10^-24 g


class ObservablesOf:
    """wanted: whether each of NAMES is. TypeError for what is neither True nor False."""

    def __init__(self, wanted: dict[str, bool]):
        self._wanted = {name for name, flag in wanted.items() if checked_flag(name, flag)}
        self._freedoms: int | None = None
        self._mass: float | None = None

    @property
    def need_energies(self) -> bool:
        """Whether a state needs energies."""
        return bool(self._wanted & OF_ENERGIES)

    def of(self, simulation: Simulation, state: openmm.State, are_some: bool = False) -> dict[str, tuple[float, str]]:
        """Numbers and their units, by name. are_some: a frame has some of the atoms, so that their number belongs to it."""
        found: dict[str, tuple[float, str]] = {}
        if self.need_energies:
            potential = state.getPotentialEnergy().value_in_unit(units.OF_ENERGIES)
            kinetic = state.getKineticEnergy().value_in_unit(units.OF_ENERGIES)
            found = {
                "potentialEnergy": (units.energy(potential), units.ENERGY),
                "kineticEnergy": (units.energy(kinetic), units.ENERGY),
                "totalEnergy": (units.energy(potential + kinetic), units.ENERGY),
            }
        if "temperature" in self._wanted:
            found["temperature"] = self._temperature(simulation, state), units.TEMPERATURE
        if self._wanted & {"volume", "density"}:
            volume = state.getPeriodicBoxVolume().value_in_unit(unit.angstrom**3)
            found["volume"] = volume, units.VOLUME
            found["density"] = self._mass_of(simulation.system) * DALTONS / volume, units.DENSITY
        named = {NAMES[name]: found[name] for name in NAMES if name in self._wanted}
        return named | ({ATOMS: (float(simulation.system.getNumParticles()), "")} if named and are_some else {})

    def _temperature(self, simulation: Simulation, state: openmm.State) -> float:
        """Kelvin. Integrators whose velocities belong to half a step before or after the positions know it themselves."""
        integrator = simulation.context.getIntegrator()
        if hasattr(integrator, "computeSystemTemperature"):
            return integrator.computeSystemTemperature().value_in_unit(unit.kelvin)
        if self._freedoms is None:
            self._freedoms = _freedoms(simulation.system)
        return (2 * state.getKineticEnergy() / (self._freedoms * unit.MOLAR_GAS_CONSTANT_R)).value_in_unit(unit.kelvin)

    def _mass_of(self, system: openmm.System) -> float:
        """u."""
        if self._mass is None:
            self._mass = float(masses_of(system).sum())
        return self._mass


def _freedoms(system: openmm.System) -> int:
    """Degrees of freedom: three for each particle that moves, less constraints, and less three without motion of the centre of
    mass."""
    is_mobile = masses_of(system) > 0  # OpenMM keeps particles without mass where they are
    pairs = [system.getConstraintParameters(k)[:2] for k in range(system.getNumConstraints())]
    constraints = sum(is_mobile[first] or is_mobile[second] for first, second in pairs)
    is_centred = any(isinstance(force, openmm.CMMotionRemover) for force in system.getForces())
    return 3 * int(is_mobile.sum()) - int(constraints) - (3 if is_centred else 0)
