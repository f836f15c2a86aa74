# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories as an array: NAME.npy of (frames, particles, 3), and NAME.json.

`box` of the JSON: the edges of an orthogonal box, the same in all frames. Instead of it `cells`: three edge vectors for each frame. `types`: a
list of any values, one a particle; a shorter one is repeated (["O", "H", "H"] of water). Without it all particles have one type.
"""
import json
import os

import numpy as np


def read(path):
    """Positions (frames, particles, 3) as float64, types (particles,), edge vectors (frames, 3, 3) or None."""
    positions = np.load(path)
    if positions.ndim != 3 or positions.shape[2] != 3:
        raise ValueError(f"{path}: the shape {positions.shape}, not (frames, particles, 3)")
    frames, particles, _ = positions.shape
    with open(os.path.splitext(path)[0] + ".json", encoding="utf-8") as file:
        known = json.load(file)
    names = known.get("types", [1])
    if particles % len(names):
        raise ValueError(f"{path}: {len(names)} types of {particles} particles")
    _, types = np.unique(names, return_inverse=True)
    cells = np.array(known["cells"], np.float64) if "cells" in known else None
    if "box" in known:
        cells = np.array([np.diag(known["box"])] * frames, np.float64)
    if cells is not None and len(cells) != frames:
        raise ValueError(f"{path}: {len(cells)} cells of {frames} frames")
    return positions.astype(np.float64), np.tile(types, particles // len(names)), cells
