# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories of all kinds, opened as .gpz."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

import gpz

Source = str | os.PathLike | gpz.Trajectory | np.ndarray


@contextlib.contextmanager
def opened(source: Source, box: gpz.Box | npt.ArrayLike | None = None, threads: int | None = None) -> Iterator[gpz.Trajectory]:
    """A trajectory, in the order of ids.

    source: a .gpz file, what the program `gpz encode` reads (dumps of LAMMPS, XYZ), a gpz.Trajectory, or positions as
        an array (frames, N, 3) or (N, 3), in distance units, with their `box`. What is no .gpz becomes one without
        loss, in the folder for temporary files.
    """
    if isinstance(source, gpz.Trajectory):
        yield source
        return
    if not isinstance(source, np.ndarray):
        try:
            trajectory = gpz.open(source, threads=threads)
        except gpz.NotGpzError:
            trajectory = None
        if trajectory is not None:
            with trajectory:
                yield trajectory
            return
    with tempfile.TemporaryDirectory(prefix="gpz-") as folder:
        path = Path(folder) / "exact.gpz"
        if isinstance(source, np.ndarray):
            write_exactly(path, source, box)
        else:
            encode_exactly(path, source)
        with gpz.open(path, threads=threads) as trajectory:
            yield trajectory


def write_exactly(path: Path, positions: np.ndarray, box: gpz.Box | npt.ArrayLike | None) -> None:
    """Writes (frames, N, 3) or (N, 3) positions without loss. Raises gpz.ArgumentError for other shapes, or without a box."""
    if box is None:
        raise gpz.ArgumentError("positions in an array need box=, their simulation box")
    frames = positions if positions.ndim == 3 else positions[None]
    if frames.ndim != 3:
        raise gpz.ArgumentError(f"positions are (frames, N, 3) or (N, 3), not {positions.shape}")
    with gpz.Writer(path, bound=0) as writer:
        for frame in frames:
            writer.write(positions=frame, ids=np.arange(1, len(frame) + 1), box=box)


def encode_exactly(path: Path, source: str | os.PathLike) -> None:
    """Makes a lossless .gpz file of a dump with gpz encode. Raises gpz.NotGpzError with its message if it cannot read the dump."""
    done = subprocess.run(
        [program(), "encode", "--lossless", "-o", path, "--", source], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise gpz.NotGpzError(done.stderr.strip().removeprefix("gpz: ") or f"{source}: gpz encode cannot read it")


def program() -> str:
    """The program gpz: that of this environment, else that of PATH."""
    places = (sysconfig.get_path("scripts"), os.path.dirname(sys.executable), None)
    for place in places:
        found = shutil.which("gpz", path=place)
        if found:
            return found
    raise gpz.NotFoundError("the program gpz, which reads files of other formats, is not in PATH")
