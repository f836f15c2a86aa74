# SPDX-License-Identifier: BSD-3-Clause
"""How an input is cut into pieces: by the input and the settings alone, so that bytes do not depend on who encodes
them.

A piece begins where a key interval begins, and has `piece_size` bytes or more; the last one may have fewer. LAMMPS dumps
are cut, unless they are packed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from gpz.archive.compressed import blocks
from gpz.archive.files import Digest, identity_of
from gpz.archive.frames import FRAMES, NoFrames
from gpz.archive.kinds import Kind
from gpz.archive.settings import Settings


@dataclass(frozen=True)
class Piece:
    """A range of bytes of an input. frames: how many begin in it; None if they were not counted."""

    offset: int
    length: int | None
    first_frame: int = 0
    frames: int | None = None


@dataclass(frozen=True)
class Plan:
    """Results of one pass over an input.

    size, mtime_ns, digest: of its bytes. units: that the first frame names; LAMMPS names them once in a file. second_frame: the byte at which it begins, 0 if there is none or frames were not searched.
    """

    size: int
    mtime_ns: int
    digest: str
    pieces: tuple[Piece, ...]
    units: str = ""
    second_frame: int = 0

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON, which from_json() reads."""
        return asdict(self)

    @staticmethod
    def from_json(read: dict[str, Any]) -> Plan:
        """Raises KeyError, TypeError for what as_json() has not made."""
        return Plan(**{**read, "pieces": tuple(Piece(**piece) for piece in read["pieces"])})

    @staticmethod
    def is_json_of_one(read: dict[str, Any]) -> bool:
        """Whether from_json() can read it."""
        try:
            made = Plan.from_json(read)
        except (KeyError, TypeError):
            return False
        counts = (made.size, made.mtime_ns, *(piece.offset for piece in made.pieces))
        return bool(made.pieces) and isinstance(made.digest, str) and all(isinstance(count, int) for count in counts)

    def uncut(self) -> Plan:
        """The same input as one piece."""
        return Plan(self.size, self.mtime_ns, self.digest, (Piece(0, None),))


def plan(path: str, kind: Kind, settings: Settings) -> Plan:
    """Reads all bytes of the input. Raises OSError, TaskFailed."""
    identity = identity_of(path)
    digest = Digest()
    read = _digested(blocks(path, None), digest)
    cuts = _Cuts(settings)
    pieces: tuple[Piece, ...] = (Piece(0, None),)
    units = ""
    if kind.compression is None and kind.name in FRAMES:
        frames = FRAMES[kind.name](cuts.frame)
        with suppress(NoFrames):
            frames.search(read)
            pieces, units = cuts.pieces(identity.size), frames.units
    for _ in read:
        pass
    return Plan(identity.size, identity.mtime_ns, digest.text, pieces, units, cuts.second_frame)


def _digested(read: Iterable[bytes], digest: Digest) -> Iterator[bytes]:
    for block in read:
        digest.update(block)
        yield block


class _Cuts:
    """The places at which a file is cut, as its frames are found."""

    def __init__(self, settings: Settings):
        self._interval, self._piece_size = settings.key_interval, settings.piece_size
        self._cuts = [(0, 0)]  # byte, number of the frame that begins there
        self._frames = 0
        self.second_frame = 0

    def frame(self, start: int) -> None:
        """One begins at this byte."""
        number, self._frames = self._frames, self._frames + 1
        if number == 1:
            self.second_frame = start
        if not number or self._interval is None:
            return
        if number % self._interval == 0 and start - self._cuts[-1][0] >= self._piece_size:
            self._cuts.append((start, number))

    def pieces(self, size: int) -> tuple[Piece, ...]:
        """The pieces of the whole file. size: in bytes."""
        ends = [*self._cuts[1:], (size, self._frames)]
        return tuple(
            Piece(start, end - start, first, behind - first) for (start, first), (end, behind) in zip(self._cuts, ends)
        )
