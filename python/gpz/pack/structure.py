# SPDX-License-Identifier: BSD-3-Clause
"""One structure of a pack."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpz import _columns
from gpz._arguments import as_array, checked_number, numbers_of, shown
from gpz._elements import SYMBOLS
from gpz._errors import ArgumentError
from gpz._tables import checked_text
from gpz.pack.names import TAKEN

if TYPE_CHECKING:
    import ase

LARGEST = np.iinfo(np.int64).max


@dataclasses.dataclass(eq=False)
class Structure:
    """Atoms with what was computed for them. Units are those of the pack: Å, eV, eV/Å in metal.

    numbers: (N,) atomic numbers, from 1 to 118.
    positions: (N, 3), float32 or float64.
    cell: (3, 3), edge vectors as rows; zeros for edges that there are not.
    pbc: (3,) bool, or one for all: which edges are periodic.
    energy: of the whole structure; None: unknown.
    forces, velocities: (N, 3), or None.
    stress: (6,), xx yy zz yz xz xy, or None; units as you give them.
    info: other values of the structure by their names: integers, floats, texts, and arrays (k,) of numbers.
    arrays: other values of atoms by their names: (N,) or (N, k).

    TypeError or gpz.ArgumentError for what does not fit.
    """

    numbers: np.ndarray
    positions: np.ndarray
    cell: np.ndarray | None = None
    pbc: Any = False
    energy: float | None = None
    forces: np.ndarray | None = None
    velocities: np.ndarray | None = None
    stress: np.ndarray | None = None
    info: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        self.numbers = _columns.column_of("numbers", self.numbers, "type")
        count = len(self.numbers)
        if not count:
            raise ArgumentError("numbers: a structure has at least one atom")
        _columns.refuse(
            "numbers", self.numbers, (self.numbers < 1) | (self.numbers > len(SYMBOLS)), "is no atomic number from 1 to 118"
        )
        for name in ("positions", "forces", "velocities"):
            values = getattr(self, name)
            if values is not None or name == "positions":
                setattr(self, name, _vectors(name, values, count))
        self.cell = np.zeros((3, 3)) if self.cell is None else numbers_of("cell", self.cell, (3, 3))
        self.pbc = _axes(self.pbc)
        self.energy = None if self.energy is None else checked_number("energy", self.energy)
        self.stress = None if self.stress is None else numbers_of("stress", self.stress, (6,))
        self.info = {name: _value(name, value) for name, value in _named("info", self.info)}
        self.arrays = {name: _array(name, values, count) for name, values in _named("arrays", self.arrays)}

    def __len__(self) -> int:
        """The number of atoms."""
        return len(self.numbers)

    def to_ase(self) -> ase.Atoms:
        """An ase.Atoms with energy, forces and stress in a SinglePointCalculator. Needs ASE, and a pack in metal units."""
        from gpz.pack.atoms import to_ase

        return to_ase(self)

    def __repr__(self) -> str:
        return f"<gpz.pack.Structure of {len(self)} atoms>"


def structure_of(given: Any) -> Structure:
    """A Structure from a Structure, a dict of its fields, or an ase.Atoms."""
    if isinstance(given, Structure):
        return given
    if isinstance(given, Mapping):
        fields = [field.name for field in dataclasses.fields(Structure)]
        for name in given:
            if name not in fields:
                raise ArgumentError(
                    f"{shown(name)} is no field of a structure: {', '.join(fields)}. Other values are entries of info, those of "
                    "atoms of arrays"
                )
        for name in fields[:2]:
            if name not in given:
                raise ArgumentError(f"a structure needs {name}")
        return Structure(**given)
    if hasattr(given, "calc") and hasattr(given, "get_atomic_numbers"):
        from gpz.pack.atoms import fields_of

        return Structure(**fields_of(given))
    raise TypeError(f"a structure is an ase.Atoms, a dict of arrays or a gpz.pack.Structure, not {shown(given)}")


def _vectors(name: str, values: Any, count: int) -> np.ndarray:
    array = _columns.as_floats(name, _columns.array_of(name, values))
    if array.shape != (count, 3):
        raise ArgumentError(f"{name} has the shape {array.shape}, not ({count}, 3)")
    return array.astype(np.float32 if array.dtype.itemsize <= 4 else np.float64, copy=False)


def _axes(pbc: Any) -> np.ndarray:
    array = as_array("pbc", pbc)
    if array.dtype.kind != "b" or array.shape not in ((), (3,)):
        raise TypeError(f"pbc: True, False or three of them, not {shown(pbc)}")
    return np.array(np.broadcast_to(array, 3))


def _named(what: str, values: Any) -> list[tuple[str, Any]]:
    if not isinstance(values, Mapping):
        raise TypeError(f"{what}: a dict of values by their names, not {shown(values)}")
    for name in values:
        checked_text(f"{what}: a name", name, 1)
        if name in TAKEN:
            raise ArgumentError(f"{what}[{name!r}]: the name is taken. Choose another")
    return list(values.items())


def _value(name: str, value: Any) -> Any:
    """An int, a float, a text, or an array (k,) of int64 or float64."""
    if isinstance(value, str):
        return str(value)
    array = as_array(f"info[{name!r}]", value)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8 or array.ndim > 1 or (array.ndim and not array.size):
        raise TypeError(f"info[{name!r}]: a number, a text or an array (k,) of numbers, not {shown(value)}")
    if array.dtype.kind == "u" and array.size and int(array.max()) > LARGEST:
        raise ArgumentError(f"info[{name!r}]: {array.max()} is too large: integers have at most 63 bits and a sign")
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    return array if array.ndim else array.item()


def _array(name: str, values: Any, count: int) -> np.ndarray:
    array = _columns.array_of(f"arrays[{name!r}]", values)
    if array.ndim not in (1, 2) or len(array) != count or (array.ndim == 2 and not array.shape[1]):
        raise ArgumentError(f"arrays[{name!r}] has the shape {array.shape}, not ({count},) or ({count}, k)")
    if array.dtype.kind == "f":
        return array.astype(np.float32 if array.dtype.itemsize <= 4 else np.float64, copy=False)
    return array.astype(np.int64, copy=False)
