# SPDX-License-Identifier: BSD-3-Clause
"""Frames of .gpz files as timesteps of MDAnalysis."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from MDAnalysis.coordinates import base
from MDAnalysis.lib.util import store_init_arguments

import gpz
from gpz import _clients
from gpz._metadata import Existing
from gpz.mdanalysis.layout import FrameError, Layout, Vector
from gpz.mdanalysis.origins import OfFrame
from gpz.mdanalysis.writer import GPZWriter
from gpz.remote.names import is_gpz_url, shown_url
from gpz.remote.options import Options as RemoteOptions


def open_fixed(filename: str, **options: Any) -> gpz.Trajectory:
    """Opens a file whose frames all have one number of atoms, as MDAnalysis wants them. TypeError if it has not. With some of
    the atoms this is seen when a frame is read."""
    trajectory = gpz.open(filename, **options)
    filename = shown_url(filename) if is_gpz_url(filename) else filename
    if len(trajectory) == 0:
        raise TypeError(f"{filename}: there is no complete frame in the file")
    if options.get("atoms") is not None:
        return trajectory
    counts = trajectory.counts
    changed = np.flatnonzero(counts != counts[0])
    if len(changed):
        raise TypeError(
            f"{filename}: frame 0 has {counts[0]} atoms, frame {changed[0]} has {counts[changed[0]]}. MDAnalysis reads "
            "trajectories with a fixed number of atoms only. ASE (gpz.ase), OVITO (gpz.ovito) and gpz.open read this "
            "file. If it is of one rank of a LAMMPS run (dump ... %), `gpz merge` joins it with those of the others."
        )
    return trajectory


class GPZReader(OfFrame, base.ReaderBase):
    """Reads .gpz files: `Universe("traj.gpz")`, or `Universe(topology, "traj.gpz")`.

    Atoms are in the order of ids, the box begins at zero, and numbers are in units of MDAnalysis (A, ps, A/ps,
    kJ/(mol A)) if the file names LAMMPS units other than lj. All numbers are float32, as everywhere in MDAnalysis.

    filename: path of the file, or its URL, as in gpz.open.
    lammps_coordinate_convention: which columns the positions come from: "unscaled" (x y z), "scaled" (xs ys zs),
        "unwrapped" (xu yu zu), "scaled_unwrapped" (xsu ysu zsu), or "auto": the first of these with x, y and z, or with most of them. A z that it
        lacks comes from another one. Scaled coordinates are multiplied by the box.
    unwrap_images: add the edges of the box as often as the image flags ix iy iz say. Coordinates of the unwrapped
        conventions stay as they are.
    additional_columns: names of columns that become `ts.data[name]`, (n_atoms,) float64 or int64 in units of the file;
        True: all that have no other place in a timestep.
    convert_units: False leaves all numbers in units of the file.
    lammps_units: the LAMMPS name of the units, for a file that names none or the wrong ones.
    threads: for decoding, as in gpz.open. In loops the next frames are decoded ahead on them.
    max_memory: bytes; a file that asks for more is refused. None: half of the memory of the machine.
    remote: how a URL is read (gpz.remote.Options), as in gpz.open.
    read_ahead: False decodes nothing ahead, on one thread.
    atoms: the atoms that the universe has, as in gpz.open: ids, a mask or a function of the first frame, or a dict.
    dt: ps between frames, instead of the times in the file. time_offset: ps that are added to each time.

    `ts.data["step"]` is the timestep of LAMMPS. Without times in the file they are timesteps times the timestep size,
    if the file has that, else frame numbers times dt.
    """

    format = "GPZ"

    @store_init_arguments
    def __init__(
        self,
        filename: str,
        lammps_coordinate_convention: str = "auto",
        unwrap_images: bool = False,
        additional_columns: Iterable[str] | bool | None = None,
        convert_units: bool = True,
        lammps_units: str | None = None,
        threads: int | None = None,
        max_memory: int | None = None,
        read_ahead: bool = True,
        remote: RemoteOptions | None = None,
        atoms: Any = None,
        **kwargs: Any,
    ):
        super().__init__(filename, convert_units=convert_units, **kwargs)
        self._options = {
            "threads": threads if read_ahead else 1,
            "max_memory": max_memory,
            "remote": remote,
            "atoms": atoms,
        }
        trajectory = self._open()
        if atoms is not None:
            # The atoms that a function has found: functions are not pickled.
            self._options["atoms"] = self._kwargs["atoms"] = trajectory._file.atoms
        self._trajectory: gpz.Trajectory | None = trajectory
        self.n_frames = len(trajectory)
        self.n_atoms = trajectory[0].n_particles
        if trajectory.torn:
            warnings.warn(
                f"{self.filename} ends with an incomplete frame, as its writer was stopped or still runs: "
                f"{self.n_frames} complete frames are read"
            )

        self.layout = Layout(
            self.filename,
            trajectory.columns,
            lammps_units or trajectory.units,
            convert_units,
            lammps_coordinate_convention,
            unwrap_images,
            additional_columns,
        )
        self.units = self.layout.names
        self._times = self._find_times()
        # The digits that two rounded times leave to their difference.
        self._dt = None if self._times is None or self.n_frames < 2 else float(f"{self._times[1] - self._times[0]:.9g}")
        self._prepare()

        self.ts = self._Timestep(self.n_atoms, **self._ts_kwargs)
        self._reopen()
        self._read_next_timestep()

    def _open(self) -> gpz.Trajectory:
        return open_fixed(self.filename, **self._options)

    def opened(self) -> gpz.Trajectory:
        """The file. ValueError after close()."""
        if self._trajectory is None:
            raise ValueError(f"{self.filename} is closed")
        return self._trajectory

    @property
    def names_of_types(self) -> list[str]:
        """The label of type t, else its element, is [t - 1]; empty for a file without both."""
        return self.opened().type_labels or self.opened().elements

    @property
    def lammps_coordinate_convention(self) -> str:
        """That of the columns which positions come from."""
        return self.layout.convention

    def _find_times(self) -> np.ndarray | None:
        """(frames,) ps; None if the file has none, or if the caller has chosen dt."""
        if "dt" in self._ts_kwargs:
            return None
        times = _clients.times_of(self.opened())
        return None if np.isnan(times).any() else times * self.layout.units.time

    def _prepare(self) -> None:
        """Makes what is not pickled: arrays of ids."""
        self._ids_now: np.ndarray | None = None
        if self.layout.has_ids:
            ids = self.opened().read(0, ["id"])["id"]
            small = len(ids) == 0 or ids.max() <= np.iinfo(np.int32).max
            self._ids = ids.astype(np.int32 if small else np.int64)  # half the time of the comparison
            self._ids_now = self._ids.copy()

    @staticmethod
    def parse_n_atoms(filename: str, atoms: Any = None, **kwargs: Any) -> int:
        """The number of atoms of a file, without decoding a frame unless it is that of some of the atoms."""
        with open_fixed(filename, atoms=atoms, remote=kwargs.get("remote")) as trajectory:
            return trajectory[0].n_particles

    @staticmethod
    def _format_hint(thing: Any) -> bool:
        """MDAnalysis takes the query of a URL for a part of its extension."""
        return is_gpz_url(thing)

    # --- What the base classes of MDAnalysis ask for ---

    def _reopen(self) -> None:
        if self._trajectory is None:
            self._trajectory = self._open()
        self._frame = -1
        self.ts.frame = -1

    def close(self) -> None:
        """Closes the file. A further frame opens it again."""
        trajectory, self._trajectory = getattr(self, "_trajectory", None), None
        if trajectory is not None:
            trajectory.close()

    def _read_next_timestep(self, ts: Any = None) -> base.Timestep:
        if self._frame + 1 >= self.n_frames:
            raise EOFError
        return self._read_frame(self._frame + 1)

    def _read_frame(self, frame: int) -> base.Timestep:
        try:
            self._decode(frame)
        except (OSError, EOFError) as error:
            raise FrameError(f"frame {frame}: {error}") from error
        self._frame = frame
        return self.ts

    def __getstate__(self) -> dict[str, Any]:
        made = {"_trajectory", "_ids", "_ids_now"}
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state
        self._trajectory = self._open()
        self._prepare()

    def Writer(self, filename: str, n_atoms: int | None = None, **kwargs: Any):
        """A writer of .gpz files with the units of this file, or with append=True those of the file that is continued; see
        GPZWriter. Frames of this file keep their bounds."""
        kwargs.setdefault("convert_units", self.convert_units)
        if kwargs.get("append") is not True or Existing.find(filename) is None:
            kwargs.setdefault("lammps_units", self.lammps_units or "lj")
        return GPZWriter(filename, self.n_atoms if n_atoms is None else n_atoms, **kwargs)

    def first_frame(self) -> gpz.Frame:
        """The first frame of the file, not decoded."""
        return self.opened()[0]

    def tables(self) -> dict[str, gpz.Table]:
        """The tables that are valid for the first frame."""
        return self.opened().tables()

    def current_frame(self) -> gpz.Frame:
        """The frame of the current timestep, in LAMMPS units."""
        return self.opened()[self._frame]

    # --- Decoding ---

    def _decode(self, frame: int) -> None:
        """Fills the timestep. Values are decoded straight into its arrays."""
        ts, trajectory = self.ts, self.opened()
        head = trajectory[frame]
        vectors = self.layout.vectors(ts, head)
        try:
            values = self._fetch(trajectory, head, vectors, self._ids_now)
        except (gpz.ArgumentError, gpz.LimitError) as error:
            if head.n_particles == self.n_atoms:
                raise
            raise self._other_atoms(frame, f"{head.n_particles} atoms, where frame 0 has {self.n_atoms}") from error
        if self.layout.has_ids and not np.array_equal(values["id"], self._ids):
            raise self._other_atoms(frame, "the ids of the atoms differ")
        self.layout.fill(ts, head, values)
        if self._times is not None:
            ts.data["time"] = float(self._times[frame])
            if self._dt is not None:
                ts.data["dt"] = self._dt
        ts.frame = frame

    def _other_atoms(self, frame: int, difference: str) -> FrameError:
        return FrameError(
            f"{self.filename}: frame {frame} has other atoms than frame 0 ({difference}). MDAnalysis reads only "
            "trajectories in which the atoms stay the same. ASE (gpz.ase), OVITO (gpz.ovito) and gpz.open read this file."
        )

    def _fetch(
        self, trajectory: gpz.Trajectory, frame: gpz.Frame, vectors: list[Vector], ids: np.ndarray | None
    ) -> dict[str, np.ndarray]:
        """Decodes a frame into these arrays. Returns all columns."""
        into = {name: vector.array[:, k] for vector in vectors for k, name in enumerate(vector.columns)}
        if ids is not None:
            into["id"] = ids
        return trajectory.read(frame.index, self.layout.others(frame), out=into, dtype=np.float64)
