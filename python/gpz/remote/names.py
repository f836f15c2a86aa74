# SPDX-License-Identifier: BSD-3-Clause
"""URLs, and what messages show of them."""

from __future__ import annotations

import re
from typing import Any

from gpz import _core

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://|[A-Za-z][A-Za-z0-9+.\-]*::")
# In the middle of a text: up to what no URL has.
_URL_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://[^\s'\"<>]*")
_QUERY_IN_TEXT = re.compile(r"\?[^\s'\"<>=]+=[^\s'\"<>]*")


def is_url(path: Any) -> bool:
    """Whether it is a URL as of fsspec, such as s3://bucket/file or simplecache::https://host/file."""
    return isinstance(path, str) and _URL.match(path) is not None


def is_gpz_url(thing: Any) -> bool:
    """Whether it is a URL whose path ends with .gpz, whatever its query is."""
    return is_url(thing) and _core.is_gpz_name(re.split(r"[?#]", thing)[0])


def shown_url(url: str) -> str:
    """The URL without passwords, and without the query, which may hold signatures."""
    return "::".join(_shown_part(part) for part in re.split(r"::(?=[A-Za-z][A-Za-z0-9+.\-]*://)", url))


def shown_path(path: str | None) -> str | None:
    """The path of a file, which may be a URL, for messages."""
    return shown_url(path) if path is not None and is_url(path) else path


def shown_text(text: str) -> str:
    """A text with URLs in it, as messages show it."""
    return _URL_IN_TEXT.sub(lambda found: shown_url(found[0]), text)


def foreign_text(error: BaseException, url: str = "") -> str:
    """The message of an exception of another package, in one line. Without a scheme, text that looks like a query is left out.

    url: of the file, as the caller gave it, which may have what no URL has.
    """
    text = str(error)
    if url:
        text = text.replace(url, shown_url(url))
    text = _QUERY_IN_TEXT.sub("?...", shown_text(" ".join(text.split())))
    return text or type(error).__name__


def shown_cause(error: BaseException) -> BaseException | None:
    """The exception for `raise ... from`; None if a traceback would show what messages leave out."""
    text = " ".join(str(error).split())
    return error if text in ("", foreign_text(error)) else None


def _shown_part(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    if not mark:
        return _without_query(url)
    return scheme + mark + _without_query(_without_user(rest))


def _without_query(url: str) -> str:
    return re.sub(r"\?[^#]*", "?...", url)


def _without_user(rest: str) -> str:
    """The part of a URL after the scheme, from the host on. Passwords have no / ? # and @ in URLs, but people write them as they are.
    Where it may also be a path with @, three dots are in the place of what is not shown."""
    if rest.startswith("...@"):
        return rest
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    path = re.split(r"[?#]", rest, maxsplit=1)[0]
    last = path.rfind("@")
    if last >= 0 and ("@" in authority or ":" in authority):
        return rest[last + 1 :] if last < len(authority) else "..." + rest[last:]
    port = authority.rpartition(":")[2] if ":" in authority and not authority.endswith("]") else ""
    if port and not port.isdigit() and "@" in rest:
        return "..." + rest[rest.rfind("@") :]
    return rest
