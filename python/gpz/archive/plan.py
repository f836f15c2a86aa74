# SPDX-License-Identifier: BSD-3-Clause
"""How an input is cut into pieces: by the input and the settings alone, so that bytes do not depend on who encodes
them.

A piece begins where a key interval begins, and has `piece_size` bytes or more; the last one may have fewer. Only LAMMPS
text dumps are cut, unless they are packed: their frames can be found without reading numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from gpz.archive.compressed import blocks
from gpz.archive.files import Digest, identity_of
from gpz.archive.kinds import LAMMPS, Kind
from gpz.archive.settings import Settings

MARK = b"\nITEM: TIMESTEP"
# LAMMPS writes these in front of a frame.
_IN_FRONT = re.compile(rb"(?:ITEM: UNITS\r?\n[^\n]*\n)?(?:ITEM: TIME\r?\n[^\n]*\n)?\Z")
MOST_IN_FRONT = 256  # bytes
_UNITS = re.compile(rb"ITEM: UNITS\r?\n[^\n]*\n")


@dataclass(frozen=True)
class Piece:
    """A range of bytes of an input. frames: how many begin in it; None if they were not counted."""

    offset: int
    length: int | None
    first_frame: int = 0
    frames: int | None = None


@dataclass(frozen=True)
class Plan:
    """What one pass over an input finds.

    size, mtime_ns, digest: of its bytes. prefix: text to put in front of all pieces but the first, because LAMMPS names
    units once in a file. second_frame: the byte at which it begins, 0 if there is none or frames were not searched.
    """

    size: int
    mtime_ns: int
    digest: str
    pieces: tuple[Piece, ...]
    prefix: str = ""
    second_frame: int = 0

    def as_json(self) -> dict[str, Any]:
        """For a file; from_json() reads it."""
        return asdict(self)

    @staticmethod
    def from_json(read: dict[str, Any]) -> Plan:
        """Raises KeyError, TypeError for what as_json() has not made."""
        return Plan(**{**read, "pieces": tuple(Piece(**piece) for piece in read["pieces"])})

    def uncut(self) -> Plan:
        """The same input as one piece."""
        return Plan(self.size, self.mtime_ns, self.digest, (Piece(0, None),))


def plan(path: str, kind: Kind, settings: Settings) -> Plan:
    """Reads all bytes of the input. Raises OSError, TaskFailed."""
    identity = identity_of(path)
    digest = Digest()
    read = _digested(blocks(path, None), digest)
    if kind == Kind(LAMMPS):
        starts = _Starts(settings)
        for block in read:
            starts.take(block)
        pieces, prefix, second = starts.pieces(), starts.prefix, starts.second_frame
    else:
        for _ in read:
            pass
        pieces, prefix, second = (Piece(0, None),), "", 0
    return Plan(identity.size, identity.mtime_ns, digest.text, pieces, prefix, second)


def _digested(read: Iterable[bytes], digest: Digest) -> Iterator[bytes]:
    for block in read:
        digest.update(block)
        yield block


class _Starts:
    """Finds the frames of a LAMMPS text dump, and the places at which it is cut."""

    def __init__(self, settings: Settings):
        self._interval, self._piece_size = settings.key_interval, settings.piece_size
        self._cuts = [(0, 0)]  # byte, number of the frame that begins there
        self._frames = 0
        # What was not searched to its end, and the byte of the file at which it begins. A line break in front of the
        # file: a frame may begin with it.
        self._text = b"\n"
        self._position = -1
        self.second_frame = 0
        self.prefix = ""

    def take(self, block: bytes) -> None:
        """The next bytes of the file."""
        text = self._text + block
        at = text.find(MARK, self._searched())
        while at >= 0:
            self._frame_at(text, at + 1)
            at = text.find(MARK, at + 1)
        kept = min(len(text), MOST_IN_FRONT + len(MARK))
        self._position += len(text) - kept
        self._text = text[len(text) - kept :]

    def _searched(self) -> int:
        """From here on a mark may end in the next block."""
        return max(0, len(self._text) - len(MARK) + 1)

    def _frame_at(self, text: bytes, at: int) -> None:
        number, self._frames = self._frames, self._frames + 1
        if number == 0:
            units = _UNITS.search(text, max(0, at - MOST_IN_FRONT), at)
            self.prefix = units[0].decode(errors="replace") if units else ""
        if number != 1 and (number == 0 or number % self._interval):
            return
        in_front = _IN_FRONT.search(text, max(0, at - MOST_IN_FRONT), at)
        start = self._position + (in_front.start() if in_front else at)
        if number == 1:
            self.second_frame = start
        if number % self._interval == 0 and start - self._cuts[-1][0] >= self._piece_size:
            self._cuts.append((start, number))

    def pieces(self) -> tuple[Piece, ...]:
        """Of the whole file."""
        ends = [*self._cuts[1:], (self._position + len(self._text), self._frames)]
        return tuple(
            Piece(start, end - start, first, behind - first) for (start, first), (end, behind) in zip(self._cuts, ends)
        )
