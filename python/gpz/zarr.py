# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of Zarr whose chunks are compressed by gpz, in format 3 of Zarr. gpz.numcodecs has the codec for format 2.

    import zarr
    from gpz.zarr import Gpz

    array = zarr.create_array("run.zarr", shape=frames.shape, chunks=(1, *frames.shape[1:]), dtype="f4",
                              serializer=Gpz(bound=0.0005), compressors=None)

Zarr finds the codec by itself when it opens such an array, if gpz is installed. Needs zarr 3.
"""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import numpy as np
from zarr.abc.codec import ArrayBytesCodec
from zarr.core.array_spec import ArraySpec
from zarr.core.buffer import Buffer, NDBuffer
from zarr.registry import register_codec

from gpz._checks import checked_bound
from gpz._coding import checked_effort
from gpz._errors import ArgumentError
from gpz._frame_arrays import as_frames, compress_frames, decompress_frames, require_chunk

__all__ = ["Gpz"]

NAME = "gpz"


@dataclasses.dataclass(frozen=True)
class Gpz(ArrayBytesCodec):
    """The codec of chunks, for the argument `serializer` of zarr.create_array.

    bound: the largest absolute error of a value, in the units of the array; 0: exact.
    effort: as of gpz.Writer.

    Arrays are float32 or float64. The last dimension holds components if it has up to three elements and there are others, the
    one before it particles. Raises gpz.ArgumentError.
    """

    bound: float
    effort: str = "standard"
    is_fixed_size = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "bound", checked_bound("bound", self.bound))
        checked_effort(self.effort)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Gpz:
        """The codec that the metadata of an array name."""
        if data.get("name") != NAME:
            raise ArgumentError(f"not the codec {NAME}: {data.get('name')!r}")
        configuration = data.get("configuration", {})
        if not isinstance(configuration, dict) or not {"bound"} <= configuration.keys() <= {"bound", "effort"}:
            raise ArgumentError(f"the codec {NAME} has a bound and an effort, not {configuration!r}")
        return cls(**configuration)

    def to_dict(self) -> dict[str, Any]:
        """The configuration of the codec in the metadata of an array."""
        return {"name": NAME, "configuration": {"bound": self.bound, "effort": self.effort}}

    def validate(self, *, shape: tuple[int, ...], dtype: Any, chunk_grid: Any) -> None:
        """Refuses arrays of other types. Raises gpz.ArgumentError."""
        native = native_type(dtype)
        if native not in (np.float32, np.float64):
            raise ArgumentError(f"gpz compresses float32 and float64, not {native}")

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        """Not known before a chunk is compressed."""
        raise NotImplementedError

    async def _encode_single(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer | None:
        values = chunk_array.as_numpy_array()
        frames = np.ascontiguousarray(values).reshape(as_frames(values.shape))
        data = await asyncio.to_thread(compress_frames, frames, self.bound, effort=self.effort)
        return chunk_spec.prototype.buffer.from_bytes(data)

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        data = np.ascontiguousarray(chunk_bytes.as_numpy_array()).view(np.uint8)
        require_chunk(data, chunk_spec.shape, native_type(chunk_spec.dtype))
        values = await asyncio.to_thread(decompress_frames, data)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(values.reshape(chunk_spec.shape))


def native_type(dtype: Any) -> np.dtype:
    """The dtype of NumPy. Before zarr 3.1, arrays had dtypes of NumPy."""
    return np.dtype(dtype.to_native_dtype() if hasattr(dtype, "to_native_dtype") else dtype)


register_codec(NAME, Gpz)
