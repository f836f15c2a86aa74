# SPDX-License-Identifier: BSD-3-Clause
"""Coordinates in the box of a LAMMPS file, as MDAnalysis wants them: the box begins at zero, a is along x, b in the
plane of x and y.

All arrays are (N, 3). Distances are in units of the file.
"""

from __future__ import annotations

import numpy as np
from MDAnalysis.lib import mdamath

import gpz
from gpz._box import not_periodic, spanned_by


def along_edges(multiples: np.ndarray, box: gpz.Box) -> np.ndarray:
    """Sums of multiples of the edge vectors: a new array, float32."""
    if box.is_triclinic:
        return multiples.astype(np.float32, copy=False) @ box.matrix.astype(np.float32)
    return np.multiply(multiples, np.diag(box.matrix).astype(np.float32), dtype=np.float32)


def to_origin(positions: np.ndarray, box: gpz.Box) -> None:
    """Subtracts the lower corner of the box from the positions, in place."""
    # One column at a time: numpy takes three times as long to subtract a row from all rows.
    for axis, corner in enumerate(box.origin.astype(positions.dtype)):
        if corner:
            positions[:, axis] -= corner


def dimensions(box: gpz.Box) -> np.ndarray:
    """(6,) float64: lengths of the edges, and alpha, beta, gamma in degrees."""
    if not box.is_triclinic:
        return np.concatenate([np.diag(box.matrix), [90.0, 90.0, 90.0]])
    # MDAnalysis has no angles with an edge of length 0: they are those with an axis, which has to be that of no other edge.
    there = box.matrix.any(axis=1) | (box.kind == "general triclinic")
    found = mdamath.triclinic_box(*np.where(there[:, None], box.matrix, np.eye(3))).astype(np.float64)
    return found * [*there, 1, 1, 1]


def box_of(dimensions: np.ndarray | None, unit: float, boundary: str = "pp pp pp") -> gpz.Box | None:
    """The inverse of dimensions(), at the origin: one unit of the box is `unit` of them. Edges of length 0 are not periodic; None if all
    are, or if there is no box of these angles."""
    if dimensions is None or not dimensions[:3].any() or not np.all(dimensions[:3] >= 0):
        return None
    there = dimensions[:3] > 0
    boundary = not_periodic(boundary, ~there)
    if (dimensions[3:] == 90).all():
        return gpz.Box.from_bounds([0, 0, 0], dimensions[:3].astype(np.float64) / unit, boundary=boundary)
    if there.all():
        return gpz.Box.from_vectors(mdamath.triclinic_vectors(dimensions, dtype=np.float64) / unit, boundary=boundary)
    of_unused = [not (there[k - 2] and there[k - 1]) for k in range(3)]  # angles with an edge that is not there
    whole = np.concatenate([np.where(there, dimensions[:3], 1), np.where(of_unused, 90, dimensions[3:])])
    return spanned_by(mdamath.triclinic_vectors(whole, dtype=np.float64) / unit * there[:, None], boundary)


def turn(vectors: np.ndarray, box: gpz.Box) -> None:
    """Turns vectors with the box, in place, if a is not along x or b not in the plane of x and y. MDAnalysis only knows
    lengths and angles of a box."""
    if box.kind == "general triclinic" and box.volume > 0:  # MDAnalysis has no box without a volume
        upright = mdamath.triclinic_vectors(dimensions(box), dtype=np.float64)
        vectors[...] = vectors @ np.linalg.solve(box.matrix, upright).astype(vectors.dtype)
