# SPDX-License-Identifier: BSD-3-Clause
"""Values with several components as columns, and back: stress of the shape (6,) is stress[1] to stress[6], and an array of the
shape (2, 2) is a[1,1], a[1,2], a[2,1] and a[2,2]."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping

import numpy as np

COMPONENT = re.compile(r"(.+)\[([1-9][0-9]*)(?:,([1-9][0-9]*))?\]")


def split(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """(rows,), (rows, k) or (rows, m, n) by the names of columns."""
    if values.ndim == 1:
        return {name: values}
    if values.ndim == 2:
        return {f"{name}[{k + 1}]": values[:, k] for k in range(values.shape[1])}
    return {f"{name}[{j + 1},{k + 1}]": values[:, j, k] for j in range(values.shape[1]) for k in range(values.shape[2])}


def joined(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inverse of `split`, in whatever order the columns are. Columns of other names, and of numbers that leave some out, stay as
    they are."""
    found: dict[str, np.ndarray] = {}
    for name, parts in groups(columns).items():
        if parts == [name]:
            found[name] = columns[name]
            continue
        stacked = np.stack([columns[part] for part in parts], axis=1)
        last = _place(parts[-1])
        found[name] = stacked if len(last) == 1 else stacked.reshape(len(stacked), *last)
    return found


def groups(names: Iterable[str]) -> dict[str, list[str]]:
    """The columns of each vector or single value, by its name."""
    places: dict[str, list[tuple[int, ...]]] = {}
    for name in names:
        match = COMPONENT.fullmatch(name)
        if match:
            places.setdefault(match[1], []).append(_place(name))
    whole = {name for name, found in places.items() if sorted(found) == _all_places(max(found)) and name not in names}
    found: dict[str, list[str]] = {}
    for name in names:
        match = COMPONENT.fullmatch(name)
        found.setdefault(match[1] if match and match[1] in whole else name, []).append(name)
    return {name: sorted(parts, key=_place) for name, parts in found.items()}


def _place(name: str) -> tuple[int, ...]:
    match = COMPONENT.fullmatch(name)
    return () if match is None else tuple(int(number) for number in match.groups()[1:] if number is not None)


def _all_places(last: tuple[int, ...]) -> list[tuple[int, ...]]:
    most = 1 << 20  # columns that a file cannot have are not counted
    if math.prod(last) > most:
        return []
    return list(itertools.product(*(range(1, number + 1) for number in last)))
