# SPDX-License-Identifier: BSD-3-Clause
"""Properties of the particles of one frame from the tables of a file, for readers of other packages."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gpz import _core
from gpz._errors import CorruptError, LimitError
from gpz._tables import Table
from gpz._trajectory import Trajectory
from gpz.remote.names import shown_path

LINKS = {"bonds": 2, "angles": 3, "dihedrals": 4, "impropers": 4}  # by table: particles of an entry
NUMBERS, TEXTS = "if", "O"  # kinds of columns
UNKNOWN = {"i": 0, "f": np.nan, "O": ""}  # of particles that a table does not name, by the kind of the column


class Links(NamedTuple):
    """Bonds or the like. indices: (M, 2 to 4) int64, rows of particles; types: (M,) integers or texts, or None."""

    indices: np.ndarray
    types: np.ndarray | None

    def type_names(self) -> list[str] | None:
        """Types as texts."""
        return None if self.types is None else [str(value) for value in self.types.tolist()]


class Particles:
    """Particles of a frame: `ids` (N,), None without; `types` (N,) integers, None without.

    tables: those that are valid for the frame.
    """

    def __init__(self, tables: Mapping[str, Table], ids: np.ndarray | None, types: np.ndarray | None):
        self._tables = tables
        self._ids = ids
        self._types = types
        self._order = None if ids is None else np.argsort(ids, kind="stable")

    @property
    def count(self) -> int:
        """N; 0 without ids."""
        return 0 if self._ids is None else len(self._ids)

    def are(self, ids: np.ndarray | None, types: np.ndarray | None) -> bool:
        """Whether they have these ids and types."""
        pairs = ((ids, self._ids), (types, self._types))
        return all(b is a or (a is not None and b is not None and np.array_equal(a, b)) for a, b in pairs)

    def column(self, name: str, kinds: str = NUMBERS + TEXTS) -> np.ndarray | None:
        """(N,): a column of the table `atoms` by particles, with NaN, 0 or "" for those that it does not name. None if the file
        has no such column of one of these kinds, or no ids that say which particle a row is."""
        table = self._tables.get("atoms", {})
        values = table.get(name)
        if values is None or values.dtype.kind not in kinds or self._order is None:
            return None
        of_rows = table.get("id")
        if of_rows is None:  # rows in the order of ids
            if len(values) != len(self._order):
                return None
            rows = np.empty(len(values), np.int64)
            rows[self._order] = np.arange(len(values))
            return values[rows]
        return None if of_rows.dtype.kind != "i" else _looked_up(self._ids, of_rows, values)

    def of_types(self, name: str, kinds: str = NUMBERS + TEXTS) -> np.ndarray | None:
        """(N,): a column of the table `types` by the types of particles, otherwise as `column`."""
        table = self._tables.get("types", {})
        values, types = table.get(name), table.get("type")
        if values is None or types is None or values.dtype.kind not in kinds:
            return None
        own = self.types() if types.dtype.kind == "i" else self.column("type", TEXTS)
        return None if own is None or own.dtype.kind != types.dtype.kind else _looked_up(own, types, values)

    def types(self) -> np.ndarray | None:
        """(N,) integers: of the frame, else of the table `atoms`."""
        return self.column("type", "i") if self._types is None else self._types

    def numbers(self, name: str) -> np.ndarray | None:
        """(N,) float64: of the table `atoms`, where it has none of `types`, NaN where neither has; None if none has any."""
        found = self.column(name, NUMBERS)
        by_type = self.of_types(name, NUMBERS)
        if found is None or by_type is None:
            found = by_type if found is None else found
            found = None if found is None else found.astype(np.float64)
        else:
            found = np.where(np.isnan(found), by_type, found).astype(np.float64)
        return None if found is None or np.isnan(found).all() else found

    def texts(self, name: str) -> np.ndarray | None:
        """(N,) texts of the table `atoms`, "" where it has none; None if all are empty."""
        found = self.column(name, TEXTS)
        return None if found is None or not (found != "").any() else found

    def labels(self) -> list[str]:
        """Labels of atom types from the table `types`: item t - 1 belongs to type t. No items if the table has no labels."""
        table = self._tables.get("types", {})
        types, labels = table.get("type"), table.get("label")
        if types is None or labels is None or types.dtype.kind != "i" or labels.dtype.kind not in TEXTS:
            return []
        known = {t: label for t, label in zip(types.tolist(), labels.tolist()) if 0 < t <= len(types)}
        return [known.get(t, "") for t in range(1, max(known, default=0) + 1)]

    def links(self, name: str) -> Links | None:
        """The bonds, angles, dihedrals or impropers between the particles of the frame: those that name another particle, or one
        twice, are left out. None if the file has no such table, or no ids."""
        table = self._tables.get(name)
        if table is None or self._order is None:
            return None
        columns = [table.get(f"atom{k + 1}") for k in range(LINKS[name])]
        if any(column is None or column.dtype.kind != "i" for column in columns):
            return None
        wanted = np.column_stack(columns)
        indices = _rows_of(self._ids, wanted, self._order)
        kept = (indices >= 0).all(axis=1)
        for k in range(LINKS[name]):
            for other in range(k):
                kept &= wanted[:, k] != wanted[:, other]
        types = table.get("type")
        return Links(indices[kept], None if types is None else types[kept])


def of_frame(trajectory: Trajectory, frame: int, ids: np.ndarray | None, types: np.ndarray | None) -> Particles:
    """The particles of a frame. Warns if the tables are damaged, and leaves them out."""
    return Particles(_tables_of(trajectory, frame), ids, types)


class ParticlesOfFrames:
    """The particles of each frame: tables are read when they change, and the result is the same object as long as the tables, the
    ids and the types are the same."""

    def __init__(self, trajectory: Trajectory):
        self._trajectory = trajectory
        self._changes: np.ndarray = trajectory.table_frames
        self._version = -1
        self._tables: Mapping[str, Table] = {}
        self._last: Particles | None = None

    @property
    def any(self) -> bool:
        """Whether the file has tables, for which the ids are needed."""
        return len(self._changes) > 0

    def of(self, frame: int, ids: np.ndarray | None, types: np.ndarray | None) -> Particles:
        """ids, types: (N,) of the frame, None without. Warns if the tables are damaged, and goes on without."""
        version = int(np.searchsorted(self._changes, frame, "right"))
        if version != self._version:
            self._tables = _tables_of(self._trajectory, frame) if version else {}
            self._version, self._last = version, None
        if self._last is None or not self._last.are(ids, types):
            self._last = Particles(self._tables, ids, types)
        return self._last


def _tables_of(trajectory: Trajectory, frame: int) -> Mapping[str, Table]:
    try:
        return trajectory.tables(frame, ("atoms", "types", *LINKS))
    except (CorruptError, LimitError) as error:
        where = _core.printable(shown_path(trajectory.path) or "in memory")
        warnings.warn(f"{where}: bonds and other tables cannot be read, and are left out: {error.cause}", stacklevel=4)
        return {}


def _rows_of(known: np.ndarray, wanted: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Where each wanted value is in `known`, which `order` sorts; -1 where it is not."""
    if not len(known):
        return np.full(wanted.shape, -1)
    ascending = known[order]
    places = np.minimum(np.searchsorted(ascending, wanted), len(known) - 1)
    return np.where(ascending[places] == wanted, order[places], -1)


def _looked_up(wanted: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """values[i] where keys[i] is wanted; NaN, 0 or "" where none is."""
    rows = _rows_of(keys, wanted, np.argsort(keys, kind="stable"))
    found = np.full(len(wanted), UNKNOWN[values.dtype.kind], values.dtype)
    found[rows >= 0] = values[rows[rows >= 0]]
    return found
