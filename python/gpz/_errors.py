# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of the package."""

from __future__ import annotations

import errno

from gpz import _core


class Error(Exception):
    """A failure of the library. Each kind is also the built-in exception that Python programs expect.

    status: the name of the kind, as in the C and C++ API: "corrupt", "not_found", ...
    cause: the reason, without the place.
    path: the file, or None.
    position: the byte of the file that it is about, or None.
    errno: of the operating system, or None.
    """

    status = "internal"

    def __init__(self, cause: str, path: str | None = None, position: int | None = None, errno: int | None = None):
        super().__init__(cause)
        self.cause = cause
        self.path = path
        self.position = position
        self.errno = errno

    def __str__(self) -> str:
        # The package gpz.remote needs this module.
        from gpz.remote.names import shown_path, shown_text

        place = f"{shown_path(self.path)}: " if self.path else ""
        # Causes have names of columns, which are any bytes that the writer of the file chose.
        return _core.printable(place + (f"byte {self.position}: " if self.position is not None else "") + shown_text(self.cause))

    def __reduce__(self):
        return type(self), (self.cause, self.path, self.position, self.errno)


class ArgumentError(Error, ValueError):
    """An argument that cannot be: a negative bound, columns that do not fit together."""

    status = "invalid_argument"


class FileError(Error, OSError):
    """The operating system refused. `errno` has its reason."""

    status = "io_error"


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class ForbiddenFileError(FileError, PermissionError):
    """The file may not be read, or written."""


class NotGpzError(Error, ValueError):
    """The file is of another format."""

    status = "not_gpz"


class VersionError(Error, ValueError):
    """The file is of a newer version of gpz."""

    status = "unsupported_version"


class CorruptError(Error, ValueError):
    """A checksum is wrong, or the bytes contradict the format."""

    status = "corrupt"


class TruncatedError(CorruptError):
    """The file ends too early."""

    status = "truncated"


class OutOfMemoryError(Error, MemoryError):
    """There is no memory."""

    status = "out_of_memory"


class NotFoundError(Error, LookupError):
    """No such frame or column."""

    status = "not_found"


class ColumnError(NotFoundError, KeyError):
    """A frame has no such column."""


class LimitError(Error, MemoryError):
    """It would take more than `max_memory`, or a number does not fit into the array for it."""

    status = "limit_exceeded"


class InternalError(Error, RuntimeError):
    """A mistake in gpz."""

    status = "internal"


class UnsupportedError(Error, ValueError):
    """Valid, but this function cannot do it."""

    status = "unsupported"


# The numbers of gpz::Status.
_KINDS: dict[int, type[Error]] = {
    1: ArgumentError,
    2: FileError,
    3: NotGpzError,
    4: VersionError,
    5: CorruptError,
    6: TruncatedError,
    7: OutOfMemoryError,
    8: NotFoundError,
    9: LimitError,
    10: InternalError,
    11: UnsupportedError,
}
_KINDS_OF_FILES = {errno.ENOENT: MissingFileError, errno.EACCES: ForbiddenFileError, errno.EPERM: ForbiddenFileError}


def status_of(error: Exception) -> int:
    """The number of gpz::Status for an error; 2 (io_error) for those of the operating system, 10 (internal) for others."""
    names = {kind.status: number for number, kind in _KINDS.items()}
    return names[error.status] if isinstance(error, Error) else 2 if isinstance(error, OSError) else 10


def from_library(status: int, cause: str, path: str, position: int | None, system_error: int) -> Error:
    """The exception for a gpz::Error."""
    kind = _KINDS.get(status, InternalError)
    if kind is FileError:
        kind = _KINDS_OF_FILES.get(system_error, FileError)
    return kind(cause, path or None, position, system_error or None)
