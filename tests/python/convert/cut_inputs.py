# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories that are cut at random places, and what becomes of them.

    PYTHONPATH=build/python python tests/python/convert/cut_inputs.py --cuts 50      # prints a table

test_cut_inputs.py takes fewer places. Another format, or another program, is another Kind in KINDS.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import MDAnalysis as mda
import numpy as np

import gpz
from gpz.convert import convert
from gpz.programs import convert as command

ATOMS, FRAMES, SEED = 300, 10, 44
TRUNCATED = 5  # tools/decompress/exit_code.hpp

Frames = list[np.ndarray]  # (N, 3) positions, a frame each


@dataclass(frozen=True)
class Kind:
    """name: for tables and tests. make: writes so many frames to a path. run: the program, from a path to another; returns
    exit code and standard error. expected: frames of the whole file; kept: those of the output, which are to be equal.

    ending, out: of the names of input and output. promises: whether the file says how many frames it has, so that a cut
    between frames is one. keeps: whether whole frames of a cut file can be read. ends: the bytes at which the frames of a
    file end; None: where files of fewer frames end. digits: whether a file is whole without its last line break.
    """

    name: str
    ending: str
    make: Callable[[Path, int], None]
    expected: Callable[[Path], Frames]
    run: Callable[..., tuple[int, str]]
    kept: Callable[[Path], Frames]
    out: str = ".gpz"
    promises: bool = False
    keeps: bool = True
    ends: Callable[[Path], list[int]] | None = None
    digits: bool = False


@dataclass
class Whole:
    """A file that is not cut. ends: the bytes at which its frames end."""

    kind: Kind
    data: bytes
    frames: Frames
    ends: list[int] = field(default_factory=list)

    def whole_before(self, place: int) -> int:
        return sum(end <= place for end in self.ends) if self.kind.keeps else 0

    def is_cut(self, place: int) -> bool:
        """Whether the first `place` bytes are no whole file."""
        ends = {end + more for end in self.ends for more in range(1 + self.kind.digits)}
        return self.kind.promises or place not in ends


@dataclass(frozen=True)
class Outcome:
    place: int
    code: int
    text: str
    kept: int | None  # None: there is no output
    equal: bool  # all frames that are kept are the original's


# --- Making and reading files ---


def source_of(path: Path, frames: int) -> None:
    """A .gpz file whose first frames do not depend on how many there are."""
    random = np.random.default_rng(SEED)
    start = random.random((ATOMS, 3)) * 20
    with gpz.Writer(path, units="metal", bound=0) as writer:
        for k in range(frames):
            moved = (start + 0.1 * random.normal(size=(ATOMS, 3))).astype(np.float32)
            velocities = random.normal(size=(ATOMS, 3)).astype(np.float32)
            writer.write(
                positions=moved, velocities=velocities, ids=np.arange(1, ATOMS + 1), box=[20, 21, 22], timestep=k,
                time=0.5 * k,
            )  # fmt: skip


def converted(path: Path, frames: int) -> None:
    made = path.with_name("source.gpz")
    source_of(made, frames)
    convert(made, path)


def by_mdanalysis(path: Path) -> Frames:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with mda.coordinates.core.reader(str(path), n_atoms=ATOMS) as reader:
            return [ts.positions.copy() for ts in reader]


def universe() -> mda.Universe:
    made = mda.Universe.empty(ATOMS, trajectory=True, velocities=True)
    made.add_TopologyAttr("names", ["Zn"] * ATOMS)
    made.dimensions = [20, 21, 22, 90, 90, 90]
    return made


def trz(path: Path, frames: int) -> None:
    random, atoms = np.random.default_rng(SEED), universe().atoms
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with mda.Writer(str(path), n_atoms=ATOMS) as writer:
            for _ in range(frames):
                atoms.positions = random.random((ATOMS, 3)) * 20
                writer.write(atoms)


def mdcrd(path: Path, frames: int) -> None:
    """With a box."""
    random, text = np.random.default_rng(SEED), "a title\n"
    for _ in range(frames):
        numbers = [f"{value:8.3f}" for value in random.random(3 * ATOMS) * 200 - 100]
        text += "".join("".join(numbers[k : k + 10]) + "\n" for k in range(0, len(numbers), 10))
        text += f"{20:8.3f}{21:8.3f}{22:8.3f}\n"
    path.write_text(text)


def by_gpz(path: Path) -> Frames:
    with gpz.open(path) as file:
        return [frame.positions.astype(np.float32) for frame in file]


def ends_of_gpz(path: Path) -> list[int]:
    """An index follows the last frame."""
    with gpz.open(path) as file:
        reader = file._file.require_open()
        return (reader.offsets() + reader.lengths()).tolist()


# --- The programs ---


def run_convert(source: Path, target: Path, *options: str) -> tuple[int, str]:
    said = io.StringIO()
    exact = ["--eb", "0"] if target.suffix == ".gpz" else []
    with contextlib.redirect_stderr(said):
        code = command.main([str(source), str(target), *exact, *options])
    return code, said.getvalue()


def run_with_topology(source: Path, target: Path, *options: str) -> tuple[int, str]:
    topology = source.with_name("atoms.gro")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        universe().atoms.write(str(topology))
    return run_convert(source, target, "--topology", str(topology), *options)


def mda_kind(name: str, ending: str, **facts: bool) -> Kind:
    return Kind(name, ending, converted, by_mdanalysis, run_convert, by_gpz, **facts)


KINDS = [
    mda_kind("XTC", ".xtc"),
    mda_kind("TRR", ".trr"),
    mda_kind("DCD", ".dcd", promises=True),
    mda_kind("AMBER NetCDF", ".nc", promises=True),
    mda_kind("H5MD", ".h5md", promises=True, keeps=False),
    Kind("TRZ", ".trz", trz, by_mdanalysis, run_with_topology, by_gpz),
    Kind("mdcrd", ".mdcrd", mdcrd, by_mdanalysis, run_with_topology, by_gpz, digits=True),
    Kind("gpz", ".gpz", source_of, by_gpz, run_convert, by_mdanalysis, out=".dcd", ends=ends_of_gpz),
]


# --- Cutting ---


def whole(kind: Kind, folder: Path) -> Whole:
    path = folder / f"whole{kind.ending}"
    kind.make(path, FRAMES)
    made = Whole(kind, path.read_bytes(), kind.expected(path))
    if kind.ends is not None:
        made.ends = kind.ends(path)
    elif kind.keeps:
        for frames in range(1, FRAMES + 1):
            part = folder / f"part{kind.ending}"
            kind.make(part, frames)
            made.ends.append(part.stat().st_size - kind.digits)
    return made


def cut(original: Whole, folder: Path, place: int, *options: str) -> Outcome:
    kind = original.kind
    source, target = folder / f"cut{kind.ending}", folder / f"out{kind.out}"
    source.write_bytes(original.data[:place])
    target.unlink(missing_ok=True)
    code, text = kind.run(source, target, *options)
    if not target.exists():
        return Outcome(place, code, text, None, True)
    kept = kind.kept(target)
    equal = len(kept) <= len(original.frames) and all(map(np.array_equal, kept, original.frames))
    return Outcome(place, code, text, len(kept), equal)


def random_places(original: Whole, cuts: int) -> list[int]:
    random = np.random.default_rng([SEED, KINDS.index(original.kind)])
    return sorted(int(place) for place in random.integers(0, len(original.data), cuts))


def rows(cuts: int) -> Iterator[str]:
    yield f"| input, {FRAMES} frames | bytes | cuts | exit codes | frames kept | equal to the original's | a message |"
    yield "|---|---|---|---|---|---|---|"
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as name:
            original = whole(kind, Path(name))
            done = [cut(original, Path(name), place, "-q") for place in random_places(original, cuts)]
            wanted = sum(original.whole_before(outcome.place) for outcome in done)
            kept = sum(outcome.kept or 0 for outcome in done)
            codes = ", ".join(f"{code}: {n}" for code, n in sorted(Counter(outcome.code for outcome in done).items()))
            middle = re.sub(f"{re.escape(name)}{os.sep}", "", done[len(done) // 2].text).strip()
            yield (
                f"| {kind.name} | {len(original.data)} | {len(done)} | {codes} | {kept} of {wanted} whole ones | "
                f"{'all' if all(outcome.equal for outcome in done) else 'NO'} | `{middle}` |"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=50)
    for row in rows(parser.parse_args().cuts):
        print(row)
