# SPDX-License-Identifier: BSD-3-Clause
"""The simulation box."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gpz._arguments import numbers_of
from gpz._errors import ArgumentError

KINDS = ("none", "orthogonal", "triclinic", "general triclinic")


@dataclasses.dataclass(frozen=True, eq=False)
class Box:
    """The simulation box of a frame, in distance units of the file.

    origin: (3,) float64, the corner from which the edge vectors start.
    matrix: (3, 3) float64, the edge vectors a, b and c as rows. A point with the fractions s is `origin + s @ matrix`.
    boundary: the conditions at the lower and upper face of x, y and z, as in LAMMPS: "pp pp ff". p periodic, f fixed,
        s shrink-wrapped, m shrink-wrapped with a minimum, ? unknown.
    dimension: 2 or 3.
    kind: "orthogonal", "triclinic" (a along x, b in the plane of x and y) or "general triclinic".
    """

    origin: np.ndarray
    matrix: np.ndarray
    boundary: str = "pp pp pp"
    dimension: int = 3
    kind: str = "orthogonal"

    @classmethod
    def from_bounds(
        cls,
        low: npt.ArrayLike,
        high: npt.ArrayLike,
        tilt: npt.ArrayLike | None = None,
        boundary: str = "pp pp pp",
        dimension: int = 3,
    ) -> Box:
        """A box from its lower and upper bounds, as in LAMMPS: xlo ylo zlo, xhi yhi zhi, and xy xz yz if it is tilted."""
        low, high = numbers_of("low", low, (3,)), numbers_of("high", high, (3,))
        matrix = np.diag(high - low)
        if tilt is not None:
            matrix[1, 0], matrix[2, 0], matrix[2, 1] = numbers_of("tilt", tilt, (3,))
        return cls(low, matrix, boundary, dimension, "orthogonal" if tilt is None else "triclinic")

    @classmethod
    def from_vectors(
        cls,
        matrix: npt.ArrayLike,
        origin: npt.ArrayLike = (0.0, 0.0, 0.0),
        boundary: str = "pp pp pp",
        dimension: int = 3,
    ) -> Box:
        """A box from its edge vectors a, b and c, the rows of `matrix`."""
        matrix, origin = numbers_of("matrix", matrix, (3, 3)), numbers_of("origin", origin, (3,))
        kind = (
            "general triclinic"
            if np.triu(matrix, 1).any()
            else "triclinic"
            if np.tril(matrix, -1).any()
            else "orthogonal"
        )
        return cls(origin, matrix, boundary, dimension, kind)

    @property
    def lengths(self) -> np.ndarray:
        """(3,) float64: the lengths of the edge vectors."""
        return np.linalg.norm(self.matrix, axis=1)

    @property
    def tilt(self) -> np.ndarray:
        """(3,) float64: xy, xz, yz. Zeros for an orthogonal box."""
        return np.array([self.matrix[1, 0], self.matrix[2, 0], self.matrix[2, 1]])

    @property
    def angles(self) -> np.ndarray:
        """(3,) float64: alpha (between b and c), beta (a, c) and gamma (a, b), degrees."""
        a, b, c = self.matrix / self.lengths[:, None]
        return np.degrees(np.arccos(np.clip([b @ c, a @ c, a @ b], -1, 1)))

    @property
    def volume(self) -> float:
        """Distance units cubed."""
        return float(abs(np.linalg.det(self.matrix)))

    @property
    def periodic(self) -> tuple[bool, bool, bool]:
        """Whether x, y and z are periodic."""
        return tuple(pair[0] == "p" for pair in self.boundary.split())  # type: ignore[return-value]

    @property
    def is_triclinic(self) -> bool:
        return self.kind != "orthogonal"

    def to_cartesian(self, fractions: np.ndarray) -> np.ndarray:
        """(N, 3) coordinates in distance units from (N, 3) fractions of the box."""
        return np.asarray(fractions) @ self.matrix + self.origin

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Box):
            return NotImplemented
        same = (self.boundary, self.dimension, self.kind) == (other.boundary, other.dimension, other.kind)
        return same and np.array_equal(self.origin, other.origin) and np.array_equal(self.matrix, other.matrix)

    __hash__ = None  # type: ignore[assignment]


def inverse_of(box: Box) -> np.ndarray:
    """(3, 3): vectors times this are multiples of the edges. Those of edges of length 0 are 0."""
    return np.linalg.inv(box.matrix) if box.volume > 0 else np.linalg.pinv(box.matrix)


def spanned_by(edges: npt.ArrayLike | None, boundary: str = "pp pp pp") -> Box | None:
    """A box at the origin. edges: (3, 3), each row is an edge vector; one of zeros is an edge of length 0, which is not periodic.

    Returns None if there are no edges, or if they are not independent: some programs write zeros for a system without a box.
    """
    if edges is None:
        return None
    vectors = np.asarray(edges, np.float64)
    there = vectors.any(axis=1)
    independent = np.linalg.det(vectors) != 0 if there.all() else np.linalg.matrix_rank(vectors) == there.sum() > 0
    return Box.from_vectors(vectors, boundary=not_periodic(boundary, ~there)) if independent else None


def not_periodic(boundary: str, axes: npt.ArrayLike) -> str:
    """Fixed in the directions of `axes`, three flags, if the boundary is periodic there."""
    pairs = zip(boundary.split(), np.asarray(axes).tolist())
    return " ".join("ff" if flag and letters == "pp" else letters for letters, flag in pairs)


def from_library(kind: int, dimension: int, boundary: bytes, values: Sequence[float]) -> Box | None:
    """The box of a frame's head (gpz::Box); None if the frame has none."""
    if kind == 0:
        return None
    letters = boundary.replace(b"\0", b"?").decode("latin-1")
    origin: np.ndarray = np.array(values[9:])
    matrix: np.ndarray = np.array(values[:9]).reshape(3, 3)
    if kind != 3:
        origin, high = np.array(values[0:6:2]), np.array(values[1:6:2])
        matrix = np.diag(high - origin)
        matrix[1, 0], matrix[2, 0], matrix[2, 1] = values[6:9]
    return Box(origin, matrix, " ".join((letters[0:2], letters[2:4], letters[4:6])), dimension, KINDS[kind])


def to_library(box: Box | None) -> tuple:
    """A box as gpz._core takes it: (kind, dimension, boundary, 12 values)."""
    if box is None:
        return 0, 3, b"\0" * 6, [0.0] * 12
    kind = KINDS.index(box.kind)
    letters = "".join(box.boundary.split())
    if len(letters) != 6 or not set(letters) <= set("pfsm?"):
        raise ArgumentError(f'boundary: "pp pp pp" or the like, not {box.boundary!r}')
    matrix = np.asarray(box.matrix, np.float64)
    if kind == 3:
        values = [*matrix.ravel(), *box.origin]
    else:
        low, high = box.origin, box.origin + np.diag(matrix)
        values = [low[0], high[0], low[1], high[1], low[2], high[2], matrix[1, 0], matrix[2, 0], matrix[2, 1], 0, 0, 0]
    return kind, box.dimension, letters.encode().replace(b"?", b"\0"), [float(value) for value in values]
