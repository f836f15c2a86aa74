# SPDX-License-Identifier: BSD-3-Clause
"""Timesteps and times of DCD files: the header has the first timestep, the steps between frames, and the time of a step.

CHARMM, NAMD and OpenMM store that time in AKMA units, 48.888 fs, LAMMPS in the units of its run.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
from MDAnalysis.lib.formats.libdcd import DCDFile
from MDAnalysis.units import convert

LARGEST = 2**31 - 1
# Bytes of a file of LAMMPS: the magic word after the marker of the first record, and the first of two lines of title.
MAGIC_AT, MAGIC, TITLE_AT, TITLE = 4, b"CORD", 100, b"Written by LAMMPS"
TOLERANCE = 1e-5  # of times, which are products of a float32


def is_of_lammps(path: str | os.PathLike) -> bool:
    """Whether LAMMPS wrote this DCD file, so that lengths and times are in the units of its run; False for files that cannot
    be read."""
    try:
        with open(path, "rb") as file:
            start = file.read(TITLE_AT + len(TITLE))
    except OSError:
        return False
    return start[MAGIC_AT:].startswith(MAGIC) and start[TITLE_AT:] == TITLE


class Clock(NamedTuple):
    """first: timestep of the first frame. interval: timesteps between frames. size: of a timestep, in ps or, of LAMMPS's files,
    in the time units of the run."""

    first: int
    interval: int
    size: float

    def at(self, frame: int) -> tuple[int, float]:
        """Timestep and time of a frame."""
        step = self.first + frame * self.interval
        return step, step * self.size

    def counts_frames(self) -> bool:
        """Whether the program did not know timesteps: it wrote 0 and 1."""
        return self.first == 0 and self.interval <= 1


def clock_of(path: str | os.PathLike, of_lammps: bool) -> Clock:
    """The contents of the header."""
    with DCDFile(os.fspath(path)) as file:
        header = file.header
    size = float(header["delta"])
    # What a float32 stands for: 0.002 instead of 0.0020000000949949026.
    size = float(f"{size:.7g}") if of_lammps else convert(size, "AKMA", "ps")
    return Clock(int(header["istart"]), int(header["nsavc"]), size)


def clock_for(steps: np.ndarray, times: np.ndarray) -> tuple[Clock, bool]:
    """The clock for a file of frames at these timesteps and times (ps), and whether it keeps both. If it cannot, times come first."""
    count = len(times)
    # Between frames, ps; 0: unknown.
    spacing = float(times[-1] - times[0]) / (count - 1) if count > 1 and times[-1] > times[0] else 0.0
    first = int(steps[0])
    interval = int(steps[1] - steps[0]) if count > 1 else 1
    if 0 <= first <= LARGEST and 0 < interval <= LARGEST and np.all(np.diff(steps) == interval):
        size = spacing / interval if spacing else float(times[0]) / first if first else 0.0
        if size > 0 and np.allclose(steps * size, times, rtol=TOLERANCE, atol=TOLERANCE * interval * size):
            return Clock(first, interval, size), True
    size = spacing or 1.0
    # In whole intervals: the only other beginning that the header can tell.
    start = round(float(times[0]) / size)
    return Clock(start if 0 <= start <= LARGEST else 0, 1, size), False
