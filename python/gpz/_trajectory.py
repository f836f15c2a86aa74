# SPDX-License-Identifier: BSD-3-Clause
"""Files as sequences of frames."""

from __future__ import annotations

import importlib
import operator
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from gpz import _core, _reads, _tables
from gpz._arguments import checked_integer, shown
from gpz._atoms import Atoms
from gpz._decode import Options
from gpz._errors import ArgumentError
from gpz._frame import Frame
from gpz._loop import Loop
from gpz._open_file import File, Source
from gpz._tables import Table
from gpz.remote.options import Options as RemoteOptions
from gpz.remote.reading import RemoteFile

if TYPE_CHECKING:
    import dask.array
    import xarray


class Trajectory(Sequence):
    """A .gpz file, or some frames of it: a sequence of frames, of which none is decoded before it is asked for.

        with gpz.open("melt.gpz") as t:
            len(t), t.units, t.timesteps
            t[0].positions                 # (N, 3) in the order of ids
            for frame in t[::10]:          # every tenth frame; the next ones are decoded on threads meanwhile
                frame.positions, frame["vx"], frame.box.matrix

    Slices are trajectories that share the open file. Pickling keeps the path and the options: whoever unpickles it opens
    the file again.
    """

    def __init__(self, file: File, indices: range | None = None):
        self._file = file
        self._whole = indices is None
        self._indices = range(file.require_open().n_frames) if indices is None else indices

    # --- The file ---

    @property
    def path(self) -> str | None:
        """None for a file in memory."""
        return self._file.path

    @property
    def metadata(self) -> dict[str, Any]:
        """generator, units, atom_style, command (texts), columns, elements, type_labels (lists of texts), timestep_size,
        reference and reference_grid (what the bounds refer to, and its decimal places as a distance), features
        (a number: what readers of the file have to know, bits of section 13 of the format)."""
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
        """(frames,) int64: particles of each frame. With some of the atoms, the number of these: all frames are decoded for
        it."""
        if self._file.selection is not None:
            return np.array([self._file.count(index) for index in self._indices], np.int64)
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
        frames = self._indices
        return values[frames.start : frames.stop if frames.stop >= 0 else None : frames.step]

    def find(self, timestep: int) -> int:
        """The index of the first frame with this timestep. ValueError if there is none."""
        timestep = checked_integer("timestep", timestep, -(2**63), 2**63 - 1, "a whole number of 64 bits")
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
        return self._file.frame(self._position(index))

    def __iter__(self) -> Iterator[Frame]:
        """Frames in order. Each loop opens the file for itself, so that loops do not disturb each other: a frame is decoded
        from the one before it."""
        self._file.require_open()
        return Loop(self._indices, self._file.again().frame, self._file)

    def _position(self, index: int) -> int:
        """The number of a frame in the file."""
        try:
            index = operator.index(index)
        except TypeError:
            raise TypeError(
                f"a frame has a number, and not {shown(index)}. Slices are trajectories, t[0:10:2]; other choices are "
                "[t[i] for i in numbers]"
            ) from None
        if not -len(self) <= index < len(self):
            raise IndexError(f"no frame {index}: there are {len(self)}")
        return self._indices[index]

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
        return _reads.read(self._file, self._position(index), columns, out, dtype, order)

    def read_positions(
        self, index: int, out: np.ndarray | None = None, dtype: npt.DTypeLike = None, *, order: str | None = None
    ) -> np.ndarray:
        """Decodes the positions of a frame: (N, 3), distance units, as Frame.positions. `out` is an (N, 3) array of
        float32 or float64 with any strides, into which they are decoded straight."""
        return _reads.read_positions(self._file, self._position(index), out, dtype, order)

    def field_sizes(self, index: int) -> dict[tuple[str, ...], int]:
        """How many bytes of a frame each field takes, by the names of its columns. What the frame has besides (`sizes`)
        are heads. Reads heads only."""
        position = self._position(index)
        names: dict[int, tuple[str, ...]] = {}
        for column in self._file.head(position).columns.values():
            names[column.field] = (*names.get(column.field, ()), column.name)
        sizes = self._file.require_open().field_sizes(position)
        return {names[field]: int(size) for field, size in enumerate(sizes) if field in names}

    # --- Beside the values of particles ---

    def tables(self, frame: int = 0, names: Sequence[str] | None = None) -> dict[str, Table]:
        """The tables that are valid for a frame, by their names: what does not belong to single frames, such as "atoms", "types",
        "bonds", "angles", "dihedrals", "impropers" and "provenance". Empty if the file has none; `names`: these alone.

        Atoms are named by their ids, and may be absent from a frame. Columns that LAMMPS has are in LAMMPS's units. If you
        selected atoms by ids (gpz.open(..., atoms=ids)), each table has only the rows of the selected atoms.
        Raises gpz.CorruptError if a record of tables up to this frame is damaged. The frames can be read nevertheless.
        """
        reader = self._file.require_open()
        if not len(self) or (names is not None and not _tables.checked_names(names)):
            return {}
        found = reader.tables(self._position(frame), list(names or ()), self._file.selection)
        return _tables.tables_from_library(found)

    @property
    def table_frames(self) -> np.ndarray:
        """(changes,) int64: the frames, ascending, whose `tables` may be others than those of the frame before; 0 if the first
        frame has any. Tables are not read for this."""
        reader = self._file.require_open()
        records = np.searchsorted(reader.frames_with_tables(), np.arange(reader.n_frames), "right")
        return np.flatnonzero(np.diff(self._of_frames(records), prepend=0))

    def observables(self) -> Table:
        """The observables of all frames, a row for each: the columns timestep (int64) and time (float64), then a column (float64)
        for each observable that any frame has, NaN where a frame does not have it. `to_pandas()` makes a DataFrame of it.

        Warns of frames whose observables are damaged; they have NaN.
        """
        file = self._file.require_open()
        columns, unread, first, cause = file.observables_of(list(self._indices))
        if unread:
            warnings.warn(
                f"{_core.printable(self._file.name)}: the observables of {unread} frames cannot be read, and are NaN, "
                f"first those of frame {first}: {cause}",
                stacklevel=2,
            )
        values: dict[str, np.ndarray] = dict(zip(_tables.OF_FRAMES, (self.timesteps, self.times)))
        units = {}
        for name, unit, array in columns:
            while name in values:  # of another unit, or named as a column of frames
                name += "_"
            values[name] = array
            units[name] = unit
        return Table(values, units)

    def verify(self, index: int) -> None:
        """Checks every checksum of a frame, and its structure by decoding it. Raises gpz.CorruptError."""
        self._file.require_open().verify(self._position(index), self._file.options.threads)

    # --- All frames as one array ---

    def dask_array(
        self, name: str = "positions", dtype: npt.DTypeLike = None, *, chunk_bytes: int = 64 << 20
    ) -> dask.array.Array:
        """A dask.array.Array, (frames, N, 3) of "positions", "velocities", "forces" or "images", (frames, N) of "ids", "types"
        or a column: int64 for integers, `dtype` (float32, float64, None: as the trajectory was opened) for floats. Needs dask.

        Nothing is decoded before it is computed. A chunk has whole key intervals, of which each is decoded once, and several of
        them if they have no more than `chunk_bytes` together. Each task opens the file by its path, also in other processes
        and on other machines, and decodes with one thread.

        All frames have the same atoms: gpz.ArgumentError otherwise, where the file shows it, else from the task.
        """
        from gpz import _lazy

        return _lazy.dask_array(self, name, dtype, chunk_bytes)

    def xarray(self, names: Sequence[str] | None = None, dtype: npt.DTypeLike = None) -> xarray.Dataset:
        """An xarray.Dataset of arrays as of `dask_array`, with the dimensions frame, atom and space. Its coordinates are
        timestep and time (time units; NaN: unknown) of each frame, and the id of each atom. names: of the variables; None:
        all that the first frame has. Needs xarray and dask."""
        from gpz import _lazy

        return _lazy.xarray_dataset(self, names, dtype)

    # --- Looking ---

    def view(self, **options: Any) -> Any:
        """Shows the frames in a notebook, if it is the last expression of a cell: gpz.view.show() with these options."""
        return importlib.import_module("gpz.view").show(self, **options)

    # --- Opening and closing ---

    def close(self) -> None:
        """Closes the file, also for slices of the trajectory. What was decoded stays."""
        self._file.reader = None

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()

    def refresh(self) -> int:
        """Opens the file again, which may have grown, and returns how many frames are new. Not for slices."""
        if not self._whole:
            raise ValueError("a slice has the frames that it has: refresh the trajectory that it comes from")
        before = len(self)
        self._file.refresh()
        self._indices = range(self._file.reader.n_frames)
        return len(self) - before

    def __getstate__(self) -> dict[str, Any]:
        source = self._file.source
        return {
            "source": source.to_pickle() if isinstance(source, RemoteFile) else _pickled(source),
            "remote": source.options if isinstance(source, RemoteFile) else None,
            "options": self._file.options,
            "atoms": self._file.atoms,
            "indices": None if self._whole else self._indices,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        file = File(state["source"], state["options"], remote=state["remote"], atoms=state["atoms"])
        self.__init__(file, state["indices"])  # type: ignore[misc]

    def __copy__(self) -> Trajectory:
        return Trajectory(self._file, None if self._whole else self._indices)

    def __repr__(self) -> str:
        return f"<gpz.Trajectory {_core.printable(self._file.name)}: {len(self)} frames>"


def _pickled(source: Source) -> str | bytes:
    return bytes(source) if isinstance(source, (bytes, bytearray, memoryview)) else os.path.abspath(os.fsdecode(source))


def open(
    path: Source | Any,
    *,
    threads: int | None = None,
    max_memory: int | None = None,
    order: str | None = None,
    dtype: npt.DTypeLike = None,
    remote: RemoteOptions | None = None,
    atoms: Any = None,
) -> Trajectory:
    """Opens a .gpz file.

    path: the file; or its URL, https://..., s3://... or any other that fsspec knows; or the bytes of a whole file (bytes,
        bytearray, memoryview); or a binary file object with a whole file, as of open(name, "rb"), io.BytesIO, gzip.open or
        fsspec.open: the place where it stands does not matter, and stays. Of a file object that is no file of this machine
        and has more than 8 MiB, parts are read when they are needed: do not close it, and do not read it meanwhile.
    threads: for decoding. In loops, and wherever frames are read in ascending order, the next frames are decoded ahead on
        them. 1: the caller's thread alone; 0: all cores; None: all cores, but no more than four. Values do not depend on it.
    max_memory: bytes. A file that asks for more raises gpz.LimitError; None: half of the memory of the machine.
    order: "id": particles in ascending order of ids; an error where a frame has none. "stored": as the file has them,
        which differs from frame to frame. None: "id" for frames that have ids.
    dtype: of float columns: np.float32 or np.float64. None: float64 for what is stored as float64, else float32.
    remote: how a URL is read: credentials, memory, attempts. gpz.remote.Options; None: its defaults.
    atoms: the atoms that frames have; None: all. Ids: an array, a range or a slice of them, range(1, 101). A mask of the first
        frame, (N,) bool in its order: the atoms of these ids. A function that makes ids or a mask of the first frame,
        lambda frame: frame.types == 2. Or a dict with "ids" (any of these), "types" (numbers, elements, type labels) and
        "region" (((xlo, xhi), (ylo, yhi), (zlo, zhi)), distance units, None for no limit): the atoms of each frame for which
        all of these hold, as `gpz select` has it. Atoms come in the order of the option `order`.

    Raises FileNotFoundError and other OSErrors, gpz.NotGpzError, gpz.VersionError, gpz.CorruptError, gpz.LimitError: all
    of them are gpz.Error.
    """
    file = File(path, Options(threads, max_memory, order, dtype), remote=remote)
    if atoms is not None:
        file.choose(atoms if isinstance(atoms, Atoms) else Atoms(atoms, lambda: first_frame(file)))
    return Trajectory(file)


def first_frame(file: File) -> Frame:
    """The first frame, to whose atoms masks refer."""
    if not file.require_open().n_frames:
        raise ArgumentError("atoms: the file has no complete frame, of which a mask or a function could be")
    return file.frame(0)
