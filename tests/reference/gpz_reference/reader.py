# SPDX-License-Identifier: BSD-3-Clause
"""Files: header, records, frames, index."""

import json
import math
import struct
from dataclasses import dataclass, field

from .chunk import decode_any_chunk
from .codec import FLOAT32, FLOAT64, INTEGER, BadFile, Cursor, require
from .features import KNOWN, needed, require_named
from .tables import OBSERVABLES, TABLES, complete
from .xxh3 import xxh3_64

MAGIC = b"\x89GPZ\r\n\x1a\n"
MARKER = bytes.fromhex("F59A47505AC3520A")
END_MARKER = bytes.fromhex("0A52C35A50479AF5")
RECORD_TYPES = FRAME, INDEX = 1, 2
BOX_KINDS = range(4)
TRAILER_SIZE = 24
RECORD_OVERHEAD = 56  # a record without head and body
LONGEST_METADATA = 2**24
DEEPEST_METADATA = 64
LONGEST_RECORD = 2**62


def is_string(value):
    return isinstance(value, str)


def is_strings(value):
    return isinstance(value, list) and all(map(is_string, value))


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def depth(value):
    """How deep objects and arrays are nested in a JSON value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


METADATA_TYPES = {
    **dict.fromkeys(("generator", "units", "atom_style", "command"), is_string),
    **dict.fromkeys(("columns", "elements", "type_labels"), is_strings),
    "timestep_size": is_number,
}


@dataclass
class Field:
    """An entry of a frame's field table."""

    type: int
    dimensions: int
    flags: int
    bound: float
    step: float
    largest_error: float
    names: list = field(default_factory=list)
    columns: list = field(default_factory=list)  # positions among the file's columns

    @property
    def leading(self):
        return bool(self.flags & 1)

    @property
    def value_size(self):
        return 4 if self.type == FLOAT32 else 8

    @property
    def bits_code(self):
        """struct's letter for the bits of a value."""
        return "I" if self.type == FLOAT32 else "Q"

    @property
    def value_code(self):
        return {INTEGER: "q", FLOAT32: "f", FLOAT64: "d"}[self.type]


@dataclass
class Column:
    name: str
    field: Field
    data: bytes  # the values as stored in memory, little-endian

    @property
    def values(self):
        return list(struct.unpack(f"<{len(self.data) // self.field.value_size}{self.field.value_code}", self.data))

    @property
    def digest(self):
        return f"{xxh3_64(self.data):016x}"


@dataclass
class Frame:
    offset: int  # of the record in the file
    length: int  # of the record
    particles: int
    timestep: int
    time: float
    dimension: int
    box_kind: int
    boundary: str
    box: tuple
    fields: list
    chunks: list  # (particles, length, checksum)
    since_key: int  # frames since the key frame
    reference: int | None  # head checksum of the previous frame; None in key frames
    columns: list = field(default_factory=list)
    tables: list = field(default_factory=list)  # all that are valid for the frame, ascending by name
    observables: list = field(default_factory=list)

    def column(self, name):
        return next(column for column in self.columns if column.name == name)


@dataclass
class File:
    metadata: dict
    features: int  # required ones
    frames: list
    index: list | None  # entries (offset, length, timestep, bits of time, particles); None without an index
    torn: int | None  # where the bytes that are no complete record at the end of the file start
    damage: list  # what was skipped, "byte P: cause"
    tables: list = field(default_factory=list)  # valid at the end of the file, ascending by name


def read_file_header(data):
    """Returns the metadata, the required features and the offset of the first record."""
    require(data[:8] == MAGIC[: len(data)] and len(data) > 0, "not a .gpz file")
    cursor = Cursor(data, "file header")
    cursor.take(8)
    (major,) = cursor.unpack("H")
    require(major == 1, f"format version {major} is not supported")
    _minor, required, _optional, length = cursor.unpack("HIII")
    require(required & ~KNOWN == 0, f"required features {required:#x} are not supported")
    require(length <= LONGEST_METADATA, "metadata is too long")
    text = bytes(cursor.take(length))
    cursor.skip_padding()
    covered = cursor.offset
    (checksum,) = cursor.unpack("Q")
    require(checksum == xxh3_64(data[:covered]), "file header: checksum does not hold")
    try:
        metadata = json.loads(text.decode("utf-8"))
        levels = depth(metadata)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"metadata: {error}") from None
    require(levels <= DEEPEST_METADATA, "metadata is nested too deep")
    require(isinstance(metadata, dict), "metadata is not a JSON object")
    for key, is_right in METADATA_TYPES.items():
        require(key not in metadata or is_right(metadata[key]), f"metadata: {key} has the wrong type")
    return metadata, required, cursor.offset


@dataclass
class Record:
    type: int
    offset: int
    length: int
    head: bytes
    checksum: int  # of the head
    body: memoryview


def read_record(data, offset):
    """The complete record at an offset, or None."""
    rest = memoryview(data)[offset:]
    if len(rest) < RECORD_OVERHEAD or rest[:8] != MARKER:
        return None
    kind, head_length, length = struct.unpack("<IIQ", rest[8:24])
    if head_length % 8 or length % 8 or not RECORD_OVERHEAD + head_length <= length <= min(LONGEST_RECORD, len(rest)):
        return None
    (checksum,) = struct.unpack_from("<Q", rest, 24 + head_length)
    trailer = struct.pack("<QQ", length, checksum) + END_MARKER
    if checksum != xxh3_64(rest[: 24 + head_length]) or rest[length - TRAILER_SIZE : length] != trailer:
        return None
    head, body = bytes(rest[24 : 24 + head_length]), rest[32 + head_length : length - TRAILER_SIZE]
    return Record(kind, offset, length, head, checksum, body)


def is_not_negative(value):
    return math.isfinite(value) and value >= 0


def read_field(cursor, position, right_codec):
    kind, dimensions, flags, codec, reserved, bound, step, error = cursor.unpack("BBBBIddd")
    require(kind in (INTEGER, FLOAT32, FLOAT64), f"value type {kind} is unknown")
    require(1 <= dimensions <= 3, f"a field has {dimensions} components")
    require(flags < 8, "reserved flags of a field are set")
    require(not flags & 1 or (position == 0 and kind != INTEGER), "a field that may not be the leading one is")
    require(not flags & 6 or kind == INTEGER, "a field that is no integer is shown as an atom type")
    require(flags & 6 != 6, "a field is shown as element and as type label")
    require(codec == right_codec, f"codec {codec} is not one for this frame")
    require(reserved == 0, "reserved bytes of a field are not zero")
    require(is_not_negative(bound) and is_not_negative(step), "a bound or step is no number from 0 up")
    require(kind != INTEGER or (bound == 0 and step == 0), "an integer field has a bound or a step")
    require((bound == 0) == (step == 0), "only one of bound and step is 0")
    require(0 <= error <= bound, "a field's largest error exceeds its bound")
    result = Field(kind, dimensions, flags, bound, step, error)
    for _ in range(dimensions):
        column, length = cursor.unpack("HB")
        require(length > 0, "a component has no name")
        result.columns.append(column)
        result.names.append(bytes(cursor.take(length)).decode("utf-8", errors="backslashreplace"))
    return result


def read_frame_head(record):
    cursor = Cursor(record.head, "frame head")
    particles, timestep, time, dimension, kind = cursor.unpack("QqdBB")
    boundary = bytes(cursor.take(6))
    box = cursor.unpack("12d")
    field_count, since_key, chunk_count = cursor.unpack("HHI")
    require(dimension in (2, 3), f"dimension {dimension} is not 2 or 3")
    require(kind in BOX_KINDS, f"box kind {kind} is unknown")
    require(all(b in b"pfsm\0" for b in boundary), "a boundary is unknown")
    used = {0: 0, 1: 6, 2: 9, 3: 12}[kind]
    require(not any(box[used:]), "unused entries of the box are not zero")
    fields = [read_field(cursor, i, 2 if since_key else 1) for i in range(field_count)]
    chunks = [cursor.unpack("QQQ") for _ in range(chunk_count)]
    reference = cursor.unpack("Q")[0] if since_key else None
    cursor.skip_padding()
    require(len(cursor.rest()) == 0, "a frame head is too long")
    require(all(length % 8 == 0 for _, length, _ in chunks), "the length of a chunk is not a multiple of 8")
    require(sum(length for _, length, _ in chunks) == len(record.body), "chunks do not fill their frame")
    require(sum(n for n, _, _ in chunks) == particles, "particles of chunks and frame differ")
    names = "".join(chr(b) if b else "?" for b in boundary)
    return Frame(
        record.offset, record.length, particles, timestep, time, dimension, kind, names, box, fields, chunks, since_key, reference
    )


@dataclass
class Last:
    """What a difference frame needs of the previous frame."""

    frame: Frame
    checksum: int  # of its head
    histories: list  # of its chunks


def check_reference(frame, last):
    require(last is not None, "the frame that it builds on is missing")
    require(frame.since_key == last.frame.since_key + 1, "the frame before is not the one that it builds on: its number")
    require(frame.reference == last.checksum, "the frame before is not the one that it builds on: its checksum")
    require(len(frame.chunks) == len(last.frame.chunks), "it has another number of chunks than the frame that it builds on")


def read_frame(record, last, features):
    """The frame, and what the next one needs of it. `last` is that of the previous frame in the file, None if that frame is damaged.
    `features`: the required ones of the file."""
    frame = read_frame_head(record)
    if frame.since_key:
        check_reference(frame, last)
    before = last.histories if frame.since_key else [None] * len(frame.chunks)
    columns = [[] for f in frame.fields for _ in f.names]
    histories = []
    body = Cursor(record.body, "frame")
    for i, (particles, length, checksum) in enumerate(frame.chunks):
        data = body.take(length)
        require(checksum == xxh3_64(data), f"chunk {i}: checksum does not hold")
        try:
            require_named(needed(data, len(frame.fields)), features)
            decoded, history = decode_any_chunk(data, frame.fields, particles, before[i])
        except BadFile as error:
            raise BadFile(f"chunk {i}: {error}") from None
        histories.append(history)
        for column, values in zip(columns, decoded):
            column += values
    owners = [(f, name) for f in frame.fields for name in f.names]
    for (owner, name), bits in zip(owners, columns):
        frame.columns.append(Column(name, owner, struct.pack(f"<{len(bits)}{owner.bits_code}", *bits)))
    return frame, Last(frame, record.checksum, histories)


def read_index(record):
    cursor = Cursor(record.head, "index")
    (count,) = cursor.unpack("Q")
    require(8 + 40 * count == len(record.head), "the index is not as long as its count says")
    require(len(record.body) == 0, "the index has a body")
    return [cursor.unpack("QQqQQ") for _ in range(count)]


def check_index(index, frames, others, start, end):
    """An index must agree with the frames, if nothing but these and other records lies between `start` (end of the file header)
    and `end` (its own offset). others: length of the other record at each offset."""

    def behind_others(offset):
        while offset in others:
            offset += others[offset]
        return offset

    for offset, length, *_ in index:
        if offset != behind_others(start):
            return
        start = offset + length
    if behind_others(start) == end:
        found = [(f.offset, f.length, f.timestep, bits_of(f.time), f.particles) for f in frames]
        require(index == found, "the index disagrees with the frames")


def bits_of(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def next_record(data, offset):
    """The next multiple of 8 at which there is a complete record, or None."""
    while (offset := data.find(MARKER, offset)) >= 0:
        if offset % 8 == 0 and read_record(data, offset):
            return offset
        offset += 1
    return None


def walk(data, offset, damage):
    """Yields the complete records; appends to damage what is skipped between them; returns where the torn tail starts."""
    while offset < len(data):
        record = read_record(data, offset)
        if record:
            yield record
            offset += record.length
            continue
        following = next_record(data, offset + 8)
        if following is None:
            return offset
        damage.append(f"byte {offset}: no complete record; the next one is at byte {following}")
        offset = following
    return None


def read_bytes(data):
    metadata, features, start = read_file_header(data)
    file = File(metadata, features, frames=[], index=None, torn=None, damage=[])
    last, before = None, None  # record; what a difference frame builds on
    others = {}
    with_records, waiting = [], []  # frames and the records of tables and observables in front of them; those of the next one

    def records():
        file.torn = yield from walk(data, start, file.damage)

    for last in records():
        require(last.type in RECORD_TYPES or last.type >> 31, f"byte {last.offset}: record type {last.type} is unknown")
        try:
            if last.type == FRAME:
                held, before = before, None  # no frame can build on a damaged one
                with_records.append((waiting, None))
                waiting = []
                frame, before = read_frame(last, held, features)
                with_records[-1] = with_records[-1][0], frame
                file.frames.append(frame)
            elif last.type == INDEX:
                file.index = read_index(last)
            else:
                others[last.offset] = last.length
                if last.type in (TABLES, OBSERVABLES):
                    waiting.append(last)
        except BadFile as error:
            file.damage.append(f"byte {last.offset}: {error}")
    if file.index is not None and last.type == INDEX and not file.damage:
        check_index(file.index, file.frames, others, start, last.offset)
    file.tables = complete(with_records, waiting, file.damage)
    return file


def read_file(path):
    """Decodes a whole file. Raises BadFile for one that is no .gpz file of a known version; frames that do not hold are
    left out and named in `damage`."""
    with open(path, "rb") as stream:
        return read_bytes(stream.read())
