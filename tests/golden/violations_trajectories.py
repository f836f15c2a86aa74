# SPDX-License-Identifier: BSD-3-Clause
"""Files whose chunks of kinds 1 and 2 break one rule of sections 8 to 10 of docs/format.md each: as in violations_container.py."""

import struct

from violations_blocks import LATER, coded, words
from violations_container import bare_frame, entry_of, header

from gpz_reference.codec import EXACT, FLOAT64, INTEGER, PLAIN, RUNS
from gpz_write import WriteField, encode_chunk, head_checksum, pack
from gpz_write_difference import leaving_slots

GRID, LOSSLESS, WHOLE = "grid", "lossless", "integers"
FLAT = (0, 0)  # an open axis


def field_of(what, names):
    """Three particles, whose values are 0, 1 and 2."""
    values = [[0.0, 1.0, 2.0]] * len(names)
    if what == WHOLE:
        return WriteField(INTEGER, names, [[0, 1, 2]] * len(names))
    if what == LOSSLESS:
        return WriteField(FLOAT64, names, values, modes=[EXACT])
    return WriteField(FLOAT64, names, values, 1.0, 0.5, 0, [PLAIN])


# ---- section 9


def prediction(
    dimensions=1,
    kind=1,
    weights=(0, 0, 0),
    levels=b"",
    width=2,
    head=0,
    codes=None,
    unary=(0b111,),
    margin=0,
    flags=(),
    exceptions=(),
    exception_count=None,
    widths=None,
    **section,
):
    """Of three particles that rest; the heads are 0: each number takes a plane of `width` bits and a one in the unary bitmap."""
    codes = codes or [(width, head)] * dimensions
    items = [*(code[0] for code in codes), *(code[1] for code in codes), len(unary), margin, len(flags)]
    items.append(len(exceptions) if exception_count is None else exception_count)
    payload = (
        b"".join(pack([0] * 3, min(w, 32), 1) for w, _ in codes) + words(*unary, *flags, *exceptions) + bytes(8 * len(exceptions))
    )
    start = struct.pack("<B3b", kind, *weights) + levels
    return coded(start, widths or [item.bit_length() for item in items], items, payload, **section)


def level_table(levels, lags):
    return struct.pack("<BB", levels, lags) + bytes(levels * lags)


# ---- section 8


def predicted(
    dimensions=1, coding=1, edges=(0, 0, 0), reserved=b"\0\0\0\0", axes=None, exact=(), exact_count=None, only=False, **more
):
    data = struct.pack("<B3B", coding, *edges) + reserved
    if only:
        return data
    data += b"".join(struct.pack("<qq", *axis) for axis in axes or [FLAT] * dimensions)
    data += struct.pack("<Q", len(exact) if exact_count is None else exact_count)
    data += b"".join(struct.pack("<QQ", place, 0) for place in exact)
    return data + prediction(dimensions, **more)


def block_coded(f, edges=(0, 0, 0), kind=0):
    chunk = encode_chunk([f], range(3), 32)[0]
    return struct.pack("<B3B4x", 2, *edges) + chunk[:4] + struct.pack("<I", kind) + chunk[8:]


def difference(
    first=GRID,
    names=("x",),
    second=None,
    second_names=("id",),
    sections=None,
    block_size=1024,
    kind=1,
    before=3,
    leaving=0,
    arriving=0,
    arrivals=b"",
    arrivals_length=None,
    lengths=None,
    slots=None,
    particles=3,
    more=b"",
    fields=None,
    since_key=1,
    reference=None,
    chunks=1,
    codec=2,
    required=0,
    flags=0,
):
    """A key frame of three particles at 0, 1 and 2, and a difference frame in which they rest. `fields`: others, of that frame; `flags`: of the first
    field."""
    described = [with_bound(field_of(first, list(names)), flags=flags)]
    if second:
        described.append(field_of(second, list(second_names)))
    key = bare_frame(fields=[entry_of(f) for f in described], chunks=[(3, encode_chunk(described, range(3), 32)[0])])
    sections = [b""] * len(described) if sections is None else sections
    lengths = list(map(len, sections)) if lengths is None else lengths
    arrivals_length = len(arrivals) if arrivals_length is None else arrivals_length
    chunk = struct.pack("<IIQQQQ", block_size, kind, before, leaving, arriving, arrivals_length)
    chunk += struct.pack(f"<{len(lengths)}Q", *lengths) + (b"" if slots is None else slots) + b"".join(sections) + arrivals + more
    reference = int.from_bytes(head_checksum(key), "little") if reference is None else reference
    entries = [entry_of(f, codec) for f in (described if fields is None else fields)]
    following = bare_frame(fields=entries, chunks=[(particles, chunk)] * chunks, since_key=since_key, reference=reference)
    return header(required=required) + key + following


ARRIVAL = encode_chunk([WriteField(FLOAT64, ["x"], [[7.0]], 1.0, 0.5, 0, [PLAIN])], range(1), 32)[0]


def leaving(slots=(1,), before=3, data=None, arrivals=b"", arriving=0, **changes):
    data = leaving_slots(slots, before) if data is None else data
    rest = dict(particles=before - len(slots) + arriving, arrivals=arrivals, arriving=arriving)
    return difference(**{"before": before, "leaving": len(slots), "slots": data, **rest, **changes})


def with_bound(f, **changes):
    return WriteField(**{**vars(f), **changes})


ONE = field_of(GRID, ["x"])
DIFFERENCE = [
    (dict(block_size=512), "block size 512"),
    (dict(block_size=0), "block size 0"),
    *((dict(kind=kind), f"chunk kind {kind} ") for kind in LATER),
    *((dict(codec=codec), f"codec {codec}") for codec in (0, 1, 3, 255)),
    (dict(since_key=2), "its number"),
    (dict(since_key=65535), "its number"),
    (dict(since_key=0), "codec 2"),
    (dict(reference=1), "its checksum"),
    (dict(chunks=2, particles=0), "number of chunks"),
    (dict(fields=[], sections=[]), "without fields"),
    (dict(before=4), "another number of particles"),
    (dict(before=2**32), "another number of particles"),
    (dict(leaving=4), "do not add up"),
    (dict(particles=4), "do not add up"),
    (dict(arriving=1), "do not add up"),
    (dict(arriving=2**64 - 1, leaving=2), "do not add up"),
    (dict(arrivals=ARRIVAL), "arrivals without particles"),
    (dict(arriving=1, particles=4), "arrivals without particles"),
    (dict(lengths=[4]), "not a multiple of 8"),
    (dict(lengths=[2**64 - 8]), "ends too early"),
    (dict(more=bytes(8)), "do not fill"),
    (dict(fields=[field_of(LOSSLESS, ["x"])]), "other fields"),
    (dict(fields=[field_of(GRID, ["x", "y"])]), "other fields"),
    (dict(fields=[with_bound(ONE, bound=0.25)]), "other fields"),
    (dict(fields=[with_bound(ONE, step=0.5)]), "other fields"),
    (dict(fields=[with_bound(ONE, flags=1)]), "other fields"),
    (dict(fields=[ONE, field_of(WHOLE, ["id"])], sections=[b"", b""]), "other fields"),
    (dict(arriving=1, particles=4, arrivals=struct.pack("<II", 32, 2) + ARRIVAL[8:]), "chunk kind 2"),
    (dict(arriving=1, particles=4, arrivals=struct.pack("<II", 32, 1) + ARRIVAL[8:]), "chunk kind 1"),
]

LEAVING = [
    (dict(data=words(0b1001, 0)), "one set bit a slot"),  # m = 3, l = 1: one low bit, slots 0, 1 and 2
    (dict(data=words(0, 0)), "one set bit a slot"),
    (dict(data=words(0b10, 1)), "out of order"),  # slot 3
    # Two leave of three: no low bits, and one word, which is not yet a multiple of 8 bytes.
    (dict(slots=(0, 1), data=words(0b101, 1)), "padding"),
    (dict(data=words(0b1, 2)), "padding is not zero"),
    (dict(slots=(0, 1, 2), sections=[bytes(8)]), "not empty"),
    (dict(slots=(0, 1, 2), sections=[predicted(only=True)]), "not empty"),
]


def coding(of=GRID, names=("x",), second=None, second_names=("id",), data=None, other=b"", **changes):
    """Difference frame whose last field has this section."""
    last_names = second_names if second else names
    data = predicted(len(last_names), **changes) if data is None else data
    return difference(of, names, second, second_names, [other, data] if second else [data])


def whole(**changes):
    return coding(WHOLE, **changes)


def lossless(**changes):
    return coding(LOSSLESS, **changes)


def edges(counted=(1, 0, 0), second=WHOLE, second_names=("id",), data=None, **changes):
    return coding(second=second, second_names=second_names, edges=counted, data=data, **changes)


def neighbours(levels=2, lags=1, table=None, **changes):
    return coding(kind=2, levels=level_table(levels, lags) if table is None else table, **changes)


def triples(codes=((9, 4), (0, 1), (0, 1)), names=("x", "y", "z"), **changes):
    return coding(names=names, codes=list(codes), **changes)


def periodic(axes=((0, 16),), flags=(0,), margin=1, **changes):
    """One of the particles, at 0, may be at 16 as well."""
    return coding(axes=list(axes), flags=flags, margin=margin, **changes)


CODING = [
    *((dict(coding=number), f"coding {number} ") for number in (0, *LATER)),
    *((dict(reserved=b"\0\0\0\1", coding=number), "reserved bytes of a section") for number in (1, 2)),
    (dict(edges=(1, 0, 0)), "may not count edges"),
    (dict(data=block_coded(ONE, edges=(1, 0, 0))), "may not count edges"),
    *((dict(data=block_coded(ONE, kind=kind)), f"chunk kind {kind} ") for kind in (1, 2, 3)),
    (dict(data=block_coded(with_bound(ONE, modes=[RUNS], flags=1))), "block mode 0"),
    (dict(exact=[3]), "exact value is out of range"),
    (dict(exact=[1 << 56]), "exact value is out of range"),
    (dict(exact_count=1), "prediction 0|ends too early|unknown"),
    (dict(exact_count=2**60), "ends too early"),
    *((dict(kind=number), f"prediction {number} ") for number in (0, *LATER)),
    (dict(widths=[33, 0, 1, 0, 0, 0]), "width is larger"),
    (dict(padding=b"\0\0\0\0\0\1"), "padding"),
    (dict(directory_bits=1), "padding of the directory"),
    (dict(directory_bits=1 << 40), "padding"),
    (dict(end=bytes(8)), "too long"),
    (dict(width=0, fill=1), "padding"),
    (dict(width=32), "width or head"),
    (dict(head=2, width=1, unary=()), "head is wider"),
    (dict(head=3, width=2, unary=()), "head is wider"),
    (dict(head=8, unary=()), "width or head"),
    (dict(head=4), "triples are not"),
    (dict(margin=2**31), "margin is too large"),
    (dict(unary=(0b11,)), "unary bitmap ends too early"),
    (dict(unary=()), "unary bitmap ends too early"),
    (dict(unary=(0b1111,)), "more than the values need"),
    (dict(unary=(0b111, 1)), "more than the values need"),
    (dict(flags=(0,)), "too many flags"),
    (dict(exceptions=[1, 0]), "out of order"),
    (dict(exceptions=[1, 1]), "out of order"),
    (dict(exceptions=[3]), "exception is out of range"),
    (dict(exceptions=[1 << 16]), "exception is out of range"),
    (dict(exceptions=[0, 1, 2, 3]), "too many exceptions"),
    (dict(exception_count=2**31), "too many exceptions"),
]
WHOLE_CODING = [
    (dict(exact=[0]), "has exact values"),
    (dict(kind=2, levels=level_table(1, 1)), "without displacements"),
    *((dict(weights=tuple(int(i == k) for i in range(3))), "without displacements") for k in range(3)),
]
EDGES = [
    (dict(second=GRID), "may not count edges"),
    (dict(counted=(4, 0, 0)), "no field has"),
    (dict(counted=(0, 1, 0)), "not there"),
    (dict(second_names=("ix", "iy"), counted=(0, 0, 1)), "not there"),
    (dict(data=block_coded(field_of(WHOLE, ["id"]), edges=(1, 0, 0))), "may not count edges"),
]
NEIGHBOURS = [
    (dict(levels=0), "out of range"),
    (dict(levels=17), "out of range"),
    (dict(lags=0), "out of range"),
    (dict(lags=5), "out of range"),
    (dict(table=b""), "out of range"),
]
TRIPLES = [
    (dict(codes=((9, 4), (1, 1), (0, 1))), "triples are not"),
    (dict(codes=((9, 4), (0, 1), (0, 0))), "triples are not"),
    (dict(names=("x", "y"), codes=((9, 4), (0, 1))), "triples are not"),
    (dict(codes=((9, 8), (0, 1), (0, 1))), "width or head"),
    (dict(codes=((0, 1), (9, 4), (0, 1)), unary=()), "width or head"),
    (dict(codes=((1, 6), (0, 1), (0, 1)), unary=()), "head is wider"),
    (dict(unary=(1 | 1 << 1 | 1 << 3,)), "rank is too large"),
]
PERIODIC = [(dict(flags=()), "flags end too early"), (dict(flags=(0, 0)), "too many flags")]


# ---- section 10


def lags_section(
    dimensions=1,
    kind=1,
    first_ones=0,
    lags=(1, 0),
    offsets=None,
    width=2,
    head=0,
    unary=(0b111,),
    margin=0,
    flags=(),
    exceptions=(),
    exception_count=None,
    widths=None,
    first_place=0,
    **section,
):
    """Of three particles, each of which is where the one before is, plus an offset."""
    items = [*[first_place] * dimensions, *[width] * dimensions, *[head] * dimensions, len(unary), margin, len(flags)]
    items.append(len(exceptions) if exception_count is None else exception_count)
    unary = unary if dimensions == 1 else (2 ** (3 * dimensions) - 1,)
    payload = pack([0] * 3, min(width, 32), 1) * dimensions + words(*unary, *flags, *exceptions) + bytes(8 * len(exceptions))
    start = struct.pack("<BBHH", kind, first_ones, *lags)
    steps = [step % 2**64 for step in (offsets or [*[1] * dimensions, *[0] * dimensions])]
    widths = widths or [item.bit_length() for item in items]
    return coded(start, widths, items, payload, [*steps, *[0] * dimensions], **section)


def runs_section(kind=2, reserved=b"\0" * 7, runs=1, more=2, inner=None):
    """One run of three ids from 1 on: the excess is 1, the length less 1 is 2. Coded as first places."""
    items = [1, more, 0, 0, 1, 1, 0, 0, 0, 0]
    widths = [item.bit_length() for item in items]
    inner = coded(struct.pack("<BBHH", 1, 0, 0, 0), widths, items, b"", [0] * 6) if inner is None else inner
    return bytes([kind]) + reserved + struct.pack("<Q", runs) + inner


def in_order(dimensions=1, coding=3, reserved=b"\0" * 7, axes=None, exact=(), exact_count=None, section=None, **changes):
    data = bytes([coding]) + reserved + b"".join(struct.pack("<qq", *axis) for axis in axes or [FLAT] * dimensions)
    data += struct.pack("<Q", len(exact) if exact_count is None else exact_count)
    data += b"".join(struct.pack("<QQ", place, 0) for place in exact)
    return data + (lags_section(dimensions, **changes) if section is None else section)


def ordered(
    what=GRID,
    names=("x",),
    data=None,
    ids=None,
    id_field=None,
    identity=0,
    block_size=1024,
    particles=3,
    lengths=None,
    more=b"",
    **changes,
):
    """A frame of one chunk of kind 2, with ids and one more field."""
    described = [id_field or field_of(WHOLE, ["id"]), field_of(what, list(names))]
    sections = [in_order() if ids is None else ids, in_order(len(names), **changes) if data is None else data]
    lengths = list(map(len, sections)) if lengths is None else lengths
    chunk = struct.pack(f"<IIQ{len(lengths)}Q", block_size, 2, identity, *lengths) + b"".join(sections) + more
    return header() + bare_frame(fields=[entry_of(f) for f in described], chunks=[(particles, chunk)])


def ordered_runs(**changes):
    return ordered(ids=in_order(section=runs_section(**changes)))


def ordered_periodic(axes=((0, 16),), flags=(0,), margin=1, **changes):
    return ordered(axes=list(axes), flags=flags, margin=margin, **changes)


def ordered_lossless(data=None):
    return ordered(what=LOSSLESS, data=block_coded(field_of(LOSSLESS, ["x"])) if data is None else data)


ORDERED = [
    (dict(block_size=512), "block size 512"),
    (dict(identity=2), "no field of ids"),
    (dict(identity=2**64 - 1), "no field of ids"),
    (dict(identity=1), "cannot be one"),
    (dict(id_field=field_of(WHOLE, ["id", "mol"])), "cannot be one"),
    (dict(particles=0), "more particles than a chunk has"),
    (dict(particles=2**40), "more particles than a chunk has"),
    (dict(lengths=[4, 8]), "not a multiple of 8"),
    (dict(lengths=[2**64 - 8, 8]), "ends too early"),
    (dict(more=bytes(8)), "do not fill"),
    *((dict(coding=number), f"coding {number} ") for number in (0, 1, 4, 255)),
    (dict(reserved=b"\0" * 6 + b"\1"), "reserved bytes"),
    (dict(ids=block_coded(field_of(WHOLE, ["id"]))), "not coded in their order"),
    *((dict(data=block_coded(ONE, kind=kind)), f"chunk kind {kind} ") for kind in (1, 2, 3)),
    (dict(data=block_coded(with_bound(ONE, modes=[RUNS], flags=1))), "block mode 0"),
    (dict(exact=[3]), "exact value is out of range"),
    (dict(exact=[1 << 56]), "exact value is out of range"),
    (dict(exact_count=2**60), "ends too early"),
    (dict(what=WHOLE, exact=[0]), "has exact values"),
    *((dict(kind=number), f"section {number} is unknown") for number in (0, *LATER)),
    (dict(first_ones=2), "not there look for a lag"),
    (dict(lags=(1024, 0)), "lag is too large"),
    (dict(lags=(1, 65535)), "lag is too large"),
    (dict(widths=[65, 2, 0, 1, 0, 0, 0]), "width is too large"),
    (dict(widths=[0, 33, 0, 1, 0, 0, 0]), "width is too large"),
    (dict(padding=b"\0\0\1"), "padding"),
    (dict(directory_bits=1), "padding of the directory"),
    (dict(directory_bits=1 << 40), "padding"),
    (dict(end=bytes(8)), "too long"),
    (dict(width=0, fill=1), "padding"),
    (dict(width=32), "width or head"),
    (dict(head=4), "triples"),
    (dict(head=8), "width or head"),
    (dict(head=2, width=1), "head is wider"),
    (dict(margin=2**31), "margin is too large"),
    (dict(unary=(0b11,)), "unary bitmap ends too early"),
    (dict(unary=(0b1111,)), "more than the values need"),
    (dict(flags=(0,)), "too many flags"),
    (dict(exceptions=[1, 0]), "out of order"),
    (dict(exceptions=[1, 1]), "out of order"),
    (dict(exceptions=[3]), "exception is out of range"),
    (dict(exceptions=[1 << 16]), "exception is out of range"),
    (dict(exception_count=2**31), "too many exceptions"),
    (dict(names=("x", "y", "z"), section=lags_section(3, width=9, head=4)), "triples"),
    (dict(names=("x", "y"), section=runs_section()), "runs of more than one component"),
]
ORDERED_LOSSLESS = [(dict(data=in_order()), "lossless floats are coded")]
ORDERED_PERIODIC = [
    (dict(flags=()), "flags end too early"),
    (dict(flags=(0, 0)), "too many flags"),
    (dict(offsets=[16, 0]), "longer than the period"),
    (dict(offsets=[-1, 0]), "longer than the period"),
    (dict(offsets=[1, 16]), "longer than the period"),
]
ORDERED_RUNS = [
    *((dict(kind=number), f"section {number} is unknown") for number in (0, *LATER)),
    (dict(reserved=b"\0" * 6 + b"\1"), "reserved bytes"),
    (dict(runs=0), "number of runs"),
    (dict(runs=2), "number of runs"),
    (dict(runs=2**63), "number of runs"),
    (dict(inner=b"\2" + bytes(7)), "runs of runs"),
    (dict(more=1), "as many values"),
    (dict(more=3), "as many values"),
]

FAMILIES = [
    (difference, DIFFERENCE),
    (leaving, LEAVING),
    (coding, CODING),
    (whole, WHOLE_CODING),
    (lossless, WHOLE_CODING),
    (edges, EDGES),
    (neighbours, NEIGHBOURS),
    (triples, TRIPLES),
    (periodic, PERIODIC),
    (ordered, ORDERED),
    (ordered_lossless, ORDERED_LOSSLESS),
    (ordered_periodic, ORDERED_PERIODIC),
    (ordered_runs, ORDERED_RUNS),
]
