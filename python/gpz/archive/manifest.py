# SPDX-License-Identifier: BSD-3-Clause
"""manifest.jsonl: what happened to each input, a line of JSON for each step. Lines are only ever added."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from gpz.archive.files import sync_folder

NAME = "manifest.jsonl"

STARTED, ENCODED, DONE, FAILED, REMOVED = "started", "encoded", "done", "failed", "removed"
# What a run has to know of earlier ones. The other fields stay on disk: an archive may have millions of lines.
_KEPT = ("state", "size", "mtime_ns", "digest", "output", "output_size", "output_digest", "settings", "cut")


class Manifest:
    """Of one folder. One process writes it at a time."""

    def __init__(self, folder: str):
        """Reads what earlier runs have written. Raises OSError."""
        self.path = os.path.join(folder, NAME)
        self._last: dict[str, dict[str, Any]] = {}
        for line in read(self.path):
            self._note(line)
        is_new = not os.path.exists(self.path)
        self._file = open(self.path, "ab")
        if is_new:
            sync_folder(folder)
        elif not _ends_with_line(self.path):
            # Half a line of a run that was killed stays as it is, and readers leave it out.
            self._file.write(b"\n")

    def close(self) -> None:
        """No more lines can be added."""
        self._file.close()

    def add(self, state: str, path: str, **fields: Any) -> None:
        """path: of the input, absolute. The line is on disk afterwards. Raises OSError."""
        line = {"state": state, "path": path, **fields, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        self._file.write(json.dumps(line, ensure_ascii=True).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._note(line)

    def last(self, path: str) -> Mapping[str, Any]:
        """The fields of the last lines of an input that a run has to know; empty for a new input."""
        return self._last.get(path, {})

    def with_state(self, state: str) -> list[str]:
        """The inputs whose last line says this."""
        return [path for path, line in self._last.items() if line["state"] == state]

    def _note(self, line: Mapping[str, Any]) -> None:
        before = self._last.get(line["path"], {}) if line["state"] not in (STARTED, FAILED) else {}
        self._last[line["path"]] = {**before, **{name: line[name] for name in _KEPT if name in line}}


def read(path: str) -> Iterator[dict[str, Any]]:
    """The lines of a manifest, without those that a killed run wrote in part. Raises OSError; nothing for a file that is not there."""
    try:
        file = open(path, "rb")
    except FileNotFoundError:
        return
    with file:
        for text in file:
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if isinstance(line, dict) and isinstance(line.get("path"), str) and isinstance(line.get("state"), str):
                yield line


def _ends_with_line(path: str) -> bool:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return True
        file.seek(size - 1)
        return file.read(1) == b"\n"
