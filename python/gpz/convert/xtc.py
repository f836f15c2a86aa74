# SPDX-License-Identifier: BSD-3-Clause
"""Data that MDAnalysis's readers and writers of XTC and TRR do not pass on: the precision of each frame of XTC, and the edges of the
box."""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpz.convert.extent import Bytes
from gpz.convert.whole_frames import MOST_ATOMS_UNCOMPRESSED, head_of_trr, trr_length, xtc_length

HEAD = struct.Struct(">iiif9fi")  # magic, atoms, step, ps, nm, atoms
PRECISION = struct.Struct(">f")
NANOMETRE = 10.0  # Angstrom


class Head(NamedTuple):
    """precision: positions are multiples of 1 / precision nm; 0: they were not rounded. box: (3, 3) float32, nm, rows are
    edges; all 0 without a box."""

    precision: float
    box: np.ndarray


def heads(path: str | os.PathLike, numbers: range) -> Iterator[Head]:
    """Heads of the frames with these numbers, which are complete (whole_frames)."""
    with open(path, "rb") as file:
        bytes_ = Bytes(file.fileno())
        starts = starts_of(bytes_, max(numbers, default=-1) + 1, xtc_length)
        for number in numbers:
            yield head_at(bytes_, starts[number])


def edges_of_trr(path: str | os.PathLike, numbers: range) -> Iterator[np.ndarray]:
    """(3, 3) float64, nm, rows are edges: of these frames of a TRR file, which are whole. Zeros without a box."""
    with open(path, "rb") as file:
        bytes_ = Bytes(file.fileno())
        starts = starts_of(bytes_, max(numbers, default=-1) + 1, trr_length)
        for number in numbers:
            head = head_of_trr(bytes_, starts[number])
            found = bytes_.numbers(starts[number] + head.length, "9" + head.real) if head.has_box else (0.0,) * 9
            yield np.array(found, np.float64).reshape(3, 3)


def starts_of(bytes_: Bytes, frames: int, length_at: Callable[[Bytes, int], int]) -> array:
    """The bytes where the first frames begin."""
    starts, place = array("q"), 0
    for _ in range(frames):
        starts.append(place)
        place += length_at(bytes_, place)
    return starts


def head_at(bytes_: Bytes, place: int) -> Head:
    """The head of the frame that begins at byte `place`. Raises EOFError where the file is too short."""
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
