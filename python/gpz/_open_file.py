# SPDX-License-Identifier: BSD-3-Clause
"""An open file, from which trajectories and their slices read."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from gpz import _core, _files, _head, _observed
from gpz._atoms import Atoms
from gpz._decode import Decode, Group, Options, read_groups
from gpz._frame import Frame
from gpz._head import Head
from gpz.remote.options import Options as RemoteOptions
from gpz.remote.reading import RemoteFile

# And binary file objects, and what has the bytes of a file as its buffer.
Source = str | os.PathLike | bytes | bytearray | memoryview


class File:
    """An open file, and how its frames are read. A trajectory and its slices share one.

    of_loop: whether it is that of a loop, which the frames of the loop keep. A writer may replace it.
    """

    def __init__(
        self,
        source: Source | RemoteFile,
        options: Options,
        of_loop: bool = False,
        remote: RemoteOptions | None = None,
        atoms: Atoms | None = None,
    ):
        self.source = source if isinstance(source, RemoteFile) else _files.source_of(source, remote=remote)
        self.options = options
        self.of_loop = of_loop
        self.reader: Any = None
        self.atoms: Atoms | None = None
        self.selection: _core.Selection | None = None  # of the atoms; None: all
        self.open()
        if atoms is not None:
            self.choose(atoms)

    @property
    def path(self) -> str | None:
        """Or URL; None for a file in memory, and for a file object."""
        source = self.source.source if isinstance(self.source, RemoteFile) else self.source
        return os.fsdecode(source) if isinstance(source, (str, os.PathLike)) else None

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.source.name if isinstance(self.source, RemoteFile) else self.path or "in memory"

    def refresh(self) -> None:
        """Opens the file again."""
        if isinstance(self.source, RemoteFile):
            self.source.open()
        self.open()

    def open(self) -> None:
        """Opens the file."""
        if isinstance(self.source, RemoteFile):
            self.reader = self.source.reader(self.options.max_memory)
        elif isinstance(self.source, (bytes, bytearray, memoryview)):
            self.reader = _core.Reader.of_memory(self.source, "memory", self.options.max_memory)
        else:
            self.reader = _core.Reader.open(os.fsencode(self.source), self.options.max_memory)
        if self.of_loop:
            self.reader.allow_replacement()
        self.metadata: dict[str, Any] = self.reader.metadata
        self.has_records: bool = self.reader.has_records

    def choose(self, atoms: Atoms) -> None:
        """Reads these atoms only, from now on."""
        self.atoms = atoms
        self.selection = atoms.for_library(self.metadata["elements"], self.metadata["type_labels"])

    def again(self, options: Options | None = None) -> File:
        """The same file, opened for a loop."""
        made = File(self.source, options or self.options, of_loop=True)
        made.atoms, made.selection = self.atoms, self.selection
        return made

    def require_open(self) -> Any:
        if self.reader is None:
            raise ValueError("the trajectory is closed")
        return self.reader

    def head(self, index: int) -> Head:
        """The head, for all particles. If only some atoms are read, their number is known after decoding: several particles may have
        one id."""
        return _head.from_library(self.require_open().head(index))

    def decode(self, index: int, names: list, arrays: list, sort_by_id: bool) -> int:
        options = self.options
        return self.require_open().read(index, names, arrays, sort_by_id, options.threads, self.selection)

    def decoder(self, index: int) -> Decode:
        """The decoder of a frame."""
        return lambda *columns: self.decode(index, *columns)

    def count(self, index: int) -> int:
        """The number of particles that are read of a frame, which is decoded if it is not that of all."""
        return self.head(index).n_particles if self.selection is None else self.decode(index, [], [], False)

    def frame(self, index: int, asked: set[Group] | None = None) -> Frame:
        head = self.head(index)

        counted: list[int] = []

        def decode(*columns) -> int:
            counted[:] = [self.decode(index, *columns)]
            return counted[0]

        def read(groups: tuple[Group, ...]) -> list[np.ndarray]:
            return read_groups(decode, head, self.options, groups)

        def count() -> int:
            return counted[0] if counted else decode([], [], False)

        def observables() -> _observed.Packed:
            found = self.require_open().observables(index)
            return found if self.selection is None else _observed.of_system(found, head.n_particles)

        # Without such records, frames do not need the open file for their observables.
        of_frame = observables if self.has_records else None
        return Frame(index, head, read, asked, self.metadata, of_frame, None if self.selection is None else count)
