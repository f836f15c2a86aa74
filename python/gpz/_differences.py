# SPDX-License-Identifier: BSD-3-Clause
"""Results of the comparison of a .gpz file with its source, with the names that `gpz verify --against --json` has."""

from __future__ import annotations

import dataclasses
import json
from typing import Any


@dataclasses.dataclass
class Difference:
    """The differences of a column. bound: 0 where it is lossless. largest_difference: of a value, in the units of the .gpz file; None: values that
    are no numbers differ. above_bound: values beyond the bound."""

    name: str
    bound: float
    largest_difference: float | None = 0.0
    above_bound: int = 0


@dataclasses.dataclass
class Differences:
    """frames: how many were compared. not_compared: columns that only the "file" has, or the source, "against". cut: whether the
    source ends within a frame, or before the frames that its header promises; None: the report does not say it."""

    frames: int
    columns: list[Difference]
    not_compared: dict[str, list[str]]
    cut: bool | None = None

    @classmethod
    def of_json(cls, text: str) -> Differences:
        """From a report, which may have more."""
        report: dict[str, Any] = json.loads(text)
        columns = [Difference(**column) for column in report["columns"]]
        return cls(report["frames"], columns, report["not_compared"], report.get("cut"))

    def as_json(self) -> str:
        """The report."""
        return json.dumps(dataclasses.asdict(self))
