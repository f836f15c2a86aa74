# SPDX-License-Identifier: BSD-3-Clause
"""Sections 4 to 7 of docs/format.md: a chunk of bytes to columns of values. Slow and plain on purpose."""

import math
import struct
from itertools import accumulate

MASK = 2**64 - 1
SIGN = 2**63
LARGEST_INDEX = 2**51 - 1  # of the grid, either sign
INTEGER, FLOAT32, FLOAT64 = 1, 2, 3
MODES = RUNS, ELIAS_FANO, PLAIN, EXACT = 0, 1, 2, 3  # of blocks


class BadFile(Exception):
    """The file breaks a rule of the format."""


def require(condition, cause):
    if not condition:
        raise BadFile(cause)


class Cursor:
    """Takes items off the front of some bytes; never past their end."""

    def __init__(self, data, what):
        self.data, self.what, self.offset = memoryview(data), what, 0

    def take(self, length):
        require(length <= len(self.data) - self.offset, f"{self.what} ends too early")
        self.offset += length
        return self.data[self.offset - length : self.offset]

    def unpack(self, layout):
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def skip_padding(self):
        """Zeros up to a multiple of 8 bytes."""
        require(not any(self.take(-self.offset % 8)), f"{self.what}: padding is not zero")

    def rest(self):
        return self.take(len(self.data) - self.offset)


def bits_at(data, start, width):
    """Bits start to start + width of a little-endian bit string."""
    covering = data[start >> 3 : (start + width + 7) >> 3]
    return (int.from_bytes(covering, "little") >> (start & 7)) & ((1 << width) - 1)


def ceil_div(a, b):
    return -(-a // b)


# ---- section 6: the packed parts of a block's payload, taken off a Cursor


def take_words(payload, bits):
    return payload.take(4 * ceil_div(bits, 32))


def take_pack(payload, width, n, lanes):
    """pack(v, width, n): lane i mod lanes holds value i in its row i / lanes."""
    words_a_lane = ceil_div(ceil_div(n, lanes) * width, 32)
    words = payload.take(4 * lanes * words_a_lane).cast("I")
    strings = [words[lane::lanes].tobytes() for lane in range(lanes)]
    return [bits_at(strings[i % lanes], i // lanes * width, width) for i in range(n)]


def take_wide(payload, width, n, lanes):
    low = take_pack(payload, min(width, 32), n, lanes)
    if width <= 32:
        return low
    high = take_pack(payload, width - 32, n, lanes)
    return [h << 32 | l for h, l in zip(high, low)]


def take_elias_fano(payload, n, segments):
    """Ascending segment ids from the bitmap in which bit id_i + i is set."""
    bitmap = take_words(payload, n + segments)
    positions = [i for i in range(8 * len(bitmap)) if bitmap[i >> 3] >> (i & 7) & 1]
    require(len(positions) == n, "the bitmap of segments has not one set bit a particle")
    require(positions[-1] < n + segments, "the bitmap of segments has bits beyond its end")
    return [position - i for i, position in enumerate(positions)]


def take_runs(payload, n, record):
    """Ascending segment ids from runs of equal ids."""
    item_width = record.gap_width + record.count_width
    string = take_words(payload, record.runs * item_width)
    ids, last = [], -1
    for k in range(record.runs):
        last += 1 + bits_at(string, k * item_width, record.gap_width)
        length = 1 + bits_at(string, k * item_width + record.gap_width, record.count_width)
        require(length <= n - len(ids), "runs are longer than the block")
        ids += [last] * length
    require(len(ids) == n, "runs are shorter than the block")
    return ids


# ---- section 5: directory


class BlockRecord:
    """One record of the directory; min includes the section's base."""

    def __init__(self, items, base):
        d = len(base)
        self.mode = items[0]
        self.min = [(m + b) & MASK for m, b in zip(items[1 : 1 + d], base)]
        self.extent = items[1 + d : 1 + 2 * d]
        self.shift = items[1 + 2 * d : 1 + 3 * d]
        self.runs, self.gap_width, self.count_width, self.exceptions = items[1 + 3 * d :]

    def check(self, field, n):
        modes = {EXACT}
        if field.step > 0:
            modes = {*MODES} if field.leading else {PLAIN, EXACT}
        require(self.mode in modes, f"block mode {self.mode} is not one for this field")
        lowest, highest = 0, 2**32 - 1 if field.type == FLOAT32 else MASK
        if self.mode != EXACT:
            lowest, highest = SIGN - LARGEST_INDEX, SIGN + LARGEST_INDEX
        for smallest, extent in zip(self.min, self.extent):
            require(lowest <= smallest <= smallest + extent <= highest, "keys of a block are out of range")
        if self.mode in (RUNS, ELIAS_FANO):
            require(max(self.shift) <= 63, "a shift is larger than 63")
        else:
            require(not any(self.shift), "a block that is not sorted has a shift")
        if self.mode == RUNS:
            require(1 <= self.runs <= n, "the number of runs does not fit the block")
            require(self.gap_width <= 17 and self.count_width <= 16, "a width of the runs is too large")
        else:
            require(self.runs == self.gap_width == self.count_width == 0, "a block without runs describes runs")
        require(self.exceptions <= (0 if self.mode == EXACT else n * len(self.min)), "too many exceptions")


def take_directory(cursor, widths, blocks):
    """The items of every record."""
    record_bits = sum(widths)
    directory = cursor.take(4 * ceil_div(blocks * record_bits, 32))
    unused = 8 * len(directory) - blocks * record_bits
    require(bits_at(directory, blocks * record_bits, unused) == 0, "padding of the directory is not zero")
    cursor.skip_padding()
    starts = [0, *accumulate(widths)]
    return [
        [bits_at(directory, b * record_bits + start, width) for start, width in zip(starts, widths)] for b in range(blocks)
    ]


def read_directory(cursor, field, particles, block_size):
    d = field.dimensions
    widths = cursor.take(5 + 3 * d)
    require(max(widths) <= 64, "a record width is larger than 64")
    cursor.skip_padding()
    base = cursor.unpack(f"{d}Q")
    blocks = ceil_div(particles, block_size)
    records = []
    for b, items in enumerate(take_directory(cursor, widths, blocks)):
        records.append(BlockRecord(items, base))
        records[-1].check(field, min(block_size, particles - b * block_size))
    return records


# ---- sections 6 and 7: blocks


def sorted_deltas(payload, record, n, lanes, block_size):
    """Key minus minimum of every particle and component, in modes 0 and 1."""
    segments = [(extent >> shift) + 1 for extent, shift in zip(record.extent, record.shift)]
    offset_bits = [min(shift, extent.bit_length()) for extent, shift in zip(record.extent, record.shift)]
    total = math.prod(segments)
    require(total <= 2 * block_size, "a block has too many segments")
    require(sum(offset_bits) <= 64, "the offsets of a block are wider than 64 bits")
    if record.mode == ELIAS_FANO:
        ids = take_elias_fano(payload, n, total)
    else:
        ids = take_runs(payload, n, record)
    require(ids[-1] < total, "a segment is out of range")
    offsets = take_wide(payload, sum(offset_bits), n, lanes)

    deltas = []
    for shift, count, width in zip(record.shift, segments, offset_bits):
        deltas.append([(s % count << shift) + (o & ((1 << width) - 1)) for s, o in zip(ids, offsets)])
        ids = [s // count for s in ids]
        offsets = [o >> width for o in offsets]
    return deltas


def float_from_key(key, value_bits):
    """Section 5, bits of a float: the inverse of the key that keeps the order."""
    sign = 1 << (value_bits - 1)
    return key ^ sign if key & sign else key ^ (2 * sign - 1)


def grid_value(key, field):
    """Section 7: the value at grid index key - 2^63, as its bits."""
    value = float(key - SIGN) * field.step
    if field.type == FLOAT64:
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:  # Python refuses where IEEE 754 rounds to infinity
        return 0x7F800000 if value > 0 else 0xFF800000


def decode_block(payload, record, field, n, block_size):
    """The block's values as unsigned bit patterns, one list a component."""
    lanes = 32 if n == block_size else 1
    if record.mode in (RUNS, ELIAS_FANO):
        deltas = sorted_deltas(payload, record, n, lanes, block_size)
    else:
        deltas = [take_wide(payload, extent.bit_length(), n, lanes) for extent in record.extent]
    for delta, extent in zip(deltas, record.extent):
        require(max(delta) <= extent, "a key is larger than its block allows")

    keys = [[smallest + d for d in delta] for smallest, delta in zip(record.min, deltas)]
    if field.type == INTEGER:
        return [[key ^ SIGN for key in column] for column in keys]
    if record.mode == EXACT:
        return [[float_from_key(key, 8 * field.value_size) for key in column] for column in keys]
    columns = [[grid_value(key, field) for key in column] for column in keys]
    places = payload.unpack(f"{record.exceptions}I")
    values = payload.unpack(f"{record.exceptions}{field.bits_code}")
    for place, value in zip(places, values):
        index, component = place & 0xFFFF, place >> 16 & 3
        require(place >> 18 == 0, "reserved bits of an exception are not zero")
        require(index < n and component < len(columns), "an exception is out of range")
        columns[component][index] = value
    return columns


def decode_section(data, field, particles, block_size):
    """A section to one list of bit patterns a component."""
    columns = [[] for _ in range(field.dimensions)]
    if particles == 0:
        require(len(data) == 0, "a section without particles is not empty")
        return columns
    cursor = Cursor(data, f"section {field.names[0]}")
    records = read_directory(cursor, field, particles, block_size)
    for b, record in enumerate(records):
        n = min(block_size, particles - b * block_size)
        for column, values in zip(columns, decode_block(cursor, record, field, n, block_size)):
            column += values
    cursor.skip_padding()
    require(len(cursor.rest()) == 0, f"{cursor.what} is too long")
    return columns


def decode_chunk(data, fields, particles):
    """A chunk of kind 0 to one list of bit patterns a component of every field, in field order."""
    cursor = Cursor(data, "chunk")
    block_size, kind = cursor.unpack("II")
    require(block_size % 32 == 0 and 32 <= block_size <= 4096, f"block size {block_size} is not one")
    require(kind == 0, f"chunk kind {kind} is not one for here")
    lengths = cursor.unpack(f"{len(fields)}Q")
    columns = []
    for field, length in zip(fields, lengths):
        require(length % 8 == 0, "the length of a section is not a multiple of 8")
        columns += decode_section(cursor.take(length), field, particles, block_size)
    require(len(cursor.rest()) == 0, "sections do not fill their chunk")
    return columns
