# SPDX-License-Identifier: BSD-3-Clause
"""One file into another: all whole frames, or nothing."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

import gpz
from gpz import _checks
from gpz._arguments import checked_integer
from gpz._coding import Coding
from gpz._endings import is_gpz
from gpz._errors import MissingFileError
from gpz._files import require_output
from gpz.convert import from_gpz, to_gpz
from gpz.convert.bounds import checked_bounds
from gpz.convert.formats import format_to_read, format_to_write
from gpz.convert.job import FromGpz, ToGpz
from gpz.convert.outcome import Outcome

MOST_DIGITS = 9
OF_UNITS = {"length": "positions", "time": "times", "velocity": "velocities", "force": "forces"}


def convert(
    source: str | os.PathLike,
    target: str | os.PathLike,
    *,
    frames: slice | None = None,
    bound: float | None = None,
    relative_bound: float | None = None,
    bounds: Mapping[str, float | str] | None = None,
    units: str | None = None,
    precision: int | None = None,
    topology: str | os.PathLike | None = None,
    key_interval: int | str = "auto",
    order: str = "auto",
    effort: str = "standard",
    threads: int = 1,
    allow_truncated: bool = False,
    group: str | None = None,
) -> list[str]:
    """Converts a .gpz file to DCD, AMBER NetCDF, XTC, TRR or H5MD, or any trajectory that MDAnalysis reads to .gpz, as the
    names end.

    frames: all, or those of a slice.
    units: LAMMPS's name. To .gpz: those that the file shall have (metal: Angstrom and picoseconds); of an H5MD file without units, also
        those of its numbers. From .gpz: those that it has, if it does not say.
    precision: decimal places of nm in an XTC file (of sigma, for lj units), 0 to 9; None: 3, or the precision of the XTC file from
        which the .gpz file was converted.
    bound: of positions in the .gpz file, in its distance units; 0: exact; None: half of the grid of an XTC file, else that of the
        units (gpz.Writer). Values of an XTC file are kept, unless the bound is larger than half of its grid.
    relative_bound: instead of bound: relative to the longest box edge of the first of the chosen frames, below 1; without a box, to
        the largest extent of its positions along one axis.
    bounds: of "velocities" and "forces", which are exact otherwise. "thermal" for velocities, as in gpz.Writer, needs types: those
        of the topology, where the source has none.
    key_interval, order, effort: of the .gpz file, as in gpz.Writer.
    topology: a file that MDAnalysis reads, for types, elements, names, masses, charges and bonds, and for the number of atoms of files that do not say
        it (AMBER's mdcrd, TRZ).
    group: of the particles of an H5MD file; None: the first one that has positions. A line of the result names the others.
    allow_truncated: a source that is cut is no error. A UserWarning and the last line of the result say where it ends.

    Coordinates are those of the file: the origin of the box is not subtracted. Atoms are in the order of ids.
    Returns a line for each kind of information that the target cannot hold, and one for lossless columns that take more
    than a quarter of a .gpz file.

    Raises gpz.TruncatedError for a source that is cut, after its whole frames were written; `position` is the byte where
    the last of them ends, `notes` are the lines that would be returned. HDF5 opens no file that is cut: of H5MD nothing is written then. If it fails otherwise, or is
    interrupted, there is no file of the name `target`, or the one that was there before. Cut files of formats other than
    .gpz, DCD, AMBER NetCDF, XTC, TRR and H5MD are noticed as far as MDAnalysis notices them.
    """
    source, target = Path(os.fspath(source)), Path(os.fspath(target))
    if is_gpz(source) == is_gpz(target):
        raise gpz.ArgumentError(
            f"one of {source.name} and {target.name} has to be a .gpz file, and only one: their names end with "
            ".gpz, or not"
        )
    coding = Coding(key_interval, order, effort, threads)
    if frames is not None and not isinstance(frames, slice):
        raise gpz.ArgumentError(f"frames: a slice, as slice(0, 100, 10), not {frames!r}")
    _checks.require_units(units)
    if is_gpz(source):
        form = format_to_write(target)
        given = {"bound": bound, "relative_bound": relative_bound, "bounds": bounds or None, "topology": topology, "group": group}
        require_absent(given, f"{target.name} is no .gpz file")
        if form.mda != "XTC":
            require_absent({"precision": precision}, f"{target.name} is no XTC file")
        digits = None if precision is None else checked_integer("precision", precision, 0, MOST_DIGITS, f"a whole number from 0 to {MOST_DIGITS}")
    else:
        form = format_to_read(source, group)
        require_absent({"precision": precision}, f"{target.name} is no XTC file")
        if form.mda != "H5MD":
            require_absent({"group": group}, f"{source.name} is no H5MD file")
        checked = checked_bounds(bound, relative_bound, bounds)
    require_places(source, target)
    if form.bare and units is None and not is_gpz(source):
        raise gpz.ArgumentError(
            f"the file names no units of {', '.join(OF_UNITS[name] for name in form.bare)}: say with --units (units=) in which units of "
            "LAMMPS the numbers are",
            str(source),
        )
    require_output(target, [source, topology])

    with tempfile.TemporaryDirectory(prefix=".gpz-convert-", dir=target.absolute().parent) as name:
        folder = Path(name)
        made = folder / f"made{target.suffix}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if is_gpz(source):
                outcome = from_gpz.write(FromGpz(source, made, form, frames or slice(None), units, digits, threads))
            else:
                job = ToGpz(source, made, form, frames or slice(None), units, folder, checked, topology, group, coding)
                outcome = to_gpz.write(job)
        require_output(target, [])
        os.replace(made, target)
    return notes_of(outcome, allow_truncated)


def notes_of(outcome: Outcome, allow_truncated: bool) -> list[str]:
    """Raises what is wrong with the source, whose whole frames were written."""
    problem = outcome.problem
    if problem is None:
        return outcome.notes
    frames = "frame" if outcome.written == 1 else "frames"
    problem.cause += f"; {outcome.written} complete {frames} written"
    if not allow_truncated:
        problem.notes = outcome.notes
        raise problem
    warnings.warn(str(problem), stacklevel=3)
    return [*outcome.notes, str(problem)]


# --- What is refused before anything is read ---


def require_absent(options: Mapping[str, object], why: str) -> None:
    """Raises gpz.ArgumentError if one of these options is given: `why` says in what conversion it has no meaning."""
    for name, value in options.items():
        if value is not None:
            raise gpz.ArgumentError(f"{name}={value!r} has no meaning here: {why}")


def require_places(source: Path, target: Path) -> None:
    """Raises gpz.FileError unless `source` is a regular file and `target` can be made: a name in a folder that exists."""
    if not source.exists():
        raise MissingFileError("no such file", str(source))
    if not source.is_file():
        raise gpz.FileError("is no regular file: what is converted is read from its ends", str(source))
    if target.is_dir():
        raise gpz.FileError("is a folder", str(target))
    if not target.absolute().parent.is_dir():
        raise MissingFileError("there is no such folder", str(target.parent))
