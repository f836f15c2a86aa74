# SPDX-License-Identifier: BSD-3-Clause
"""Frame arrays that break one rule of section 16 of docs/format.md each: as in violations_container.py."""

import struct

from array_data import whole
from violations_trajectories import in_order

from gpz_reference.features import CLASSED_SECTIONS
from gpz_write_array import frame_array, number, packed
from gpz_write_difference import difference_chunk

REST = packed(b"")  # a section that says that nothing has changed
SECTION = in_order()
TABLE = struct.pack("<B7xBBHIqQQ", 11, 1, 0, 0, 0, 0, 1, 2**63)  # coding 11


def array(ids=(1, 2, 3), step=1.0, bound=0.5, second=(2, None, REST), first=None, particles=3, **changes):
    """Two frames of three particles; in the second one they rest. `first`, `second`: form, step, what is stored."""
    first = (0, step, whole([[4.0, 5.0, 6.0]], ids)) if first is None else first
    return frame_array(particles, [first, second], bound=bound, **changes)


def lossless(step=None, **changes):
    return frame_array(3, [(0, step, whole([[4.0, 5.0, 6.0]], [1, 2, 3], 0, 0))], **changes)


def empty(entry=(0, 1.0, b""), **changes):
    """One frame without particles."""
    return frame_array(0, [entry], bound=0.5, **changes)


def in_order_of_ids(section=SECTION, count=0, data=None, features=0):
    """One frame in form 1."""
    return frame_array(3, [(1, 1.0, packed(section, count) if data is None else data)], bound=0.5, features=features)


def of_table(features=CLASSED_SECTIONS, classes=0, particles=3):
    return frame_array(particles, [(1, None, packed(TABLE[:10] + struct.pack("<H", classes) + TABLE[12:]))], features=features)


ARRAY = [
    (dict(magic=b"\x89GPZ\n\n\x1a\n"), "not a frame array"),
    (dict(major=0), "version 0"),
    (dict(major=2), "version 2"),
    (dict(required=0), "a file"),
    (dict(features=64), "required features 0x50 "),
    (dict(features=512), "required features 0x210 "),
    (dict(features=1 << 31), "required features"),
    (dict(checksum=1), "checksum"),
    *((dict(kind=kind), "no components") for kind in (4, 8, 12)),
    *((dict(kind=13 | 1 << bit), "reserved bits") for bit in (4, 5, 6, 7)),
    (dict(particles=2**31), "too many particles"),
    (dict(particles=2**31, first=(0, 1.0, b""), second=(0, 1.0, b"")), "too many particles"),
    (dict(particles=b"\x83" + b"\x80" * 9 + b"\0"), "more than 64 bits"),
    (dict(particles=b"\x83" + b"\x80" * 8 + b"\2"), "more than 64 bits"),
    *((dict(bound=bound), "bound") for bound in (0.0, -0.5, float("inf"), float("nan"))),
    *((dict(step=step), "step of a frame") for step in (None, 0.0, -1.0, float("inf"), float("nan"))),
    (dict(count=1), "block size|do not fill"),
    (dict(count=3), "ends too early|unknown form|chunk kind"),
    (dict(count=2**64 - 1), "ends too early|unknown form|step of a frame"),
    (dict(more=bytes(1)), "do not fill"),
    (dict(more=bytes(8)), "do not fill"),
    *((dict(ids=ids), "ids of a frame") for ids in ((0, 1, 2), (1, 1, 2), (1, 2, 4), (1, 2, -3), (1, 2, 3 + 2**32))),
    (dict(first=(2, 1.0, REST)), "builds on one before"),
    (dict(first=(0, 1.0, difference_chunk(3, [], [b"", b""]))), "chunk kind 1 "),
    (dict(second=(3, None, REST)), "unknown form"),
    (dict(second=(2, 0.5, REST)), "other fields"),
    (dict(second=(0, 0.5, difference_chunk(3, [], [b"", b""]))), "other fields"),
    (dict(second=(0, None, difference_chunk(4, [], [b"", b""]))), "another number of particles"),
    (dict(second=(0, None, difference_chunk(3, [1], [b"", b""], 1, whole([[1.0]], [1])))), "ids of a frame"),
    (dict(second=(2, None, b"")), "ends too early"),
    (dict(second=(2, None, number(0) + bytes(4))), "not a multiple of 8"),
    (dict(second=(2, None, number(65) + bytes(65))), "too many packed words"),
    (dict(second=(2, None, number(2) + b"\2")), "ends too early"),
    (dict(second=(2, None, number(1) + b"\x83" + b"\x80" * 9 + b"\0")), "more than 64 bits"),
    (dict(second=(2, None, packed(struct.pack("<B7x", 4)))), "needs a required feature"),
    (dict(second=(2, None, packed(struct.pack("<B7x", 3)))), "coding 3 is unknown"),
    (dict(second=(0, None, bytes(8))), "block size 0"),
    (dict(second=(0, None, struct.pack("<II", 1024, 5))), "chunk kind 5 "),
]
LOSSLESS = [(dict(step=step), "step of a frame") for step in (1.0, float("nan"), float("inf"))]
EMPTY = [
    (dict(entry=(0, 1.0, bytes(8))), "without particles"),
    (dict(entry=(3, 1.0, b"")), "unknown form"),
    (dict(entry=(0, None, b"")), "step of a frame"),
    (dict(more=bytes(8)), "do not fill"),
]
IN_ORDER = [
    (dict(data=b""), "ends too early"),
    (dict(data=packed(b"")), "ends too early"),
    (dict(section=SECTION[:-4]), "not a multiple of 8"),
    (dict(count=1, section=SECTION + bytes(8)), "too long"),
    (dict(section=struct.pack("<B7x", 13) + SECTION[8:]), "coding 13 needs a required feature"),
    (dict(section=struct.pack("<B7x", 1) + SECTION[8:]), "coding 1 is unknown"),
]
TABLES = [
    (dict(features=0), "coding 11 needs a required feature"),
    (dict(classes=1), "does not come before"),
    (dict(classes=2), "does not come before"),
    (dict(particles=8192 * (len(TABLE) + 153)), "more particles than a chunk has"),
]

FAMILIES = [(array, ARRAY), (lossless, LOSSLESS), (empty, EMPTY), (in_order_of_ids, IN_ORDER), (of_table, TABLES)]
