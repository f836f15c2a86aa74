# SPDX-License-Identifier: BSD-3-Clause
"""Loops over frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gpz._decode import Group
from gpz._frame import Frame


class Loop(Iterator[Frame]):
    """Frames one after the other. The library decodes the next ones meanwhile, because all frames are asked for the same
    values. An error arrives with its frame: of a head from next(), of values where they are used. After an error the loop
    can go on with the next frame.

    frame_at: (index, groups that were asked so far) -> a frame that is not decoded.
    keep: lives until the loop has ended: the trajectory's file, which no writer replaces meanwhile.
    """

    def __init__(self, indices: Sequence[int], frame_at: Callable[[int, set[Group]], Frame], keep: object):
        self._keep: object = keep
        self._indices = indices
        self._frame_at: Callable[[int, set[Group]], Frame] | None = frame_at
        self._asked: set[Group] = set()
        self._next = 0

    def __next__(self) -> Frame:
        if self._frame_at is None or self._next >= len(self._indices):
            self._frame_at = self._keep = None
            raise StopIteration
        index = self._indices[self._next]
        self._next += 1
        return self._frame_at(index, self._asked)
