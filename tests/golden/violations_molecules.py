# SPDX-License-Identifier: BSD-3-Clause
"""Files with a section of molecules that breaks one rule of section 9c of docs/format.md each: as in violations_container.py."""

import struct

from violations_trajectories import FLAT, GRID, LOSSLESS, WHOLE, difference

CLASSED = 8  # required feature
NEW, TILTED, BRICK, QUIET = 1, 2, 4, 8
STATES = struct.pack("<2I", 2**16, 2**16)
# Particles hang on the one before them: a number for each, with the kind that is expected.
CHAIN = 0, 1, 1
CLASSES = 4  # lonely particles, and one for each of the three


def zeros(data):
    return data + bytes(-len(data) % 8)


def numbers(given):
    """What follows the tables. Without shapes all numbers are escapes of 32 bits, and the states stay."""
    raw = b"".join(struct.pack("<I", u) for u in reversed(given))
    return STATES + bytes(-len(raw) % 8) + raw


def tables(contexts):
    """No shapes: zero bits, padded to 16 of them."""
    return bytes((8 + 3 + contexts + 15) // 16 * 2)


def escapes(contexts, given):
    """A number stream."""
    start, raw = tables(contexts) + STATES, b"".join(struct.pack("<I", u) for u in reversed(given))
    return start + bytes(-(len(start) + len(raw)) % 8) + raw


def segmented(contexts, segments, lengths=None, table_length=None, table_padding=b"", gap=b""):
    start = zeros(tables(contexts) + table_padding)
    lengths = list(map(len, segments)) if lengths is None else lengths
    heads = [len(start) if table_length is None else table_length, *lengths]
    return struct.pack(f"<{len(heads)}I", *heads) + gap + start + b"".join(segments)


def lags_table(lags=(1,), kinds=CHAIN, count=None, padding=b"", stream=None, length=None):
    stream = escapes(16, kinds) if stream is None else stream
    head = zeros(struct.pack(f"{1 + len(lags)}B", len(lags) if count is None else count, *lags) + padding)
    return head + struct.pack("<Q", len(stream) if length is None else length) + stream


def molecules(
    names=("x", "y", "z"),
    first=GRID,
    second=None,
    leading=1,
    axes=(FLAT,) * 3,
    flags=NEW | QUIET,
    base=0,
    levels=1,
    reserved=bytes(5),
    box=((FLAT,) * 3, (0, 0, 0)),
    exceptions=(),
    exception_count=None,
    class_padding=bytes(4),
    coded=None,
    stream=None,
    required=CLASSED,
    more=b"",
    **lags,
):
    """A difference frame of three particles, of which each hangs on the one before it. Their components are nearest to where they
    are expected."""
    data = struct.pack("<B3B4x", 9, 0, 0, 0) + b"".join(struct.pack("<qq", *axis) for axis in axes) + struct.pack("<Q", 0)
    data += bytes([flags, base, levels]) + reserved
    if flags & TILTED:
        data += b"".join(struct.pack("<qq", *axis) for axis in box[0]) + struct.pack("<3q", *box[1])
    data += struct.pack("<Q", len(exceptions) if exception_count is None else exception_count)
    data += b"".join(struct.pack("<Q3q", slot, 5, 6, 7) for slot in exceptions)
    if flags & NEW:
        data += lags_table(**lags) + bytes(3 * CLASSES) + class_padding
    fine = max(0, min(8 - base, levels))
    contexts = 2 * (levels + 3 * fine) + levels + 12
    coded = 3 * (3 - len(exceptions)) if coded is None else coded
    data += (segmented(contexts, [numbers([0] * coded)]) if stream is None else stream(contexts)) + more
    sections = [b"", data] if second else [data]
    return difference(first, names, second, ("vx", "vy", "vz"), sections=sections, required=required, flags=leading)


def stream(given=(0,) * 9, **changes):
    return lambda contexts: segmented(contexts, [numbers(given)], **changes)


def two_segments(contexts):
    return segmented(contexts, [numbers([0] * 9), numbers([])], gap=bytes(4))


MOLECULES = [
    (dict(required=0), "required feature"),
    (dict(names=("x", "y"), axes=(FLAT,) * 2), "has no positions"),
    (dict(first=LOSSLESS), "without a grid"),
    (dict(first=WHOLE, leading=0), "without a grid"),
    (dict(leading=0), "has no positions"),
    (dict(second=GRID), "has no positions"),
    (dict(reserved=b"\0\0\0\0\1"), "reserved bytes"),
    *((dict(flags=flags), "flags of molecules") for flags in (NEW | QUIET | BRICK, NEW | QUIET | 16, 255)),
    (dict(flags=QUIET), "never given"),
    (dict(levels=0), "levels of molecules"),
    (dict(levels=41), "levels of molecules"),
    (dict(base=40), "levels of molecules"),
    (dict(base=255), "levels of molecules"),
    (dict(base=20, levels=21), "levels of molecules"),
    (dict(exceptions=(1, 0)), "exceptions are out of order"),
    (dict(exceptions=(1, 1)), "exceptions are out of order"),
    (dict(exceptions=(3,)), "exception of nobody"),
    (dict(exceptions=(2**63,)), "exception of nobody"),
    (dict(exception_count=2**60), "ends too early"),
    (dict(lags=(0,)), "lags of molecules"),
    (dict(lags=(1,) * 64), "lags of molecules"),
    (dict(lags=(2,)), "hangs on nobody"),
    (dict(kinds=(1, 1, 1)), "hangs on nobody"),
    (dict(kinds=(0, 2, 2)), "unknown lag"),
    (dict(kinds=(0, 1, 1, 0, 0)), "stream"),
    (dict(padding=b"\1"), "padding"),
    (dict(length=2**63), "ends too early"),
    (dict(length=12), "not a multiple of 8"),
    (dict(class_padding=b"\0\0\0\1"), "padding"),
    (dict(coded=8), "stream|too early"),
    (dict(coded=11), "stream"),
    (dict(stream=stream(lengths=[40])), "segments|stream|too early"),
    (dict(stream=stream(lengths=[44])), "not a multiple of 8|segments"),
    (dict(stream=stream(lengths=[2**31])), "too early"),
    (dict(stream=stream(table_length=0)), "too early|as long as"),
    (dict(stream=stream(table_length=16)), "as long as"),
    (dict(stream=stream(table_length=2**31)), "too early"),
    (dict(stream=stream(table_padding=b"\1")), "padding"),
    (dict(stream=two_segments), "segments|table|shape"),
    (dict(more=bytes(8)), "do not fill"),
]
BOX = [
    (dict(box=((FLAT,) * 3, (2**52 + 1, 0, 0))), "tilts"),
    (dict(box=((FLAT,) * 3, (0, 0, -(2**52) - 1))), "tilts"),
    (dict(box=((FLAT,) * 3, (0, -(2**63), 0))), "tilts"),
]


def tilted(box=(((0, 8), (0, 9), (0, 10)), (1, 2, 3)), **changes):
    return molecules(flags=NEW | TILTED | QUIET, box=box, **changes)


FAMILIES = [(molecules, MOLECULES), (tilted, BOX)]
