# SPDX-License-Identifier: BSD-3-Clause
"""Sound files, and some that are not, whose tables ask for time or memory out of proportion to their bytes: as costly.py."""

import struct

import costly  # first: it knows where the reference decoder is

from gpz_reference.codec import FLOAT64
from gpz_reference.tables import FEW_VALUES, NUMBERS, TEXT
from gpz_write import frame_record, pad, write_bytes
from gpz_write_tables import WriteColumn, WriteTable, names_table, observables_record, tables_record

LEAST_STATE = 2**16
USED_SLOTS = 4095  # of the only token


def bits_of_tables(contexts):
    """Of a stream in which the number 0 has all slots but one: one shape, with one token, of which all contexts have the scale 0."""
    shape = [(1, 8), (0, 2), (0, 1), (0, 3)]
    first = [(1, 1), (1, 1), (64, 9)]  # change to shape 1 and scale 0
    items = [(1, 8), *shape, (0, 3), *first, *[(0, 1), (0, 1)] * (contexts - 1)]  # no change; the scale differs by 0
    total = position = 0
    for value, width in items:
        total |= value << position
        position += width
    return total.to_bytes(-(-position // 16) * 2, "little")


def zeros(count, contexts):
    """A number stream of so many zeros: 0.0004 bits each."""
    states, words = [LEAST_STATE] * 2, []
    for i in reversed(range(count)):
        state = states[i % 2]
        if state >= USED_SLOTS << 20:
            words.append(state & 0xFFFF)
            state >>= 16
        states[i % 2] = 4096 * (state // USED_SLOTS) + state % USED_SLOTS
    return pad(bits_of_tables(contexts) + struct.pack(f"<2I{len(words)}H", *states, *reversed(words)))


def of_one_value(name, rows, kind, key=0):
    """A column that has the same integer in all rows."""
    data = struct.pack("<BB6xQQ", FEW_VALUES, 0, 1, key) + zeros(rows, 32)
    return WriteColumn(name, [], kind, data=data)


def of_one_text(name, rows, text):
    start = pad(struct.pack("<II", 1, len(text)) + text)
    return WriteColumn(name, [], TEXT, data=start + of_one_value(name, rows, TEXT).data)


def names(count):
    return [struct.pack("<I", i) for i in range(count)]


def file_of(*records, behind=()):
    return write_bytes({}, [*records, frame_record([], [], timestep=7), frame_record([], [], timestep=8), *behind])


def table_of(rows, *columns):
    return tables_record([WriteTable(b"t", list(columns), row_count=rows)])


def rows_of_nothing(rows):
    """A table that says to have so many rows."""
    return file_of(table_of(rows, WriteColumn(b"a", [], data=struct.pack("<BB6x", NUMBERS, 0) + zeros(2, 2))))


def one_value(rows=1 << 21):
    return file_of(table_of(rows, of_one_value(b"a", rows, FLOAT64, 5)))


def one_value_of_numbers(rows=1 << 20):
    data = struct.pack("<BB6x", NUMBERS, 0) + zeros(2 * rows, 2)
    return file_of(table_of(rows, WriteColumn(b"a", [], data=data)))


def columns_of_one_text(rows=1 << 19, columns=20):
    column = of_one_text(b"", rows, b"n")
    return file_of(table_of(rows, *(WriteColumn(name, [], TEXT, data=column.data) for name in names(columns))))


def tables_of_one_text(rows=1 << 19, tables=20):
    """In a record each."""
    column = of_one_text(b"a", rows, b"n")
    return file_of(*(tables_record([WriteTable(name, [column], row_count=rows)]) for name in names(tables)))


def one_text(length, rows=1 << 19):
    return file_of(table_of(rows, of_one_text(b"a", rows, b"n" * length)))


def many_tables(count=65535):
    return file_of(tables_record([WriteTable(name) for name in names(count)]))


def many_columns(count=65535):
    return file_of(tables_record([WriteTable(b"t", [WriteColumn(name, []) for name in names(count)])]))


def many_texts(count=1 << 18):
    return file_of(tables_record([WriteTable(b"t", [WriteColumn(b"a", [], TEXT, texts=[b""] * count)])]))


def many_records(count=1 << 13):
    return file_of(*[tables_record([WriteTable(b"t")])] * count)


def many_observables(count=1 << 13):
    """Of other frames than the next one."""
    return file_of(*[observables_record(0, [], [], [])] * count)


def names_of_observables(rows=1 << 19):
    columns = [of_one_text(b"name", rows, b"n" * 255), of_one_text(b"unit", rows, b"")]
    table = tables_record([WriteTable(b"observables", columns, row_count=rows)])
    return file_of(table, observables_record(7, [], [], [1.0]))


def long_names_of_observables(length=1 << 20):
    """Names that each frame would repeat."""
    return file_of(tables_record([names_table([b"n" * length], [b""])]), observables_record(7, [b"n" * length], [b""], [1.0]))


def thermo(rows=1 << 20):
    columns = [of_one_value(b"timestep", rows, 1, 7), of_one_value(b"temp", rows, FLOAT64)]
    return file_of(behind=[tables_record([WriteTable(b"thermo", columns, row_count=rows)])])


FILES = {
    "rows-2-40": lambda: rows_of_nothing(1 << 40),
    "rows-2-61": lambda: rows_of_nothing(1 << 61),
    "rows-2-64": lambda: rows_of_nothing((1 << 64) - 1),
    "rows-2-24": lambda: rows_of_nothing(1 << 24),
    "one-value": one_value,
    "one-value-of-numbers": one_value_of_numbers,
    "columns-of-one-text": columns_of_one_text,
    "tables-of-one-text": tables_of_one_text,
    "one-long-text": lambda: one_text(1 << 20),
    "one-text": lambda: one_text(100),
    "one-short-text": lambda: one_text(8),
    "many-tables": many_tables,
    "many-columns": many_columns,
    "many-texts": many_texts,
    "many-records": many_records,
    "many-observables": many_observables,
    "names-of-observables": names_of_observables,
    "long-names-of-observables": long_names_of_observables,
    "thermo": thermo,
}
LIMIT = costly.LIMIT
BEYOND_LIMIT = {"rows-2-40", "rows-2-61", "rows-2-64", "columns-of-one-text", "tables-of-one-text", "one-long-text", "names-of-observables"}
BROKEN = {"rows-2-24", "long-names-of-observables"}
