# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of any function: their kind and range. Messages name argument, value and what is wanted."""

from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np

from gpz import _core
from gpz._errors import ArgumentError


def require_plain(name: str, values: Any) -> None:
    """TypeError for quantities with units, as of pint, openmm.unit, astropy and unyt, and ArgumentError for masked values:
    numpy would drop units and masks."""
    if type(values) in (np.ndarray, float, int, str):
        return
    if np.ma.is_masked(values):
        raise ArgumentError(f"{name}: masked values cannot be stored. Fill them, or leave these particles out")
    if isinstance(values, (list, tuple)):
        for value in {type(value): value for value in values}.values():  # one of each type
            require_plain(name, value)
        return
    for attribute in ("units", "unit"):
        unit = getattr(values, attribute, None)
        if unit is not None:
            raise TypeError(
                f"{name}: a quantity in {unit}, whose units would be dropped. Convert it to a plain array in the "
                "units of the file"
            )


def checked_integer(name: str, value: Any, least: int, most: int, meaning: str) -> int:
    """A whole number from `least` to `most`. TypeError for what is none, also for bools and whole floats; ArgumentError
    for others. `meaning` is the rest of the sentence that begins with the name."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {meaning}, not {shown(value)}") from None
    if not least <= number <= most:
        raise ArgumentError(f"{name}: {meaning}, not {number}")
    return number


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_reading_threads(threads: Any) -> int:
    """None: as many as serve most readers, without taking a large machine for each of them."""
    return min(cores(), 4) if threads is None else checked_threads(threads)


def checked_threads(threads: Any) -> int:
    return checked_integer("threads", threads, 0, _core.max_threads, f"a number from 0 (all cores) to {_core.max_threads}")


def checked_memory(max_memory: Any) -> int:
    """The limit of memory for the library; None becomes 0, its default limit."""
    if max_memory is None:
        return 0
    return checked_integer("max_memory", max_memory, 1, 2**64 - 1, "a whole number of bytes from 1 on, or None")


def checked_flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: True or False, not {shown(value)}")
    return bool(value)


def checked_number(name: str, value: Any, meaning: str = "a number") -> float:
    """TypeError for what is no number, such as a text, a bool or an array of several."""
    require_plain(name, value)
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)) or np.ndim(value) != 0:
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: {meaning}, not {shown(value)}") from None


def checked_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        *first, last = (f'"{choice}"' for choice in choices)
        raise ArgumentError(f"{name} is {', '.join(first)} or {last}, not {shown(value)}")
    return value


def shown(value: Any) -> str:
    """A wrong argument in a message: short, in one line."""
    text = " ".join(repr(value).split())
    return f"{text if len(text) <= 60 else text[:57] + '...'}"


def as_array(name: str, values: Any) -> np.ndarray:
    """An array of whatever type its elements have."""
    require_plain(name, values)
    try:
        return np.asarray(values)
    except ValueError:
        raise ArgumentError(f"{name}: rows of different lengths: {shown(values)}") from None


def numbers_of(name: str, values: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """float64; TypeError for what has other than real numbers, ArgumentError for another shape."""
    array = as_array(name, values)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: numbers, not {shown(values)}")
    if shape is not None and array.shape != shape:
        raise ArgumentError(f"{name} has the shape {array.shape}, not {shape}")
    return array.astype(np.float64)
