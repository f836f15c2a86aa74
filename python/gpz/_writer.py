# SPDX-License-Identifier: BSD-3-Clause
"""Writes .gpz files."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpz import _box, _checks, _core, _origins, _positions
from gpz._box import Box
from gpz._errors import ArgumentError
from gpz._frame import SCALARS, VECTORS, Frame
from gpz._head import DISPLAYS

DISPLAY_NUMBERS = {name: number for number, name in DISPLAYS.items()}
# By the numbers of the library.
ORDERS = ("place", "id", "memory", "auto")
EFFORTS = ("fast", "standard", "dense")


class Writer:
    """Writes a .gpz file, frame by frame.

        with gpz.Writer("out.gpz", units="metal", elements=["Cu"], bound=1e-3) as writer:
            writer.write(positions=x, ids=ids, types=types, box=[36.1, 36.1, 36.1], timestep=0)

    path: the file, which is replaced; or the descriptor of a pipe, or a file object that has one (fileno()).
    units: LAMMPS's name: lj, real, metal, si, cgs, electron, micro, nano.
    elements, type_labels: texts, [t - 1] for type t.
    metadata: further entries as Trajectory.metadata has them: generator, atom_style, command, timestep_size.
    bound: the largest error of a coordinate, distance units, in every frame and without exception. 0: positions are
        exact. None: that of the units, 0.0005 Angstrom in real and metal; 0.0005 where no units are named.
    bounds: of other float columns, in their units: {"velocities": 1e-4, "c_pe": 1e-3}. Without one they are exact, as
        integers are.
    key_interval: every so manieth frame can be decoded without others. The others need ids: they are stored as differences,
        which is smaller; whoever reads one decodes from the key frame on.
    order: of particles in key frames. "auto": by id; frames without ids get the ids 1, 2, ..., so that arrays come back in
        the order given. "id": by id where there are ids. "place": sorted by position, faster to write. "memory": in the order
        of the arrays where that is smaller, as along the lines of a scan.
    effort: time that is spent on a smaller file, which decodes to the same values. "fast". "standard": bonds of molecules
        are predicted, and there is a better code. "dense": all there is.
    append: adds to the frames of an existing file, whose metadata stay. Of an effort it takes what the file allows
        (Trajectory.metadata["features"]).
    threads: for encoding; 1: the caller's thread, 0: all cores. The bytes do not depend on it.

    After every call the file has complete frames only. When the `with` block ends it gets its index, also if it ends by an
    exception. Raises gpz.FileError (an OSError), gpz.ArgumentError (a ValueError).
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
        bounds: Mapping[str, float] | None = None,
        key_interval: int = 100,
        order: str = "auto",
        effort: str = "standard",
        append: bool = False,
        threads: int = 1,
    ):
        if order not in ORDERS:
            raise ArgumentError(f'order is "auto", "id", "place" or "memory", not {order!r}')
        effort = "standard" if effort == "default" else effort
        if effort not in EFFORTS:
            raise ArgumentError(f'effort is "fast", "standard" or "dense", not {effort!r}')
        _checks.require_units(units)
        described = described_by(metadata, units, elements, type_labels)
        self._units = described.get("units", "")
        self._bound = None if bound is None else _checks.checked_bound("bound", bound)
        self._bounds = _checks.columns_of_bounds(bounds or {})
        self._unchecked = bool(self._bounds)  # until there is a frame
        self._file: Any = None  # a file object is kept open
        threads = operator.index(threads)
        key_interval = operator.index(key_interval)
        if isinstance(path, (str, bytes, os.PathLike)):
            if append and os.path.exists(path) and os.path.getsize(path):
                file = _core.Reader.open(os.fsencode(path), _core.default_memory_limit())
                self._units = file.metadata["units"]
            self._writer = _core.Writer.open(os.fsencode(path), described, append, threads)
        else:
            if append:
                raise ArgumentError("append needs the path of a file")
            self._file = path
            descriptor = path.fileno() if hasattr(path, "fileno") else operator.index(path)
            name = getattr(path, "name", None)
            name = name if isinstance(name, str) else "stream"
            self._writer = _core.Writer.of_descriptor(descriptor, name, described, threads)
        self._closed = False
        self._writer.set_key_interval(key_interval)
        self._writer.set_order(ORDERS.index(order))
        self._writer.set_effort(EFFORTS.index(effort))

    @property
    def n_frames(self) -> int:
        """Frames of the file so far, with those that were appended to."""
        return self._writer.n_frames

    @property
    def size(self) -> int:
        """Bytes of the file so far."""
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
        **columns: npt.ArrayLike,
    ) -> None:
        """Compresses a frame and writes it.

        positions: (N, 3), distance units, or (N, 2) in two dimensions. velocities, forces, images: (N, 3), or (N, 2).
        ids, types: (N,) integers. Any other column by its name: (N,) integers or floats. Floats are stored as float64 or
        float32, as they come. Positions can also be given as columns: xu=..., yu=..., zu=..., or xs ys zs, for which the
        bound is that of the distance.
        box: a Box, or three lengths, or three edge vectors as rows, with the origin at 0 and periodic.
        timestep: None: the number of the frame.
        time: in time units; None: unknown.
        frame: of another file, with all its columns, box and times; what else is given replaces that of the frame.
        origin: the frame of another file that positions or columns were computed from, or a gpz.Origin for each of them.

        The bounds of what comes from another file hold for the original values. Without a bound of the writer its values
        keep their bits, and their bound. With a larger one, the error of that file and the one that is added are within
        it together; where this would not make the file smaller, the values stay as they are. A smaller one is a
        gpz.ArgumentError. Of plain arrays, bounds hold for what is in the arrays.
        """
        if self._closed:
            raise ValueError("the writer is closed")
        given: dict[str, np.ndarray] = {}
        if positions is not None:
            given.update(split("positions", positions, _positions.FORMS[0]))
        for name, values in (("ids", ids), ("types", types)):
            if values is not None:
                given[SCALARS[name]] = column_of(name, values)
        for name, values in (("velocities", velocities), ("forces", forces), ("images", images)):
            if values is not None:
                given.update(split(name, values, VECTORS[name]))
        given.update({name: column_of(name, values) for name, values in columns.items()})
        kept = KeptColumns(frame, given, positions is not None)
        if origin is not None:
            vectors = {**VECTORS, "positions": _positions.FORMS[0]}
            kept.origins.update(_origins.of_argument(origin, list(given), vectors))
        values = {**kept.values, **given} if positions is None else {**given, **kept.values}
        if self._unchecked:
            _checks.require_columns(self._bounds, values)
        if frame is not None:
            timestep = frame.timestep if timestep is None else timestep
            time = frame.time if time is None else time
        timestep = self.n_frames if timestep is None else operator.index(timestep)
        _checks.require_plain("time", time)
        names = _positions.find({name: array for name, array in values.items() if array.dtype.kind == "f"})
        made = as_box(box, 2 if names is not None and len(names) == 2 else 3)
        made = frame.box if made is None and frame is not None else made
        self._write(values, kept, names, made, timestep, time)

    def _write(self, values: dict[str, np.ndarray], kept: KeptColumns, names, box, timestep: int, time) -> None:
        lengths = {name: len(array) for name, array in values.items()}
        if len(set(lengths.values())) > 1:
            raise ArgumentError(f"the arrays of a frame have one length, not {lengths}")
        packed = _box.to_library(box)
        groups = ([names] if names else []) + [(name,) for name in values if name not in (names or ())]
        fields = []
        for group in groups:
            arrays = [values[name] for name in group]
            origin = _origins.joined([kept.origins.get(name) for name in group])
            bound, step, packed_origin = self._bound_of(group, arrays, origin, kept.unchanged, packed)
            arrays = _origins.in_type(origin, bound, step, arrays)
            display = DISPLAY_NUMBERS[kept.displays.get(group[0], "number")]
            fields.append((list(group), list(arrays), display, group is names, bound, step, packed_origin))
        seconds = math.nan if time is None else float(time)
        self._writer.write(next(iter(lengths.values()), 0), timestep, seconds, packed, fields)
        self._unchecked = False

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
        return _origins.choose(origin, arrays, asked, usual, unchanged.issuperset(group))

    def sync(self) -> None:
        """Returns when all frames are on the disk."""
        self._writer.sync()

    def close(self) -> None:
        """Writes the index and closes the file."""
        if not self._closed:
            self._closed = True
            self._writer.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()


class KeptColumns:
    """What a frame of another file has beside what is given.

    values: by column. displays: of columns. origins: of columns of floats. unchanged: columns that nobody has changed.
    """

    def __init__(self, frame: Frame | None, given: Mapping[str, np.ndarray], replaces_positions: bool):
        self.values: dict[str, np.ndarray] = {}
        self.displays: dict[str, str] = {}
        self.origins: dict[str, _origins.Origin] = {}
        self.unchanged: set[str] = set()
        if frame is None:
            return
        handed_out = frame.handed_out()
        frame.load()
        positions = frame.position_columns or ()
        replaced = (*_positions.FORMS[0], *positions) if replaces_positions else ()
        names = [*positions, *(name for name in frame if name not in positions)]
        # Fractions of the box stay fractions.
        self.values = {name: frame[name] for name in names if name not in given and name not in replaced}
        self.displays = {name: column.display for name, column in frame.column_info.items()}
        self.origins = _origins.of_columns(frame, list(self.values))
        self.unchanged = set(self.values) - handed_out


def described_by(metadata, units, elements, type_labels) -> dict[str, Any]:
    """The metadata of a file as gpz._core takes them."""
    described = dict(metadata or {})
    texts = {"units": units, "elements": elements, "type_labels": type_labels}
    described.update({name: value for name, value in texts.items() if value is not None})
    described.setdefault("generator", f"gpz {_core.version} (Python)")
    for name in ("elements", "type_labels", "columns"):
        if name in described:
            described[name] = [str(text) for text in described[name]]
    return described


def column_of(name: str, values: npt.ArrayLike) -> np.ndarray:
    """(N,): an array that the library takes, without a copy where that is possible."""
    _checks.require_plain(name, values)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ArgumentError(f"{name}: the array has the shape {array.shape}, not (N,)")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and array.size and array.max() > np.iinfo(np.int64).max:
        raise ArgumentError(f"{name}: integers have at most 63 bits and a sign")
    if array.dtype.kind in "biu":
        native: type = np.int32 if array.dtype == np.int32 else np.int64
    elif array.dtype.kind == "f":
        native = np.float32 if array.dtype.itemsize <= 4 else np.float64
    else:
        raise ArgumentError(f"{name}: the array is of {array.dtype}, not of numbers")
    aligned = all(stride % array.itemsize == 0 for stride in array.strides)
    return array.astype(native, copy=not aligned)


def split(name: str, values: npt.ArrayLike, columns: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The columns of an (N, 3) or (N, 2) array, which they are views of."""
    _checks.require_plain(name, values)
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ArgumentError(f"{name}: the array has the shape {array.shape}, not (N, 3) or (N, 2)")
    if name in ("positions", "velocities", "forces") and array.dtype.kind in "biu":
        array = array.astype(np.float64)
    return {columns[k]: column_of(name, array[:, k]) for k in range(array.shape[1])}


def as_box(box: Box | npt.ArrayLike | None, dimension: int) -> Box | None:
    _checks.require_plain("box", box)
    if box is None:
        return None
    if not isinstance(box, Box):
        values = np.asarray(box, np.float64)
        if values.shape not in ((3,), (3, 3)):
            raise ArgumentError(
                f"box: a gpz.Box, three lengths or three edge vectors, not an array of the shape {values.shape}"
            )
        box = Box.from_vectors(np.diag(values) if values.ndim == 1 else values, dimension=dimension)
    _checks.require_box(box)
    return box
