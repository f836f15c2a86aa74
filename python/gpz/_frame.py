# SPDX-License-Identifier: BSD-3-Clause
"""A frame, decoded when its values are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gpz import _core, _positions
from gpz._arguments import shown
from gpz._box import Box
from gpz._decode import POSITIONS, Group
from gpz._errors import ColumnError
from gpz._head import Column, Head
from gpz._tables import LazyObservables, Observables, ReadObservables

VECTORS = {"velocities": ("vx", "vy", "vz"), "forces": ("fx", "fy", "fz"), "images": ("ix", "iy", "iz")}
SCALARS = {"ids": "id", "types": "type"}

Read = Callable[[tuple[Group, ...]], list[np.ndarray]]


class Frame:
    """All particles at one timestep.

    Arrays have one row for each particle, in the order of ids unless the file was opened with order="stored". They are
    decoded when they are first asked for, and belong to the frame from then on: they may be changed.

    Whoever needs several quantities of one frame asks for them in one go: frame.load("positions", "velocities"). In a loop
    over a trajectory that is not necessary: what was asked of a frame is decoded together in the frames after it.
    """

    def __init__(
        self,
        index: int,
        head: Head,
        read: Read,
        asked: set[Group] | None = None,
        metadata: Mapping[str, Any] | None = None,
        observables: ReadObservables | None = None,
        count: Callable[[], int] | None = None,
    ):
        self._index = index
        self._metadata = metadata or {}  # of the file: what its numbers mean
        self._head = head
        self._read = read
        self._count = count  # of particles; None: what the head says
        self._observables = LazyObservables(observables or list)
        self._values: dict[Group, np.ndarray] = {}
        # Groups that were asked of the frames before this one, in the same loop.
        self._asked: set[Group] = set() if asked is None else asked

    @property
    def index(self) -> int:
        """The number of the frame in the file, from 0."""
        return self._index

    @property
    def timestep(self) -> int:
        return self._head.timestep

    @property
    def time(self) -> float | None:
        """The time of the frame in time units of the file; None if the file does not say it."""
        return self._head.time

    @property
    def n_particles(self) -> int:
        """The number of particles. With gpz.open(..., atoms=...), the number of chosen atoms, for which the frame is decoded."""
        return self._head.n_particles if self._count is None else self._count()

    @property
    def is_key(self) -> bool:
        """Whether the frame can be decoded without the ones before it."""
        return self._head.since_key == 0

    @property
    def box(self) -> Box | None:
        """None if the frame has none."""
        return self._head.box

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of this frame."""
        return tuple(self._head.columns)

    @property
    def column_info(self) -> dict[str, Column]:
        """Type, error bound and largest error of each column."""
        return dict(self._head.columns)

    @property
    def bounds(self) -> dict[str, float | None]:
        """The absolute error bound of each column, in its units; None: the values are exact."""
        return {column.name: column.bound for column in self._head.columns.values()}

    @property
    def position_columns(self) -> tuple[str, ...] | None:
        """The columns that `positions` come from: x y z, else xu yu zu, else xs ys zs, else xsu ysu zsu. Without a whole set,
        what the first pair lacks comes from another one: x y zs. Two names where a 2-D frame has no third column; None if there
        are none."""
        return self._head.position_columns

    @property
    def position_bound(self) -> float | None:
        """The absolute error bound of every coordinate in `positions`, in distance units; None: the positions are exact, or
        the frame has none."""
        return self._head.position_bound

    @property
    def observables(self) -> Observables:
        """Numbers of the whole frame, by their names, such as LAMMPS's Temp and PotEng: a dict; `observables.units` has the
        units of those that have one. If it has the entry Atoms, they are those of a system with so many atoms, and the frame
        may have some of them. A unit that ends in /atom: the value was divided by that number. Empty if the file has none. gpz.CorruptError if they are damaged; the values of the
        particles can be read nevertheless."""
        return self._observables.get()

    @property
    def positions(self) -> np.ndarray:
        """(N, 3), distance units. Fractions of the box (xs ys zs) become coordinates. Without a third column z is 0.
        gpz.ColumnError if the frame has no positions."""
        return self._get(POSITIONS)

    @property
    def velocities(self) -> np.ndarray | None:
        """(N, 3) from vx vy vz, velocity units; None if the frame does not have all three."""
        return self._vector("velocities")

    @property
    def forces(self) -> np.ndarray | None:
        """(N, 3) from fx fy fz, force units; None if the frame does not have all three."""
        return self._vector("forces")

    @property
    def images(self) -> np.ndarray | None:
        """(N, 3) int64 from ix iy iz, the image flags; None if the frame does not have all three."""
        return self._vector("images")

    @property
    def ids(self) -> np.ndarray | None:
        """(N,) int64; None if the frame has none."""
        return self._get("id") if "id" in self else None

    @property
    def types(self) -> np.ndarray | None:
        """(N,) int64, from 1; None if the frame has none."""
        return self._get("type") if "type" in self else None

    def __getitem__(self, name: str) -> np.ndarray:
        """(N,): a column by its name; int64 for integers. gpz.ColumnError (a KeyError) if there is none."""
        self._require(name)
        for group, names in self._vector_groups().items():
            if name in names and group in self._values:
                return self._values[group][:, names.index(name)]
        return self._get(name)

    def __contains__(self, name: object) -> bool:
        """Whether the frame has a column of this name."""
        return name in self._head.columns

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(self._head.columns)

    def load(self, *names: str) -> Frame:
        """Decodes in one go: columns by their names, or "positions", "velocities", "forces", "images", "ids", "types".
        Without names: all columns, and the observables. Returns the frame."""
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f'names: texts, load("x", "y"), not {shown(name)}')
        groups = tuple(self._group(name) for name in names) if names else self._all_groups()
        self._asked.update(groups)
        self._load(groups)
        if not names:
            self._observables.load()
        return self

    def handed_out(self) -> set[str]:
        """The columns that somebody may have changed, because they were asked for."""
        names: set[str] = set()
        for group in self._values:
            names.update((self.position_columns or ()) if group == POSITIONS else (group,) if isinstance(group, str) else group)
        return names

    def _vector_groups(self) -> dict[Group, tuple[str, ...]]:
        """The groups that this frame has of columns with a name in common, of which columns are views."""
        groups: dict[Group, tuple[str, ...]] = {
            names: names for names in VECTORS.values() if all(name in self for name in names)
        }
        names = self.position_columns
        if names is not None and not _positions.is_scaled(names):
            groups[POSITIONS] = names
        return groups

    def _all_groups(self) -> tuple[Group, ...]:
        groups = self._vector_groups()
        rest = [name for name in self if not any(name in names for names in groups.values())]
        positions = [POSITIONS] if self.position_columns is not None and POSITIONS not in groups else []
        return (*positions, *groups, *rest)

    def _group(self, name: str) -> Group:
        if name == POSITIONS:
            return name
        for column in VECTORS.get(name, ()):
            self._require(column)
        if name in VECTORS:
            return VECTORS[name]
        name = SCALARS.get(name, name)
        self._require(name)
        return name

    def _require(self, name: str) -> None:
        if name not in self:
            raise ColumnError(f"no column {name}: there are {' '.join(self)}")

    def _vector(self, name: str) -> np.ndarray | None:
        columns = VECTORS[name]
        return self._get(columns) if all(column in self for column in columns) else None

    def _has(self, group: Group) -> bool:
        if group == POSITIONS:
            return self.position_columns is not None
        return all(name in self for name in ((group,) if isinstance(group, str) else group))

    def _get(self, group: Group) -> np.ndarray:
        if group not in self._values:
            self._asked.add(group)
            self._load((group, *self._wanted()))
        return self._values[group]

    def _wanted(self) -> tuple[Group, ...]:
        """The arrays that were asked of earlier frames, as far as this one has them."""
        return tuple(group for group in tuple(self._asked) if self._has(group))

    def _load(self, groups: tuple[Group, ...]) -> None:
        missing = tuple(group for group in dict.fromkeys(groups) if group not in self._values)
        if missing:
            self._values.update(zip(missing, self._read(missing)))

    def __getstate__(self) -> dict[str, Any]:
        self._load(self._all_groups())
        return {
            "index": self._index,
            "head": self._head._replace(n_particles=self.n_particles),
            "values": self._values,
            "metadata": self._metadata,
            "observables": self._observables,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["index"], state["head"], _nothing_more, metadata=state["metadata"])  # type: ignore[misc]
        self._values = state["values"]
        self._observables = state["observables"]

    def __repr__(self) -> str:
        names = _core.printable(" ".join(self))
        particles = f"{self._head.n_particles} particles" if self._count is None else "some of the particles"
        return f"<gpz.Frame {self.index}: timestep {self.timestep}, {particles}: {names}>"


def _nothing_more(groups: tuple[Group, ...]) -> list[np.ndarray]:
    raise ColumnError(f"not among what was pickled with the frame: {groups}")
