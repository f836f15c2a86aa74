# SPDX-License-Identifier: BSD-3-Clause
"""The way of one input through the archive: which steps there are, and what the manifest says after each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gpz
from gpz.archive import tasks
from gpz.archive.errors import TaskFailed
from gpz.archive.files import Identity, identity_of, make_folders, sync_folder, whole
from gpz.archive.inputs import Input
from gpz.archive.manifest import DONE, ENCODED, FAILED, REMOVED, STARTED, Manifest
from gpz.archive.plan import Plan
from gpz.archive.settings import Settings

# A step and its arguments. A job gives steps that may run at the same time, and gets their results in this order.
Call = tuple[Callable[..., Any], tuple[Any, ...]]
Steps = Generator[list[Call], list[Any], "Result"]


@dataclass(frozen=True)
class Result:
    """state: the last one of the manifest. before, after: bytes. kept: why an input that should be removed was not. was_done: by an
    earlier run."""

    state: str
    before: int
    after: int
    kept: str = ""
    was_done: bool = False
    notes: tuple[str, ...] = ()


class Job:
    """One input."""

    def __init__(self, taken: Input, folder: str, place: tasks.Place, manifest: Manifest, remove: bool):
        self.input, self._folder, self._place, self._manifest, self._remove = taken, folder, place, manifest, remove

    @property
    def output(self) -> str:
        """The path of the finished file."""
        return os.path.join(self._folder, self.input.output_name)

    def steps(self) -> Steps:
        """Raises TaskFailed."""
        place = self._place
        make_folders(place.folder)
        (plan,) = yield [(tasks.plan_input, (place,))]
        self._require_same(Identity(plan.size, plan.mtime_ns))
        self._add(STARTED, size=plan.size, mtime_ns=plan.mtime_ns, digest=plan.digest, kind=place.kind.name,
                  compression=place.kind.compression, pieces=len(plan.pieces))  # fmt: skip
        settings = place.settings
        if len(plan.pieces) > 1 and os.path.exists(place.uncut):
            plan = plan.uncut()
        if os.path.exists(place.joined):
            pieces: Sequence[tasks.Made] = ()
        else:
            if len(plan.pieces) > 1 and settings.of_first_frame:
                (resolved,) = yield [(tasks.first_frame, (place, plan))]
                plan = plan if resolved is not None else self._uncut(plan)
                settings = resolved or settings
            pieces = yield self._encode(plan, settings)
            if len({piece.names for piece in pieces}) > 1:
                # Pieces whose first frames name units or types otherwise cannot be one file.
                plan = self._uncut(plan)
                pieces = yield self._encode(plan, place.settings)
        notes = pieces[0].notes if pieces else ()
        ((made, digest),) = yield [(tasks.join, (place, pieces))]
        self._add(ENCODED, output=self.input.output_name, output_size=made.size, output_digest=digest, frames=made.frames)
        compared = yield self._compare(plan)
        if sum(part.frames for part in compared) != made.frames:
            raise TaskFailed("comparison with the input: the output has frames that are not in the input")
        columns = merged(compared)
        self._require_same(Identity(plan.size, plan.mtime_ns))
        self._publish()
        cut = any(part.cut for part in compared)
        self._add(DONE, output=self.input.output_name, output_size=made.size, output_digest=digest, frames=made.frames, size=plan.size,
                  mtime_ns=plan.mtime_ns, digest=plan.digest, columns=columns, cut=cut)  # fmt: skip
        shutil.rmtree(place.folder, ignore_errors=True)
        result = Result(DONE, plan.size, made.size, notes=notes)
        if self._remove:
            return (yield from self._removal(cut))
        return result

    def removal_of_done(self) -> Steps:
        """Of an input that an earlier run has archived, if inputs are to be removed."""
        line = self._manifest.last(self.input.path)
        if not self._remove:
            return Result(DONE, line["size"], line["output_size"], was_done=True)
        return replace((yield from self._removal(line["cut"])), was_done=True)

    def _removal(self, cut: bool) -> Steps:
        path, line = self.input.path, self._manifest.last(self.input.path)
        done = Result(DONE, line["size"], line["output_size"])
        if cut:
            return replace(done, kept="it ends within a frame, which is not in the output")
        if os.path.islink(path):
            return replace(done, kept="it is a symbolic link")
        (why,) = yield [(tasks.removable, (path, Identity(line["size"], line["mtime_ns"]), line["digest"], self.output, line["output_digest"]))]
        if why:
            return replace(done, kept=why)
        try:
            os.unlink(path)
        except OSError as error:
            return replace(done, kept=error.strerror or str(error))
        sync_folder(os.path.dirname(path))
        self._add(REMOVED)
        return replace(done, state=REMOVED)

    def fail(self, reason: str) -> None:
        """Notes that the input cannot be archived. Its pieces stay for the next run, which tries again."""
        self._add(FAILED, reason=reason)

    def _add(self, state: str, **fields: Any) -> None:
        settings = {"settings": self._place.settings.as_json()} if state in (STARTED, DONE) else {}
        self._manifest.add(state, self.input.path, input=self.input.name, **fields, **settings, gpz=gpz.__version__)

    def _uncut(self, plan: Plan) -> Plan:
        """Remembers it: a later run may find the whole file, and no pieces."""
        with whole(self._place.uncut) as part, open(part, "w"):
            pass
        return plan.uncut()

    def _require_same(self, identity: Identity) -> None:
        if identity_of(self.input.path) != identity:
            raise TaskFailed("it changed while it was archived")

    def _encode(self, plan: Plan, settings: Settings) -> list[Call]:
        uncut = plan.pieces[0].length is None
        return [
            (tasks.encode_piece, (self._place, settings, piece, number, plan.prefix, uncut))
            for number, piece in enumerate(plan.pieces)
        ]

    def _compare(self, plan: Plan) -> list[Call]:
        return [
            (tasks.compare, (self._place, piece, number, plan.prefix, len(plan.pieces) == 1))
            for number, piece in enumerate(plan.pieces)
        ]

    def _publish(self) -> None:
        """From now on the output has its name: it was on disk before it was compared."""
        folder = os.path.dirname(self.output)
        make_folders(folder)
        os.replace(self._place.joined, self.output)
        sync_folder(folder)


def merged(compared: Sequence[tasks.Compared]) -> list[dict[str, Any]]:
    """The bound and the largest difference of each column in all parts."""
    columns: dict[str, dict[str, Any]] = {}
    for part in compared:
        for column in part.columns:
            before = columns.setdefault(column["name"], dict(column))
            for value in ("bound", "largest_difference"):
                before[value] = max(before[value], column[value])
    return list(columns.values())
