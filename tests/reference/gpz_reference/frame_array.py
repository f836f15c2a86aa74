# SPDX-License-Identifier: BSD-3-Clause
"""Section 16 of docs/format.md: frame arrays. Slow and plain on purpose."""

import math
import struct
from dataclasses import dataclass

from .chunk import decode_any_chunk
from .codec import FLOAT32, FLOAT64, INTEGER, MASK, Cursor, require
from .difference import DIFFERENCES, ChunkHistory
from .features import FRAME_ARRAY, KNOWN, needed, needed_by_section, require_named
from .few_values import Others
from .ordered import ORDERED, PARTICLES_A_BYTE, decode_section
from .reader import MAGIC, Field
from .xxh3 import xxh3_64

COMPONENTS, IS_DOUBLE, HAS_BOUND = 3, 4, 8  # bits of the kind
FORMS = WHOLE, IN_ORDER, STAYING = 0, 1, 2
FORM, STEP_FOLLOWS, LENGTH_SHIFT = 3, 4, 3  # of an entry
MOST_PARTICLES = 2**31 - 1
MOST_PACKED = 64
BLOCK_SIZE = 1024
LEFT_OUT = 152  # bytes of a chunk in form 1: its head, and its section of ids
NAMES = ("x", "y", "z")  # values of an array have none: these are for messages


@dataclass
class FrameArray:
    frames: int
    particles: int
    components: int
    type: int  # FLOAT32 or FLOAT64
    bound: float  # 0: lossless
    values: list  # of each frame a list of bit patterns a component, in the order of the rows

    @property
    def data(self):
        """The array as stored in memory: frames x particles x components, little-endian."""
        code = "I" if self.type == FLOAT32 else "Q"
        rows = (bits for columns in self.values for row in zip(*columns) for bits in row)
        return struct.pack(f"<{self.frames * self.particles * self.components}{code}", *rows)


def take_number(cursor):
    value = shift = 0
    while True:
        (byte,) = cursor.unpack("B")
        value |= (byte & 127) << shift
        shift += 7
        require(value <= MASK and shift <= 70, "a number has more than 64 bits")
        if byte < 128:
            return value


def unpacked(data):
    """A section."""
    cursor = Cursor(data, "packed section")
    count = take_number(cursor)
    require(count <= MOST_PACKED, "a section has too many packed words")
    numbers = [take_number(cursor) for _ in range(count)]
    words = [n // 2 if n % 2 == 0 else -(n // 2 + 1) & MASK for n in numbers]
    rest = cursor.rest()
    require(len(rest) % 8 == 0, "the length of a section is not a multiple of 8")
    return struct.pack(f"<{count}Q", *words) + bytes(rest)


class Frames:
    """Decodes one frame after the other."""

    def __init__(self, particles, components, kind, bound, features):
        self.particles, self.features, self.history = particles, features, None
        self.values = Field(kind, components, 1, bound, 0.0, 0.0, list(NAMES[:components]))
        self.ids = Field(INTEGER, 1, 0, 0.0, 0.0, 0.0, ["id"])

    def decode(self, form, step, data):
        """A list of bit patterns a component, in the order of the rows."""
        fields = [Field(**{**vars(self.values), "step": step}), self.ids]
        if form == IN_ORDER:
            columns = self.decode_in_order(fields, unpacked(data))
        else:
            chunk = bytes(data) if form == WHOLE else self.chunk_of_staying(unpacked(data))
            require_named(needed(chunk, len(fields)), self.features)
            columns, self.history = decode_any_chunk(chunk, fields, self.particles, self.history)
        *values, ids = columns
        row_of = {number: row for row, number in enumerate(ids)}
        require(set(row_of) == set(range(1, self.particles + 1)), "the ids of a frame are not those from 1 to its particles")
        return [[column[row_of[i + 1]] for i in range(self.particles)] for column in values]

    def decode_in_order(self, fields, section):
        require_named(needed_by_section(section, ORDERED), self.features)
        require(self.particles // PARTICLES_A_BYTE <= len(section) + LEFT_OUT, "there are more particles than a chunk has")
        ids = list(range(1, self.particles + 1))
        columns, steps = decode_section(section, fields[0], self.particles, ids, Others(fields, []))
        columns.append(ids)
        self.history = ChunkHistory(fields, columns, self.particles, steps)
        return columns

    def chunk_of_staying(self, section):
        require(self.history is not None, "the first frame builds on one before")
        head = struct.pack("<IIQQQQ", BLOCK_SIZE, DIFFERENCES, self.particles, 0, 0, 0)
        return head + struct.pack("<2Q", len(section), 0) + section


def take_entries(cursor, frames, has_bound):
    """Form, step and length of each frame."""
    step, entries = 0.0, []
    for _ in range(frames):
        number = take_number(cursor)
        require(number & FORM in FORMS, "a frame has an unknown form")
        if number & STEP_FOLLOWS:
            (step,) = cursor.unpack("d")
        require(math.isfinite(step) and (step > 0 if has_bound else step == 0), "the step of a frame does not fit the bound")
        entries.append((number & FORM, step, number >> LENGTH_SHIFT))
    return entries


def decode_frame_array(data):
    """Raises BadFile."""
    data = bytes(data)
    require(data[:8] == MAGIC, "not a frame array")
    cursor = Cursor(data[:-8], "frame array")
    cursor.take(8)
    major, _minor, features = cursor.unpack("HHI")
    require(major == 1, f"format version {major} is not supported")
    require(features & ~(KNOWN | FRAME_ARRAY) == 0, f"required features {features:#x} are not supported")
    require(features & FRAME_ARRAY, "a file, and not a frame array")
    require(xxh3_64(data[:-8]) == int.from_bytes(data[-8:], "little"), "frame array: checksum does not hold")
    (kind,) = cursor.unpack("B")
    components = kind & COMPONENTS
    require(kind < 16, "reserved bits of a frame array are set")
    require(components > 0, "a frame array has no components")
    particles, frames = take_number(cursor), take_number(cursor)
    require(particles <= MOST_PARTICLES, "a frame array has too many particles")
    bound = cursor.unpack("d")[0] if kind & HAS_BOUND else 0.0
    require(not kind & HAS_BOUND or (math.isfinite(bound) and bound > 0), "the bound of a frame array is no positive number")
    entries = take_entries(cursor, frames, bool(kind & HAS_BOUND))
    type_of_values = FLOAT64 if kind & IS_DOUBLE else FLOAT32
    decoder, values = Frames(particles, components, type_of_values, bound, features), []
    for form, step, length in entries:
        require(particles > 0 or length == 0, "a frame without particles has a chunk")
        stored = cursor.take(length)
        values.append(decoder.decode(form, step, stored) if particles else [[] for _ in range(components)])
    require(len(cursor.rest()) == 0, "chunks do not fill their frame array")
    return FrameArray(frames, particles, components, type_of_values, bound, values)
