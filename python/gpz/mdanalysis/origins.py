# SPDX-License-Identifier: BSD-3-Clause
"""The .gpz frame that a timestep comes from, as its reader knows it, for a writer of .gpz files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpz
from gpz import _origins
from gpz.mdanalysis import geometry

if TYPE_CHECKING:
    from MDAnalysis.core.groups import AtomGroup

    from gpz.mdanalysis.layout import Layout


class OfFrame:
    """A base of readers. They have `layout`, `ts` and the two frames below."""

    layout: Layout
    ts: Any

    def first_frame(self) -> gpz.Frame:
        """The first frame of the trajectory, not decoded."""
        raise NotImplementedError

    def current_frame(self) -> gpz.Frame:
        """That of the timestep."""
        raise NotImplementedError

    def tables(self) -> dict[str, gpz.Table]:
        """The tables that are valid for the first frame."""
        raise NotImplementedError

    @property
    def lammps_units(self) -> str | None:
        """LAMMPS's name of the units of the file."""
        return self.layout.lammps_units

    def origins(self) -> dict[str, gpz.Origin]:
        """The errors that the positions, velocities and forces of the timestep have, in its units."""
        return self.layout.origins(self.current_frame(), self.ts)

    def origins_of_topology(self) -> dict[str, gpz.Origin]:
        """The errors that charges (q) and masses (mass) have, in units of the file."""
        return _origins.of_columns(self.first_frame(), ("q", "mass"))

    def box_of(self, dimensions: np.ndarray | None) -> gpz.Box | None:
        """The box of the frame in the file, if it has these dimensions and the same directions in MDAnalysis."""
        box = self.current_frame().box
        if box is None or dimensions is None or box.kind == "general triclinic":
            return None
        of_file = geometry.dimensions(box) * [*(3 * [self.layout.units.length]), 1, 1, 1]
        return box if np.array_equal(of_file.astype(np.float32), np.asarray(dimensions, np.float32)) else None


def of_atoms(atoms: AtomGroup) -> OfFrame | None:
    """The reader of the .gpz file or stream that the atoms come from, also as one of several; None for other files."""
    reader = atoms.universe.trajectory
    reader = getattr(reader, "active_reader", reader)  # of a ChainReader
    return reader if isinstance(reader, OfFrame) else None
