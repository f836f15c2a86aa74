# SPDX-License-Identifier: BSD-3-Clause
"""Which frames of a run that goes on are in its file already: the rule of `dump_modify append`."""

from __future__ import annotations

import warnings

import numpy as np

from gpz import _core


class RepeatedSteps:
    """A run that was restarted repeats steps up to the last one of the file. They are not to be written again, even if the file
    lacks them because it was written in other intervals: its steps ascend.

    timesteps: (frames,) of the file. following: the step of the first frame that would be added. If the file starts with this step
    or a later one, the run has begun anew: nothing is repeated, and a warning says so.

    last: steps up to this one are in the file; None: no step is.
    """

    def __init__(self, path: str, timesteps: np.ndarray, following: int):
        self.last: int | None = None
        if not len(timesteps):
            return
        first = int(timesteps[0])
        if following > first:
            self.last = int(timesteps[-1])
            return
        warnings.warn(
            f"{_core.printable(path)}: starts with step {first}, and this run continues with step {following}: all frames are "
            "added, so that steps may occur twice",
            stacklevel=5,
        )

    def has(self, step: int) -> bool:
        """Whether a frame of this step is not to be written."""
        return self.last is not None and step <= self.last

    def after(self, step: int, interval: int) -> int:
        """The step of the next frame after `step` that is to be written: a multiple of the interval."""
        step = step if self.last is None else max(step, self.last)
        return step - step % interval + interval
