# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpz import _core
from gpz.archive.job import Result

MOST_LINES = 20


@dataclass
class Report:
    """done: inputs that this run has archived; before: those that an earlier run had. bytes_before, bytes_after: of
    both. removed: inputs.

    failed, skipped, kept: paths with the reason. kept: inputs that should have been removed.
    """

    done: int = 0
    before: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    removed: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0

    def count(self, path: str, result: Result) -> None:
        """An input, or several that were joined, whose output is there."""
        self.done += 0 if result.was_done else result.inputs
        self.before += result.inputs if result.was_done else 0
        self.bytes_before += result.before
        self.bytes_after += result.after
        self.removed += result.removed
        if result.kept:
            self.kept.append((path, result.kept))

    @property
    def ok(self) -> bool:
        """Whether everything that was asked for was done."""
        return not self.failed and not self.kept

    @property
    def ratio(self) -> float:
        """Bytes before, divided by bytes after; 0 if there are none."""
        return self.bytes_before / self.bytes_after if self.bytes_after else 0.0

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""

        def listed(pairs: list[tuple[str, str]]) -> list[dict[str, str]]:
            return [{"path": path, "reason": reason} for path, reason in pairs]

        return {
            "ok": self.ok, "done": self.done, "done_before": self.before, "bytes_before": self.bytes_before,
            "bytes_after": self.bytes_after, "ratio": round(self.ratio, 3), "removed": self.removed, "failed": listed(self.failed),
            "skipped": listed(self.skipped), "kept": listed(self.kept), "seconds": round(self.seconds, 3),
        }  # fmt: skip

    def lines(self) -> list[str]:
        """The report for people, line by line."""
        earlier = f", {self.before} were there before" if self.before else ""
        lines = [
            f"{_counted(self.done, 'file')} archived{earlier}, {len(self.failed)} failed, {len(self.skipped)} skipped"
        ]
        if self.bytes_after:
            saved = self.bytes_before - self.bytes_after
            lines.append(
                f"{size_text(self.bytes_before)} -> {size_text(self.bytes_after)}, ratio {self.ratio:.1f}, {size_text(saved)} saved, "
                f"in {duration_text(self.seconds)}"
            )
        if self.removed:
            lines.append(f"{_counted(self.removed, 'input')} removed")
        for title, pairs in (("failed", self.failed), ("kept", self.kept), ("skipped", self.skipped)):
            lines += [_core.printable(f"{title}: {path}: {reason}") for path, reason in pairs[:MOST_LINES]]
            if len(pairs) > MOST_LINES:
                lines.append(f"{title}: {len(pairs) - MOST_LINES} more (--json lists all)")
        return lines


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def size_text(size: float) -> str:
    """Bytes in decimal units."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size) < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.4g} TB"


def duration_text(seconds: float) -> str:
    """Seconds, or hours and minutes."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 3600:.1f} h" if seconds >= 7200 else f"{seconds / 60:.1f} min"
