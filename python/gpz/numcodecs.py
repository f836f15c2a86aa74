# SPDX-License-Identifier: BSD-3-Clause
"""The codec of gpz for programs that take those of numcodecs: Zarr with format 2, and others. Needs numcodecs."""

from __future__ import annotations

from typing import Any

import numcodecs
import numcodecs.abc
import numpy as np

from gpz._arguments import checked_choice
from gpz._checks import checked_bound
from gpz._frame_arrays import as_frames, compress_frames, decompress_frames
from gpz._writer import EFFORTS

__all__ = ["Gpz"]


class Gpz(numcodecs.abc.Codec):
    """The codec "gpz" of numcodecs.

    bound: the largest absolute error of a value, in the units of the array; 0: exact.
    effort: "fast", "standard" or "dense", as of gpz.Writer.

    Arrays are float32 or float64, with dimensions as of gpz.zarr.Gpz. Raises gpz.ArgumentError.
    """

    codec_id = "gpz"

    def __init__(self, bound: float, effort: str = "standard"):
        self.bound = checked_bound("bound", bound)
        self.effort = checked_choice("effort", effort, EFFORTS)

    def encode(self, buf: Any) -> bytes:
        """Compresses an array."""
        values = np.asarray(buf)
        return compress_frames(values.reshape(as_frames(values.shape)), self.bound, effort=self.effort)

    def decode(self, buf: Any, out: Any = None) -> Any:
        """Decompresses what encode() made, into `out` if it is given."""
        values = decompress_frames(np.frombuffer(buf, np.uint8))
        if out is None:
            return values
        to = np.frombuffer(out, values.dtype) if not isinstance(out, np.ndarray) else out.reshape(-1).view(values.dtype)
        to[...] = values.reshape(-1)
        return out


numcodecs.register_codec(Gpz)
