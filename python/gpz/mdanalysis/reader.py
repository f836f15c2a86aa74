# SPDX-License-Identifier: BSD-3-Clause
"""Frames of .gpz files as timesteps of MDAnalysis."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from MDAnalysis.coordinates import base
from MDAnalysis.lib.util import store_init_arguments

import gpz
from gpz._background import Background
from gpz.mdanalysis import geometry
from gpz.mdanalysis.units import BASE_NAMES, units_of

# By the names and in the order of MDAnalysis's reader of LAMMPS's text.
CONVENTIONS = {
    "unscaled": ("x", "y", "z"),
    "scaled": ("xs", "ys", "zs"),
    "unwrapped": ("xu", "yu", "zu"),
    "scaled_unwrapped": ("xsu", "ysu", "zsu"),
}
VELOCITIES, FORCES, IMAGES = ("vx", "vy", "vz"), ("fx", "fy", "fz"), ("ix", "iy", "iz")
# What is no additional column, because a timestep has a place of its own for it.
KNOWN_COLUMNS = {"id", *VELOCITIES, *FORCES}.union(*CONVENTIONS.values())


FEW_ATOMS = 10_000  # are decoded in less time than it takes to wait for a thread

Vector = tuple[np.ndarray, Sequence[str], float]  # (N, 3), the columns that come into it, a factor


class FrameError(RuntimeError):
    """A frame cannot be read. No OSError or EOFError: MDAnalysis takes those for the end of the trajectory."""


def cores() -> int:
    """Of this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def open_fixed(filename: str, **options: Any) -> gpz.Trajectory:
    """Opens a file whose frames all have one number of atoms, as MDAnalysis wants them. TypeError if it has not."""
    trajectory = gpz.open(filename, **options)
    counts = trajectory.counts
    if len(counts) == 0:
        raise TypeError(f"{filename}: there is no complete frame in the file")
    changed = np.flatnonzero(counts != counts[0])
    if len(changed):
        raise TypeError(
            f"{filename}: frame 0 has {counts[0]} atoms, frame {changed[0]} has {counts[changed[0]]}. MDAnalysis reads "
            "trajectories with a fixed number of atoms only. ASE (gpz.ase), OVITO (gpz.ovito) and gpz.open read this "
            "file. If it is of one rank of a LAMMPS run (dump ... %), `gpz merge` joins it with those of the others."
        )
    return trajectory


class GPZReader(base.ReaderBase):
    """Reads .gpz files: `Universe("traj.gpz")`, or `Universe(topology, "traj.gpz")`.

    Atoms are in the order of ids, the box begins at zero, and numbers are in units of MDAnalysis (A, ps, A/ps,
    kJ/(mol A)) if the file names LAMMPS units other than lj. All numbers are float32, as everywhere in MDAnalysis.

    filename: path of the file.
    lammps_coordinate_convention: which columns the positions come from: "unscaled" (x y z), "scaled" (xs ys zs),
        "unwrapped" (xu yu zu), "scaled_unwrapped" (xsu ysu zsu), or "auto": the first of these that the file has.
        Scaled coordinates are multiplied by the box.
    unwrap_images: add the edges of the box as often as the image flags ix iy iz say. Coordinates of the unwrapped
        conventions stay as they are.
    additional_columns: names of columns that become `ts.data[name]`, (n_atoms,) float64 or int64 in units of the file;
        True: all that have no other place in a timestep.
    convert_units: False leaves all numbers in units of the file.
    lammps_units: the LAMMPS name of the units, for a file that names none or the wrong ones.
    threads: for decoding; 1: none besides the caller's, 0: all cores.
    max_memory: bytes; a file that asks for more is refused. None: half of the memory of the machine.
    read_ahead: in loops, decode the next frame on a thread while this one is used. None: if there are two cores, and
        atoms enough that it pays.
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
        threads: int = 1,
        max_memory: int | None = None,
        read_ahead: bool | None = None,
        **kwargs: Any,
    ):
        super().__init__(filename, convert_units=convert_units, **kwargs)
        if lammps_coordinate_convention not in ("auto", *CONVENTIONS):
            raise ValueError(
                f"lammps_coordinate_convention={lammps_coordinate_convention!r} is none of auto, "
                + ", ".join(CONVENTIONS)
            )
        if isinstance(additional_columns, str) or not (
            additional_columns is None or additional_columns is True or isinstance(additional_columns, Iterable)
        ):
            raise ValueError(f"additional_columns={additional_columns!r} is neither True nor a list of names")
        self.lammps_coordinate_convention = lammps_coordinate_convention
        self._unwrap = unwrap_images
        self._options = {"threads": threads, "max_memory": max_memory}
        self._trajectory = self._open()
        self.n_frames = len(self._trajectory)
        self.n_atoms = int(self._trajectory.counts[0])
        if self._trajectory.torn:
            warnings.warn(
                f"{self.filename} ends with an incomplete frame, as its writer was stopped or still runs: "
                f"{self.n_frames} complete frames are read"
            )

        self.lammps_units = lammps_units or self._trajectory.units or None
        self._units = units_of(self.lammps_units if convert_units else None)
        known = convert_units and self.lammps_units not in (None, "lj")
        # Writers of MDAnalysis that write in the units of a trajectory know these, and not all of LAMMPS's.
        self.units = dict(BASE_NAMES) if known else dict(units_of(self.lammps_units).names)
        self._times = self._find_times()
        # The digits that two rounded times leave to their difference.
        self._dt = None if self._times is None or self.n_frames < 2 else float(f"{self._times[1] - self._times[0]:.9g}")
        self._find_columns(additional_columns)
        self._reads_ahead = cores() > 1 and self.n_atoms >= FEW_ATOMS if read_ahead is None else read_ahead
        self._prepare()

        self.ts = self._Timestep(self.n_atoms, **self._ts_kwargs)
        self._reopen()
        self._read_next_timestep()

    def _open(self) -> gpz.Trajectory:
        return open_fixed(self.filename, **self._options)

    def _find_times(self) -> np.ndarray | None:
        """(frames,) ps; None if the file has none, or if the caller has chosen dt."""
        if "dt" in self._ts_kwargs:
            return None
        times = self._trajectory.times
        if np.isnan(times).any():
            size = self._trajectory.metadata["timestep_size"]
            if not size:
                return None
            times = self._trajectory.timesteps * size
        return times * self._units.time

    def _find_columns(self, additional: Iterable[str] | bool | None) -> None:
        """Which columns every frame is read from. They are those of the first one."""
        names = self._trajectory.columns
        found = [key for key, columns in CONVENTIONS.items() if columns[0] in names and columns[1] in names]
        if self.lammps_coordinate_convention == "auto":
            if not found:
                raise TypeError(f"{self.filename}: no coordinates among the columns {' '.join(names)}")
            self.lammps_coordinate_convention = found[0]
        elif self.lammps_coordinate_convention not in found:
            raise TypeError(
                f"{self.filename}: no {self.lammps_coordinate_convention} coordinates among the columns "
                + " ".join(names)
            )
        # A two-dimensional file may have no third coordinate. It is zero then.
        self._position_columns = [name for name in CONVENTIONS[self.lammps_coordinate_convention] if name in names]
        self._has_velocities = all(name in names for name in VELOCITIES)
        self._has_forces = all(name in names for name in FORCES)
        self._has_ids = "id" in names
        if not self._has_ids:
            warnings.warn(
                f"{self.filename} has no ids: atoms are in another order in each frame. What depends on which atom is "
                "where (displacements, RMSD, selections) is wrong"
            )
        self._unwrap = self._unwrap and "unwrapped" not in self.lammps_coordinate_convention
        if self._unwrap and not all(name in names for name in IMAGES):
            raise TypeError(f"{self.filename}: unwrap_images needs image flags, and ix iy iz are not among its columns")
        if additional is True:
            self._additional_columns = [name for name in names if name not in KNOWN_COLUMNS]
        else:
            wanted = list(additional or ())
            self._additional_columns = [name for name in wanted if name in names]
            missing = [name for name in wanted if name not in names]
            if missing:
                warnings.warn(f"{self.filename}: additional columns that the file does not have: {', '.join(missing)}")

    def _prepare(self) -> None:
        """Makes what is not pickled: the thread, and arrays."""
        self._background = Background()
        self._spare: list[Vector] = []
        self._ids_now = self._spare_ids = None
        if self._has_ids:
            ids = self._trajectory.read(0, ["id"])["id"]
            small = len(ids) == 0 or ids.max() <= np.iinfo(np.int32).max
            self._ids = ids.astype(np.int32 if small else np.int64)  # half the time of the comparison
            self._ids_now, self._spare_ids = self._ids.copy(), self._ids.copy()

    @staticmethod
    def parse_n_atoms(filename: str, **_kwargs: Any) -> int:
        """The number of atoms of a file, without decoding a frame."""
        with open_fixed(filename) as trajectory:
            return int(trajectory.counts[0])

    # --- What the base classes of MDAnalysis ask for ---

    def _reopen(self) -> None:
        if self._trajectory is None:
            self._trajectory = self._open()
        self._frame = -1
        self._stride: int | None = None
        self.ts.frame = -1

    def close(self) -> None:
        if hasattr(self, "_background"):
            self._background.take()
            self._background.stop()
        trajectory, self._trajectory = getattr(self, "_trajectory", None), None
        if trajectory is not None:
            trajectory.close()

    def _read_next_timestep(self, ts: Any = None) -> base.Timestep:
        if self._frame + 1 >= self.n_frames:
            raise EOFError
        return self._read_frame(self._frame + 1)

    def _read_frame(self, frame: int) -> base.Timestep:
        if self._trajectory is None:
            raise ValueError(f"{self.filename} is closed")
        try:
            self._decode(frame)
        except (OSError, EOFError) as error:
            raise FrameError(f"frame {frame}: {error}") from error
        stride, before = frame - self._frame, self._stride
        self._frame, self._stride = frame, stride
        if self._reads_ahead and stride == before and 0 < stride < self.n_frames - frame:
            self._begin(frame + stride)
        return self.ts

    def __getstate__(self) -> dict[str, Any]:
        made = {"_trajectory", "_background", "_spare", "_ids", "_ids_now", "_spare_ids"}
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state
        self._trajectory = self._open()
        self._prepare()

    def bounds(self) -> dict[str, float | None]:
        """The largest errors of the first frame: bound, velocity_bound and force_bound as GPZWriter takes them."""
        frame = self._trajectory[0]
        positions = (frame.bounds[self._position_columns[0]] or 0.0) * self._units.length
        if self.lammps_coordinate_convention.startswith("scaled") and frame.box is not None:
            positions *= np.abs(frame.box.matrix).sum(axis=0).max()
        velocities, forces = frame.bounds.get(VELOCITIES[0]), frame.bounds.get(FORCES[0])
        return {
            "bound": positions,
            "velocity_bound": velocities and velocities * self._units.velocity,
            "force_bound": forces and forces * self._units.force,
        }

    def Writer(self, filename: str, n_atoms: int | None = None, **kwargs: Any):  # noqa: N802
        """A writer of .gpz files with the units, bounds and element names of this file; see GPZWriter."""
        from gpz.mdanalysis.writer import GPZWriter

        return GPZWriter.like(self, filename, n_atoms, **kwargs)

    # --- Decoding ---

    def _decode(self, frame: int) -> None:
        """Fills the timestep. Values are decoded straight into its arrays, or copied there from those read ahead."""
        ts = self.ts
        head = self._trajectory[frame]
        ts.has_positions, ts.has_velocities, ts.has_forces = True, self._has_velocities, self._has_forces
        vectors = self._vectors(ts)
        ahead = self._background.take()
        if ahead is not None and self._next == frame:
            values = ahead.result()
            for (array, _, _), (spare, _, _) in zip(vectors, self._spare):
                array[...] = spare
        else:
            values = self._fetch(frame, vectors, self._ids_now)
        self._check_ids(frame, values)

        if len(self._position_columns) == 2:
            ts.positions[:, 2] = 0
        if head.box is not None:
            self._place(ts.positions, head.box, values)
            for array, _, _ in vectors:
                geometry.turn(array, head.box)
        for array, _, factor in vectors:
            if factor != 1:
                array *= np.float32(factor)
        ts.dimensions = None
        if head.box is not None:
            ts.dimensions = geometry.dimensions(head.box) * [*(3 * [self._units.length]), 1, 1, 1]

        for name in self._additional_columns:
            ts.data[name] = values[name]
        ts.data["step"] = head.timestep
        if self._times is not None:
            ts.data["time"] = float(self._times[frame])
            if self._dt is not None:
                ts.data["dt"] = self._dt
        ts.frame = frame

    def _vectors(self, ts: base.Timestep) -> list[Vector]:
        """The arrays of a timestep that are read, their columns, and the unit of these in that of MDAnalysis."""
        vectors = [(ts.positions, self._position_columns, self._units.length)]
        if self._has_velocities:
            vectors.append((ts.velocities, VELOCITIES, self._units.velocity))
        if self._has_forces:
            vectors.append((ts.forces, FORCES, self._units.force))
        return vectors

    def _fetch(self, frame: int, vectors: list[Vector], ids: np.ndarray | None) -> dict[str, np.ndarray]:
        """Decodes a frame into these arrays. Returns all columns."""
        into = {name: array[:, k] for array, names, _ in vectors for k, name in enumerate(names)}
        if ids is not None:
            into["id"] = ids
        others = [*self._additional_columns, *(IMAGES if self._unwrap else ())]
        return self._trajectory.read(frame, others, out=into, dtype=np.float64)

    def _begin(self, frame: int) -> None:
        """Starts to decode a frame on the thread."""
        if not self._spare:
            self._spare = self._vectors(self.ts.copy())
        self._next = frame
        self._background.begin(self._fetch, frame, self._spare, self._spare_ids)

    def _place(self, positions: np.ndarray, box: gpz.Box, values: dict[str, np.ndarray]) -> None:
        """Makes coordinates of the file distances from the origin of the box, in place."""
        if self.lammps_coordinate_convention.startswith("scaled"):
            positions[...] = geometry.along_edges(positions, box)
        else:
            geometry.to_origin(positions, box)
        if self._unwrap:
            positions += geometry.along_edges(np.column_stack([values[name] for name in IMAGES]), box)

    def _check_ids(self, frame: int, values: dict[str, np.ndarray]) -> None:
        """MDAnalysis gives the attributes of its topology to the atoms of every frame."""
        if self._has_ids and not np.array_equal(values["id"], self._ids):
            raise FrameError(
                f"{self.filename}: frame {frame} has other atoms than frame 0 (their ids differ). MDAnalysis reads "
                "trajectories of the same atoms only. ASE (gpz.ase), OVITO (gpz.ovito) and gpz.open read this file."
            )
