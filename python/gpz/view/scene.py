# SPDX-License-Identifier: BSD-3-Clause
"""The frames of a trajectory as messages to the page."""

from __future__ import annotations

import hashlib
import math
import os
import threading
import warnings
from typing import Any, NamedTuple

import numpy as np

import gpz
from gpz import _core
from gpz._unit_names import names_of
from gpz.view.messages import compact, pack
from gpz.view.species import species_of

LIMIT = 1_000_000  # atoms of a frame that a browser gets
MOST_BONDS = 1_000_000  # of a frame, for browsers
# Observables of LAMMPS that tell how far a run is: the first curve is another one.
PROGRESS = frozenset(("Step", "Elapsed", "Elaplong", "Dt", "Time", "CPU", "T/CPU", "S/CPU", "CPULeft", "Part", "TimeoutLeft"))
Region = tuple[tuple[float, float], ...]  # low and high of each axis, as fractions of the box


class FileState(NamedTuple):
    """A value that changes when the file is written: the frames are then looked for again."""

    inode: int
    bytes: int
    modified_ns: int


class Scene:
    """A trajectory for the page. Its methods may be called from any thread.

    trajectory: not shared with others while it is shown.
    frames: which of them, as a slice.
    limit: the most particles that are sent of a frame; of more, a sample.
    """

    def __init__(self, trajectory: gpz.Trajectory, frames: slice | None = None, limit: int = LIMIT):
        self._whole = trajectory
        self._frames = frames
        self.limit = limit
        self._lock = threading.Lock()
        self._state = self._state_of_file()

    @property
    def name(self) -> str:
        """The name of the file without its folder, as printable text."""
        return _core.printable(os.path.basename(self._whole.path or "in memory"))

    @property
    def trajectory(self) -> gpz.Trajectory:
        """The frames that are shown."""
        return self._whole if self._frames is None else self._whole[self._frames]

    def index(self) -> bytes:
        """The message about all frames. Finds the frames that the file has got since the last call."""
        with self._lock:
            self._refresh()
            return self._index()

    def frame(
        self, index: int, column: str | None = None, region: Region | None = None, known: str | None = None
    ) -> bytes:
        """The message of a frame.

        column: whose values are sent too, float32.
        region: of a sampled frame, where particles are wanted; None: everywhere.
        known: `identity` of an earlier message. Ids and types are left out if they are the same in this frame.

        Raises gpz.Error for a frame that cannot be decoded, IndexError for one that there is not.
        """
        with self._lock:
            return self._frame(index, column, region, known)

    def bonds(self, index: int) -> bytes:
        """The message of the bonds that are valid for a frame: ids of their particles."""
        with self._lock:
            table = self.trajectory.tables(index, ["bonds"]).get("bonds", {})
        first, second = table.get("atom1"), table.get("atom2")
        if first is None or second is None or "O" in (first.dtype.kind, second.dtype.kind):
            first = second = np.zeros(0, np.int64)
        head = {"n_bonds": len(first)}
        if len(first) > MOST_BONDS:
            first, second = first[:0], second[:0]
        return pack(head, {"atom1": compact(first), "atom2": compact(second)})

    def _state_of_file(self) -> FileState | None:
        try:
            status = os.stat(self._whole.path or "")
        except OSError:
            return None
        return FileState(status.st_ino, status.st_size, status.st_mtime_ns)

    def _refresh(self) -> None:
        state = self._state_of_file()
        if state is not None and state != self._state:
            self._whole.refresh()
            self._state = state

    def _index(self) -> bytes:
        shown = self.trajectory
        notes = []
        if shown.damaged:
            notes.append("unreadable bytes between frames were skipped")
        units = names_of(shown.units)
        counts = shown.counts
        head: dict[str, Any] = {
            "name": self.name,
            "version": gpz.__version__,
            "units": {"distance": units.distance, "time": units.time},
            "n_frames": len(shown),
            "torn": shown.torn,
            "size": self._state.bytes if self._state else int(shown.sizes.sum()),
            "most_particles": int(counts.max(initial=0)),
            "limit": self.limit,
            "species": species_of(shown),
            "table_frames": [int(frame) for frame in shown.table_frames],
        }
        arrays = {
            "timesteps": shown.timesteps.astype(np.float64),
            "times": shown.times,
            "sizes": shown.sizes.astype(np.float64),
            "counts": counts.astype(np.float64),
        }
        try:
            head["has_bonds"] = any(
                shown.tables(frame, ["bonds"]).get("bonds", gpz.Table()).n_rows for frame in {*head["table_frames"][:1], *head["table_frames"][-1:]}
            )
        except gpz.Error as error:
            head["has_bonds"] = False
            notes.append(f"tables: {error.cause}")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = shown.observables()
        notes += [str(warning.message) for warning in caught]
        head["observables"] = []
        for name in sorted(table, key=PROGRESS.__contains__):
            if name not in ("timestep", "time"):
                arrays[f"observable {len(head['observables'])}"] = table[name]
                head["observables"].append({"name": name, "unit": table.units.get(name, "")})
        head["notes"] = [_core.printable(note) for note in notes]
        return pack(head, arrays)

    def _frame(self, index: int, column: str | None, region: Region | None, known: str | None) -> bytes:
        if index < 0:
            raise IndexError(f"no frame {index}")
        frame = self.trajectory[index]
        if column is not None and column not in frame:
            column = None
        frame.load("positions", *(name for name in ("id", "type", column) if name is not None and name in frame))
        positions = np.asarray(frame.positions, np.float64)
        place = place_of(frame.box, positions)
        shown, is_sample = chosen(positions, frame.ids, place, region, self.limit)
        arrays = {"positions": (positions[shown] - place.origin).astype(np.float32)}
        identity = {}
        for name, values in (("ids", frame.ids), ("types", frame.types)):
            if values is not None:
                identity[name] = compact(values[shown])
        if column is not None:
            with np.errstate(over="ignore"):
                arrays["values"] = frame[column][shown].astype(np.float32)
        digest = digest_of(identity, len(arrays["positions"]))
        if digest != known:
            arrays.update(identity)
        box = frame.box
        head = {
            "index": index,
            "index_in_file": frame.index,
            "timestep": frame.timestep,
            "time": finite(frame.time),
            "n_particles": frame.n_particles,
            "n_shown": len(arrays["positions"]),
            "is_sample": is_sample,
            "size": int(self.trajectory.sizes[index]),
            "is_key": frame.is_key,
            "origin": place.origin.tolist(),
            "matrix": None if box is None else place.matrix.tolist(),
            "periodic": [False] * 3 if box is None else list(box.periodic),
            "dimension": 2 if box is not None and box.dimension == 2 else 3,
            "columns": [_core.printable(name) for name in frame.columns if name not in frame.position_columns],
            "column": column,
            "bound": frame.position_bound,
            "identity": digest,
            "has_ids": "ids" in identity,
        }
        return pack(head, arrays)


class Place(NamedTuple):
    """Where positions count from (3,), and edge vectors (3, 3, rows) that hold a frame; float64, distance units."""

    origin: np.ndarray
    matrix: np.ndarray


def place_of(box: gpz.Box | None, positions: np.ndarray) -> Place:
    """The box of a frame; without one the smallest that holds the particles."""
    if box is not None and np.isfinite(box.matrix).all() and np.isfinite(box.origin).all():
        return Place(np.asarray(box.origin, np.float64), np.asarray(box.matrix, np.float64))
    finite_ones = positions[np.isfinite(positions).all(axis=1)]
    if not len(finite_ones):
        return Place(np.zeros(3), np.eye(3))
    low, high = finite_ones.min(axis=0), finite_ones.max(axis=0)
    return Place(low, np.diag(np.maximum(high - low, 1e-300)))


def chosen(
    positions: np.ndarray, ids: np.ndarray | None, place: Place, region: Region | None, limit: int
) -> tuple[np.ndarray | slice, bool]:
    """Which rows are sent: all, or of more than `limit` those of the region, or of too many of these a sample; and whether it
    is a sample.

    The sample is even, also over lattices, and has the same particles in every frame that has ids.
    """
    if len(positions) <= limit:
        return slice(None), False
    rows = np.arange(len(positions))
    if region is not None:
        fractions = (positions - place.origin) @ _inverse(place.matrix)
        inside = np.ones(len(positions), bool)
        for axis, (low, high) in enumerate(region):
            # The outermost parts have everything beyond the box as well.
            inside &= (fractions[:, axis] >= low) | (low <= 0)
            inside &= (fractions[:, axis] <= high) | (high >= 1)
        rows = rows[inside]
    if len(rows) <= limit:
        return rows, False
    # Multiples of the golden ratio spread evenly over the circle, so that a part of it is an even sample.
    keys = (rows if ids is None else ids[rows]).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return rows[keys < np.uint64(limit / len(rows) * 2**64 * 0.99)][:limit], True


def _inverse(matrix: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.zeros((3, 3))


def digest_of(identity: dict[str, np.ndarray], n: int) -> str:
    """The same for frames whose ids and types are the same."""
    found = hashlib.blake2b(str(n).encode(), digest_size=12)
    for name, values in identity.items():
        found.update(f"{name} {values.dtype.name}".encode())
        found.update(values.tobytes())
    return found.hexdigest()


def finite(value: float | None) -> float | None:
    """None for what JSON does not have."""
    return value if value is not None and math.isfinite(value) else None
