# SPDX-License-Identifier: BSD-3-Clause
"""A writer of sections of coding 12 for tests, from sections 10h and 10j of docs/format.md: the caller gives all numbers, sense or not."""

import struct

from gpz_reference import segments as gpz_segments
from gpz_reference.codec import Cursor
from gpz_reference.segments import CONTEXTS, ESCAPE, FLAG


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


def order_section(
    dimensions=1, coding=12, reserved=bytes(7), axes=None, exact=(), exact_count=None, unused=0, swapped=0, lags=(0, 0), base=0, zero=0, offsets=None,
    first=None, margins=None, margin_end=None, counts=None, count_end=None, exceptions=((),), numbers=((0, 0, 0),), streams=None, **stream,
):
    """`exceptions`, `numbers`: of each segment."""
    data = bytes([coding]) + reserved + b"".join(struct.pack("<qq", *axis) for axis in axes or [(0, 0)] * dimensions)
    data += struct.pack("<Q", len(exact) if exact_count is None else exact_count) + b"".join(struct.pack("<QQ", *one) for one in exact)
    data += struct.pack("<BBHHBB", unused, swapped, *lags, base, zero)
    data += struct.pack(f"<{2 * dimensions}q", *(offsets or [0] * 2 * dimensions)) + struct.pack(f"<{dimensions}q", *(first or [0] * dimensions))
    data += struct.pack(f"<{dimensions}I", *(margins or [0] * dimensions))
    data += (bytes(dimensions % 2 * 4)) if margin_end is None else margin_end
    counts = [len(one) for one in exceptions] if counts is None else counts
    data += struct.pack(f"<{len(counts)}I", *counts) + (bytes(len(counts) % 2 * 4) if count_end is None else count_end)
    data += b"".join(struct.pack("<q", index) for one in exceptions for index in one)
    return data + (segments(numbers, CONTEXTS, **stream) if streams is None else streams)


class NumbersByChance:
    """In place of a stream: small numbers, and exceptions at some of the values. Keeps what it gave."""

    def __init__(self, random, exceptions):
        self.random, self.exceptions, self.given, self.values = random, set(exceptions), [], 0

    def get(self, context):
        if context == FLAG:
            number = self.random.randrange(2)
        else:
            number = ESCAPE if self.values in self.exceptions else self.random.randrange(self.random.choice((2, 9, 400)))
            self.values += 1
        self.given.append(number)
        return number

    def end(self):
        pass


def section_by_chance(random, axes, ids, exceptions, **head):
    """Of one segment: numbers by chance, as many as the particles take. `exceptions`: indices, by the number of the value."""
    head = {**head, "axes": [(axis.lo, axis.period) for axis in axes], "exceptions": [list(exceptions.values())]}
    cursor = Cursor(order_section(len(axes), **head), "section")
    cursor.take(8 + 16 * len(axes) + 8 + 16 * len(head.get("exact", ())))
    section, made = gpz_segments.Section(cursor, len(ids), axes), NumbersByChance(random, exceptions)
    section.streams = [made]
    section.read(ids)
    return order_section(len(axes), numbers=[made.given], **head)
