# SPDX-License-Identifier: BSD-3-Clause
"""Files with a section of steps that breaks one rule of section 9d of docs/format.md each: as in violations_container.py."""

import struct

import decoders  # noqa: F401  makes the test writer known
from violations_container import bare_frame, entry_of, header
from violations_trajectories import FLAT, GRID, LOSSLESS, WHOLE, difference, field_of, in_order, runs_section, with_bound

from gpz_reference.features import STEPS
from gpz_reference.steps import BRICK, CONSTANTS, MOTION_ENDS, NEW, TABLES, TILTED
from gpz_write import WriteField, encode_chunk, head_checksum
from gpz_write_difference import leaving_slots

ALL = NEW | CONSTANTS | TABLES
STATES = 16  # of a block of a few steps
CHAIN = 0, 1, 1  # three particles: each hangs on the one before it
CLASSES = 3  # of these
SIDES = (64,) * 16
SHAPES = ((0,) * 12,) * 3
NO_TABLES = (480,)  # places
# Of a class, as signed numbers are stored: nine weights, length, along, and variances that are so large that no side is ever taken.
CLASS = (0,) * 11 + (600, 600, 200, 200)


def zeros(data):
    return data + bytes(-len(data) % 8)


def escapes(contexts, given):
    """A number stream. Without shapes, which are zero bits padded to 16 of them, all numbers are escapes of 32 bits, and the states
    stay."""
    start = bytes((8 + 3 + contexts + 15) // 16 * 2) + struct.pack("<2I", 2**16, 2**16)
    raw = b"".join(struct.pack("<I", u) for u in reversed(given))
    return start + bytes(-(len(start) + len(raw)) % 8) + raw


def lags_table(lags=(1,), kinds=CHAIN, padding=b"", lag_length=None):
    stream = escapes(16, kinds)
    head = zeros(struct.pack(f"{1 + len(lags)}B", len(lags), *lags) + padding)
    return head + struct.pack("<Q", len(stream) if lag_length is None else lag_length) + stream


def table_stream(contexts, given, length=None):
    stream = escapes(contexts, given)
    return struct.pack("<Q", len(stream) if length is None else length) + stream


def lane_words(components, lanes=1):
    """Of a block whose steps use so many lanes, and whose components are all escapes: their numbers, of all lanes in turn."""
    of_lanes = [[half for number in components[lane::lanes] for half in (number >> 16, number & 0xFFFF)] + [0] for lane in range(lanes)]
    first = [half for halves in of_lanes for half in (halves[0], 1)] + [0, 1] * (STATES - lanes)
    pairs = range(1, 2 * (len(components) // lanes), 2)
    return [*first, *(half for k in pairs for halves in of_lanes for half in halves[k : k + 2])]


def molecules(block=1024, bonds=0, unbound=None, short=(0, 0), of_class=(0,) * CLASSES, table_more=b"", length=None, **lags):
    """`unbound`: of particles without bonds, the number of classes less 1, and the class of each step."""
    if unbound is None:
        data = lags_table(**lags) + table_stream(2, short) + table_stream(1, of_class)
    else:
        bonds, data = 1, table_stream(2, unbound)
    data = struct.pack("<II", block, bonds) + data + table_more
    return struct.pack("<Q", len(data) if length is None else length) + data


def section(
    coding=13,
    axes=(FLAT,) * 3,
    flags=ALL,
    box=((FLAT,) * 3, (0, 0, 0)),
    constants=CLASS * CLASSES,
    sides=SIDES,
    shapes=SHAPES,
    places=NO_TABLES,
    templates=(),
    images=(),
    image_count=None,
    components=(0,) * 9,
    lanes=1,
    words=None,
    word_count=None,
    end=None,
    more=b"",
    **of_molecules,
):
    """Of three particles, whose components are nearest to where they are expected."""
    data = struct.pack("<B3B4x", coding, 0, 0, 0) + b"".join(struct.pack("<qq", *axis) for axis in axes) + struct.pack("<Q", 0)
    data += struct.pack("<Q", flags)
    if flags & TILTED:
        data += b"".join(struct.pack("<qq", *axis) for axis in box[0]) + struct.pack("<3q", *box[1])
    if flags & NEW:
        data += molecules(**of_molecules)
    if flags & CONSTANTS:
        data += table_stream(15, constants)
    if flags & TABLES:
        data += table_stream(17, [*sides, *(u for shape in shapes for u in shape), *places])
    if templates:
        data += table_stream(3, templates)
    image_count = len(images) // 2 if image_count is None else image_count
    data += struct.pack("<Q", image_count)
    if image_count:
        data += table_stream(2, images)
    words = lane_words(components, lanes) if words is None else words
    data += struct.pack("<I", len(words) if word_count is None else word_count) + struct.pack(f"<{len(words)}H", *words)
    return (zeros(data) if end is None else data + end) + more


def steps(names=("x", "y", "z"), first=GRID, second=None, leading=1, required=STEPS, **changes):
    """One difference frame."""
    sections = [b"", section(**changes)] if second else [section(**changes)]
    return difference(first, names, second, ("vx", "vy", "vz"), sections=sections, required=required, flags=leading)


TEMPLATES = (0,) * (3 + 2 * CLASSES)  # the row of roots, and headings


def key_chunk(sections):
    return struct.pack("<IIQQQ", 1024, 2, 1, *map(len, sections)) + b"".join(sections)


IDS = in_order(section=runs_section())


def key(names=("x", "y", "z"), what=GRID, leading=1, required=STEPS, templates=TEMPLATES, **changes):
    """A key frame of three particles in the order of their ids."""
    described = [with_bound(field_of(what, list(names)), flags=leading), field_of(WHOLE, ["id"])]
    chunk = key_chunk([section(templates=templates, **changes), IDS])
    return header(required=required) + bare_frame(fields=[entry_of(f) for f in described], chunks=[(3, chunk)])


FIELD = with_bound(field_of(GRID, ["x", "y", "z"]), flags=1)
ARRIVAL = encode_chunk([WriteField(**{**vars(FIELD), "values": [[7.0]] * 3})], range(1), 32)[0]


def later(left=(), arriving=0, between=False, same=False, flags=0, lanes=1, first=None, **changes):
    """Difference frames of three particles: new molecules, described by `first`, then one at rest if `between`, then one in which particles may leave and
    arrive, with these flags, and, unless `same`, one more, without new molecules."""
    arrivals = ARRIVAL if arriving else b""
    count = 3 - len(left) + arriving

    def chunk(before, data, left=(), arriving=0, arrivals=b""):
        head = struct.pack("<IIQQQQQ", 1024, 1, before, len(left), arriving, len(arrivals), len(data))
        return before - len(left) + arriving, head + leaving_slots(left, before) + data + arrivals

    chunks = [chunk(3, section(lanes=lanes, **first or {}))] + [chunk(3, b"")] * between
    chunks.append(chunk(3, section(flags=flags, lanes=lanes, **changes), left, arriving, arrivals))
    if not same:
        chunks.append(chunk(count, section(flags=0, lanes=lanes, components=(0,) * 3 * count)))
    found = [header(required=STEPS), bare_frame(fields=[entry_of(FIELD)], chunks=[(3, encode_chunk([FIELD], range(3), 32)[0])])]
    for number, one in enumerate(chunks):
        reference = int.from_bytes(head_checksum(found[-1]), "little")
        found.append(bare_frame(fields=[entry_of(FIELD, 2)], chunks=[one], since_key=number + 1, reference=reference))
    return b"".join(found)


def behind_key(left=(), flags=0, **changes):
    """A key frame in steps, and a difference frame in which particles may leave."""
    described = [FIELD, field_of(WHOLE, ["id"])]
    first = header(required=STEPS) + bare_frame(fields=[entry_of(f) for f in described], chunks=[(3, key_chunk([section(templates=TEMPLATES), IDS]))])
    data = section(flags=flags, **changes)
    chunk = struct.pack("<IIQQQQQQ", 1024, 1, 3, len(left), 0, 0, len(data), 0) + leaving_slots(left, 3) + data
    reference = int.from_bytes(head_checksum(first[len(header(required=STEPS)) :]), "little")
    entries = [entry_of(f, 2) for f in described]
    return first + bare_frame(fields=entries, chunks=[(3 - len(left), chunk)], since_key=1, reference=reference)


def replaced(at, value):
    """One constant of the first class."""
    return *CLASS[:at], value, *CLASS[at + 1 :], *CLASS * (CLASSES - 1)


def shaped(at, value):
    """One number of the second shape."""
    return SHAPES[0], (*SHAPES[1][:at], value, *SHAPES[1][at + 1 :]), SHAPES[2]


BROKEN = [
    (dict(required=0), "required feature"),
    (dict(required=8), "required feature"),
    (dict(names=("x", "y"), axes=(FLAT,) * 2), "has no positions"),
    (dict(first=LOSSLESS), "without a grid"),
    (dict(first=WHOLE, leading=0), "without a grid"),
    (dict(leading=0), "has no positions"),
    (dict(second=GRID), "has no positions"),
    *((dict(flags=flags), "flags of steps") for flags in (ALL | BRICK, ALL | 128, ALL | 1 << 63)),
    *((dict(flags=flags), "without constants or tables") for flags in (NEW, NEW | CONSTANTS, NEW | TABLES)),
    *((dict(flags=flags), "never given") for flags in (0, CONSTANTS, TABLES, CONSTANTS | TABLES)),
    (dict(block=31), "blocks of steps"),
    (dict(block=0), "blocks of steps"),
    *((dict(bonds=bonds), "neither have bonds nor have none") for bonds in (2, 1 << 31, 2**32 - 1)),
    (dict(bonds=1), "stream|too early|too long|classes"),
    (dict(length=2**63), "too early"),
    (dict(length=8), "too early"),
    (dict(table_more=bytes(8)), "too long"),
    (dict(lags=(0,)), "lags of molecules"),
    (dict(lags=(1,) * 64), "lags of molecules"),
    (dict(lags=(2,)), "hangs on nobody"),
    (dict(kinds=(1, 1, 1)), "hangs on nobody"),
    (dict(kinds=(0, 2, 2)), "unknown lag"),
    (dict(kinds=(0, 1, 1, 0, 0)), "stream"),
    (dict(padding=b"\1"), "padding"),
    (dict(lag_length=2**63), "ends too early"),
    (dict(lag_length=12), "not a multiple of 8"),
    *((dict(short=short), "neither short nor long") for short in ((2, 0), (0, 2), (0, 2**32 - 1))),
    (dict(short=(0, 0, 0, 0)), "stream"),
    (dict(short=()), "stream|too early"),
    *((dict(of_class=of_class), "kind of a class|a number of a table") for of_class in ((3, 0, 0), (0, 0, 2**32 - 1))),
    (dict(of_class=(0,) * 5), "stream"),
    (dict(of_class=(0,)), "stream|too early|neither"),
    *((dict(constants=replaced(at, value)), "weight of steps") for at in (0, 8) for value in (2**16, 2**16 + 1, 2**32 - 1)),
    (dict(constants=replaced(9, 2**25)), "length of steps"),
    (dict(constants=replaced(9, 1)), "length of steps"),
    (dict(constants=replaced(10, 2**25)), "length of steps"),
    (dict(constants=replaced(10, 2**25 - 1)), "length of steps"),
    *((dict(constants=replaced(at, value)), "variance of steps") for at in (11, 12, 13, 14) for value in (802, 1)),
    (dict(constants=(*CLASS * CLASSES, 0, 0)), "stream"),
    (dict(constants=(CLASS * CLASSES)[:-2]), "too early|stream|variance"),
    (dict(sides=(0, *SIDES[1:])), "share of a side"),
    (dict(sides=(*SIDES[1:], 128)), "share of a side"),
    *((dict(shapes=shaped(at, value)), "weight of a shape") for at in (0, 9) for value in (256, 2**32 - 1)),
    *((dict(shapes=shaped(10, value)), "levels of a shape") for value in (41, 2**32 - 1)),
    *((dict(shapes=shaped(11, value)), "levels of a shape") for value in (41, 2**32 - 1)),
    (dict(shapes=((0,) * 12, (0,) * 12, (*(0,) * 10, 40, 1))), "levels of a shape"),
    (dict(places=(481,)), "more places"),
    (dict(places=(479,)), "stream|too early|token"),
    (dict(places=(480, 0, 0)), "stream"),
    (dict(places=(479, 2 * 127 - 1, 1, 1, 0)), "first token"),
    (dict(places=(479, 2 * 126 - 1, 254, *(0,) * 254, 0)), "too many tokens"),
    (dict(places=(479, 2 * 126, 2, 1, 1, 0)), "too many tokens"),
    (dict(places=(479, 2 * 127, 0, 0)), "first token"),
    (dict(places=(479, 2**32 - 2, 0, 0)), "first token"),
    (dict(places=(479, 0, 1, 512, 0)), "frequencies"),
    (dict(places=(479, 0, 2, 511, 1, 0)), "frequencies"),
    (dict(places=(479, 0, 1, 2**32 - 1, 0)), "frequencies"),
    (dict(places=(479, 0, 1, 1, 1)), "more places"),
    (dict(image_count=97), "more images"),
    (dict(image_count=2**63), "more images"),
    (dict(images=(96, 0)), "image of nobody"),
    (dict(images=(2**32 - 1, 0)), "image of nobody"),
    (dict(images=(0, 27)), "unknown image"),
    (dict(images=(0, 0, 0, 0), image_count=1), "stream"),
    (dict(components=(0,) * 8), "too early"),
    (dict(components=(0,) * 10), "do not end|too many"),
    (dict(words=lane_words((0,) * 9)[: 2 * STATES - 1]), "too early"),
    (dict(words=[]), "too early"),
    (dict(word_count=2**32 - 1), "too early"),
    (dict(words=[*lane_words((0,) * 9), 0]), "too many words"),
    (dict(words=[0, 0, *lane_words((0,) * 9)[2:]]), "state of steps"),
    (dict(words=[*lane_words((0,) * 9)[:31], 0, *lane_words((0,) * 9)[32:]]), "state of steps"),
    (dict(words=[*lane_words((0,) * 9)[:30], 1, *lane_words((0,) * 9)[31:]]), "do not end"),
    (dict(words=[*lane_words((0,) * 9)[:-1], 1]), "do not end"),
    (dict(more=bytes(8)), "too long"),
]
UNBOUND = [
    *((dict(unbound=(number, 0)), "too many classes|a number of a table") for number in (16, 2**32 - 1)),
    *((dict(unbound=(0, change)), "unknown class|a number of a table") for change in (1, 2, 2**32 - 1)),
    *((dict(unbound=(15, change)), "unknown class|a number of a table") for change in (1, 2 * 16)),
    (dict(unbound=(0, 0, 0, 0)), "stream"),
    (dict(unbound=()), "stream|too early|unknown class|classes"),
    (dict(table_more=bytes(8)), "too long"),
    (dict(length=8), "too early"),
    (dict(block=31), "blocks of steps"),
    *((dict(constants=(*CLASS[:at], value, *CLASS[at + 1 :])), "weight of steps") for at in (0, 2, 8) for value in (2**16, 2**16 + 1, 2**32 - 1)),
    *((dict(constants=(*CLASS[:at], value, *CLASS[at + 1 :])), "length of steps") for at in (9, 10) for value in (2**25, 2**25 + 1)),
    *((dict(constants=(*CLASS[:at], value, *CLASS[at + 1 :])), "variance of steps") for at in (11, 12, 13, 14) for value in (802, 1)),
    (dict(constants=CLASS * CLASSES), "stream"),
    (dict(components=(0,) * 6), "too early"),
    (dict(components=(0,) * 12), "do not end|too many"),
    (dict(words=[*lane_words((0,) * 9, 3), 0]), "too many words"),
    (dict(words=[*lane_words((0,) * 9, 3)[:-1], 1]), "do not end"),
    (dict(image_count=33), "more images"),
]
# Without new molecules.
UNBOUND_LATER = [
    (dict(left=(2,)), "never given"),
    (dict(arriving=1), "never given"),
    (dict(left=(1,), arriving=1), "never given"),
    (dict(flags=CONSTANTS, constants=(*(0,) * 11, 2 * 101, 0, 0, 0)), "variance of steps"),
    (dict(flags=ALL, unbound=(0, 0), constants=CLASS, arriving=1), "never given"),
    (dict(components=(0,) * 6), "too early"),
]
BROKEN_LATER = [
    (dict(left=(0,), components=(0,) * 6), "never given"),
    (dict(left=(2,), components=(0,) * 6), "never given"),
    (dict(left=(1,), arriving=1, components=(0,) * 6), "never given"),
    (dict(arriving=1), "never given"),
    (dict(left=(2,), flags=ALL, kinds=(0, 1), of_class=(0,), constants=CLASS, components=(0,) * 6, arriving=1), "never given"),
    (dict(left=(2,), flags=ALL, kinds=(0, 1), of_class=(0,), constants=CLASS, components=(0,) * 6, end=b"\0\0\1\0", same=True), "padding"),
    (dict(left=(2,), flags=ALL, kinds=(0, 1), of_class=(0,), constants=CLASS, components=(0,) * 6, more=bytes(8), same=True), "too long"),
    (dict(flags=1), "without constants or tables"),
    (dict(flags=CONSTANTS, constants=(*(0,) * 9, 1, *(0,) * 5)), "length of steps"),
    *((dict(flags=CONSTANTS, constants=(*(0,) * 11, change, 0, 0, 0)), "variance of steps") for change in (2 * 101, 2 * 301 - 1)),
    (dict(components=(0,) * 8), "too early"),
]
KEY = [
    *((dict(required=required), "coding 13 needs a required feature") for required in (0, 1)),
    (dict(names=("x", "y"), axes=(FLAT,) * 2), "has no positions"),
    (dict(what=LOSSLESS), "lossless floats"),
    (dict(what=WHOLE, leading=0), "has no positions|without a grid"),
    (dict(leading=0), "has no positions"),
    *((dict(flags=flags), "flags of steps") for flags in (ALL | BRICK, ALL | 128, ALL | 1 << 63)),
    *((dict(flags=flags), "without constants or tables") for flags in (NEW, NEW | CONSTANTS, NEW | TABLES)),
    *((dict(flags=flags), "without molecules") for flags in (0, CONSTANTS, TABLES, CONSTANTS | TABLES)),
    (dict(flags=ALL | MOTION_ENDS), "motion ends"),
    (dict(unbound=(0, 0), constants=CLASS, templates=TEMPLATES[:5], lanes=3), "without bonds"),
    *((dict(templates=(*(0,) * at, value, *TEMPLATES[at + 1 :])), "number of templates") for at in (0, 2) for value in (2**30 + 1, 2**30 + 2, 2**32 - 1)),
    *((dict(templates=(*(0,) * at, value, *TEMPLATES[at + 1 :])), "number of templates") for at in (3, 4, 8) for value in (129, 130, 2**32 - 1)),
    (dict(templates=(*TEMPLATES, 0, 0)), "stream"),
    (dict(templates=TEMPLATES[:-2]), "stream|too early|templates"),
    (dict(image_count=97), "more images"),
    (dict(components=(0,) * 8), "too early"),
    (dict(components=(0,) * 10), "do not end|too many"),
    (dict(more=bytes(8)), "too long"),
]
BEHIND_KEY = [
    (dict(left=(0,), components=(0,) * 6), "never given"),
    (dict(flags=CONSTANTS, constants=(*(0,) * 9, 1, *(0,) * 5)), "length of steps"),
    (dict(flags=NEW), "without constants or tables"),
    (dict(components=(0,) * 8), "too early"),
    (dict(flags=ALL, templates=TEMPLATES), "."),
]
BOX = [
    (dict(box=((FLAT,) * 3, (2**52 + 1, 0, 0))), "tilts"),
    (dict(box=((FLAT,) * 3, (0, 0, -(2**52) - 1))), "tilts"),
    (dict(box=((FLAT,) * 3, (0, -(2**63), 0))), "tilts"),
]


def tilted(box=(((0, 8), (0, 9), (0, 10)), (1, 2, 3)), **changes):
    return steps(flags=ALL | TILTED, box=box, **changes)


def unbound(unbound=(0, 0), constants=CLASS, **changes):
    """Of particles without bonds."""
    return steps(unbound=unbound, constants=constants, lanes=3, **changes)


def unbound_later(**changes):
    """The same, of several frames."""
    return later(lanes=3, first=dict(unbound=(0, 0), constants=CLASS), **changes)


FAMILIES = [
    (steps, BROKEN),
    (later, BROKEN_LATER),
    (unbound, UNBOUND),
    (unbound_later, UNBOUND_LATER),
    (tilted, BOX),
    (key, KEY),
    (behind_key, BEHIND_KEY),
]
