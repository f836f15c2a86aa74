# SPDX-License-Identifier: BSD-3-Clause
"""How many bytes frames and columns take."""

from __future__ import annotations

import dataclasses

import numpy as np

import gpz

MOST_HEADS = 1000  # frames whose fields are added up; of longer files these are spread evenly


@dataclasses.dataclass(frozen=True)
class Sizes:
    """timesteps, counts, sizes: (frames,) int64: timestep, particles and bytes of each frame. key_frames: (frames,)
    bool.

    fields: bits a particle and frame by field, as "x y z" or "id"; "heads" is what belongs to none. A mean over all
    frames, or over `sampled` frames of a long file.
    """

    timesteps: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray
    key_frames: np.ndarray
    fields: dict[str, float]
    sampled: int


def sizes(trajectory: gpz.Trajectory) -> Sizes:
    """Reads heads of frames only."""
    chosen = np.unique(np.linspace(0, len(trajectory) - 1, min(len(trajectory), MOST_HEADS)).astype(int))
    fields: dict[str, float] = {}
    for index in chosen:
        for names, size in trajectory.field_sizes(index).items():
            fields[" ".join(names)] = fields.get(" ".join(names), 0) + size
    fields["heads"] = trajectory.sizes[chosen].sum() - sum(fields.values())
    values = max(trajectory.counts[chosen].sum(), 1)
    fields = {name: float(8 * size / values) for name, size in fields.items()}
    return Sizes(trajectory.timesteps, trajectory.counts, trajectory.sizes, trajectory.key_frames, fields, len(chosen))
