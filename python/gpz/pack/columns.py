# SPDX-License-Identifier: BSD-3-Clause
"""Values with several components as columns, and back: stress of the shape (6,) is stress[1] to stress[6]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

COMPONENT = re.compile(r"(.+)\[([1-9][0-9]*)\]")


def split(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """(rows,) or (rows, k) by the names of columns."""
    if values.ndim == 1:
        return {name: values}
    return {f"{name}[{k + 1}]": values[:, k] for k in range(values.shape[1])}


def joined(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inverse of `split`. Columns of other names, and of numbers that do not follow each other, stay as they are."""
    found: dict[str, np.ndarray] = {}
    for name, parts in _groups(columns).items():
        found[name] = columns[parts[0]] if parts == [name] else np.stack([columns[part] for part in parts], axis=1)
    return found


def _groups(names: Iterable[str]) -> dict[str, list[str]]:
    """By the name of the values: their columns."""
    numbered: dict[str, list[int]] = {}
    for name in names:
        match = COMPONENT.fullmatch(name)
        if match:
            numbered.setdefault(match[1], []).append(int(match[2]))
    whole = {
        name for name, numbers in numbered.items() if numbers == list(range(1, len(numbers) + 1)) and name not in names
    }
    groups: dict[str, list[str]] = {}
    for name in names:
        match = COMPONENT.fullmatch(name)
        groups.setdefault(match[1] if match and match[1] in whole else name, []).append(name)
    return groups
