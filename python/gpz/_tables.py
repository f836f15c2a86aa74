# SPDX-License-Identifier: BSD-3-Clause
"""Tables (topology, masses, charges) and observables of frames (temperature, energies)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gpz import _core
from gpz._arguments import as_array, checked_number, require_plain, shown
from gpz._errors import ArgumentError, Error

LONGEST = 255  # bytes of a name or a unit
OF_OBSERVABLES = "observables"  # the table with their names, which is written with frames
OF_FRAMES = ("timestep", "time")  # columns of Trajectory.observables besides those of the observables

# As gpz._core has them: the name of a table, and (column, unit, values) of each column.
Packed = tuple[str, list[tuple[str, str, Any]]]


class Table(Mapping[str, np.ndarray]):
    """Columns of one length, by their names: `table["mass"]` is an array, (rows,). A mapping, as a dict is.

        gpz.Table({"type": [1, 1], "atom1": [1, 1], "atom2": [2, 3]})
        gpz.Table({"id": ids, "mass": masses, "name": names}, units={"mass": "grams/mole"})

    columns: arrays, lists or columns of a pandas DataFrame: integers, floats or texts. They are kept as int64, float64 and
        arrays of Python's texts (dtype object), which is what a file has.
    units: of columns that have one, by name.

    Two tables are equal if they are the same object.
    """

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, columns: Mapping[str, npt.ArrayLike] | Any = (), units: Mapping[str, str] | None = None):
        self._columns = {name: _column(name, values) for name, values in _named(columns)}
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ArgumentError(f"the columns of a table have one length, not {lengths}")
        if units is None:
            units = columns.units if isinstance(columns, Table) else {}
        self.units = {name: checked_text(f"units[{name!r}]", unit, 0) for name, unit in units.items() if unit}
        missing = self.units.keys() - self._columns.keys()
        if missing:
            raise ArgumentError(f"units[{min(missing)!r}]: the table has no such column, but {list(self._columns)}")

    @property
    def n_rows(self) -> int:
        """The length of each column; 0 for a table without columns."""
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> np.ndarray:
        """(rows,): int64, float64, or texts (dtype object). KeyError if there is none."""
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(self._columns)

    def __len__(self) -> int:
        """The number of columns."""
        return len(self._columns)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the columns; its `attrs["units"]` has the units. Needs pandas."""
        import pandas

        frame = pandas.DataFrame(dict(self._columns))
        frame.attrs["units"] = dict(self.units)
        return frame

    def __repr__(self) -> str:
        return f"<gpz.Table of {self.n_rows} rows: {_core.printable(' '.join(self))}>"


class Observables(dict[str, float]):
    """Numbers of a whole frame, by their names: a dict that has also `units`, by name, of those that have one.

    `observables | {"Temp": 300.0}` keeps the units.
    """

    def __init__(self, values: Mapping[str, float] | Any = (), units: Mapping[str, str] | None = None):
        super().__init__(values)
        self.units = dict(units or {})

    def __or__(self, other: Any) -> Observables:
        if not isinstance(other, Mapping):
            return NotImplemented
        kept = {name: unit for name, unit in self.units.items() if name not in other}
        return Observables({**self, **other}, kept | getattr(other, "units", {}))

    def copy(self) -> Observables:
        """A copy with the same units."""
        return Observables(self, self.units)

    def __repr__(self) -> str:
        return f"Observables({super().__repr__()})"

    def __reduce__(self):
        return Observables, (dict(self), self.units)


# The observables of a frame, when they are first asked for.
ReadObservables = Callable[[], list[tuple[str, str, float]]]


def observables_from_library(values: list[tuple[str, str, float]]) -> Observables:
    """Observables from the list that gpz._core returns."""
    return Observables({name: value for name, _, value in values}, {name: unit for name, unit, _ in values if unit})


class LazyObservables:
    """The observables of a frame, read when they are first asked for. An error is raised each time."""

    def __init__(self, read: ReadObservables):
        self._read: ReadObservables | None = read
        self._found: Observables | Error = Observables()

    def load(self) -> None:
        """Reads them. An error waits: whoever does not ask for them may use the frame."""
        if self._read is not None:
            try:
                self._found = observables_from_library(self._read())
            except Error as error:
                self._found = error
            self._read = None

    def get(self) -> Observables:
        """Raises CorruptError where they are damaged."""
        self.load()
        if isinstance(self._found, Error):
            raise self._found
        return self._found

    def __getstate__(self) -> dict[str, Any]:
        self.load()
        return {"_read": None, "_found": self._found}


def tables_from_library(packed: list[Packed]) -> dict[str, Table]:
    """The tables by name, without the table of observables, whose values frames have."""
    tables = {}
    for name, columns in packed:
        if name != OF_OBSERVABLES:
            made = Table()
            made._columns = {column: _from_library(values) for column, _, values in columns}
            made.units = {column: unit for column, unit, _ in columns if unit}
            tables[name] = made
    return tables


def _from_library(values: Any) -> np.ndarray:
    return np.array(values, dtype=object) if isinstance(values, list) else values


def same_table(a: Table, b: Table) -> bool:
    """Whether they have the same columns, units and values, bit by bit."""
    return (
        list(a) == list(b)
        and a.units == b.units
        and all(a[name].dtype == b[name].dtype and _bits(a[name]) == _bits(b[name]) for name in a)
    )


def _bits(values: np.ndarray) -> Any:
    return values.tolist() if values.dtype.kind == "O" else values.tobytes()


def packed_tables(tables: Any) -> list[Packed]:
    """Tables in the form that gpz._core takes. TypeError and ArgumentError for what is no table."""
    if not isinstance(tables, Mapping):
        raise TypeError(
            f'tables: a dict of tables by their names, such as {{"bonds": {{"atom1": ...}}}}, not {shown(tables)}'
        )
    packed = []
    for name, given in tables.items():
        checked_text("tables: a name", name, 1)
        if name == OF_OBSERVABLES:
            raise ArgumentError(
                "tables['observables']: the writer writes it with the observables of frames: write(..., observables=...)"
            )
        try:
            table = given if isinstance(given, Table) else Table(given)
        except (TypeError, ArgumentError) as error:
            cause = error.cause if isinstance(error, ArgumentError) else str(error)
            raise type(error)(f"tables[{name!r}]: {cause}") from None
        packed.append((name, [_packed(column, table) for column in table]))
    return packed


def _packed(name: str, table: Table) -> tuple[str, str, Any]:
    values = table[name]
    return (
        name,
        table.units.get(name, ""),
        values.tolist() if values.dtype.kind == "O" else np.ascontiguousarray(values),
    )


def checked_names(names: Any) -> list[str]:
    """A list of names of tables. A text would be one of letters."""
    if isinstance(names, (str, Mapping)) or not isinstance(names, Iterable):
        raise TypeError(f'names: a list of names of tables, as ["bonds"], not {shown(names)}')
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f'names: a list of names of tables, as ["bonds"], not {shown(names)}')
    return list(names)


def packed_observables(given: Any) -> list[tuple[str, str, float]]:
    """(name, unit, value) for gpz._core. A value is a number, or a number and its unit."""
    if not isinstance(given, Mapping):
        raise TypeError(f'observables: a dict of numbers by their names, such as {{"Temp": 300.0}}, not {shown(given)}')
    units = getattr(given, "units", {})
    packed = []
    for name, value in given.items():
        checked_text("observables: a name", name, 1)
        unit = units.get(name, "")
        if isinstance(value, tuple):
            if len(value) != 2:
                raise TypeError(
                    f'observables[{name!r}]: a number, or a number and its unit, as (300.0, "K"), not {shown(value)}'
                )
            value, unit = value
        number = checked_number(f"observables[{name!r}]", value, 'a number, or a number and its unit, as (300.0, "K")')
        packed.append((name, checked_text(f"observables[{name!r}]: a unit", unit, 0), number))
    return packed


def checked_text(what: str, text: Any, least: int) -> str:
    """A name or a unit that a file can have. Bytes of files that are no UTF-8 can be in it (surrogateescape)."""
    if not isinstance(text, str):
        raise TypeError(f"{what}: a text, not {shown(text)}")
    try:
        size = len(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        raise ArgumentError(f"{what}: {text!a} has characters that are not in UTF-8") from None
    if not least <= size <= LONGEST:
        raise ArgumentError(f"{what}: a text of {least} to {LONGEST} bytes, not {shown(text)}")
    return str(text)


def _named(columns: Any) -> list[tuple[str, Any]]:
    """Names and values; of a pandas DataFrame as well."""
    if isinstance(columns, Mapping):
        pairs = list(columns.items())
    elif hasattr(columns, "columns") and hasattr(columns, "iloc"):
        pairs = [(name, columns.iloc[:, k].to_numpy()) for k, name in enumerate(columns.columns)]
    elif isinstance(columns, tuple) and not columns:
        pairs = []
    else:
        raise TypeError(
            f'a table is a dict of columns, such as {{"atom1": [1, 1], "atom2": [2, 3]}}, not {shown(columns)}'
        )
    for name, _ in pairs:
        checked_text("a column", name, 1)
    return pairs


def _column(name: str, values: Any) -> np.ndarray:
    """(rows,): int64, float64, or texts (dtype object)."""
    require_plain(name, values)
    array = as_array(name, values)
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        array = np.array(values, dtype=object)  # with the numbers that NumPy would make texts of
    if array.ndim != 1:
        raise ArgumentError(f"{name}: the column has the shape {array.shape}, not (rows,)")
    kind = array.dtype.kind
    if kind in "OUST":
        return _texts(name, array)
    if not array.size and not hasattr(values, "dtype"):  # an empty list
        return array.astype(np.int64)
    if kind == "u" and array.dtype.itemsize == 8 and array.size and array.max() > np.iinfo(np.int64).max:
        raise ArgumentError(f"{name}: {array.max()} is too large: integers have at most 63 bits and a sign")
    if kind in "iu":
        return array.astype(np.int64)
    if kind == "f" and array.dtype.itemsize <= 8:
        return array.astype(np.float64)
    raise ArgumentError(f"{name}: integers and floats of at most 64 bits, or texts, not an array of {array.dtype}")


def _texts(name: str, array: np.ndarray) -> np.ndarray:
    texts = np.empty(len(array), object)
    for row, value in enumerate(array.tolist()):
        if not isinstance(value, str):
            raise TypeError(f"{name}: texts, or an array of numbers, not {shown(value)} in row {row}")
        texts[row] = value
    try:
        for value in dict.fromkeys(texts.tolist()):
            value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ArgumentError(f"{name}: {value!a} has characters that are not in UTF-8") from None
    return texts
