# SPDX-License-Identifier: BSD-3-Clause
"""Requests that are made again after a failure."""

from __future__ import annotations

import asyncio
import errno
import math
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from gpz.remote.errors import Passing, RemoteError
from gpz.remote.names import foreign_text, shown_cause
from gpz.remote.options import Options

T = TypeVar("T")

LONGEST_DELAY = 10.0  # seconds
LONGEST_WAIT = 60.0  # seconds that a server may ask for

# Errors of the operating system, and of s3fs for "SlowDown", "InternalError" and the like.
_PASSING_ERRNOS = {
    errno.EAGAIN,
    errno.EBUSY,
    errno.ECONNABORTED,
    errno.ECONNREFUSED,
    errno.ECONNRESET,
    errno.EHOSTUNREACH,
    errno.EINTR,
    errno.EIO,
    errno.ENETUNREACH,
    errno.EPIPE,
    errno.ETIMEDOUT,
}
# Exceptions of aiohttp, botocore, fsspec, gcsfs and adlfs, by name: their packages need not be installed.
_PASSING_NAMES = {
    "ClientConnectionError",
    "ClientOSError",
    "ClientPayloadError",
    "ConnectionClosedError",
    "ConnectTimeoutError",
    "EndpointConnectionError",
    "FSTimeoutError",
    "HTTPClientError",
    "IncompleteReadError",
    "ReadTimeoutError",
    "ResponseStreamingError",
    "ServerDisconnectedError",
    "ServiceRequestError",
    "ServiceResponseError",
}


def delay_before(attempt: int, options: Options, wait: float | None = None) -> float:
    """Seconds before attempt 1, 2, ... (0 is the first one, which nothing precedes)."""
    if wait is not None and math.isfinite(wait):
        return min(max(wait, 0.0), LONGEST_WAIT)
    return min(options.delay * 2.0 ** (attempt - 1), LONGEST_DELAY) * random.uniform(0.5, 1.5)


def passing_cause(error: BaseException) -> str | None:
    """Why this failure may pass; None if it will not."""
    if isinstance(error, Passing):
        return error.cause
    names = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)) or "FSTimeoutError" in names:
        return "no answer in time"
    if isinstance(error, ConnectionError) or names & _PASSING_NAMES:
        return f"the connection failed ({foreign_text(error)})"
    if isinstance(error, OSError) and error.errno in _PASSING_ERRNOS:
        return foreign_text(error)
    return None


async def repeated(url: str, options: Options, request: Callable[[], Awaitable[T]]) -> T:
    """The result of a request, which is made again while its failures may pass. RemoteError after the last attempt."""
    for attempt in range(1, options.attempts + 1):
        try:
            return await request()
        except Exception as error:
            cause = passing_cause(error)
            if cause is None:
                raise
            if attempt >= options.attempts:
                times = "" if attempt == 1 else f", {attempt} times"
                raise RemoteError(f"{cause}{times}", url, errno=getattr(error, "errno", None)) from shown_cause(error)
            await asyncio.sleep(delay_before(attempt, options, getattr(error, "wait", None)))
    raise AssertionError("options.attempts is at least 1")
