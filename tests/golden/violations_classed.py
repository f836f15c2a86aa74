# SPDX-License-Identifier: BSD-3-Clause
"""Files whose classed sections break one rule of sections 10h and 10i of docs/format.md each: as in violations_container.py."""

import struct

from violations_container import bare_frame, entry_of, header
from violations_trajectories import GRID, LOSSLESS, WHOLE, block_coded, field_of, in_order

from gpz_write import encode_chunk, head_checksum
from gpz_write_segments import segments

CLASSED = 8  # the required feature


def rules(base=0, group=(), groups=1, terms=((0, 0, 4, 0),), weights=(0,), count=None):
    data = struct.pack("<qBB", base, len(group), groups) + bytes(group)
    data += struct.pack("<B", len(terms) if count is None else count)
    data += b"".join(struct.pack("<BBBb", *term) for term in terms)
    return data + struct.pack(f"<{len(weights)}h", *weights)


def payload(
    flags=1, levels=1, base=64, sources=(), classes=0, exact=(), exact_count=None, exceptions=(), counts=(0,), padding=None, numbers=None,
    contexts=1, **changes
):
    """Behind the coding: of three particles."""
    of_stream = {key: changes.pop(key) for key in ("bits", "table_bytes", "tables", "lengths", "states", "more") if key in changes}
    head = struct.pack("<4BH", flags, levels, base, len(sources), classes) + struct.pack(f"<{len(sources)}H", *sources)
    head += rules(**changes) if flags & 1 else b""
    head += struct.pack(f"<{len(counts)}I", *counts)
    head += bytes(-len(head) % 8) if padding is None else padding
    head += b"".join(struct.pack("<q", index) for index in exceptions)
    data = struct.pack("<Q", len(exact) if exact_count is None else exact_count) + b"".join(struct.pack("<QQ", e, 0) for e in exact)
    return data + head + (segments(contexts=contexts, **of_stream) if numbers is None else numbers)


def ordered_classed(coding=10, reserved=bytes(7), of=GRID, required=CLASSED, **changes):
    """A key frame in the order of ids: ids 0, 1, 2, and a field with this section."""
    described = [field_of(GRID, ["x"]), field_of(WHOLE, ["id"]), field_of(of, ["v"]), field_of(WHOLE, ["type"])]
    section = struct.pack("<B", coding) + reserved + payload(**changes)
    sections = [block_coded(described[0]), in_order(), section, block_coded(described[3])]
    chunk = struct.pack(f"<IIQ{len(sections)}Q", 1024, 2, 1, *map(len, sections)) + b"".join(sections)
    return header(required=required) + bare_frame(fields=[entry_of(f) for f in described], chunks=[(3, chunk)])


def difference_classed(of=GRID, required=CLASSED, **changes):
    """A difference frame. The particles rest; one field has this section."""
    described = [field_of(GRID, ["x"]), field_of(WHOLE, ["id"]), field_of(of, ["v"]), field_of(WHOLE, ["type"])]
    described += [field_of(LOSSLESS, ["m"])]
    key = bare_frame(fields=[entry_of(f) for f in described], chunks=[(3, encode_chunk(described, range(3), 32)[0])])
    section = struct.pack("<B7x", 10) + payload(**{"sources": (1, 3), **changes})
    sections = [b"", b"", section, b"", b""]
    chunk = struct.pack("<IIQQQQ", 1024, 1, 3, 0, 0, 0) + struct.pack("<5Q", *map(len, sections)) + b"".join(sections)
    reference = int.from_bytes(head_checksum(key), "little")
    entries = [entry_of(f, 2) for f in described]
    return header(required=required) + key + bare_frame(fields=entries, chunks=[(3, chunk)], since_key=1, reference=reference)


def term(source=0, component=0, kind=0, shift=6):
    return dict(terms=((source, component, kind, shift),), weights=(1,))


BOTH = [
    (dict(required=7), "coding 10 needs a required feature"),
    (dict(flags=5), "reserved flags"),
    (dict(levels=0), "levels"),
    (dict(levels=17), "levels"),
    (dict(base=65), "levels"),
    (dict(flags=0), "without rules"),
    (dict(groups=0), "number of groups"),
    (dict(groups=65), "number of groups"),
    (dict(group=(0, 1)), "unknown group"),
    (dict(count=33), "too many terms"),
    (dict(terms=((0, 0, 5, 0),)), "a term is unknown"),
    (dict(terms=((0, 0, 4, 41),)), "a term is unknown"),
    (dict(terms=((0, 0, 4, -13),)), "a term is unknown"),
    (term(source=2), "no source"),
    (dict(classes=3), "does not come before"),
    (dict(classes=1), "cannot have classes"),
    (dict(exact=[3]), "exact value is out of range"),
    (dict(exact=[1 << 56]), "exact value is out of range"),
    (dict(exact_count=2**60), "exact value is out of range"),
    (dict(counts=(2**32 - 1,)), "ends too early"),
    (dict(counts=(1,), exceptions=(7,)), "fewer exceptions"),
    (dict(bits=((2**32 - 1, 0, 0),)), "more exceptions"),
    (dict(table_bytes=8 + 8), "tables of segments|segments|padding|state"),
    (dict(tables=bytes(7) + b"\1"), "padding of tables"),
    (dict(tables=bytes(16)), "another length"),
    (dict(lengths=(12,)), "length of a segment|do not fill"),
    (dict(lengths=(0,)), "length of a segment"),
    (dict(states=(0, 2**16)), "state of a number stream"),
    (dict(states=(2**17, 2**16)), "do not end where"),
    (dict(bits=((0, 0),)), "do not fill"),
    (dict(bits=((0, 0, 0, 0, 0, 0),)), "do not fill"),
    (dict(more=bytes(8)), "do not fill"),
]
ORDERED = [
    *BOTH,
    (dict(reserved=bytes(6) + b"\1"), "reserved bytes"),
    (dict(levels=2), "without history"),
    (dict(sources=(3,)), "predicted from"),
    (dict(sources=(0,)), "a source"),
    (dict(of=LOSSLESS), "classed"),
    (dict(of=WHOLE), "classed"),
]
DIFFERENCE = [
    *BOTH,
    (dict(of=LOSSLESS), "classed"),
    (dict(sources=(1, 6)), "predicted from"),
    (dict(sources=(0, 3)), "a source"),
    (term(component=1), "no such component"),
    (dict(sources=(2,), **term(kind=1)), "plain source"),
    (dict(sources=(5,), **term(kind=3)), "plain source"),
    (dict(flags=3, groups=64, weights=(0,) * 64, contexts=512, levels=2, base=0), "too many contexts"),
]

FAMILIES = [(ordered_classed, ORDERED), (difference_classed, DIFFERENCE)]
