# SPDX-License-Identifier: BSD-3-Clause
"""Files whose tables or observables break one rule of sections 11a and 11b of docs/format.md each: as in violations_container.py. The
frames of these files are read."""

import struct

from violations_container import bare_frame, header

from gpz_reference.codec import FLOAT64, INTEGER
from gpz_reference.tables import COLUMN_BEFORE, FEW_VALUES, NUMBERS, OBSERVABLES, ROW_BEFORE, TABLES, TEXT
from gpz_write import record
from gpz_write_tables import WriteColumn, WriteTable, names_table, observables_record, tables_record

TIMESTEP = 5  # of the frame


def file_of(*records):
    return header() + b"".join(records) + bare_frame() + bare_frame()


def tables(names=(b"a", b"b"), **changes):
    """A record of tables without columns."""
    return file_of(tables_record([WriteTable(name) for name in names], **changes))


RECORD = [
    (dict(checksum=0), "checksum"),
    (dict(zero=1), "reserved bytes"),
    (dict(zero=2**31), "reserved bytes"),
    (dict(more_head=bytes(8)), "too long"),
    (dict(count=1), "do not fill"),
    (dict(count=3), "ends too early"),
    (dict(count=65536), "too many tables"),
    (dict(count=2**32 - 1), "too many tables"),
    (dict(more=bytes(8)), "do not fill"),
    (dict(names=(b"a", b"a")), "same name"),
    (dict(names=(b"\xff", b"b", b"\xff")), "same name"),
]


def short_head(head=bytes(16)):
    """Without tables, whose checksum is that of no bytes."""
    empty = struct.unpack_from("<Q", tables_record([]), 24)[0]
    return file_of(record(TABLES, struct.pack("<Q", empty) + head[8:]))


SHORT_HEAD = [(dict(head=bytes(8)), "ends too early")]


def table(columns=(b"a", b"b"), changed=None, **changes):
    """Columns of two integers."""
    written = [WriteColumn(name, [7, 8]) for name in columns]
    for key, value in (changed or {}).items():
        setattr(written[-1], key, value)
    return file_of(tables_record([WriteTable(**{"name": b"t", "columns": written, **changes}), WriteTable(b"u")]))


TABLE = [
    (dict(length=0), "length of a table"),
    (dict(length=20), "length of a table"),
    (dict(length=8), "table ends too early"),
    (dict(length=64), "table ends too early"),
    (dict(length=2**63), "tables ends too early"),
    (dict(length=2**64 - 8), "tables ends too early"),
    (dict(columns=(), row_count=1), "without columns has rows"),
    (dict(column_count=1), "padding"),
    (dict(column_count=65535), "value type 0"),
    (dict(column_count=65536), "too many columns"),
    (dict(column_count=2**32 - 1), "too many columns"),
    (dict(name=b""), "length of a table's name"),
    (dict(name=b"t" * 256), "length of a table's name"),
    (dict(name_length=2**32 - 1), "length of a table's name"),
    (dict(name_length=255), "ends too early"),
    (dict(padding=1), "padding"),
    (dict(more=bytes(8)), "do not fill"),
    (dict(columns=(b"a", b"a")), "same name"),
    (dict(columns=(b"\xff", b"b", b"\xff")), "same name"),
    *((dict(changed=dict(entry_type=kind)), f"value type {kind}") for kind in (0, 2, 5, 255)),
    (dict(changed=dict(name=b"")), "no name"),
    (dict(changed=dict(zero=1)), "reserved bytes"),
    (dict(changed=dict(zeros=1)), "reserved bytes"),
    (dict(changed=dict(zeros=2**31)), "reserved bytes"),
    (dict(changed=dict(data_length=12)), "not a multiple of 8"),
    (dict(changed=dict(data_length=8)), "do not fill"),
    (dict(changed=dict(data_length=2**64 - 8)), "ends too early"),
    (dict(row_count=1), "do not fill their stream"),
    (dict(row_count=3), "do not fill"),
    (dict(row_count=2**62), "ends before its raw bits"),
    (dict(row_count=0), "without rows has integers"),
]


def data(coding=NUMBERS, rows=(3, 5, 5), kind=INTEGER, first=False, **changes):
    """A column, behind another one unless it is the first."""
    before = [] if first else [WriteColumn(b"a", [1, 2, 3])]
    column = WriteColumn(b"b", list(rows), kind, coding=coding, **changes)
    return file_of(tables_record([WriteTable(b"t", [*before, column])]))


DATA = [
    *((dict(coding=coding), f"coding {coding} ") for coding in (0, 3, 255)),
    *((dict(prediction=prediction), f"prediction {prediction} ") for prediction in (3, 255)),
    (dict(first=True, prediction=COLUMN_BEFORE), "first column"),
    (dict(head_zeros=b"\1" + bytes(5)), "reserved bytes"),
    (dict(head_zeros=bytes(5) + b"\1"), "reserved bytes"),
    (dict(data=b""), "ends too early"),
    (dict(data=struct.pack("<BB6x", NUMBERS, ROW_BEFORE)), "ends? too early|ends before"),
    (dict(stream=[1] * 5), "do not fill"),
    (dict(stream=[1] * 8), "do not fill"),
    (dict(more=bytes(8)), "do not fill"),
]


def few(**changes):
    return data(coding=FEW_VALUES, **changes)


FEW = [
    (dict(key_count=0), "number of values"),
    (dict(key_count=65537), "number of values"),
    (dict(key_count=2**64 - 1), "number of values"),
    (dict(key_count=1), "shape"),
    (dict(key_count=65536), "ends too early"),
    (dict(keys=[5, 3]), "do not ascend"),
    (dict(keys=[3, 5, 5]), "do not ascend"),
    (dict(keys=[3, 5, 2**64 - 1, 2**63]), "do not ascend"),
    (dict(stream=[2, 0, 0]), "not among those"),
    (dict(stream=[0, 2**32 - 1, 0]), "not among those"),
    (dict(stream=[0]), "do not fill"),
    (dict(stream=[0] * 5), "do not fill"),
    (dict(more=bytes(8)), "do not fill"),
]


def texts(rows=(b"x", b"yz", b"x"), **changes):
    return data(coding=FEW_VALUES, rows=rows, kind=TEXT, **changes)


TEXTS = [
    (dict(text_count=1), "padding"),
    (dict(text_count=1000), "ends too early"),
    (dict(text_count=2**32 - 1), "ends too early"),
    (dict(text_lengths=[1, 1]), "padding"),
    (dict(text_lengths=[1, 1000]), "ends too early"),
    (dict(text_lengths=[2**32 - 1, 2**32 - 1]), "ends too early"),
    (dict(text_padding=1), "padding"),
    (dict(text_numbers=[0, 2, 0]), "unknown text"),
    (dict(text_numbers=[0, 1, 2**64 - 1]), "unknown text"),
    (dict(texts=[], text_numbers=[0, 0, 0]), "unknown text"),
    (dict(data=b""), "ends too early"),
]


def without_rows(kind=INTEGER, **changes):
    return file_of(tables_record([WriteTable(b"t", [WriteColumn(b"a", [], kind, **changes)])]))


WITHOUT_ROWS = [
    (dict(more=bytes(8)), "without rows has integers"),
    (dict(kind=FLOAT64, more=bytes(24)), "without rows has integers"),
    (dict(kind=TEXT, more=bytes(8)), "without rows has integers"),
    (dict(kind=TEXT, data=b""), "ends too early"),
]


def observables(table=None, columns=None, values=(1.0, 2.0), checksum=None, body=b"", behind=b"", name=b"temp", unit=b"K"):
    """A record of observables in front of a frame, with the table of their names."""
    names, units = [name, b"pe"], [unit, b""]
    named = names_table(names, units) if columns is None else WriteTable(b"observables", columns)
    named = tables_record([named]) if table is None else table
    return file_of(named, observables_record(TIMESTEP, names, units, values, checksum=checksum, body=body), behind)


NAMES = WriteColumn(b"name", [b"temp", b"pe"], TEXT)
UNITS = WriteColumn(b"unit", [b"K", b""], TEXT)
OBSERVED = [
    (dict(table=b""), "without a table"),
    (dict(table=tables_record([WriteTable(b"observable", [NAMES, UNITS])])), "without a table"),
    (dict(behind=tables_record([], zero=1)), "without a table"),
    (dict(behind=tables_record([names_table([b"temp", b"pe"], [b"K", b"eV"])])), "checksum"),
    (dict(columns=[NAMES]), "no column unit of texts"),
    (dict(columns=[UNITS]), "no column name of texts"),
    (dict(columns=[NAMES, WriteColumn(b"unit", [0, 0])]), "no column unit of texts"),
    (dict(columns=[WriteColumn(b"name", [0.0, 1.0], FLOAT64), UNITS]), "no column name of texts"),
    (dict(columns=[WriteColumn(b"name", [b"pe", b"temp"], TEXT), UNITS]), "checksum"),
    (dict(columns=[WriteColumn(b"name", [b"temp", b"p"], TEXT), WriteColumn(b"unit", [b"K", b"e"], TEXT)]), "checksum"),
    (dict(name=b""), "length of a name or unit"),
    (dict(name=b"n" * 256), "length of a name or unit"),
    (dict(unit=b"u" * 256), "length of a name or unit"),
    (dict(values=(1.0,)), "not as many"),
    (dict(values=(1.0, 2.0, 3.0)), "not as many"),
    (dict(values=()), "not as many"),
    (dict(checksum=0), "checksum"),
    (dict(body=bytes(8)), "have a body"),
    (dict(behind=record(OBSERVABLES, b"")), "ends too early"),
    (dict(behind=record(OBSERVABLES, struct.pack("<q", TIMESTEP))), "ends too early"),
    (dict(behind=record(OBSERVABLES, struct.pack("<qQ", 0, 0), bytes(8))), "have a body"),
    (dict(behind=observables_record(TIMESTEP, [b"temp"], [b"K"], [1.0])), "not as many"),
]



def thermo(columns=None, changed=None, behind=b"", **changes):
    """A table of timesteps behind the frames, which gives them observables."""
    columns = [WriteColumn(b"timestep", [TIMESTEP]), WriteColumn(b"temp", [300.0], FLOAT64)] if columns is None else columns
    for key, value in (changed or {}).items():
        setattr(columns[0], key, value)
    return file_of() + tables_record([WriteTable(b"thermo", columns)], **changes) + behind


THERMO = [
    (dict(checksum=0), "checksum"),
    (dict(columns=[]), "no column timestep"),
    (dict(columns=[WriteColumn(b"temp", [300.0], FLOAT64)]), "no column timestep"),
    (dict(columns=[WriteColumn(b"timestep", [5.0], FLOAT64)]), "no column timestep"),
    (dict(columns=[WriteColumn(b"timestep", [b"5"], TEXT)]), "no column timestep"),
    (dict(changed=dict(stream=[1] * 5)), "column timestep: numbers do not fill"),
    (dict(behind=tables_record([], zero=1)), "reserved bytes"),
]

FAMILIES = [
    (tables, RECORD),
    (short_head, SHORT_HEAD),
    (table, TABLE),
    (data, DATA),
    (few, FEW),
    (texts, TEXTS),
    (without_rows, WITHOUT_ROWS),
    (observables, OBSERVED),
    (thermo, THERMO),
]
