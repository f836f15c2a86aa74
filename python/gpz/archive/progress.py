# SPDX-License-Identifier: BSD-3-Clause
"""A line that shows how far a run is, for people who watch."""

from __future__ import annotations

import sys
from typing import Any

from gpz.archive.report import Report, size_text

# Half of an input is done when it is encoded, the other half when it is compared.
SHARE = 0.5


class Progress:
    """total: bytes of all inputs. Shows nothing where standard error is no terminal, or where `shown` is False."""

    def __init__(self, total: int, shown: bool):
        self._bar: Any = None
        self._shares: dict[str, float] = {}
        if shown and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, unit="B", unit_scale=True, desc="gpz archive", dynamic_ncols=True)

    def step(self, path: str, size: int) -> None:
        """size: of a part of an input that was encoded or compared, in bytes. path: by which reports name the input."""
        if self._bar is not None:
            self._shares[path] = self._shares.get(path, 0) + SHARE * size
            self._bar.update(SHARE * size)

    def end(self, path: str, size: int, report: Report) -> None:
        """size: of an input that has ended, in bytes."""
        if self._bar is not None:
            saved = size_text(report.bytes_before - report.bytes_after)
            self._bar.set_postfix_str(f"{saved} saved, {len(report.failed)} failed")
            self._bar.update(size - self._shares.pop(path, 0))

    def close(self) -> None:
        """The line stays."""
        if self._bar is not None:
            self._bar.close()
