# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of frames x particles x components as bytes, without a file (gpz/frame_array.hpp)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpz import _box, _core
from gpz._arguments import as_array, checked_integer, checked_memory, checked_threads, shown
from gpz._box import Box
from gpz._checks import checked_bound
from gpz._coding import checked_effort, checked_key_interval
from gpz._errors import ArgumentError, CorruptError, LimitError, NotFoundError
from gpz._writer import as_box

MOST_COMPONENTS = 3


@dataclasses.dataclass(frozen=True)
class FrameArray:
    """The arguments of gpz.compress_frames.

    shape: (frames, particles, components).
    dtype: float32 or float64.
    bound: the largest absolute error of a value, in the units of the values; 0: exact.
    """

    shape: tuple[int, int, int]
    dtype: np.dtype
    bound: float


def compress_frames(
    frames: npt.ArrayLike,
    bound: float,
    *,
    box: Box | npt.ArrayLike | Sequence[Box] | None = None,
    effort: str = "standard",
    key_interval: int = 100,
    threads: int = 1,
) -> bytes:
    """Compresses an array of frames, for a chunk of HDF5 or Zarr, a message or a database.

    frames: float32 or float64 of the shape (frames, particles, components), or (particles, components) for one frame, with up
        to three components. Rows are particles: their order is kept.
    bound: the largest absolute error of a value, in the units of the values; 0: exact. NaN, infinities and what the bound
        cannot hold are kept bit by bit.
    box: of all frames, or a list with one for each frame, as gpz.Writer takes them. It helps the prediction of particles that
        cross periodic edges, and is not stored. None: edges are recognised by the jumps of particles.
    effort, threads: as of gpz.Writer.
    key_interval: whoever decompresses one frame decodes from the last key frame on.

    The bytes are no file: gpz.decompress_frames reads them.
    """
    array = as_array("frames", frames)
    if array.dtype not in (np.float32, np.float64):
        raise ArgumentError(f"frames: an array of float32 or float64, not of {array.dtype}")
    if array.ndim not in (2, 3) or not 1 <= array.shape[-1] <= MOST_COMPONENTS:
        raise ArgumentError(
            "frames: an array of frames x particles x components, or of particles x components, with up to three "
            f"components, not of the shape {array.shape}"
        )
    array = np.ascontiguousarray(array[None] if array.ndim == 2 else array)
    return _core.compress_frames(
        array,
        checked_bound("bound", bound),
        checked_effort(effort),
        checked_key_interval("key_interval", key_interval, may_be_auto=False),
        [_box.to_library(one) for one in boxes_of(box, len(array))],
        checked_threads(threads),
    )


def as_frames(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """(frames, particles, components) of a chunk of this shape, for HDF5 and Zarr: the last dimension holds components if it
    has up to three elements and there are others, the one before it, or the last one, particles."""
    *others, last = shape or (1,)
    if not others or not 1 <= last <= MOST_COMPONENTS:
        return math.prod(others), last, 1
    *frames, particles = others
    return math.prod(frames), particles, last


def require_chunk(data: Any, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Raises gpz.CorruptError if the bytes are not those of a chunk of this shape and type, gpz.Error if they are none."""
    found, wanted = frame_array(data), as_frames(shape)
    if found.shape != wanted or found.dtype != dtype:
        raise CorruptError(
            f"a chunk of {found.dtype} with frames, particles and components {found.shape}, where its array has "
            f"{np.dtype(dtype)} and {wanted}"
        )


def boxes_of(box: Any, frames: int) -> list[Box | None]:
    if box is None:
        return []
    if isinstance(box, (list, tuple)) and any(isinstance(one, Box) for one in box):
        if len(box) != frames:
            raise ArgumentError(f"box: {len(box)} boxes for {frames} frames")
        return [as_box(one, 3) for one in box]
    return [as_box(box, 3)]


def bytes_of(data: Any) -> np.ndarray:
    wanted = "data: the bytes that gpz.compress_frames made"
    if isinstance(data, str):
        raise TypeError(f"{wanted}, not {shown(data)}")
    try:
        return np.frombuffer(data, np.uint8)
    except (TypeError, ValueError, BufferError, AttributeError):
        raise TypeError(f"{wanted}, not {shown(data)}") from None


def frame_array(data: bytes, *, max_memory: int | None = None) -> FrameArray:
    """Shape, type and bound of what gpz.compress_frames was given. Raises gpz.CorruptError and other gpz.Error."""
    frames, particles, components, is_double, bound = _core.frame_array_info(bytes_of(data), checked_memory(max_memory))
    return FrameArray((frames, particles, components), np.dtype(np.float64 if is_double else np.float32), bound)


def decompress_frames(
    data: bytes,
    frames: slice | int | None = None,
    *,
    out: np.ndarray | None = None,
    threads: int = 1,
    max_memory: int | None = None,
) -> np.ndarray:
    """The frames that gpz.compress_frames made these bytes of, as an array (frames, particles, components).

    frames: a slice of neighbouring frames, or the number of one, whose array is (particles, components); None: all.
    out: an array of this shape and of the type of the values, contiguous, that is filled and returned.
    threads: 1: the caller's thread, 0: all cores.
    max_memory: bytes. Bytes that ask for more raise gpz.LimitError; None: half of the memory of the machine.

    Raises gpz.CorruptError and other gpz.Error.
    """
    data = bytes_of(data)
    threads = checked_threads(threads)
    described = frame_array(data, max_memory=max_memory)
    n_frames, *of_frame = described.shape
    if isinstance(frames, slice) or frames is None:
        first, last, step = slice(None).indices(n_frames) if frames is None else frames.indices(n_frames)
        if step != 1:
            raise ArgumentError(f"frames: a slice of neighbouring frames, not one with the step {step}")
        count = max(last - first, 0)
        shape = (count, *of_frame)
    else:
        first = checked_integer("frames", frames, -(1 << 63), (1 << 63) - 1, "a slice, or the number of a frame")
        first += n_frames if first < 0 else 0
        if not 0 <= first < n_frames:
            raise NotFoundError(f"frame {frames} of an array of {n_frames} frames")
        count = 1
        shape = tuple(of_frame)
    if out is None:
        # What the bytes say of their size is not proved before they are decompressed.
        limit = checked_memory(max_memory) or _core.default_memory_limit()
        if math.prod(shape) * described.dtype.itemsize > limit:
            raise LimitError(f"an array of the shape {shape} takes more memory than the limit of {limit} bytes")
        out = np.empty(shape, described.dtype)
    elif not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != described.dtype:
        raise ArgumentError(f"out: an array of {described.dtype} and of the shape {shape}")
    elif not out.flags.c_contiguous or not out.flags.writeable:
        raise ArgumentError("out: an array that is contiguous and can be written")
    if out.size:
        _core.decompress_frames(data, first, count, out.reshape(-1).view(np.uint8), threads, checked_memory(max_memory))
    return out
