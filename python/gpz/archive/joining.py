# SPDX-License-Identifier: BSD-3-Clause
"""The files of a run and its restarts, as one output: each is compared with its input, then they are joined by
copying."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from typing import Any, TypeVar

import gpz
from gpz.archive import tasks
from gpz.archive.errors import TaskFailed
from gpz.archive.files import make_folders
from gpz.archive.folder import Archive
from gpz.archive.inputs import Input
from gpz.archive.job import Call, Job, Result, Steps, mode_for

T = TypeVar("T")


def groups(inputs: Sequence[Input]) -> list[list[Input]]:
    """Inputs of one folder, in the order of names with numbers in them: run2 is in front of run10."""
    found: dict[str, list[Input]] = {}
    for taken in inputs:
        found.setdefault(os.path.dirname(taken.path), []).append(taken)
    return list(found.values())


def output_of(group: Sequence[Input]) -> str:
    """Relative to the folder of the archive: the folder of the inputs, with .gpz after it."""
    folder = os.path.dirname(group[0].name) or os.path.basename(os.path.dirname(group[0].path))
    return f"{folder}.gpz"


def require_different_outputs(inputs: Sequence[Input]) -> None:
    """Raises gpz.ArgumentError for two folders whose inputs would become one output."""
    folders: dict[str, str] = {}
    for group in groups(inputs):
        output, folder = output_of(group), os.path.dirname(group[0].path)
        if output in folders:
            raise gpz.ArgumentError(
                f"{folders[output]} and {folder} would both become {output}: name the folder above both"
            )
        folders[output] = folder


class Joined:
    """All inputs of one folder. place: for the joined file. keep: which of two frames of one step stays, as in gpz
    cat."""

    def __init__(self, members: Sequence[Job], archive: Archive, place: tasks.Place, keep: str):
        self._members, self._archive, self._place, self._keep = members, archive, place, keep

    @property
    def path(self) -> str:
        """The folder of the inputs."""
        return os.path.dirname(self._members[0].path)

    @property
    def size(self) -> int:
        """Size of all inputs, in bytes."""
        return sum(member.size for member in self._members)

    @property
    def output_name(self) -> str:
        """Relative to the folder of the archive: the folder of the inputs, with .gpz after it."""
        return output_of([member.input for member in self._members])

    def is_done(self) -> bool:
        """Whether the same files were joined with the same choice of frames."""
        paths, manifest = [member.path for member in self._members], self._archive.manifest
        return manifest.joined(self.path) == paths and all(
            self._archive.has(path, self.output_name, self.path) and manifest.done(path).get("keep") == self._keep
            for path in paths
        )

    def steps(self) -> Steps:
        """Raises TaskFailed."""
        archive, output = self._archive, self.output_name
        if self.is_done():
            size = archive.manifest.done(self._members[0].path)["output_size"]
            return Result(self.size, size, len(self._members), was_done=True)
        missing = set(archive.manifest.joined(self.path)) - {member.path for member in self._members}
        if missing and not archive.replace and os.path.exists(archive.path_of(output)):
            raise TaskFailed(
                f"{output} has the frames of {min(missing)}, which is not there any more: --replace leaves them out"
            )
        made = yield from side_by_side([member.compared(output, self.path) for member in self._members])
        make_folders(self._place.folder)
        ((whole, digest),) = yield [(tasks.join_files, (self._place, [part.path for part in made], self._keep))]
        archive.publish(whole.path, output, self.path, digest, mode_for([member.path for member in self._members]))
        for member, part in zip(self._members, made):
            member.add_done(part, output, whole.size, digest, joined=self.path, keep=self._keep)
        for member in self._members:
            member.forget()
        return Result(sum(part.plan.size for part in made), whole.size, len(made))

    def fail(self, reason: str) -> None:
        """Marks all files as failed: none has an output of its own."""
        for member in self._members:
            member.fail(reason)


def side_by_side(
    generators: Sequence[Generator[list[Call], list[Any], T]],
) -> Generator[list[Call], list[Any], list[T]]:
    """Takes several through their steps at the same time: what each gives, of all of them together."""
    ended: dict[int, T] = {}
    results: list[list[Any] | None] = [None] * len(generators)
    while True:
        given: list[list[Call]] = [[] for _ in generators]
        for number, generator in enumerate(generators):
            if number in ended:
                continue
            try:
                sent = results[number]
                given[number] = next(generator) if sent is None else generator.send(sent)
            except StopIteration as stop:
                ended[number] = stop.value
        if len(ended) == len(generators):
            return [ended[number] for number in range(len(generators))]
        found = yield [call for calls in given for call in calls]
        for number, calls in enumerate(given):
            results[number], found = found[: len(calls)], found[len(calls) :]
