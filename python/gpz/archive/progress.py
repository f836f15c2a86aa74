# SPDX-License-Identifier: BSD-3-Clause
"""A line that shows how far a run is, for people who watch."""

from __future__ import annotations

import sys
from typing import Any

from gpz.archive.report import Report, size_text


class Progress:
    """total: bytes of all inputs. Shows nothing where standard error is no terminal, or where `shown` is False."""

    def __init__(self, total: int, shown: bool):
        self._bar: Any = None
        if shown and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, unit="B", unit_scale=True, desc="gpz archive", dynamic_ncols=True)

    def advance(self, size: int, report: Report) -> None:
        """size: of an input that has ended, in bytes."""
        if self._bar is not None:
            self._bar.set_postfix_str(
                f"{size_text(report.bytes_before - report.bytes_after)} saved, {len(report.failed)} failed"
            )
            self._bar.update(size)

    def close(self) -> None:
        """The line stays."""
        if self._bar is not None:
            self._bar.close()
