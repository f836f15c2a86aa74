# SPDX-License-Identifier: BSD-3-Clause
"""Frames of trajectories and structures of packs as dicts of arrays, for learning. gpz.torch makes tensors of them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import gpz
import gpz.pack
from gpz import _observed, _quantities
from gpz._arguments import checked_integer, shown
from gpz._clients import of_types, type_columns
from gpz._elements import NUMBERS
from gpz._errors import ArgumentError
from gpz._frame import VECTORS
from gpz.pack.reader import USUAL_CACHE
from gpz.pack.writer import TABLE

KEYS = ("numbers", "positions", "cell", "pbc", "energy", "forces", "velocities", "stress")
Sample = dict[str, Any]


class Samples(Sequence):
    """The frames and structures of files, one after the other: [i] is a dict of arrays.

    Files are opened when they are first read, by each process for itself. Pickling keeps paths and options.
    """

    def __init__(
        self,
        paths: str | os.PathLike | Iterable[str | os.PathLike],
        *,
        keys: Sequence[str] | None = None,
        transform: Callable[[Sample], Any] | None = None,
        cache: int = USUAL_CACHE,
    ):
        self._paths = _paths(paths)
        if isinstance(keys, str) or not (keys is None or all(isinstance(key, str) for key in keys)):
            raise TypeError(f'keys: a list of names, ["positions", "forces"], not {shown(keys)}')
        if transform is not None and not callable(transform):
            raise TypeError(f"transform: a function of a sample, not {shown(transform)}")
        self._keys = None if keys is None else tuple(keys)
        self._transform = transform
        self._cache = checked_integer("cache", cache, 0, 2**63 - 1, "a number of bytes from 0 on")
        self._known_ends: np.ndarray | None = None
        self._forget()

    def _forget(self) -> None:
        """Files that another process has opened are not used here: a fork shares their descriptors and has none of their
        threads."""
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._files: dict[int, gpz.Trajectory | gpz.pack.Pack] = {}

    def _file(self, number: int) -> Any:
        """A Trajectory or a Pack."""
        if self._process != os.getpid():
            self._forget()
        with self._lock:
            if number not in self._files:
                self._files[number] = _opened(self._paths[number], self._cache)
            return self._files[number]

    def _ends(self) -> np.ndarray:
        """(files,): where the samples of each end. gpz.ArgumentError if the files are in different units."""
        if self._known_ends is None:
            self._require_one_unit()
            self._known_ends = np.cumsum([len(self._file(number)) for number in range(len(self._paths))])
        return self._known_ends

    def _require_one_unit(self) -> None:
        """ArgumentError for files of several units: samples are numbers alone."""
        units = [self._file(number).units for number in range(len(self._paths))]
        other = next((number for number, one in enumerate(units) if one != units[0]), None)
        if other is not None:
            raise ArgumentError(
                f"its units are {_named(units[other])}, and those of {self._paths[0]} {_named(units[0])}: their numbers are not mixed. "
                "Make a data set of each, with a transform that converts one of them, and join these",
                self._paths[other],
            )

    def __len__(self) -> int:
        return int(self._ends()[-1])

    def __getitem__(self, index: int) -> Any:
        at = checked_integer("index", index, -(2**63), 2**63 - 1, "the number of a sample")
        ends = self._ends()
        if not -ends[-1] <= at < ends[-1]:
            raise IndexError(f"no sample {at}: there are {ends[-1]}")
        at %= int(ends[-1])
        number = int(np.searchsorted(ends, at, "right"))
        file = self._file(number)
        row = at - int(ends[number - 1] if number else 0)
        sample = self._of_structure(file, row) if isinstance(file, gpz.pack.Pack) else self._of_frame(file, row)
        sample = self._converted(sample)
        return sample if self._transform is None else self._transform(sample)

    def _converted(self, sample: Sample) -> Any:
        """The argument of the transformation. Subclasses make tensors."""
        return sample

    def shuffled(self, seed: int, batches: int = 16) -> np.ndarray:
        """(samples,) int64: all numbers in a random order that decodes little twice. Files come in a random order; those of packs
        are shuffled as Pack.shuffled does it, frames of trajectories freely."""
        random = np.random.default_rng(checked_integer("seed", seed, 0, 2**64 - 1, "a whole number from 0 on"))
        starts = np.concatenate([[0], self._ends()[:-1]])
        found = []
        for number in random.permutation(len(self._paths)):
            file = self._file(number)
            own = int(random.integers(2**63))
            order = file.shuffled(own, batches) if isinstance(file, gpz.pack.Pack) else random.permutation(len(file))
            found.append(starts[number] + order)
        return np.concatenate(found)

    def _of_structure(self, pack: gpz.pack.Pack, row: int) -> Sample:
        structure = pack[row]
        found = {key: getattr(structure, key) for key in KEYS}
        found = {key: value for key, value in found.items() if value is not None}
        if self._keys is None:
            return found
        return _chosen({**structure.info, **structure.arrays, **found}, self._keys, pack.path)

    def _of_frame(self, trajectory: gpz.Trajectory, row: int) -> Sample:
        frame = trajectory[row]
        wanted = self._keys
        if wanted is None:
            wanted = tuple(key for key in ("positions", "forces", "velocities") if _has(frame, key))
        arrays = [key for key in wanted if _has(frame, key)]
        types = type_columns(frame)[:1]
        frame.load(*arrays, *types)
        found: Sample = {key: getattr(frame, key) if key in KEYS else frame[key] for key in arrays}
        if types:
            symbols = trajectory.elements
            if symbols:
                numbers = np.array([NUMBERS.get(symbol, 0) for symbol in symbols])
                found["numbers"] = of_types(frame[types[0]], numbers, 0).astype(np.int64)
            else:
                found["types"] = frame[types[0]]
        box = frame.box
        if box is not None:
            found["cell"] = np.array(box.matrix, np.float64)
            found["pbc"] = np.array(box.periodic, bool)
        observables = _observed.of_atoms(frame.observables, frame.n_particles, trajectory._file.name)
        energy = _quantities.energy_of(observables, trajectory.units)
        if energy is not None:
            found["energy"] = energy.scaled(_factor("energy", energy.style, trajectory.units))
        stress = _quantities.stress_of(observables, trajectory.units)
        if stress is not None:
            found["stress"] = stress.scaled(_stress_factor(stress.style, trajectory.units))
        if self._keys is None:
            return found
        return _chosen({**observables, **found}, self._keys, trajectory.path)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("_files", "_lock", "_process"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} of {len(self._paths)} files>"


def _paths(paths: Any) -> list[str]:
    if not isinstance(paths, (str, os.PathLike)) and not isinstance(paths, Iterable):
        raise TypeError(f"paths: a path or a list of paths, not {shown(paths)}")
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not several:
        raise ArgumentError("paths: there is no file")
    for path in several:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"paths: a path or a list of paths, not {shown(path)}")
    return [os.fsdecode(path) for path in several]


def _opened(path: str, cache: int) -> Any:
    source = path if "://" in path else os.path.abspath(path)
    trajectory = gpz.open(source, threads=1)
    if len(trajectory) and TABLE in trajectory.tables(0, [TABLE]):
        return gpz.pack.Pack(trajectory, cache)
    return trajectory


def _factor(quantity: str, of: str, units: str) -> float:
    """One unit of a style in that of the units of a file; 1 where one of them has none."""
    unknown = ("", "lj")
    return 1.0 if of == units or of in unknown or units in unknown else _quantities.si(quantity, of) / _quantities.si(quantity, units)


def _stress_factor(of: str, units: str) -> float:
    """The factor from this unit of stress to energy by volume, in the units of the file: eV/Å^3 in metal, as in packs of ase.Atoms."""
    if of in ("", "lj") or units in ("", "lj"):
        return 1.0
    return _quantities.si("pressure", of) / (_quantities.si("energy", units) / _quantities.si("length", units) ** 3)


def _named(units: str) -> str:
    return units or "not named"


def _has(frame: gpz.Frame, key: str) -> bool:
    if key == "positions":
        return frame.position_columns is not None
    return key in frame or all(name in frame for name in VECTORS.get(key, (key,)))


def _chosen(found: Sample, keys: Sequence[str], path: str | None) -> Sample:
    for key in keys:
        if key not in found:
            raise gpz.ColumnError(f"keys: there is no {key}, but {' '.join(found)}", path)
    return {key: found[key] for key in keys}
