# SPDX-License-Identifier: BSD-3-Clause
"""Loops over frames, in which the next frame is decoded on a thread while the caller works with this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gpz._background import Background
from gpz._decode import Group
from gpz._errors import Error
from gpz._frame import Frame


class Ahead(Iterator[Frame]):
    """Frames one after the other. What was asked of the earlier ones is decoded ahead of the next one; before anything
    was asked, nothing is. An error arrives with its frame: of a head from next(), of values where they are used. After
    an error the loop can go on with the next frame.

    frame_at: (index, groups that were asked so far) -> a frame that is not decoded.
    keep: lives until the loop has ended: the trajectory's file, which no writer replaces meanwhile.
    """

    def __init__(self, indices: Sequence[int], frame_at: Callable[[int, set[Group]], Frame], keep: object):
        self._keep: object = keep
        self._indices = indices
        self._frame_at = frame_at
        self._asked: set[Group] = set()
        self._next = 0
        self._background = Background()

    def __next__(self) -> Frame:
        if self._next >= len(self._indices):
            self._background.stop()
            self._keep = None
            raise StopIteration
        index = self._indices[self._next]
        self._next += 1
        pending = self._background.take()
        try:
            frame = pending.result() if pending is not None else made(self._frame_at, index, self._asked)
        except BaseException:
            self._background.stop()  # most loops end here, and the traceback would keep the thread; others get a new one
            raise
        if self._asked and self._next < len(self._indices):
            self._background.begin(made, self._frame_at, self._indices[self._next], self._asked)
        return frame


# No method: the thread would keep the loop, and `keep`, until it has decoded a frame that nobody wants any more.
def made(frame_at: Callable[[int, set[Group]], Frame], index: int, asked: set[Group]) -> Frame:
    frame = frame_at(index, asked)
    try:
        frame._load(frame._wanted())
    except (Error, MemoryError):
        pass  # whoever asks for the values gets it
    return frame
