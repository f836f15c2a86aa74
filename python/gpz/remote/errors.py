# SPDX-License-Identifier: BSD-3-Clause
"""Errors of remote files."""

from __future__ import annotations

import errno

from gpz._errors import FileError, ForbiddenFileError, MissingFileError, UnsupportedError


class RemoteError(FileError):
    """A server could not be reached, or refused. `path` is the URL."""


class ChangedError(RemoteError):
    """The file was replaced by another one while it was open."""


class MissingPackageError(UnsupportedError, ImportError):
    """A package that reads such URLs is not installed."""


class Passing(Exception):
    """A failure that another attempt may not have. Never leaves the package.

    wait: seconds after which the server wants to be asked again; None: it did not say.
    """

    def __init__(self, cause: str, wait: float | None = None):
        super().__init__(cause)
        self.cause = cause
        self.wait = wait


def missing(url: str) -> FileError:
    """The error for a file that does not exist."""
    return MissingFileError("there is no such file", url, errno=errno.ENOENT)


def forbidden(url: str, cause: str = "") -> FileError:
    """The error for a file that may not be read."""
    why = f" ({cause})" if cause else ""
    return ForbiddenFileError(f"access was refused{why}: credentials are missing or wrong", url, errno=errno.EACCES)


def changed(url: str, what: str) -> ChangedError:
    """The error for a file that is not the one that was opened."""
    return ChangedError(f"the file was replaced while it was open ({what}): open it again", url)
