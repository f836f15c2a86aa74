# SPDX-License-Identifier: BSD-3-Clause
"""Files as sequences of frames."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from gpz import _core, _positions
from gpz._errors import ArgumentError, ColumnError, LimitError, path_bytes
from gpz._frame import Frame, Head, head_from_library

ORDERS = ("id", "stored")


class File:
    """An open file and how its frames are read. Trajectories that are slices of each other share one."""

    def __init__(self, source, threads: int, max_memory: int | None, order: str | None, dtype):
        if order not in (None, *ORDERS):
            raise ArgumentError(f'order is "id" or "stored", not {order!r}')
        self.source = source
        self.threads = operator.index(threads)
        self.max_memory = max_memory
        self.order = order
        self.dtype = float_dtype(dtype)
        self.open()

    def open(self) -> None:
        limit = 0 if self.max_memory is None else operator.index(self.max_memory)
        self.memory_limit = limit or _core.default_memory_limit()
        if isinstance(self.source, (bytes, bytearray, memoryview)):
            self.reader = _core.Reader.of_memory(self.source, "memory", limit)
        else:
            self.reader = _core.Reader.open(path_bytes(self.source), limit)

    def require_open(self) -> Any:
        if self.reader is None:
            raise ValueError("the trajectory is closed")
        return self.reader

    def head(self, index: int) -> Head:
        return head_from_library(*self.require_open().head(index))

    def sorts(self, head: Head, order: str | None) -> bool:
        """Whether the frame is read in the order of ids. Without ids only an explicit wish for it is an error."""
        column = head.columns.get("id")
        return order == "id" or (order is None and column is not None and column.dtype.kind == "i")

    def new_array(self, shape: tuple[int, ...], dtype) -> np.ndarray:
        """Room for decoded values. The number of particles comes from the file, and nothing has shown yet that it is true."""
        size = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
        if size > self.memory_limit:
            raise LimitError(f"{shape[0]} particles need more memory than max_memory allows ({self.memory_limit} bytes)")
        return np.empty(shape, dtype)

    def float_dtype(self, head: Head, names: Sequence[str], dtype=None) -> np.dtype:
        """Of an array for these columns: as it is asked for, else as it is stored."""
        chosen = float_dtype(dtype) or self.dtype
        return chosen or np.result_type(*(head.columns[name].dtype for name in names))

    def decode(self, index: int, head: Head, columns: Mapping[str, np.ndarray], order: str | None) -> None:
        """Decodes these columns of a frame into (N,) arrays of any strides."""
        names, arrays, detours = [], [], []
        for name, array in columns.items():
            if any(stride % array.itemsize for stride in array.strides):
                detours.append((array, array.copy()))  # strides of half an element, as in packed structured arrays
                array = detours[-1][1]
            names.append(name)
            arrays.append(array)
        self.require_open().read(index, names, arrays, self.sorts(head, order), self.threads)
        for array, values in detours:
            array[...] = values

    def read_groups(self, index: int, head: Head, groups: tuple) -> list[np.ndarray]:
        """One array for each group: (N,) for a name, (N, k) for a tuple of k names, (N, 3) for "positions"."""
        columns: dict[str, np.ndarray] = {}
        results, scaled = [], None
        for group in groups:
            if group == "positions":
                names = require_positions(head)
                result = self.new_array((head.n_particles, 3), self.float_dtype(head, names))
                if _positions.is_scaled(names):
                    scaled = result
                if len(names) == 2:
                    result[:, 2] = 0
            else:
                names = (group,) if isinstance(group, str) else group
                dtype = head.columns[names[0]].dtype
                if dtype.kind == "f":
                    dtype = self.float_dtype(head, names)
                shape = (head.n_particles,) if isinstance(group, str) else (head.n_particles, len(names))
                result = self.new_array(shape, dtype)
            for k, name in enumerate(names):
                columns.setdefault(name, result if result.ndim == 1 else result[:, k])
            results.append(result)
        self.decode(index, head, columns, self.order)
        # A column of two groups was decoded once.
        for group, result in zip(groups, results):
            names = require_positions(head) if group == "positions" else (group,) if isinstance(group, str) else group
            for k, name in enumerate(names):
                target = result if result.ndim == 1 else result[:, k]
                if not np.may_share_memory(columns[name], target):
                    target[...] = columns[name]
        if scaled is not None:
            scale(head, scaled)
        return results


def float_dtype(dtype) -> np.dtype | None:
    """The type that is asked for, None for none; errors for what is no float32 or float64."""
    if dtype is None:
        return None
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ArgumentError(f"dtype is float32 or float64, not {dtype}")
    return dtype


def require_positions(head: Head) -> tuple[str, ...]:
    names = _positions.find(head.columns)
    if names is None:
        raise ColumnError(f"no positions (x y, xu yu, xs ys or xsu ysu): there are {' '.join(head.columns)}")
    return names


def scale(head: Head, positions: np.ndarray) -> None:
    """Makes fractions of the box coordinates, in place."""
    if head.box is None:
        raise ArgumentError("the positions are fractions of a box, and the frame has none")
    positions[...] = head.box.to_cartesian(positions)


class Trajectory(Sequence):
    """A .gpz file, or some frames of it: a sequence of frames, of which none is decoded before it is asked for.

        with gpz.open("melt.gpz") as t:
            len(t), t.units, t.timesteps
            t[0].positions                 # (N, 3) in the order of ids
            for frame in t[::10]:          # every tenth frame; the next one is read on a thread meanwhile
                frame.positions, frame["vx"], frame.box.matrix

    Slices are trajectories that share the open file. Pickling keeps the path and the options: whoever unpickles it opens
    the file again.
    """

    def __init__(self, file: File, indices: range | None = None):
        self._file = file
        self._indices = range(file.reader.n_frames) if indices is None else indices

    # --- The file ---

    @property
    def path(self) -> str | None:
        """None for a file in memory."""
        return None if isinstance(self._file.source, (bytes, bytearray, memoryview)) else os.fsdecode(self._file.source)

    @property
    def metadata(self) -> dict[str, Any]:
        """generator, units, atom_style, command (texts), columns, elements, type_labels (lists of texts), timestep_size."""
        return self._file.require_open().metadata

    @property
    def units(self) -> str:
        """LAMMPS's name of the units: lj, real, metal, ...; "" if unknown."""
        return self.metadata["units"]

    @property
    def elements(self) -> list[str]:
        """Chemical symbols, [t - 1] for type t; empty if unknown."""
        return self.metadata["elements"]

    @property
    def type_labels(self) -> list[str]:
        """Type labels, [t - 1] for type t; empty if there are none."""
        return self.metadata["type_labels"]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the first frame. Other frames may have others: Frame.columns."""
        if not len(self):
            return tuple(self.metadata["columns"])
        return tuple(self._file.head(self._indices[0]).columns)

    @property
    def torn(self) -> bool:
        """Whether the file ends with bytes that are no complete frame: its writer was stopped, or still writes."""
        return self._file.require_open().torn

    @property
    def damaged(self) -> bool:
        """Whether unreadable bytes between frames were skipped."""
        return self._file.require_open().damaged

    # --- Of all frames, none of which is decoded ---

    @property
    def n_frames(self) -> int:
        return len(self._indices)

    @property
    def timesteps(self) -> np.ndarray:
        """(frames,) int64."""
        return self._of_frames(self._file.require_open().timesteps())

    @property
    def times(self) -> np.ndarray:
        """(frames,) float64, time units of the file; NaN where a frame has none."""
        return self._of_frames(self._file.require_open().times())

    @property
    def counts(self) -> np.ndarray:
        """(frames,) int64: particles of each frame."""
        return self._of_frames(self._file.require_open().counts())

    @property
    def sizes(self) -> np.ndarray:
        """(frames,) int64: bytes of each frame in the file."""
        return self._of_frames(self._file.require_open().lengths())

    @property
    def key_frames(self) -> np.ndarray:
        """(frames,) bool: which frames can be decoded without the ones before them. Reads the head of every frame."""
        return self._of_frames(self._file.require_open().since_key()) == 0

    def _of_frames(self, values: np.ndarray) -> np.ndarray:
        return values[self._indices.start : None if self._indices.stop < 0 else self._indices.stop : self._indices.step]

    def find(self, timestep: int) -> int:
        """The index of the first frame with this timestep. ValueError if there is none."""
        found = np.flatnonzero(self.timesteps == timestep)
        if not len(found):
            raise ValueError(f"no frame has the timestep {timestep}")
        return int(found[0])

    # --- Frames ---

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> Trajectory: ...
    def __getitem__(self, index):
        if isinstance(index, slice):
            return Trajectory(self._file, self._indices[index])
        return self._frame(self._position(index))

    def __iter__(self) -> Iterator[Frame]:
        asked: set = set()
        for index in self._indices:
            yield self._frame(index, asked)

    def _position(self, index: int) -> int:
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"no frame {index}: there are {len(self)}")
        return self._indices[index]

    def _frame(self, position: int, asked: set | None = None) -> Frame:
        return Frame(position, self._file.head(position), self._file.read_groups, asked)

    def read(
        self,
        index: int,
        columns: Sequence[str] | None = None,
        *,
        out: Mapping[str, np.ndarray] | None = None,
        dtype: npt.DTypeLike = None,
        order: str | None = None,
    ) -> dict[str, np.ndarray]:
        """Decodes columns of a frame, all of them if `columns` is None, in one go.

        Returns (N,) arrays by the names of the columns: int64 for integers, `dtype` (float32, float64, None: as the
        trajectory was opened) for floats. `out` has arrays, with any strides, for some or all columns: values go straight
        into them. They have N elements of int32, int64, float32 or float64.
        """
        if order not in (None, *ORDERS):
            raise ArgumentError(f'order is "id" or "stored", not {order!r}')
        position = self._position(index)
        head = self._file.head(position)
        out = out or {}
        wanted = list(dict.fromkeys([*(head.columns if columns is None and not out else columns or ()), *out]))
        arrays = {}
        for name in wanted:
            if name not in head.columns:
                raise ColumnError(f"no column {name}: there are {' '.join(head.columns)}", self.path)
            kind = head.columns[name].dtype
            if kind.kind == "f":
                kind = self._file.float_dtype(head, (name,), dtype)
            arrays[name] = out[name] if name in out else self._file.new_array((head.n_particles,), kind)
            require_array(arrays[name], (head.n_particles,))
        self._file.decode(position, head, arrays, order or self._file.order)
        return arrays

    def read_positions(self, index: int, out: np.ndarray | None = None, dtype: npt.DTypeLike = None) -> np.ndarray:
        """Decodes the positions of a frame: (N, 3), distance units, as Frame.positions. `out` is an (N, 3) array of
        float32 or float64 with any strides, into which they are decoded straight."""
        position = self._position(index)
        head = self._file.head(position)
        names = require_positions(head)
        if out is None:
            out = self._file.new_array((head.n_particles, 3), self._file.float_dtype(head, names, dtype))
        require_array(out, (head.n_particles, 3))
        self._file.decode(position, head, {name: out[:, k] for k, name in enumerate(names)}, self._file.order)
        if len(names) == 2:
            out[:, 2] = 0
        if _positions.is_scaled(names):
            scale(head, out)
        return out

    def verify(self, index: int) -> None:
        """Checks every checksum of a frame, and its structure by decoding it. Raises gpz.CorruptError."""
        self._file.require_open().verify(self._position(index), self._file.threads)

    # --- Opening and closing ---

    def close(self) -> None:
        """Closes the file, also for slices of the trajectory. What was decoded stays."""
        self._file.reader = None

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        file = self._file
        source = bytes(file.source) if self.path is None else os.path.abspath(os.fsdecode(file.source))
        return {"options": (source, file.threads, file.max_memory, file.order, file.dtype), "indices": self._indices}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(File(*state["options"]), state["indices"])

    def __copy__(self) -> Trajectory:
        return Trajectory(self._file, self._indices)

    def __repr__(self) -> str:
        return f"<gpz.Trajectory {self.path or 'in memory'}: {len(self)} frames>"


def require_array(array: np.ndarray, shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"values go into NumPy arrays, not into {type(array).__name__}")
    if array.shape != shape:
        raise ArgumentError(f"the array has the shape {array.shape}, the frame needs {shape}")
    if not array.flags.writeable:
        raise ArgumentError("the array is read-only")


def open(
    path: str | os.PathLike | bytes,
    *,
    threads: int = 1,
    max_memory: int | None = None,
    order: str | None = None,
    dtype: npt.DTypeLike = None,
) -> Trajectory:
    """Opens a .gpz file.

    path: the file; or the bytes of a whole file (bytes, bytearray, memoryview).
    threads: for decoding; 1: the caller's thread, 0: all cores. Values do not depend on it.
    max_memory: bytes. A file that asks for more raises gpz.LimitError; None: half of the memory of the machine.
    order: "id": particles in ascending order of ids; an error where a frame has none. "stored": as the file has them,
        which differs from frame to frame. None: "id" for frames that have ids.
    dtype: of float columns: np.float32 or np.float64. None: float64 for what is stored as float64, else float32.

    Raises FileNotFoundError and other OSErrors, gpz.NotGpzError, gpz.VersionError, gpz.CorruptError, gpz.LimitError: all
    of them are gpz.Error.
    """
    return Trajectory(File(path, threads, max_memory, order, dtype))
