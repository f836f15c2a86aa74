# SPDX-License-Identifier: BSD-3-Clause
"""Files whose sections of few values break one rule of section 10g of docs/format.md each: as in violations_container.py."""

import struct

from violations_container import bare_frame, entry_of, header
from violations_trajectories import GRID, LOSSLESS, WHOLE, block_coded, field_of, in_order

from gpz_reference.codec import FLOAT32
from gpz_write import WriteField

CLASSED = 8  # the required feature


def numbers(bits=()):
    """A number stream of 32 contexts without shapes: each number is an escape of 32 bits, which stand last."""
    tables = bytes(6)  # H = 0, r = 0, 32 contexts without a shape: 8 + 3 + 32 bits
    data = tables + struct.pack("<2I", *[2**16] * 2)
    raw = b"".join(struct.pack("<I", u) for u in reversed(bits))
    data += bytes(-(len(data) + len(raw)) % 8)
    return data + raw


def of_class(base=0, keys=(5,), count=None):
    return struct.pack("<qQ", base, len(keys) if count is None else count) + b"".join(struct.pack("<Q", k) for k in keys)


def symbols(keys=(5, 6), count=None, stream=None):
    data = struct.pack("<Q", len(keys) if count is None else count) + b"".join(struct.pack("<Q", k) for k in keys)
    return data + stream_of_rest(stream)


def stream_of_rest(stream):
    return numbers() if stream is None else stream


def few(kind=1, zero=0, classes=0, zeros=0, data=None, coding=11, reserved=bytes(7), more=b"", of=LOSSLESS, required=CLASSED, value=None, **rest):
    """A key frame in the order of ids: ids 0, 1, 2, and a field with this section."""
    last = field_of(of, ["m"]) if value is None else value
    described = [field_of(GRID, ["x"]), field_of(WHOLE, ["id"]), last, field_of(WHOLE, ["type"])]
    data = (of_class if kind == 1 else symbols)(**rest) if data is None else data
    section = struct.pack("<B", coding) + reserved + struct.pack("<BBHI", kind, zero, classes, zeros) + data + more
    ids = in_order()
    sections = [block_coded(described[0]), ids, section, block_coded(described[3])]
    chunk = struct.pack(f"<IIQ{len(sections)}Q", 1024, 2, 1, *map(len, sections)) + b"".join(sections)
    return header(required=required) + bare_frame(fields=[entry_of(f) for f in described], chunks=[(3, chunk)])


def by_class(keys=(5, 6, 7), classes=2, **changes):
    return few(keys=keys, classes=classes, **changes)


NARROW = WriteField(FLOAT32, ["m"], [[0.0, 1.0, 2.0]], modes=[3])
FEW = [
    (dict(required=0), "coding 11 needs a required feature"),
    (dict(required=7), "coding 11 needs a required feature"),
    *((dict(kind=kind, data=symbols()), f"kind {kind} of few values") for kind in (0, 3, 4, 255)),
    (dict(zero=1), "reserved bytes"),
    (dict(zeros=1), "reserved bytes"),
    (dict(reserved=bytes(6) + b"\1"), "reserved bytes"),
    (dict(classes=1), "cannot have classes"),
    *((dict(classes=number), "does not come before") for number in (3, 4, 5, 65535)),
    (dict(of=GRID), "not lossless"),
    (dict(of=WHOLE), "not lossless"),
    (dict(value=NARROW, keys=(2**32,)), "too large"),
    (dict(count=0), "number of classes"),
    (dict(count=2), "ends too early"),
    (dict(count=2**32), "number of classes"),
    (dict(more=bytes(8)), "too long"),
    (dict(base=1), "a class has no value"),
    (dict(base=-1), "a class has no value"),
]
BY_CLASS = [
    (dict(keys=(5, 6)), "a class has no value"),
    (dict(base=1), "a class has no value"),
    (dict(base=-(2**63)), "a class has no value"),
]


def few_symbols(bits=(0, 1, 0), keys=(5, 6), **changes):
    return few(kind=2, keys=keys, stream=numbers(bits), **changes)


SYMBOLS = [
    (dict(count=0), "number of values"),
    (dict(count=2**32), "number of values"),
    (dict(keys=(5, 5)), "do not ascend"),
    (dict(keys=(6, 5)), "do not ascend"),
    (dict(value=NARROW, keys=(5, 2**32)), "too large"),
    (dict(bits=(0, 2, 0)), "not in its table"),
    (dict(bits=(2**32 - 1, 0, 0)), "not in its table"),
    (dict(bits=(0, 1)), "do not fill"),
    (dict(bits=(0, 1, 0, 0, 0)), "do not fill"),
]

FAMILIES = [(few, FEW), (by_class, BY_CLASS), (few_symbols, SYMBOLS)]
