# SPDX-License-Identifier: BSD-3-Clause
"""gpz by its Python package, from arrays to a file and back, one thread: whole files with ids, types and boxes, FP32. For its speed beside peers
that get arrays as well; `gpz_command` reads and writes text."""
import os

import numpy as np

from . import Result, fp32_slack, largest_error, timed


def measure(_, positions, bound, scratch, types, cells, effort):
    import gpz

    given = positions.astype(np.float32)
    ids = np.arange(1, given.shape[1] + 1)
    path = os.path.join(scratch, "arrays.gpz")

    def forward():
        with gpz.Writer(path, bound=bound, effort=effort) as writer:
            for k, frame in enumerate(given):
                writer.write(positions=frame, ids=ids, types=types, timestep=k, box=None if cells is None else cells[k])

    def backward():
        with gpz.open(path) as trajectory:
            return np.array([frame.positions for frame in trajectory])

    _, encode = timed(forward)
    decoded, decode = timed(backward)
    error = largest_error(decoded, given.astype(np.float64), bound)
    return Result(os.path.getsize(path), error, encode, decode, f"effort {effort}", fp32_slack(given, bound))
