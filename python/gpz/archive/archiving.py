# SPDX-License-Identifier: BSD-3-Clause
"""All inputs into one folder."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import gpz
from gpz import _core
from gpz.archive import programs
from gpz.archive.driver import AnyJob, Driver
from gpz.archive.engines import Engine, Local
from gpz.archive.errors import TaskFailed
from gpz.archive.files import Identity, identity_of, make_folders
from gpz.archive.folder import Archive
from gpz.archive.inputs import WORK, Found, Input, find
from gpz.archive.job import Call, Job, Result, size_of, size_of_step
from gpz.archive.joining import Joined, groups, require_different_outputs
from gpz.archive.kinds import Kind
from gpz.archive.manifest import DONE, FAILED, REMOVED, Manifest
from gpz.archive.progress import Progress
from gpz.archive.report import Report
from gpz.archive.settings import Settings
from gpz.archive.tasks import Place

NAME_OF_PLACE = re.compile("[0-9a-f]{32}")  # of a folder in WORK
Files = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def archive(
    files: Files,
    *,
    to: str | os.PathLike[str],
    client: Any = None,
    scheduler: str | None = None,
    jobs: int | None = None,
    max_memory: int | None = None,
    remove_inputs: bool = False,
    replace: bool = False,
    join: str | None = None,
    program: str | None = None,
    progress: bool = False,
    **settings: Any,
) -> Report:
    """Makes a .gpz file of each trajectory in the folder `to`, compares it with its input, and writes manifest.jsonl
    there. An interrupted call goes on where it was when it is made again.

    files: files and folders. client: a dask.distributed.Client whose workers see the same files; scheduler: the address
    of one. Without both, `jobs` programs run on this machine (as many as it has cores). max_memory: for all of them
    together, in bytes. remove_inputs: removes each input whose output was compared with it, if it is still the file
    that was read, and of a kind that holds no more than gpz stores (not XYZ, nor what gpz convert reads). replace: an
    output may take the place of one that was made of other bytes, unless the input of that one is gone. join: the inputs of each
    folder become one output, in the order of names with numbers in them; "last", "first" or "all" says which of two
    frames of one step stays, as --keep of gpz cat. Not with remove_inputs.

    program: the program gpz, if it is not beside Python or in the search path. progress: whether a line on standard error
    shows it.

    settings: eb, rel, lossless, bounds, units, dt, elements, effort, key, order and allow_truncated, as the options of
    gpz encode; bounds has texts such as "v*=thermal". piece_size: in bytes; LAMMPS dumps are cut into pieces of at least
    this size, which are encoded at the same time (256 MiB).

    Raises gpz.ArgumentError before it begins, also for inputs in the folder `to`, gpz.archive.errors.DiskFull if no space is left, and OSError if the
    folder cannot be written. What is wrong with single inputs is in the report.
    """

    if jobs is not None and jobs < 1:
        raise gpz.ArgumentError(f"jobs: a whole number from 1, not {jobs!r}")
    asked = Settings(**settings)
    if client is not None and scheduler is not None:
        raise gpz.ArgumentError("give a client or the address of a scheduler")
    if join not in (None, "last", "first", "all"):
        raise gpz.ArgumentError(f"join: last, first or all, not {join!r}")
    if join is not None and remove_inputs:
        raise gpz.ArgumentError("joined inputs are not removed: frames of one step would be lost")
    named = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    folder = os.path.abspath(os.fspath(to))
    started = time.monotonic()
    found = find(named, folder)
    if join is not None:
        require_different_outputs(found.inputs)
    make_folders(os.path.join(folder, WORK))
    with locked(folder) as manifest, engine_of(client, scheduler, jobs) as engine:
        target = Archive(folder, manifest, asked, remove_inputs, replace)
        run = Run(target, join, program, None if max_memory is None else engine.share(max_memory))
        report = run.all(found, engine, progress)
    report.seconds = time.monotonic() - started
    return report


@contextmanager
def locked(folder: str) -> Iterator[Manifest]:
    """The manifest of a folder. Raises gpz.ArgumentError if another run writes it."""
    path = os.path.join(folder, WORK, "lock")
    with open(path, "ab"):
        pass
    try:
        lock = _core.WriteLock(os.fsencode(path))
    except gpz.ArgumentError:
        raise gpz.ArgumentError("another gpz archive writes into this folder", folder) from None
    try:
        manifest = Manifest(folder)
        try:
            yield manifest
        finally:
            manifest.close()
    finally:
        lock.release()


@contextmanager
def engine_of(client: Any, scheduler: str | None, jobs: int | None) -> Iterator[Engine]:
    """The local one, unless there is a cluster."""
    if client is None and scheduler is None:
        engine: Engine = Local(jobs or len(os.sched_getaffinity(0)))
    else:
        from gpz.archive.cluster import Cluster

        engine = Cluster(client, scheduler)
    try:
        yield engine
    finally:
        engine.close()


class Run:
    """One call of archive()."""

    def __init__(self, archive: Archive, join: str | None, program: str | None, max_memory: int | None):
        self._archive, self._join, self._program, self._max_memory = archive, join, program, max_memory
        self._report = Report()

    def all(self, found: Found, engine: Engine, progress: bool) -> Report:
        """Takes all inputs through the archive."""
        report = self._report
        report.skipped += found.skipped
        self._note_missing(found)
        for path, reason in found.failed:
            report.failed.append((path, reason))
            self._archive.manifest.add(FAILED, path, reason=reason)
        shown = Progress(sum(size_of(taken.path) for taken in found.inputs), progress)

        def ended(job: AnyJob, size: int, result: Result | None, reason: str) -> None:
            if result is None:
                for named in (job.path, os.path.basename(job.path)):
                    reason = reason.removeprefix(f"{named}: ")
                job.fail(reason)
                report.failed.append((job.path, reason))
            else:
                report.count(job.path, result)
            shown.end(job.path, size, report)

        def stepped(job: AnyJob, call: Call) -> None:
            shown.step(job.path, size_of_step(call))

        try:
            Driver(engine, stepped, ended).run(self._jobs(found.inputs))
        finally:
            shown.close()
        if not report.failed:
            self._remove_unfinished()
        return report

    def _remove_unfinished(self) -> None:
        """Pieces for settings or inputs that have changed since."""
        work = self._archive.path_of(WORK)
        for name in os.listdir(work):
            if NAME_OF_PLACE.fullmatch(name) and os.path.isdir(os.path.join(work, name)):
                shutil.rmtree(os.path.join(work, name), ignore_errors=True)

    def _jobs(self, inputs: Sequence[Input]) -> Iterator[AnyJob]:
        if self._join is None:
            yield from map(self._job, inputs)
            return
        for group in groups(inputs):
            members = [self._job(taken) for taken in group]
            first = group[0]
            key = "".join(f"{taken.path}\0{_identity(taken.path)}\0" for taken in group) + self._join
            yield Joined(members, self._archive, self._place(first.path, first.kind, key), self._join)

    def _job(self, taken: Input) -> Job:
        return Job(taken, self._archive, self._place(taken.path, taken.kind, f"{taken.path}\0{_identity(taken.path)}"))

    def _place(self, path: str, kind: Kind, key: str) -> Place:
        """key: of all that decides the bytes, besides settings and version."""
        settings = self._archive.settings
        digest = hashlib.sha256(
            f"{key}\0{settings.digest}\0{gpz.__version__}\0{self._version}".encode("utf-8", "surrogateescape")
        ).hexdigest()
        return Place(
            path,
            kind,
            settings,
            self._archive.path_of(os.path.join(WORK, digest[:32])),
            self._program,
            self._max_memory,
        )

    @cached_property
    def _version(self) -> str:
        """The text that the command `gpz --version` prints. The command may have another version than this package. Empty if it is not installed."""
        try:
            return programs.run([self._program or programs.find_gpz(), "--version"]).output.decode(errors="replace")
        except (TaskFailed, OSError):
            return ""

    def _note_missing(self, found: Found) -> None:
        """Inputs that an earlier run removed are no error."""
        manifest = self._archive.manifest
        for path in found.missing:
            line, state = manifest.done(path), manifest.state(path)
            if not line or state not in (DONE, REMOVED):
                self._report.failed.append((path, "no such file or folder"))
            elif size_of(self._archive.path_of(line["output"])) != line["output_size"]:
                self._report.failed.append(
                    (path, f"it is gone, and its output {line['output']} is gone or has changed")
                )
            else:
                if state == DONE and self._archive.remove:
                    # That run ended before it could say so.
                    manifest.add(REMOVED, path)
                self._report.count(path, Result(line["size"], line["output_size"], was_done=True))


def _identity(path: str) -> Identity | None:
    try:
        return identity_of(path)
    except OSError:
        return None  # the first step says so
