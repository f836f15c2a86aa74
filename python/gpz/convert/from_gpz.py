# SPDX-License-Identifier: BSD-3-Clause
"""Frames of a .gpz file, written by MDAnalysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

import gpz
from gpz import _clients, _positions
from gpz._frame import VECTORS
from gpz._writer import WITHIN
from gpz.convert import dcd, reference
from gpz.convert.formats import Format
from gpz.convert.job import FromGpz
from gpz.convert.outcome import Outcome
from gpz.convert.sources import one_line
from gpz.convert.target_files import MdaTarget, XtcTarget
from gpz.convert.whole_frames import Extent
from gpz.convert.xtc import NANOMETRE
from gpz.mdanalysis.reader import open_fixed
from gpz.mdanalysis.units import Units

DIGITS = 3  # of nm, that XTC keeps
WITHOUT_FLAT_BOXES = ("TRR", "H5MD")


def write(job: FromGpz) -> Outcome:
    """Writes frames of a .gpz file in another format. Without units they are those that the file names, else lj; without digits those
    of the XTC file that the .gpz file was made of, else DIGITS.

    Raises gpz.ArgumentError if no frame is chosen, gpz.ColumnError if the file has no positions, gpz.UnsupportedError if frames
    differ in their atoms.
    """
    source, form = job.source, job.form
    with open_source(source, job.threads) as file:
        problem = extent_of(source, file).problem(source)
        chosen = file[job.frames]
        if len(chosen) == 0:
            raise gpz.ArgumentError(f"none of the {len(file)} frames is among those chosen", str(source))
        style = job.units or file.units or "lj"
        units = form.units(style)
        first = chosen[0]
        if first.position_columns is None:
            raise gpz.ColumnError(f"no positions among the columns {' '.join(first.columns)}", str(source))
        columns = columns_of(chosen, source)
        require_steps(form, chosen, source)
        times, lost = times_of(chosen, units)
        velocities = form.velocities and has_vector(form, "velocities", columns, len(chosen), lost)
        forces = form.forces and has_vector(form, "forces", columns, len(chosen), lost)
        options: dict[str, Any] = {}
        if form.mda == "DCD":
            clock, keeps_steps = dcd.clock_for(chosen.timesteps, times)
            options = {"dt": clock.interval * clock.size, "nsavc": clock.interval, "istart": clock.first}
            lost += dcd_lost(clock, keeps_steps, times)
        elif form.mda in ("NCDF", "H5MD"):
            options = {"velocities": velocities, "forces": forces}
        if form.mda == "H5MD":
            options.update(n_frames=len(chosen), author="gpz")
        precision = precision_of(first, units, job.digits, file.metadata["reference"])
        is_rounded, flat = False, 0
        made: XtcTarget | MdaTarget
        if form.mda == "XTC":
            made = XtcTarget(job.target, units, precision)
        else:
            made = MdaTarget(job.target, form, units, first.n_particles, velocities, forces, options)
        with closing(made):
            for number, frame in enumerate(chosen):
                require_same_atoms(first, frame, source)
                is_rounded = is_rounded or not fits(grid_of_xtc(frame, units), precision)
                flat += frame.box is not None and not frame.box.lengths.all()
                try:
                    made.write(frame, float(times[number]))
                except gpz.UnsupportedError as error:
                    error.path = error.path or str(source)
                    raise
                except (OSError, ValueError, OverflowError, RuntimeError) as error:
                    raise gpz.UnsupportedError(
                        f"MDAnalysis cannot write frame {frame.index} as {form.name}: {one_line(error)}",
                        str(source),
                    ) from error
        if form.mda == "H5MD":
            from gpz.convert.h5md import set_boundary

            set_boundary(job.target, first.box)
        if flat and form.mda in WITHOUT_FLAT_BOXES:
            lost.append(
                f"boxes with an edge of length 0: MDAnalysis writes none to {form.name} files, so {flat} of {len(chosen)} frames have no box"
            )
        if form.mda == "XTC" and is_rounded:
            unit = "sigma" if style == "lj" else "nm"
            lost.append(f"positions are rounded to {1 / precision:g} {unit}: half of that comes to their error{bound_of(first)}")
        return Outcome(lost + lost_in(form, first, columns, style, velocities, forces, file), len(chosen), problem)


def columns_of(frames: gpz.Trajectory, source: Path) -> Counter[str]:
    """How many frames have each column. Raises gpz.UnsupportedError if a frame has no positions."""
    counts: Counter[str] = Counter()
    for frame in frames:
        if frame.position_columns is None:
            raise gpz.UnsupportedError(f"frame {frame.index} has no positions (columns {' '.join(frame.columns)})", str(source))
        counts.update(frame.columns)
    return counts


def require_steps(form: Format, frames: gpz.Trajectory, source: Path) -> None:
    """Raises gpz.UnsupportedError for timesteps that the format cannot hold."""
    steps = frames.timesteps
    beyond = np.flatnonzero(np.abs(steps.astype(np.float64)) > form.largest_step) if form.largest_step else []
    if len(beyond):
        raise gpz.UnsupportedError(
            f"frame {frames[int(beyond[0])].index} has the timestep {steps[beyond[0]]}, and {form.name} holds timesteps up to "
            f"{form.largest_step}. AMBER NetCDF and DCD files (.nc, .dcd) have times instead",
            str(source),
        )


def has_vector(form: Format, name: str, columns: Counter[str], frames: int, lost: list[str]) -> bool:
    """Whether the new file gets velocities or forces: where not all frames have them, only in formats that allow it. A line of `lost`
    says so otherwise."""
    count = min(columns[column] for column in VECTORS[name])
    if 0 < count < frames and form.mda != "TRR":
        lost.append(f"{name} of {count} of {frames} frames: {form.name} has {name} in all frames or in none")
        return False
    return count > 0


def precision_of(first: gpz.Frame, units: Units, digits: int | None, reference_text: str) -> float:
    """The precision of an XTC file, 1/nm: of `digits`, else that of the XTC file whose grid the first frame has, else of DIGITS.
    The library of XTC takes one for all frames."""
    grid = grid_of_xtc(first, units) if digits is None and reference_text == reference.TEXT_OF_XTC else 0.0
    return float(f"{1 / grid:.7g}") if grid else 10.0 ** (DIGITS if digits is None else digits)


def grid_of_xtc(frame: gpz.Frame, units: Units) -> float:
    """The grid that a frame of an XTC file has kept, nm; 0 if a larger bound made another one."""
    info = frame.column_info[frame.position_columns[0]]
    keeps = info.bound and info.step * WITHIN >= 2 * info.bound
    return info.step * units.length / NANOMETRE if keeps else 0.0


def fits(grid: float, precision: float) -> bool:
    """Whether XTC of this precision has all multiples of the grid (nm; 0: there is none)."""
    steps = grid * precision
    return steps > 0.5 and abs(steps - round(steps)) < 1e-6


def bound_of(frame: gpz.Frame) -> str:
    """The bound of the positions, as the end of a sentence."""
    return "" if frame.position_bound is None else f", which is {frame.position_bound:g} at most in the .gpz file"


def dcd_lost(clock: dcd.Clock, keeps_steps: bool, times: np.ndarray) -> list[str]:
    """The part of these times (ps) and timesteps that the header of a DCD file cannot hold."""
    if keeps_steps:
        return []
    lost = ["timesteps that are not in the DCD file: it has one number of steps between frames, which has to fit the times"]
    apart = np.diff(times)
    if len(times) > 2 and not np.allclose(apart, apart.mean(), rtol=1e-6, atol=0):
        lost.append("DCD has one time between frames, and these frames are not evenly spaced: their times are wrong")
    elif abs(clock.at(0)[1] - times[0]) > dcd.TOLERANCE * clock.size:
        lost.append(f"DCD begins at a multiple of the time between frames: {clock.at(0)[1]:g} ps instead of {times[0]:g}")
    return lost


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
    """The extent of an open file. No frame is read."""
    reader = file._file.require_open()
    end = int(reader.offsets()[-1] + reader.lengths()[-1]) if len(file) else 0
    return Extent(len(file), end, source.stat().st_size, cut=file.torn)


def times_of(frames: gpz.Trajectory, units: Units) -> tuple[np.ndarray, list[str]]:
    """(frames,) ps, and a line if the file has none."""
    times = _clients.times_of(frames)
    if not np.isnan(times).any():
        return times * units.time, []
    return np.arange(len(frames), dtype=float), ["the file has no times: frame numbers stand for ps"]


def require_same_atoms(first: gpz.Frame, frame: gpz.Frame, source: Path) -> None:
    """Raises gpz.UnsupportedError if the frames have other ids."""
    if first.ids is not None and not np.array_equal(first.ids, frame.ids):
        raise gpz.UnsupportedError(
            f"frame {frame.index} has other atoms than frame {first.index}, and these formats name no atoms",
            str(source),
        )


def lost_in(form: Format, first, columns: Iterable[str], style: str, velocities: bool, forces: bool, file) -> list[str]:
    """The data of this file that the format cannot hold."""
    lost = []
    if form.mda != "XTC":
        lost.append(f"positions are float32: the rounding, 6e-8 of a value, comes to their error{bound_of(first)}")
    if first.ids is None:
        lost.append("the file has no ids: atoms are in another order in each frame")
    else:
        lost.append(f"{form.name} has no ids: atoms are in the order of ids, and are numbered from 1 where it is read")
    kept = {"id"}.union(*_positions.FORMS)
    kept |= {"vx", "vy", "vz"} if velocities else set()
    kept |= {"fx", "fy", "fz"} if forces else set()
    others = [name for name in columns if name not in kept]
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
        lost.append(f"{form.name} has no elements: for analysis keep a topology file as well")
    if first.box is not None and first.box.origin.any():
        origin = " ".join(f"{value:g}" for value in first.box.origin)
        lost.append(f"the box begins at {origin}, which {form.name} cannot say: coordinates are those of the file")
    if not form.timesteps and form.mda != "DCD":
        lost.append(f"{form.name} files from here have no timesteps, only times")
    if style == "lj":
        how = "as they are, as LAMMPS writes them" if form.in_nm else "as if sigma were Angstrom and tau ps"
        named = "lj units" if file.units else "the file names no units (--units)"
        lost.append(f"{named}: numbers are stored {how}")
    return lost
