# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories as DCD (FP32, one unit cell for all frames), and back."""
import struct

import numpy as np

from . import Failed


def record(data):
    length = struct.pack("<i", len(data))
    return length + data + length


def write(path, positions, edges):
    frames, particles, _ = positions.shape
    header = [frames, 0, 1, frames] + [0] * 6 + [1] + [0] * 8 + [24]
    a, b, c = edges
    cell = record(struct.pack("<6d", a, 90, b, 90, 90, c))
    with open(path, "wb") as file:
        file.write(record(b"CORD" + struct.pack("<20i", *header)))
        file.write(record(struct.pack("<i", 1) + b"positions".ljust(80)))
        file.write(record(struct.pack("<i", particles)))
        for frame in np.asarray(positions, "<f4"):
            file.write(cell)
            for d in range(3):
                file.write(record(np.ascontiguousarray(frame[:, d]).tobytes()))


def read(path):
    """float32 of shape (frames, particles, 3)."""
    with open(path, "rb") as file:
        data = file.read()
    records, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<i", data, at)
        records.append((at + 4, length))
        at += length + 8
    if len(records) < 3 or data[records[0][0] :][:4] != b"CORD":
        raise Failed("its output is not a DCD file")
    (particles,) = struct.unpack_from("<i", data, records[2][0])
    axes = [np.frombuffer(data, "<f4", particles, start) for start, length in records[3:] if length == 4 * particles]
    return np.stack(axes).reshape(-1, 3, particles).transpose(0, 2, 1)
