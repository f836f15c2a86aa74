# SPDX-License-Identifier: BSD-3-Clause
"""What MDAnalysis's reader and writer of XTC do not tell and take: the precision of each frame, and the edges of its box."""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpz.convert.extent import Bytes
from gpz.convert.whole_frames import MOST_ATOMS_UNCOMPRESSED, xtc_length

HEAD = struct.Struct(">iiif9fi")  # magic, atoms, step, ps, nm, atoms
PRECISION = struct.Struct(">f")
NANOMETRE = 10.0  # Angstrom


class Head(NamedTuple):
    """precision: positions are multiples of 1 / precision nm; 0: they were not rounded. box: (3, 3) float32, nm, rows are
    edges; all 0 without a box."""

    precision: float
    box: np.ndarray


def heads(path: str | os.PathLike, numbers: range) -> Iterator[Head]:
    """Of the frames of these numbers, which are whole (whole_frames)."""
    with open(path, "rb") as file:
        bytes_ = Bytes(file.fileno())
        starts = starts_of(bytes_, max(numbers, default=-1) + 1)
        for number in numbers:
            yield head_at(bytes_, starts[number])


def starts_of(bytes_: Bytes, frames: int) -> array:
    """The bytes where the first frames begin."""
    starts, place = array("q"), 0
    for _ in range(frames):
        starts.append(place)
        place += xtc_length(bytes_, place)
    return starts


def head_at(bytes_: Bytes, place: int) -> Head:
    """Of the frame that begins at byte `place`. Raises EOFError where the file is too short."""
    _, atoms, _, _, *edges, _ = HEAD.unpack(bytes_.at(place, HEAD.size))
    precision = 0.0
    if atoms > MOST_ATOMS_UNCOMPRESSED:
        (precision,) = PRECISION.unpack(bytes_.at(place + HEAD.size, PRECISION.size))
    return Head(precision if precision > 0 else 0.0, np.array(edges, np.float32).reshape(3, 3))


def first_grid(path: Path) -> float:
    """The distance between neighbouring coordinates in the first frame, Angstrom; 0 if the file does not say."""
    with open(path, "rb") as file:
        try:
            precision = head_at(Bytes(file.fileno()), 0).precision
        except EOFError:
            return 0.0
    return grid(precision)


def grid(precision: float) -> float:
    """Angstrom; 0 for a precision of 0."""
    return NANOMETRE / precision if precision else 0.0
