# SPDX-License-Identifier: BSD-3-Clause
"""The way of one input through the archive: which steps there are, and what the manifest says after each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gpz
from gpz._units import LENGTHS
from gpz.archive import tasks
from gpz.archive.errors import TaskFailed
from gpz.archive.files import Identity, identity_of, make_folders, whole
from gpz.archive.folder import Archive
from gpz.archive.inputs import Input
from gpz.archive.kinds import LAMMPS_BINARY
from gpz.archive.manifest import DONE, ENCODED, FAILED, REMOVED, STARTED
from gpz.archive.plan import Piece, Plan
from gpz.archive.removal import CHANGED, remove
from gpz.archive.settings import Settings

STYLES = ("lj", *LENGTHS)  # of units, that gpz encode knows
# A step and its arguments. A job gives steps that may run at the same time, and gets their results in this order.
Call = tuple[Callable[..., Any], tuple[Any, ...]]
Steps = Generator[list[Call], list[Any], "Result"]


@dataclass(frozen=True)
class Result:
    """inputs: how many there are. before, after: bytes of inputs and of the output. kept: why an input that should be
    removed was not. was_done: by an earlier run."""

    before: int
    after: int
    inputs: int = 1
    removed: bool = False
    kept: str = ""
    was_done: bool = False


@dataclass(frozen=True)
class VerifiedFile:
    """An output that was compared with its input, and has no name in the archive yet."""

    plan: Plan
    path: str
    size: int
    digest: str
    frames: int
    columns: list[dict[str, Any]]
    cut: bool


class Job:
    """One input."""

    def __init__(self, taken: Input, archive: Archive, place: tasks.Place):
        self.input, self._archive, self._place = taken, archive, place

    @property
    def path(self) -> str:
        """The path by which reports name the job."""
        return self.input.path

    @property
    def size(self) -> int:
        """Size of the input in bytes; 0 if it cannot be found."""
        return size_of(self.input.path)

    @property
    def output_name(self) -> str:
        """Relative to the folder of the archive."""
        return self.input.output_name

    def is_done(self) -> bool:
        """Whether this version or an earlier one made the output from this file with these settings, and it still exists."""
        return self._archive.has(self.input.path, self.output_name)

    def steps(self) -> Steps:
        """Raises TaskFailed."""
        if self.is_done():
            line = self._archive.manifest.done(self.path)
            result = Result(line["size"], line["output_size"], was_done=True)
            return (yield from self._removal(result)) if self._archive.remove else result
        made = yield from self.compared(self.output_name, self.path)
        self._archive.publish(made.path, self.output_name, self.path, made.digest, mode_for([self.path]))
        self.add_done(made, self.output_name, made.size, made.digest)
        self.forget()
        result = Result(made.plan.size, made.size)
        return (yield from self._removal(result)) if self._archive.remove else result

    def compared(self, output: str, owner: str) -> Generator[list[Call], list[Any], VerifiedFile]:
        """Makes the output, and compares it with the input. output, owner: its name, and of what it is made."""
        place = self._place
        make_folders(place.folder)
        (plan,) = yield [(tasks.plan_input, (place,))]
        self._require_same(plan)
        self._archive.require_replaceable(self.path, plan.digest, output, owner)
        self._add(STARTED, size=plan.size, mtime_ns=plan.mtime_ns, digest=plan.digest, kind=place.kind.name,
                  compression=place.kind.compression, pieces=len(plan.pieces), settings=place.settings.as_json())  # fmt: skip
        if len(plan.pieces) > 1 and os.path.exists(place.uncut):
            plan = plan.uncut()
        pieces: Sequence[tasks.EncodedFile] = ()
        if not os.path.exists(place.joined):
            plan, pieces = yield from self._encoded(plan)
        ((made, digest),) = yield [(tasks.join, (place, pieces))]
        self._add(
            ENCODED,
            output=output,
            output_size=made.size,
            output_digest=digest,
            frames=made.frames,
            notes=list(pieces[0].notes) if pieces else [],
        )
        compared = yield self._compare(plan, digest)
        if sum(part.frames for part in compared) != made.frames:
            raise TaskFailed("comparison with the input: the output has frames that are not in the input")
        self._require_same(plan)
        return VerifiedFile(
            plan, made.path, made.size, digest, made.frames, merged(compared), any(part.cut for part in compared)
        )

    def _encoded(self, plan: Plan) -> Generator[list[Call], list[Any], tuple[Plan, Sequence[tasks.EncodedFile]]]:
        settings = self._place.settings
        if len(plan.pieces) > 1 and settings.of_first_frame:
            (resolved,) = yield [(tasks.first_frame, (self._place, plan))]
            plan = plan if resolved is not None else self._uncut(plan)
            settings = resolved or settings
        if (
            len(plan.pieces) > 1
            and self.input.kind.name == LAMMPS_BINARY
            and settings.units is None
            and plan.units in STYLES
        ):
            # Text could have a line in front of a piece.
            settings = replace(settings, units=plan.units)
        pieces = yield self._encode(plan, settings)
        if len({piece.names for piece in pieces}) > 1:
            # Pieces whose first frames name units or types otherwise cannot be one file.
            plan = self._uncut(plan)
            pieces = yield self._encode(plan, self._place.settings)
        return plan, pieces

    def _removal(self, done: Result) -> Steps:
        path, line = self.path, self._archive.manifest.done(self.path)
        if "joined" in line:
            return replace(done, kept="it was joined with others: frames of one step may not be in the output")
        if line["cut"]:
            return replace(done, kept="it ends within a frame, which is not in the output")
        if self.input.kind.may_hold_more:
            return replace(done, kept=f"{self.input.kind.name} files may hold more than the output does")
        if os.path.islink(path):
            return replace(done, kept="it is a symbolic link")
        identity = Identity(line["size"], line["mtime_ns"])
        output = self._archive.path_of(line["output"])
        try:
            checked = os.stat(path)
            (why,) = yield [(tasks.removable, (path, identity, line["digest"], output, line["output_digest"]))]
            if not why and Identity(checked.st_size, checked.st_mtime_ns) != identity:
                why = CHANGED
            why = why or remove(path, checked)
        except OSError as error:
            why = error.strerror or str(error)
        if why:
            return replace(done, kept=why)
        self._add(REMOVED)
        return replace(done, removed=True)

    def fail(self, reason: str) -> None:
        """Notes that the input cannot be archived. Its pieces stay for the next run, which tries again."""
        self._add(FAILED, reason=reason)

    def add_done(self, made: VerifiedFile, output: str, size: int, digest: str, **fields: Any) -> None:
        """output, size, digest: of the file that has a name now. It may be joined of several."""
        plan = made.plan
        self._add(DONE, output=output, output_size=size, output_digest=digest, frames=made.frames, size=plan.size, mtime_ns=plan.mtime_ns,
                  digest=plan.digest, columns=made.columns, cut=made.cut, settings=self._place.settings.as_json(), **fields)  # fmt: skip

    def forget(self) -> None:
        """Removes pieces and what was remembered."""
        shutil.rmtree(self._place.folder, ignore_errors=True)

    def _add(self, state: str, **fields: Any) -> None:
        self._archive.manifest.add(state, self.path, input=self.input.name, **fields, gpz=gpz.__version__)

    def _uncut(self, plan: Plan) -> Plan:
        """Remembers it: a later run may find the whole file, and no pieces."""
        with whole(self._place.uncut) as part, open(part, "w"):
            pass
        return plan.uncut()

    def _require_same(self, plan: Plan) -> None:
        if identity_of(self.path) != Identity(plan.size, plan.mtime_ns):
            raise TaskFailed("it changed while it was archived")

    def _encode(self, plan: Plan, settings: Settings) -> list[Call]:
        uncut = plan.pieces[0].length is None
        return [
            (tasks.encode_piece, (self._place, settings, piece, number, plan.units, uncut))
            for number, piece in enumerate(plan.pieces)
        ]

    def _compare(self, plan: Plan, digest: str) -> list[Call]:
        is_all = len(plan.pieces) == 1
        return [
            (tasks.compare, (self._place, piece, number, plan.units, is_all, digest))
            for number, piece in enumerate(plan.pieces)
        ]


def merged(compared: Sequence[tasks.Compared]) -> list[dict[str, Any]]:
    """The bound and the largest difference of each column in all parts."""
    columns: dict[str, dict[str, Any]] = {}
    for part in compared:
        for column in part.columns:
            before = columns.setdefault(column["name"], dict(column))
            for value in ("bound", "largest_difference"):
                before[value] = max(before[value], column[value])
    return list(columns.values())


def size_of_step(call: Call) -> int:
    """The bytes of the input that it encodes or compares; 0 for other steps."""
    step, arguments = call
    if step not in (tasks.encode_piece, tasks.compare):
        return 0
    place = arguments[0]
    (piece,) = (argument for argument in arguments if isinstance(argument, Piece))
    return size_of(place.path) if piece.length is None else piece.length


def mode_for(paths: Sequence[str]) -> int:
    """Permissions of an output: to read and to write for those who may do so with all of its inputs. Raises OSError."""
    mode = 0o666
    for path in paths:
        mode &= os.stat(path).st_mode
    return mode | 0o400  # this process reads it to compare digests


def size_of(path: str) -> int:
    """Size of a file in bytes; 0 if it does not exist."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
