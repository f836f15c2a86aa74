# SPDX-License-Identifier: BSD-3-Clause
"""The steps of an archive that read or write many bytes. Each runs in any process or machine that sees the same files.

A step writes under a new name, and renames what is complete and on disk. So a step may be interrupted at any moment,
and may run twice at once: both make the same bytes. What it would make and finds, it takes as it is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import gpz
from gpz import _positions
from gpz._differences import Differences
from gpz.archive import programs
from gpz.archive.compressed import blocks
from gpz.archive.errors import DiskFull, Interrupted, TaskFailed, as_task_error
from gpz.archive.files import Identity, digest_of, identity_of, remove_parts, sync, whole
from gpz.archive.kinds import GPZ, LAMMPS, PACKABLE, Kind, ending_for
from gpz.archive.plan import Piece, Plan, plan
from gpz.archive.removal import CHANGED
from gpz.archive.settings import Settings

# Files that gpz cat joins at once: each is open meanwhile.
MOST_JOINED = 200
COMPARED = "compared-"  # begins the names of remembered comparisons
VELOCITIES = ("vx", "vy", "vz")


@dataclass(frozen=True)
class Place:
    """An input and the folder for what is not finished. All paths are absolute. max_memory: for one program, in bytes,
    or None."""

    path: str
    kind: Kind
    settings: Settings
    folder: str
    gpz: str | None = None
    max_memory: int | None = None

    @property
    def joined(self) -> str:
        """The output until it is compared with its input."""
        return os.path.join(self.folder, "joined.gpz")

    @property
    def uncut(self) -> str:
        """Is there if the input turned out to be one that cannot be cut."""
        return os.path.join(self.folder, "uncut")

    def piece(self, number: int, uncut: bool) -> str:
        """A piece of the output."""
        return os.path.join(self.folder, f"{'whole' if uncut else 'piece'}-{number:06}.gpz")

    def program(self, command: str, *arguments: str) -> list[str]:
        """A command of gpz. One thread: other pieces use the other cores."""
        memory = [] if self.max_memory is None else ["--max-memory", str(self.max_memory)]
        return [self.gpz or programs.find_gpz(), command, *arguments, *memory, "--threads", "1"]


@dataclass(frozen=True)
class Compared:
    """frames: that were compared. columns: the bound and the largest difference of each. cut: whether the input ends
    within a frame."""

    frames: int
    columns: tuple[dict[str, Any], ...]
    cut: bool = False


@dataclass(frozen=True)
class EncodedFile:
    """A file that was written."""

    path: str
    size: int
    frames: int
    names: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()


def run_task(step: Callable[..., Any], *arguments: Any) -> Any:
    """The functions that engines call. Raises TaskFailed, DiskFull, Interrupted and nothing else."""
    try:
        return step(*arguments)
    except (TaskFailed, DiskFull, Interrupted):
        raise
    except Exception as error:
        raise as_task_error(
            error, "internal error" if not isinstance(error, (OSError, gpz.Error, MemoryError)) else "failed"
        ) from error


# --- What is remembered next to the pieces ---


def remembered(
    path: str, make: Callable[[], dict[str, Any]], usable: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """The result of an earlier run if it is usable, else that of `make`. A file that cannot be read counts as none."""
    with suppress(FileNotFoundError, ValueError), open(path, encoding="utf-8") as file:
        earlier = json.load(file)
        if isinstance(earlier, dict) and usable(earlier):
            return earlier
    found = make()
    with whole(path) as part, open(part, "w", encoding="utf-8") as file:
        json.dump(found, file)
    return found


def plan_input(place: Place) -> Plan:
    """Reads the input once: digest and pieces."""
    kind = place.kind
    if kind.compression is not None and kind.name not in PACKABLE:
        raise TaskFailed(f"{kind.name} packed by {kind.compression}: unpack it first")
    remove_parts(place.folder)
    path = os.path.join(place.folder, "plan.json")
    return Plan.from_json(
        remembered(path, lambda: plan(place.path, place.kind, place.settings).as_json(), Plan.is_json_of_one)
    )


# --- Encoding ---


def first_frame(place: Place, found: Plan) -> Settings | None:
    """The settings with the bounds that the first frame gives, for all pieces. None if pieces cannot have them."""
    with whole(os.path.join(place.folder, "first.gpz")) as part:
        first = replace(found.pieces[0], length=found.second_frame)
        _encode(place, place.settings, first, "", part)
        with gpz.open(part) as file:
            bounds = dict(file[0].bounds)
    settings = place.settings
    eb = settings.eb
    if settings.rel is not None:
        # Scaled positions have a bound that depends on the box of each frame.
        positions = _positions.find(bounds)
        if positions is None or _positions.is_scaled(bounds):
            return None
        eb = repr(bounds[positions[0]])
    columns = [bound for bound in settings.bounds if not bound.endswith("=thermal")]
    if len(columns) < len(settings.bounds):
        given = [bound.removesuffix("=thermal") for bound in settings.bounds if bound.endswith("=thermal")]
        for name in VELOCITIES:
            if name in bounds and any(
                name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1])) for pattern in given
            ):
                columns.append(f"{name}={bounds[name]!r}")
    return settings.with_bounds(eb, tuple(columns))


def encode_piece(place: Place, settings: Settings, piece: Piece, number: int, units: str, uncut: bool) -> EncodedFile:
    """settings: those of this piece. The settings of the place may have bounds that depend on a frame."""
    path = place.piece(number, uncut)
    notes: tuple[str, ...] = ()
    if not os.path.exists(path):
        with whole(path) as part:
            try:
                if place.kind.is_converted:
                    notes = _convert(place, settings, part)
                elif place.kind == Kind(GPZ) and not settings.recodes:
                    with open(part, "wb") as file:
                        file.writelines(blocks(place.path, None))
                else:
                    notes = _encode(place, settings, piece, units, part)
            except TaskFailed as error:
                if piece.offset == 0:
                    raise
                raise TaskFailed(f"in the piece that begins at byte {piece.offset}: {error}") from None
    with gpz.open(path) as made:
        names = (made.units, made.elements, made.type_labels)
        return EncodedFile(path, os.path.getsize(path), len(made), _plain(names), notes)


def _plain(names: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(name if name is None or isinstance(name, str) else tuple(name) for name in names)


def _bytes_of(place: Place, piece: Piece, units: str, cuts: list[str]) -> Iterator[bytes]:
    """cuts: gets why packed data end too early, where that is allowed."""
    on_cut = cuts.append if place.settings.allow_truncated else None
    if units and piece.offset and place.kind.name == LAMMPS:
        yield f"ITEM: UNITS\n{units}\n".encode()
    yield from blocks(place.path, place.kind.compression, piece.offset, piece.length, on_cut)


def _encode(place: Place, settings: Settings, piece: Piece, units: str, target: str) -> tuple[str, ...]:
    source = "-"
    if place.kind.name == GPZ:
        # From a pipe, gpz does not keep all bits of signalling NaNs. The file itself names its units.
        source = place.path
        settings = replace(settings, units=None, dt=None, elements=None)
    notes: list[str] = []
    while True:
        arguments = place.program("encode", source, "-o", target, *settings.encode_arguments())
        cuts: list[str] = []
        feed = _bytes_of(place, piece, units, cuts) if source == "-" else ()
        ended = programs.run(arguments, feed, os.path.basename(place.path))
        if ended.code == 0:
            return *notes, *ended.notes, *cuts
        absent = _without_column(settings, ended.error)
        if absent is None:
            raise TaskFailed(_failure(ended))
        # An archive has files with and without velocities.
        notes += _left_out(settings, absent)
        settings = absent


WRITTEN = re.compile(r"; (\d+) complete frames? written$")


def _failure(ended: programs.Ended) -> str:
    """Why a program failed. What it has written is not kept."""
    if ended.code != programs.TRUNCATED:
        return ended.error
    return WRITTEN.sub(lambda found: f"; --allow-truncated archives the complete frames before, of which there are {found[1]}", ended.error)


def _left_out(before: Settings, after: Settings) -> list[str]:
    return [f"no such column: --bound {bound}" for bound in before.bounds if bound not in after.bounds]


NO_COLUMN = re.compile(r"--bound (\S+): no such column takes a bound|--bound: no column '(.*)'; there are")


def _without_column(settings: Settings, error: str) -> Settings | None:
    """The settings without the bound of a column that the input lacks; None if the error has another cause."""
    found = NO_COLUMN.search(error)
    if found is None:
        return None
    left = tuple(bound for bound in settings.bounds if bound.rpartition("=")[0] != (found[1] or found[2]))
    return None if left == settings.bounds else replace(settings, bounds=left)


def _convert(place: Place, settings: Settings, target: str) -> tuple[str, ...]:
    source = f"{target}{ending_for(place.kind.name)}"  # gpz convert knows formats by names
    named = f"{target}.gpz"
    os.symlink(place.path, source)
    notes: list[str] = []
    try:
        while True:
            arguments = [*programs.python_program("gpz.programs.convert"), source, named, *convert_arguments(settings)]
            ended = programs.run(arguments)
            if ended.code == 0:
                break
            absent = _without_quantity(settings, ended.error)
            if absent is None:
                raise TaskFailed(_failure(ended).replace(source, place.path).replace(named, place.path))
            notes += _left_out(settings, absent)
            settings = absent
        os.replace(named, target)
    finally:
        os.unlink(source)
    return *notes, *ended.notes


NO_QUANTITY = re.compile(r"a bound of (velocities|forces) \(.*\), and the file has no")


def _without_quantity(settings: Settings, error: str) -> Settings | None:
    """As _without_column(), of gpz convert."""
    found = NO_QUANTITY.search(error)
    if found is None:
        return None
    names = (found[1], f"{found[1][0]}*")
    return replace(settings, bounds=tuple(bound for bound in settings.bounds if bound.rpartition("=")[0] not in names))


def convert_arguments(settings: Settings) -> list[str]:
    """The options of gpz convert."""
    eb = "0" if settings.lossless else settings.eb
    given: list[str] = []
    for name, value in {
        "--eb": eb,
        "--rel": settings.rel,
        "--units": settings.units,
        "--effort": settings.effort,
        "--key": settings.key_argument,
        "--order": settings.order,
    }.items():
        if value is not None:
            given += [name, str(value)]
    # Others are columns of LAMMPS.
    for bound in settings.bounds:
        if bound.partition("=")[0] in ("v*", "f*", "velocities", "forces"):
            given += ["--bound", bound]
    if settings.allow_truncated:
        given.append("--allow-truncated")
    return given


# --- The whole output ---


def join(place: Place, pieces: Sequence[EncodedFile]) -> tuple[EncodedFile, str]:
    """One file of all pieces, and its digest."""
    if not os.path.exists(place.joined):
        _forget_comparisons(place)
        names = [piece.path for piece in pieces]
        level = 0
        while len(names) > MOST_JOINED:
            names = [
                _cat(
                    place,
                    names[first : first + MOST_JOINED],
                    os.path.join(place.folder, f"joined-{level}-{first:06}.gpz"),
                )
                for first in range(0, len(names), MOST_JOINED)
            ]
            level += 1
        if len(names) == 1:
            os.rename(names[0], place.joined)
            sync(place.folder)
        else:
            _cat(place, names, place.joined)
    with gpz.open(place.joined) as file:
        frames = len(file)
    return EncodedFile(place.joined, os.path.getsize(place.joined), frames), digest_of(place.joined)


def _forget_comparisons(place: Place) -> None:
    """They are of an earlier joined file."""
    for name in os.listdir(place.folder):
        if name.startswith(COMPARED):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(place.folder, name))


def join_files(place: Place, names: Sequence[str], keep: str) -> tuple[EncodedFile, str]:
    """One file of several that were compared with their inputs, and its digest. It is decoded once more: frames may be
    encoded again."""
    _cat(place, names, place.joined, keep)
    ended = programs.run(place.program("verify", place.joined, "--json"))
    if ended.code != 0:
        raise TaskFailed(f"the joined file: {_problem(ended).replace(place.joined, 'the output')}")
    return EncodedFile(place.joined, os.path.getsize(place.joined), json.loads(ended.output)["frames"]), digest_of(
        place.joined
    )


def _cat(place: Place, names: Sequence[str], target: str, keep: str = "all") -> str:
    with whole(target) as part:
        # Every frame of one input stays, also where a run was continued from an earlier step.
        ended = programs.run(place.program("cat", *names, "-o", part, "--keep", keep))
        if ended.code != 0:
            raise TaskFailed(ended.error)
    return target


def compare(place: Place, piece: Piece, number: int, units: str, is_all: bool, digest: str) -> Compared:
    """Decodes the frames of a piece in the joined file, and compares them with its bytes of the input. digest: of the
    joined file. A comparison of an earlier run counts only for a file of this digest.

    Raises TaskFailed if they differ by more than their bounds, or if the input has more or fewer frames or columns.
    """

    def found() -> dict[str, Any]:
        cuts: list[str] = []
        if place.kind.is_converted:
            ended = _compare_converted(place)
        elif place.kind.name == GPZ and place.kind.compression is None:
            # gpz compares .gpz files by their names only.
            ended = programs.run(place.program("verify", place.joined, "--against", place.path, "--json"))
        else:
            chosen = [] if is_all else ["--frames", f"{piece.first_frame}:{piece.first_frame + (piece.frames or 0)}"]
            cut = ["--allow-truncated"] if place.settings.allow_truncated else []
            ended = programs.run(
                place.program("verify", place.joined, "--against", "-", "--json", *chosen, *cut),
                _bytes_of(place, piece, units, cuts),
                os.path.basename(place.path),
            )
        if ended.code != 0:
            raise TaskFailed(f"comparison with the input: {_problem(ended).replace(place.joined, 'the output')}")
        report = Differences.of_json(ended.output)
        lost = report.not_compared["against"]
        if lost:
            raise TaskFailed(f"comparison with the input: columns {' '.join(lost)} are not in the output")
        columns = [
            {"name": column.name, "bound": column.bound, "largest_difference": column.largest_difference}
            for column in report.columns
        ]
        # For text and binary dumps, gpz verify says it on standard error only.
        is_cut = report.cut if place.kind.is_converted else bool(cuts) or any("truncated" in note for note in ended.notes)
        return {"frames": report.frames, "columns": columns, "cut": is_cut, "joined": digest}

    path = os.path.join(place.folder, f"{COMPARED}{number:06}.json")
    read = remembered(path, found, lambda earlier: earlier.get("joined") == digest)
    return Compared(read["frames"], tuple(read["columns"]), read["cut"])


def _problem(ended: programs.Ended) -> str:
    """The problem of a run of gpz verify. If there are several, only its report names the first."""
    if ended.code == programs.DIFFERENT and ended.output:
        problems = json.loads(ended.output).get("problems", [])
        if problems:
            return str(problems[0])
    return ended.error


def _compare_converted(place: Place) -> programs.Ended:
    source = f"{place.joined}{ending_for(place.kind.name)}"
    with suppress(FileExistsError):
        os.symlink(place.path, source)
    return programs.run([*programs.python_program("gpz.convert.comparison"), source, place.joined], named=source)


def removable(path: str, identity: Identity, digest: str, output: str, output_digest: str) -> str:
    """Why an input must stay; empty if it is what was read, and its output is what was compared."""
    if identity_of(path) != identity or digest_of(path) != digest or identity_of(path) != identity:
        return CHANGED
    if os.path.islink(output) or not os.path.isfile(output):
        return f"{output} is no regular file"
    if os.path.samefile(path, output):
        return f"{output} is the same file"
    if digest_of(output) != output_digest:
        return f"{output} changed since it was compared"
    return ""
