# SPDX-License-Identifier: BSD-3-Clause
"""manifest.jsonl: what happened to each input, a line of JSON for each step. Lines are only ever added."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from gpz.archive.files import sync

NAME = "manifest.jsonl"

STARTED, ENCODED, DONE, FAILED, REMOVED = "started", "encoded", "done", "failed", "removed"
# What a run has to know of earlier ones. The other fields stay on disk: an archive may have millions of lines.
_TYPES = {"size": int, "mtime_ns": int, "digest": str, "output": str, "output_size": int, "output_digest": str,
          "settings": dict, "cut": bool}  # fmt: skip
_KEPT = ("state", *_TYPES, "joined", "keep")


class Manifest:
    """The manifest of a folder. One process writes it at a time."""

    def __init__(self, folder: str):
        """Reads what earlier runs have written. Raises OSError."""
        self.path = os.path.join(folder, NAME)
        self._state: dict[str, str] = {}
        self._done: dict[str, dict[str, Any]] = {}
        self._outputs: dict[str, tuple[str, str]] = {}  # owner, digest
        self._removed: set[str] = set()
        for line in read(self.path):
            self._note(line)
        is_new = not os.path.exists(self.path)
        self._file = open(self.path, "ab")
        if is_new:
            sync(folder)
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

    def state(self, path: str) -> str:
        """The state in the last line of an input; empty for a new one."""
        return self._state.get(path, "")

    def done(self, path: str) -> Mapping[str, Any]:
        """The fields of the line that says how the input was archived, also if a later try has failed; empty if it
        never was."""
        return self._done.get(path, {})

    def owner(self, output: str) -> str | None:
        """The input, or the folder of joined inputs, that an output was made of."""
        return self._outputs.get(output, (None, None))[0]

    def output_digest(self, output: str) -> str | None:
        """The digest of an output when it was made; None for a file that is no output."""
        return self._outputs.get(output, (None, None))[1]

    def is_removed(self, path: str) -> bool:
        """Whether the input was removed after it was archived, also if a file has its name again."""
        return path in self._removed

    def joined(self, folder: str) -> list[str]:
        """The inputs that were joined into one output."""
        return [path for path, line in self._done.items() if line.get("joined") == folder]

    def _note(self, line: Mapping[str, Any]) -> None:
        path, state = line["path"], line["state"]
        if state == DONE and not _says_all(line):
            return  # as if it were not there: the input is archived again
        self._state[path] = state
        if state == DONE:
            self._done[path] = {name: line[name] for name in _KEPT if name in line}
            self._outputs[line["output"]] = (line.get("joined", path), line["output_digest"])
            self._removed.discard(path)
        elif state == REMOVED:
            self._removed.add(path)


def _says_all(line: Mapping[str, Any]) -> bool:
    """Whether a line of an archived input has all that later runs need."""
    return all(isinstance(line.get(name), kind) for name, kind in _TYPES.items()) and all(
        isinstance(line.get(name, ""), str) for name in ("joined", "keep")
    )


def read(path: str) -> Iterator[dict[str, Any]]:
    """The lines of a manifest, without those that a killed run wrote in part. Raises OSError; nothing for a file that
    is not there."""
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
