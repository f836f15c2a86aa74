# SPDX-License-Identifier: BSD-3-Clause
"""Takes all inputs through their steps, as many at a time as there are workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from gpz.archive.engines import Engine
from gpz.archive.errors import TaskFailed, as_task_error
from gpz.archive.job import Call, Job, Result, Steps
from gpz.archive.joining import Joined

SECONDS_OF_A_WAIT = 0.5
AnyJob = Job | Joined
Ended = Callable[[AnyJob, int, "Result | None", str], None]


@dataclass
class _Active:
    """size: of its inputs, in bytes. left: steps without a result. error: the first one, after which no more steps
    begin."""

    job: AnyJob
    size: int
    steps: Steps
    results: list[Any] = field(default_factory=list)
    left: int = 0
    error: TaskFailed | None = None


class Driver:
    """stepped(job, call) is called after each step, and ended(job, size, result, reason) for each job: without a result, if
    it failed."""

    def __init__(self, engine: Engine, stepped: Callable[[AnyJob, Call], None], ended: Ended):
        self._engine, self._stepped, self._ended = engine, stepped, ended
        self._waiting: deque[tuple[_Active, int, Call]] = deque()
        self._finished: SimpleQueue[tuple[_Active, int, Call, Callable[[], Any]]] = SimpleQueue()
        self._active = 0
        self._running = 0

    def run(self, jobs: Iterator[AnyJob]) -> None:
        """Raises DiskFull, Interrupted, and what the handler of a signal raises."""
        while True:
            self._begin(jobs)
            if not self._active:
                return
            one, number, call, result = self._next_finished()
            self._running -= 1
            found = None
            try:
                found = result()
                self._stepped(one.job, call)
            except TaskFailed as error:
                one.error = one.error or error
            self._take(one, number, found)

    def _next_finished(self) -> tuple[_Active, int, Call, Callable[[], Any]]:
        """The handler of a signal that comes just before the wait begins runs when the wait ends: so it is a short one."""
        while True:
            with suppress(Empty):
                return self._finished.get(timeout=SECONDS_OF_A_WAIT)

    def _begin(self, jobs: Iterator[AnyJob]) -> None:
        """Steps for all workers, and further inputs while there are too few steps."""
        while self._running < self._engine.workers:
            if not self._waiting:
                job = next(jobs, None)
                if job is None:
                    return
                self._active += 1
                self._advance(_Active(job, job.size, job.steps()), None)
                continue
            one, number, call = self._waiting.popleft()
            if one.error is not None:
                self._take(one, number, None)
                continue
            self._running += 1
            self._engine.submit(partial(self._put, one, number, call), *call)

    def _put(self, one: _Active, number: int, call: Call, result: Callable[[], Any]) -> None:
        """Puts a result into the queue. May be called by any thread."""
        self._finished.put((one, number, call, result))

    def _take(self, one: _Active, number: int, result: Any) -> None:
        one.results[number] = result
        one.left -= 1
        if one.left == 0:
            self._advance(one, one.results)

    def _advance(self, one: _Active, results: list[Any] | None) -> None:
        try:
            if one.error is not None:
                raise one.error
            calls = next(one.steps) if results is None else one.steps.send(results)
        except StopIteration as stop:
            self._active -= 1
            self._ended(one.job, one.size, stop.value, "")
        except (TaskFailed, OSError) as error:
            failed = as_task_error(error, one.job.path) if isinstance(error, OSError) else error
            if not isinstance(failed, TaskFailed):
                raise failed from None
            one.steps.close()
            self._active -= 1
            self._ended(one.job, one.size, None, str(failed))
        else:
            one.results, one.left = [None] * len(calls), len(calls)
            # In front of other inputs: what was begun is finished first, and takes no more space.
            self._waiting.extendleft((one, number, call) for number, call in reversed(list(enumerate(calls))))
