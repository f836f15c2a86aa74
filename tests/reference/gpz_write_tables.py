# SPDX-License-Identifier: BSD-3-Clause
"""A writer of tables and observables for tests, from sections 11a and 11b of docs/format.md: the caller picks coding and prediction
of each column, and may break any rule. Numbers take 32 bits each: number streams consist of escapes."""

import struct
from dataclasses import dataclass, field

from gpz_reference.codec import FLOAT64, INTEGER, MASK
from gpz_reference.few_values import CONTEXTS, Expectation
from gpz_reference.tables import (
    CLASS_FACTOR,
    COLUMN_BEFORE,
    FEW_VALUES,
    NO_PREDICTION,
    NUMBERS,
    OBSERVABLES,
    ROW_BEFORE,
    TABLES,
    TEXT,
    with_length,
)
from gpz_reference.xxh3 import xxh3_64
from gpz_write import pad, record


def escapes(numbers, contexts):
    """A number stream without shapes: each number is an escape of 32 bits. The first one stands last."""
    table_bits = 8 + 3 + contexts
    data = bytes(-(-table_bits // 16) * 2) + struct.pack("<2I", *[2**16] * 2)
    raw = b"".join(struct.pack("<I", u) for u in reversed(numbers))
    return data + bytes(-(len(data) + len(raw)) % 8) + raw


@dataclass
class WriteColumn:
    """`rows`: integers, floats, or texts as bytes. What is not None replaces what would stand there."""

    name: bytes
    rows: list
    type: int = INTEGER
    unit: bytes = b""
    coding: int = NUMBERS
    prediction: int = NO_PREDICTION
    entry_type: int | None = None
    name_length: int | None = None
    unit_length: int | None = None
    zero: int = 0
    zeros: int = 0
    data_length: int | None = None
    data: bytes | None = None
    head_zeros: bytes = bytes(6)  # behind coding and prediction
    keys: list | None = None
    key_count: int | None = None
    stream: list | None = None  # numbers
    texts: list | None = None
    text_count: int | None = None
    text_lengths: list | None = None
    text_padding: int = 0  # byte with which the list of texts is filled up
    text_numbers: list | None = None
    more: bytes = b""  # behind the integers

    def list_of_texts(self):
        """Texts in the order of their first rows, unless others are given."""
        return list(dict.fromkeys(self.rows)) if self.texts is None else self.texts

    def numbers(self):
        if self.type == INTEGER:
            return [v & MASK for v in self.rows]
        if self.type == FLOAT64:
            return list(struct.unpack(f"<{len(self.rows)}Q", struct.pack(f"<{len(self.rows)}d", *self.rows)))
        texts = self.list_of_texts()
        return [texts.index(text) for text in self.rows] if self.text_numbers is None else self.text_numbers

    def start(self):
        """The list of texts."""
        if self.type != TEXT:
            return b""
        texts = self.list_of_texts()
        lengths = [len(text) for text in texts] if self.text_lengths is None else self.text_lengths
        data = struct.pack("<I", len(texts) if self.text_count is None else self.text_count)
        data += struct.pack(f"<{len(lengths)}I", *lengths) + b"".join(texts)
        return data + bytes([self.text_padding]) * (-len(data) % 8)


def few_values(column, residuals, classes):
    keys = sorted(set(residuals)) if column.keys is None else column.keys
    expectation, numbers = Expectation(), []
    for residual, of_row in zip(residuals, classes):
        symbol = keys.index(residual) if residual in keys else 0
        expected, _ = expectation.expect(of_row, None)
        expectation.update(symbol)
        numbers.append(0 if symbol == expected else symbol + 1 if symbol < expected else symbol)
    payload = struct.pack("<Q", len(keys) if column.key_count is None else column.key_count)
    payload += b"".join(struct.pack("<Q", key) for key in keys)
    return payload + escapes(numbers if column.stream is None else column.stream, CONTEXTS)


def numbers_of_residuals(residuals):
    numbers = []
    for r in residuals:
        z = 2 * r if r < 2**63 else 2 * (2**64 - r) - 1
        numbers += [z & 0xFFFFFFFF, z >> 32]
    return numbers


class Columns:
    """Codes the columns of a table in their order."""

    def __init__(self):
        self.before, self.classes = None, None

    def encode(self, column):
        values = column.numbers()
        expected = {ROW_BEFORE: [0, *values[:-1]], COLUMN_BEFORE: self.before}.get(column.prediction) or [0] * len(values)
        residuals = [v - e & MASK for v, e in zip(values, expected)]
        classes = self.classes or [0] * len(values)
        if column.coding == FEW_VALUES:
            payload = few_values(column, residuals, classes)
        else:
            payload = escapes(numbers_of_residuals(residuals) if column.stream is None else column.stream, 2)
        self.before = values
        self.classes = [(c + r) * CLASS_FACTOR & MASK for c, r in zip(classes, residuals)]
        if column.data is not None:
            return column.data
        if not values:
            return column.start() + column.more
        return column.start() + struct.pack("<BB", column.coding, column.prediction) + column.head_zeros + payload + column.more


@dataclass
class WriteTable:
    """What is not None replaces what would stand there."""

    name: bytes
    columns: list = field(default_factory=list)
    row_count: int | None = None
    column_count: int | None = None
    name_length: int | None = None
    length: int | None = None
    padding: int = 0  # byte with which the entries are filled up
    more: bytes = b""  # behind the data

    def encode(self):
        coder, entries, data = Columns(), b"", b""
        for column in self.columns:
            of_column = coder.encode(column)
            entries += struct.pack(
                "<BBBBIQ",
                column.type if column.entry_type is None else column.entry_type,
                len(column.name) if column.name_length is None else column.name_length,
                len(column.unit) if column.unit_length is None else column.unit_length,
                column.zero,
                column.zeros,
                len(of_column) if column.data_length is None else column.data_length,
            )
            entries += column.name + column.unit
            data += of_column
        rows = len(self.columns[0].rows) if self.columns else 0
        head = struct.pack(
            "<QII",
            rows if self.row_count is None else self.row_count,
            len(self.columns) if self.column_count is None else self.column_count,
            len(self.name) if self.name_length is None else self.name_length,
        )
        head += self.name + entries
        rest = head + bytes([self.padding]) * (-len(head) % 8) + data + self.more
        return struct.pack("<Q", 8 + len(rest) if self.length is None else self.length) + rest


def tables_record(tables, count=None, zero=0, checksum=None, more_head=b"", more=b""):
    body = b"".join(table.encode() for table in tables) + more
    checksum = xxh3_64(body) if checksum is None else checksum
    return record(TABLES, struct.pack("<QII", checksum, len(tables) if count is None else count, zero) + more_head, body)


def checksum_of_names(names, units):
    return xxh3_64(b"".join(with_length(text) for row in zip(names, units) for text in row))


def names_table(names, units):
    """The table `observables`."""
    columns = [WriteColumn(b"name", names, TEXT, coding=FEW_VALUES), WriteColumn(b"unit", units, TEXT, coding=FEW_VALUES)]
    return WriteTable(b"observables", columns)


def observables_record(timestep, names, units, values, checksum=None, body=b""):
    checksum = checksum_of_names(names, units) if checksum is None else checksum
    return record(OBSERVABLES, struct.pack(f"<qQ{len(values)}d", timestep, checksum, *values), body)

