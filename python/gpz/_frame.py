# SPDX-License-Identifier: BSD-3-Clause
"""A frame, decoded when its values are asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from gpz import _box, _positions
from gpz._box import Box
from gpz._errors import ColumnError

INTEGER, FLOAT32, FLOAT64 = 1, 2, 3  # gpz::ValueType
DISPLAYS = {0: "number", 2: "element", 4: "type_label"}  # gpz::Display

VELOCITIES, FORCES, IMAGES = ("vx", "vy", "vz"), ("fx", "fy", "fz"), ("ix", "iy", "iz")


class Column(NamedTuple):
    """One number of every particle: what the head of a frame says about it."""

    name: str
    field: int  # columns with one number are components of one quantity
    dtype: np.dtype  # as it is stored: int64, float32 or float64
    display: str  # how a text dump shows an integer: "number", "element", "type_label"
    bound: float | None  # absolute, in units of the column; None if the values are exact
    largest_error: float  # no absolute error in this frame is larger


class Head(NamedTuple):
    """A frame before it is decoded."""

    n_particles: int
    timestep: int
    time: float | None  # time units of the file; None if unknown
    since_key: int  # frames since the last key frame
    box: Box | None
    columns: dict[str, Column]


_DTYPES = {INTEGER: np.dtype(np.int64), FLOAT32: np.dtype(np.float32), FLOAT64: np.dtype(np.float64)}


def head_from_library(particles, timestep, time, since_key, box, columns) -> Head:
    """The head that gpz._core has as a tuple."""
    described = (
        Column(name, field, _DTYPES[kind], DISPLAYS.get(display, "number"), bound or None, largest_error)
        for name, field, kind, display, _leading, bound, _step, largest_error in columns
    )
    return Head(
        particles,
        timestep,
        None if math.isnan(time) else time,
        since_key,
        _box.from_library(*box),
        {column.name: column for column in described},
    )


# Reads columns of a frame: (groups of names) -> one array for each group, (N,) for a name, (N, k) for k names.
Read = Callable[[tuple], list]


class Frame:
    """All particles at one timestep.

    Arrays have one row for each particle, in the order of ids unless the file was opened with order="stored". They are
    decoded when they are first asked for, and then belong to the frame: they may be changed.
    """

    def __init__(self, index: int, head: Head, read: Callable, asked: set | None = None):
        self._index = index
        self._head = head
        self._read = read
        self._values: dict = {}  # by group of columns
        self._asked = set() if asked is None else asked  # groups that users of the frames before asked for

    @property
    def index(self) -> int:
        """The frame's number in the file, from 0."""
        return self._index

    @property
    def timestep(self) -> int:
        return self._head.timestep

    @property
    def time(self) -> float | None:
        """In time units of the file; None if the file does not say."""
        return self._head.time

    @property
    def n_particles(self) -> int:
        return self._head.n_particles

    @property
    def is_key(self) -> bool:
        """Whether the frame can be decoded without the ones before it."""
        return self._head.since_key == 0

    @property
    def box(self) -> Box | None:
        return self._head.box

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that the frame has."""
        return tuple(self._head.columns)

    @property
    def column_info(self) -> dict[str, Column]:
        """What the head of the frame says about each column: type, bound, largest error."""
        return dict(self._head.columns)

    @property
    def bounds(self) -> dict[str, float | None]:
        """The absolute error bound of each column, in its units; None: the values are exact."""
        return {column.name: column.bound for column in self._head.columns.values()}

    @property
    def position_columns(self) -> tuple[str, ...] | None:
        """The columns that `positions` come from: x y z, else xu yu zu, else xs ys zs, else xsu ysu zsu; two names where
        a 2-D frame has no z; None if there are none."""
        return _positions.find(self._head.columns)

    @property
    def positions(self) -> np.ndarray:
        """(N, 3), distance units. Scaled columns are multiplied by the box; a 2-D frame without z has z = 0."""
        return self._get("positions")

    @property
    def velocities(self) -> np.ndarray | None:
        """(N, 3) from vx vy vz, velocity units; None if the frame does not have all three."""
        return self._vector(VELOCITIES)

    @property
    def forces(self) -> np.ndarray | None:
        """(N, 3) from fx fy fz, force units; None if the frame does not have all three."""
        return self._vector(FORCES)

    @property
    def images(self) -> np.ndarray | None:
        """(N, 3) int64 from ix iy iz, the image flags; None if the frame does not have all three."""
        return self._vector(IMAGES)

    @property
    def ids(self) -> np.ndarray | None:
        """(N,) int64; None if the frame has none."""
        return self._get("id") if "id" in self._head.columns else None

    @property
    def types(self) -> np.ndarray | None:
        """(N,) int64, from 1; None if the frame has none."""
        return self._get("type") if "type" in self._head.columns else None

    def __getitem__(self, name: str) -> np.ndarray:
        """(N,): a column by its name; int64 for integers."""
        if not isinstance(name, str):
            raise TypeError(f"columns have names, not {type(name).__name__}: frame[\"vx\"]")
        self._require(name)
        for columns in (self.position_columns, VELOCITIES, FORCES, IMAGES):
            if columns is None or name not in columns:
                continue
            group = "positions" if columns is self.position_columns else columns
            if group in self._values and not (group == "positions" and _positions.is_scaled(columns)):
                return self._values[group][:, columns.index(name)]
        return self._get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._head.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._head.columns)

    def __len__(self) -> int:
        """The number of particles."""
        return self._head.n_particles

    def load(self, *names: str) -> Frame:
        """Decodes columns in one go: names of columns, "positions", "velocities", "forces", "images", "ids", "types".
        Without names: all columns. Returns the frame."""
        self._load(tuple(self._group(name) for name in names or self._head.columns))
        return self

    def _group(self, name: str):
        vectors = {"velocities": VELOCITIES, "forces": FORCES, "images": IMAGES}
        if name == "positions":
            return name
        if name in vectors:
            for column in vectors[name]:
                self._require(column)
            return vectors[name]
        name = {"ids": "id", "types": "type"}.get(name, name)
        self._require(name)
        return name

    def _require(self, name: str) -> None:
        if name not in self._head.columns:
            raise ColumnError(f"no column {name}: there are {' '.join(self._head.columns)}")

    def _vector(self, columns: tuple[str, ...]) -> np.ndarray | None:
        return self._get(columns) if all(name in self._head.columns for name in columns) else None

    def _has(self, group) -> bool:
        if group == "positions":
            return self.position_columns is not None
        return all(name in self._head.columns for name in ((group,) if isinstance(group, str) else group))

    def _get(self, group) -> np.ndarray:
        if group not in self._values:
            self._asked.add(group)
            self._load((group, *(other for other in self._asked if other != group and self._has(other))))
        return self._values[group]

    def _load(self, groups: tuple) -> None:
        missing = tuple(group for group in dict.fromkeys(groups) if group not in self._values)
        if missing:
            self._values.update(zip(missing, self._read(self._index, self._head, missing)))

    def __getstate__(self) -> dict:
        self.load()
        return {"index": self._index, "head": self._head, "values": self._values}

    def __setstate__(self, state: dict) -> None:
        self.__init__(state["index"], state["head"], _no_file)
        self._values = state["values"]

    def __repr__(self) -> str:
        return f"<gpz.Frame {self.index}: timestep {self.timestep}, {self.n_particles} particles, {' '.join(self.columns)}>"


def _no_file(index: int, head: Head, groups: tuple) -> list:
    raise ColumnError("a frame that was pickled has the columns that were in it")
