# SPDX-License-Identifier: BSD-3-Clause
"""Coordinates in the box of a LAMMPS file, as MDAnalysis wants them: the box begins at zero, a is along x, b in the
plane of x and y.

All arrays are (N, 3). Distances are in units of the file.
"""

from __future__ import annotations

import numpy as np
from MDAnalysis.lib import mdamath

import gpz


def along_edges(multiples: np.ndarray, box: gpz.Box) -> np.ndarray:
    """Sums of multiples of the edge vectors: a new array, float32."""
    if box.is_triclinic:
        return multiples.astype(np.float32, copy=False) @ box.matrix.astype(np.float32)
    return np.multiply(multiples, np.diag(box.matrix).astype(np.float32), dtype=np.float32)


def to_origin(positions: np.ndarray, box: gpz.Box) -> None:
    """Moves the lower corner of the box to zero, in place."""
    if box.origin.any():
        positions -= box.origin.astype(positions.dtype)


def dimensions(box: gpz.Box) -> np.ndarray:
    """(6,) float64: lengths of the edges, and alpha, beta, gamma in degrees."""
    if box.is_triclinic:
        return mdamath.triclinic_box(*box.matrix).astype(np.float64)
    return np.concatenate([np.diag(box.matrix), [90.0, 90.0, 90.0]])


def turn(vectors: np.ndarray, box: gpz.Box) -> None:
    """Turns vectors with the box, in place, if a is not along x or b not in the plane of x and y. MDAnalysis only knows
    lengths and angles of a box."""
    if box.kind == "general triclinic" and box.volume > 0:  # MDAnalysis has no box without a volume
        upright = mdamath.triclinic_vectors(dimensions(box), dtype=np.float64)
        vectors[...] = vectors @ np.linalg.solve(box.matrix, upright).astype(vectors.dtype)
