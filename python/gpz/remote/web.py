# SPDX-License-Identifier: BSD-3-Clause
"""Files on web servers. The session is fsspec's; answers are checked here, for fsspec does not show their heads."""

from __future__ import annotations

import os
import re
import tempfile
from typing import IO, Any

from gpz.remote import attempts
from gpz.remote.errors import Passing, RemoteError, changed, forbidden, missing
from gpz.remote.options import Options
from gpz.remote.stored import StoredFile

FIRST = 64 << 10  # bytes of the first request: the file header, and what the reader asks for first
_PASSING_STATUS = (408, 425, 429, 500, 502, 503, 504)
_VERSION_HEADS = ("ETag", "Last-Modified")


class WebFile(StoredFile):
    """Ranges of a file on a web server.

    The first request has the start of the file; its answer says how long the file is. A file on a server that sends no
    ranges is copied to a temporary file. Redirections are followed once, and again when they have expired.
    """

    def __init__(self, file_system: Any, path: str, url: str, options: Options):
        self._place: Any = None  # where the last redirection led
        self._first = b""
        self._copy: IO[bytes] | None = None
        super().__init__(file_system, path, url, options)

    def read_ranges(self, ranges: list[tuple[int, int]]) -> list[bytes]:
        """The bytes of each (begin, end)."""
        if self._copy is not None:
            return [self._of_copy(begin, end) for begin, end in ranges]
        # The reader asks for the start of the file once, and keeps it.
        first, self._first = self._first, b""
        answers = {(begin, end): first[begin:end] for begin, end in ranges if first and end <= len(first)}
        left = [place for place in ranges if place not in answers]
        answers.update(zip(left, super().read_ranges(left)))
        return [answers[place] for place in ranges]

    def _of_copy(self, begin: int, end: int) -> bytes:
        assert self._copy is not None
        parts = []
        while begin < end:
            part = os.pread(self._copy.fileno(), end - begin, begin)
            if not part:
                raise RemoteError("its temporary copy has become shorter", self.name)
            parts.append(part)
            begin += len(part)
        return b"".join(parts)

    def require_unchanged(self) -> None:
        """ChangedError if the file is another one than that which was opened."""
        if self._copy is None and self.size > 0:
            self.call(attempts.repeated(self.name, self.options, lambda: self._read(0, 1)))

    async def _open(self) -> None:
        await attempts.repeated(self.name, self.options, self._read_first)

    async def _read_first(self) -> None:
        async with await self._request(0, FIRST) as answer:
            if answer.status == 416 and _length_in(answer) == 0:
                return
            self._require_status(answer)
            if answer.status == 200:
                await self._copy_whole(answer)
                return
            size = _length_in(answer)
            if size is None:
                raise RemoteError("the server does not say how long the file is", self.name)
            self._first = await self._body(answer, 0, min(FIRST, size))
            self.size = size
            self._version = {key: answer.headers[key] for key in _VERSION_HEADS if key in answer.headers}
            if answer.history:
                self._place = answer.url

    async def _read(self, begin: int, end: int) -> bytes:
        if begin == end:
            return b""
        async with await self._request(begin, end) as answer:
            if self._place is not None and answer.status in (401, 403, 404, 410):
                self._place = None
                raise Passing("a redirection has expired", 0)
            if answer.status == 416:
                raise changed(self.name, f"it has become shorter than {end} bytes")
            self._require_status(answer)
            for key, value in self._version.items():
                if answer.headers.get(key, value) != value:
                    raise changed(self.name, f"{key} is {answer.headers[key]}, and was {value}")
            size = _length_in(answer)
            if size is not None and size != self.size:
                raise changed(self.name, f"it has {size} bytes, and had {self.size}")
            if answer.status == 200:
                raise RemoteError("the server sent the whole file instead of a range", self.name)
            return await self._body(answer, begin, end)

    async def _request(self, begin: int, end: int) -> Any:
        import aiohttp

        file_system = self.file_system
        session = await file_system.set_session()
        arguments = dict(file_system.kwargs)
        heads = {**arguments.pop("headers", {}), "Range": f"bytes={begin}-{end - 1}", "Accept-Encoding": "identity"}
        arguments.setdefault(
            "timeout",
            aiohttp.ClientTimeout(total=None, sock_connect=self.options.timeout, sock_read=self.options.timeout),
        )
        place = file_system.encode_url(self._path) if self._place is None else self._place
        return session.get(place, headers=heads, **arguments)

    def _require_status(self, answer: Any) -> None:
        status = answer.status
        if status in (404, 410):
            raise missing(self.name)
        if status in (401, 403):
            raise forbidden(self.name, f"status {status}")
        if status in _PASSING_STATUS:
            raise Passing(f"the server answered with status {status} {answer.reason}", _wait_in(answer))
        if status not in (200, 206):
            raise RemoteError(f"the server answered with status {status} {answer.reason}", self.name)
        coding = answer.headers.get("Content-Encoding", "identity")
        if status == 206 and coding != "identity":
            raise RemoteError(f"the server sends ranges of a compressed copy ({coding})", self.name)

    async def _body(self, answer: Any, begin: int, end: int) -> bytes:
        place = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
        if place is not None and int(place[1]) != begin:
            raise RemoteError(f"the server sent bytes from {place[1]} on instead of {begin}", self.name)
        data = await answer.read()
        if len(data) != end - begin:
            raise Passing(f"{len(data)} bytes came instead of {end - begin}")
        return data

    async def _copy_whole(self, answer: Any) -> None:
        limit = self.options.largest_download
        length = answer.content_length
        copy = tempfile.TemporaryFile(prefix="gpz-")
        done = 0
        try:
            if length is not None and length > limit:
                raise self._too_large(f"{length} bytes")
            async for part in answer.content.iter_any():
                done += len(part)
                if done > limit:
                    raise self._too_large("more")
                copy.write(part)
            if length is not None and done != length and "Content-Encoding" not in answer.headers:
                raise Passing(f"{done} bytes came instead of {length}")
            copy.flush()
        except BaseException:
            copy.close()
            raise
        self._copy = copy
        self.size = done

    def _too_large(self, size: str) -> RemoteError:
        return RemoteError(
            f"the server sends whole files only, and this one has {size}: gpz.remote.Options(largest_download=...) is "
            f"{self.options.largest_download}",
            self.name,
        )


def _length_in(answer: Any) -> int | None:
    """Of the whole file."""
    found = re.match(r"bytes (?:\d+-\d+|\*)/(\d+)$", answer.headers.get("Content-Range", ""))
    return None if found is None else int(found[1])


def _wait_in(answer: Any) -> float | None:
    """Seconds; None if the server names none, or a date."""
    try:
        return float(answer.headers["Retry-After"])
    except (KeyError, ValueError):
        return None
