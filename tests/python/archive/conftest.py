# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories to archive, and what a finished archive must be."""

import contextlib
import io
import json
import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpz.archive.manifest import read
from gpz.programs import archive as program

sys.path.append(str(Path(__file__).parents[2]))  # long_form

PROGRAM = [sys.executable, "-m", "gpz.programs.archive"]
EDGE = 10.0
# Small pieces of small dumps.
CUT = {"key": 5, "piece_size": 20_000}


@pytest.fixture(scope="session", autouse=True)
def search_path():
    """gpz archive and its programs find the command gpz as a user's shell does."""
    os.environ["PATH"] = f"{Path(os.environ['GPZ']).parent}{os.pathsep}{os.environ['PATH']}"


def dump(atoms=60, frames=12, *, seed=1, units="metal", velocities=True, times=False, types=2, start=0):
    """A LAMMPS text dump. Rows are in another order in each frame."""
    random = np.random.default_rng(seed)
    places, speeds = random.random((atoms, 3)) * EDGE, random.normal(size=(atoms, 3))
    lines = ["ITEM: UNITS", units] if units else []
    for k in range(frames):
        lines += ["ITEM: TIME", f"{0.5 * k:g}"] if times else []
        lines += [
            "ITEM: TIMESTEP",
            str(start + 10 * k),
            "ITEM: NUMBER OF ATOMS",
            str(atoms),
            "ITEM: BOX BOUNDS pp pp pp",
        ]
        lines += [f"0 {EDGE}"] * 3
        lines.append("ITEM: ATOMS id type x y z" + (" vx vy vz" if velocities else ""))
        for i in random.permutation(atoms):
            values = [*(places[i] + 0.01 * k * speeds[i]) % EDGE, *(speeds[i] if velocities else ())]
            lines.append(" ".join([str(i + 1), str(i % types + 1), *(f"{value:.6g}" for value in values)]))
    return "".join(f"{line}\n" for line in lines).encode()


def binary_dump(atoms=20, frames=12, *, units="", times=False, chunks=2, velocities=False):
    """As LAMMPS writes it, in `chunks` parts of a frame. Only the first frame names the units."""
    random = np.random.default_rng(3)
    places, speeds = random.random((atoms, 3)) * EDGE, random.normal(size=(atoms, 3))
    columns = b"id type x y z" + (b" vx vy vz" if velocities else b"")
    parts = []
    for k in range(frames):
        values = [
            np.arange(1, atoms + 1),
            np.ones(atoms),
            *(places + 0.01 * k * speeds).T,
            *(speeds.T if velocities else ()),
        ]
        rows = np.column_stack(values)
        named = units.encode() if k == 0 else b""
        parts.append(struct.pack("<q", -len(b"DUMPCUSTOM")) + b"DUMPCUSTOM" + struct.pack("<ii", 1, 2))
        parts.append(struct.pack("<qqi6i6di", 10 * k, atoms, 0, *[0] * 6, 0, EDGE, 0, EDGE, 0, EDGE, rows.shape[1]))
        parts.append(
            struct.pack("<i", len(named))
            + named
            + struct.pack("<b", times)
            + (struct.pack("<d", 0.5 * k) if times else b"")
        )
        parts.append(struct.pack("<i", len(columns)) + columns + struct.pack("<i", chunks))
        for chunk in np.array_split(rows, chunks):
            parts.append(struct.pack("<i", chunk.size) + chunk.astype("<f8").tobytes())
    return b"".join(parts)


def xyz(atoms=20, frames=4):
    random = np.random.default_rng(2)
    places = random.random((atoms, 3)) * EDGE
    lines = []
    for k in range(frames):
        lines += [str(atoms), f"frame {k}", *(f"Cu {x:.5f} {y:.5f} {z:.5f}" for x, y, z in places + 0.01 * k)]
    return "".join(f"{line}\n" for line in lines).encode()


def as_gpz(path, content, *options):
    """The dump as a .gpz file, by gpz encode."""
    subprocess.run(
        [os.environ["GPZ"], "encode", "-", "-o", path, *options], input=content, check=True, stderr=subprocess.DEVNULL
    )
    return path


@pytest.fixture
def runs(tmp_path):
    """Two folders with inputs of several kinds."""
    folder = tmp_path / "runs"
    (folder / "a").mkdir(parents=True)
    (folder / "melt.dump").write_bytes(dump(times=True))
    (folder / "a" / "melt.dump").write_bytes(dump(seed=2, frames=30))
    (folder / "a" / "crystal.xyz").write_bytes(xyz())
    (folder / "a" / "notes.txt").write_text("no trajectory\n")
    return folder


def outputs(folder):
    """The bytes of each .gpz file of an archive, by its name in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*.gpz"))
        if ".gpz-archive" not in path.relative_to(folder).parts
    }


def lines(folder):
    return list(read(os.path.join(folder, "manifest.jsonl")))


def states(folder, name):
    return [line["state"] for line in lines(folder) if line.get("input") == name]


def last(folder, name):
    return [line for line in lines(folder) if line.get("input") == name][-1]


def shell(*arguments, **options):
    return subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


def here(*arguments):
    """As `shell`, in this process: a start of Python takes longer than a small archive."""
    said, errors = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in program.STOPPED}
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(errors):
            code = program.main([str(argument) for argument in arguments])
    except SystemExit as ended:
        code = ended.code
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return subprocess.CompletedProcess(arguments, code, said.getvalue(), errors.getvalue())


def report_of(ended):
    return json.loads(ended.stdout)
