# SPDX-License-Identifier: BSD-3-Clause
"""mdz (Python package, 0.4.0; not the MDZ of SZ3): FP32, codec by frames, a group of 100 frames, zstd 19, one grid for all particles
(`adaptive=False`; the other coding costs more at the same largest error), rigid bodies where they are smaller. Its grid is narrower than
2 x bound by the rounding of FP32 numbers."""
import os

import numpy as np

from . import Result, largest_error, timed


def measure(_, positions, bound, scratch, nanometres):
    """`nanometres`: in a unit of the positions. Its search for rigid bodies needs it."""
    import mdz

    mdz.set_num_threads(1)
    given = (positions * nanometres).astype(np.float32)
    bound *= nanometres
    precision = 2 * (bound - float(np.spacing(np.max(np.abs(given)))) / 2)
    path = os.path.join(scratch, "traj.mdz")

    def forward():
        mdz.save(path, mdz.compress(given, precision=precision, adaptive=False, gof_size=100, zstd_level=19, rigid=True))

    _, encode = timed(forward)
    (decoded, _), decode = timed(lambda: mdz.decompress(mdz.load(path)))
    error = largest_error(np.asarray(decoded), given.astype(np.float64), bound)
    return Result(os.path.getsize(path), error, encode, decode, "rigid bodies where smaller")
