# SPDX-License-Identifier: BSD-3-Clause
"""Frames of H5MD files, for timesteps of MDAnalysis.

MDAnalysis's own reader takes the first group of particles without a word, wants a unit for every number and a box that changes
with time, and ignores ids, boundaries and different intervals of positions and velocities.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import h5py
import numpy as np
from MDAnalysis.coordinates.timestep import Timestep
from MDAnalysis.lib.mdamath import triclinic_box
from MDAnalysis.units import convert

import gpz

T = TypeVar("T")

# By the quantity of gpz.mdanalysis.units.Units: what MDAnalysis calls a unit of H5MD, and the unit of its timesteps.
UNITS: dict[str, tuple[str, dict[str, str]]] = {
    "time": ("ps", {"ps": "ps", "fs": "fs", "ns": "ns", "s": "s", "sec": "s", "second": "s", "AKMA": "AKMA"}),
    "length": ("A", {"Angstrom": "A", "angstrom": "A", "A": "A", "nm": "nm", "pm": "pm", "fm": "fm"}),
    "velocity": (
        "A/ps",
        {
            "Angstrom ps-1": "A/ps",
            "A ps-1": "A/ps",
            "Angstrom fs-1": "A/fs",
            "A fs-1": "A/fs",
            "Angstrom AKMA-1": "Angstrom/AKMA",
            "A AKMA-1": "Angstrom/AKMA",
            "nm ps-1": "nm/ps",
            "nm ns-1": "nm/ns",
            "pm ps-1": "pm/ps",
            "m s-1": "m/s",
        },
    ),
    "force": (
        "kJ/(mol*Angstrom)",
        {
            "kJ mol-1 Angstrom-1": "kJ/(mol*Angstrom)",
            "kJ mol-1 nm-1": "kJ/(mol*nm)",
            "Newton": "Newton",
            "N": "N",
            "J m-1": "J/m",
            "kcal mol-1 Angstrom-1": "kcal/(mol*Angstrom)",
            "kcal mol-1 A-1": "kcal/(mol*Angstrom)",
        },
    ),
}
# By the elements that are read: what their units are of, and where a timestep has them.
QUANTITIES = {"position": ("length", "positions"), "velocity": ("velocity", "velocities"), "force": ("force", "forces")}
BOUNDARIES = {"periodic": "pp", "none": "ff"}  # H5MD's words, LAMMPS's letters
READ = {*QUANTITIES, "id", "box"}


class Given(NamedTuple):
    """Data of a frame other than its timestep. boundary: of its box, as in gpz.Box. edges: (3, 3) Angstrom, of a box that is turned.
    time: ps, or the number of a file without units; NaN: the file has none. ids: (N,), ascending; None: the file has none."""

    boundary: str
    edges: np.ndarray | None
    time: float
    ids: np.ndarray | None


class Element:
    """A quantity of H5MD: `values` by frames, or one value that does not change. steps, times: (frames,), None where it does not
    change or has none."""

    def __init__(self, group: Any, name: str):
        found = group[name]
        self.name = f"{group.name}/{name}"
        self.varies = isinstance(found, h5py.Group)
        self.values = found["value"] if self.varies else found
        frames = len(self.values) if self.varies else 1
        self.steps = _series(found, "step", frames) if self.varies else None
        self.times = _series(found, "time", frames) if self.varies else None
        self.unit = _unit(self.values)
        self.unit_of_time = _unit(found["time"]) if self.times is not None else None

    def rows(self, of: Element) -> np.ndarray:
        """(frames of the other element,): where this one has the same steps; -1 where it has no value for a step."""
        if not self.varies or not of.varies:
            return np.zeros(of.frames, np.int64)
        if self.steps is None or of.steps is None or np.array_equal(self.steps, of.steps):
            if self.frames != of.frames:
                raise gpz.CorruptError(f"{self.name} has {self.frames} frames, {of.name} has {of.frames}, and steps are missing")
            return np.arange(of.frames)
        order = np.argsort(self.steps, kind="stable")
        ascending = self.steps[order]
        if (np.diff(ascending) == 0).any():
            raise gpz.UnsupportedError(f"{self.name} has two values of one step, and other steps than {of.name}")
        places = np.minimum(np.searchsorted(ascending, of.steps), len(order) - 1)
        return np.where(ascending[places] == of.steps, order[places], -1)

    @property
    def frames(self) -> int:
        """How many values there are."""
        return len(self.values) if self.varies else 1

    def at(self, row: int) -> np.ndarray:
        """The value of a row."""
        return _asked(lambda: np.asarray(self.values[row] if self.varies else self.values[()]), self.name)


class H5mdReader:
    """A reader like those of MDAnalysis: `n_atoms`, `n_frames`, and timesteps by iteration, in its units. Numbers without units
    are left as they are. group: of the particles; None: the first one that has positions.

    notes: what of the file is not read.

    Raises gpz.ArgumentError for a group that the file does not have, gpz.CorruptError for a file that is not H5MD, and
    gpz.UnsupportedError for units that are not known, and for other than three dimensions.
    """

    def __init__(self, path: str | os.PathLike, group: str | None = None, **_of_other_formats: Any):
        self._file = h5py.File(os.fspath(path), "r")
        try:
            self._prepare(group)
        except BaseException:
            self._file.close()
            raise

    def _prepare(self, group: str | None) -> None:
        chosen, others = _chosen(self._file, group)
        self._elements = {name: Element(chosen, name) for name in QUANTITIES if name in chosen}
        if not self._elements:
            raise gpz.CorruptError(f"the group {chosen.name} has no position, velocity or force")
        self._frames = self._elements.get("position") or next(iter(self._elements.values()))
        self.n_frames = self._frames.frames
        for element in self._elements.values():
            shape = element.values.shape[1:] if element.varies else element.values.shape
            if len(shape) != 2 or shape[1] != 3:
                raise gpz.UnsupportedError(f"{element.name}: numbers of the shape {shape}, where three for each particle are read")
        self.n_atoms = int(self._frames.values.shape[-2])
        for element in self._elements.values():
            if element.values.shape[-2] != self.n_atoms:
                raise gpz.CorruptError(f"{element.name} has {element.values.shape[-2]} particles, {self._frames.name} has {self.n_atoms}")
        self._rows = {name: element.rows(self._frames) for name, element in self._elements.items()}
        units = {name: element.unit for name, element in self._elements.items()} | {"position": _unit_of_lengths(chosen)}
        self._factors = {name: _factor(QUANTITIES[name][0], units[name], element.name) for name, element in self._elements.items()}
        self._time_factor = _factor("time", self._unit_of_time(), f"{self._frames.name}/time")
        self.notes: list[str] = []
        self._ids = Element(chosen, "id") if "id" in chosen else None
        self._id_rows = None if self._ids is None else self._ids.rows(self._frames)
        self._prepare_box(chosen)
        self._note_rest(chosen, others)

    def _unit_of_time(self) -> str | None:
        return next((unit for one in self._elements.values() if (unit := one.unit_of_time) is not None), None)

    def _prepare_box(self, chosen: Any) -> None:
        self._edges, self._boundary = None, "pp pp pp"
        box = chosen.get("box")
        if box is None:
            return
        dimension = int(box.attrs.get("dimension", 3))
        if dimension != 3:
            raise gpz.UnsupportedError(f"{box.name}: a box of {dimension} dimensions, where those of three are read")
        self._boundary = self._boundary_of(box)
        if "edges" not in box:
            return
        self._edges = Element(box, "edges")
        self._edge_factor = _factor("length", self._edges.unit or _unit_of_lengths(chosen), self._edges.name)
        self._edge_rows = self._edges.rows(self._frames)
        absent = np.flatnonzero(self._edge_rows < 0)
        if len(absent):
            step = self._frames.steps[absent[0]] if self._frames.steps is not None else absent[0]
            raise gpz.CorruptError(f"{self._edges.name} has no box for step {step} of {self._frames.name}")

    def _boundary_of(self, box: Any) -> str:
        if "boundary" not in box.attrs:
            self.notes.append(f"{box.name} names no boundary: it is taken for periodic")
            return "pp pp pp"
        words = [_text(word) for word in np.atleast_1d(box.attrs["boundary"])]
        words = words * 3 if len(words) == 1 else words
        if len(words) != 3 or not BOUNDARIES.keys() >= set(words):
            raise gpz.CorruptError(f"{box.name}: boundary {' '.join(words)}, where three of {', '.join(BOUNDARIES)} are known")
        return " ".join(BOUNDARIES[word] for word in words)

    def _note_rest(self, chosen: Any, others: Sequence[str]) -> None:
        if others:
            self.notes.append(
                f"of the groups of particles, {_short(chosen)} ({self.n_atoms} particles) is read; left out: {', '.join(others)} "
                "(--group chooses)"
            )
        rest = [f"{_short(chosen)}/{name}" for name in chosen if name not in READ]
        rest += [name for name in self._file if name not in ("h5md", "particles")]
        if rest:
            self.notes.append(f"of the H5MD file, these are left out: {' '.join(rest)}")

    # --- Frames ---

    def __iter__(self) -> Iterator[Timestep]:
        return self[range(self.n_frames)]

    def __getitem__(self, numbers: Sequence[int]) -> Iterator[Timestep]:
        return (self._timestep(number) for number in numbers)

    def _timestep(self, number: int) -> Timestep:
        rows = {name: int(of[number]) for name, of in self._rows.items() if of[number] >= 0}
        ts = Timestep(self.n_atoms, **{vector: name in rows for name, (_, vector) in QUANTITIES.items()})
        ids, order = self._ids_of(number)
        for name, row in rows.items():
            values = self._elements[name].at(row).astype(np.float32)
            if self._factors[name] != 1:
                values *= np.float32(self._factors[name])
            setattr(ts, QUANTITIES[name][1], values if order is None else values[order])
        ts.frame = number
        ts.data["step"] = number if self._frames.steps is None else int(self._frames.steps[number])
        time = math.nan if self._frames.times is None else float(self._frames.times[number]) * self._time_factor
        ts.dimensions, edges = self._box_of(number)
        self.given = Given(self._boundary, edges, time, ids)
        return ts

    def _ids_of(self, number: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """The ids in ascending order, and the places of their particles; None for places in this order already."""
        if self._ids is None:
            return None, None
        row = int(self._id_rows[number])
        if row < 0:
            raise gpz.CorruptError(f"{self._ids.name} has no ids for frame {number}")
        ids = self._ids.at(row)
        if ids.shape != (self.n_atoms,) or ids.dtype.kind not in "iu":
            raise gpz.CorruptError(f"{self._ids.name}: {ids.dtype} of the shape {ids.shape}, where each particle has a whole number")
        ids = ids.astype(np.int64)
        if (ids < 0).any():
            raise gpz.UnsupportedError(
                f"frame {number}: {(ids < 0).sum()} of {self.n_atoms} places have no particle (id -1), and only files whose number of "
                "particles stays the same are read"
            )
        order = None if (np.diff(ids) > 0).all() else np.argsort(ids, kind="stable")
        return (ids, None) if order is None else (ids[order], order)

    def _box_of(self, number: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Lengths and angles as MDAnalysis has them; and the edges, Angstrom, where MDAnalysis would turn them."""
        if self._edges is None:
            return None, None
        edges = self._edges.at(int(self._edge_rows[number]))
        if edges.shape not in ((3,), (3, 3)):
            raise gpz.CorruptError(f"{self._edges.name}: edges of the shape {edges.shape}, where three lengths or three vectors are known")
        if edges.shape == (3, 3) and np.triu(edges, 1).any():
            return None, edges.astype(np.float64) * self._edge_factor
        if edges.shape == (3, 3) and not edges.any(axis=1).all():
            return None, edges.astype(np.float64) * self._edge_factor
        found = [*edges, 90, 90, 90] if edges.shape == (3,) else triclinic_box(*edges)
        dimensions = np.array(found, np.float32)
        dimensions[:3] *= np.float32(self._edge_factor)
        return dimensions, None

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> H5mdReader:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()


def without_units(path: Path, group: str | None = None) -> tuple[str, ...]:
    """The quantities ("length", "time", "velocity", "force") whose unit the file does not name. Empty if the file cannot be
    read."""
    try:
        with h5py.File(path, "r") as file:
            chosen, _ = _chosen(file, group)
            elements = {name: Element(chosen, name) for name in QUANTITIES if name in chosen}
            units = {name: element.unit for name, element in elements.items()} | {"position": _unit_of_lengths(chosen)}
            bare = [QUANTITIES[name][0] for name in elements if units[name] is None]
            timed = [element for element in elements.values() if element.times is not None]
            if timed and all(element.unit_of_time is None for element in timed):
                bare.append("time")
            return tuple(bare)
    except (OSError, KeyError, ValueError, AttributeError, gpz.Error):
        return ()  # whoever reads it says why


def set_boundary(path: Path, box: gpz.Box | None) -> None:
    """Says in a file that MDAnalysis has written, and called periodic, in which directions the box is."""
    if box is None or all(box.periodic):
        return
    with h5py.File(path, "r+") as file:
        for group in file["particles"].values():
            if "edges" not in group["box"]:
                continue  # of an edge of length 0 MDAnalysis makes no box
            group["box"].attrs["boundary"] = ["periodic" if axis else "none" for axis in box.periodic]


def _chosen(file: Any, group: str | None) -> tuple[Any, list[str]]:
    """The group of particles, and the others with how many they have."""
    particles = file.get("particles")
    groups = [] if particles is None else [name for name in particles if isinstance(particles[name], h5py.Group)]
    if not groups:
        raise gpz.CorruptError("it has no group of particles, as H5MD files have")
    if group is None:
        group = next((name for name in groups if "position" in particles[name]), groups[0])
    if group not in groups:
        raise gpz.ArgumentError(f"group: {group!r} is none of the groups of particles, which are {', '.join(groups)}")
    return particles[group], [_counted(particles[name]) for name in groups if name != group]


def _counted(group: Any) -> str:
    for name in QUANTITIES:
        values = group.get(f"{name}/value", group.get(name))
        if isinstance(values, h5py.Dataset) and values.ndim >= 2:
            return f"{_short(group)} ({values.shape[-2]} particles)"
    return _short(group)


def _short(group: Any) -> str:
    return str(group.name).rpartition("/")[2]


def _series(group: Any, name: str, frames: int) -> np.ndarray | None:
    """Steps or times of the values: listed, or by their distance. None if there are none."""
    if name not in group:
        return None
    dataset = group[name]
    found = _asked(lambda: np.asarray(dataset[()]), f"{group.name}/{name}")
    if found.ndim == 0:
        return found * np.arange(frames) + dataset.attrs.get("offset", 0)
    if found.shape != (frames,):
        raise gpz.CorruptError(f"{group.name}/{name} has {len(found)} numbers, and there are {frames} values")
    return found


def _unit(dataset: Any) -> str | None:
    found = dataset.attrs.get("unit")
    return None if found is None else _text(found) or None


def _unit_of_lengths(chosen: Any) -> str | None:
    """The unit of the positions, else of the box edges; None if neither has one."""
    elements = [Element(group, name) for group, name in ((chosen, "position"), (chosen.get("box"), "edges")) if group and name in group]
    return next((element.unit for element in elements if element.unit is not None), None)


def _factor(quantity: str, unit: str | None, name: str) -> float:
    """The factor from this unit to that of MDAnalysis; 1 without a unit."""
    if unit is None:
        return 1.0
    base, known = UNITS[quantity]
    if unit not in known:
        raise gpz.UnsupportedError(f"{name}: the unit {unit!r} is not known; known are {', '.join(known)}")
    return float(convert(1.0, known[unit], base))


def _text(value: Any) -> str:
    """The text of an attribute, which may have a fixed length."""
    value = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
    return (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)).strip("\0 ")


def _asked(action: Callable[[], T], name: str) -> T:
    try:
        return action()
    except (OSError, RuntimeError) as error:  # of HDF5
        raise gpz.CorruptError(f"HDF5 cannot read {name}: {' '.join(str(error).split())}") from None
