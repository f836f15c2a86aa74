# SPDX-License-Identifier: BSD-3-Clause
"""Files that break one rule of sections 1 to 3 or 11 of docs/format.md each, with checksums that hold.

A family is a function that makes a sound file; what is given to it by name changes one thing. With each family goes a list of
changes that break a rule, each with what the reference decoder says of it (a regular expression).
"""

import json
import struct

import decoders  # noqa: F401  makes the test writer known

from gpz_reference.codec import FLOAT64, INTEGER
from gpz_reference.reader import MAGIC
from gpz_write import pad, record
from gpz_reference.xxh3 import xxh3_64

NAN, INFINITY = float("nan"), float("inf")


# ---- section 1


def header(
    magic=MAGIC,
    major=1,
    minor=0,
    required=0,
    optional=0,
    text=b"{}",
    length=None,
    padding=b"\0" * 6,
    checksum=None,
    metadata=None,
):
    text = text if metadata is None else json.dumps(metadata).encode()
    padding = padding if metadata is None else bytes(-len(text) % 8)
    start = magic + struct.pack("<HHIII", major, minor, required, optional, len(text) if length is None else length)
    start += text + padding
    return start + struct.pack("<Q", xxh3_64(start) if checksum is None else checksum)


HEADER = [
    (dict(magic=b"\x89GPZ\n\n\x1a\n"), "not a .gpz"),
    (dict(major=2), "version 2"),
    (dict(major=0), "version 0"),
    (dict(major=2, checksum=0), "version 2"),
    (dict(required=16), "required features 0x10 "),
    (dict(required=1 << 31), "required features"),
    (dict(length=2**24 + 1), "too long"),
    (dict(length=2**32 - 1), "too long"),
    (dict(length=2**24), "ends too early"),
    (dict(padding=b"\0\0\0\0\0\1"), "padding"),
    (dict(checksum=1), "checksum"),
    (dict(text=b"{ "), "metadata"),
    (dict(text=b"[]"), "not a JSON object"),
    (dict(text=b'"\xff', padding=b"\0" * 6), "metadata"),
    (dict(text=b'{"key":' + b"[" * 64 + b"]" * 64 + b"}", padding=b""), "nested"),
    (dict(text=b'{"key":' + b"[" * 5000 + b"]" * 5000 + b"}", padding=b""), "metadata"),
    (dict(metadata={"generator": 1}), "generator"),
    (dict(metadata={"units": ["lj"]}), "units"),
    (dict(metadata={"atom_style": None}), "atom_style"),
    (dict(metadata={"command": {}}), "command"),
    (dict(metadata={"columns": "x"}), "columns"),
    (dict(metadata={"columns": [1]}), "columns"),
    (dict(metadata={"elements": [None]}), "elements"),
    (dict(metadata={"type_labels": {}}), "type_labels"),
    (dict(metadata={"timestep_size": "1"}), "timestep_size"),
    (dict(metadata={"timestep_size": True}), "timestep_size"),
]


# ---- sections 2 and 11


def records(kind=1 << 31 | 3, head=bytes(8), body=b"", index=None, between=b""):
    """A frame, then a record or an index."""
    frame = bare_frame()
    data = header() + between + frame + between
    if index is None:
        return data + record(kind, head, body)
    particles, timestep, time = struct.unpack_from("<Qqd", frame, 24)
    entry = {"offset": len(header() + between), "length": len(frame), "timestep": timestep, "time": time, "particles": particles, **index}
    count = entry.pop("count", 1)
    return data + record(2, struct.pack("<QQQqdQ", count, *entry.values()), body)


OTHER = record(1 << 31 | 3, bytes(8))
RECORDS = [
    (dict(kind=0), "type 0"),
    (dict(kind=3), "type 3"),
    (dict(kind=2**31 - 1), "type 2147483647"),
    (dict(index={"timestep": 6}), "disagrees"),
    (dict(index={"time": 6.5}), "disagrees"),
    (dict(index={"particles": 4}), "disagrees"),
    (dict(index={"timestep": 6}, between=OTHER), "disagrees"),
]
# Is no index that a reader may use: it walks the records.
UNUSED_INDEX = [
    dict(index={"count": 2}),
    dict(index={"count": 0}),
    dict(index={"count": 2**61 + 1}),
    dict(index={"offset": 0}),
    dict(index={"length": 8}),
    dict(index={"length": 2**63}),
    dict(index={}, body=bytes(8)),
    dict(index={"count": 0}, between=OTHER),
]


def incomplete(at=None, to=b"", mend=False):
    """Two frames; bytes of the first are replaced, and nothing is mended but, if asked for, its head checksum."""
    frame = bytearray(bare_frame())
    if at is not None:
        at %= len(frame)
        frame[at : at + len(to)] = to
        head_end = 24 + struct.unpack_from("<I", bare_frame(), 12)[0]
        if mend:
            checksum = struct.pack("<Q", xxh3_64(bytes(frame[:head_end])))
            frame[head_end : head_end + 8] = frame[-16:-8] = checksum
    return header() + bytes(frame) + bare_frame()


def number(layout, value):
    return struct.pack("<" + layout, value)


# A record that is not complete is no frame, and is passed over.
INCOMPLETE = [
    (dict(at=0, to=b"\0"), "no complete record"),  # marker
    (dict(at=12, to=number("I", 12), mend=True), "no complete record"),  # H is not a multiple of 8
    (dict(at=12, to=number("I", 2**32 - 8), mend=True), "no complete record"),  # H is longer than the record
    (dict(at=16, to=number("Q", 8), mend=True), "no complete record"),  # R is shorter than the head
    (dict(at=16, to=number("Q", 2**62 + 8), mend=True), "no complete record"),  # R
    (dict(at=24, to=b"\1"), "no complete record"),  # the head does not have its checksum
    (dict(at=-24, to=number("Q", 64)), "no complete record"),  # R in the trailer
    (dict(at=-16, to=number("Q", 0)), "no complete record"),  # checksum in the trailer
    (dict(at=-8, to=b"\0"), "no complete record"),  # end marker
]


# ---- section 3


def field_entry(
    kind=FLOAT64, dimensions=None, flags=0, codec=1, reserved=0, bound=0.0, step=0.0, error=None, names=("x",), name_length=None
):
    entry = struct.pack("<BBBBI", kind, len(names) if dimensions is None else dimensions, flags, codec, reserved)
    entry += struct.pack("<ddd", bound, step, bound if error is None else error)
    for column, name in enumerate(names):
        entry += struct.pack("<HB", column, len(name) if name_length is None else name_length) + name.encode()
    return entry


def bare_frame(
    particles=None,
    dimension=3,
    box_kind=0,
    boundary=b"\0" * 6,
    box=(),
    fields=(),
    field_count=None,
    since_key=0,
    chunks=(),
    chunk_count=None,
    lengths=None,
    checksums=None,
    reference=None,
    padding=None,
    more=b"",
    body=None,
):
    """A frame record. `fields`: entries; `chunks`: (particles, bytes) pairs."""
    total = sum(n for n, _ in chunks) if particles is None else particles
    box = [*box, *[0.0] * (12 - len(box))]
    head = struct.pack("<QqdBB6s12d", total, 5, 0.5, dimension, box_kind, boundary, *box)
    field_count = len(fields) if field_count is None else field_count
    head += struct.pack("<HHI", field_count, since_key, len(chunks) if chunk_count is None else chunk_count)
    head += b"".join(fields)
    for i, (n, data) in enumerate(chunks):
        length = len(data) if lengths is None else lengths[i]
        head += struct.pack("<QQQ", n, length, xxh3_64(data) if checksums is None else checksums[i])
    if reference is not None:
        head += struct.pack("<Q", reference)
    head = pad(head) if padding is None else head + padding
    return record(1, head + more, b"".join(data for _, data in chunks) if body is None else body)


def frame(**changes):
    return header() + bare_frame(**changes)


EMPTY_CHUNK = struct.pack("<II", 32, 0)

FRAME = [
    (dict(dimension=1), "dimension 1"),
    (dict(dimension=4), "dimension 4"),
    (dict(box_kind=4), "box kind 4"),
    (dict(box_kind=255), "box kind 255"),
    (dict(boundary=b"ppppxp"), "boundary"),
    (dict(boundary=b"pppp\1p"), "boundary"),
    (dict(box=[0.0, 1.0]), "unused entries"),
    (dict(box_kind=1, box=[0.0, 1.0] * 3 + [0.5]), "unused entries"),
    (dict(box_kind=2, box=[0.0, 1.0] * 3 + [0.0] * 3 + [1.0]), "unused entries"),
    (dict(particles=1), "particles of chunks and frame differ"),
    (dict(chunks=[(2**64 - 1, EMPTY_CHUNK), (2, EMPTY_CHUNK)], particles=1), "particles of chunks and frame differ"),
    (dict(field_count=1), "ends too early"),
    (dict(chunk_count=1), "ends too early"),
    (dict(chunk_count=2**32 - 1), "ends too early"),
    (dict(more=bytes(8)), "too long"),
    (dict(chunks=[(0, EMPTY_CHUNK)], lengths=[12]), "not a multiple of 8"),
    (dict(chunks=[(0, EMPTY_CHUNK)], lengths=[16]), "do not fill"),
    (dict(chunks=[(0, EMPTY_CHUNK)] * 2, lengths=[2**64 - 8, 24]), "do not fill"),
    (dict(chunks=[(0, EMPTY_CHUNK)], checksums=[1]), "chunk 0: checksum"),
    (dict(body=bytes(8)), "do not fill"),
    (dict(fields=[field_entry(names=["xyz"])], padding=b"\0\1"), "padding"),
    (dict(since_key=1, reference=7), "frame that it builds on is missing"),
]


def fields(first=None, second=None):
    """A frame with two fields and without particles."""
    entries = [field_entry(**{"flags": 1, "bound": 0.5, "step": 0.5, **(first or {})})]
    entries.append(field_entry(**{"kind": INTEGER, "names": ["id"], **(second or {})}))
    return frame(fields=entries)


FIELDS = [
    *((dict(first=dict(kind=kind)), f"value type {kind}") for kind in (0, 4, 255)),
    (dict(first=dict(dimensions=0)), "0 components"),
    (dict(first=dict(dimensions=4, names=list("xyzt"))), "4 components"),
    (dict(first=dict(flags=8)), "reserved flags"),
    (dict(first=dict(flags=128)), "reserved flags"),
    (dict(second=dict(kind=FLOAT64, flags=1)), "leading"),
    (dict(first=dict(kind=INTEGER, bound=0.0, step=0.0)), "leading"),
    (dict(first=dict(flags=3)), "no integer is shown"),
    (dict(first=dict(flags=4)), "no integer is shown"),
    (dict(second=dict(flags=6)), "element and as type label"),
    *((dict(first=dict(codec=codec)), f"codec {codec}") for codec in (0, 2, 3, 255)),
    (dict(first=dict(reserved=1)), "reserved bytes"),
    *((dict(first=dict(bound=bound, error=0.0)), "no number from 0 up") for bound in (-1.0, NAN, INFINITY)),
    *((dict(first=dict(step=step)), "no number from 0 up") for step in (-1.0, NAN, INFINITY)),
    (dict(first=dict(step=0.0)), "only one of bound and step"),
    (dict(first=dict(bound=0.0)), "only one of bound and step"),
    (dict(second=dict(bound=0.5, step=0.5)), "integer field has a bound"),
    *((dict(first=dict(error=error)), "largest error") for error in (0.75, -0.25, NAN, INFINITY)),
    (dict(second=dict(error=0.25)), "largest error"),
    (dict(first=dict(name_length=0, names=[""])), "no name"),
]


def entry_of(field, codec=1):
    """Of a WriteField."""
    return field_entry(field.type, None, field.flags, codec, 0, field.bound, field.step, None, field.names)


FAMILIES = [(header, HEADER), (records, RECORDS), (frame, FRAME), (fields, FIELDS)]
