# SPDX-License-Identifier: BSD-3-Clause
"""Whether the steps of this process are to end."""

from __future__ import annotations

import threading

from gpz.archive.errors import Interrupted

_stopped = threading.Event()


def stop() -> None:
    """Makes check() raise Interrupted from now on."""
    _stopped.set()


def start_again() -> None:
    """Steps may run again."""
    _stopped.clear()


def check() -> None:
    """Steps call it between blocks of bytes: files may be large. Raises Interrupted."""
    if _stopped.is_set():
        raise Interrupted
