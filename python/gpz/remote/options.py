# SPDX-License-Identifier: BSD-3-Clause
"""How remote files are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Options:
    """How a remote file is read: gpz.open(url, remote=gpz.remote.Options(...)).

    storage: what fsspec gives to the file system of the URL, such as {"anon": True} for public buckets of S3, or
        {"headers": {...}} for HTTP.
    memory: bytes of the file that are kept, for frames that are read again.
    attempts: how often a request is made that fails for a reason that may pass: 408, 429, 500, 502, 503, 504, lost
        connections, no answer in time, short answers.
    delay: seconds before the second attempt. It doubles with each attempt, up to 10 s, and is multiplied by a random number
        from 0.5 to 1.5. A server's Retry-After takes its place, up to 60 s.
    timeout: seconds without a byte after which a request has failed.
    check_version: whether to ask the storage after each read if the file is still the one that was opened. Web servers say it
        in every answer, without being asked.
    largest_download: bytes. A file on a server that sends whole files only is copied to a temporary file, up to this size.
    """

    storage: Mapping[str, Any] = field(default_factory=dict)
    memory: int = 64 << 20
    attempts: int = 6
    delay: float = 0.25
    timeout: float = 30.0
    check_version: bool = True
    largest_download: int = 1 << 30
