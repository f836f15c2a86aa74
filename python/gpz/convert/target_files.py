# SPDX-License-Identifier: BSD-3-Clause
"""Files of other formats that frames of a .gpz file are written to: XTC by the XTC library of MDAnalysis, others by its writers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import MDAnalysis as mda
import numpy as np
from MDAnalysis.lib.formats.libmdaxdr import XTCFile

import gpz
from gpz.convert.formats import Format
from gpz.convert.whole_frames import MOST_ATOMS_UNCOMPRESSED
from gpz.convert.xtc import NANOMETRE
from gpz.mdanalysis import geometry
from gpz.mdanalysis.units import BASE_NAMES, Units

LARGEST_OF_XTC = 2**31 - 4


class XtcTarget:
    """MDAnalysis's own writer makes lengths and angles of the box, whose edges XTC has; and takes powers of ten only.

    precision: positions are rounded to 1 / precision nm.
    """

    def __init__(self, path: Path, units: Units, precision: float):
        self.nanometres, self.precision = units.length / NANOMETRE, precision
        self.file = XTCFile(str(path), "w")

    def write(self, frame: gpz.Frame, time: float) -> None:
        """time: ps."""
        positions = np.asarray(frame.positions, np.float64) * self.nanometres
        require_room(positions, self.precision, frame)
        edges = np.zeros((3, 3)) if frame.box is None else frame.box.matrix * self.nanometres
        self.file.write(positions.astype(np.float32), edges.astype(np.float32), frame.timestep, time, self.precision)

    def close(self) -> None:
        """Ends the file."""
        self.file.close()


class MdaTarget:
    """options: of the writer of MDAnalysis."""

    def __init__(self, path: Path, form: Format, units: Units, particles: int, velocities: bool, forces: bool, options: Mapping[str, Any]):
        self.units, self.velocities, self.forces = units, velocities, forces
        self.universe = mda.Universe.empty(particles, trajectory=True, velocities=velocities, forces=forces)
        self.universe.trajectory.units = dict(BASE_NAMES)
        self.writer = mda.Writer(str(path), format=form.mda, multiframe=True, n_atoms=particles, **options)

    def write(self, frame: gpz.Frame, time: float) -> None:
        """time: ps."""
        ts = self.universe.trajectory.ts
        self.fill(ts, frame)
        ts.data["time"] = time
        ts.data["step"] = frame.timestep
        self.writer.write(self.universe.atoms)

    def fill(self, ts, frame: gpz.Frame) -> None:
        """A timestep of MDAnalysis, in its units. The lower corner of the box stays where it is."""
        ts.positions = frame.positions * self.units.length
        for name, written, factor in (
            ("velocities", self.velocities, self.units.velocity),
            ("forces", self.forces, self.units.force),
        ):
            values = getattr(frame, name) if written else None
            setattr(ts, f"has_{name}", values is not None)
            if values is not None:
                setattr(ts, name, values * factor)
        box = frame.box
        if box is None:
            ts.dimensions = None
            return
        if box.kind == "general triclinic":
            raise gpz.UnsupportedError("the edges of the box point anywhere (general triclinic), and these formats turn it")
        ts.dimensions = geometry.dimensions(box) * [*(3 * [self.units.length]), 1, 1, 1]

    def close(self) -> None:
        """Ends the file."""
        self.writer.close()


def require_room(positions: np.ndarray, precision: float, frame: gpz.Frame) -> None:
    """XTC has integers of 32 bits, also for differences; its library writes other ones without an error. positions: nm."""
    if len(positions) <= MOST_ATOMS_UNCOMPRESSED:
        return
    low, high = positions.min(initial=0), positions.max(initial=0)
    if not float(high - low) * precision < LARGEST_OF_XTC:
        digits = np.log10(precision)
        raise gpz.UnsupportedError(
            f"frame {frame.index}: coordinates from {low:g} to {high:g} nm with {digits:g} decimal places "
            "do not fit into the 32 bits of XTC: fewer with --precision (precision=), or another format"
        )
