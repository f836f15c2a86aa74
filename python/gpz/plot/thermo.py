# SPDX-License-Identifier: BSD-3-Clause
"""Observables of frames: temperature, energies, pressure against time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

import gpz


@dataclasses.dataclass(frozen=True)
class Thermo:
    """Observables of all frames that are shown; NaN where a frame lacks one."""

    timesteps: np.ndarray
    times: np.ndarray  # NaN where they are unknown
    values: dict[str, np.ndarray]
    units: dict[str, str]


def thermo(trajectory: gpz.Trajectory, names: Sequence[str] | None = None) -> Thermo:
    """The observables with these names, all without `names`."""
    table = trajectory.observables()
    known = [name for name in table if name not in ("timestep", "time")]
    if not known:
        raise gpz.ArgumentError("the frames have no observables (dump_modify thermo yes, gpz annotate --log)")
    for name in names or ():
        if name not in known:
            raise gpz.ArgumentError(f"no observable {name!r}: there are {' '.join(known)}")
    shown = list(names or known)
    return Thermo(
        np.asarray(table["timestep"]),
        np.asarray(table["time"]),
        {name: np.asarray(table[name]) for name in shown},
        {name: table.units[name] for name in shown if table.units.get(name)},
    )
