# SPDX-License-Identifier: BSD-3-Clause
"""Which files are to be archived, and how their outputs are called."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import gpz
from gpz.archive.errors import TaskFailed, as_task_error
from gpz.archive.kinds import Kind, kind_of


@dataclass(frozen=True)
class Input:
    """path: absolute. name: relative to the folder above the file or folder that the user named."""

    path: str
    name: str
    kind: Kind

    @property
    def output_name(self) -> str:
        """Relative to the folder of the archive. The whole name of the input is in it, so two inputs have two
        outputs."""
        return f"{self.name}.gpz"


@dataclass
class Found:
    """inputs: in the order of names. skipped: files that are no trajectories, with the reason. failed: those that
    cannot be read."""

    inputs: list[Input] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def find(named: Iterable[str | os.PathLike[str]], archive: str) -> Found:
    """The files that are named, and those in the folders that are named. missing: named files that do not exist.

    archive: the folder of outputs, absolute; what is in it is no input. Raises gpz.ArgumentError for two inputs with
    one output.
    """
    found = Found()
    names: dict[str, str] = {}
    for given in named:
        start = os.path.abspath(os.fspath(given))
        if os.path.isdir(start):
            above = os.path.dirname(start)
            for path in _files_below(start, archive, found):
                _take(path, os.path.relpath(path, above), found, names)
        elif os.path.lexists(start):
            _take(start, os.path.basename(start), found, names)
        else:
            found.missing.append(start)
    return found


def _files_below(folder: str, archive: str, found: Found) -> Iterable[str]:
    def unreadable(error: OSError) -> None:
        found.failed.append((error.filename, error.strerror or str(error)))

    for above, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = sorted((name for name in folders if os.path.join(above, name) != archive), key=natural)
        for name in sorted(files, key=natural):
            path = os.path.join(above, name)
            if os.path.islink(path):
                found.skipped.append((path, "a symbolic link"))
            elif not os.path.isfile(path):
                found.skipped.append((path, "no regular file"))
            else:
                yield path


def _take(path: str, name: str, found: Found, names: dict[str, str]) -> None:
    if names.get(name) == path:
        return
    try:
        kind = kind_of(path)
    except (OSError, TaskFailed) as error:
        found.failed.append((path, str(as_task_error(error, path)) if isinstance(error, OSError) else str(error)))
        return
    if kind is None:
        found.skipped.append((path, "no trajectory that gpz reads"))
        return
    if name in names:
        raise gpz.ArgumentError(f"{names[name]} and {path} would both become {name}.gpz: name the folder above both")
    names[name] = path
    found.inputs.append(Input(path, name, kind))


def natural(name: str) -> list[tuple[int, int | str]]:
    """A key that sorts run2 before run10."""
    return [(0, int(part)) if part.isdigit() and part.isascii() else (1, part) for part in re.split(r"([0-9]+)", name)]
