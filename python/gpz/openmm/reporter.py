# SPDX-License-Identifier: BSD-3-Clause
"""The reporter."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import openmm

import gpz
from gpz import _core
from gpz._arguments import checked_flag, checked_integer
from gpz._checks import checked_bound_of, position_bound
from gpz._coding import Coding
from gpz._files import is_path
from gpz._frame import VECTORS
from gpz._metadata import Existing
from gpz._positions import UNWRAPPED, WRAPPED
from gpz._repeated_steps import RepeatedSteps
from gpz.openmm import units
from gpz.openmm.observables import ObservablesOf
from gpz.openmm.topology import Atoms, checked_subset, provenance_of

if TYPE_CHECKING:
    from openmm import unit
    from openmm.app import Simulation

MOST_STEPS = 2**63 - 1


class GPZReporter:
    """Writes frames of a Simulation of OpenMM to a .gpz file.

        simulation.reporters.append(GPZReporter("traj.gpz", 1000, eb=0.0005))

    file: the path of the file. It is opened, and an earlier one replaced, when the simulation is about to take its first steps.
        Another reporter must not have it open: close() the reporter of the earlier simulation first.
    reportInterval: steps between frames.
    append: adds to the frames of an existing file, with its bounds. Arguments that say otherwise are refused, and so are other
        atoms. A run that goes on from a checkpoint repeats steps: those that the file has already are not written again.
    enforcePeriodicBox: True: molecules are moved as a whole so that their centres are in one box; the columns are x y z. False:
        positions are as the integrator has them; the columns of a periodic system are xu yu zu. None: True for a periodic
        system.
    atomSubset: indices of the atoms that are written, from 0; None: all. Energies are those of all atoms, whose number is the
        observable Atoms.
    eb: the largest error of a coordinate, in nm. None: 0.00005 nm. 0: none but the rounding of the unit.
    velocities, forces: whether they are written. velocity_eb (nm/ps), force_eb (kJ/(mol nm)): their largest errors; None: they are
        exact. velocity_eb="thermal": as in gpz.Writer; species are elements.
    potentialEnergy, kineticEnergy, totalEnergy, temperature, volume, density: become observables of the frames. They are those of
        OpenMM's StateDataReporter.
    key_interval, order, effort, threads: as in gpz.Writer.
    sync: True: each report returns when its frame is on the disk.

    Bounds may be quantities of openmm.unit. The file is in LAMMPS's units real: Å, fs, kcal/mol. Its tables have names, residues,
    chains, molecules, masses and charges of the atoms, and the bonds.

    After each report the file has complete frames only, which other programs can read. close() adds the index of the file; so does
    the end of the program, and of the reporter. A reporter can be used in a `with` statement. Raises gpz.FileError (an OSError),
    gpz.ArgumentError (a ValueError), TypeError.
    """

    def __init__(
        self,
        file: str | os.PathLike,
        reportInterval: int,
        append: bool = False,
        enforcePeriodicBox: bool | None = None,
        atomSubset: Sequence[int] | None = None,
        *,
        eb: float | unit.Quantity | None = None,
        velocities: bool = False,
        velocity_eb: float | unit.Quantity | str | None = None,
        forces: bool = False,
        force_eb: float | unit.Quantity | None = None,
        potentialEnergy: bool = False,
        kineticEnergy: bool = False,
        totalEnergy: bool = False,
        temperature: bool = False,
        volume: bool = False,
        density: bool = False,
        key_interval: int | str = "auto",
        order: str = "auto",
        effort: str = "standard",
        threads: int = 1,
        sync: bool = False,
    ):
        if not is_path(file):
            raise TypeError(f"file: a path, not {file!r}")
        self._path = os.fsdecode(file)
        self._interval = checked_integer("reportInterval", reportInterval, 1, MOST_STEPS, "a number of steps from 1")
        self._append = checked_flag("append", append)
        self._enforce = None if enforcePeriodicBox is None else checked_flag("enforcePeriodicBox", enforcePeriodicBox)
        self._subset = checked_subset(atomSubset)
        self._bound = None if eb is None else units.bound_of_lengths(_bound("eb", eb, units.OF_LENGTHS, WRAPPED))
        self._bounds: dict[str, float | str] = {}
        self._has = {"velocities": checked_flag("velocities", velocities), "forces": checked_flag("forces", forces)}
        self._take_bound("velocities", "velocity_eb", velocity_eb, units.OF_VELOCITIES, units.velocities)
        self._take_bound("forces", "force_eb", force_eb, units.OF_FORCES, units.forces)
        self._observables = ObservablesOf(
            {
                "potentialEnergy": potentialEnergy,
                "kineticEnergy": kineticEnergy,
                "totalEnergy": totalEnergy,
                "temperature": temperature,
                "volume": volume,
                "density": density,
            }
        )
        self._coding = Coding(key_interval, order, effort, threads)
        self._sync = checked_flag("sync", sync)
        self._file: gpz.Writer | None = None
        self._repeated: RepeatedSteps  # known when the file is open
        self._closed = False

    def _take_bound(self, name: str, argument: str, given: Any, of: unit.Unit, convert: Any) -> None:
        if given is None:
            return
        bound = _bound(argument, given, of, VECTORS[name])
        if not self._has[name]:
            raise gpz.ArgumentError(f"{argument} is the bound of {name}, which are not written: give {name}=True as well")
        self._bounds[name] = bound if isinstance(bound, str) else convert(bound)

    def describeNextReport(self, simulation: Simulation) -> dict[str, Any] | tuple:
        """When the next report is due and what it needs, in the form of this version of OpenMM. The first call opens the file."""
        self._open(simulation, False)
        step = simulation.currentStep
        following = self._repeated.after(step, self._interval)
        include = ["positions", *(name for name, is_there in self._has.items() if is_there)]
        include += ["energy"] if self._observables.need_energies else []
        return _described(following - step, self._enforce, include)

    def report(self, simulation: Simulation, state: openmm.State) -> None:
        """Writes a frame. state: with positions, and what else the reporter was told to write."""
        writer, step = self._open(simulation, True), simulation.currentStep
        if self._repeated.has(step):
            return
        positions = units.lengths(self._atoms.of(state.getPositions(asNumpy=True).value_in_unit(units.OF_LENGTHS)))
        columns: dict[str, Any] = {"ids": self._atoms.ids, "types": self._atoms.types}
        columns |= dict(zip(self._position_columns, positions.T))
        if self._has["velocities"]:
            values = state.getVelocities(asNumpy=True).value_in_unit(units.OF_VELOCITIES)
            columns["velocities"] = units.velocities(self._atoms.of(values))
        if self._has["forces"]:
            columns["forces"] = units.forces(self._atoms.of(state.getForces(asNumpy=True).value_in_unit(units.OF_FORCES)))
        box = None
        if self._is_periodic:
            box = units.lengths(np.array(state.getPeriodicBoxVectors(asNumpy=True).value_in_unit(units.OF_LENGTHS)))
        writer.write(
            **columns,
            box=box,
            timestep=step,
            time=state.getTime().value_in_unit(openmm.unit.picosecond) * units.PICOSECOND,
            origin=self._origins(positions),
            observables=self._observables.of(simulation, state, self._subset is not None),
        )
        if self._sync:
            writer.sync()

    def _origins(self, positions: np.ndarray) -> dict[str, gpz.Origin]:
        """Bounds hold for what OpenMM has: the rounding of the unit counts."""
        if self._bound == 0:
            return {}
        return dict.fromkeys(self._position_columns, gpz.Origin(0.0, rounding=units.rounding_of(positions)))

    def _open(self, simulation: Simulation, reported: bool) -> gpz.Writer:
        """The file; opens it when the simulation is first seen. reported: whether a frame of the current step is to be written."""
        if self._closed:
            raise ValueError(f"{self._path}: the reporter is closed")
        if self._file is None:
            self._is_periodic = _is_periodic(simulation)
            is_wrapped = not self._is_periodic or self._enforce is not False
            self._position_columns = WRAPPED if is_wrapped else UNWRAPPED
            self._atoms = Atoms(simulation, self._subset)
            existing = Existing.find(self._path) if self._append else None
            tables = self._atoms.tables() | {"provenance": provenance_of(simulation)}
            if existing is not None:
                self._continue(existing)
                tables = {name: table for name, table in tables.items() if not existing.has_table(name, table)}
            metadata = {"generator": f"gpz {_core.version} (OpenMM)", "reference": "values of OpenMM in memory"}
            if self._bound is None:
                self._bound = position_bound(units.STYLE)
            # Each frame has its time, so the file may go on with another timestep.
            size = None if existing is not None and existing.has_times else _timestep_size(simulation)
            self._file = gpz.Writer(
                self._path,
                units=units.STYLE,
                elements=self._atoms.elements,
                metadata=metadata | ({} if size is None else {"timestep_size": size}),
                bound=self._bound,
                bounds=self._bounds,
                append=self._append,
                **self._coding.keywords(),
            )
            step = simulation.currentStep
            following = step if reported else step - step % self._interval + self._interval
            steps = np.zeros(0, np.int64) if existing is None else existing.timesteps
            self._repeated = RepeatedSteps(self._path, steps, following)
            self._finalizer = weakref.finalize(self, self._file.close)
            self._file.write_tables(tables)
        return self._file

    def _continue(self, file: Existing) -> None:
        """ArgumentError for a file of other atoms or columns."""
        file.require_same_atoms(self._atoms.ids)
        columns = [*self._position_columns, *(name for vector, there in self._has.items() if there for name in VECTORS[vector])]
        file.require_same_columns([*columns, "id", "type"])
        self._bound = file.bound if self._bound is None else self._bound

    def close(self) -> None:
        """Completes the file with its index and closes it. Later reports raise ValueError."""
        self._closed = True
        if self._file is not None:
            self._finalizer()

    def __enter__(self) -> GPZReporter:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()


def _bound(name: str, given: Any, of: unit.Unit, columns: Sequence[str]) -> float | str:
    """The bound in units of OpenMM, or THERMAL."""
    return checked_bound_of(name, units.plain(name, given, of), columns)


def _described(steps: int, periodic: bool | None, include: list[str]) -> dict[str, Any] | tuple:
    """OpenMM before 8.2 takes tuples only, later versions dicts as well."""
    if _version() >= (8, 2):
        return {"steps": steps, "periodic": periodic, "include": include}
    return (steps, *(name in include for name in ("positions", "velocities", "forces", "energy")), periodic)


def _version() -> tuple[int, ...]:
    return tuple(int(part) for part in openmm.Platform.getOpenMMVersion().split(".")[:2])


def _is_periodic(simulation: Simulation) -> bool:
    """As Simulation decides whether positions are wrapped."""
    try:
        return simulation.system.usesPeriodicBoundaryConditions()
    except Exception:  # noqa: BLE001 (openmm.OpenMMException: a force that cannot tell)
        return simulation.topology.getUnitCellDimensions() is not None


def _timestep_size(simulation: Simulation) -> float | None:
    """fs; None for integrators that choose it anew at each step."""
    integrator = simulation.context.getIntegrator()
    if isinstance(integrator, (openmm.VariableVerletIntegrator, openmm.VariableLangevinIntegrator)):
        return None
    return integrator.getStepSize().value_in_unit(openmm.unit.picosecond) * units.PICOSECOND
