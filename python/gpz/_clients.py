# SPDX-License-Identifier: BSD-3-Clause
"""Functions that the readers for ASE, OVITO, mdtraj and dpdata share."""

from __future__ import annotations

import os
import warnings

import numpy as np

import gpz
from gpz import _observed
from gpz.remote.names import is_url, shown_path

OTHERS = "ASE (gpz.ase), OVITO (gpz.ovito) and gpz.open read such files"


def open_trajectory(path: str | os.PathLike, **options) -> gpz.Trajectory:
    """gpz.open, with warnings for files that are not whole and for files without ids, and a hint for names with % (a
    file
    for each rank)."""
    name = os.fspath(path)
    if "%" in os.path.basename(name) and not is_url(name) and not os.path.exists(name):
        raise FileNotFoundError(
            f"{name}: with % in its name, LAMMPS writes a file for each rank. Join them first: "
            f"gpz merge '{name}' -o '{name.replace('%', 'all')}'"
        )
    trajectory = gpz.open(name, **options)
    if trajectory.torn:
        warnings.warn(
            f"{name} ends inside a frame, because its writer was stopped or still writes: there are {len(trajectory)} "
            "complete frames",
            stacklevel=3,
        )
    if trajectory.damaged:
        warnings.warn(f"{name} is damaged: unreadable bytes between its frames were skipped", stacklevel=3)
    if len(trajectory) > 1 and "id" not in trajectory.columns:
        warnings.warn(f"{name} has no ids: the order of its particles differs from frame to frame", stacklevel=3)
    return trajectory


def require_fixed_count(trajectory: gpz.Trajectory, package: str) -> int:
    """The number of particles of all frames; ValueError if it changes, or if there is no frame."""
    counts = trajectory.counts
    if not len(counts):
        raise ValueError(f"{shown_path(trajectory.path)}: there is no complete frame")
    if counts.min() != counts.max():
        raise ValueError(
            f"{shown_path(trajectory.path)}: the number of particles changes from {counts.min()} to {counts.max()}, and "
            f"a trajectory of {package} has a fixed number. {OTHERS}; or choose frames of one size"
        )
    return int(counts[0])


def times_of(trajectory: gpz.Trajectory) -> np.ndarray:
    """(frames,) time units: those of the frames, and of frames without one timestep times its size. NaN where neither is known."""
    times, size = trajectory.times, trajectory.metadata["timestep_size"]
    return np.where(np.isnan(times), trajectory.timesteps * size, times) if size else times


def observables(frame: gpz.Frame) -> gpz.Observables:
    """Observables of the atoms of a frame (_observed.of_atoms); none, with a warning, if they are damaged."""
    try:
        return _observed.of_atoms(frame.observables, frame.n_particles, stacklevel=4)
    except gpz.CorruptError as error:
        warnings.warn(f"observables of frames cannot be read: {error}", stacklevel=4)
        return gpz.Observables()


def type_columns(frame: gpz.Frame) -> list[str]:
    """The integer columns that number the atom types, from 1. They have the same values: first the one that a text dump
    shows
    as elements, then "type", then the one that it shows as type labels; an empty list if there are none."""
    shown_as = {column.display: column.name for column in frame.column_info.values()}
    return [name for name in (shown_as.get("element"), "type", shown_as.get("type_label")) if name in frame]


def type_names(trajectory: gpz.Trajectory) -> list[str]:
    """The element of atom type t at [t - 1], else its label; an empty list if the file has neither."""
    return trajectory.elements or trajectory.type_labels


def of_types(types: np.ndarray, values: np.ndarray, unknown) -> np.ndarray:
    """values[t - 1] for each type t; `unknown` for types beyond."""
    table = np.concatenate([[unknown], values, [unknown]]).astype(np.asarray(values).dtype)
    return table[np.clip(types, 0, len(values) + 1)]
