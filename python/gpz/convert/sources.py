# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories and topologies, opened with MDAnalysis. Its errors become ours, with the user's name of the file."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import MDAnalysis as mda
from MDAnalysis.coordinates.core import get_reader_for
from MDAnalysis.core._get_readers import get_parser_for
from MDAnalysis.topology.MinimalParser import MinimalParser

import gpz
from gpz._endings import ending_of, is_gpz
from gpz._errors import MissingFileError
from gpz.convert.formats import Format
from gpz.convert.whole_frames import Extent, copy_whole

MOST_LETTERS = 300  # of a message of MDAnalysis, whose first sentence is kept whole
T = TypeVar("T")


class Place:
    """A source below another folder, under its name, because MDAnalysis writes files of its own next to those that it
    reads: a link at first. group: of the particles of an H5MD file; None: the first one that has positions."""

    def __init__(self, source: Path, folder: Path, group: str | None = None):
        self.source, self.group = source, group
        self.path = folder / "in" / source.name
        self.path.parent.mkdir()
        self.path.symlink_to(source.absolute())
        self.is_copy = False

    def copy(self, extent: Extent, form: Format) -> None:
        """Makes it a file of the whole frames alone."""
        self.path.unlink()
        copy_whole(self.source, self.path, extent, form.mda)
        self.is_copy = True

    def ask(self, action: Callable[[str], T], what: str) -> T:
        """The reader of MDAnalysis for the file. Raises gpz.CorruptError that begins with `what`, and gpz.Error of our own readers."""
        return asked(lambda: action(str(self.path)), what, str(self.source), str(self.path))


def asked(action: Callable[[], T], what: str, source: str, path: str) -> T:
    """Readers of MDAnalysis that could not open a file print a traceback when they are collected: not this one."""
    with silent_finalizers():
        try:
            return action()
        except MemoryError:
            raise
        except gpz.Error as error:
            error.path = source
            raise
        except Exception as error:  # of any of the libraries behind MDAnalysis
            text = one_line(error).replace(path, source)
        gc.collect()
    raise gpz.CorruptError(f"{what}: {text}", source)


@contextmanager
def silent_finalizers() -> Iterator[None]:
    """Readers of MDAnalysis that could not open a file print a traceback when they are collected."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        yield
    finally:
        sys.unraisablehook = hook


def one_line(error: BaseException) -> str:
    """The message of an exception in one line: of a long one, the sentences that end within MOST_LETTERS, and the first one."""
    text = " ".join(str(error).split()) or type(error).__name__
    if len(text) <= MOST_LETTERS:
        return text
    ends = [match.end() for match in re.finditer(r"[.!?](?= |$)", text)] or [len(text)]
    return text[: max([end for end in ends if end <= MOST_LETTERS], default=ends[0])]


def open_trajectory(place: Place, form: Format, n_atoms: int | None) -> Any:
    """A reader of MDAnalysis. n_atoms: of the topology, for formats that do not say it."""
    if form.mda == "H5MD":
        from gpz.convert.h5md import H5mdReader

        return place.ask(lambda path: H5mdReader(path, place.group), "HDF5 cannot read it")
    reader = get_reader_for(str(place.path), format=form.mda)
    options = {} if n_atoms is None else {"n_atoms": n_atoms}
    with_atoms = "" if n_atoms is None else f" with {n_atoms} atoms"
    try:
        return place.ask(lambda path: reader(path, **options), f"MDAnalysis cannot read it as {form.name}{with_atoms}")
    except gpz.CorruptError as error:
        if n_atoms is None and re.search("n_?atom", error.cause, re.IGNORECASE):
            raise gpz.ArgumentError(
                f"files of {form.name} do not say how many atoms they have: give a file that does with --topology "
                "(topology=)",
                str(place.source),
            ) from None
        raise


def open_whole(place: Place, form: Format, n_atoms: int | None, extent: Extent | None) -> Any:
    """A reader of all whole frames, also of a file that is cut or damaged. Of those MDAnalysis opens some, others as a copy
    of the whole frames only."""
    if extent is None:
        return open_trajectory(place, form, n_atoms)
    if extent.problem(place.source) is not None:
        if form.mda != "NCDF" and not extent.damage:
            try:
                reader = open_trajectory(place, form, n_atoms)
                if reader.n_frames >= extent.frames:
                    return reader
                reader.close()
            except gpz.CorruptError:
                pass
        place.copy(extent, form)
    reader = open_trajectory(place, form, n_atoms)
    if reader.n_frames != extent.frames:
        found = reader.n_frames
        reader.close()
        raise gpz.CorruptError(f"it has {extent.frames} frames, of which MDAnalysis finds {found}", str(place.source))
    return reader


def open_topology(path: str | os.PathLike) -> mda.AtomGroup:
    """The atoms of a file with a topology."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise MissingFileError("no such file (the topology)", path)
    # What LAMMPS calls its data files.
    named = "DATA" if os.path.basename(path).startswith("data.") else None
    try:
        parser = get_parser_for(path, format=named)
    except (ValueError, TypeError):
        ending = ending_of(path) or "nothing"
        raise gpz.ArgumentError(f"MDAnalysis reads no topology whose name ends with {ending}", path) from None
    return asked(lambda: parsed(parser, path), "MDAnalysis cannot read this topology", path, path)


def parsed(parser: type, path: str) -> mda.AtomGroup:
    """The atoms without coordinates. A Universe would open these as well, and leave files next to the topology."""
    if is_gpz(path):
        return mda.Universe(path).atoms  # it leaves none, and its types keep their numbers
    with parser(path) as topology:
        return mda.Universe(topology.parse()).atoms


def topology_within(place: Place) -> mda.AtomGroup | None:
    """The atoms of a trajectory that names them, such as PDB; None for other formats."""
    try:
        parser = get_parser_for(str(place.path))
    except (ValueError, TypeError):
        return None
    if issubclass(parser, MinimalParser):
        return None
    return place.ask(lambda path: parsed(parser, path), "MDAnalysis cannot read its atoms")
