# SPDX-License-Identifier: BSD-3-Clause
"""Metadata of a file: checked before they are written, and compared with those of a file that is continued."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpz import _checks, _core, _head, _positions
from gpz._arguments import checked_number, shown
from gpz._errors import ArgumentError
from gpz._tables import Table, same_table
from gpz._trajectory import open as open_file

if TYPE_CHECKING:
    from gpz._frame import Frame

TEXTS = ("generator", "units", "atom_style", "command", "reference")
LISTS = ("columns", "elements", "type_labels")
NUMBERS = ("timestep_size", "reference_grid")
# What the frames of a file have in common; the others say how its first frames were made.
COMPARED = ("units", "atom_style", "elements", "type_labels", "timestep_size")
OF_READERS = "features"  # of Trajectory.metadata; writers find out themselves
SAME = 1e-9  # relative: bounds that were converted between units are the same


def given_metadata(metadata: Any, units: Any, elements: Any, type_labels: Any) -> dict[str, Any]:
    """Metadata from the arguments of a writer, by the names of Trajectory.metadata, without empty entries."""
    if metadata is not None and not isinstance(metadata, Mapping):
        raise TypeError(f'metadata: a dict as Trajectory.metadata, such as {{"command": "..."}}, not {shown(metadata)}')
    _checks.require_units(units)
    given = {name: checked_entry(name, value) for name, value in (metadata or {}).items()}
    given.pop(OF_READERS, None)
    given = {name: value for name, value in given.items() if value not in ("", [], 0)}
    for name, value in (("units", units), ("elements", elements), ("type_labels", type_labels)):
        if value is None:
            continue
        value = value if name == "units" else texts(name, value)
        if given.get(name, value) != value:
            raise ArgumentError(
                f"{name}={shown(value)} next to metadata[{name!r}], which is {shown(given[name])}. Leave one of them out"
            )
        given[name] = value
    return given


def checked_entry(name: Any, value: Any) -> Any:
    where = f"metadata[{name!r}]"
    if name in TEXTS:
        if not isinstance(value, str):
            raise TypeError(f"{where}: a text, not {shown(value)}")
        return value
    if name in LISTS:
        return texts(where, value)
    if name in NUMBERS:
        number = checked_number(where, value)
        if not 0 <= number < math.inf:
            raise ArgumentError(f"{where}: a finite number, and not negative: not {number:g}")
        return number
    if name == OF_READERS:
        return value
    known = ", ".join((*TEXTS, *LISTS, *NUMBERS))
    raise ArgumentError(f"{where}: a file has no such entry. There are {known}")


def texts(name: str, values: Any) -> list[str]:
    """A list of texts, [t - 1] for type t."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f'{name}: a list of texts, as ["{_core.printable(str(values))}"], not {shown(values)}')
    if isinstance(values, (set, frozenset, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f'{name}: a list of texts in the order of types, as ["Cu", "Zr"], not {shown(values)}')
    found = list(values)
    for index, value in enumerate(found):
        if not isinstance(value, str):
            raise TypeError(f"{name}[{index}]: a text, not {shown(value)}")
    return [str(value) for value in found]


class Existing:
    """A file that is continued. `metadata`: as it has them. Of its last frame: `bound` of positions, distance units, and
    `bounds` of other float columns (0: exact), `has_ids`; None where there is no such frame or column. `columns`: those of its last
    frame, and `timesteps` (frames,) int64. `has_times`: whether each frame has its time."""

    @classmethod
    def find(cls, path: str | bytes | os.PathLike) -> Existing | None:
        """None for a file that is missing or empty: it is a new one."""
        return cls(path) if os.path.exists(path) and os.path.getsize(path) else None

    def __init__(self, path: str | bytes | os.PathLike):
        file = _core.Reader.open(os.fsencode(path), _core.default_memory_limit())
        self.path = os.fsdecode(path)
        self.metadata: dict[str, Any] = file.metadata
        self.bound: float | None = None
        self.bounds: dict[str, float] = {}
        self.has_ids: bool | None = None
        self.columns: list[str] = []
        self.timesteps: np.ndarray = file.timesteps()
        self.has_times = not np.isnan(file.times()).any()
        self._tables: dict[str, Table] | None = None  # of the last frame
        if file.n_frames:
            self._take(_head.from_library(file.head(file.n_frames - 1)))

    @property
    def elements(self) -> list[str]:
        return self.metadata["elements"]

    @property
    def labels(self) -> list[str]:
        return self.metadata["type_labels"]

    @property
    def names(self) -> str:
        """Elements and type labels, for messages."""
        found = {"elements": self.elements, "type labels": self.labels}
        said = [f"{what} {' '.join(names)}" for what, names in found.items() if names]
        return " and ".join(said) or "neither elements nor type labels"

    def last_ids(self) -> np.ndarray | None:
        """(N,) int64, ascending: of the last frame; None if it has none."""
        with open_file(self.path, order="stored") as trajectory:
            ids = trajectory[-1].ids if len(trajectory) else None
            return None if ids is None else np.sort(ids)

    def require_same_atoms(self, ids: np.ndarray) -> None:
        """ArgumentError if the last frame has other atoms than these, (N,) ascending: readers of other packages, and topologies,
        need the same atoms in all frames."""
        there = self.last_ids()
        if there is not None and not np.array_equal(there, ids):
            say = f"{len(there)} atoms" if len(there) != len(ids) else f"the ids {there[0]} to {there[-1]}"
            have = f"{len(ids)}" if len(there) != len(ids) else f"{ids[0]} to {ids[-1]}, or others between"
            raise ArgumentError(f"append: the last frame has {say}, and these are {have}. Write another file", self.path)

    def require_same_columns(self, names: Collection[str]) -> None:
        """ArgumentError if the last frame has other columns than these."""
        if self.columns and set(self.columns) != set(names):
            has, gets = (_core.printable(" ".join(sorted(columns))) for columns in (self.columns, names))
            raise ArgumentError(f"append: the last frame has the columns {has}, not {gets}. Write another file", self.path)

    def has_table(self, name: str, table: Table) -> bool:
        """Whether this table is valid for the last frame."""
        if self._tables is None:
            with open_file(self.path) as trajectory:
                self._tables = trajectory.tables(-1)
        return name in self._tables and same_table(self._tables[name], table)

    def _take(self, head: _head.Head) -> None:
        self.columns = list(head.columns)
        if head.n_particles:
            self.has_ids = "id" in head.columns
        floats = {name: column.bound or 0.0 for name, column in head.columns.items() if column.dtype.kind == "f"}
        if head.position_columns is not None:
            self.bound = head.position_bound or 0.0
        forms = {name for form in _positions.FORMS for name in form}
        self.bounds = {name: bound for name, bound in floats.items() if name not in forms}

    def require_same(self, given: Mapping[str, Any], bound: float | None, bounds: Mapping[str, float]) -> None:
        """ArgumentError for what is given and differs from the file."""
        for name, value in given.items():
            if name in COMPARED and value != self.metadata[name]:
                argument = name if name in ("units", "elements", "type_labels") else f"metadata[{name!r}]"
                self._refuse(argument, value, self.metadata[name])
        if bound is not None and self.bound is not None and not same(bound, self.bound):
            self._refuse("bound", bound, self.bound)
        for name, value in bounds.items():
            if name in self.bounds and not same(value, self.bounds[name]):
                self._refuse(f"bounds[{name!r}]", value, self.bounds[name])

    def _refuse(self, name: str, value: Any, has: Any) -> None:
        there = "none" if has in ("", []) else f"{has:g}" if _is_number(has) else repr(has)
        raise ArgumentError(
            f"append: {name}={value!r}, and the file has {there}. Leave it out to go on as the file does, or write another "
            "file",
            self.path,
        )


def same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=SAME)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number))


def require_same_meaning(
    frame: Frame, given: Collection[str], units: str, elements: Sequence[str], labels: Sequence[str]
) -> None:
    """ArgumentError if the numbers of a frame would mean something else in a file that says this of itself. `given`: the
    columns that replace those of the frame."""
    of_file = frame._metadata
    has = of_file.get("units", "")
    if has and units and has != units:
        raise ArgumentError(
            f"frame: its file is in units {has}, and this one in {units}. Convert the values, and give them as arrays"
        )
    if "type" not in frame or "type" in given:
        return
    for what, there, here in (
        ("element", of_file.get("elements", []), elements),
        ("type label", of_file.get("type_labels", []), labels),
    ):
        changed = {t for t, pair in enumerate(zip(there, here), 1) if all(pair) and pair[0] != pair[1]}
        wrong = changed.intersection(np.unique(frame["type"]).tolist()) if changed else None
        if wrong:
            t = min(wrong)
            raise ArgumentError(
                f"frame: type {t} is the {what} {there[t - 1]} in its file, and {here[t - 1]} in this one. Give types= in "
                "the numbers of this file"
            )
