# SPDX-License-Identifier: BSD-3-Clause
"""Steps on the workers of dask.distributed. The workers see the same files under the same names as this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gpz
from gpz.archive.engines import Finished
from gpz.archive.errors import Interrupted, TaskFailed
from gpz.archive.tasks import run_task

# Workers that a step may lose before its input fails: a step may itself be what ends them, as by taking too much
# memory.
MOST_LOST = 5
SECONDS_TO_CONNECT = 30
SECONDS_BETWEEN_QUESTIONS = 5


class Cluster:
    """client: a dask.distributed.Client, or None for one of the scheduler at this address."""

    def __init__(self, client: Any, scheduler: str | None):
        from distributed import Client

        self._own = client is None
        try:
            self._client = Client(scheduler, timeout=SECONDS_TO_CONNECT) if self._own else client
        except (OSError, ValueError) as error:
            raise gpz.ArgumentError(f"no scheduler of dask at {scheduler}: {error}") from None
        self._running: set[Any] = set()
        self._threads, self._asked = 0, float("-inf")

    @property
    def workers(self) -> int:
        """Steps that are handed over at the same time: workers may come and go. For each that runs, another one
        waits."""
        if time.monotonic() > self._asked + SECONDS_BETWEEN_QUESTIONS:
            self._threads = sum(self._client.nthreads().values())
            self._asked = time.monotonic()
        return max(1, 2 * self._threads)

    def share(self, max_memory: int) -> int:
        """As Engine has it. Workers may be on machines of their own."""
        return max_memory

    def submit(self, finished: Finished, step: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """As Engine has it."""
        self._submit(finished, step, arguments, MOST_LOST)

    def _submit(self, finished: Finished, step: Callable[..., Any], arguments: tuple[Any, ...], tries: int) -> None:
        from distributed.scheduler import KilledWorker

        # Each step is a function of files, which dask cannot know: pure=False.
        future = self._client.submit(run_task, step, *arguments, pure=False)
        self._running.add(future)

        def told(future: Any) -> None:
            self._running.discard(future)
            if future.cancelled():
                finished(_lost_scheduler)
                return
            error = future.exception()
            if tries > 1 and isinstance(error, (KilledWorker, Interrupted)):
                # Interrupted: the program was ended, and not the run. That is how some workers leave.
                self._submit(finished, step, arguments, tries - 1)
            elif isinstance(error, KilledWorker):
                lost = TaskFailed(f"each worker that tried it has died: {error}")
                finished(lambda: _raise(lost))
            elif error is not None:
                finished(lambda: _raise(error))
            else:
                result = future.result()
                finished(lambda: result)

        future.add_done_callback(told)

    def close(self) -> None:
        """As Engine has it. Steps that have begun end by themselves, and what they make is used by the next run."""
        self._client.cancel(list(self._running))
        if self._own:
            self._client.close()


def _raise(error: BaseException) -> Any:
    raise error


def _lost_scheduler() -> Any:
    raise Interrupted
