# SPDX-License-Identifier: BSD-3-Clause
"""Frames that MDAnalysis reads, written to a .gpz file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import MDAnalysis as mda
import numpy as np
from MDAnalysis.coordinates.core import reader as open_reader
from MDAnalysis.lib import mdamath

import gpz
from gpz.convert.formats import Format
from gpz.mdanalysis.writer import Types


def write(
    source: Path,
    target: Path,
    form: Format,
    frames: slice,
    style: str,
    bound: float | None,
    bounds: Mapping[str, float],
    topology: str | os.PathLike | None,
    options: Mapping[str, Any],
) -> list[str]:
    """Returns what got lost, a line each."""
    units = form.units(style)
    try:
        reader = open_reader(str(source), format=form.mda)
    except (OSError, ValueError, KeyError, RuntimeError, TypeError, NotImplementedError) as error:
        raise gpz.UnsupportedError(f"MDAnalysis cannot read it as {form.name}: {error}", os.readlink(source)) from error
    with reader:
        atoms = atoms_of(topology, reader.n_atoms)
        types = None if atoms is None else Types(atoms)
        columns = {"ids": np.arange(1, reader.n_atoms + 1)}
        if types is not None and types.table:
            columns["types"] = types.numbers(atoms)
        chosen = reader[frames]
        if len(chosen) == 0:
            raise gpz.ArgumentError(f"none of the {len(reader)} frames is among those chosen", os.readlink(source))
        with gpz.Writer(
            target,
            units=style,
            elements=types.elements if types is not None else None,
            type_labels=types.labels if types is not None else None,
            bound=bound,
            bounds=bounds,
            **options,
        ) as writer:
            for ts in chosen:
                vectors = {"positions": ts.positions / np.float32(units.length)}
                if ts.has_velocities:
                    vectors["velocities"] = ts.velocities / np.float32(units.velocity)
                if ts.has_forces:
                    vectors["forces"] = ts.forces / np.float32(units.force)
                step = int(ts.data.get("step", ts.frame))
                writer.write(
                    **vectors,
                    **columns,
                    box=box_of(ts.dimensions, units.length),
                    timestep=step,
                    time=ts.time / units.time,
                )
        lost = []
        if "types" not in columns:
            lost.append(f"{form.name} has no types and elements: give a file that has them with --topology")
        if form.even_times or not form.timesteps:
            lost.append("timesteps count the frames: those of the run are not in the file")
        return lost


def atoms_of(topology: str | os.PathLike | None, count: int):
    if topology is None:
        return None
    try:
        atoms = mda.Universe(os.fspath(topology)).atoms
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise gpz.UnsupportedError(f"MDAnalysis cannot read this topology: {error}", os.fspath(topology)) from error
    if len(atoms) != count:
        raise gpz.ArgumentError(f"the topology has {len(atoms)} atoms, the trajectory {count}", os.fspath(topology))
    return atoms


def box_of(dimensions: np.ndarray | None, unit: float) -> gpz.Box | None:
    """At the origin, and periodic: the formats say nothing else."""
    if dimensions is None or not np.all(dimensions[:3] > 0):
        return None
    if (dimensions[3:] == 90).all():
        return gpz.Box.from_bounds([0, 0, 0], dimensions[:3].astype(np.float64) / unit)
    return gpz.Box.from_vectors(mdamath.triclinic_vectors(dimensions, dtype=np.float64) / unit)
