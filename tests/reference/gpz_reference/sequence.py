# SPDX-License-Identifier: BSD-3-Clause
"""Section 10f of docs/format.md: chunks whose particles are in the order of memory. Slow and plain on purpose."""

from .codec import Cursor, bits_at, ceil_div, decode_chunk, require, take_pack
from .difference import BLOCK_CODED, FEW_VALUES
from .gridded import columns_of, decode_sections, few_values, read_exact

SEQUENCE = 4  # kind of chunks
STEPS = 8  # coding of sections
PARTICLES = 4096  # of a block
LANES = 32
SYMBOLS, ZERO = 1024, 512
SLOTS = 4096
CLASSES = 3
CONTEXTS = CLASSES * CLASSES  # of a component
LARGEST_SHIFT = 21
LEAST_STATE = 2**16


class Axis:
    def __init__(self, cursor):
        self.shift, self.up, self.down, reserved = cursor.unpack("4H")
        require(self.shift <= LARGEST_SHIFT, "a step has too many low bits")
        require(self.up < SYMBOLS and self.down <= SYMBOLS and reserved == 0, "classes of symbols")

    def class_of(self, symbol):
        return 0 if symbol < self.up else 1 if symbol < self.down else 2


class Table:
    def __init__(self, cursor):
        self.escape, self.first, self.count, self.width = cursor.unpack("4H")
        if self.escape == 0:
            require((self.first, self.count, self.width) == (1, 0, 0), "a context that does not occur has symbols")
        require(self.escape <= SLOTS and self.width <= 13, "frequencies of a table")
        require(0 < self.first and self.first + self.count <= SYMBOLS, "symbols of a table")

    def read_frequencies(self, cursor):
        data = cursor.take(4 * ceil_div(self.count * self.width, 32))
        frequencies = [bits_at(data, k * self.width, self.width) for k in range(self.count)]
        require(int.from_bytes(data, "little") >> self.count * self.width == 0, "bits behind a table are not zero")
        self.starts, self.frequencies, self.symbols = {}, {0: self.escape}, []
        self.frequencies.update((self.first + k, frequency) for k, frequency in enumerate(frequencies))
        for symbol, frequency in self.frequencies.items():
            self.starts[symbol] = len(self.symbols)
            self.symbols += [symbol] * frequency
        require(len(self.symbols) == (SLOTS if self.escape else 0), "frequencies of a table have another sum")


class Lane:
    def __init__(self, state, dimensions):
        require(state >= LEAST_STATE, "a state is too small")
        self.state, self.classes, self.last = state, [1] * dimensions, 1

    def take(self, d, axis, tables, stream):
        table = tables[CONTEXTS * d + CLASSES * self.classes[d] + self.last]
        require(table.escape, "a context that occurs has no table")
        slot = self.state % SLOTS
        symbol = table.symbols[slot]
        self.state = table.frequencies[symbol] * (self.state // SLOTS) + slot - table.starts[symbol]
        if self.state < LEAST_STATE:
            require(stream, "a stream ends too early")
            self.state = self.state << 16 | stream.pop(0)
        self.classes[d] = self.last = axis.class_of(symbol)
        return symbol


def read_block(payload, n, axes, tables, record):
    """The indices of n particles, a list a component."""
    words, escapes, *first = record
    require(words <= n * len(axes) and escapes <= n * len(axes), "a block has too many words or escapes")
    rows = ceil_div(n, LANES)
    low = [take_pack(payload, axis.shift, rows * LANES, LANES) for axis in axes]
    beyond = list(payload.unpack(f"{escapes}i"))
    lanes = [Lane(state, len(axes)) for state in payload.unpack(f"{LANES}I")]
    stream = list(payload.unpack(f"{words}H"))
    require(words % 2 == 0 or payload.unpack("H") == (0,), "the padding of a stream is not zero")

    symbols = {}
    for row in range(rows):
        for d, axis in enumerate(axes):
            for number, lane in enumerate(lanes):
                particle = number * rows + row
                if particle < n:
                    symbols[particle, d] = lane.take(d, axis, tables, stream)
    require(not stream and all(lane.state == LEAST_STATE for lane in lanes), "a stream goes on")

    columns = [[] for _ in axes]
    for particle in range(n):
        for d, axis in enumerate(axes):
            symbol = symbols[particle, d]
            if symbol == 0:
                require(beyond, "there are more escapes than steps for them")
                step = beyond.pop(0)
            else:
                step = (symbol - ZERO << axis.shift) + low[d][particle % rows * LANES + particle // rows]
            columns[d].append((columns[d][-1] if particle else first[d]) + step)
    require(not beyond, "there are fewer escapes than steps for them")
    return columns


def read_indices(cursor, particles, dimensions):
    axes = [Axis(cursor) for _ in range(dimensions)]
    tables = [Table(cursor) for _ in range(CONTEXTS * dimensions)]
    begin = cursor.offset
    for table in tables:
        table.read_frequencies(cursor)
    require((cursor.offset - begin) % 8 == 0 or not any(cursor.take(4)), "the padding of tables is not zero")
    records = [cursor.unpack(f"II{dimensions}q") for _ in range(ceil_div(particles, PARTICLES))]
    columns = [[] for _ in axes]
    for number, record in enumerate(records):
        n = min(PARTICLES, particles - number * PARTICLES)
        for column, part in zip(columns, read_block(cursor, n, axes, tables, record)):
            column += [(index + 2**63) % 2**64 - 2**63 for index in part]
    padding = cursor.rest()
    require(len(padding) < 8 and not any(padding), "there is more than the blocks of a section")
    return columns


def decode_section(data, field, particles, others):
    cursor = Cursor(data, f"section {field.names[0]}")
    coding, *reserved = cursor.unpack("8B")
    require(not any(reserved), "reserved bytes of a section are not zero")
    require(coding in (BLOCK_CODED, STEPS, FEW_VALUES), f"coding {coding} is unknown")
    if coding == FEW_VALUES:
        return few_values(cursor, particles, field, others)
    if coding == BLOCK_CODED:
        following = type(field)(**{**vars(field), "flags": field.flags & ~1})
        return decode_chunk(cursor.rest(), [following], particles)

    require(field.step > 0, "a field without a grid")
    exact = read_exact(cursor, particles, field)
    return columns_of(read_indices(cursor, particles, field.dimensions), exact, field)


def decode_sequence(data, fields, particles):
    """A chunk of kind 4 to columns as decode_chunk gives them."""
    return decode_sections(data, fields, particles, "sequence", decode_section)
