# SPDX-License-Identifier: BSD-3-Clause
"""Data of frames that MDAnalysis does not pass on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

import gpz
from gpz._box import spanned_by
from gpz.convert import dcd, xtc
from gpz.convert.formats import Format
from gpz.convert.sources import Place
from gpz.mdanalysis.units import Units


class Beside(NamedTuple):
    """Data of a frame that MDAnalysis does not pass on. For a member that is None, MDAnalysis's value is used.

    grid: distance between neighbouring values of the positions, in distance units of the .gpz file; 0: they are not rounded.
    edges: (3, 3), the edge vectors of the box as rows, in distance units of the .gpz file.
    boundary: of the box, as in gpz.Box.
    timestep: number of the timestep.
    time: in time units of the .gpz file; NaN: the file has none.
    ids: (N,) of the particles, ascending.
    """

    grid: float | None = None
    edges: np.ndarray | None = None
    boundary: str = "pp pp pp"
    timestep: int | None = None
    time: float | None = None
    ids: np.ndarray | None = None

    def box(self) -> gpz.Box | None:
        """That of the edges, at the origin; None if they are those of no box."""
        return spanned_by(self.edges, self.boundary)


def beside(place: Place, form: Format, numbers: range, units: Units, reader: Any) -> Iterator[Beside]:
    """For the frames with these numbers, which the file has. Each is taken after the reader has read its frame."""
    if form.mda == "XTC":
        for head in xtc.heads(place.path, numbers):
            edges = head.box.astype(np.float64) * (xtc.NANOMETRE / units.length)
            yield Beside(grid=xtc.grid(head.precision) / units.length, edges=edges)
    elif form.mda == "TRR":
        for edges in xtc.edges_of_trr(place.path, numbers):
            lacks_one = np.linalg.det(edges) == 0  # MDAnalysis has no such box
            yield Beside(edges=edges * (xtc.NANOMETRE / units.length) if lacks_one else None)
    elif form.mda == "DCD":
        clock = dcd.clock_of(place.path, form.as_in_run)
        for number in numbers:
            timestep, time = clock.at(number)
            yield Beside(timestep=timestep, time=time / units.time)
    elif form.mda == "H5MD":
        for _ in numbers:
            given = reader.given
            edges = None if given.edges is None else given.edges / units.length
            yield Beside(edges=edges, boundary=given.boundary, time=given.time / units.time, ids=given.ids)
    else:
        yield from repeat(Beside(), len(numbers))
