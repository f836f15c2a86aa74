# SPDX-License-Identifier: BSD-3-Clause
"""Files whose sections of coding 12 break one rule of section 10j of docs/format.md each: as in violations_container.py."""

import struct

from violations_container import bare_frame, entry_of, header
from violations_trajectories import GRID, LOSSLESS, WHOLE, field_of, in_order, runs_section

from gpz_reference.features import ORDER_OF_IDS_IN_SEGMENTS
from gpz_reference.segments import ESCAPE
from gpz_write_order import order_section

SEGMENT = 8192


def segments(names=("x",), of=GRID, particles=3, ids=None, required=ORDER_OF_IDS_IN_SEGMENTS, **changes):
    """A key frame in the order of ids, and a field with this section."""
    described = [field_of(of, list(names)), field_of(WHOLE, ["id"])]
    section = order_section(len(names), **changes)
    ids = in_order(section=runs_section(more=particles - 1)) if ids is None else ids
    chunk = struct.pack("<IIQQQ", 1024, 2, 1, len(section), len(ids)) + section + ids
    return header(required=required) + bare_frame(fields=[entry_of(f) for f in described], chunks=[(particles, chunk)])


def periodic(offsets=(1, 0), **changes):
    return segments(axes=[(0, 16)], offsets=list(offsets), **changes)


def with_exceptions(numbers=((ESCAPE, 0, ESCAPE),), exceptions=((7, -2),), **changes):
    return segments(numbers=numbers, exceptions=exceptions, **changes)


def two(numbers=None, exceptions=((), ()), **changes):
    """Two segments; the second has one particle."""
    return segments(particles=SEGMENT + 1, numbers=[[0] * SEGMENT, [0]] if numbers is None else numbers, exceptions=exceptions, **changes)


STREAM = [
    (dict(table_bytes=32), "not as long"),
    (dict(tables=bytes(32)), "not as long"),
    (dict(lengths=(12,)), "multiple of 8|do not fill"),
    (dict(lengths=(0,)), "before its states"),
    (dict(lengths=(2**32 - 8,)), "ends too early"),
    (dict(states=(0, 2**16)), "too small"),
    (dict(states=(2**17, 2**16)), "do not end where"),
    (dict(more=bytes(8)), "do not fill"),
]
SEGMENTS = [
    *((dict(required=required), "coding 12 needs a required feature") for required in (0, 1, 15)),
    (dict(reserved=bytes(6) + b"\1"), "reserved bytes"),
    (dict(of=LOSSLESS), "lossless floats"),
    (dict(of=WHOLE), "without a grid"),
    (dict(ids=order_section()), "without a grid"),
    (dict(exact=[(3, 0)]), "exact value is out of range"),
    (dict(exact=[(1 << 56, 0)]), "exact value is out of range"),
    (dict(exact_count=2**60), "ends too early"),
    (dict(unused=1), "reserved bits"),
    (dict(unused=2), "reserved bits"),
    (dict(swapped=2), "not there look for a lag"),
    (dict(lags=(1024, 0)), "header out of range"),
    (dict(lags=(1, 65535)), "header out of range"),
    (dict(base=65), "header out of range"),
    (dict(zero=1), "header out of range"),
    (dict(margins=[2**31]), "margin is too large"),
    (dict(margin_end=b"\1\0\0\0"), "padding"),
    (dict(counts=(2**32 - 1,)), "ends too early"),
    (dict(count_end=b"\1\0\0\0"), "padding"),
    (dict(exceptions=((7,),)), "exceptions left"),
    (dict(numbers=((0, 0),)), "do not fill"),
    (dict(numbers=((0, 0, 0, 0, 0),)), "do not fill"),
    (dict(tables=bytes(15) + b"\1"), "padding of tables"),
    *STREAM,
]
PERIODIC = [
    (dict(offsets=(16, 0)), "longer than the period"),
    (dict(offsets=(-1, 0)), "longer than the period"),
    (dict(offsets=(1, 16)), "longer than the period"),
]
EXCEPTIONS = [
    (dict(exceptions=((7,),)), "exception is missing"),
    (dict(exceptions=((7, -2, 0),)), "exceptions left"),
    (dict(numbers=((ESCAPE, 0, 0),)), "exceptions left"),
]
TWO = [
    (dict(padding=b"\1\0\0\0"), "padding"),
    (dict(count_end=bytes(8)), "tables of numbers|segmented stream|not as long"),
    (dict(numbers=[[0] * SEGMENT + [0], []]), "do not fill|before its states"),
    (dict(numbers=[[ESCAPE] + [0] * (SEGMENT - 1), [0]], exceptions=((), (7,))), "exception is missing"),
    (dict(exceptions=((), (7,))), "exceptions left"),
    (dict(counts=(1, 0), exceptions=((), (7,))), "exceptions left"),
]

FAMILIES = [
    (segments, SEGMENTS),
    (periodic, PERIODIC),
    (with_exceptions, EXCEPTIONS),
    (two, TWO),
]
