# SPDX-License-Identifier: BSD-3-Clause
"""One file into another, completely or not at all."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

import gpz
from gpz.convert import from_gpz, lossless, to_gpz
from gpz.convert.formats import format_of

DIGITS = 3  # of nm, that XTC keeps


def convert(
    source: str | os.PathLike,
    target: str | os.PathLike,
    *,
    frames: slice | None = None,
    bound: float | None = None,
    bounds: Mapping[str, float] | None = None,
    units: str | None = None,
    precision: int = DIGITS,
    topology: str | os.PathLike | None = None,
    key_interval: int = 100,
    order: str = "auto",
    effort: str = "standard",
    threads: int = 1,
) -> list[str]:
    """Converts a .gpz file to DCD, AMBER NetCDF, XTC, TRR or H5MD, or one of these to .gpz, as the names end.

    frames: all, or those of a slice.
    units: LAMMPS's name. To .gpz: those that the file shall have (metal: Angstrom and picoseconds). From .gpz: those
        that it has, if it does not say.
    precision: decimal places of nm in an XTC file (of sigma, for lj units).
    bound: of positions in the .gpz file, in its distance units; None: that of the units (gpz.Writer). bounds: of "velocities" and "forces",
        which are exact otherwise.
    key_interval, order, effort: of the .gpz file, as in gpz.Writer.
    topology: a file that MDAnalysis reads, for types and elements.

    Coordinates are those of the file: the origin of the box is not subtracted. Atoms are in the order of ids.
    Returns a line for each kind of information that the target cannot hold, and one for lossless columns that take more
    than a quarter of a .gpz file. If it fails, or is interrupted, there is
    no file of the name `target`, or the one that was there before.
    """
    source, target = Path(os.fspath(source)), Path(os.fspath(target))
    reads, writes = format_of(source), format_of(target)
    if (reads is None) == (writes is None):
        raise gpz.UnsupportedError(f"one of {source.name} and {target.name} has to be a .gpz file, and only one")
    if not source.exists():
        raise gpz.FileError("no such file", str(source))
    # MDAnalysis puts files of its own beside those that it reads. They go with this folder, which has a link to the
    # source.
    with tempfile.TemporaryDirectory(prefix=".gpz-convert-", dir=target.absolute().parent) as folder:
        made = Path(folder) / f"made{target.suffix}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if writes is not None:
                notes = from_gpz.write(source, made, writes, frames or slice(None), units, precision, threads)
            else:
                link = Path(folder) / f"source{source.suffix}"
                link.symlink_to(source.absolute())
                options = {"key_interval": key_interval, "order": order, "effort": effort, "threads": threads}
                notes = to_gpz.write(
                    link, made, reads, frames or slice(None), units or "metal", bound, bounds or {}, topology, options
                )
                notes += lossless.notes(made)
        os.replace(made, target)
    return notes
