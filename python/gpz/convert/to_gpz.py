# SPDX-License-Identifier: BSD-3-Clause
"""Frames that MDAnalysis reads, written to a .gpz file."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gpz
from gpz import _checks, _core
from gpz.convert import dcd, lossless, reference, xtc
from gpz.convert.beside import Beside, beside
from gpz.convert.formats import Format
from gpz.convert.job import ToGpz
from gpz.convert.outcome import Outcome
from gpz.convert.sources import Place, open_topology, open_whole, topology_within
from gpz.convert.whole_frames import Extent, doubts, extent_of
from gpz.mdanalysis import tables
from gpz.mdanalysis.geometry import box_of
from gpz.mdanalysis.units import Units, units_of
from gpz.mdanalysis.writer import Types


def write(job: ToGpz) -> Outcome:
    """Writes frames of a file to a .gpz file, in metal units if no others are given."""
    source, form, bounds, topology = job.source, job.form, job.bounds, job.topology
    style = job.units or "metal"
    units = form.units(style)
    place = Place(source, job.folder, job.group)
    atoms = topology_within(place) if topology is None else open_topology(topology)
    n_atoms = None if atoms is None else len(atoms)
    extent = extent_of(source, form.mda, n_atoms)
    problem = None if extent is None else extent.problem(source)
    if problem is not None and not has_chosen(extent, job.frames):
        raise problem
    # Files of formats that gpz convert also writes say how many atoms they have.
    with open_whole(place, form, None if form.endings else n_atoms, extent) as reader:
        if topology is not None and len(atoms) != reader.n_atoms:
            raise gpz.ArgumentError(
                f"the topology has {len(atoms)} atoms, the trajectory {reader.n_atoms}", os.fspath(topology)
            )
        numbers = chosen_frames(reader, extent, job.frames, place)
        types = None if atoms is None else Types(atoms)
        columns = {"ids": np.arange(1, reader.n_atoms + 1)}
        if types is not None and types.table:
            columns["types"] = types.numbers(atoms)
        notes = [] if extent is not None else doubts(source, form.mda)
        notes += getattr(reader, "notes", [])
        bare = BareFrames()
        rest = bare.left_out(given_frames(reader, numbers, place, form, units))
        first = next(rest, None)
        if first is None:
            raise gpz.UnsupportedError("no frame of it has positions", str(source))
        if not form.varies:
            require_vectors(bounds.vectors, first.vectors, source)
        require_species(bounds.vectors, columns, source)
        has_steps = form.timesteps or (not form.endings and "step" in first.ts.data)
        if form.mda == "XTC" and not bounds.has_positions:
            bound = bound_of_xtc(place, numbers, units, notes)
        else:
            bound = bounds.of_positions(first.vectors["positions"], first.box, source)
        # The writer warns of it as well, and warnings are not shown here.
        large = _checks.bound_beyond(_checks.position_bound(style) if bound is None else bound, first.box)
        notes += [large] if large else []
        with gpz.Writer(
            job.target,
            units=style,
            elements=types.elements if types is not None else None,
            type_labels=types.labels if types is not None else None,
            bound=bound,
            bounds=bounds.vectors,
            metadata=reference.described(source, form, 1 / units.length),
            **job.coding.keywords(),
        ) as writer:
            writer.allow_absent()
            if atoms is not None and types is not None:
                further = tables.masses_and_charges(atoms, units_of(style))
                writer.write_tables(tables.of_atoms(atoms, columns["ids"], types.elements is not None, further))
            seen: set[str] = set()
            for ts, said, vectors, box in chain([first], rest):
                seen |= vectors.keys()
                if said.ids is not None:
                    require_atoms(columns, said.ids, atoms is not None, ts.frame, source)
                    columns["ids"] = said.ids
                step = int(ts.data.get("step", ts.frame)) if said.timestep is None else said.timestep
                time = ts.time / units.time if said.time is None else said.time
                try:
                    writer.write(**vectors, **columns, box=box, timestep=step, time=time, grid=said.grid or None)
                except gpz.ArgumentError as error:
                    error.path = str(source)  # instead of the unfinished file
                    raise
        require_vectors(bounds.vectors, seen, source)
        notes += bare.notes(len(numbers))
        if "types" not in columns:
            notes.append(f"{form.name} has no types and elements: give a file that has them with --topology")
        if form.mda == "DCD":
            notes += dcd_notes(place, form, style)
        elif not has_steps:
            notes.append("timesteps count the frames: those of the run are not in the file")
        if problem is not None and not isinstance(problem, gpz.TruncatedError):
            notes.append(f"frames after those that were asked for are damaged: {problem}")
            problem = None
        notes += thermal_notes(bounds.vectors, job.target) + lossless.notes(job.target)
        return Outcome(notes, len(numbers) - bare.count, problem)


def bound_of_xtc(place: Place, numbers: range, units: Units, notes: list[str]) -> float | None:
    """Half of the finest grid of these frames, in units of the new file, so that the values of all are kept, and a note that
    names it. None if a frame is not rounded."""
    grid = min((xtc.grid(head.precision) for head in xtc.heads(place.path, numbers)), default=0.0) / units.length
    if not grid:
        return None
    bound = float(f"{grid / 2:.9g}")
    notes.append(f"positions: bound {bound:g}, half of the grid of the XTC file, whose values are kept (--eb for another)")
    return bound


def dcd_notes(place: Place, form: Format, style: str) -> list[str]:
    """Notes about the times that the header of a DCD file leaves open."""
    notes = []
    if form.as_in_run:
        notes.append(f"LAMMPS wrote this DCD file in the units of its run: they are taken for {style} (--units)")
    if dcd.clock_of(place.path, form.as_in_run).counts_frames():
        notes.append("timesteps count the frames: those of the run are not in the file")
    return notes


def has_chosen(extent: Extent, frames: slice) -> bool:
    """Whether what was asked for can be had of a file that is cut or damaged. Behind damage there may be more frames:
    the choice has to be the same then."""
    n = extent.frames
    return n > 0 and (extent.cut or range(n)[frames] == range(n + 1)[frames])


def chosen_frames(reader, extent: Extent | None, frames: slice, place: Place) -> range:
    """The numbers of the frames that `frames` chooses. Raises gpz.CorruptError if the file has none, and gpz.ArgumentError if none
    is chosen."""
    if extent is not None:
        total = extent.frames
    else:
        total = place.ask(lambda _: reader.n_frames, "MDAnalysis cannot count its frames")
    numbers = range(total)[frames]
    if total == 0:
        raise gpz.CorruptError("MDAnalysis finds no whole frame in it", str(place.source))
    if not numbers:
        raise gpz.ArgumentError(f"none of the {total} frames is among those chosen", str(place.source))
    return numbers


class Given(NamedTuple):
    """A frame of the source. ts: of MDAnalysis, which changes it when the next frame is read. vectors: in LAMMPS units."""

    ts: Any
    said: Beside
    vectors: dict[str, np.ndarray]
    box: gpz.Box | None


def given_frames(reader, numbers: range, place: Place, form: Format, units: Units) -> Iterator[Given]:
    """The frames of these numbers."""
    for ts, said in zip(timesteps(reader, numbers, place), beside(place, form, numbers, units, reader)):
        box = box_of(ts.dimensions, units.length, said.boundary) if said.edges is None else said.box()
        yield Given(ts, said, vectors_of(ts, units), box)


def timesteps(reader, numbers: range, place: Place) -> Iterator:
    """These frames. Iterating over a reader of MDAnalysis ends without a word where it cannot read on."""
    everything = numbers == range(reader.n_frames)
    found = iter(reader if everything else reader[list(numbers)])
    for number in numbers:
        ts = place.ask(lambda _: next(found, None), f"MDAnalysis cannot read frame {number}")
        if ts is None:
            raise gpz.CorruptError(f"MDAnalysis cannot read frame {number}", str(place.source))
        yield ts


def vectors_of(ts, units: Units) -> dict[str, np.ndarray]:
    """Positions, velocities and forces, as far as the frame has them: (N, 3) float32, in LAMMPS units."""
    vectors = {}
    if ts.has_positions:
        vectors["positions"] = ts.positions / np.float32(units.length)
    if ts.has_velocities:
        vectors["velocities"] = ts.velocities / np.float32(units.velocity)
    if ts.has_forces:
        vectors["forces"] = ts.forces / np.float32(units.force)
    return vectors


class BareFrames:
    """Frames without positions, which are left out: TRR files may have those of velocities or forces alone."""

    def __init__(self) -> None:
        self.count = 0
        self._first: tuple[int, int] | None = None  # frame and timestep

    def left_out(self, frames: Iterator[Given]) -> Iterator[Given]:
        """The other frames."""
        for given in frames:
            if "positions" in given.vectors:
                yield given
                continue
            self.count += 1
            self._first = self._first or (given.ts.frame, int(given.ts.data.get("step", given.ts.frame)))

    def notes(self, total: int) -> list[str]:
        """A line, if there were any."""
        if self._first is None:
            return []
        frame, step = self._first
        return [f"frames without positions are left out: {self.count} of {total}, the first is frame {frame} (timestep {step})"]


def require_atoms(columns: Mapping[str, np.ndarray], ids: np.ndarray, has_topology: bool, frame: int, source: Path) -> None:
    """Raises gpz.UnsupportedError for other ids than before, where rows of a topology stand for them."""
    if has_topology and not np.array_equal(columns["ids"], ids):
        raise gpz.UnsupportedError(f"frame {frame} has other ids than the topology: its atoms are numbered from 1", str(source))


def require_vectors(bounds: Mapping[str, float | str], vectors: Collection[str], source: Path) -> None:
    """Raises gpz.ArgumentError for a bound of velocities or forces that the file does not have."""
    for name, bound in bounds.items():
        if name not in vectors:
            given = bound if isinstance(bound, str) else f"{bound:g}"
            raise gpz.ArgumentError(f"a bound of {name} ({given}), and the file has no {name}", str(source))


def require_species(bounds: Mapping[str, float | str], columns: Mapping[str, np.ndarray], source: Path) -> None:
    """Raises gpz.ArgumentError for a thermal bound of atoms whose types are unknown."""
    if _checks.THERMAL in bounds.values() and "types" not in columns:
        raise gpz.ArgumentError(
            "a thermal bound of velocities, and the file has no types: give a topology that has them, or a number",
            str(source),
        )


def thermal_notes(bounds: Mapping[str, float | str], path: Path) -> list[str]:
    """A line that says the bound of velocities which the first frame has given them."""
    if _checks.THERMAL not in bounds.values():
        return []
    with gpz.open(path) as file:
        bound = next(frame.bounds["vx"] for frame in file if "vx" in frame)
    return [f"velocities: bound {bound:g}, {_core.thermal_bound_text} in the first frame that has them, rounded down"]
