# SPDX-License-Identifier: BSD-3-Clause
"""Files on web servers. The session is fsspec's; answers are checked here, for fsspec does not show their heads."""

from __future__ import annotations

import asyncio
import math
import os
import re
import tempfile
from typing import IO, Any

from gpz.remote import attempts
from gpz.remote.errors import Passing, RemoteError, changed, forbidden, missing
from gpz.remote.names import shown_text
from gpz.remote.options import Options
from gpz.remote.stored import StoredFile

# What the reader asks for first, and at most a block of gpz::CachedSource more: the file header and the index.
FIRST = 64 << 10
LAST = (256 + 16) << 10
_PASSING_STATUS = (408, 425, 429, 500, 502, 503, 504)
_VERSION_HEADS = ("ETag", "Last-Modified")
# Credentials, which only the server of the URL gets.
_PRIVATE_HEADS = ("authorization", "cookie", "proxy-authorization")
_PRIVATE_ARGUMENTS = ("auth", "cookies")


class WebFile(StoredFile):
    """Ranges of a file on a web server.

    The first two requests are made at once, and have the start and the end of the file; their answers say how long the file
    is. A file on a server that sends no ranges is copied to a temporary file. Redirections are followed once, and again when
    they have expired. Another server, to which one leads, gets no credentials.
    """

    def __init__(self, file_system: Any, path: str, url: str, options: Options):
        self._place: Any = None  # where the last redirection led
        self._ends: list[tuple[int, bytes]] = []  # positions and bytes, for the first call of read_ranges
        self._copy: IO[bytes] | None = None
        super().__init__(file_system, path, url, options)

    def read_ranges(self, ranges: list[tuple[int, int]]) -> list[bytes]:
        """The bytes of each (begin, end)."""
        if self._copy is not None:
            return [self._of_copy(begin, end) for begin, end in ranges]
        ends, self._ends = self._ends, []
        answers = {
            (begin, end): data[begin - start : end - start]
            for begin, end in ranges
            for start, data in ends
            if start <= begin and end <= start + len(data)
        }
        left = [place for place in ranges if place not in answers]
        answers.update(zip(left, super().read_ranges(left)))
        return [answers[place] for place in ranges]

    def _is_checked(self) -> bool:
        """Every answer has the version."""
        return False

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
        last = asyncio.ensure_future(self._read_last())
        try:
            await attempts.repeated(self.name, self.options, self._read_first)
            if self._copy is None and self.size > FIRST:
                await last
        finally:
            last.cancel()
            await asyncio.gather(last, return_exceptions=True)
        if not last.cancelled() and last.exception() is None:
            data, size, version = last.result()
            if size == self.size and version == self._version:
                self._ends.append((size - len(data), data))

    async def _read_last(self) -> tuple[bytes, int | None, dict[str, str]]:
        """Requests the last LAST bytes. Returns these bytes, the size of the file, and its version; `(b"", None, {})` if the
        request fails. The reader then requests the index by its position, as it does with other bytes."""
        try:
            async with await self._request_range(f"bytes=-{LAST}") as answer:
                size = _length_in(answer)
                if answer.status != 206 or size is None:
                    return b"", None, {}
                data = await _bytes_of(answer, LAST)
                return (data, size, _version_in(answer)) if len(data) == min(LAST, size) else (b"", None, {})
        except Exception:  # noqa: BLE001
            # Whatever it is, the other request has it as well.
            return b"", None, {}

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
            self._ends = [(0, await self._body(answer, 0, min(FIRST, size)))]
            self.size = size
            self._version = _version_in(answer)
            if answer.history and await self._can_go_to(answer.url):
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
        return await self._request_range(f"bytes={begin}-{end - 1}")

    async def _request_range(self, places: str) -> Any:
        import aiohttp

        file_system = self.file_system
        session = await file_system.set_session()
        arguments = dict(file_system.kwargs)
        heads = {**arguments.pop("headers", {}), "Range": places, "Accept-Encoding": "identity"}
        arguments.setdefault(
            "timeout",
            aiohttp.ClientTimeout(total=None, sock_connect=self.options.timeout, sock_read=self.options.timeout),
        )
        place = file_system.encode_url(self._path) if self._place is None else self._place
        if self._place is not None and self._is_of_another_origin(place):
            heads = {key: value for key, value in heads.items() if key.lower() not in _PRIVATE_HEADS}
            arguments = {key: value for key, value in arguments.items() if key not in _PRIVATE_ARGUMENTS}
        return session.get(place, headers=heads, **arguments)

    def _is_of_another_origin(self, place: Any) -> bool:
        """Whether it has another origin than the URL: scheme, host and port."""
        return bool(place.origin() != self.file_system.encode_url(self._path).origin())

    async def _can_go_to(self, place: Any) -> bool:
        """Whether later requests may be made there at once. Credentials of the session go with every request, so it has to be
        the redirection that takes them off."""
        if not self._is_of_another_origin(place):
            return True
        session = await self.file_system.set_session()
        return session.auth is None and not any(key.lower() in _PRIVATE_HEADS for key in session.headers)

    def _require_status(self, answer: Any) -> None:
        status = answer.status
        if status in (404, 410):
            raise missing(self.name)
        if status in (401, 403):
            raise forbidden(self.name, f"status {status}")
        if status in _PASSING_STATUS:
            raise Passing(
                f"the server answered with status {status} {shown_text(answer.reason or '')}", _wait_in(answer)
            )
        if status not in (200, 206):
            raise RemoteError(f"the server answered with status {status} {shown_text(answer.reason or '')}", self.name)
        coding = answer.headers.get("Content-Encoding", "identity")
        if status == 206 and coding != "identity":
            raise RemoteError(f"the server sends ranges of a compressed copy ({coding})", self.name)

    async def _body(self, answer: Any, begin: int, end: int) -> bytes:
        place = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
        if place is not None and int(place[1]) != begin:
            raise RemoteError(f"the server sent bytes from {place[1]} on instead of {begin}", self.name)
        data = await _bytes_of(answer, end - begin)
        if len(data) != end - begin:
            came = "more" if len(data) > end - begin else str(len(data))
            raise Passing(f"{came} bytes came instead of {end - begin}")
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
        self._version = _version_in(answer)
        self.size = done

    def _too_large(self, size: str) -> RemoteError:
        return RemoteError(
            f"the server sends whole files only, and this one has {size}: gpz.remote.Options(largest_download=...) is "
            f"{self.options.largest_download}",
            self.name,
        )


def _length_in(answer: Any) -> int | None:
    """The length of the whole file."""
    found = re.match(r"bytes (?:\d+-\d+|\*)/(\d+)$", answer.headers.get("Content-Range", ""))
    return None if found is None else int(found[1])


def _version_in(answer: Any) -> dict[str, str]:
    return {key: answer.headers[key] for key in _VERSION_HEADS if key in answer.headers}


def _wait_in(answer: Any) -> float | None:
    """Seconds; None if the server names none, or a date."""
    try:
        wait = float(answer.headers["Retry-After"])
    except (KeyError, ValueError):
        return None
    return wait if math.isfinite(wait) and wait >= 0 else None


async def _bytes_of(answer: Any, wanted: int) -> bytes:
    """Reads the body of the answer, but no more than `wanted` + 1 bytes: a server may send more than was requested, or never
    end. One byte too many shows the caller that the answer is too long."""
    parts, left = [], wanted + 1
    while left > 0 and (part := await answer.content.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
