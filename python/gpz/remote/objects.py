# SPDX-License-Identifier: BSD-3-Clause
"""File objects of Python as sources."""

from __future__ import annotations

import threading
import uuid
from typing import Any

from gpz._errors import TruncatedError


class ObjectFile:
    """Ranges of a binary file object, as gpz._core.Source reads them. After each call it stands where it stood before.
    Threads read in turn."""

    def __init__(self, file: Any, name: str, size: int):
        self.name = name
        self.size = size
        self._file = file
        self._lock = threading.Lock()
        # Its identity, as nothing is known of its bytes.
        self.key = uuid.uuid4().hex

    def read_ranges(self, ranges: list[tuple[int, int]]) -> list[bytes]:
        """The bytes of each (begin, end)."""
        with self._lock:
            before = self._file.tell()
            try:
                return [self._read(begin, end) for begin, end in ranges]
            finally:
                self._file.seek(before)

    def _read(self, begin: int, end: int) -> bytes:
        self._file.seek(begin)
        parts = []
        while begin < end:
            part = self._file.read(end - begin)
            if not part:
                raise TruncatedError("the file ends too early", self.name, begin)
            parts.append(part)
            begin += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def require_unchanged(self) -> None:
        """Nothing is known of other versions of a file object."""
