# SPDX-License-Identifier: BSD-3-Clause
"""LCP, lossy compression for particles (github.com/LangdaoZhang/LCP, a0e194a; Zhang and others, SIGMOD 2025): FP32. It loses the order.
Particles of two components get a third of 0.

`lcp -2 FRAMES PARTICLES -bt BATCH`: batches of 16 frames (its default), and all frames in one batch; `lcp -1 PARTICLES` for a single
frame. The order that `-ord` writes beside the file says which decoded particle is which; it serves the check and is not counted.
`orders` is the number of different ones among several frames.
"""
import os
from functools import partial

import numpy as np

from . import Failed, Result, largest_error, read_values, run, smallest_mode


def measure_mode(program, mode, positions, bound, scratch):
    frames, particles, components = positions.shape
    path = os.path.join(scratch, "lcp")
    given = np.zeros((frames, particles, 3), np.float32)
    given[:, :, :components] = positions
    for d in range(3):
        np.ascontiguousarray(given[:, :, d]).tofile(f"{path}.{d}")
    inputs, outputs = ([f"{path}.{d}{suffix}" for d in range(3)] for suffix in ("", ".out"))
    for output in outputs:
        if os.path.exists(output):
            os.remove(output)
    _, encode, _ = run(program, "-i", *inputs, "-z", path + ".z", *mode, "-eb", f"{bound:.9g}", "-ord", 32, path + ".ord")
    _, decode, _ = run(program, "-z", path + ".z", "-o", *outputs, *mode)
    order = read_values(path + ".ord", np.uint32, (frames * particles,)).astype(np.int64)
    if not np.array_equal(np.sort(order), np.arange(frames * particles)):
        raise Failed("its order is not one")
    restored = np.empty((frames * particles, 3), np.float32)
    for d in range(3):
        restored[order, d] = read_values(outputs[d], np.float32, (frames * particles,))
    error = largest_error(restored.reshape(given.shape), given.astype(np.float64), bound)
    decoded = restored[:, :components] if frames == 1 else None
    result = Result(os.path.getsize(path + ".z"), error, encode, decode, " ".join(map(str, mode)), decoded=decoded)
    if frames > 1:
        places = (order % particles).reshape(frames, particles)
        result.notes["orders"] = len(np.unique(places, axis=0))
    return result


def measure(program, positions, bound, scratch):
    frames, particles, _ = positions.shape
    modes = [["-1", particles]]
    if frames > 1:
        modes = [["-2", frames, particles, "-bt", batch] for batch in (16, frames)]
    return smallest_mode(
        {" ".join(map(str, mode[-2:])): partial(measure_mode, program, mode, positions, bound, scratch) for mode in modes}
    )
