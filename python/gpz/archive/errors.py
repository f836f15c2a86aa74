# SPDX-License-Identifier: BSD-3-Clause
"""Why a part of an archive could not be made. These exceptions travel between processes and machines."""

from __future__ import annotations

import errno
import os


class TaskFailed(Exception):
    """One input cannot be archived; the others can. The text says why."""


class DiskFull(Exception):
    """No space is left for the archive: nothing can go on."""


class Interrupted(Exception):
    """The run was stopped from outside, by a signal."""


FULL = (errno.ENOSPC, errno.EDQUOT)


def says_full(text: str) -> bool:
    """Whether this message of a program names a disk without space."""
    return any(os.strerror(number) in text for number in FULL)


def as_task_error(error: BaseException, what: str) -> Exception:
    """An error of the operating system as one of this module; `what` is the file or the action."""
    if isinstance(error, OSError):
        if error.errno in FULL:
            return DiskFull(f"{what}: {os.strerror(error.errno)}")
        return TaskFailed(f"{error.filename or what}: {error.strerror or error}")
    return TaskFailed(f"{what}: {' '.join(str(error).split()) or type(error).__name__}")
