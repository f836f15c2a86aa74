# SPDX-License-Identifier: BSD-3-Clause
"""Reads frames of a dataset chunk by chunk, and decompresses them side by side: HDF5 runs one filter at a time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
from h5py._objects import phil

from gpz._arguments import checked_reading_threads, cores, shown
from gpz._errors import ArgumentError
from gpz._frame_arrays import MOST_COMPONENTS, as_frames, decompress_frames, require_chunk

# The number of the filter, of the range that HDF5 has for filters that are not registered.
FILTER = 32800
SKIPPED = 1  # in the mask of a chunk: the first filter was not used


def read(
    dataset: h5py.Dataset, frames: slice | None = None, *, out: np.ndarray | None = None, threads: int | None = None
) -> np.ndarray:
    """The same as dataset[frames], on several cores where gpz compressed the dataset in chunks of whole frames.

    frames: a slice of neighbouring frames, the first dimension of the dataset; None: all.
    out: an array of the shape and type of the result that is filled and returned.
    threads: 0: all cores; None: up to four.

    Raises gpz.CorruptError and other gpz.Error, and what h5py raises.
    """
    if not isinstance(dataset, h5py.Dataset):
        raise TypeError(f"dataset: an h5py.Dataset, not {shown(dataset)}")
    if dataset.ndim == 0 or not (frames is None or isinstance(frames, slice)):
        raise ArgumentError("frames: a slice of the first dimension of a dataset")
    first, last, step = (slice(None) if frames is None else frames).indices(len(dataset))
    if step != 1:
        raise ArgumentError(f"frames: a slice of neighbouring frames, not one with the step {step}")
    shape = (max(last - first, 0), *dataset.shape[1:])
    if out is None:
        out = np.empty(shape, dataset.dtype)
    elif not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dataset.dtype:
        raise ArgumentError(f"out: an array of {dataset.dtype} and of the shape {shape}")
    elif not out.flags.writeable:
        raise ArgumentError("out: an array that can be written")
    threads = checked_reading_threads(threads) or cores()
    if out.size == 0:
        return out
    if not has_whole_frames(dataset):
        if out.flags.c_contiguous:
            dataset.read_direct(out, np.s_[first:last])
        else:
            out[...] = dataset[first:last]
        return out
    if threads == 1:
        for piece in pieces(dataset, first, last):
            fill(dataset, out, first, *piece)
        return out
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda piece: fill(dataset, out, first, *piece), pieces(dataset, first, last)):
            pass
    return out


def has_whole_frames(dataset: h5py.Dataset) -> bool:
    """Whether gpz alone compressed it, in chunks that have whole frames."""
    properties = dataset.id.get_create_plist()
    has_components = 1 <= dataset.shape[-1] <= MOST_COMPONENTS
    return (
        dataset.chunks is not None
        and dataset.ndim > (2 if has_components else 1)
        and properties.get_nfilters() == 1
        and properties.get_filter(0)[0] == FILTER
        and dataset.chunks[1:] == dataset.shape[1:]
        and dataset.dtype in (np.float32, np.float64)
        and dataset.dtype.isnative
    )


def pieces(dataset: h5py.Dataset, first: int, last: int) -> Iterator[tuple[int, int, int]]:
    """(first frame of the chunk, first and last frame of it that are wanted)."""
    length = dataset.chunks[0]
    for start in range(first - first % length, last, length):
        yield start, max(start, first), min(start + length, last)


def fill(dataset: h5py.Dataset, out: np.ndarray, first: int, start: int, begin: int, end: int) -> None:
    to = out[begin - first : end - first]
    try:
        with phil:  # h5py itself took no lock here before its pull request 2764, and programs crashed
            mask, data = dataset.id.read_direct_chunk((start,) + (0,) * (dataset.ndim - 1))
    except (OSError, RuntimeError, ValueError):  # a chunk that was never written has the fill value
        mask, data = SKIPPED, b""
    if mask & SKIPPED:
        to[...] = dataset[begin:end]
        return
    require_chunk(data, dataset.chunks, dataset.dtype)
    frames, particles, components = as_frames(dataset.chunks)
    each = frames // dataset.chunks[0]  # frames of the array after one element of the first dimension
    wanted = slice((begin - start) * each, (end - start) * each)
    if to.flags.c_contiguous:
        decompress_frames(data, wanted, out=to.reshape(-1, particles, components))
    else:
        to[...] = decompress_frames(data, wanted).reshape(to.shape)
