# SPDX-License-Identifier: BSD-3-Clause
"""The formats besides .gpz, and what each can hold."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from MDAnalysis.coordinates.core import get_reader_for
from MDAnalysis.lib.util import guess_format

import gpz
from gpz._endings import ENDINGS, ending_of
from gpz.convert.dcd import is_of_lammps
from gpz.mdanalysis.units import Units, units_of


@dataclass(frozen=True)
class Format:
    """name: as people know it. mda: as MDAnalysis does. endings: of file names.

    velocities, forces, timesteps: whether it has them. in_nm: numbers are in nm and ps; those of lj units are stored as they
    are, as LAMMPS does. as_in_run: numbers are in the units of a run of LAMMPS, which the file does not name. bare: the quantities of
    which a file of a format that names units does not name them. varies: frames may have other vectors than the first one.
    largest_step: the format holds timesteps up to this one, and from its negative; 0: it has none, or they do not matter.
    """

    name: str
    mda: str
    endings: tuple[str, ...] = ()
    velocities: bool = False
    forces: bool = False
    timesteps: bool = False
    in_nm: bool = False
    as_in_run: bool = False
    bare: tuple[str, ...] = ()
    varies: bool = False
    largest_step: int = 0

    def units(self, style: str) -> Units:
        """The units of this style in those of MDAnalysis, which converts them to those of the format."""
        units = replace(units_of("lj" if self.as_in_run else style), **dict.fromkeys(self.bare, 1.0))
        return replace(units, length=10.0, velocity=10.0, force=0.1) if self.in_nm and style == "lj" else units


INT32 = 2**31 - 1

# Those that are written.
FORMATS = (
    Format("DCD", "DCD", ENDINGS["DCD"]),
    Format("AMBER NetCDF", "NCDF", ENDINGS["NCDF"], velocities=True, forces=True),
    Format("XTC", "XTC", ENDINGS["XTC"], timesteps=True, in_nm=True, largest_step=INT32),
    Format("TRR", "TRR", ENDINGS["TRR"], velocities=True, forces=True, timesteps=True, in_nm=True, varies=True, largest_step=INT32),
    # MDAnalysis writes steps of 32 bits.
    Format("H5MD", "H5MD", ENDINGS["H5MD"], velocities=True, forces=True, timesteps=True, varies=True, largest_step=INT32),
)
# `gpz encode` reads them, with float64, ids, and the origin of the box, which MDAnalysis does not keep.
OF_ENCODE = (".lammpstrj", ".lammpsdump", ".dump", ".xyz", ".extxyz", ".npy")


def format_to_write(path: str | os.PathLike) -> Format:
    """The format, by the ending of the name. Raises gpz.ArgumentError."""
    form = known_format(path)
    if form is not None:
        return form
    known = " ".join(ending for form in FORMATS for ending in form.endings)
    raise gpz.ArgumentError(
        f"no format to write ends with {ending_of(path) or 'nothing'}: there are {known}; gpz decode writes text and XYZ",
        os.fspath(path),
    )


def format_to_read(path: str | os.PathLike, group: str | None = None) -> Format:
    """The format, by the ending of the name: one of FORMATS, or any other that MDAnalysis reads. group: of H5MD. Raises gpz.ArgumentError."""
    form = known_format(path)
    if form is not None and form.mda == "H5MD":
        from gpz.convert.h5md import without_units

        return replace(form, bare=without_units(path, group))
    if form is not None:
        return replace(form, as_in_run=form.mda == "DCD" and is_of_lammps(path))
    if ending_of(path) in OF_ENCODE:
        raise gpz.ArgumentError("dumps of LAMMPS and XYZ are read by gpz encode", os.fspath(path))
    try:
        reader = get_reader_for(os.fspath(path))
        name = guess_format(os.fspath(path)).upper()
    except (ValueError, TypeError):
        raise gpz.ArgumentError(
            f"MDAnalysis reads no trajectory whose name ends with {ending_of(path) or 'nothing'}; "
            "gpz encode reads dumps of LAMMPS and XYZ",
            os.fspath(path),
        ) from None
    in_nm = (getattr(reader, "units", None) or {}).get("length") == "nm"
    return Format(name, name, in_nm=in_nm)


def known_format(path: str | os.PathLike) -> Format | None:
    """The format that gpz writes under this extension; None for others, which MDAnalysis may read."""
    return next((form for form in FORMATS if ending_of(path) in form.endings), None)
