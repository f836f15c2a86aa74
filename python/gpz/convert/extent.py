# SPDX-License-Identifier: BSD-3-Clause
"""How far a file has whole frames, and the walk over its records that finds out."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass

import gpz


@dataclass(frozen=True)
class Extent:
    """frames: that are whole, from the first one on. end: the byte where the last of them ends. size: of the file.

    promised: how many frames the header says that there are; None: the format does not say.
    cut: the file ends within a frame, or before the frames that its header promises.
    damage: what stands behind the whole frames and is no frame; empty for files that are not damaged.
    cause: why no frame of a cut file can be read, where that is not plain.
    """

    frames: int
    end: int
    size: int
    promised: int | None = None
    cut: bool = False
    damage: str = ""
    cause: str = ""

    def problem(self, path: str | os.PathLike) -> gpz.CorruptError | None:
        """The error for the user if something is wrong with the file, which it calls `path`."""
        path = os.fspath(path)
        if self.damage:
            return gpz.CorruptError(f"{self.damage}. {count(self.frames)} before it complete", path, self.end)
        if not self.cut:
            return None
        if self.frames == 0:
            why = self.cause or f"the file ends at byte {self.size}"
            return gpz.TruncatedError(f"truncated before its first frame is complete: {why}", path, self.end)
        promised = f" of {self.promised}" if self.promised else ""
        rest = self.size - self.end
        why = f"{rest} bytes more are no whole frame" if rest else "the file ends there, and its header counts more"
        return gpz.TruncatedError(
            f"truncated after frame {self.frames - 1} ({self.frames}{promised} complete): {why}", path, self.end
        )


def count(frames: int) -> str:
    """"1 frame is" or "5 frames are", for messages."""
    return "1 frame is" if frames == 1 else f"{frames} frames are"


class Bytes:
    """Parts of a file by their places. EOFError where the file is too short."""

    def __init__(self, file: int, order: str = ">"):
        self.file, self.order = file, order
        self.size = os.fstat(file).st_size

    def at(self, place: int, length: int) -> bytes:
        """`length` bytes from byte `place` on. Raises EOFError where the file has less."""
        if place < 0 or length > self.size - place:  # also numbers that pread does not take
            raise EOFError
        found = os.pread(self.file, length, place)
        if len(found) < length:
            raise EOFError
        return found

    def numbers(self, place: int, kinds: str) -> tuple:
        """Reads numbers at a position of the file. `kinds`: a format of the module struct, without byte order and padding."""
        form = self.order + kinds
        return struct.unpack(form, self.at(place, struct.calcsize(form)))

    def begins_like(self, start: bytes) -> bool:
        """Whether it begins with `start`, or is too short to tell."""
        found = os.pread(self.file, len(start), 0)
        return start.startswith(found)


class NoFrame(ValueError):
    """The bytes at this position are no frame."""


def walk(bytes_: Bytes, start: int, length_at: Callable[[Bytes, int], int], promised: int | None = None) -> Extent:
    """Frame after frame, whose lengths `length_at` reads. It raises EOFError and NoFrame."""
    frames, place = 0, start
    damage = ""
    try:
        while place < bytes_.size:
            end = place + length_at(bytes_, place)
            if end > bytes_.size:
                break
            frames, place = frames + 1, end
    except EOFError:
        pass
    except NoFrame as error:
        damage = str(error)
    cut = not damage and (place < bytes_.size or frames == 0 or (promised is not None and frames < promised))
    return Extent(frames, place, bytes_.size, promised if promised and promised > frames else None, cut, damage)
