# SPDX-License-Identifier: BSD-3-Clause
"""How frames are encoded: key interval, order and effort. Their names, limits and defaults are those of the library."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gpz import _core
from gpz._arguments import checked_choice, checked_integer, checked_threads

ORDERS = tuple(_core.orders)
EFFORTS = tuple(_core.efforts)
KEY_INTERVAL = _core.default_key_interval
AUTO = "auto"  # a key interval that the sizes of the first frames give


@dataclass
class Coding:
    """These arguments of a Writer. TypeError or ArgumentError for what they cannot be."""

    key_interval: int | str = AUTO
    order: str = "auto"
    effort: str = "standard"
    threads: int = 1

    def __post_init__(self) -> None:
        """Checks them."""
        checked_choice("order", self.order, ORDERS)
        self.key_interval = checked_key_interval("key_interval", self.key_interval)
        checked_effort(self.effort)
        self.threads = checked_threads(self.threads)

    def keywords(self) -> dict[str, Any]:
        """The arguments of a Writer."""
        return asdict(self)

    def set_up(self, writer: _core.Writer) -> None:
        """All but the threads, which it has already."""
        if self.key_interval == AUTO:
            writer.choose_key_interval()
        else:
            writer.set_key_interval(self.key_interval)
        writer.set_order(_core.orders[self.order])
        writer.set_effort(_core.efforts[self.effort])


def checked_effort(effort: Any) -> int:
    """The library's number of this effort. ArgumentError if there is no effort of this name."""
    return _core.efforts[checked_choice("effort", effort, EFFORTS)]


def checked_key_interval(name: str, given: Any, may_be_auto: bool = True) -> int | str:
    """A number of frames, or AUTO. TypeError or ArgumentError for others."""
    if may_be_auto and isinstance(given, str) and given == AUTO:
        return AUTO
    meaning = f"a number of frames from 1 to {_core.max_key_interval}" + (f', or "{AUTO}"' if may_be_auto else "")
    return checked_integer(name, given, 1, _core.max_key_interval, meaning)
