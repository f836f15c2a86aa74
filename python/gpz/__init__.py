# SPDX-License-Identifier: BSD-3-Clause
"""Particle trajectories in .gpz files: small, with an error bound that holds for every value.

Reading:

    import gpz

    with gpz.open("melt.gpz") as trajectory:
        print(len(trajectory), trajectory.units, trajectory.columns)
        for frame in trajectory[::10]:           # every tenth frame
            frame.timestep, frame.box.lengths
            frame.positions                      # (N, 3), in the order of ids
            frame["vx"]                          # any column by its name

Writing:

    with gpz.Writer("out.gpz", units="metal", elements=["Cu"], bound=1e-3) as writer:
        writer.write(positions=x, ids=ids, types=types, box=[36.1, 36.1, 36.1], timestep=0)

What there is:

    open, Trajectory       a file, as a sequence of frames of which none is decoded before it is asked for
    Frame, Box, Column     one frame; its simulation box; what a frame says about a column
    stream, Stream         frames of a pipe
    Table, Observables     topology, masses and charges of a file; temperature and energies of a frame
    Writer                 writes files
    Origin                 the error that values have already, when they are written again
    compress, decompress   arrays in memory
    compress_frames        frames of particles in memory, for chunks of HDF5 and Zarr; decompress_frames reads them
    Error                  what all exceptions of the package are

gpz.pack has many small structures in one file. Other programs: gpz.mdanalysis, gpz.ase, gpz.ovito and others, each of which needs that program.
"""

from gpz import _core
from gpz._arrays import compress, decompress
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
from gpz._frame import Frame
from gpz._frame_arrays import FrameArray, compress_frames, decompress_frames, frame_array
from gpz._head import Column
from gpz._origins import Origin
from gpz._stream import Stream, stream
from gpz._tables import Observables, Table
from gpz._trajectory import Trajectory, open
from gpz._writer import Writer

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
    "FrameArray",
    "InternalError",
    "LimitError",
    "NotFoundError",
    "NotGpzError",
    "Observables",
    "Origin",
    "OutOfMemoryError",
    "Stream",
    "Table",
    "Trajectory",
    "TruncatedError",
    "UnsupportedError",
    "VersionError",
    "Writer",
    "compress",
    "compress_frames",
    "decompress",
    "decompress_frames",
    "frame_array",
    "open",
    "stream",
]
