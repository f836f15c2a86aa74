# SPDX-License-Identifier: BSD-3-Clause
"""Particle trajectories in .gpz files: small, with an error bound that holds for every value.

    import gpz

    with gpz.open("melt.gpz") as trajectory:
        print(len(trajectory), trajectory.units, trajectory.columns)
        for frame in trajectory[::10]:
            frame.timestep, frame.box.lengths
            frame.positions          # (N, 3), in the order of ids
            frame["vx"]              # any column by its name

gpz.open, gpz.Trajectory    files, as sequences of frames
gpz.Frame, gpz.Box          one frame, and its simulation box
gpz.Error                   what all exceptions of the package are
"""

from gpz import _core
from gpz._box import Box
from gpz._errors import (
    ArgumentError,
    ColumnError,
    CorruptError,
    Error,
    FileError,
    InternalError,
    LimitError,
    NotFoundError,
    NotGpzError,
    OutOfMemoryError,
    TruncatedError,
    UnsupportedError,
    VersionError,
)
from gpz._frame import Column, Frame
from gpz._trajectory import Trajectory, open

__version__: str = _core.version

__all__ = [
    "ArgumentError",
    "Box",
    "Column",
    "ColumnError",
    "CorruptError",
    "Error",
    "FileError",
    "Frame",
    "InternalError",
    "LimitError",
    "NotFoundError",
    "NotGpzError",
    "OutOfMemoryError",
    "Trajectory",
    "TruncatedError",
    "UnsupportedError",
    "VersionError",
    "open",
]
