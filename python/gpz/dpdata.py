# SPDX-License-Identifier: BSD-3-Clause
"""The format "gpz" of dpdata, which finds it by itself once this package is installed.

    import dpdata
    system = dpdata.System("traj.gpz")
    labeled = dpdata.LabeledSystem("traj.gpz")                                       # with energies and forces
    systems = dpdata.MultiSystems.from_file("traj.gpz", fmt="gpz", labeled=False)    # the number of atoms may change

Coordinates are in Å, from the lower corner of the box on, as those of dpdata's reader of text dumps; they are not
wrapped. Lengths, energies and forces are converted from the units that the file names (to Å, eV, eV/Å); files in LJ units, and
files that do not name their units, are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from dpdata.format import Format

import gpz
from gpz import _clients, _quantities
from gpz._metadata import texts
from gpz._particles import ParticlesOfFrames

LABELS = ("energies", "forces", "virials")
FORCES = ("fx", "fy", "fz")


@Format.register("gpz")
class GpzFormat(Format):
    """Compressed trajectories of gpz."""

    def from_system(
        self, file_name, type_map: Sequence[str] | None = None, begin: int = 0, step: int = 1, f_idx=None, **_further
    ) -> dict:
        """Atoms in the order of ids.

        type_map: names of the types 1, 2, ...; without it those of the file, else TYPE_0, TYPE_1, ... as for text
        dumps. begin, step: the first frame and the distance of frames; f_idx: an index or indices of frames instead.

        Raises ValueError if the number of atoms or their types change between these frames.
        """
        if isinstance(file_name, dict):  # of from_multi_systems
            return _unlabeled(file_name)
        return _unlabeled(self._one(file_name, type_map, begin, step, f_idx))

    def _one(self, file_name, type_map, begin, step, f_idx, labeled: bool = False) -> dict:
        type_map = _names(type_map)
        with _clients.open_trajectory(file_name, dtype=np.float64) as trajectory:
            indices = range(begin, len(trajectory), step) if f_idx is None else np.atleast_1d(f_idx).tolist()
            systems = list(_systems((trajectory[i] for i in indices), trajectory, type_map, labeled))
        if len(systems) != 1:
            raise ValueError(
                f"{file_name}: the atoms or their types change between frames, or there are none. Use "
                f'dpdata.MultiSystems.from_file(..., fmt="gpz", labeled={labeled})'
            )
        return systems[0]

    def from_multi_systems(self, directory, type_map: Sequence[str] | None = None, **_further) -> Iterator[dict]:
        """A system for all frames in a row that have the same atoms, with energies and forces if all of them have these."""
        type_map = _names(type_map)
        with _clients.open_trajectory(directory, dtype=np.float64) as trajectory:
            yield from _systems(trajectory, trajectory, type_map, labeled=True)

    def from_labeled_system(
        self, file_name, type_map: Sequence[str] | None = None, begin: int = 0, step: int = 1, f_idx=None, **_further
    ) -> dict:
        """As from_system, with energies in eV (the observable PotEng, else pe, else energy), forces in eV/Å (columns fx fy fz), and
        virials in eV of the observables virial[1] to virial[9], or else of the stress without its kinetic part (stress[1] to stress[6] in
        ASE's order, as gpz.ase writes it, or stress[1] to stress[9] row by row, as extended XYZ has it).

        Raises NotImplementedError if a frame has no energy or no forces.
        """
        is_read = isinstance(file_name, dict)  # of from_multi_systems
        data = file_name if is_read else self._one(file_name, type_map, begin, step, f_idx, labeled=True)
        if "energies" not in data:
            where = "a frame" if is_read else f"{file_name}: a frame"
            raise NotImplementedError(
                f"{where} has no energies (an observable PotEng) or no forces (columns fx fy fz): use dpdata.System, or "
                "MultiSystems with labeled=False"
            )
        return data


def _unlabeled(data: dict) -> dict:
    return {name: values for name, values in data.items() if name not in LABELS}


def _names(type_map) -> list[str] | None:
    return None if type_map is None else texts("type_map", type_map)


class _Frames:
    """Frames of the same atoms."""

    def __init__(self, types: np.ndarray, names: list[str]):
        self.types = types
        self._names = names
        self._periodic = True
        self._cells: list[np.ndarray] = []
        self._coordinates: list[np.ndarray] = []
        self._labels: dict[str, list] = {name: [] for name in LABELS}

    def add(self, frame: gpz.Frame, units: str, labeled: bool) -> None:
        factor = _quantities.factor("length", units, "dpdata")
        box = frame.box
        self._cells.append(np.zeros((3, 3)) if box is None else box.matrix * factor)
        self._coordinates.append((frame.positions - (0 if box is None else box.origin)) * factor)
        self._periodic = self._periodic and box is not None and all(box.periodic)
        for name, values in _labels(frame, units).items() if labeled else ():
            self._labels[name].append(values)

    def system(self) -> dict:
        count = int(self.types.max(initial=-1)) + 1
        names = self._names + [f"TYPE_{i}" for i in range(len(self._names), count)]
        system = {
            "atom_names": names,
            "atom_numbs": np.bincount(self.types, minlength=len(names)).tolist(),
            "atom_types": self.types,
            "orig": np.zeros(3),
            "cells": np.array(self._cells),
            "coords": np.array(self._coordinates),
        }
        whole = {name for name, values in self._labels.items() if len(values) == len(self._cells)}
        if {"energies", "forces"} <= whole:
            system |= {name: np.array(self._labels[name]) for name in LABELS if name in whole}
        if not self._periodic:
            system["nopbc"] = True
        return system


def _systems(
    frames: Iterable[gpz.Frame], trajectory: gpz.Trajectory, type_map: Sequence[str] | None, labeled: bool
) -> Iterator[dict]:
    particles = ParticlesOfFrames(trajectory)
    now: _Frames | None = None
    for frame in frames:
        columns = _clients.type_columns(frame)[:1]
        needed = [
            *(["forces"] if labeled and _has_forces(frame) else []),
            *(["ids"] if "id" in frame and particles.any else []),
        ]
        frame.load("positions", *columns, *needed)
        tables = particles.of(frame.index, frame.ids if particles.any else None, frame[columns[0]] if columns else None)
        types = tables.types()
        types = np.zeros(frame.n_particles, int) if types is None else types - 1
        if now is None or not np.array_equal(now.types, types):
            if now is not None:
                yield now.system()
            now = _Frames(types, list(type_map or _clients.type_names(trajectory) or tables.labels()))
        now.add(frame, trajectory.units, labeled)
    if now is not None:
        yield now.system()


def _has_forces(frame: gpz.Frame) -> bool:
    return all(name in frame for name in FORCES)


def _labels(frame: gpz.Frame, units: str) -> dict:
    """Energy, forces and virial of a frame, as far as it has them: eV, eV/Å, eV."""
    found: dict = {}
    observables = _clients.observables(frame)
    energy = _quantities.energy_of(observables, units)
    if energy is not None:
        found["energies"] = energy.scaled(_quantities.factor("energy", energy.style, "dpdata"))
    if _has_forces(frame):
        found["forces"] = frame.forces * _quantities.factor("force", units, "dpdata")
    virial, stress = _quantities.virial_of(observables, units), _quantities.stress_of(observables, units)
    if virial is not None:
        found["virials"] = _quantities.matrix(virial.scaled(_quantities.factor("energy", virial.style, "dpdata")))
    elif stress is not None and frame.box is not None:
        volume = frame.box.volume * _quantities.factor("length", units, "dpdata") ** 3
        found["virials"] = -volume * _quantities.matrix(stress.scaled(_quantities.factor("pressure", stress.style, "ASE")))
    return found
