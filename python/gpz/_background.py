# SPDX-License-Identifier: BSD-3-Clause
"""One call on a thread, while the caller works on something else."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import Any


class Background:
    """A thread that begins with the first call and ends with the object. In a child process that was forked, calls that
    the parent had begun are none."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._pending: Future | None = None
        self._process = os.getpid()
        _all.add(self)

    def begin(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Calls a function on the thread, unless the interpreter ends. What the previous call returns is lost."""
        self._after_fork()
        self._pending = None
        try:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "gpz")
            self._pending = self._thread.submit(function, *arguments)
        except RuntimeError:  # no more threads
            pass

    def take(self) -> Future | None:
        """The call that has begun, once; None if there is none."""
        self._after_fork()
        pending, self._pending = self._pending, None
        return pending

    def stop(self) -> None:
        """Ends the thread after the call that it is at."""
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    def _after_fork(self) -> None:
        """The thread of the parent is not there in a child."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._thread = self._pending = None

    def __del__(self) -> None:
        self.stop()


# A thread that decodes while another one forks would leave the child with a lock that nobody opens.
_all: weakref.WeakSet[Background] = weakref.WeakSet()


def _wait_for_all() -> None:
    wait_for([background._pending for background in tuple(_all) if background._pending is not None])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_all)
