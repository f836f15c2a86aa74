# SPDX-License-Identifier: BSD-3-Clause
"""How far decoded values are from those of another file."""

from __future__ import annotations

import dataclasses

import numpy as np

import gpz
from gpz.remote.names import shown_path

BINS = 150  # the bound is an edge
WIDEST = 1.5  # times the bound: errors beyond are counted in the outermost bins


@dataclasses.dataclass(frozen=True)
class ColumnErrors:
    """name: of the column. bound: its largest absolute bound, in units of the column.

    edges: (bins + 1,), counts: (bins,) int64: the histogram of (value - original) / bound. largest: |value - original|.
    """

    name: str
    bound: float
    edges: np.ndarray
    counts: np.ndarray
    largest: float


def errors(trajectory: gpz.Trajectory, original: gpz.Trajectory) -> list[ColumnErrors]:
    """Errors of each column with a bound that both files have, over their common timesteps."""
    steps = {int(step): index for index, step in enumerate(original.timesteps)}
    pairs = [(i, steps[int(step)]) for i, step in enumerate(trajectory.timesteps) if int(step) in steps]
    if not pairs:
        raise gpz.ArgumentError(f"{shown_path(original.path)} has none of the timesteps of {shown_path(trajectory.path)}")
    edges = np.linspace(-WIDEST, WIDEST, BINS + 1)
    counts: dict[str, np.ndarray] = {}
    largest: dict[str, float] = {}
    bounds: dict[str, float] = {}
    for i, k in pairs:
        ours, theirs = trajectory[i], original[k]
        if ours.ids is not None and not np.array_equal(ours.ids, theirs.ids):
            raise gpz.ArgumentError(f"timestep {ours.timestep}: the two files have different particles")
        if ours.n_particles != theirs.n_particles:
            raise gpz.ArgumentError(
                f"timestep {ours.timestep}: {ours.n_particles} particles against {theirs.n_particles}"
            )
        names = [name for name, bound in ours.bounds.items() if bound and name in theirs]
        values = trajectory.read(i, names, dtype=np.float64)
        exact = original.read(k, names, dtype=np.float64)
        for name in names:
            difference = values[name] - exact[name]
            difference = difference[np.isfinite(difference)]
            bound = ours.bounds[name]
            relative = np.clip(difference / bound, edges[0], edges[-1])
            counts[name] = counts.get(name, 0) + np.histogram(relative, edges)[0]
            largest[name] = max(largest.get(name, 0.0), float(np.abs(difference).max(initial=0)))
            bounds[name] = max(bounds.get(name, 0.0), bound)
    return [ColumnErrors(name, bounds[name], edges, counts[name], largest[name]) for name in counts]
