# SPDX-License-Identifier: BSD-3-Clause
"""All inputs into one folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import gpz
from gpz.archive.driver import Driver
from gpz.archive.engines import Engine, Local
from gpz.archive.files import identity_of, make_folders
from gpz.archive.inputs import Found, Input, find
from gpz.archive.job import Job, Result, Steps
from gpz.archive.manifest import DONE, REMOVED, Manifest
from gpz.archive.progress import Progress
from gpz.archive.report import Report
from gpz.archive.settings import PIECE_SIZE, Settings
from gpz.archive.tasks import Place

WORK = ".gpz-archive"  # for what is not finished
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
    eb: float | str | None = None,
    rel: float | str | None = None,
    lossless: bool = False,
    bounds: Sequence[str] = (),
    units: str | None = None,
    dt: float | str | None = None,
    elements: str | None = None,
    effort: str | None = None,
    key: int | None = None,
    order: str | None = None,
    allow_truncated: bool = False,
    piece_size: int = PIECE_SIZE,
    program: str | None = None,
    progress: bool = False,
) -> Report:
    """Makes a .gpz file of each trajectory in the folder `to`, compares it with its input, and writes manifest.jsonl there. An
    interrupted call goes on where it was when it is made again.

    files: files and folders. client: a dask.distributed.Client whose workers see the same files; scheduler: the address of one.
    Without both, `jobs` programs run on this machine (as many as it has cores). max_memory: for all of them together, in bytes.
    remove_inputs: removes each input whose output was compared with it, if it is still the file that was read.

    eb, rel, lossless, bounds, units, dt, elements, effort, key, order, allow_truncated: as the options of gpz encode; bounds has texts such as
    "v*=thermal". piece_size: in bytes; text dumps are cut into pieces of at least this size, which are encoded at the same time.
    program: the program gpz, if it is not beside Python or in the search path. progress: whether a line on standard error shows it.

    Raises gpz.ArgumentError before it begins, gpz.archive.errors.DiskFull if no space is left, and OSError if the folder cannot be
    written. What is wrong with single inputs is in the report.
    """
    def text(value: float | str | None) -> str | None:
        return value if value is None or isinstance(value, str) else repr(value)

    settings = Settings(
        eb=text(eb), rel=text(rel), lossless=lossless, bounds=tuple(bounds), units=units, dt=text(dt), elements=elements, effort=effort,
        key=key, order=order, allow_truncated=allow_truncated, piece_size=piece_size,
    )  # fmt: skip
    if client is not None and scheduler is not None:
        raise gpz.ArgumentError("give a client or the address of a scheduler")
    named = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    folder = os.path.abspath(os.fspath(to))
    started = time.monotonic()
    found = find(named, folder)
    make_folders(os.path.join(folder, WORK))
    with locked(folder) as manifest, engine_of(client, scheduler, jobs) as engine:
        run = Run(folder, settings, manifest, remove_inputs, program, None if max_memory is None else engine.share(max_memory))
        report = run.all(found, engine, progress)
    report.seconds = time.monotonic() - started
    return report


@contextmanager
def locked(folder: str) -> Iterator[Manifest]:
    """The manifest of a folder. Raises gpz.ArgumentError if another run writes it."""
    with open(os.path.join(folder, WORK, "lock"), "wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise gpz.ArgumentError("another gpz archive writes into this folder", folder) from None
        except OSError:
            pass  # some file systems of clusters have no locks
        manifest = Manifest(folder)
        try:
            yield manifest
        finally:
            manifest.close()


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

    def __init__(self, folder: str, settings: Settings, manifest: Manifest, remove: bool, program: str | None, max_memory: int | None):
        self._folder, self._settings, self._manifest, self._remove = folder, settings, manifest, remove
        self._program, self._max_memory = program, max_memory
        self._report = Report()

    def all(self, found: Found, engine: Engine, progress: bool) -> Report:
        """Takes all inputs through the archive."""
        report = self._report
        report.skipped += found.skipped
        self._note_missing(found)
        for path, reason in found.failed:
            report.failed.append((path, reason))
            self._manifest.add("failed", path, reason=reason)
        sizes = {taken.path: _size_of(taken.path) for taken in found.inputs}
        shown = Progress(sum(sizes.values()), progress)

        def ended(job: Job, result: Result | None, reason: str) -> None:
            if result is None:
                job.fail(reason)
                report.failed.append((job.input.path, reason))
            else:
                self._count(job, result)
            shown.advance(sizes[job.input.path], report)

        try:
            Driver(engine, ended).run(self._jobs(found.inputs))
        finally:
            shown.close()
        if not report.failed:
            self._remove_unfinished()
        return report

    def _remove_unfinished(self) -> None:
        """Pieces for settings or inputs that have changed since."""
        work = os.path.join(self._folder, WORK)
        for name in os.listdir(work):
            if os.path.isdir(os.path.join(work, name)):
                shutil.rmtree(os.path.join(work, name), ignore_errors=True)

    def _count(self, job: Job, result: Result) -> None:
        report = self._report
        report.done += not result.was_done
        report.before += result.was_done
        report.bytes_before += result.before
        report.bytes_after += result.after
        report.removed += result.state == REMOVED
        if result.kept:
            report.kept.append((job.input.path, result.kept))

    def _jobs(self, inputs: Sequence[Input]) -> Iterator[tuple[Job, Steps]]:
        for taken in inputs:
            job = self._job(taken)
            yield job, job.removal_of_done() if self._is_done(job) else job.steps()

    def _job(self, taken: Input) -> Job:
        try:
            identity = identity_of(taken.path)
        except OSError:
            identity = None  # the first step says so
        key = hashlib.sha256(f"{taken.path}\0{identity}\0{self._settings.digest}\0{gpz.__version__}".encode("utf-8", "surrogateescape"))
        place = Place(
            taken.path, taken.kind, self._settings, os.path.join(self._folder, WORK, key.hexdigest()[:32]), self._program, self._max_memory
        )
        return Job(taken, self._folder, place, self._manifest, self._remove)

    def _is_done(self, job: Job) -> bool:
        """By this version or an earlier one, with these settings, from this file."""
        line = self._manifest.last(job.input.path)
        if line.get("state") != DONE or line.get("settings") != self._settings.as_json() or line.get("output") != job.input.output_name:
            return False
        with suppress(OSError):
            identity = identity_of(job.input.path)
            return (identity.size, identity.mtime_ns) == (line["size"], line["mtime_ns"]) and os.path.getsize(job.output) == line["output_size"]
        return False

    def _note_missing(self, found: Found) -> None:
        """Inputs that an earlier run removed are no error."""
        for path in found.missing:
            line = self._manifest.last(path)
            if line.get("state") == DONE and self._remove:
                # That run ended before it could say so.
                self._manifest.add(REMOVED, path)
            if line.get("state") in (DONE, REMOVED):
                self._report.before += 1
                self._report.bytes_before += line["size"]
                self._report.bytes_after += line["output_size"]
            else:
                self._report.failed.append((path, "no such file or folder"))


def _size_of(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
