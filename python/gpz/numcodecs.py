# SPDX-License-Identifier: BSD-3-Clause
"""The codec of gpz for programs that take those of numcodecs: Zarr with format 2, and others. Needs numcodecs."""

from __future__ import annotations

from typing import Any

import numcodecs
import numcodecs.abc
import numcodecs.compat
import numpy as np

from gpz._checks import checked_bound
from gpz._coding import checked_effort
from gpz._errors import ArgumentError
from gpz._frame_arrays import as_frames, compress_frames, decompress_frames

__all__ = ["Gpz"]


class Gpz(numcodecs.abc.Codec):
    """The codec "gpz" of numcodecs.

    bound: the largest absolute error of a value, in the units of the array; 0: exact.
    effort: as of gpz.Writer.

    Arrays are float32 or float64, with dimensions as of gpz.zarr.Gpz. Raises gpz.ArgumentError.
    """

    codec_id = "gpz"

    def __init__(self, bound: float, effort: str = "standard"):
        self.bound = checked_bound("bound", bound)
        checked_effort(effort)
        self.effort = effort

    def encode(self, buf: Any) -> bytes:
        """Compresses an array. decode() gives its values in the order in which they are in memory, as codecs of numcodecs do."""
        values = np.asarray(buf)
        if not values.flags.c_contiguous and values.flags.f_contiguous:
            values = values.T
        return compress_frames(values.reshape(as_frames(values.shape)), self.bound, effort=self.effort)

    def decode(self, buf: Any, out: Any = None) -> Any:
        """Decompresses what encode() made, into `out` if it is given: a contiguous array or buffer of as many bytes."""
        values = decompress_frames(buf)
        if out is None:
            return values
        if memoryview(out).nbytes != values.nbytes:
            raise ArgumentError(f"out: {memoryview(out).nbytes} bytes, where the values take {values.nbytes}")
        return numcodecs.compat.ndarray_copy(values, out)


numcodecs.register_codec(Gpz)
