# SPDX-License-Identifier: BSD-3-Clause
"""The checked arguments of one conversion."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from gpz._coding import Coding
from gpz.convert.bounds import Bounds
from gpz.convert.formats import Format


@dataclass(frozen=True)
class Job:
    """target: the unfinished file. frames: those that are chosen. units: LAMMPS's name; None: not given."""

    source: Path
    target: Path
    form: Format  # of the file that is no .gpz file
    frames: slice
    units: str | None


@dataclass(frozen=True)
class FromGpz(Job):
    """digits: decimal places of XTC; None: not given. threads: for decoding."""

    digits: int | None
    threads: int


@dataclass(frozen=True)
class ToGpz(Job):
    """folder: an empty one, for files that are needed meanwhile. group: of the particles of an H5MD file."""

    folder: Path
    bounds: Bounds
    topology: str | os.PathLike | None
    group: str | None
    coding: Coding
