# SPDX-License-Identifier: BSD-3-Clause
"""Messages to the page: JSON and arrays, which a browser reads without copying."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

ALIGNMENT = 8  # a typed array in JavaScript starts at a multiple of its element size


def pack(head: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Eight bytes (the length of the JSON as uint32, zeros), the JSON, the arrays; each padded to a multiple of 8 bytes.

    The JSON is `head` with a further entry "arrays": for each name its dtype, its offset behind the JSON in bytes, and its
    number of elements. Everything is little-endian.
    """
    parts: list[bytes] = []
    places: dict[str, list] = {}
    offset = 0
    for name, array in arrays.items():
        little_endian = array.dtype.newbyteorder("<")
        data = np.ascontiguousarray(array, little_endian).tobytes()
        padding = bytes(-len(data) % ALIGNMENT)
        places[name] = [array.dtype.name, offset, array.size]
        parts += [data, padding]
        offset += len(data) + len(padding)
    text = json.dumps({**head, "arrays": places}, allow_nan=False).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return b"".join([struct.pack("<II", len(text), 0), text, *parts])


def unpack(message: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The JSON without "arrays", and the arrays, of what `pack` made."""
    (length, _) = struct.unpack_from("<II", message)
    head = json.loads(message[8 : 8 + length])
    arrays = {
        name: np.frombuffer(message, np.dtype(dtype).newbyteorder("<"), count, 8 + length + offset)
        for name, (dtype, offset, count) in head.pop("arrays").items()
    }
    return head, arrays


def compact(values: np.ndarray) -> np.ndarray:
    """Whole numbers as uint8 or int32 where they fit, else as float64: JavaScript has no fast integers of 64 bits."""
    if not values.size:
        return values.astype(np.uint8)
    low, high = values.min(), values.max()
    if low >= 0 and high < 256:
        return values.astype(np.uint8)
    if low >= -(2**31) and high < 2**31:
        return values.astype(np.int32)
    return values.astype(np.float64)
