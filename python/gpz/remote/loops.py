# SPDX-License-Identifier: BSD-3-Clause
"""Coroutines of fsspec's thread, for which other threads wait."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

from gpz.remote.errors import RemoteError

T = TypeVar("T")

_lock = threading.Lock()
_running: weakref.WeakSet[concurrent.futures.Future[Any]] = weakref.WeakSet()
_is_over = False


def result_of(coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop, url: str) -> T:
    """Runs a coroutine in the loop of another thread. The wait can be interrupted, and ends with the program."""
    with _lock:
        if _is_over:
            coroutine.close()
            raise RemoteError("the program has ended", url)
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        _running.add(future)
    try:
        return future.result()
    except concurrent.futures.CancelledError:
        raise RemoteError("the request was cancelled", url) from None
    except BaseException:
        future.cancel()
        raise


# Before gpz._core waits for its threads, since it was imported earlier.
@atexit.register
def _cancel() -> None:
    global _is_over
    with _lock:
        _is_over = True
        futures = list(_running)
    for future in futures:
        future.cancel()
