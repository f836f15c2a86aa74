# SPDX-License-Identifier: BSD-3-Clause
"""Sections 11a and 11b of docs/format.md: tables and observables. Slow and plain on purpose."""

import struct
from dataclasses import dataclass

from .codec import FLOAT64, INTEGER, MASK, BadFile, Cursor, require
from .few_values import CONTEXTS, MOST_VALUES, Expectation
from .numbers import NumberStream
from .xxh3 import xxh3_64

TABLES, OBSERVABLES = 0x80000001, 0x80000002  # types of records
TEXT = 4
VALUE_TYPES = {INTEGER: "integer", FLOAT64: "f64", TEXT: "text"}
CODINGS = FEW_VALUES, NUMBERS = 1, 2
PREDICTIONS = NO_PREDICTION, ROW_BEFORE, COLUMN_BEFORE = 0, 1, 2
CLASS_FACTOR = 0x9E3779B97F4A7C15
MOST_TABLES = MOST_COLUMNS = 65535
LONGEST_NAME = 255


@dataclass
class TableColumn:
    name: str
    type: int  # INTEGER, FLOAT64 or TEXT
    unit: str
    numbers: list  # of each row: bits of the integer or of the f64; number of the text
    texts: list | None  # different ones, as bytes; None if the column has numbers

    @property
    def values(self):
        """Integers, floats, or texts as bytes: a text may be no UTF-8."""
        if self.type == TEXT:
            return [self.texts[number] for number in self.numbers]
        return list(struct.unpack(f"<{len(self.numbers)}{'q' if self.type == INTEGER else 'd'}", self.data))

    @property
    def data(self):
        """Numbers as little-endian 64 bits; of each text its length as u32, and its bytes."""
        if self.type == TEXT:
            return b"".join(map(with_length, self.values))
        return struct.pack(f"<{len(self.numbers)}Q", *self.numbers)

    @property
    def digest(self):
        return f"{xxh3_64(self.data):016x}"


@dataclass
class Table:
    name: str
    rows: int
    columns: list

    def column(self, name):
        return next((column for column in self.columns if column.name == name), None)


@dataclass
class Observable:
    name: str
    unit: str
    value: float
    bits: int  # of the value


def shown(name):
    return name.decode("utf-8", errors="backslashreplace")


def with_length(text):
    return struct.pack("<I", len(text)) + text


class Before:
    """What a column needs of the one before it: v_i, and the c_i of the next column."""

    def __init__(self, numbers, residuals, class_of):
        self.numbers = numbers
        self.classes = [(class_of(i) + r) * CLASS_FACTOR & MASK for i, r in enumerate(residuals)]


def read_few_values(cursor, rows, class_of):
    (count,) = cursor.unpack("Q")
    require(1 <= count <= MOST_VALUES, "the number of values is out of range")
    keys = cursor.unpack(f"{count}Q")
    require(all(a < b for a, b in zip(keys, keys[1:])), "the values of a column do not ascend")
    numbers, expectation, residuals = NumberStream(cursor.rest(), CONTEXTS), Expectation(), []
    for i in range(rows):
        expected, context = expectation.expect(class_of(i), None)
        u = numbers.get(context)
        symbol = expected if u == 0 else u - 1 if u <= expected else u
        require(symbol < count, "a value is not among those of its column")
        expectation.update(symbol)
        residuals.append(keys[symbol])
    numbers.end()
    return residuals


def read_numbers(cursor, rows):
    stream, residuals = NumberStream(cursor.rest(), 2), []
    for _ in range(rows):
        z = stream.get(0)
        z |= stream.get(1) << 32
        residuals.append((-(z + 1) // 2 if z % 2 else z // 2) & MASK)
    stream.end()
    return residuals


def read_integers(cursor, rows, before):
    """To the end of the cursor. `before`: of the column before, None in the first one."""
    if rows == 0:
        require(len(cursor.rest()) == 0, "a column without rows has integers")
        return Before([], [], None)
    coding, prediction, *zeros = cursor.unpack("8B")
    require(coding in CODINGS, f"coding {coding} of a column is unknown")
    require(prediction in PREDICTIONS, f"prediction {prediction} of a column is unknown")
    require(not any(zeros), "reserved bytes of a column are not zero")
    require(prediction != COLUMN_BEFORE or before is not None, "the first column is predicted by the column before")

    def class_of(i):
        return 0 if before is None else before.classes[i]

    residuals = read_few_values(cursor, rows, class_of) if coding == FEW_VALUES else read_numbers(cursor, rows)
    numbers = []
    for i, residual in enumerate(residuals):
        expected = 0
        if prediction == ROW_BEFORE:
            expected = numbers[-1] if numbers else 0
        elif prediction == COLUMN_BEFORE:
            expected = before.numbers[i]
        numbers.append(residual + expected & MASK)
    return Before(numbers, residuals, class_of)


def read_texts(cursor):
    (count,) = cursor.unpack("I")
    lengths = cursor.unpack(f"{count}I")
    texts = [bytes(cursor.take(length)) for length in lengths]
    cursor.skip_padding()
    return texts


def read_entry(cursor):
    """Of a column: value type, name, unit, length of the data."""
    kind, name_length, unit_length, zero, more_zeros, length = cursor.unpack("BBBBIQ")
    require(kind in VALUE_TYPES, f"value type {kind} of a column is unknown")
    require(name_length > 0, "a column has no name")
    require(zero == 0 and more_zeros == 0, "reserved bytes of a column's entry are not zero")
    require(length % 8 == 0, "the length of a column is not a multiple of 8")
    return kind, bytes(cursor.take(name_length)), bytes(cursor.take(unit_length)), length


class RefusedTable(BadFile):
    """The data of a column break a rule: the other tables of the record can be read."""


def read_data(entry, data, rows, before):
    """The column with this entry, and what the next one needs of it."""
    kind, name, unit, _ = entry
    try:
        texts = read_texts(data) if kind == TEXT else None
        integers = read_integers(data, rows, before)
        require(texts is None or all(number < len(texts) for number in integers.numbers), "a row has an unknown text")
    except BadFile as error:
        raise RefusedTable(f"column {shown(name)}: {error}") from None
    return TableColumn(shown(name), kind, shown(unit), integers.numbers, texts), integers


def take_table(body):
    """The next one. Returns its name as it is in the file, and a function that returns the table or raises RefusedTable."""
    start = body.offset
    (length,) = body.unpack("Q")
    require(length % 8 == 0 and length > 0, "the length of a table is not a multiple of 8 above 0")
    body.offset = start
    cursor = Cursor(body.take(length), "table")
    cursor.take(8)
    rows, count, name_length = cursor.unpack("QII")
    require(count <= MOST_COLUMNS, "a table has too many columns")
    require(rows == 0 or count > 0, "a table without columns has rows")
    require(1 <= name_length <= LONGEST_NAME, "the length of a table's name is out of range")
    name = bytes(cursor.take(name_length))
    entries = [read_entry(cursor) for _ in range(count)]
    cursor.skip_padding()
    require(len({entry[1] for entry in entries}) == count, "two columns of a table have the same name")
    data = [cursor.take(length) for *_, length in entries]
    require(len(cursor.rest()) == 0, "columns do not fill their table")

    def read():
        table, before = Table(shown(name), rows, []), None
        for entry, of_column in zip(entries, data):
            column, before = read_data(entry, Cursor(of_column, "data"), rows, before)
            table.columns.append(column)
        return table

    return name, read


def read_tables(record):
    """By the names as they are in the file: functions as take_table returns them."""
    head = Cursor(record.head, "head of tables")
    checksum, count, zero = head.unpack("QII")
    require(len(head.rest()) == 0, "the head of tables is too long")
    require(count <= MOST_TABLES, "a record has too many tables")
    require(zero == 0, "reserved bytes of tables are not zero")
    require(checksum == xxh3_64(record.body), "tables: checksum does not hold")
    body, tables = Cursor(record.body, "tables"), {}
    for _ in range(count):
        name, read = take_table(body)
        require(name not in tables, f"two tables have the same name: {shown(name)}")
        tables[name] = read
    require(len(body.rest()) == 0, "tables do not fill their record")
    return tables


def read_observables(record):
    """The timestep, the checksum of the names, and the bits of the values."""
    head = Cursor(record.head, "observables")
    timestep, checksum = head.unpack("qQ")
    require(len(record.body) == 0, "observables have a body")
    rest = head.rest()
    return timestep, checksum, struct.unpack(f"<{len(rest) // 8}Q", rest)


def texts_of(table, name):
    column = table.column(name)
    require(column is not None and column.type == TEXT, f"the table of the observables has no column {name} of texts")
    return column.values


def name_observables(checksum, bits, table):
    """`table`: the one named observables that is valid for the frame, or None."""
    require(table is not None, "observables without a table of their names")
    names, units = texts_of(table, "name"), texts_of(table, "unit")
    lengths = [(len(name), len(unit)) for name, unit in zip(names, units)]
    require(all(1 <= n <= LONGEST_NAME and u <= LONGEST_NAME for n, u in lengths), "the length of a name or unit of observables")
    require(table.rows == len(bits), "observables are not as many as the table of their names has rows")
    covered = b"".join(with_length(text) for row in zip(names, units) for text in row)
    require(checksum == xxh3_64(covered), "the checksum of the names of observables does not hold")
    return [Observable(shown(n), shown(u), struct.unpack("<d", struct.pack("<Q", b))[0], b) for n, u, b in zip(names, units, bits)]


def observables_at(thermo, timestep):
    """Those of a table of timesteps."""
    timesteps = thermo.column("timestep")
    require(timesteps is not None and timesteps.type == INTEGER, "the table thermo has no column timestep of integers")
    row = next((i for i, value in enumerate(timesteps.values) if value == timestep), None)
    if row is None:
        return []
    return [Observable(c.name, c.unit, c.values[row], c.numbers[row]) for c in thermo.columns if c.type == FLOAT64]


class Valid:
    """Tables by the names as they are in the file: those that count after some records. A refused table is None."""

    def __init__(self):
        self.tables = {}
        self.replaces_unknown = False  # whether a record replaces tables of which the names are unknown

    def followed_by(self, other):
        result = Valid()
        result.tables = {**({} if other.replaces_unknown else self.tables), **other.tables}
        return result

    def add(self, record, damage):
        try:
            new = read_tables(record)
        except BadFile as error:
            self.tables, self.replaces_unknown = {}, True
            damage.append(f"byte {record.offset}: {error}")
            return
        for name, read in new.items():
            self.tables[name] = None
            try:
                self.tables[name] = read()
            except RefusedTable as error:
                damage.append(f"byte {record.offset}: table {shown(name)}: {error}")

    def all(self):
        return [table for _, table in sorted(self.tables.items()) if table is not None]

    def get(self, name):
        require(self.tables.get(name, ()) is not None, f"the table {shown(name)} is refused")
        return self.tables.get(name)


def find_observables(timestep, records, valid, damage):
    """Of a frame; `records`: those of observables in front of it."""
    record = None
    try:
        for record in reversed(records):
            of_timestep, checksum, bits = read_observables(record)
            if of_timestep == timestep:
                return name_observables(checksum, bits, valid.get(b"observables"))
        record = None
        thermo = valid.get(b"thermo")
        return [] if thermo is None else observables_at(thermo, timestep)
    except BadFile as error:
        where = f"byte {record.offset}" if record else f"frame of timestep {timestep}"
        damage.append(f"{where}: {error}")
        return []


def complete(frames, behind, damage):
    """Gives frames their tables and observables. `frames`: pairs of the records in front of it and the frame, which is None if it is
    damaged; `behind`: the records behind the last one. Returns the tables at the end of the file."""
    first, last = Valid(), Valid()  # in front of a frame, and behind all
    for record in behind:
        if record.type == TABLES:
            last.add(record, damage)
    for records, frame in frames:
        for record in records:
            if record.type == TABLES:
                first.add(record, damage)
        if frame is not None:
            valid = last.followed_by(first)
            frame.tables = valid.all()
            observed = [record for record in records if record.type == OBSERVABLES]
            frame.observables = find_observables(frame.timestep, observed, valid, damage)
    return first.followed_by(last).all()
