# SPDX-License-Identifier: BSD-3-Clause
"""Section 10g of docs/format.md: lossless floats of few values. Slow and plain on purpose."""

from .codec import INTEGER, MASK, require
from .numbers import NumberStream

FEW_VALUES = 11  # coding of sections
KINDS = OF_CLASS, SYMBOLS, REPEATED = 1, 2, 3
MOST_CLASSES = MOST_VALUES = 65536
SHORT_MEMORY, LONG_MEMORY = 3, 8
SOURCES, HITS = 4, 8
CONTEXTS = SOURCES * HITS


def signed(value):
    return (value + 2**63 & MASK) - 2**63


class Others:
    """Fields of a chunk that come before the one of a section: `columns[field]` has the columns, bits or indices, of each."""

    def __init__(self, fields, columns, histories=()):
        self.fields, self.columns, self.histories = fields, columns, histories

    def history(self, number, own):
        """Of a field that a section is predicted from; `own`: of the section's field, in difference chunks."""
        require(own is not None and number < len(self.histories), "a field that a section is predicted from")
        return self.histories[number]

    def classes(self, number):
        require(number < len(self.columns), "the field of classes does not come before its section")
        field = self.fields[number]
        require(field.type == INTEGER and len(field.names) == 1 and not field.flags & 1, "a field that cannot have classes")
        return [signed(value) for value in self.columns[number][0]]


def place(x):
    return (x * 0x9E3779B97F4A7C15 & MASK) >> 52


class Expectation:
    """Of the numbers of one component."""

    def __init__(self):
        self.tables = [{}, {}, {}]  # by class, and by it and the last numbers
        self.before = [0] * LONG_MEMORY  # 1 + the number of each particle before, the last one first
        self.hits = 0

    def expect(self, of_class, last):
        """The number, and the context. `last`: the number in the last frame, or None."""
        x = of_class & MASK
        slots = [place(x)]
        for j, number in enumerate(self.before):
            x = (x + number) * 0xC2B2AE3D27D4EB4F & MASK
            if j + 1 in (SHORT_MEMORY, LONG_MEMORY):
                slots.append(place(x))
        self.slots = slots
        found = [(last, 3)] + [(self.tables[k].get(slots[k]), k) for k in (2, 1, 0)]
        self.expected, source = next(((number, k) for number, k in found if number is not None), (0, 0))
        return self.expected, source * HITS + self.hits

    def update(self, number):
        self.hits = (2 * self.hits + (number == self.expected)) % HITS
        for table, slot in zip(self.tables, self.slots):
            table[slot] = number
        self.before = [number + 1] + self.before[:-1]


def read_key(cursor, field):
    (key,) = cursor.unpack("Q")
    require(key < 2 ** (8 * field.value_size), "a value of a table is too large")
    return key


def read_of_class(cursor, particles, field, classes):
    base, count = cursor.unpack("qQ")
    require(0 < count <= MOST_CLASSES, "the number of classes is out of range")
    values = [[read_key(cursor, field) for _ in range(count)] for _ in field.names]
    require(len(cursor.rest()) == 0, f"{cursor.what} is too long")
    require(all(0 <= c - base < count for c in classes), "a class has no value")
    return [[column[c - base] for c in classes] for column in values]


def read_symbols(cursor, particles, field, classes, last):
    counts = cursor.unpack(f"{len(field.names)}Q")
    require(all(0 < count <= MOST_VALUES for count in counts), "the number of values is out of range")
    values = [[read_key(cursor, field) for _ in range(count)] for count in counts]
    require(all(a < b for column in values for a, b in zip(column, column[1:])), "the values of a table do not ascend")
    numbers = NumberStream(cursor.rest(), CONTEXTS)
    expectations = [Expectation() for _ in values]
    number_of = [{key: number for number, key in enumerate(column)} for column in values]
    columns = [[] for _ in values]
    for i in range(particles):
        for d, expectation in enumerate(expectations):
            before = None if last is None else number_of[d].get(last[d][i] & MASK)
            expected, context = expectation.expect(classes[i], before)
            u = numbers.get(context)
            actual = expected if u == 0 else u - 1 if u <= expected else u
            require(actual < len(values[d]), "a value is not in its table")
            expectation.update(actual)
            columns[d].append(values[d][actual])
    numbers.end()
    return columns


def read_few_values(cursor, particles, field, others, last=None):
    """The keys of a section behind its coding, a list a component. `last`: the keys in the frame before."""
    require(field.type != INTEGER and field.step == 0, "a field that is not lossless has few values")
    kind, zero, class_field, more_zeros = cursor.unpack("BBHI")
    require(zero == 0 and more_zeros == 0, "reserved bytes of a section are not zero")
    classes = others.classes(class_field - 1) if class_field else [0] * particles
    if kind == OF_CLASS:
        return read_of_class(cursor, particles, field, classes)
    require(kind in KINDS and (kind == SYMBOLS or last is not None), f"kind {kind} of few values is unknown here")
    return read_symbols(cursor, particles, field, classes, last if kind == REPEATED else None)
