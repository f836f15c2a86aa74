# SPDX-License-Identifier: BSD-3-Clause
"""Frames in the memory of an NVIDIA GPU, which decodes them: for PyTorch, CuPy, JAX and whatever else takes arrays by DLPack.

    import gpz.cuda
    import torch

    with gpz.cuda.open("traj.gpz") as trajectory:
        x = torch.from_dlpack(trajectory.read_positions(12))      # (N, 3), on the GPU
        trajectory.read_positions(13, out=x)                      # into the same memory

Needs a gpz that was built with CUDA.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import gpz
from gpz import _core, _files, _positions
from gpz._arguments import checked_integer
from gpz._decode import checked_dtype, checked_names, checked_order, position_names
from gpz._errors import ArgumentError, ColumnError
from gpz._head import Head

try:
    from gpz import _cuda
except ImportError as _error:
    raise ImportError(
        f"gpz.cuda needs a gpz that was built with CUDA (GPZ_CUDA=ON): {_error}", name="gpz._cuda"
    ) from None

USUAL_AHEAD = 512 << 20  # bytes


class Decoded(NamedTuple):
    """Who has decoded the frame that was read last.

    on_device: whether the GPU has. False: the CPU has, and the values were copied.
    reason: why the GPU has not; "" if it has.
    """

    on_device: bool
    reason: str


class Trajectory:
    """A .gpz file whose frames are decoded into the memory of a GPU.

    Frames that the GPU cannot decode, or that the CPU decodes faster, are decoded by the CPU and copied. `decoded`
    says who has decoded the last one. The next frames of the file are read ahead.

    path: of the file.
    device: the number of the GPU.
    threads: that read the file, and decode what the GPU cannot; 0: by the number of cores.
    ahead: bytes that are read ahead, in the memory of the GPU as well.
    least_chained: frames of efforts standard and dense with fewer particles are decoded by the CPU, which is faster for
        them; 0: 30,000.
    max_memory: bytes that the reader may take for what the file says; None: half of the memory of the machine.

    One thread at a time may use it. Raises the exceptions of gpz.open, and gpz.NotFoundError where there is no such GPU.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        *,
        device: int = 0,
        threads: int = 0,
        ahead: int = USUAL_AHEAD,
        least_chained: int = 0,
        max_memory: int | None = None,
    ):
        name = _files.checked_path(path)
        self.device = checked_integer("device", device, 0, 2**16, "the number of a GPU")
        threads = checked_integer("threads", threads, 0, _core.max_threads, "a number of threads, or 0")
        ahead = checked_integer("ahead", ahead, 0, 2**62, "a number of bytes")
        least_chained = checked_integer("least_chained", least_chained, 0, 2**62, "a number of particles")
        self._heads = gpz.open(path, max_memory=max_memory)
        memory = 0 if max_memory is None else checked_integer("max_memory", max_memory, 1, 2**62, "a number of bytes")
        self._reader: Any = _cuda.Reader.open(os.fsencode(name), self.device, memory, threads, ahead, least_chained)
        self.decoded: Decoded | None = None

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def heads(self) -> gpz.Trajectory:
        """The same file for the CPU: timesteps, boxes, columns, metadata, tables and observables."""
        if self._reader is None:
            raise ValueError("the trajectory is closed")
        return self._heads

    def close(self) -> None:
        """Frees the memory of the GPU that the reader has. Arrays keep theirs."""
        self._reader = None
        self._heads.close()

    def read(
        self,
        index: int,
        columns: Sequence[str] | None = None,
        *,
        out: Mapping[str, Any] | None = None,
        dtype: npt.DTypeLike = None,
        order: str | None = None,
        stream: int = 0,
    ) -> dict[str, Any]:
        """Decodes columns of one frame in one call.

        columns: their names. None: those of `out`, or without `out` all columns of the frame.
        Returns (N,) arrays by the names of the columns: int64 for integers, `dtype` (float32, float64, None: as stored) for floats. They have
        the methods of DLPack: torch.from_dlpack(array) and cupy.from_dlpack(array) take them without a copy.
        out: arrays of the caller for some or all columns, which also are in the result: whatever has `__dlpack__`, int32, int64, float32 or
            float64, in the memory of this GPU, with any strides. An integer that does not fit into an int32 is cut to its low bits.
        order: "id", "stored" or None: by ids where there are ids.
        stream: the address of a CUDA stream (torch.cuda.current_stream().cuda_stream). The frame is decoded after the work that is
            in it; when the call returns, the values are there.
        """
        position, head = self._head(index)
        given = {} if out is None else dict(out)
        names = (() if given else tuple(head.columns)) if columns is None else checked_names(columns)
        wanted = checked_dtype(dtype)
        arrays: dict[str, Any] = {}
        for name in (*names, *given):
            if name not in head.columns:
                raise ColumnError(f"no column {name}: there are {' '.join(head.columns)}", self._heads.path)
            arrays[name] = given[name] if name in given else self._zeros((head.n_particles,), head, (name,), wanted)
        self._read(position, head, list(arrays), list(arrays.values()), [0] * len(arrays), order, stream)
        return arrays

    def read_positions(
        self, index: int, out: Any = None, *, dtype: npt.DTypeLike = None, order: str | None = None, stream: int = 0
    ) -> Any:
        """Decodes the positions of a frame: (N, 3), or (N, 2) in two dimensions, distance units; arguments as those of read. `out`: an array of
        this shape. Positions that are fractions of the box are a gpz.ArgumentError: read their columns."""
        position, head = self._head(index)
        names = position_names(head)
        if _positions.is_scaled(names):
            raise ArgumentError(
                f"the positions are fractions of the box: read the columns {' '.join(names)}", self._heads.path
            )
        shape = (head.n_particles, len(names))
        array = self._zeros(shape, head, names, checked_dtype(dtype)) if out is None else out
        self._read(position, head, list(names), [array] * len(names), list(range(len(names))), order, stream)
        return array

    def _head(self, index: int) -> tuple[int, Head]:
        heads = self.heads
        position = heads._position(index)
        return position, heads._file.head(position)

    def _zeros(self, shape: tuple[int, ...], head: Head, names: Sequence[str], dtype: np.dtype | None) -> Any:
        options = self._heads._file.options
        made = options.dtype_of(head, names, dtype)
        options.require_room(shape, made)
        return _cuda.zeros(shape, made.name, self.device)

    def _read(
        self, position: int, head: Head, names: list[str], arrays: list, components: list[int], order, stream
    ) -> None:
        stream = checked_integer("stream", stream, 0, 2**64 - 1, "the address of a CUDA stream")
        sorts = self._heads._file.options.sorts(head, checked_order(order))
        self.decoded = Decoded(*self._reader.read(position, names, arrays, components, sorts, stream, head.n_particles))


def open(path: str | os.PathLike, **options: Any) -> Trajectory:
    """A file for reading into the memory of a GPU; options as those of Trajectory."""
    return Trajectory(path, **options)
