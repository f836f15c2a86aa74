# SPDX-License-Identifier: BSD-3-Clause
"""The golden files decoded by the library and by the reference decoder, against the pinned digests and against the data that they
were made of. And they have all that docs/format.md names: a coding without a golden file fails here."""

import lzma
import math
import struct
import unittest

import data
import decoders
import make
import occurrences

from source import Table, bits_of, table_column

LETTERS = {1: "q", 2: "f", 3: "d"}
MADE_OTHERWISE = {"lammps-melt"}
PATHS = sorted(decoders.FILES.glob("*.gpz"))


def double_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def columns_of(frame):
    """Values by name, as numbers, and the bound by name."""
    values, bounds = {}, {}
    for field in frame["fields"]:
        for name in field["names"]:
            letter = LETTERS[field["type"]]
            values[name] = [v for (v,) in struct.iter_unpack("<" + letter, frame["data"][name])]
            bounds[name] = double_of(field["bound"])
    return values, bounds


def column_bits(frame, name, size):
    return [bits for (bits,) in struct.iter_unpack("<" + {4: "I", 8: "Q"}[size], frame["data"][name])]


class Coverage(unittest.TestCase):
    """Comes first: the files that it reads are those that the other tests look at."""

    def test_everything_occurs(self):
        missing = occurrences.expected() - occurrences.of_files(PATHS)
        self.assertEqual(missing, set(), "\n".join(sorted(map(str, missing))))


class Pinned(unittest.TestCase):
    def test_all_files_are_pinned(self):
        self.assertEqual(sorted(make.read_digests()), [path.stem for path in PATHS])
        self.assertEqual(sorted({*make.all_files(), *MADE_OTHERWISE}), [path.stem for path in PATHS])
        self.assertLess(max(path.stat().st_size for path in PATHS), 20_000)

    def check(self, decode):
        digests = make.read_digests()
        for path in PATHS:
            with self.subTest(file=path.stem):
                self.assertEqual({**make.facts_of_bytes(path), **decoders.pinned(*decode(path))}, digests[path.stem])

    def test_library(self):
        self.check(decoders.by_library)

    def test_reference_decoder(self):
        self.check(decoders.by_reference)

    def test_library_from_a_pipe(self):
        """Without what only the end of a file tells."""
        for path in PATHS:
            with self.subTest(file=path.stem):
                if path.stem == make.TORN[0]:
                    result = decoders.codec("decode", path, "stream")
                    self.assertEqual(result.returncode, 1)
                    self.assertIn(b"ends inside a record", result.stderr)
                    continue
                _, frames = decoders.by_library(path, "stream")
                expected = make.read_digests()[path.stem]["frames"]
                for frame in expected:  # a stream has records and no tables
                    frame.pop("tables", None)
                    frame.pop("observables", None)
                self.assertEqual(decoders.pinned({}, frames)["frames"], expected)


class Original(unittest.TestCase):
    """The second check, which does not come from a decoder."""

    def check_value(self, value, original, bound, where):
        if bound and math.isfinite(original):
            self.assertLessEqual(abs(value - original), bound, where)
        else:
            bits = [struct.pack("<d", v) if isinstance(v, float) else v for v in (value, original)]
            self.assertEqual(*bits, where)

    def check_frame(self, frame, source_frame, identity, name):
        """Every particle is there once, and all its values are within their bounds."""
        row_of, fields = {}, source_frame.fields
        for field in fields:
            if identity in field.names:
                row_of = {bits: row for row, bits in enumerate(field.bits[field.names.index(identity)])}
        described = [(list(f["names"]), double_of(f["bound"])) for f in frame["fields"]]
        self.assertEqual(described, [(list(f.names), f.bound) for f in fields])
        if not fields:
            return
        sizes = {f.type: 4 if f.type == "f32" else 8 for f in fields}
        owner = next(f for f in fields if identity in f.names)
        found = column_bits(frame, identity, sizes[owner.type])
        self.assertEqual(sorted(found), sorted(row_of), name)
        rows = [row_of[bits] for bits in found]
        for field, written in zip(fields, frame["fields"]):
            largest = 0.0
            for component, original_bits in zip(field.names, field.bits):
                for bits, row in zip(column_bits(frame, component, sizes[field.type]), rows):
                    if bits != original_bits[row]:
                        error = self.error(bits, original_bits[row], field.type)
                        largest = max(largest, error)
            self.assertLessEqual(largest, double_of(written["largest_error"]), (name, field.names))
            self.assertLessEqual(double_of(written["largest_error"]), field.bound, (name, field.names))

    def error(self, bits, original, kind):
        """Of a value that is not the original's, bit by bit. That of f32 is rounded to f32, as an encoder computes it."""
        self.assertNotEqual(kind, "i64")
        layout = ("<I", "<f") if kind == "f32" else ("<Q", "<d")
        value, original = (struct.unpack(layout[1], struct.pack(layout[0], b))[0] for b in (bits, original))
        self.assertTrue(math.isfinite(original) and math.isfinite(value), (value, original))
        return abs(value - original)

    def test_generated_files(self):
        for name, source in data.sources().items():
            with self.subTest(file=name):
                _, frames = decoders.by_reference(decoders.FILES / f"{name}.gpz")
                self.assertEqual(len(frames), len(source.frames))
                for frame, original in zip(frames, source.frames):
                    self.assertEqual(frame["timestep"], original.timestep)
                    self.assertEqual([double_of(bits) for bits in frame["box"]], original.box["values"])
                    self.check_frame(frame, original, source.identity, name)

    def test_tables(self):
        """For each name the last one in front of a frame, or else behind all frames; at the end of the file the last one."""
        source = data.sources()["tables"]
        facts, frames = decoders.by_reference(decoders.FILES / "tables.gpz")
        behind, in_front = {table.name: table for record in source.tables for table in record}, {}
        for frame, original in zip(frames, source.frames, strict=True):
            if original.observables:
                names, units = ([one[i].encode() for one in original.observables] for i in (0, 1))
                in_front["observables"] = Table("observables", [table_column("name", names), table_column("unit", units)])
            in_front.update({table.name: table for record in original.tables for table in record})
            self.check_tables(frame["tables"], {**behind, **in_front})
            of_thermo = [("density", "g/cm^3", bits_of(0.25, "f64"))]
            self.assertEqual([tuple(one) for one in frame["observables"]], original.observables or of_thermo)
        self.check_tables(facts["tables"], {**in_front, **behind})

    def check_tables(self, found, tables):
        described = {}
        for table in found:
            described[table["name"]] = [(c["name"], c["type"], c["unit"], bytes.fromhex(c["data"])) for c in table["columns"]]
        self.assertEqual(described, {name: [(c.name, c.type, c.unit, c.data()) for c in table.columns] for name, table in tables.items()})

    def test_file_of_lammps(self):
        """Against the text dump of the same run."""
        text = lzma.open(decoders.FILES / "lammps-melt.lammpstrj.xz", "rt").read()
        _, frames = decoders.by_reference(decoders.FILES / "lammps-melt.gpz")
        dumped = text.split("ITEM: TIMESTEP\n")[1:]
        self.assertEqual(len(dumped), len(frames))
        for frame, snapshot in zip(frames, dumped):
            head, atoms = snapshot.split("ITEM: ATOMS ")
            self.assertEqual(frame["timestep"], int(head.split()[0]))
            names, *lines = atoms.splitlines()
            columns = dict(zip(names.split(), zip(*(line.split() for line in lines))))
            values, bounds = columns_of(frame)
            self.assertEqual(set(values), set(columns))
            order = sorted(range(len(lines)), key=lambda row: values["id"][row])
            for name, column in columns.items():
                for row, printed in zip(order, column):
                    original = type(values[name][row])(printed)
                    self.check_value(values[name][row], original, bounds[name], (frame["timestep"], name, row))


if __name__ == "__main__":
    unittest.main()
