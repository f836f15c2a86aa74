# SPDX-License-Identifier: BSD-3-Clause
"""Writes packs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import gpz
from gpz._arguments import checked_integer
from gpz._checks import checked_bound, columns_of_bounds, require_units
from gpz._coding import Coding
from gpz._components import split
from gpz._elements import SYMBOLS
from gpz._errors import ArgumentError
from gpz.pack.structure import Structure, structure_of

TABLE = "structures"
VECTORS = ("forces", "velocities")
USUAL_SIZE = 4000  # atoms of a batch: docs/decisions/0077-learning.md
LARGEST_SIZE = 10_000_000


class Writer:
    """Writes a pack, structure by structure.

        with gpz.pack.Writer("train.gpz", bound=1e-4) as writer:
            for atoms in structures:
                writer.write(atoms)

    path: the file, which is replaced when the first batch is written, or a binary file object, as of gpz.Writer.
    bound: the largest error of a coordinate, distance units; 0: exact. None: that of the units, 0.0005 Å in metal and real.
    bounds: of other values of atoms: {"forces": 1e-3}. Without one they are exact. Energies, cells and other values of
        structures are exact always.
    units: LAMMPS's name. ase.Atoms need "metal".
    batch: atoms of a batch. Whoever reads one structure decodes its batch.
    effort, threads: as of gpz.Writer.

    A batch has structures with the same fields, info and arrays. One that has others begins a new batch, so put structures
    of a kind next to each other. After an exception the file has the batches that were complete. Raises gpz.FileError,
    gpz.ArgumentError and TypeError.
    """

    def __init__(
        self,
        path: str | os.PathLike | Any,
        *,
        bound: float | None = None,
        bounds: Mapping[str, float] | None = None,
        units: str = "metal",
        batch: int = USUAL_SIZE,
        effort: str = "standard",
        threads: int = 1,
    ):
        self._size = checked_integer("batch", batch, 1, LARGEST_SIZE, f"a number of atoms from 1 to {LARGEST_SIZE}")
        self._units = units
        require_units(units)
        Coding(effort=effort, threads=threads)
        columns_of_bounds({} if bounds is None else bounds)
        if bound is not None:
            checked_bound("bound", bound)
        self._path = path
        self._options = {"units": units, "bound": bound, "bounds": bounds, "effort": effort, "threads": threads}
        self._writer: gpz.Writer | None = None  # opened with the first batch, whose elements get the smallest numbers
        self._types = np.zeros(len(SYMBOLS) + 1, np.int64)  # by atomic number
        self._closed = False
        self._waiting: list[Structure] = []
        self._kind: Any = None
        self._atoms = 0
        self._written = 0

    def __len__(self) -> int:
        """The number of structures so far."""
        return self._written + len(self._waiting)

    def write(self, structure: Structure | Mapping[str, Any] | Any) -> None:
        """Adds a structure: an ase.Atoms, a dict of the fields of gpz.pack.Structure, or one of these."""
        if self._closed:
            raise ValueError("the writer is closed")
        if not isinstance(structure, (Structure, Mapping)) and self._units != "metal":
            raise ArgumentError(f'units: an ase.Atoms has the units "metal", and the pack {self._units!r}')
        try:
            made = structure_of(structure)
        except (TypeError, ArgumentError) as error:
            cause = error.cause if isinstance(error, ArgumentError) else str(error)
            raise type(error)(f"structure {len(self)}: {cause}") from None
        kind = _kind_of(made)
        if self._waiting and (kind != self._kind or self._atoms + len(made) > self._size):
            self._flush()
        self._kind = kind
        self._waiting.append(made)
        self._atoms += len(made)

    def _flush(self) -> None:
        """Writes a batch."""
        batch, self._waiting, self._atoms = self._waiting, [], 0
        first = batch[0]
        numbers = np.concatenate([one.numbers for one in batch])
        writer = self._writer = self._writer or self._opened(numbers)
        columns: dict[str, np.ndarray] = {}
        for name in first.arrays:
            columns.update(split(name, np.concatenate([one.arrays[name] for one in batch])))
        vectors = {
            name: np.concatenate([getattr(one, name) for one in batch]) for name in VECTORS if getattr(first, name) is not None
        }
        writer.write_tables({TABLE: _table_of(batch)})
        writer.write(
            positions=np.concatenate([one.positions for one in batch]),
            types=self._types[numbers],
            timestep=self._written,
            **vectors,
            **columns,
        )
        self._written += len(batch)

    def _opened(self, numbers: np.ndarray) -> gpz.Writer:
        """A writer with all elements, those of the first batch in front: small numbers take fewer bits."""
        first, places = np.unique(numbers, return_index=True)
        order = [*first[np.argsort(places)].tolist()]
        order += [number for number in range(1, len(SYMBOLS) + 1) if number not in order]
        self._types[order] = np.arange(1, len(order) + 1)
        symbols = [SYMBOLS[number - 1] for number in order]
        return gpz.Writer(self._path, elements=symbols, key_interval=1, **self._options)

    def close(self) -> None:
        """Writes the last batch and the index, and closes the file. Without a structure there is no file."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._waiting:
                self._flush()
        finally:
            if self._writer is not None:
                self._writer.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()


def write(path: str | os.PathLike | Any, structures: Iterable[Any], **options: Any) -> int:
    """Writes a pack of structures: ase.Atoms, dicts of the fields of gpz.pack.Structure, or these. `options`: the keywords of
    gpz.pack.Writer. Returns how many structures there are. gpz.ArgumentError if there are none."""
    if isinstance(structures, (Mapping, str, bytes)) or not isinstance(structures, Iterable) or hasattr(structures, "calc"):
        raise TypeError("structures: a list or another iterable of structures")
    with Writer(path, **options) as writer:
        for structure in structures:
            writer.write(structure)
        if not len(writer):
            raise ArgumentError("structures: a pack has at least one")
    return len(writer)


def _kind_of(structure: Structure) -> Any:
    """Properties that all structures of a batch share."""
    fields = tuple(
        None if values is None else np.asarray(values).dtype.char  # a dtype is equal to None, which is float64 to NumPy
        for values in (structure.positions, structure.energy, structure.stress, *(getattr(structure, name) for name in VECTORS))
    )
    info = tuple((name, type(value), np.shape(value), np.asarray(value).dtype.kind) for name, value in sorted(structure.info.items()))
    arrays = tuple((name, values.dtype.char, values.shape[1:]) for name, values in sorted(structure.arrays.items()))
    return fields, info, arrays


def _table_of(batch: list[Structure]) -> gpz.Table:
    """A row for each structure."""
    columns: dict[str, Any] = {"atoms": np.array([len(one) for one in batch])}
    axes = np.array([one.pbc for one in batch]) @ [1, 2, 4]
    if axes.any():
        columns["pbc"] = axes
    cells = np.array([one.cell.ravel() for one in batch])
    if cells.any():
        columns.update(split("cell", cells))
    if batch[0].energy is not None:
        columns["energy"] = np.array([one.energy for one in batch])
    if batch[0].stress is not None:
        columns.update(split("stress", np.array([one.stress for one in batch])))
    for name, value in batch[0].info.items():
        values = [one.info[name] for one in batch]
        columns.update({name: values} if isinstance(value, str) else split(name, np.array(values)))
    return gpz.Table(columns)
