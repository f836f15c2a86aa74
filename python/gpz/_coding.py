# SPDX-License-Identifier: BSD-3-Clause
"""How frames are encoded: key interval, order and effort. Their names, limits and defaults are those of the library."""

from __future__ import annotations

from typing import Any

from gpz import _core
from gpz._arguments import checked_choice, checked_integer, checked_threads

ORDERS = tuple(_core.orders)
EFFORTS = tuple(_core.efforts)
KEY_INTERVAL = _core.default_key_interval
AUTO = "auto"  # a key interval that the size of a frame gives


def checked_coding(key_interval: Any, order: Any, effort: Any, threads: Any) -> tuple[int | str, int, int, int]:
    """These arguments of a Writer, order and effort as the library numbers them. TypeError or ArgumentError for what they cannot
    be."""
    order = _core.orders[checked_choice("order", order, ORDERS)]
    return checked_key_interval("key_interval", key_interval), order, checked_effort(effort), checked_threads(threads)


def checked_effort(effort: Any) -> int:
    """As the library numbers it. ArgumentError if there is no effort of this name."""
    return _core.efforts[checked_choice("effort", effort, EFFORTS)]


def checked_key_interval(name: str, given: Any, may_be_auto: bool = True) -> int | str:
    """A number of frames, or AUTO. TypeError or ArgumentError for others."""
    if may_be_auto and isinstance(given, str) and given == AUTO:
        return AUTO
    meaning = f"a number of frames from 1 to {_core.max_key_interval}" + (f', or "{AUTO}"' if may_be_auto else "")
    return checked_integer(name, given, 1, _core.max_key_interval, meaning)
