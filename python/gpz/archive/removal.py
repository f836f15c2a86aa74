# SPDX-License-Identifier: BSD-3-Clause
"""An input is removed under a hidden name: between a check of its path and the removal, another file could get the
path. A run that is killed meanwhile leaves the hidden name, and the next one gives the file its name again."""

from __future__ import annotations

import os

from gpz.archive.files import sync

ENDING = ".gpz-archive-removes"
CHANGED = "it changed since it was read"


def hidden_name(path: str) -> str:
    """Beside the file. The same for each run, so that a later one finds it."""
    return os.path.join(os.path.dirname(path), f".{os.path.basename(path)}{ENDING}")


def name_of_hidden(path: str) -> str | None:
    """The name that a hidden file had; None for another file."""
    name = os.path.basename(path)
    if not name.startswith(".") or not name.endswith(ENDING) or len(name) == len(ENDING) + 1:
        return None
    return os.path.join(os.path.dirname(path), name[1 : -len(ENDING)])


def remove(path: str, checked: os.stat_result) -> str:
    """Removes the file that was checked. Why it stays, if it does; empty if it was removed. Raises OSError."""
    hidden = hidden_name(path)
    if os.path.lexists(hidden):
        return f"{hidden} is in the way"
    os.rename(path, hidden)
    try:
        found = os.lstat(hidden)
        if _what(found) != _what(checked):
            return CHANGED if give_back(hidden, path) else f"{CHANGED}, and is now {hidden}"
        os.unlink(hidden)
    except OSError:
        if os.path.lexists(hidden):
            give_back(hidden, path)
        raise
    sync(os.path.dirname(path))
    return ""


def _what(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def give_back(hidden: str, path: str) -> bool:
    """Gives a hidden file its name again, unless another file has the name. Raises OSError."""
    if os.path.lexists(path):
        if not os.path.samefile(hidden, path):
            return False
    else:
        try:
            os.link(hidden, path, follow_symlinks=False)  # it never replaces a file
        except FileExistsError:
            return False
        except OSError:
            os.rename(hidden, path)  # a file system without hard links
            sync(os.path.dirname(path))
            return True
    os.unlink(hidden)
    sync(os.path.dirname(path))
    return True
