# SPDX-License-Identifier: BSD-3-Clause
"""Reads packs."""

from __future__ import annotations

import collections
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import gpz
from gpz import _core
from gpz._arguments import checked_integer
from gpz._components import joined
from gpz._elements import NUMBERS
from gpz._errors import ArgumentError, CorruptError
from gpz._frame import VECTORS
from gpz.pack.structure import Structure
from gpz.pack.writer import TABLE

USUAL_CACHE = 64 << 20
# Columns of the table that are fields of a structure: their kinds, and the shape of a row.
OF_TABLE: dict[str, tuple[str, tuple[int, ...]]] = {
    "atoms": ("i", ()), "pbc": ("i", ()), "cell": ("f", (9,)), "energy": ("f", ()), "stress": ("f", (6,)),
}  # fmt: skip


class Batch(NamedTuple):
    """Decoded. ends: (structures,), where the atoms of each end. of_atoms: (atoms, ...) by field or column. of_structures:
    (structures, ...) by column of the table."""

    ends: np.ndarray
    of_atoms: dict[str, np.ndarray]
    of_structures: dict[str, np.ndarray]

    @property
    def size(self) -> int:
        """Size in bytes."""
        arrays = (self.ends, *self.of_atoms.values(), *self.of_structures.values())
        return sum(array.nbytes if array.dtype.kind != "O" else 64 * array.size for array in arrays)


class Pack(Sequence):
    """A pack as a sequence of structures. pack[i] decodes the batch of structure i, unless it is in the cache.

    Threads may share it. Pickling keeps the path and the options. Slices are lists.
    """

    def __init__(self, trajectory: gpz.Trajectory, cache: int):
        self._trajectory = trajectory
        self._limit = cache
        self._lock = threading.RLock()
        self._batches: collections.OrderedDict[int, Batch] = collections.OrderedDict()
        self._cached = 0
        self._starts = trajectory.timesteps  # of each batch: its first structure
        if not len(trajectory):
            raise ArgumentError("a pack has at least one complete batch, and this file has no frame", trajectory.path)
        if TABLE not in trajectory.tables(0, [TABLE]):
            raise ArgumentError(f"no pack: there is no table {TABLE}. gpz.open reads its frames", trajectory.path)
        rows = trajectory.tables(len(trajectory) - 1, [TABLE])[TABLE].n_rows
        self._count = int(self._starts[-1]) + rows
        if self._starts[0] != 0 or (np.diff(self._starts) <= 0).any() or not rows:
            raise CorruptError("batches do not follow each other: one is missing, or the file was changed", trajectory.path)

    @property
    def path(self) -> str | None:
        """None for a file in memory."""
        return self._trajectory.path

    @property
    def units(self) -> str:
        """LAMMPS's name."""
        return self._trajectory.units

    @property
    def bounds(self) -> dict[str, float | None]:
        """The largest error of positions and of each other column of atoms, by its name; None: exact. Of the first batch."""
        frame = self._trajectory[0]
        others = {name: bound for name, bound in frame.bounds.items() if name not in ("id", "type", "x", "y", "z")}
        return {"positions": frame.position_bound, **others}

    @property
    def n_batches(self) -> int:
        """The number of frames of the file."""
        return len(self._starts)

    @property
    def starts(self) -> np.ndarray:
        """(n_batches,) int64: of each batch, the number of its first structure."""
        return self._starts.copy()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        at = checked_integer("index", index, -(2**63), 2**63 - 1, "the number of a structure")
        if not -len(self) <= at < len(self):
            raise IndexError(f"no structure {at}: there are {len(self)}")
        at %= len(self)
        number = int(np.searchsorted(self._starts, at, "right")) - 1
        return _structure(self._batch(number), at - int(self._starts[number]))

    def __iter__(self) -> Iterator[Structure]:
        for number in range(self.n_batches):
            batch = self._batch(number)
            for row in range(len(batch.ends)):
                yield _structure(batch, row)

    def shuffled(self, seed: int, batches: int = 16) -> np.ndarray:
        """(structures,) int64: the numbers of all structures in a random order, in which each batch is decoded once if the cache holds
        `batches` of them: batches come in a random order, and structures are shuffled within groups of so many batches."""
        checked_integer("batches", batches, 1, 2**31, "a number of batches from 1 on")
        random = np.random.default_rng(checked_integer("seed", seed, 0, 2**64 - 1, "a whole number from 0 on"))
        ends = np.append(self._starts[1:], len(self))
        order = random.permutation(self.n_batches)
        groups = [order[k : k + batches] for k in range(0, len(order), batches)]
        found = [np.concatenate([np.arange(self._starts[b], ends[b]) for b in group]) for group in groups]
        return np.concatenate([random.permutation(group) for group in found])

    def _batch(self, number: int) -> Batch:
        with self._lock:
            found = self._batches.pop(number, None)
            if found is None:
                found = self._decoded(number)
                self._cached += found.size
            self._batches[number] = found  # the last one that was used
            while self._cached > self._limit and len(self._batches) > 1:
                self._cached -= self._batches.popitem(last=False)[1].size
            return found

    def _decoded(self, number: int) -> Batch:
        table = self._trajectory.tables(number, [TABLE]).get(TABLE, {})
        frame = self._trajectory[number].load()
        of_structures = joined(table)
        counts = of_structures.get("atoms", np.zeros(0, np.int64))
        after = self._starts[number + 1] if number + 1 < self.n_batches else self._count
        if (
            not _fits(of_structures)
            or len(counts) != after - self._starts[number]
            or (counts < 1).any()
            or (counts > frame.n_particles).any()
            or counts.sum() != frame.n_particles
            or frame.position_columns is None
            or frame.types is None
        ):
            raise CorruptError(
                f"batch {number}: the table {TABLE} does not fit its frame: one is missing, or the file was changed",
                self._trajectory.path,
            )
        of_atoms = {"numbers": self._numbers_of(frame.types), "positions": frame.positions}
        used = {"id", "type", *frame.position_columns}
        for name in ("forces", "velocities"):
            if getattr(frame, name) is not None:
                of_atoms[name] = getattr(frame, name)
                used.update(VECTORS[name])
        others = joined({name: frame[name] for name in frame if name not in used})
        return Batch(np.cumsum(counts), {**others, **of_atoms}, of_structures)

    def _numbers_of(self, types: np.ndarray) -> np.ndarray:
        """Atomic numbers. CorruptError for types that are no element."""
        elements = self._trajectory.elements
        if (types < 1).any() or (types > len(elements)).any():
            raise CorruptError("a type is none of the elements of the file", self.path)
        return np.array([NUMBERS.get(symbol, 0) for symbol in elements], np.int64)[types - 1]

    def close(self) -> None:
        """Closes the file. Structures that were read stay."""
        with self._lock:
            self._trajectory.close()
            self._batches.clear()
            self._cached = 0

    def __enter__(self) -> Pack:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"trajectory": self._trajectory, "cache": self._limit}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["trajectory"], state["cache"])  # type: ignore[misc]

    def __repr__(self) -> str:
        name = _core.printable(self._trajectory._file.name)
        return f"<gpz.pack.Pack {name}: {len(self)} structures in {self.n_batches} batches>"


def _fits(of_structures: dict[str, np.ndarray]) -> bool:
    """Whether the columns of the table that are fields have the kinds and shapes of these."""
    return all(
        (values.dtype.kind, values.shape[1:]) == OF_TABLE[name] for name, values in of_structures.items() if name in OF_TABLE
    )


def _structure(batch: Batch, row: int) -> Structure:
    """Copies, which their owner may change."""
    start, end = int(batch.ends[row - 1]) if row else 0, int(batch.ends[row])
    made = Structure.__new__(Structure)  # its values have been checked when they were written
    arrays = {name: values[start:end].copy() for name, values in batch.of_atoms.items()}
    made.numbers, made.positions = arrays.pop("numbers"), arrays.pop("positions")
    made.forces, made.velocities = arrays.pop("forces", None), arrays.pop("velocities", None)
    made.arrays = arrays
    of_row = {name: values[row] for name, values in batch.of_structures.items()}
    cell, axes, energy = of_row.get("cell"), int(of_row.get("pbc", 0)), of_row.get("energy")
    made.cell = np.zeros((3, 3)) if cell is None else np.array(cell).reshape(3, 3)
    made.pbc = np.array([axes >> k & 1 for k in range(3)], bool)
    made.energy = None if energy is None else float(energy)
    made.stress = None if "stress" not in of_row else of_row["stress"].copy()
    made.info = {name: _plain(value) for name, value in of_row.items() if name not in OF_TABLE}
    return made


def _plain(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value.item() if isinstance(value, np.generic) else value


def open(path: Any, *, cache: int = USUAL_CACHE, threads: int = 1, max_memory: int | None = None, remote: Any = None) -> Pack:
    """Opens a pack.

    path, max_memory, remote: as of gpz.open.
    cache: bytes of decoded batches that are kept, those that were used last. The last one is kept always. A data set that fits is
        decoded once.
    threads: for decoding one batch.

    gpz.ArgumentError if the file is no pack; otherwise errors as of gpz.open.
    """
    cache = checked_integer("cache", cache, 0, 2**63 - 1, "a number of bytes from 0 on")
    trajectory = gpz.open(path, threads=threads, max_memory=max_memory, remote=remote)
    try:
        return Pack(trajectory, cache)
    except BaseException:
        trajectory.close()
        raise
