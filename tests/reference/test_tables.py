# SPDX-License-Identifier: BSD-3-Clause
"""Tables and observables (sections 11a and 11b of docs/format.md) of the reference decoder, against the test writer."""

import contextlib
import io
import itertools
import json
import pathlib
import random
import struct
import sys
import tempfile
import unittest
from unittest import mock

from gpz_reference import __main__ as gpz_main
from gpz_reference import conformance
from gpz_reference import reader as gpz_ref
from gpz_reference.codec import FLOAT64, INTEGER
from gpz_reference.tables import CODINGS, COLUMN_BEFORE, FEW_VALUES, NO_PREDICTION, ROW_BEFORE, TABLES, TEXT
from gpz_reference.xxh3 import xxh3_64
from gpz_write import file_header, frame_record, write_bytes
from gpz_write import record as write_record
from gpz_write_tables import WriteColumn, WriteTable, names_table, observables_record, tables_record
from library import LibraryTest, each, listing, sample

WORDS = [b"", b"CA", b"\0\n\xff", b"O" * 300]
EDGES = [-(2**63), 2**63 - 1, 0, -1, 1]
FLOATS = [0.0, -0.0, float("inf"), 5e-324, 1 / 3]


def frame(timestep):
    return frame_record([], [], timestep=timestep)


def read(*records):
    file = gpz_ref.read_bytes(file_header({}) + b"".join(records))
    return file, [{table.name: table for table in f.tables} for f in file.frames]


def column(name, rows, *how):
    kind = TEXT if isinstance(rows[0], bytes) else FLOAT64 if isinstance(rows[0], float) else INTEGER
    return WriteColumn(name, rows, kind, b"unit", *how)


def bits(values):
    return [struct.pack("<d", v) if isinstance(v, float) else v for v in values]


class Columns(unittest.TestCase):
    def check(self, *columns):
        file, frames = read(tables_record([WriteTable(b"t", list(columns))]), frame(0))
        self.assertEqual(file.damage, [])
        self.assertEqual([c.name.encode() for c in frames[0]["t"].columns], [c.name for c in columns])
        for found, written in zip(frames[0]["t"].columns, columns):
            self.assertEqual((found.type, found.unit.encode()), (written.type, written.unit))
            self.assertEqual(bits(found.values), bits(written.rows))

    def test_every_coding_prediction_and_type(self):
        rng = random.Random(1)
        predicted = tuple(itertools.product((NO_PREDICTION, ROW_BEFORE), (NO_PREDICTION, ROW_BEFORE, COLUMN_BEFORE)))
        for number, kinds in enumerate(itertools.product((EDGES, FLOATS, WORDS), repeat=2)):
            first, second = ([rng.choice(kind) for _ in range(40)] for kind in kinds)
            for codings in itertools.product(CODINGS, repeat=2):
                for predictions in sample(predicted, 3, number + sum(codings)):
                    with self.subTest(codings=codings, predictions=predictions):
                        self.check(*(column(*each) for each in zip((b"a", b"b"), (first, second), codings, predictions)))

    def test_classes_depend_on_all_columns_before(self):
        a, b = [i % 3 for i in range(60)], [i // 3 % 2 for i in range(60)]
        c = [4 * x + y for x, y in zip(a, b)]
        for codings in itertools.product(CODINGS, CODINGS, (FEW_VALUES,)):
            self.check(*(column(name, rows, coding) for name, rows, coding in zip((b"a", b"b", b"c"), (a, b, c), codings)))

    def test_without_rows_or_columns(self):
        self.check(WriteColumn(b"a", []), WriteColumn(b"b", [], FLOAT64), WriteColumn(b"c", [], TEXT))
        self.check()


class Validity(unittest.TestCase):
    def tables_by_frame(self, *records):
        file, frames = read(*records)
        last = {table.name: table for table in file.tables}
        return [{name: table.rows for name, table in tables.items()} for tables in (*frames, last)]

    def table(self, name, rows):
        return WriteTable(name, [WriteColumn(b"a", list(range(rows)))])

    def test_until_the_next_of_the_name(self):
        first, empty = tables_record([self.table(b"b", 3), self.table(b"a", 2)]), tables_record([WriteTable(b"b")])
        found = self.tables_by_frame(frame(0), first, frame(1), empty, tables_record([]), frame(2), tables_record([self.table(b"c", 1)]))
        self.assertEqual(found, [{"c": 1}, {"a": 2, "b": 3, "c": 1}, {"a": 2, "b": 0, "c": 1}, {"a": 2, "b": 0, "c": 1}])
        self.assertEqual(list(found[1]), ["a", "b", "c"])

    def test_behind_the_last_frame(self):
        def of(*tables):
            return tables_record([self.table(*table) for table in tables])

        found = self.tables_by_frame(frame(0), of((b"a", 1)), frame(1), of((b"a", 2), (b"b", 3)), of((b"b", 4)))
        self.assertEqual(found, [{"a": 2, "b": 4}, {"a": 1, "b": 4}, {"a": 2, "b": 4}])

    def test_damage_in_a_column_costs_its_table(self):
        broken = WriteTable(b"a", [WriteColumn(b"a", [1, 2], stream=[0, 0, 0])])
        file, frames = read(tables_record([self.table(b"a", 1), self.table(b"b", 2)]), tables_record([broken, self.table(b"c", 3)]), frame(0))
        self.assertEqual([*frames[0]], ["b", "c"])
        self.assertRegex(file.damage[0], r"^byte \d+: table a: column a: ")
        behind = tables_record([self.table(b"a", 1)])
        self.assertEqual(self.tables_by_frame(tables_record([broken]), frame(0), behind), [{}, {"a": 1}])

    def test_other_damage_costs_all_tables_before(self):
        broken = tables_record([self.table(b"b", 1)], zero=1)
        records = tables_record([self.table(b"a", 1)]), frame(0), broken, tables_record([self.table(b"c", 3)]), frame(1)
        self.assertEqual(self.tables_by_frame(*records), [{"a": 1}, {"c": 3}, {"c": 3}])
        behind = tables_record([self.table(b"d", 4)])
        self.assertEqual(self.tables_by_frame(*records, behind), [{"a": 1, "d": 4}, {"c": 3}, {"c": 3, "d": 4}])
        self.assertEqual(self.tables_by_frame(*records, behind, broken), [{"a": 1}, {"c": 3}, {}])


class ObservablesOfFrames(unittest.TestCase):
    names = names_table([b"temp", b"pe"], [b"K", b""])

    def values(self, timestep, *values, **changes):
        return observables_record(timestep, [b"temp", b"pe"], [b"K", b""], values, **changes)

    def check(self, records, expected, cause=None):
        file, _ = read(tables_record([self.names]), *records)
        self.assertEqual([[o.value for o in f.observables] for f in file.frames], expected)
        if cause is None:
            self.assertEqual(file.damage, [])
        else:
            self.assertRegex(file.damage[0], cause)

    def test_of_their_frame(self):
        self.check([self.values(7, 1.0, 2.0), frame(7), frame(8)], [[1.0, 2.0], []])
        file, _ = read(tables_record([self.names]), self.values(7, 1.0, 2.0), frame(7))
        self.assertEqual([(o.name, o.unit) for o in file.frames[0].observables], [("temp", "K"), ("pe", "")])

    def test_last_one_counts(self):
        self.check([self.values(7, 1.0, 2.0), self.values(7, 3.0, 4.0), frame(7)], [[3.0, 4.0]])

    def test_of_other_timesteps_have_no_meaning(self):
        self.check([self.values(7, 3.0, 4.0), self.values(6, 1.0), frame(7)], [[3.0, 4.0]])
        self.check([frame(5), self.values(7, 3.0, 4.0), frame(6), frame(7), self.values(7, 1.0)], [[], [], []])

    def test_names_behind_the_record(self):
        later = tables_record([names_table([b"temp"], [b"R"])])
        self.check([observables_record(7, [b"temp"], [b"R"], [1.0]), later, frame(7)], [[1.0]])

    def test_refused_without_their_names(self):
        self.check([self.values(7, 1.0), frame(7)], [[]], "not as many")
        self.check([self.values(7, 1.0, 2.0, checksum=1), frame(7)], [[]], "checksum")
        self.check([self.values(7, 1.0, 2.0), tables_record([WriteTable(b"observables")]), frame(7)], [[]], "no column name")

    def thermo(self, *more):
        columns = [WriteColumn(b"timestep", [6, 7, 7]), WriteColumn(b"temp", [1.0, 2.0, 3.0], FLOAT64, b"K"), *more]
        return tables_record([WriteTable(b"thermo", columns)])

    def test_from_a_table_of_timesteps(self):
        more = WriteColumn(b"n", [1, 2, 3]), WriteColumn(b"pe", [4.0, 5.0, 6.0], FLOAT64)
        self.check([self.values(6, 8.0, 9.0), frame(6), self.values(6, 8.0, 9.0), frame(7), frame(8), self.thermo(*more)], [[8.0, 9.0], [2.0, 5.0], []])
        self.check([self.thermo(), frame(6), tables_record([WriteTable(b"thermo")]), frame(7)], [[1.0], []], "no column timestep")
        self.check([self.values(7, 1.0), self.thermo(), frame(7)], [[]], "not as many")

    def test_none(self):
        self.check([tables_record([names_table([], [])]), observables_record(7, [], [], []), frame(7)], [[]])


class ByLibrary(LibraryTest):
    """Records that the library wrote, of which a byte is changed behind a checksum that holds."""

    def test_changed_records(self):
        golden = (conformance.GOLDEN / "tables.gpz").read_bytes()
        _, _, start = gpz_ref.read_file_header(golden)
        records = [record for record in gpz_ref.walk(golden, start, []) if record.type == TABLES and len(record.body) > 0]
        files, refused = {}, 0
        for number, record in enumerate(records):
            for place in sample(range(number % 5, len(record.body), 5), 3, number):
                body = bytearray(record.body)
                body[place] ^= 1 << place % 8
                head = struct.pack("<Q", xxh3_64(body)) + record.head[8:]
                name = f"{number}-{place}.gpz"
                files[name] = file_header({}) + write_record(TABLES, head, bytes(body)) + frame(0)
                (self.folder / name).write_bytes(files[name])
        for name, by_library in each(self.folder).items():
            with self.subTest(file=name):
                file = gpz_ref.read_bytes(files[name])
                damaged = by_library[-1].startswith("damaged")
                self.assertEqual(damaged, bool(file.damage), (by_library[-1], file.damage))
                refused += damaged
                if not damaged:
                    # Ends of lines may stand in names.
                    self.assertEqual(by_library, "\n".join(listing(file)).splitlines())
        self.assertGreater(refused, len(files) // 2)


class Printed(unittest.TestCase):
    def printed(self, *records, options=()):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file.gpz"
            path.write_bytes(write_bytes({}, records))
            said = io.StringIO()
            with mock.patch.object(sys, "argv", ["gpz-reference", str(path), *options]), contextlib.redirect_stdout(said):
                self.assertEqual(gpz_main.main(), 0)
            return said.getvalue()

    def test_tables_where_they_change(self):
        masses = tables_record([WriteTable(b"types", [WriteColumn(b"mass", [1.5], FLOAT64, b"grams/mole")])])
        other = tables_record([WriteTable(b"types", [WriteColumn(b"mass", [2.5], FLOAT64)])])
        observed = tables_record([names_table([b"temp"], [b"K"])]), observables_record(0, [b"temp"], [b"K"], [1.5])
        printed = self.printed(masses, *observed, frame(0), masses, frame(1), other).splitlines()
        digest = [line.split()[2] for line in printed if "mass" in line]
        self.assertNotEqual(*digest)
        self.assertEqual(
            [line for line in printed if "text" not in line],
            [
                "table observables rows 1",
                "table types rows 1",
                f"  mass f64 {digest[0]} unit grams/mole",
                "frame 0 timestep 0 particles 0",
                "  observable temp 3ff8000000000000 unit K",
                "frame 1 timestep 1 particles 0",
                "table types rows 1",
                f"  mass f64 {digest[1]}",
            ],
        )
        described = json.loads(self.printed(masses, frame(0), frame(1), other, options=["--json"]))
        self.assertEqual([*described["frames"][0]], ["timestep", "particles", "columns", "tables"])
        self.assertEqual([*described["frames"][1]], ["timestep", "particles", "columns"])
        self.assertEqual(described["tables"][0]["columns"][0]["digest"], digest[1])

    def test_nothing_else_without_tables(self):
        self.assertEqual(self.printed(frame(0)), "frame 0 timestep 0 particles 0\n")
        self.assertEqual([*json.loads(self.printed(frame(0), options=["--json"]))], ["metadata", "frames", "torn", "damage"])


if __name__ == "__main__":
    unittest.main()
