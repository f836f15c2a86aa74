# SPDX-License-Identifier: BSD-3-Clause
"""Files in the storages that fsspec knows."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from typing import Any, TypeVar

from gpz._errors import Error
from gpz.remote import attempts
from gpz.remote.errors import Passing, RemoteError, changed, forbidden, missing
from gpz.remote.loops import result_of
from gpz.remote.names import foreign_text, shown_cause, shown_url
from gpz.remote.options import Options

T = TypeVar("T")

MOST_AT_ONCE = 16  # requests

# What tells one version of a file from another. Storages have some of them.
_VERSION_KEYS = ("ETag", "etag", "LastModified", "last_modified", "mtime", "generation", "md5Hash", "content_md5")
_MADE = "created"  # for storages that have none of them, such as memory://


class StoredFile:
    """Ranges of a file, as gpz._core.Source reads them. Threads may read at once.

    file_system: of fsspec. A process that was forked makes another one.
    """

    def __init__(self, file_system: Any, path: str, url: str, options: Options):
        self.name = shown_url(url)
        self._url = url
        self.options = options
        self._path = path
        self._file_system = file_system
        self._process = os.getpid()
        self.size = 0
        self._version: dict[str, Any] = {}
        self.call(self._open())

    def read_ranges(self, ranges: list[tuple[int, int]]) -> list[bytes]:
        """The bytes of each (begin, end)."""
        return self.call(self._read_all(ranges))

    def require_unchanged(self) -> None:
        """ChangedError if the file is another one than that which was opened."""
        self.call(self._require_unchanged())

    @property
    def version(self) -> tuple[Any, ...]:
        """Its size, and what else tells this version of the file from others."""
        return (self.size, *sorted((key, str(value)) for key, value in self._version.items()))

    @property
    def file_system(self) -> Any:
        """The file system object of this process."""
        if self._process != os.getpid():
            old = self._file_system
            options = {**old.storage_options, "skip_instance_cache": True}
            self._file_system = type(old)(*old.storage_args, **options)
            self._process = os.getpid()
        return self._file_system

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Runs the coroutine and returns its result. Errors of the storage are raised as errors of gpz."""
        import fsspec.asyn

        file_system = self.file_system
        loop = getattr(file_system, "loop", None) or fsspec.asyn.get_loop()
        try:
            return result_of(coroutine, loop, self.name)
        except Error:
            raise
        except Exception as error:
            raise self._translated(error) from shown_cause(error)

    def _translated(self, error: Exception) -> Error:
        names = {kind.__name__ for kind in type(error).__mro__}
        text = foreign_text(error, self._url)
        if isinstance(error, FileNotFoundError):
            return missing(self.name)
        if isinstance(error, PermissionError) or "NoCredentialsError" in names or "ClientAuthenticationError" in names:
            return forbidden(self.name, text)
        return RemoteError(text, self.name, errno=getattr(error, "errno", None))

    async def _ask(self, function: str, *arguments: Any, **options: Any) -> Any:
        """Calls a function of the file system, which may be none of coroutines."""
        import fsspec.asyn

        file_system = self.file_system
        if isinstance(file_system, fsspec.asyn.AsyncFileSystem):
            return await getattr(file_system, "_" + function)(*arguments, **options)
        return await asyncio.to_thread(getattr(file_system, function), *arguments, **options)

    async def _open(self) -> None:
        info = await self._info()
        if info.get("type") == "directory":
            raise RemoteError("it is a folder", self.name)
        if not isinstance(info.get("size"), int):
            raise RemoteError("the storage does not say how large the file is", self.name)
        self.size = info["size"]
        self._version = _version_of(info)

    async def _info(self) -> dict[str, Any]:
        self.file_system.invalidate_cache(self.file_system._parent(self._path))
        return await attempts.repeated(self.name, self.options, lambda: self._ask("info", self._path))

    async def _require_unchanged(self) -> None:
        info = await self._info()
        if info.get("size") != self.size:
            raise changed(self.name, f"it has {info.get('size')} bytes, and had {self.size}")
        for key, value in _version_of(info).items():
            if self._version.get(key, value) != value:
                raise changed(self.name, f"{key} is {value}, and was {self._version[key]}")

    async def _read_all(self, ranges: list[tuple[int, int]]) -> list[bytes]:
        if not ranges:
            return []
        turns = asyncio.Semaphore(MOST_AT_ONCE)

        async def read(begin: int, end: int) -> bytes:
            async with turns:
                return await attempts.repeated(self.name, self.options, lambda: self._read(begin, end))

        reading = [asyncio.ensure_future(read(begin, end)) for begin, end in ranges]
        try:
            parts = await asyncio.gather(*reading)
        except BaseException:
            for other in reading:
                other.cancel()
            raise
        if self._is_checked():
            await self._require_unchanged()
        return parts

    def _is_checked(self) -> bool:
        """Whether to ask for the version after each batch: it cannot be given with a request for bytes. A file that was copied
        to a cache is not replaced there."""
        from fsspec.implementations.cached import CachingFileSystem

        is_copy = isinstance(self.file_system, CachingFileSystem)
        return self.options.check_version and bool(self._version) and not is_copy

    async def _read(self, begin: int, end: int) -> bytes:
        if begin == end:
            return b""
        data = bytes(await self._ask("cat_file", self._path, start=begin, end=end))
        if len(data) != end - begin:
            await self._require_unchanged()
            raise Passing(f"{len(data)} bytes came instead of {end - begin}")
        return data


def _version_of(info: dict[str, Any]) -> dict[str, Any]:
    keys = _VERSION_KEYS if any(info.get(key) is not None for key in _VERSION_KEYS) else (_MADE,)
    return {key: info[key] for key in keys if info.get(key) is not None}
