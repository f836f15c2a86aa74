# SPDX-License-Identifier: BSD-3-Clause
"""Where frames begin in LAMMPS dumps: found by their first line, or by lengths, without reading numbers of atoms.

XYZ files are not here. Their frames have no timesteps of their own: gpz encode counts them from the beginning of the file.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator

from gpz.archive.kinds import LAMMPS, LAMMPS_BINARY

MARK = b"\nITEM: TIMESTEP"
# LAMMPS writes these in front of a frame.
_IN_FRONT = re.compile(rb"(?:ITEM: UNITS\r?\n[^\n]*\n)?(?:ITEM: TIME\r?\n[^\n]*\n)?\Z")
_UNITS = re.compile(rb"ITEM: UNITS\r?\n([^\n]*)\n")
MOST_IN_FRONT = 256  # bytes


class NoFrames(Exception):
    """The bytes are no frames that are known here. The file is not cut, and gpz encode says what is wrong."""


class Frames:
    """on_frame(byte) is called at each beginning. units: as the first frame names them, which LAMMPS does once in a file;
    empty if it does not."""

    def __init__(self, on_frame: Callable[[int], None]):
        self._on_frame = on_frame
        self.units = ""

    def search(self, read: Iterator[bytes]) -> None:
        """Takes all bytes of a file. Raises NoFrames; then some are left."""
        raise NotImplementedError


class TextFrames(Frames):
    """Frames of LAMMPS text dumps."""

    def search(self, read: Iterator[bytes]) -> None:
        """As Frames has it."""
        # What was not searched to its end, and the byte of the file at which it begins. A line break in front of the
        # file: a frame may begin with it.
        text, position, is_first = b"\n", -1, True
        for block in read:
            # From here on a mark may have ended in this block.
            searched = max(0, len(text) - len(MARK) + 1)
            text += block
            at = text.find(MARK, searched)
            while at >= 0:
                front = max(0, at + 1 - MOST_IN_FRONT)
                in_front = _IN_FRONT.search(text, front, at + 1)
                start = in_front.start() if in_front else at + 1
                if is_first and position + start != 0:
                    raise NoFrames  # something stands in front of it
                if is_first:
                    units = _UNITS.search(text, start, at + 1)
                    self.units = units[1].decode(errors="replace").strip() if units else ""
                    is_first = False
                self._on_frame(position + start)
                at = text.find(MARK, at + 1)
            kept = min(len(text), MOST_IN_FRONT + len(MARK))
            position += len(text) - kept
            text = text[len(text) - kept :]


class BinaryFrames(Frames):
    """Frames of LAMMPS binary dumps of format revision 2."""

    def search(self, read: Iterator[bytes]) -> None:
        """As Frames has it."""
        self._read, self._block, self._place, self._position = read, b"", 0, 0
        try:
            while self._more():
                self._on_frame(self._position)
                self._skip_frame()
        except EOFError:
            pass  # a frame that is cut

    def _skip_frame(self) -> None:
        (length,) = self._numbers("<q")
        if not -64 <= length < 0:
            raise NoFrames
        self._take(-length)
        endian, revision, _, _, box = self._numbers("<iiqqi")
        if endian != 1 or revision != 2 or not 0 <= box <= 2:
            raise NoFrames
        self._take(6 * 4 + 8 * (6, 9, 12)[box] + 4)  # boundary, box, number of columns
        units = self._text().decode(errors="replace")
        self.units = self.units or units
        if self._take(1) != b"\0":
            self._take(8)  # time
        self._text()
        (chunks,) = self._numbers("<i")
        for _ in range(chunks):
            (values,) = self._numbers("<i")
            if values < 0:
                raise NoFrames
            self._skip(8 * values)

    def _text(self) -> bytes:
        (length,) = self._numbers("<i")
        if not 0 <= length <= 2**20:
            raise NoFrames
        return self._take(length)

    def _numbers(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self._take(struct.calcsize(layout)))

    def _more(self) -> bool:
        while self._place == len(self._block):
            block = next(self._read, None)
            if block is None:
                return False
            self._block, self._place = block, 0
        return True

    def _take(self, size: int) -> bytes:
        """Raises EOFError."""
        taken = b""
        while len(taken) < size:
            taken += self._within(size - len(taken))
        return taken

    def _skip(self, size: int) -> None:
        while size:
            size -= len(self._within(size))

    def _within(self, size: int) -> memoryview:
        """At most `size` bytes, of one block."""
        if not self._more():
            raise EOFError
        found = memoryview(self._block)[self._place : self._place + size]
        self._place += len(found)
        self._position += len(found)
        return found


FRAMES: dict[str, type[Frames]] = {LAMMPS: TextFrames, LAMMPS_BINARY: BinaryFrames}
