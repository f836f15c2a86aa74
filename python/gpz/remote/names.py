# SPDX-License-Identifier: BSD-3-Clause
"""URLs, and what messages show of them."""

from __future__ import annotations

import re
from typing import Any

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://|[A-Za-z][A-Za-z0-9+.\-]*::")


def is_url(path: Any) -> bool:
    """Whether it is a URL as of fsspec, such as s3://bucket/file or simplecache::https://host/file."""
    return isinstance(path, str) and _URL.match(path) is not None


def is_gpz_url(thing: Any) -> bool:
    """Whether it is a URL whose path ends with .gpz, whatever its query is."""
    return is_url(thing) and re.split(r"[?#]", thing)[0].lower().endswith(".gpz")


def shown_url(url: str) -> str:
    """Without passwords, and without the query, in which signatures are."""
    without_user = re.sub(r"(://)[^/@?#]*@", r"\1", url)
    return re.sub(r"\?[^#]*", "?...", without_user)
