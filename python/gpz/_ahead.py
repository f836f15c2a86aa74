# SPDX-License-Identifier: BSD-3-Clause
"""Loops over frames, in which the next frame is decoded on a thread while the caller works with this one."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for

from gpz._decode import Group
from gpz._errors import Error
from gpz._frame import Frame


class Ahead(Iterator[Frame]):
    """Frames one after the other. What was asked of the earlier ones is decoded ahead of the next one; before anything
    was asked, nothing is. An error arrives with its frame: of a head from next(), of values where they are used. After an
    error the loop can go on with the next frame.

    frame_at: (index, groups that were asked so far) -> a frame that is not decoded.
    """

    def __init__(self, indices: Sequence[int], frame_at: Callable[[int, set[Group]], Frame]):
        self._indices = indices
        self._frame_at = frame_at
        self._asked: set[Group] = set()
        self._next = 0
        self._thread: ThreadPoolExecutor | None = None
        self._pending: Future | None = None
        self._process = os.getpid()
        _running.add(self)

    def __next__(self) -> Frame:
        if self._next >= len(self._indices):
            self._stop()
            raise StopIteration
        self._after_fork()
        index = self._indices[self._next]
        self._next += 1
        pending, self._pending = self._pending, None
        frame = pending.result() if pending is not None else self._made(index)
        self._begin()
        return frame

    def _made(self, index: int) -> Frame:
        frame = self._frame_at(index, self._asked)
        try:
            frame._load(frame._wanted())
        except (Error, MemoryError):
            pass  # whoever asks for the values gets it
        return frame

    def _begin(self) -> None:
        """Starts on the next frame."""
        if not self._asked or self._next >= len(self._indices):
            return
        try:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "gpz")
            self._pending = self._thread.submit(self._made, self._indices[self._next])
        except RuntimeError:  # no more threads: the interpreter ends
            pass

    def _stop(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    def _after_fork(self) -> None:
        """The thread of the parent is not there in a child."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._thread = self._pending = None

    def __del__(self) -> None:
        self._stop()


# A thread that decodes while another one forks would leave the child with a lock that nobody opens.
_running: weakref.WeakSet[Ahead] = weakref.WeakSet()


def _wait_for_all() -> None:
    wait_for([ahead._pending for ahead in tuple(_running) if ahead._pending is not None])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_all)
