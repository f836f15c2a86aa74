# SPDX-License-Identifier: BSD-3-Clause
"""Section 10 of docs/format.md: chunks whose particles stand in an order in which each predicts the next. Slow and plain on purpose."""

from .block import BLOCK_SIZE, alternating, open_block
from .codec import INTEGER, Cursor, ceil_div, decode_chunk, require, take_directory
from .difference import BLOCK_CODED, CLASSED, FEW_VALUES, STEPS, Axis, is_plain, other_image, read_exact, signed, value_from_index
from .classed import read_classed
from .few_values import Others, read_few_values
from .steps import read_key_steps

ORDERED = 2  # kind of chunks
PREDICTED_IN_ORDER = 3
CODINGS = (BLOCK_CODED, PREDICTED_IN_ORDER, CLASSED, FEW_VALUES, STEPS)  # of sections
SECTIONS = LAGS, RUNS = 1, 2  # kinds of what follows
LARGEST_LAG = 1023
PARTICLES_A_BYTE = 8192


def place_of(index, axis):
    """In [lo, lo + P) on a periodic axis."""
    if not axis.periodic:
        return index
    place = index + axis.period if index < axis.lo else index
    place = place - axis.period if index >= axis.lo + axis.period else place
    return place if axis.lo <= place < axis.lo + axis.period else axis.lo


def sum_of(place, step, axis):
    """Modulo the period, or modulo 2^64."""
    return axis.lo + (place + step - axis.lo) % axis.period if axis.periodic else signed(place + step)


class Lags:
    """What a section says of lags: which, and the steps that go with them."""

    def __init__(self, first_ones, lags, offsets):
        self.first_ones, self.lags, self.offsets = first_ones, lags, offsets

    def expected(self, places, i, row_of, ids, d, axis, first):
        """Place of particle i in component d, after those of the particles before it."""
        if i == 0 or self.lags[0] == 0:
            return first
        order = (1, 0) if self.first_ones >> d & 1 else (0, 1)
        for k in order:
            parent = row_of.get(ids[i] - self.lags[k]) if self.lags[k] else None
            if parent is not None:
                return sum_of(places[parent], self.offsets[k][d], axis)
        return places[i - 1]


def read_block(payload, lags, ids, n, axes, first, record):
    """The indices of the n particles of a block, a list a component."""
    numbers, triples, margin, flags, stored = open_block(payload, n, len(axes), record)
    require(not triples, "triples in an order")
    if ids is None or any(a >= b for a, b in zip(ids, ids[1:])):
        ids = range(n)
    row_of = {number: i for i, number in enumerate(ids)}
    columns = []
    for d, axis in enumerate(axes):
        require(not axis.periodic or axis.lo <= first[d] < axis.lo + axis.period, "a first place is outside the box")
        places, column = [], []
        for i, number in enumerate(numbers[d]):
            residual = -alternating(number)  # expected are whole numbers: the lower neighbour first
            require(not axis.periodic or abs(residual) <= axis.period // 2, "a residual is too large")
            expected = lags.expected(places, i, row_of, ids, d, axis, first[d])
            index = stored.get(d << 16 | i)
            places.append(sum_of(expected, residual, axis) if index is None else place_of(index, axis))
            other = other_image(places[-1], margin, axis)
            shifted = other is not None and flags.next()
            column.append(index if index is not None else other if shifted else places[-1])
        columns.append(column)
    flags.require_end()
    return columns


def read_lags(cursor, ids, particles, axes):
    """A section of kind 1, behind its first byte: the indices, a list a component."""
    dimensions = len(axes)
    first_ones, *lags = cursor.unpack("B2H")
    require(first_ones >> dimensions == 0, "components that are not there look for a lag")
    require(max(lags) <= LARGEST_LAG, "a lag is too large")
    widths = cursor.take(3 * dimensions + 4)
    require(max(widths[:dimensions]) <= 64 and max(widths[dimensions:]) <= 32, "a record width is too large")
    cursor.skip_padding()
    offsets = [cursor.unpack(f"{dimensions}q") for _ in lags]
    for steps in offsets:
        for axis, step in zip(axes, steps):
            require(not axis.periodic or 0 <= step < axis.period, "an offset is longer than the period")
    bases = cursor.unpack(f"{dimensions}q")
    columns = [[] for _ in axes]
    lags = Lags(first_ones, lags, offsets)
    for b, record in enumerate(take_directory(cursor, widths, ceil_div(particles, BLOCK_SIZE))):
        start = b * BLOCK_SIZE
        n = min(BLOCK_SIZE, particles - start)
        first = [signed(base + item) for base, item in zip(bases, record)]
        known = None if ids is None else ids[start : start + n]
        for column, indices in zip(columns, read_block(cursor, lags, known, n, axes, first, record[dimensions:])):
            column += indices
    cursor.skip_padding()
    require(len(cursor.rest()) == 0, f"{cursor.what} is too long")
    return columns


def read_runs(cursor, particles):
    """A section of runs, behind its first byte."""
    require(not any(cursor.take(7)), "reserved bytes of a section are not zero")
    (count,) = cursor.unpack("Q")
    require(0 < count <= particles // 2, "the number of runs does not fit the chunk")
    (kind,) = cursor.unpack("B")
    require(kind == LAGS, "runs of runs")
    following, values = 0, []
    for excess, more in zip(*read_lags(cursor, None, count, [Axis()] * 2)):
        require(0 <= more < particles - len(values), "runs do not make as many values as there are particles")
        values += [signed(following + excess + i) for i in range(more + 1)]
        following = values[-1] + 1
    require(len(values) == particles, "runs do not make as many values as there are particles")
    return [values]


def read_indices(cursor, ids, particles, axes):
    (kind,) = cursor.unpack("B")
    require(kind in SECTIONS, f"section {kind} is unknown")
    if kind == LAGS:
        return read_lags(cursor, ids, particles, axes)
    require(len(axes) == 1, "runs of more than one component")
    return read_runs(cursor, particles)


def take_head(cursor, field):
    """Axes and exact values."""
    axes = [Axis(*cursor.unpack("qq")) for _ in range(field.dimensions)]
    (count,) = cursor.unpack("Q")
    require(count == 0 or not is_plain(field), "a field without a grid has exact values")
    return axes, [cursor.unpack("QQ") for _ in range(count)]


def decode_section(data, field, particles, ids, others=None):
    """To a list of bits a component, and what a key section of steps leaves to later ones. `ids`: of the particles; None for the ids
    themselves. `others`: the fields before."""
    cursor = Cursor(data, f"section {field.names[0]}")
    coding, *reserved = cursor.unpack("8B")
    require(not any(reserved), "reserved bytes of a section are not zero")
    require(coding in CODINGS, f"coding {coding} is unknown")
    if coding == BLOCK_CODED:
        require(ids is not None, "the ids are not coded in their order")
        following = type(field)(**{**vars(field), "flags": field.flags & ~1})
        return decode_chunk(cursor.rest(), [following], particles), None
    if coding == FEW_VALUES:
        keys = read_few_values(cursor, particles, field, others)
        return [[value_from_index(key, field) for key in column] for column in keys], None
    if coding == CLASSED:
        require(field.step > 0 and not field.flags & 1, "a field that is not of values on a grid is classed")
        exact = read_exact(cursor, particles, field)
        indices = read_classed(cursor, particles, field, others)
        columns = [[value_from_index(index, field) for index in column] for column in indices]
        for place, bits in exact:
            columns[place >> 56][place & 2**56 - 1] = bits & 2 ** (8 * field.value_size) - 1
        return columns, None

    require(field.type == INTEGER or field.step > 0, "lossless floats are coded in an order")
    require(coding != STEPS or field.step > 0 and field.leading and field.dimensions == 3, "molecules of a field that has no positions")
    axes, exact = take_head(cursor, field)
    steps = None
    if coding == STEPS:
        indices, steps = read_key_steps(cursor, particles, axes)
    else:
        indices = read_indices(cursor, ids, particles, axes)
    columns = [[value_from_index(index, field) for index in column] for column in indices]
    for place, bits in exact:
        row, component = place & 2**56 - 1, place >> 56
        require(row < particles and component < field.dimensions, "an exact value is out of range")
        columns[component][row] = bits & 2 ** (8 * field.value_size) - 1
    return columns, steps


def take_sections(data, fields, particles):
    """The number of the field of ids, and the section of each field."""
    cursor = Cursor(data, "chunk")
    block_size, _kind, identity = cursor.unpack("IIQ")
    require(block_size == BLOCK_SIZE, f"block size {block_size} is not one of chunks in an order")
    require(0 < particles and particles // PARTICLES_A_BYTE <= len(data), "there are more particles than a chunk has")
    require(identity < len(fields), "there is no field of ids")
    require(fields[identity].type == INTEGER and fields[identity].dimensions == 1, "the field of ids cannot be one")
    lengths = cursor.unpack(f"{len(fields)}Q")
    require(all(length % 8 == 0 for length in lengths), "the length of a section is not a multiple of 8")
    sections = [cursor.take(length) for length in lengths]
    require(len(cursor.rest()) == 0, "sections do not fill their chunk")
    return identity, sections


def decode_ordered(data, fields, particles):
    """A chunk of kind 2 to columns as decode_chunk gives them, and what a key section of steps leaves to later ones."""
    identity, sections = take_sections(data, fields, particles)
    decoded, _ = decode_section(sections[identity], fields[identity], particles, None)
    ids = [signed(bits) for bits in decoded[0]]
    columns, steps = [], None
    for i, (section, field) in enumerate(zip(sections, fields)):
        if i == identity:
            columns.append(decoded)
            continue
        of_field, left = decode_section(section, field, particles, ids, Others(fields, columns))
        columns.append(of_field)
        steps = steps or left
    return [column for of_field in columns for column in of_field], steps
