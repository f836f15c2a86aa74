# SPDX-License-Identifier: BSD-3-Clause
"""Pipes, sockets and running writers as trajectories of MDAnalysis, which are read once, from the first frame on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from MDAnalysis.coordinates import base

import gpz
from gpz.mdanalysis.layout import FrameError, Layout
from gpz.mdanalysis.origins import OfFrame


class GPZStreamReader(OfFrame, base.StreamReaderBase):
    """Reads .gpz from a pipe: `Universe(topology, file, format=GPZStreamReader)`, MDAnalysis 2.10 or newer.

    filename: a file descriptor, or a file object that has one (sys.stdin), of which nothing has been read. It is not
        closed. The other arguments are those of GPZReader.

    Frames are read one after the other, once. Iterate, also with a step (`u.trajectory[::10]`).
    """

    format = "GPZSTREAM"

    def __init__(
        self,
        filename: Any,
        lammps_coordinate_convention: str = "auto",
        unwrap_images: bool = False,
        additional_columns: Iterable[str] | bool | None = None,
        convert_units: bool = True,
        lammps_units: str | None = None,
        threads: int | None = None,
        max_memory: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(filename, convert_units=convert_units, **kwargs)
        self._stream = gpz.stream(filename, threads=threads, max_memory=max_memory)
        self._first = self._next_frame()
        self.layout = Layout(
            self.filename,
            self._first.columns,
            lammps_units or self._stream.units,
            convert_units,
            lammps_coordinate_convention,
            unwrap_images,
            additional_columns,
        )
        self.units = self.layout.names
        self.n_atoms = self._first.n_particles
        self._ids = self._ids_of(self._first)
        self.ts = self._Timestep(self.n_atoms, **self._ts_kwargs)
        self._read_next_timestep()

    def _next_frame(self) -> gpz.Frame:
        try:
            return next(self._stream)
        except StopIteration:
            raise EOFError from None
        except OSError as error:
            raise FrameError(str(error)) from error

    def _ids_of(self, frame: gpz.Frame) -> np.ndarray:
        """(N,); empty without ids."""
        return frame["id"] if self.layout.has_ids else np.empty(0)

    def _read_frame(self, frame: int) -> base.Timestep:
        source = self._first if frame == 0 else self._next_frame()
        if source.n_particles != self.n_atoms or not np.array_equal(self._ids_of(source), self._ids):
            raise FrameError(
                f"{self.filename}: frame {frame} has other atoms than frame 0. MDAnalysis reads trajectories of the "
                "same atoms only. ASE (gpz.ase), OVITO (gpz.ovito) and gpz.stream read this."
            )
        for vector in self.layout.vectors(self.ts, source):
            for k, name in enumerate(vector.columns):
                vector.array[:, k] = source[name]
        self.layout.fill(self.ts, source, {name: source[name] for name in self.layout.others(source)})
        if source.time is not None and "dt" not in self._ts_kwargs:
            self.ts.data["time"] = source.time * self.layout.units.time
        self._frame = self.ts.frame = frame
        self._source = source
        return self.ts

    def first_frame(self) -> gpz.Frame:
        """The first frame of the pipe."""
        return self._first

    def tables(self) -> dict[str, gpz.Table]:
        """The tables that are valid for the frame that was read last."""
        return self._stream.tables()

    def current_frame(self) -> gpz.Frame:
        """The frame of the current timestep, in LAMMPS units."""
        return self._source
