# SPDX-License-Identifier: BSD-3-Clause
"""Pipes: frames one after the other, from what cannot be read at any position."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gpz import _core, _files, _head
from gpz._arguments import shown
from gpz._decode import Group, Options, read_groups
from gpz._frame import Frame
from gpz._tables import Table, tables_from_library


class Stream(Iterator[Frame]):
    """Frames of a pipe, a socket or a file, in the order in which they come. Each frame is decoded when it is read, and can
    be kept.

        for frame in gpz.stream(sys.stdin):
            frame.positions
    """

    def __init__(self, descriptor: int, name: str, options: Options, file: Any = None):
        self._stream = _core.Stream.open(descriptor, name, options.max_memory)
        self._metadata = self._stream.metadata
        self._options = options
        self._file = file  # kept open
        self._next = 0
        self._lock = threading.Lock()  # the library runs while other threads of Python do

    @property
    def metadata(self) -> dict[str, Any]:
        """As Trajectory.metadata."""
        return self._stream.metadata

    @property
    def units(self) -> str:
        """LAMMPS's name of the units; "" if unknown."""
        return self.metadata["units"]

    @property
    def elements(self) -> list[str]:
        """Chemical symbols, [t - 1] for type t; empty if unknown."""
        return self.metadata["elements"]

    def tables(self) -> dict[str, Table]:
        """The tables that are valid for the frame that was read last, as Trajectory.tables. Before the first frame there are
        none. Raises gpz.CorruptError if a record of tables was damaged."""
        with self._lock:
            return tables_from_library(self._stream.tables())

    def __next__(self) -> Frame:
        """Raises gpz.TruncatedError if the stream ends inside a frame."""
        with self._lock:
            decoded = self._stream.next(self._options.threads)
            index, self._next = self._next, self._next + 1
        if decoded is None:
            raise StopIteration
        head = _head.from_library(decoded.head())

        def read(groups: tuple[Group, ...]) -> list[np.ndarray]:
            return read_groups(decoded.read, head, self._options, groups)

        return Frame(index, head, read, metadata=self._metadata, observables=decoded.observables)


def stream(
    file: Any,
    *,
    threads: int | None = None,
    max_memory: int | None = None,
    order: str | None = None,
    dtype: npt.DTypeLike = None,
) -> Stream:
    """Reads frames one after the other from a pipe: a file descriptor, or a file object that has one (fileno()). Reading
    begins where it stands; of the object of a pipe nothing may have been read yet. It is not closed. The options are
    those of gpz.open.

    Raises gpz.Error as gpz.open does.
    """
    options = Options(threads, max_memory, order, dtype)
    wanted = "file: the descriptor of a pipe, or a file object that has one"
    if _files.is_path(file):
        raise TypeError(f"{wanted}, not {shown(file)}: gpz.open reads paths, and the bytes of a file")
    if not _files.is_file_object(file):
        return Stream(_files.checked_descriptor(file, wanted), "stream", options)
    _files.require_mode(file, "readable")
    descriptor = _files.descriptor_of(file)
    if descriptor is None:
        raise TypeError(f"{wanted}, not {shown(file)}: gpz.open reads such file objects")
    _files.go_to_place(file, descriptor)
    return Stream(descriptor, _files.name_of(file), options, file)
