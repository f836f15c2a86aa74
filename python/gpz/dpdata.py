# SPDX-License-Identifier: BSD-3-Clause
"""The format "gpz" of dpdata, which finds it by itself once this package is installed.

    import dpdata
    system = dpdata.System("traj.gpz")
    systems = dpdata.MultiSystems.from_file("traj.gpz", fmt="gpz", labeled=False)    # the number of atoms may change

Coordinates are in Å, from the lower corner of the box on, as those of dpdata's reader of text dumps; they are not
wrapped. Lengths are converted from the units that the file names; files in LJ units, and files that do not name their
units, are left as they are. A file has no energies, so there is no LabeledSystem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from dpdata.format import Format

import gpz
from gpz import _clients, _units
from gpz._metadata import texts

ANGSTROM = 1e-10


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
            return file_name
        type_map = _names(type_map)
        with _clients.open_trajectory(file_name, dtype=np.float64) as trajectory:
            indices = range(begin, len(trajectory), step) if f_idx is None else np.atleast_1d(f_idx).tolist()
            systems = list(_systems((trajectory[i] for i in indices), trajectory, type_map))
        if len(systems) != 1:
            raise ValueError(
                f"{file_name}: the atoms or their types change between frames, or there are none. Use "
                'dpdata.MultiSystems.from_file(..., fmt="gpz", labeled=False)'
            )
        return systems[0]

    def from_multi_systems(self, directory, type_map: Sequence[str] | None = None, **_further) -> Iterator[dict]:
        """A system for all frames in a row that have the same atoms."""
        type_map = _names(type_map)
        with _clients.open_trajectory(directory, dtype=np.float64) as trajectory:
            yield from _systems(trajectory, trajectory, type_map)

    def from_labeled_system(self, file_name, **_further):
        """Raises NotImplementedError: .gpz files have no energies."""
        raise NotImplementedError("a .gpz file has no energies: use dpdata.System, or MultiSystems with labeled=False")


def _names(type_map) -> list[str] | None:
    return None if type_map is None else texts("type_map", type_map)


def _systems(frames: Iterable[gpz.Frame], trajectory: gpz.Trajectory, type_map: Sequence[str] | None) -> Iterator[dict]:
    names = list(type_map or _clients.type_names(trajectory))
    factor = _units.length_factor(trajectory.units, ANGSTROM)
    types, cells, coordinates, periodic = None, [], [], True
    for frame in frames:
        now = _types(frame)
        if types is not None and not np.array_equal(types, now):
            yield _system(types, names, cells, coordinates, periodic)
            cells, coordinates, periodic = [], [], True
        types, box = now, frame.box
        cells.append(np.zeros((3, 3)) if box is None else box.matrix * factor)
        coordinates.append((frame.positions - (0 if box is None else box.origin)) * factor)
        periodic = periodic and box is not None and all(box.periodic)
    if types is not None:
        yield _system(types, names, cells, coordinates, periodic)


def _types(frame: gpz.Frame) -> np.ndarray:
    columns = _clients.type_columns(frame)[:1]
    frame.load("positions", *columns)
    return frame[columns[0]] - 1 if columns else np.zeros(frame.n_particles, int)


def _system(types, names, cells, coordinates, periodic) -> dict:
    names = names + [f"TYPE_{i}" for i in range(len(names), types.max(initial=-1) + 1)]
    system = {
        "atom_names": names,
        "atom_numbs": np.bincount(types, minlength=len(names)).tolist(),
        "atom_types": types,
        "orig": np.zeros(3),
        "cells": np.array(cells),
        "coords": np.array(coordinates),
    }
    if not periodic:
        system["nopbc"] = True
    return system
