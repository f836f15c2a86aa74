# SPDX-License-Identifier: BSD-3-Clause
"""Columns of all frames as arrays of dask and xarray, decoded where they are computed."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpz._arguments import checked_integer, shown
from gpz._decode import POSITIONS, checked_dtype, position_names
from gpz._errors import ArgumentError, ColumnError, FileError, LimitError
from gpz._frame import SCALARS, VECTORS, Frame
from gpz._open_file import File
from gpz._positions import is_scaled
from gpz._trajectory import Trajectory
from gpz.remote.reading import RemoteFile

if TYPE_CHECKING:
    import dask.array
    import xarray


class Rows(NamedTuple):
    """Properties that all frames of an array share."""

    name: str  # as Frame.load takes it
    columns: tuple[str, ...]
    shape: tuple[int, ...]  # of one frame
    dtype: np.dtype
    digest: bytes | None  # of the ids; None: rows are not those of ids


def dask_array(trajectory: Trajectory, name: str, dtype: npt.DTypeLike, chunk_bytes: int) -> dask.array.Array:
    """Trajectory.dask_array."""
    import dask
    import dask.array

    checked_integer("chunk_bytes", chunk_bytes, 1, 2**63 - 1, "a whole number of bytes from 1 on")
    if not len(trajectory):
        raise ArgumentError("an array has the shape of the first frame, and there is none")
    rows = rows_of(trajectory, name, checked_dtype(dtype))
    of_frame = math.prod(rows.shape) * rows.dtype.itemsize
    lengths = list(chunks_of(key_frames_of(trajectory), max(1, chunk_bytes // max(1, of_frame))))
    version = version_of(trajectory._file)
    token = dask.base.tokenize(*identity_of(trajectory), *rows, lengths)
    # One object for all chunks: the graph has the bytes of a file in memory once.
    source = dask.delayed(trajectory, name=f"gpz-open-{token}", traverse=False)
    read = dask.delayed(read_chunk, pure=False)
    parts, start = [], 0
    for length in lengths:
        part = read(source, start, start + length, rows, version, dask_key_name=f"gpz-read-{token}-{start}")
        parts.append(dask.array.from_delayed(part, (length, *rows.shape), rows.dtype))
        start += length
    return dask.array.concatenate(parts)


def read_chunk(trajectory: Trajectory, start: int, stop: int, rows: Rows, version: tuple[Any, ...]) -> np.ndarray:
    """(stop - start, ...): one task. Opens the file for itself: reads of difference frames by one reader wait for each other.

    version: of the file when the array was made. Tasks may run much later, and elsewhere.
    """
    file = trajectory._file
    opened = type(trajectory)(file.again(file.options.of_task(rows.dtype)), trajectory._indices)
    require_version(opened._file, version)
    out = np.empty((stop - start, *rows.shape), rows.dtype)
    ids = None
    # In the order of the file, because difference frames build on the ones before.
    for k in sorted(range(start, stop), key=lambda k: opened[k].index):
        own = read_frame(opened, k, rows, out[k - start])
        if own is not None and (ids is None or not np.array_equal(own, ids)):
            ids = own
            if digest_of(ids) != rows.digest:
                raise ArgumentError(f"frame {k} has other atoms than the first one: their ids differ")
    # Bytes may have been written over in the meantime.
    require_version(opened._file, version)
    opened.close()
    return out


def read_frame(opened: Trajectory, k: int, rows: Rows, out: np.ndarray) -> np.ndarray | None:
    """Decodes a frame into `out`. Returns its ids if they matter."""
    try:
        names = ["id"] if rows.digest is not None and rows.columns != ("id",) else []
        if rows.name == POSITIONS and is_scaled(rows.columns):
            opened.read_positions(k, out)
            return opened.read(k, names)["id"] if names else None
        columns = {name: out[:, j] if out.ndim == 2 else out for j, name in enumerate(rows.columns)}
        if out.ndim == 2:
            out[:, len(rows.columns) :] = 0
        values = opened.read(k, names, out=columns)
        return None if rows.digest is None else values["id"]
    except (ArgumentError, LimitError) as error:
        if opened[k].n_particles == rows.shape[0]:
            raise
        raise ArgumentError(
            f"frame {k} has {opened[k].n_particles} of the atoms, the first one {rows.shape[0]}: frames of an array have the "
            "same atoms"
        ) from error


def rows_of(trajectory: Trajectory, name: str, dtype: np.dtype | None) -> Rows:
    """The rows that all frames share, from the first frame. Raises ArgumentError if the
    head of another frame has another number of atoms."""
    if not isinstance(name, str):
        raise TypeError(f'the name of a column, "positions" or "velocities", not {shown(name)}')
    file, index = trajectory._file, trajectory[0].index
    head, first = file.head(index), file.frame(index)
    name = POSITIONS if name == "position" else name
    is_vector = name == POSITIONS or name in VECTORS
    columns = position_names(head) if name == POSITIONS else VECTORS.get(name, (SCALARS.get(name, name),))
    for column in columns:
        if column not in head.columns:
            raise ColumnError(f"no column {column}: there are {' '.join(head.columns)}", trajectory.path)
    if file.selection is None:
        counts = trajectory.counts
        changed = np.flatnonzero(counts != counts[0])
        if len(changed):
            raise ArgumentError(
                f"frame {changed[0]} has {counts[changed[0]]} particles, the first one {counts[0]}: frames of an array have the "
                "same atoms"
            )
    ids = first.ids if file.options.sorts(head) else None
    shape = (first.n_particles, 3) if is_vector else (first.n_particles,)
    dtype = file.options.dtype_of(head, columns, dtype)
    return Rows(name, tuple(columns), shape, dtype, None if ids is None else digest_of(ids))


def digest_of(ids: np.ndarray) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(ids).data, digest_size=16).digest()


def key_frames_of(trajectory: Trajectory) -> list[int]:
    """For each frame, the key frame at which its decoding begins."""
    file, indices = trajectory._file, trajectory._indices
    since = file.require_open().since_key()
    return [index - int(since[index]) for index in indices]


def chunks_of(keys: Sequence[int], most: int) -> Iterator[int]:
    """Lengths of chunks: whole key intervals, several of them as long as a chunk has no more than `most` frames."""
    length = 0
    for _, interval in itertools.groupby(keys):
        frames = sum(1 for _ in interval)
        if length and length + frames > most:
            yield length
            length = 0
        length += frames
    if length:
        yield length


def identity_of(trajectory: Trajectory) -> tuple[Any, ...]:
    """A name for everything that the values depend on: arrays of the same values have the same name, and dask computes them once."""
    file, indices = trajectory._file, trajectory._indices
    source: Any = file.source
    if isinstance(source, RemoteFile):
        source = source.identity
    elif file.path is not None:
        source = (os.path.abspath(file.path), version_of(file))
    return source, indices, vars(file.options), None if file.atoms is None else vars(file.atoms)


def version_of(file: File) -> tuple[Any, ...]:
    """A text that identifies the present version of the file; empty for bytes in memory."""
    if isinstance(file.source, RemoteFile):
        return file.source.version
    if file.path is None:
        return ()
    status = os.stat(file.path)
    return status.st_size, status.st_mtime_ns


def require_version(file: File, version: tuple[Any, ...]) -> None:
    """FileError if another file is there now."""
    if isinstance(file.source, RemoteFile):
        file.source.require_version(version)
        return
    try:
        is_same = version_of(file) == version
    except OSError:
        is_same = False
    if not is_same:
        raise FileError("the file has changed since the array was made: open it and make the array again", file.path)


def xarray_dataset(trajectory: Trajectory, names: Sequence[str] | None, dtype: npt.DTypeLike) -> xarray.Dataset:
    """Trajectory.xarray."""
    import xarray

    if not len(trajectory):
        raise ArgumentError("a dataset has the shape of the first frame, and there is none")
    first = trajectory[0]
    names = usual_names(first) if names is None else list(names)
    variables = {}
    for name in names:
        array = trajectory.dask_array(name, dtype)
        dimensions = ("frame", "atom", "space")[: array.ndim]
        bound = bound_of(first, name)
        variables[name] = (dimensions, array, {} if bound is None else {"bound": bound})
    ids = first.ids
    coordinates: dict[str, Any] = {
        "timestep": ("frame", trajectory.timesteps),
        "time": ("frame", trajectory.times),
        "atom": np.arange(first.n_particles) if ids is None else ids,
        "space": ["x", "y", "z"],
    }
    if not any(len(dimensions) == 3 for dimensions, *_ in variables.values()):
        del coordinates["space"]
    return xarray.Dataset(variables, coordinates, {"units": trajectory.units})


def bound_of(frame: Frame, name: str) -> float | None:
    """The largest error of an array; None if it is exact."""
    if name in (POSITIONS, "position"):
        return frame.position_bound
    columns = VECTORS.get(name, (SCALARS.get(name, name),))
    return max((frame.bounds[column] or 0.0 for column in columns), default=0.0) or None


def usual_names(frame: Frame) -> list[str]:
    """Everything that a frame has, vectors together, but its ids."""
    names = [] if frame.position_columns is None else [POSITIONS]
    names += [name for name, columns in VECTORS.items() if all(column in frame for column in columns)]
    used = {"id", *(frame.position_columns or ())}.union(*(VECTORS[name] for name in names if name in VECTORS))
    return names + [name for name in frame if name not in used]
