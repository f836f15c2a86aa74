# SPDX-License-Identifier: BSD-3-Clause
"""Sections 8 and 9 of docs/format.md: difference chunks. Slow and plain on purpose."""

import struct

from .block import BLOCK_SIZE, eighths, open_block, residual_of, triples_by_rank
from .codec import (
    FLOAT32,
    INTEGER,
    LARGEST_INDEX,
    MASK,
    SIGN,
    Cursor,
    bits_at,
    ceil_div,
    decode_chunk,
    float_from_key,
    grid_value,
    require,
    take_directory,
    take_words,
)
from .classed import Memory, read_classed
from .few_values import Others, read_few_values

DIFFERENCES = 1  # kind of chunks
CODINGS = PREDICTED, BLOCK_CODED, MODELLED, CLASSED, FEW_VALUES, STEPS = 1, 2, 4, 10, 11, 13  # of sections
PREDICTIONS = TEMPORAL, WITH_NEIGHBOURS = 1, 2
LARGEST_VELOCITY = 2**22 - 1
LARGEST_MEAN = 2**23 - 1  # in eighths
LARGEST_NEIGHBOUR = 2**20 - 1
LARGEST_SUM = 2**28 - 1
LARGEST_PERIOD = 2**52


def signed(value):
    """Modulo 2^64, as two's complement."""
    return (value + SIGN & MASK) - SIGN


def limited(value, largest):
    return max(-largest, min(largest, value))


def is_plain(field):
    return field.type == INTEGER or field.step == 0


# ---- section 8: values and their indices


def value_from_index(index, field):
    """The bits of a value."""
    if field.type == INTEGER:
        return index & MASK
    if field.step == 0:
        return float_from_key(index & (2 ** (8 * field.value_size) - 1), 8 * field.value_size)
    return grid_value(index + SIGN, field)


def float_from_bits(bits, field):
    return struct.unpack(f"<{field.value_code}", struct.pack(f"<{field.bits_code}", bits))[0]


def index_from_value(bits, field):
    if field.type == INTEGER:
        return signed(bits)
    if field.step == 0:
        sign = 1 << 8 * field.value_size - 1
        return signed(bits ^ (2 * sign - 1) if bits & sign else bits | sign)
    value = float_from_bits(bits, field)
    product = value * (1 / field.step)
    if not abs(product) <= LARGEST_INDEX:
        return 0
    index = round(product)
    difference = value - float_from_bits(grid_value(index + SIGN, field), field)
    if field.type == FLOAT32:
        difference = struct.unpack("<f", struct.pack("<f", difference))[0]
    return index if abs(difference) < field.bound else 0


# ---- section 9: history


class Axis:
    def __init__(self, lo=0, period=0):
        self.lo, self.period = lo, period
        self.periodic = 8 <= period <= LARGEST_PERIOD and abs(lo) <= LARGEST_PERIOD


class FieldHistory:
    """Of the particles of a chunk in the order of their slots, a list a component each."""

    def __init__(self, field, columns):
        self.field = field
        self.index = [[index_from_value(bits, field) for bits in column] for column in columns]
        self.velocity, self.velocity_before, self.sum = ([[0] * len(c) for c in columns] for _ in range(3))
        self.modelled = None  # what modelled sections remember
        self.steps = None  # what sections of steps remember
        self.classed = Memory()
        self.frames = 1  # since the independent chunk, with it
        self.others = None  # other fields of the chunk, those before it as they are in the frame

    def memories(self):
        return [memory for memory in (self.modelled, self.steps) if memory is not None]

    def lists(self):
        return *self.index, *self.velocity, *self.velocity_before, *self.sum

    def remove(self, slots):
        gone = set(slots)
        for memory in self.memories():
            memory.remove(slots, len(self.index[0]))
        self.classed.remove(slots)
        for values in self.lists():
            values[:] = [value for slot, value in enumerate(values) if slot not in gone]

    def append(self, other):
        for memory in self.memories():
            memory.append(len(other.index[0]))
        self.classed.append(len(other.index[0]))
        for values, more in zip(self.lists(), other.lists()):
            values += more

    def values(self):
        return [[value_from_index(index, self.field) for index in column] for column in self.index]

    def mean(self, d, i, t):
        """The m of the prediction, in eighths."""
        if t < 4:
            return 0
        reciprocal = (2**32 + t // 2) // t
        return limited(self.sum[d][i] * reciprocal + 2**28 >> 29, LARGEST_MEAN)

    def expected(self, d, i, t, weights):
        """The N of the prediction, without neighbours."""
        a, b, c = weights
        return a * self.velocity[d][i] + b * self.velocity_before[d][i] + (c * self.mean(d, i, t) >> 3) + 32

    def move(self, columns, axes, t):
        """To new indices. Returns, a list a component, 1 for each particle that went through the upper periodic edge and -1
        for the lower."""
        passages = []
        for d, (column, axis) in enumerate(zip(columns, axes)):
            passages.append([0] * len(column))
            for i, index in enumerate(column):
                step, direct = displacement(index, self.index[d][i], axis), signed(index - self.index[d][i])
                passages[d][i] = (direct < step) - (direct > step)
                if not is_plain(self.field):
                    self.sum[d][i] = limited(signed(self.sum[d][i] - t * step), LARGEST_SUM)
                    self.velocity_before[d][i] = self.velocity[d][i]
                    self.velocity[d][i] = limited(step, LARGEST_VELOCITY)
                self.index[d][i] = index
        self.frames = t + 1
        return passages

    def forget_motion(self):
        for values in (*self.velocity, *self.velocity_before, *self.sum):
            values[:] = [0] * len(values)


class ChunkHistory:
    """What the next frame's chunk builds on. Starts with the columns of a chunk of kind 0."""

    def __init__(self, fields, columns, particles, steps=None):
        """`steps`: what a key section leaves to later ones."""
        self.described, self.particles, self.frames, self.steps = fields, particles, 1, steps
        self._columns, self._fields = columns, None

    @property
    def fields(self):
        if self._fields is None:  # only now: nothing may build on it
            self._fields = field_histories(self.described, self._columns)
            if self.steps is not None:
                self._fields[0].steps = self.steps
        return self._fields


def field_histories(fields, columns):
    rest = iter(columns)
    return [FieldHistory(field, [next(rest) for _ in field.names]) for field in fields]


# ---- section 9: coded indices


def displacement(index, last, axis):
    """Followed through periodic edges."""
    step = signed(index - last)
    if axis.periodic and step > axis.period // 2:
        return step - axis.period
    if axis.periodic and step < -(axis.period // 2):
        return step + axis.period
    return step


def other_image(place, margin, axis):
    """Where the particle may be instead; None if the margin is too narrow for that."""
    reach = min(margin, axis.period // 4)
    if not axis.periodic:
        return None
    if place >= axis.lo and place - axis.lo < reach:
        return place + axis.period
    lower = place - axis.period
    return lower if lower < axis.lo and axis.lo - lower <= reach else None


def read_block(payload, history, start, n, t, axes, weights, record, levels=((),)):
    """The indices of particles start to start + n, a list a component. `levels`: coefficients of the neighbours of particles
    of each level."""
    numbers, triples, margin, flags, exact = open_block(payload, n, len(axes), record)
    steps, left = ([[] for _ in axes] for _ in range(2))
    for i, coded in enumerate(zip(*numbers)):
        slot = start + i
        alone = [history.expected(d, slot, t, weights) for d in range(len(axes))]
        level = levels[slot % len(levels)]
        expected = [a + sum(g * r for g, r in zip(level, reversed(before))) for a, before in zip(alone, left)]
        if triples:
            coded = triples_by_rank(tuple(map(eighths, expected)))[coded[0]]
        for d, axis in enumerate(axes):
            index = exact.get(i | d << 16)
            steps[d].append((expected[d] >> 6) + residual_of(coded[d], expected[d]))
            step = steps[d][i] if index is None else displacement(index, history.index[d][slot], axis)
            left[d].append(limited(signed(step - (alone[d] >> 6)), LARGEST_NEIGHBOUR))
    columns = []
    for d, axis in enumerate(axes):
        columns.append([])
        for i, step in enumerate(steps[d]):
            p = signed(history.index[d][start + i] + step)
            if axis.periodic:
                lo, period = axis.lo, axis.period
                if p < lo:
                    p += period
                elif p >= lo + period:
                    p -= period
                other = other_image(p, margin, axis)
                if other is not None and flags.next():
                    p = other
            columns[d].append(signed(exact.get(i | d << 16, p)))
    flags.require_end()
    return columns


def read_indices(cursor, history, t, axes):
    """The section of section 9, to the end of the cursor: the indices, a list a component."""
    dimensions, particles = len(axes), len(history.index[0])
    predictor, *weights = cursor.unpack("B3b")
    require(predictor in PREDICTIONS, f"prediction {predictor} is unknown")
    plain = is_plain(history.field)
    require(not plain or predictor == TEMPORAL and not any(weights), "a field without displacements is predicted by them")
    levels = [()]
    if predictor == WITH_NEIGHBOURS:
        count, lags = cursor.unpack("BB")
        require(1 <= count <= 16 and 1 <= lags <= 4, "levels or neighbours are out of range")
        levels = [cursor.unpack(f"{lags}b") for _ in range(count)]
    widths = cursor.take(2 * dimensions + 4)
    require(max(widths) <= 32, "a record width is larger than 32")
    cursor.skip_padding()
    columns = [[] for _ in axes]
    for b, record in enumerate(take_directory(cursor, widths, ceil_div(particles, BLOCK_SIZE))):
        start = b * BLOCK_SIZE
        block = read_block(cursor, history, start, min(BLOCK_SIZE, particles - start), t, axes, weights, record, levels)
        for column, indices in zip(columns, block):
            column += indices
    cursor.skip_padding()
    return columns


READERS = {}  # of other codings: what builds on this file


# ---- section 8: chunks


def take_leaving(cursor, particles, leaving):
    if leaving == 0:
        return []
    low_width = (particles // leaving).bit_length() - 1
    bitmap = int.from_bytes(take_words(cursor, leaving + (particles >> low_width) + 1), "little")
    positions = [i for i in range(bitmap.bit_length()) if bitmap >> i & 1]
    require(len(positions) == leaving, "the bitmap of leaving slots has not one set bit a slot")
    low = take_words(cursor, leaving * low_width)
    require(bits_at(low, leaving * low_width, 8 * len(low) - leaving * low_width) == 0, "leaving slots: padding is not zero")
    slots = [position - i << low_width | bits_at(low, i * low_width, low_width) for i, position in enumerate(positions)]
    require(all(a < b for a, b in zip(slots, slots[1:])) and slots[-1] < particles, "leaving slots are out of order")
    cursor.skip_padding()
    return slots


def add_passages(history, edges, passages):
    for column, edge in zip(history.index, edges):
        if 0 < edge <= len(passages):
            column[:] = [signed(index + passage) for index, passage in zip(column, passages[edge - 1])]


def read_exact(cursor, particles, field):
    """The values that the grid does not hold: (place, bits) of each."""
    (count,) = cursor.unpack("Q")
    require(count == 0 or not is_plain(field), "a field without a grid has exact values")
    exact = []
    for _ in range(count):
        exact.append(cursor.unpack("QQ"))
        place = exact[-1][0]
        require(place & 2**56 - 1 < particles and place >> 56 < len(field.names), "an exact value is out of range")
    return exact


def decode_section(data, history, t, passages):
    """Moves the history of the particles that stay. Returns their values, a list of bits a component, and their passages
    through periodic edges. `passages` are those of field 0; None for that one itself."""
    field, dimensions = history.field, len(history.field.names)
    open_axes = [Axis()] * dimensions
    if len(data) == 0 or len(history.index[0]) == 0:
        require(len(data) == 0, "a section without particles is not empty")
        moved = history.move(history.index, open_axes, t)
        return history.values(), moved
    cursor = Cursor(data, f"section {field.names[0]}")
    coding, *edges = cursor.unpack("B3B")
    require(not any(cursor.take(4)), "reserved bytes of a section are not zero")
    require(coding in CODINGS, f"coding {coding} is unknown")
    if any(edges):
        require(coding == PREDICTED and is_plain(field) and passages is not None, "a section that may not count edges does")
        require(not any(edges[dimensions:]), "edges of a component that is not there")
        require(max(edges) <= 3, "edges of a component that no field has")

    if coding == BLOCK_CODED:
        following = type(field)(**{**vars(field), "flags": field.flags & ~1})
        columns = decode_chunk(cursor.rest(), [following], len(history.index[0]))
        moved = history.move(FieldHistory(field, columns).index, open_axes, t)
        return columns, moved

    if coding == FEW_VALUES:
        keys = read_few_values(cursor, len(history.index[0]), field, history.others, history.index)
        moved = history.move([[signed(key) for key in column] for column in keys], open_axes, t)
        return history.values(), moved

    if coding == CLASSED:
        require(field.type == INTEGER or field.step > 0, "a lossless field is classed")
        require(passages is not None or field.type != INTEGER and not field.flags & 1, "a leading field is classed")
        require(not field.flags & 1, "a leading field is classed")
        exact = read_exact(cursor, len(history.index[0]), field)
        moved = history.move(read_classed(cursor, len(history.index[0]), field, history.others, history, t), open_axes, t)
        columns = history.values()
        for place, bits in exact:
            columns[place >> 56][place & 2**56 - 1] = bits & 2 ** (8 * field.value_size) - 1
        return columns, moved

    add_passages(history, edges, passages)
    require(coding == PREDICTED or not is_plain(field), "a field without a grid is modelled")
    require(coding != STEPS or field.leading and dimensions == 3, "molecules of a field that has no positions")
    if coding == PREDICTED and cursor.offset == len(data):
        moved = history.move(history.index, open_axes, t)
        return history.values(), moved
    axes = [Axis(*cursor.unpack("qq")) for _ in range(dimensions)]
    (count,) = cursor.unpack("Q")
    require(count == 0 or not is_plain(field), "a field without a grid has exact values")
    exact = [cursor.unpack("QQ") for _ in range(count)]
    read = read_indices if coding == PREDICTED else READERS[coding]
    moved = history.move(read(cursor, history, t, axes), axes, t)
    if coding == STEPS and history.steps.motion_ends:
        history.forget_motion()
    require(len(cursor.rest()) == 0, f"{cursor.what} is too long")
    columns = history.values()
    for place, bits in exact:
        slot, component = place & 2**56 - 1, place >> 56
        require(slot < len(columns[0]) and component < dimensions, "an exact value is out of range")
        columns[component][slot] = bits & 2 ** (8 * field.value_size) - 1
    return columns, moved


def fit(before, fields):
    """Whether fields can build on those."""
    kinds = [[(f.type, f.dimensions, f.leading, f.bound, f.step) for f in frame] for frame in (before, fields)]
    return kinds[0] == kinds[1]


def decode_differences(data, fields, particles, history):
    """A chunk of kind 1. Moves the history; returns the columns as decode_chunk does."""
    require(fields, "a chunk of differences without fields")
    require(fit(history.described, fields), "the chunk before has other fields")
    cursor = Cursor(data, "chunk")
    block_size, _kind, before, leaving, arriving, arrivals_length = cursor.unpack("IIQQQQ")
    require(block_size == BLOCK_SIZE, f"block size {block_size} is not one of differences")
    require(before == history.particles <= 2**32 - 1, "the chunk before has another number of particles")
    require(leaving <= before and before - leaving + arriving == particles, "the particles of a chunk do not add up")
    require((arrivals_length == 0) == (arriving == 0), "arrivals without particles, or the other way round")
    lengths = cursor.unpack(f"{len(fields)}Q")
    require(all(length % 8 == 0 for length in lengths), "the length of a section is not a multiple of 8")
    slots = take_leaving(cursor, before, leaving)

    columns, passages = [], None
    for field_history in history.fields:
        field_history.remove(slots)
    for number, (field_history, length) in enumerate(zip(history.fields, lengths)):
        field_history.others = Others(fields, [before.index for before in history.fields[:number]], history.fields)
        decoded, moved = decode_section(cursor.take(length), field_history, history.frames, passages)
        columns += decoded
        passages = passages or moved
    arrivals = cursor.take(arrivals_length)
    require(len(cursor.rest()) == 0, "sections do not fill their chunk")
    if arriving:
        arrived = decode_chunk(arrivals, fields, arriving)
        for column, values in zip(columns, arrived):
            column += values
        for field_history, newcomers in zip(history.fields, field_histories(fields, arrived)):
            field_history.append(newcomers)
    history.particles, history.frames = particles, history.frames + 1
    return columns
