# SPDX-License-Identifier: BSD-3-Clause
"""Writes .gpz files."""

from __future__ import annotations

import gc
import math
import os
import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpz import _box, _checks, _columns, _core, _files, _origins, _positions, _tables
from gpz._arguments import (
    checked_flag,
    checked_integer,
    checked_number,
    numbers_of,
    require_plain,
    shown,
)
from gpz._box import Box
from gpz._coding import Coding
from gpz._errors import ArgumentError
from gpz._frame import Frame
from gpz._head import DISPLAYS
from gpz._metadata import Existing, given_metadata, require_same_meaning

DISPLAY_NUMBERS = {name: number for number, name in DISPLAYS.items()}
WITHIN = 1 + 2.0**-20  # bounds that are half of a grid have been rounded


@dataclass
class Given:
    """The arguments of Writer.write. check() takes what is missing from the frame, and leaves values as the library has them."""

    frame: Any
    arguments: dict[str, Any]  # arrays with arguments of their own
    columns: dict[str, Any]  # others
    box: Any
    timestep: Any
    time: Any
    origin: Any
    grid: Any
    observables: Any

    def check(self, next_step: int) -> None:
        """TypeError or ArgumentError. next_step: without another."""
        frame = self.frame
        if frame is not None:
            self.timestep = frame.timestep if self.timestep is None else self.timestep
            self.time = frame.time if self.time is None else self.time
            self.observables = frame.observables if self.observables is None else self.observables
        self.observables = [] if self.observables is None else _tables.packed_observables(self.observables)
        self.timestep = next_step if self.timestep is None else self.timestep
        self.timestep = checked_integer("timestep", self.timestep, -(2**63), 2**63 - 1, "a whole number of 64 bits")
        self.time = math.nan if self.time is None else checked_number("time", self.time)
        if math.isinf(self.time):
            raise ArgumentError(f"time: a finite number, or None where it is not known, not {self.time}")


class Writer:
    """Writes a .gpz file, frame by frame.

        with gpz.Writer("out.gpz", units="metal", elements=["Cu"], bound=1e-3) as writer:
            writer.write(positions=x, ids=ids, types=types, box=[36.1, 36.1, 36.1], timestep=0)

    path: the file, which is replaced, unless a Trajectory of this program has it open; another writer must not have it open; or the descriptor of a pipe; or a binary file object, such as sys.stdout.buffer,
        io.BytesIO() or gzip.open(...), in which the file begins where the object is. File objects are not closed.
    units: LAMMPS's name: lj, real, metal, si, cgs, electron, micro, nano.
    elements, type_labels: lists of texts, [t - 1] for type t. Types beyond them are refused.
    metadata: further entries as Trajectory.metadata has them: generator, atom_style, command, timestep_size,
        reference, reference_grid.
    bound: the largest error of a coordinate, distance units, in every frame and without exception. 0: positions are
        exact. None: that of the units, 0.0005 Angstrom in real and metal; 0.0005 where no units are named.
    bounds: of other float columns, in their units: {"velocities": 1e-4, "c_pe": 1e-3}. Without one they are exact, as
        integers are. {"velocities": "thermal"}: a thousandth of the thermal speed of the slowest species in the first
        frame, which needs types or a column mass. Observables do not change with it.
    key_interval: every Nth frame can be decoded without others. The others need ids: they are stored as differences,
        which is smaller; whoever reads one decodes from the key frame on. "auto": the fewest frames that make the file
        at most 2 % larger than 100 do, by the sizes of the first six that are written, also with `append`.
    order: of particles in key frames. "auto", "id": by id; frames without ids get the ids 1, 2, ..., so that arrays come back
        in the order given. "place": sorted by position, which is faster to write; the order of arrays without ids is
        lost then. "memory": in the order of the arrays where that is smaller, as along the lines of a scan; elsewhere frames
        without ids get the ids 1, 2, ....
    effort: time that is spent on a smaller file, which decodes to the same values. "fast". "standard": bonds of molecules
        are predicted, and there is a better code. "dense": all there is.
    append: adds to the frames of an existing file. Units, elements, type labels and other metadata are those of the file,
        bounds those of its last frame. Arguments that say otherwise are refused. Of an effort it takes what the file
        allows (Trajectory.metadata["features"]).
    threads: for encoding; 1: the caller's thread, 0: all cores. The bytes do not depend on it.

    After every call the file has complete frames only. A KeyboardInterrupt may come out of write() when the frame is in the file
    already: `n_frames` says so. When the `with` block ends it gets its index, also if it ends by an
    exception. Threads that share a writer take turns. Raises gpz.FileError (an OSError), gpz.ArgumentError (a ValueError), TypeError.
    """

    def __init__(
        self,
        path: str | os.PathLike | int | Any,
        *,
        units: str | None = None,
        elements: Sequence[str] | None = None,
        type_labels: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        bound: float | None = None,
        bounds: Mapping[str, float | str] | None = None,
        key_interval: int | str = "auto",
        order: str = "auto",
        effort: str = "standard",
        append: bool = False,
        threads: int = 1,
    ):
        append = checked_flag("append", append)
        coding = Coding(key_interval, order, effort, threads)
        given = given_metadata(metadata, units, elements, type_labels)
        self._bound = None if bound is None else _checks.checked_bound("bound", bound)
        asked = _checks.columns_of_bounds({} if bounds is None else bounds)
        self._bounds = {name: given for name, given in asked.items() if not isinstance(given, str)}
        self._thermal = asked.keys() - self._bounds.keys()  # columns whose bound the first frame says
        self._unchecked = tuple(asked)  # columns that have to be in the first frame
        self._lock = threading.RLock()  # one frame at a time: the library runs while other threads of Python do
        # Files in the order of place have no numbers of rows, and a file that is continued may be one.
        self._may_have_numbers = order != "place"
        self._has_ids: bool | None = None  # of the frames so far, other than the numbers of their rows
        self._warned: set[str] = set()
        # Nothing of the file is changed before this line.
        self._file: Any = None  # a file object is kept open
        self._writer = self._open(path, given, append, coding.threads)
        self._closed = False
        coding.set_up(self._writer)

    def _open(self, path: Any, given: dict[str, Any], append: bool, threads: int) -> Any:
        if _files.is_path(path):
            name = _files.checked_path(path)
            self._name = os.fsdecode(name)
            existing = Existing.find(name) if append else None
            if existing is not None:
                given = self._continue(existing, given)
            self._describe(given)
            try:
                return _core.Writer.open(name, given, append, threads)
            except ArgumentError:
                # Trajectories that nobody can reach any more may still have the file open.
                gc.collect()
                return _core.Writer.open(name, given, append, threads)
        if append:
            raise ArgumentError("append needs the path of a file, to read what it has")
        self._describe(given)
        self._file = path
        self._name = _files.name_of(path)
        if not _files.is_file_object(path):
            wanted = "path: a path, the descriptor of a file or pipe, or a binary file object"
            return _core.Writer.of_descriptor(_files.checked_descriptor(path, wanted), self._name, given, threads)
        _files.require_mode(path, "writable")
        descriptor = _files.descriptor_of(path)
        if hasattr(path, "flush"):
            path.flush()  # what the caller wrote comes first
        if descriptor is not None:
            return _core.Writer.of_descriptor(descriptor, self._name, given, threads)
        return _core.Writer.of_object(_files.writing(path), self._name, given, threads)

    def _continue(self, file: Existing, given: dict[str, Any]) -> dict[str, Any]:
        """Takes from the file what is not given, and returns its metadata."""
        file.require_same(given, self._bound, self._bounds)
        self._bound = file.bound if file.bound is not None else self._bound
        self._bounds = self._bounds | file.bounds
        self._thermal -= file.bounds.keys()
        self._has_ids = file.has_ids
        self._may_have_numbers = self._may_have_numbers and file.has_ids is None
        return file.metadata

    def _describe(self, described: dict[str, Any]) -> None:
        described.setdefault("generator", f"gpz {_core.version} (Python)")
        described.setdefault("reference", "arrays of a program, or what the .gpz files refer to that it copied")
        self._units = described.get("units", "")
        self._elements = described.get("elements", [])
        self._labels = described.get("type_labels", [])

    @property
    def n_frames(self) -> int:
        """Frames of the file so far, with those that were appended to."""
        with self._lock:
            return self._writer.n_frames

    @property
    def size(self) -> int:
        """Bytes of the file so far."""
        with self._lock:
            return self._writer.size

    def write(
        self,
        frame: Frame | None = None,
        *,
        positions: npt.ArrayLike | None = None,
        ids: npt.ArrayLike | None = None,
        types: npt.ArrayLike | None = None,
        velocities: npt.ArrayLike | None = None,
        forces: npt.ArrayLike | None = None,
        images: npt.ArrayLike | None = None,
        box: Box | npt.ArrayLike | None = None,
        timestep: int | None = None,
        time: float | None = None,
        origin: Frame | Mapping[str, _origins.Origin] | None = None,
        grid: float | None = None,
        observables: Mapping[str, float | tuple[float, str]] | None = None,
        **columns: npt.ArrayLike,
    ) -> None:
        """Compresses a frame and writes it.

        positions: (N, 3), distance units, or (N, 2) in two dimensions. velocities, forces, images: (N, 3), or (N, 2).
        ids, types: (N,) integers, or floats that are whole numbers. Ids are given in all frames or in none.
        Any other column by its name: (N,) integers or floats. Floats are stored as float64 or float32, as they come.
        Positions can also be given as columns: xu=..., yu=..., zu=..., or xs ys zs, for which the
        bound is that of the distance.
        box: a Box, or three lengths, or three edge vectors as rows, with the origin at 0 and periodic.
        timestep: None: the number of the frame.
        time: in time units; None: unknown.
        observables: numbers of the whole frame by their names: {"Temp": 300.0}, or with units {"Temp": (300.0, "K")}.
            None: those of `frame`; {}: none. Those of a system of which the frame has some atoms: with "Atoms", how many it has.
        frame: of another file, with all its columns, box, times and observables; what else is given replaces that of the frame, and has its
            origin. origin={} says that it has nothing to do with it.
        origin: the frame of another file that positions or columns were computed from, or a gpz.Origin for each of them.
        grid: the positions are multiples of this distance, as those of an XTC file, and are stored as these multiples. It has no
            effect where the bound allows larger steps. None: a power of ten, if all positions are multiples of one.

        The bounds of what comes from another file hold for the original values. Without a bound of the writer its values
        keep their bits, and their bound. With a larger one, the error of that file and the one that is added are within
        it together; where this would not make the file smaller, the values stay as they are. A smaller one is a
        gpz.ArgumentError. Of plain arrays, bounds hold for what is in the arrays.
        """
        arguments = {"positions": positions, "ids": ids, "types": types}
        arguments |= {"velocities": velocities, "forces": forces, "images": images}
        with self._lock:
            if self._closed:
                raise ValueError("the writer is closed")
            try:
                self._write_given(Given(frame, arguments, columns, box, timestep, time, origin, grid, observables))
            except ArgumentError as error:
                error.path = error.path or self._name
                raise

    def allow_absent(self) -> None:
        """Bounds may be of columns that the first frame does not have. A thermal one is that of the first frame with velocities."""
        self._unchecked = ()

    def write_tables(self, tables: Mapping[str, _tables.Table | Mapping[str, npt.ArrayLike]]) -> None:
        """Writes tables, which are valid for the frames that are written from now on. Each replaces an earlier one of its name.

        tables: by their names; each is a gpz.Table, a dict of columns, or a pandas DataFrame. Names that programs share:
            atoms: a row for each particle: id, and of mass, q, element, name, resname, resid, chain, segid, ... those
                that do not change.
            types: a row for each type: type, mass, label.
            bonds: type, atom1, atom2; angles, dihedrals and impropers also atom3, atom4: ids of particles.
        Numbers are in LAMMPS's units of the file. Those of another file: `writer.write_tables(trajectory.tables())`.
        """
        with self._lock:
            if self._closed:
                raise ValueError("the writer is closed")
            try:
                packed = _tables.packed_tables(tables)
                if packed:
                    self._writer.write_tables(packed)
            except ArgumentError as error:
                error.path = error.path or self._name
                raise

    def _write_given(self, given: Given) -> None:
        frame, arguments = given.frame, given.arguments
        if frame is not None and not isinstance(frame, Frame):
            raise TypeError(
                f"frame: a gpz.Frame, as of gpz.open(path)[0], not {shown(frame)}. Arrays have names: write(positions=x)"
            )
        arrays = _columns.given_columns(arguments, given.columns)
        if frame is not None:
            require_same_meaning(frame, arrays, self._units, self._elements, self._labels)
        kept = _columns.KeptColumns(frame, arrays, arguments["positions"] is not None)
        if given.origin is not None:
            kept.take_origins(given.origin, list(arrays))
        # Positions come first, as in a dump.
        values = {**kept.values, **arrays} if arguments["positions"] is None else {**arrays, **kept.values}
        if self._unchecked:
            _checks.require_columns(self._unchecked, values)
        given.check(self.n_frames)
        names = _positions.find({name: array for name, array in values.items() if array.dtype.kind == "f"})
        given.grid = 0.0 if given.grid is None else _checks.checked_grid(given.grid, names)
        box = as_box(given.box, 2 if names is not None and len(names) == 2 else 3)
        given.box = frame.box if box is None and frame is not None else box
        lengths = {name: len(array) for name, array in values.items()}
        if len(set(lengths.values())) > 1:
            raise ArgumentError(f"the arrays of a frame have one length, not {lengths}")
        are_numbers = self._may_have_numbers and "id" in values and _columns.are_row_numbers(values["id"])
        if not are_numbers:  # as frames without ids get them: in the order of memory some have them in the file
            self._require_identity(values)
        if "type" in values:
            _columns.require_known_types(values["type"], self._elements, self._labels)
        self._warn(values, names, given.box)
        self._write(values, kept, _positions.leading(names), given)
        if lengths and max(lengths.values()) and not are_numbers:
            self._has_ids = "id" in values

    def _require_identity(self, values: dict[str, np.ndarray]) -> None:
        """ArgumentError for ids in some frames only: where there are none, the library numbers the rows, and a particle
        would have another id from frame to frame."""
        count = len(next(iter(values.values()), ()))
        if not count or self._has_ids in (None, "id" in values):
            return
        if self._has_ids:
            raise ArgumentError(
                "ids: the frame has none, and the frames before it have. If row k is the particle of id k + 1: "
                f"ids=numpy.arange(1, {count + 1})"
            )
        raise ArgumentError("ids: the frame has ids, and the frames before it were given without. Give ids in all frames")

    def _warn(self, values: dict[str, np.ndarray], names, box: Box | None) -> None:
        """Warns of each matter once."""
        if "id" in values and "id" not in self._warned:
            found = _columns.repeated(values["id"])
            if found is not None:
                rows = f"ids: {found[0]} is given twice, in the rows {found[1]} and {found[2]}"
                self._say("id", f"{rows}. Whoever looks for a particle by its id finds two")
        if names and "bound" not in self._warned:
            said = _checks.bound_beyond(self._distance_bound(), box)
            if said is not None:
                self._say("bound", said)

    def _say(self, matter: str, text: str) -> None:
        self._warned.add(matter)
        warnings.warn(f"{_core.printable(self._name)}: {text}", stacklevel=5)

    def _write(self, values: dict[str, np.ndarray], kept: _columns.KeptColumns, names, given: Given) -> None:
        packed = _box.to_library(given.box)
        if names:  # one quantity has one type
            common = np.result_type(*(values[name] for name in names))
            values = values | {name: values[name].astype(common, copy=False) for name in names}
        thermal = set() if self._thermal.isdisjoint(values) else self._thermal
        if thermal:
            self._bounds |= dict.fromkeys(thermal, _checks.thermal_bound(values))
        groups = ([names] if names else []) + [(name,) for name in values if name not in (names or ())]
        fields = []
        for group in groups:
            arrays = [values[name] for name in group]
            origin = _origins.joined([kept.origins.get(name) for name in group])
            bound, step, packed_origin = self._bound_of(group, arrays, origin, kept.unchanged, packed)
            if group is names and origin is None and 2 * bound <= given.grid * WITHIN and bound > 0:
                step = given.grid
            arrays = _origins.in_type(origin, bound, step, arrays)
            display = DISPLAY_NUMBERS[kept.displays.get(group[0], "number")]
            fields.append((list(group), list(arrays), display, group is names, bound, step, packed_origin))
        count = len(next(iter(values.values()), ()))
        self._writer.write(count, given.timestep, given.time, packed, fields, given.observables)
        self._unchecked, self._thermal = (), self._thermal - thermal

    def _bound_of(self, group: tuple[str, ...], arrays: list[np.ndarray], origin, unchanged: set[str], box) -> tuple:
        """Bound, step and origin of a field."""
        if arrays[0].dtype.kind != "f":
            return 0.0, 0.0, _origins.EXACT
        usual, asked = 0.0, self._bounds.get(group[0])
        if any(group[0] in form for form in _positions.FORMS):
            edges = _core.largest_edge_sum(box) if _positions.is_scaled(group) else 1.0
            if not edges > 0:
                raise ArgumentError("positions that are fractions of a box need a box")
            usual = _checks.position_bound(self._units) / edges
            asked = None if self._bound is None else self._bound / edges
        return _origins.choose(group, origin, arrays, asked, usual, unchanged.issuperset(group))

    def _distance_bound(self) -> float:
        return _checks.position_bound(self._units) if self._bound is None else self._bound

    def sync(self) -> None:
        """Returns when all frames are on the disk. A file object is flushed."""
        with self._lock:
            self._writer.sync()
            if hasattr(self._file, "flush"):
                self._file.flush()

    def close(self) -> None:
        """Writes the index and closes the file."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._writer.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()


def as_box(box: Box | npt.ArrayLike | None, dimension: int) -> Box | None:
    require_plain("box", box)
    if box is None:
        return None
    if not isinstance(box, Box):
        values = numbers_of("box", box)
        if values.shape not in ((3,), (3, 3)):
            raise ArgumentError(
                f"box: a gpz.Box, three lengths or three edge vectors, not an array of the shape {values.shape}"
            )
        box = Box.from_vectors(np.diag(values) if values.ndim == 1 else values, dimension=dimension)
    _checks.require_box(box)
    return box
