# SPDX-License-Identifier: BSD-3-Clause
"""The formats besides .gpz, and what each can hold."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import gpz
from gpz.mdanalysis.units import Units, units_of


@dataclass(frozen=True)
class Format:
    """name: as people know it. mda: as MDAnalysis does. endings: of file names.

    velocities, forces, timesteps: whether it has them. even_times: frames have no times, but one interval. in_nm:
    numbers are in nm and ps; those of lj units are stored as they are, as LAMMPS does.
    """

    name: str
    mda: str
    endings: tuple[str, ...]
    velocities: bool = False
    forces: bool = False
    timesteps: bool = False
    even_times: bool = False
    in_nm: bool = False

    def units(self, style: str) -> Units:
        """What a unit of this style is in those of MDAnalysis, which converts them to those of the format."""
        units = units_of(style)
        return replace(units, length=10.0, velocity=10.0, force=0.1) if self.in_nm and style == "lj" else units


FORMATS = (
    Format("DCD", "DCD", (".dcd",), even_times=True),
    Format("AMBER NetCDF", "NCDF", (".nc", ".ncdf"), velocities=True, forces=True),
    Format("XTC", "XTC", (".xtc",), timesteps=True, in_nm=True),
    Format("TRR", "TRR", (".trr",), velocities=True, forces=True, timesteps=True, in_nm=True),
    Format("H5MD", "H5MD", (".h5md", ".h5"), velocities=True, forces=True, timesteps=True),
)


def format_of(path: str | os.PathLike) -> Format | None:
    """By the end of the name; None for .gpz. Raises gpz.UnsupportedError."""
    ending = Path(os.fspath(path)).suffix.lower()
    if ending == ".gpz":
        return None
    for form in FORMATS:
        if ending in form.endings:
            return form
    known = " ".join(ending for form in FORMATS for ending in form.endings)
    raise gpz.UnsupportedError(
        f"{os.fspath(path)}: no format ends with {ending or 'nothing'}. There are .gpz {known}; "
        "gpz encode reads dumps of LAMMPS and XYZ, gpz decode writes them"
    )
