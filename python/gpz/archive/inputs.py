# SPDX-License-Identifier: BSD-3-Clause
"""Which files are to be archived, and how their outputs are called."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field

import gpz
from gpz.archive.errors import TaskFailed, as_task_error
from gpz.archive.kinds import Kind, kind_of
from gpz.archive.removal import give_back, hidden_name, name_of_hidden
from gpz.archive.tasks import run_task

WORK = ".gpz-archive"  # the folder of an archive for what is not finished


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
    cannot be read. real: the inputs by their real paths."""

    inputs: list[Input] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    real: dict[str, str] = field(default_factory=dict)


def find(named: Iterable[str | os.PathLike[str]], archive: str) -> Found:
    """The files that are named, and those in the folders that are named. missing: named files that do not exist.

    archive: the folder of outputs, absolute; what is in it is no input, under whatever name. Raises gpz.ArgumentError
    for two inputs with one output, and for inputs in the archive that are named.
    """
    found = Found()
    names: dict[str, str] = {}
    archive = os.path.realpath(archive)
    for given in named:
        start = os.path.abspath(os.fspath(given))
        require_outside(start, archive)
        hidden = hidden_name(start)
        if os.path.lexists(hidden):
            _give_back(hidden, found)
        if os.path.isdir(start):
            above = os.path.dirname(start)
            for path in _files_below(start, archive, found):
                _take(path, os.path.relpath(path, above), found, names)
        elif os.path.lexists(start):
            _take(start, os.path.basename(start), found, names)
        else:
            found.missing.append(start)
    return found


def require_outside(start: str, archive: str) -> None:
    """Raises gpz.ArgumentError for a file or folder that is in an archive. archive: a real path."""
    real = os.path.realpath(start)
    if os.path.commonpath((real, archive)) == archive:
        raise gpz.ArgumentError("is in the folder of the archive, whose files are no inputs", start)
    if WORK in (os.path.basename(start), os.path.basename(real)):
        raise gpz.ArgumentError(f"folders {WORK} have unfinished outputs, which are no inputs", start)


def _files_below(folder: str, archive: str, found: Found) -> Iterable[str]:
    def unreadable(error: OSError) -> None:
        found.failed.append((error.filename, error.strerror or str(error)))

    def is_searched(path: str) -> bool:
        return os.path.basename(path) != WORK and os.path.realpath(path) != archive

    for above, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = sorted((name for name in folders if is_searched(os.path.join(above, name))), key=natural)
        given_back = [_give_back(os.path.join(above, name), found) for name in files]
        for name in sorted({name for name in given_back if name}, key=natural):
            path = os.path.join(above, name)
            if os.path.islink(path):
                found.skipped.append((path, "a symbolic link"))
            elif not os.path.isfile(path):
                found.skipped.append((path, "no regular file"))
            else:
                yield path


def _give_back(path: str, found: Found) -> str:
    """The name of a file in its folder. Files that a killed run has hidden get their names again; empty for those that cannot."""
    name = name_of_hidden(path)
    if name is None:
        return os.path.basename(path)
    try:
        if give_back(path, name):
            return os.path.basename(name)
        reason = f"a run that was to remove {name} was killed, and there is another file of this name"
    except OSError as error:
        reason = error.strerror or str(error)
    found.failed.append((path, reason))
    return ""


def _take(path: str, name: str, found: Found, names: dict[str, str]) -> None:
    if names.get(name) == path:
        return
    try:
        # A pipe that is opened would wait for its writer.
        if not stat.S_ISREG(os.stat(path).st_mode):
            found.failed.append((path, "no regular file"))
            return
        # An error that nobody foresaw is one of this file, too: the others are archived all the same.
        kind: Kind | None = run_task(kind_of, path)
    except (OSError, TaskFailed) as error:
        found.failed.append((path, str(as_task_error(error, path)) if isinstance(error, OSError) else str(error)))
        return
    if kind is None:
        found.skipped.append((path, "no trajectory that gpz reads"))
        return
    if name in names:
        raise gpz.ArgumentError(f"{names[name]} and {path} would both become {name}.gpz: name the folder above both")
    names[name] = path
    real = os.path.realpath(path)
    if real in found.real:
        found.failed.append((path, f"it is the file {found.real[real]}, which is archived under that name"))
        return
    found.real[real] = path
    found.inputs.append(Input(path, name, kind))


def natural(name: str) -> list[tuple[int, int | str]]:
    """A key that sorts run2 before run10."""
    return [(0, int(part)) if part.isdigit() and part.isascii() else (1, part) for part in re.split(r"([0-9]+)", name)]
