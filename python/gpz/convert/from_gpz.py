# SPDX-License-Identifier: BSD-3-Clause
"""Frames of a .gpz file, written by MDAnalysis."""

from __future__ import annotations

from pathlib import Path

import MDAnalysis as mda
import numpy as np

import gpz
from gpz.convert.formats import Format
from gpz.convert.outcome import Outcome
from gpz.convert.sources import one_line
from gpz.convert.whole_frames import MOST_ATOMS_UNCOMPRESSED, Extent
from gpz.mdanalysis import geometry
from gpz.mdanalysis.reader import open_fixed
from gpz.mdanalysis.units import BASE_NAMES, Units

LARGEST_OF_XTC = 2**31 - 4
KEPT = {"x", "y", "z", "xu", "yu", "zu", "xs", "ys", "zs", "xsu", "ysu", "zsu"}


def write(
    source: Path, target: Path, form: Format, frames: slice, style: str | None, precision: int, threads: int
) -> Outcome:
    """Writes `frames` of a .gpz file in another format.

    style: LAMMPS units of the file; None: those that it names, else lj. precision: decimal places of XTC.
    Raises gpz.ArgumentError if no frame is chosen, gpz.ColumnError if the file has no positions, gpz.UnsupportedError if frames
    differ in their atoms.
    """
    with open_source(source, threads) as file:
        problem = extent_of(source, file).problem(source)
        chosen = file[frames]
        if len(chosen) == 0:
            raise gpz.ArgumentError(f"none of the {len(file)} frames is among those chosen", str(source))
        style = style or file.units or "lj"
        units = form.units(style)
        first = chosen[0]
        if first.position_columns is None:
            raise gpz.ColumnError(f"no positions among the columns {' '.join(first.columns)}", str(source))
        velocities = form.velocities and first.velocities is not None
        forces = form.forces and first.forces is not None
        times, lost = times_of(chosen, units)
        universe = mda.Universe.empty(first.n_particles, trajectory=True, velocities=velocities, forces=forces)
        options = {"n_atoms": first.n_particles}
        universe.trajectory.units = dict(BASE_NAMES)
        if form.mda == "DCD":
            options.update(dt=interval(times))
        elif form.mda == "XTC":
            options.update(precision=precision)
        elif form.mda in ("NCDF", "H5MD"):
            options.update(velocities=velocities, forces=forces)
        if form.mda == "H5MD":
            options.update(n_frames=len(chosen), author="gpz")
        with mda.Writer(str(target), format=form.mda, multiframe=True, **options) as writer:
            for number, frame in enumerate(chosen):
                require_same_atoms(first, frame, source)
                fill(universe.trajectory.ts, frame, units, velocities, forces)
                if form.mda == "XTC":
                    require_room(universe.trajectory.ts.positions, 1 if style == "lj" else 10, precision, frame, source)
                universe.trajectory.ts.data["time"] = float(times[number])
                universe.trajectory.ts.data["step"] = frame.timestep
                try:
                    writer.write(universe.atoms)
                except (OSError, ValueError, OverflowError, RuntimeError) as error:
                    raise gpz.UnsupportedError(
                        f"MDAnalysis cannot write frame {frame.index} as {form.name}: {one_line(error)}",
                        str(source),
                    ) from error
        return Outcome(
            lost + lost_in(form, first, style, precision, times, velocities, forces, file), len(chosen), problem
        )


def open_source(source: Path, threads: int) -> gpz.Trajectory:
    """Raises what makes it impossible to convert even one frame."""
    with gpz.open(source) as file:
        if len(file) == 0:
            raise extent_of(source, file).problem(source) or gpz.TruncatedError("no frame in it", str(source))
        if file.damaged:
            raise gpz.CorruptError("bytes between its frames are damaged; gpz repair writes the others", str(source))
    try:
        return open_fixed(str(source), threads=threads)
    except TypeError as error:
        raise gpz.UnsupportedError(str(error)) from None


def extent_of(source: Path, file: gpz.Trajectory) -> Extent:
    """Of a file that is open; nothing of a frame is read."""
    reader = file._file.require_open()
    end = int(reader.offsets()[-1] + reader.lengths()[-1]) if len(file) else 0
    return Extent(len(file), end, source.stat().st_size, cut=file.torn)


def times_of(frames: gpz.Trajectory, units: Units) -> tuple[np.ndarray, list[str]]:
    """(frames,) ps, and a line if the file has none."""
    times = frames.times
    if not np.isnan(times).any():
        return times * units.time, []
    size = frames.metadata["timestep_size"]
    if size:
        return frames.timesteps * size * units.time, []
    return np.arange(len(frames), dtype=float), ["the file has no times: frame numbers stand for ps"]


def interval(times: np.ndarray) -> float:
    """ps between two frames."""
    return float(f"{(times[-1] - times[0]) / (len(times) - 1):.9g}") if len(times) > 1 and times[-1] > times[0] else 1.0


def require_same_atoms(first: gpz.Frame, frame: gpz.Frame, source: Path) -> None:
    """Raises gpz.UnsupportedError if the frames have other ids."""
    if first.ids is not None and not np.array_equal(first.ids, frame.ids):
        raise gpz.UnsupportedError(
            f"frame {frame.index} has other atoms than frame {first.index}, and these formats name no atoms",
            str(source),
        )


def fill(ts, frame: gpz.Frame, units: Units, velocities: bool, forces: bool) -> None:
    """A timestep of MDAnalysis, in its units. The lower corner of the box stays where it is."""
    ts.positions = frame.positions * units.length
    if velocities:
        ts.velocities = frame.velocities * units.velocity
    if forces:
        ts.forces = frame.forces * units.force
    box = frame.box
    if box is None:
        ts.dimensions = None
        return
    if box.kind == "general triclinic":
        raise gpz.UnsupportedError("the edges of the box point anywhere (general triclinic), and these formats turn it")
    ts.dimensions = geometry.dimensions(box) * [*(3 * [units.length]), 1, 1, 1]


def require_room(positions: np.ndarray, in_nm: float, precision: int, frame: gpz.Frame, source: Path) -> None:
    """XTC has integers of 32 bits, also for differences; its library writes other ones without an error."""
    if len(positions) <= MOST_ATOMS_UNCOMPRESSED:
        return
    low, high = positions.min(initial=0), positions.max(initial=0)
    size = float(high - low) / in_nm
    if not size * 10.0**precision < LARGEST_OF_XTC:
        raise gpz.UnsupportedError(
            f"frame {frame.index}: coordinates from {low / in_nm:g} to {high / in_nm:g} nm with {precision} decimal places "
            "do not fit into the 32 bits of XTC: fewer with --precision (precision=), or another format",
            str(source),
        )


def lost_in(form: Format, first, style: str, precision: int, times, velocities: bool, forces: bool, file) -> list[str]:
    """What the format cannot hold, of this file."""
    lost = []
    bound = "" if first.position_bound is None else f", which is {first.position_bound:g} at most in the .gpz file"
    if form.mda == "XTC":
        unit = "sigma" if style == "lj" else "nm"
        lost.append(
            f"positions are rounded to {10.0**-precision:g} {unit}: half of that comes to their error{bound}"
        )
    else:
        lost.append(f"positions are float32: the rounding, 6e-8 of a value, comes to their error{bound}")
    if first.ids is None:
        lost.append("the file has no ids: atoms are in another order in each frame")
    else:
        lost.append(f"{form.name} has no ids: atoms are in the order of ids, and are numbered from 1 where it is read")
    kept = {*KEPT, "id"}
    kept |= {"vx", "vy", "vz"} if velocities else set()
    kept |= {"fx", "fy", "fz"} if forces else set()
    others = [name for name in first.columns if name not in kept]
    if others:
        lost.append(f"columns that are not in the {form.name} file: {' '.join(others)}")
    try:
        tables = [name for name in file.tables() if name not in ("provenance", "history")]
        observables = list(first.observables)
    except (gpz.CorruptError, gpz.LimitError):
        tables, observables = ["tables that cannot be read"], []
    if tables:
        lost.append(f"tables that are not in the {form.name} file: {' '.join(tables)}")
    if observables:
        lost.append(f"observables that are not in the {form.name} file: {' '.join(observables)}")
    if file.elements:
        lost.append(f"{form.name} has no elements: for analysis keep a topology beside it")
    if first.box is not None and first.box.origin.any():
        origin = " ".join(f"{value:g}" for value in first.box.origin)
        lost.append(f"the box begins at {origin}, which {form.name} cannot say: coordinates are those of the file")
    if form.even_times and len(times) > 2 and not np.allclose(np.diff(times), interval(times), rtol=1e-6, atol=0):
        lost.append(
            f"{form.name} has one time between frames, and these frames are not evenly spaced: their times are wrong"
        )
    if not form.timesteps:
        lost.append(f"{form.name} files from here have no timesteps, only times")
    if style == "lj":
        how = "as they are, as LAMMPS writes them" if form.in_nm else "as if sigma were Angstrom and tau ps"
        named = "lj units" if file.units else "the file names no units (--units)"
        lost.append(f"{named}: numbers are stored {how}")
    return lost
