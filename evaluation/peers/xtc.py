# SPDX-License-Identifier: BSD-3-Clause
"""XTC, by MDAnalysis's copy of xdrfile: FP32, boxes included, precision 1 / (2 x bound) a nanometre. A length of 1 of a trajectory in the unit of
Lennard-Jones is 1 nm, as `dump xtc` has it."""
import os

import numpy as np

from . import Result, fp32_slack, largest_error, timed


def measure(_, positions, bound, scratch, cells, nanometres):
    """`cells`: (frames, 3, 3) edge vectors, or None; `nanometres`: in a unit of the positions."""
    from MDAnalysis.lib.formats.libmdaxdr import XTCFile

    path = os.path.join(scratch, "traj.xtc")
    given = (positions * nanometres).astype(np.float32)
    bound *= nanometres
    boxes = (np.zeros((len(given), 3, 3)) if cells is None else cells * nanometres).astype(np.float32)
    precision = 1 / (2 * bound)

    def forward():
        with XTCFile(path, "w") as file:
            for k, (frame, box) in enumerate(zip(given, boxes)):
                file.write(frame, box, k, float(k), precision)

    def backward():
        with XTCFile(path) as file:
            return np.array([frame.x.copy() for frame in file])

    _, encode = timed(forward)
    decoded, decode = timed(backward)
    error = largest_error(decoded, given.astype(np.float64), bound)
    # The product with the precision is rounded to FP32 before it is rounded to an integer, and the result once more.
    return Result(os.path.getsize(path), error, encode, decode, f"precision {precision:g}", 2 * fp32_slack(given, bound) - 1)
