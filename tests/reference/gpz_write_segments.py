# SPDX-License-Identifier: BSD-3-Clause
"""A writer of segmented number streams for tests, from section 10h of docs/format.md: the caller gives all numbers, sense or not."""

import struct


def segments(bits=((0, 0, 0),), contexts=1, table_bytes=None, tables=None, lengths=None, padding=None, states=(2**16, 2**16), more=b""):
    """Without shapes: each number is an escape of 32 bits, which stand last."""
    tables = bytes(-(-(8 + 3 + contexts) // 16) * 2) if tables is None else tables
    tables += bytes(-len(tables) % 8)
    streams = []
    for numbers in bits:
        raw = b"".join(struct.pack("<I", u) for u in reversed(numbers))
        streams.append(struct.pack("<2I", *states) + bytes(-len(raw) % 8) + raw)
    lengths = [len(stream) for stream in streams] if lengths is None else lengths
    data = struct.pack("<I", len(tables) if table_bytes is None else table_bytes) + struct.pack(f"<{len(lengths)}I", *lengths)
    padding = bytes((len(lengths) % 2 == 0) * 4) if padding is None else padding
    return data + padding + tables + b"".join(streams) + more
