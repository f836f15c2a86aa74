# SPDX-License-Identifier: BSD-3-Clause
"""TNG, the compressed trajectories of GROMACS (github.com/gromacs/tng, 1.8.2, 14dd68f): FP32, boxes included, no molecules.

`tool` is its shared library, libtng_io.so, called through its utility functions. Precision 1 / (2 x bound) a nanometre, 100 frames a frame set
(the library's default, as GROMACS writes it); the library chooses the coding of positions itself. Frames are numbered 0, 1, ... A length of 1 of a
trajectory in the unit of Lennard-Jones is 1 nm.
"""
import ctypes
import os

import numpy as np

from . import Failed, Result, fp32_slack, largest_error, timed

FRAMES_PER_SET = 100


class Library:
    """Functions of libtng_io by name, without their prefix; one that fails raises."""

    def __init__(self, path):
        try:
            self.library = ctypes.CDLL(os.path.abspath(path))
        except OSError as error:
            raise Failed(str(error)) from None

    def __getattr__(self, name):
        function = getattr(self.library, "tng_" + name)

        def called(*arguments):
            if function(*arguments) != 0:
                raise Failed(f"tng_{name} failed")

        return called

    def open(self, path, mode):
        trajectory = ctypes.c_void_p()
        self.util_trajectory_open(os.fsencode(path), ctypes.c_char(mode), ctypes.byref(trajectory))
        return trajectory

    def close(self, trajectory):
        self.util_trajectory_close(ctypes.byref(trajectory))


def write(library, path, frames, boxes, precision):
    """`frames` (frames, particles, 3) and `boxes` (frames, 3, 3) or None: float32 in nm."""
    trajectory = library.open(path, b"w")
    library.implicit_num_particles_set(trajectory, ctypes.c_int64(frames.shape[1]))
    library.num_frames_per_frame_set_set(trajectory, ctypes.c_int64(FRAMES_PER_SET))
    library.compression_precision_set(trajectory, ctypes.c_double(precision))
    every = ctypes.c_int64(1)
    library.util_pos_write_interval_set(trajectory, every)
    if boxes is not None:
        library.util_box_shape_write_interval_set(trajectory, every)
    for k, frame in enumerate(frames):
        number = ctypes.c_int64(k)
        if boxes is not None:
            library.util_box_shape_write(trajectory, number, boxes[k].ctypes.data_as(ctypes.c_void_p))
        library.util_pos_write(trajectory, number, frame.ctypes.data_as(ctypes.c_void_p))
    library.close(trajectory)


def read(library, path, particles):
    """float32 of shape (frames, particles, 3), in nm."""
    trajectory = library.open(path, b"r")
    frames, stride = ctypes.c_int64(), ctypes.c_int64()
    values = ctypes.POINTER(ctypes.c_float)()
    library.num_frames_get(trajectory, ctypes.byref(frames))
    library.util_pos_read(trajectory, ctypes.byref(values), ctypes.byref(stride))
    decoded = np.ctypeslib.as_array(values, (frames.value, particles, 3)).copy()
    ctypes.CDLL(None).free(values)  # the library's malloc
    library.close(trajectory)
    return decoded


def measure(tool, positions, bound, scratch, cells, nanometres):
    """`cells`: (frames, 3, 3) edge vectors, or None; `nanometres`: in a unit of the positions."""
    library = Library(tool)
    path = os.path.join(scratch, "traj.tng")
    given = np.ascontiguousarray(positions * nanometres, np.float32)
    boxes = None if cells is None else np.ascontiguousarray(cells * nanometres, np.float32)
    bound *= nanometres
    precision = 1 / (2 * bound)
    _, encode = timed(write, library, path, given, boxes, precision)
    decoded, decode = timed(read, library, path, given.shape[1])
    error = largest_error(decoded, given.astype(np.float64), bound)
    # Divided by the step in FP32 before it is rounded to an integer, and multiplied in FP32.
    return Result(os.path.getsize(path), error, encode, decode, f"precision {precision:g}", 2 * fp32_slack(given, bound) - 1)
