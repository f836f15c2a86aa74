# SPDX-License-Identifier: BSD-3-Clause
"""Opening of remote files."""

from __future__ import annotations

import os
from typing import Any

from gpz import _core
from gpz._errors import ArgumentError, CorruptError
from gpz.remote.errors import MissingPackageError, changed
from gpz.remote.names import foreign_text, shown_cause, shown_url
from gpz.remote.objects import ObjectFile
from gpz.remote.options import Options


class RemoteReader:
    """gpz._core.Reader over a remote file. If bytes contradict the format, it looks whether the file was replaced: then
    the error is ChangedError. What is kept of the file is dropped, in case it was damaged on its way."""

    def __init__(self, file: Any, source: _core.Source, max_memory: int):
        self._file = file
        self._source = source
        self._reader: Any = self._checked(_core.Reader.of_source)(source, max_memory)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._reader, name)
        return self._checked(value) if callable(value) else value

    def _checked(self, function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except CorruptError:
                self._source.forget()
                self._file.require_unchanged()
                raise

        return call


class RemoteFile:
    """A remote file, of which readers share the bytes that were read.

    source: a URL, an OpenFile of fsspec, or a file object that can be read from any place.
    """

    def __init__(self, source: Any, options: Options | None):
        self.source = source
        self.options = checked_options(options)
        self.open()

    def open(self) -> None:
        """Opens the file, or opens it again."""
        self.file = file_of(self.source, self.options)
        self.shared = _core.Source(self.file, self.options.memory)

    def reader(self, max_memory: int) -> RemoteReader:
        """A reader of the file."""
        return RemoteReader(self.file, self.shared, max_memory)

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.file.name

    @property
    def version(self) -> tuple[Any, ...]:
        """A text that identifies this version of the file; empty for a file object."""
        return () if isinstance(self.file, ObjectFile) else self.file.version

    @property
    def identity(self) -> tuple[Any, ...]:
        """A key that identifies this version of this file."""
        if isinstance(self.file, ObjectFile):
            return (self.file.key,)
        file_system = self.file.file_system
        place = self.source if isinstance(self.source, str) else self.source.path
        return place, type(file_system).__name__, file_system.storage_args, file_system.storage_options, self.version

    def require_version(self, version: tuple[Any, ...]) -> None:
        """ChangedError if the file that is open is another one."""
        if self.version != version:
            raise changed(self.name, f"its version is {self.version}, and was {version}")

    def to_pickle(self) -> Any:
        """The argument that opens the remote file: the bytes of a file object that only this process has."""
        if isinstance(self.file, ObjectFile):
            return self.file.read_ranges([(0, self.file.size)])[0]
        return self.source

    @property
    def counts(self) -> tuple[int, int, int]:
        """Requests so far, ranges in them, and their bytes. What opening took besides is not in them."""
        return self.shared.counts


def checked_options(options: Any) -> Options:
    """TypeError for other objects, ArgumentError for options that cannot be."""
    if options is None:
        return Options()
    if not isinstance(options, Options):
        raise TypeError(f"remote: gpz.remote.Options, not {type(options).__name__}")
    if options.attempts < 1 or options.memory < 0 or options.delay < 0 or not options.timeout > 0:
        raise ArgumentError("remote: attempts is at least 1, memory and delay are not negative, timeout is more than 0")
    return options


def local_path(url: str) -> str | None:
    """The path of a URL of this machine, file:///home/me/a.gpz; None for others."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("file", "local"):
        return None
    return rest if rest.startswith("/") else str(os.path.abspath(rest))


def file_of(source: Any, options: Options) -> Any:
    """An object that reads ranges of a URL, an OpenFile or a file object."""
    if isinstance(source, str):
        return _of_url(source, options)
    if hasattr(source, "fs") and hasattr(source, "path"):
        file_system, path = source.fs, source.path
        return _of_file_system(file_system, path, file_system.unstrip_protocol(path), options)
    before = source.tell()
    size = source.seek(0, os.SEEK_END)
    source.seek(before)
    name = getattr(source, "name", None)
    return ObjectFile(source, name if isinstance(name, str) else type(source).__name__, size)


def _of_url(url: str, options: Options) -> Any:
    try:
        import fsspec.core
    except ImportError:
        raise MissingPackageError('fsspec is missing: pip install "gpz-md[remote]"', shown_url(url)) from None
    try:
        file_system, path = fsspec.core.url_to_fs(url, **options.storage)
    except ImportError as error:
        raise MissingPackageError(
            f'{foreign_text(error, url)}: pip install "gpz-md[remote]"', shown_url(url)
        ) from error
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"no such URL can be read: {foreign_text(error, url)}", shown_url(url)) from shown_cause(
            error
        )
    return _of_file_system(file_system, path, url, options)


def _of_file_system(file_system: Any, path: str, url: str, options: Options) -> Any:
    from gpz.remote.stored import StoredFile

    protocols = file_system.protocol
    if type(file_system).__name__ == "HTTPFileSystem" and "http" in protocols:
        from gpz.remote.web import WebFile

        return WebFile(file_system, path, url, options)
    return StoredFile(file_system, path, url, options)
