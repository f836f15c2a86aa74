# SPDX-License-Identifier: BSD-3-Clause
"""Engines that run the steps: threads of this process, each of which waits for a program, or the workers of
dask.distributed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from gpz.archive import programs, stopping
from gpz.archive.tasks import run_task

Finished = Callable[[Callable[[], Any]], None]


class Engine(Protocol):
    """workers: how many steps run at the same time."""

    @property
    def workers(self) -> int:
        """See above."""

    def share(self, max_memory: int) -> int:
        """The part of one step, in bytes."""

    def submit(self, finished: Finished, step: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Begins a step. `finished` is called in any thread, with a function that gives the result or raises its
        error."""

    def close(self) -> None:
        """Ends what still runs."""


class Local:
    """Steps on this machine. The work is done by programs, so threads of Python are enough to wait for them."""

    def __init__(self, jobs: int):
        self._jobs = jobs
        stopping.start_again()
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="gpz-archive")

    @property
    def workers(self) -> int:
        """As Engine has it."""
        return self._jobs

    def share(self, max_memory: int) -> int:
        """As Engine has it."""
        return max(1, max_memory // self._jobs)

    def submit(self, finished: Finished, step: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """As Engine has it."""

        def told(future: Future[Any]) -> None:
            if not future.cancelled():
                finished(future.result)

        self._pool.submit(run_task, step, *arguments).add_done_callback(told)

    def close(self) -> None:
        """As Engine has it."""
        programs.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
        stopping.start_again()
