# SPDX-License-Identifier: BSD-3-Clause
"""gpz encode without a bound, ids for the rows of XYZ, and what is said of lossless columns."""

import json
import os
import random
import subprocess

from cli_case import A_SET, GPZ, NUMBERED, CliCase, binary_frame, dump_frame, parse_dump, parse_xyz, random_rows

OTHERS = "(--eb V for another)"


def xyz_frame(rows, comment=""):
    return f"{len(rows)}\n{comment}\n" + "".join(" ".join(str(value) for value in row) + "\n" for row in rows)


class EncodeCase(CliCase):
    def bounds(self, name):
        columns = json.loads(self.gpz("info", name, "--json", out=None))["columns"]
        return {column["name"]: column["bound"] for column in columns}


class DefaultBound(EncodeCase):
    # The units of lengths of LAMMPS; every bound is 0.0005 Angstrom, to the next power of ten for Bohr.
    STYLES = {"lj": "0.0005 sigma", "real": "0.0005 Angstrom", "metal": "0.0005 Angstrom", "electron": "0.001 Bohr",
              "si": "5e-14 m", "cgs": "5e-12 cm", "micro": "5e-08 micrometers", "nano": "5e-05 nm"}

    def note(self, style):
        return f"positions: bound {self.STYLES[style]}, the default of units {style} {OTHERS}"

    def test_units_option(self):
        self.write("in.dump", dump_frame(0, [(1, 1, 1, 2, 3)]))
        for style, text in self.STYLES.items():
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--units", style, err=self.note(style))
            self.assertEqual(self.bounds("t.gpz")["x"], float(text.split()[0]))

    def test_units_of_the_file(self):
        rows = random_rows(500, 1)
        self.write("in.dump", "ITEM: UNITS\nelectron\n" + dump_frame(0, rows))
        self.write("in.bin", binary_frame(0, "id type x y z", rows, units="electron"))
        for name in ("in.dump", "in.bin"):
            self.gpz("encode", name, "-o", "t.gpz", err=self.note("electron"))
            self.gpz("decode", "t.gpz", "-o", "out.dump", "--sort", "id")
            decoded = parse_dump(self.text("out.dump"))[0][2]
            for axis in range(2, 5):
                self.assert_within([row[axis] for row in decoded], [row[axis] for row in sorted(rows)], 0.001)
            self.gpz("encode", name, "-o", "t.gpz", "--units", "real", code=2, err=f"{name}: is in units electron, and --units says real")

    def test_no_units(self):
        self.write("in.dump", dump_frame(0, [(1, 1, 1, 2, 3)]))
        self.gpz("encode", "in.dump", "-o", "t.gpz",
                 err=f"positions: bound 0.0005 in the unit of the file, whose units are unknown without --units {OTHERS}")
        self.assertEqual(self.bounds("t.gpz")["x"], 0.0005)

    def test_xyz_is_in_angstrom(self):
        self.write("in.xyz", xyz_frame([("C", 1, 2, 3)]))
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--order", "place",
                 err=f"positions: bound 0.0005 Angstrom, the default of XYZ files {OTHERS}\ngpz: in.xyz: {A_SET}")
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--units", "nano", err=f"{self.note('nano')}\ngpz: in.xyz: {NUMBERED}")

    def test_it_is_said_once_and_never_on_standard_output(self):
        self.write("in.dump", "".join(dump_frame(k, random_rows(20, k)) for k in range(3)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--units", "lj", err=self.note("lj"))
        # The pipe gets the file and nothing else.
        out = self.gpz("encode", "in.dump", "-o", "-", "--units", "lj", err=self.note("lj"), out=None)
        self.assertEqual(out, self.read("t.gpz"))

    def test_bounds_of_other_columns_do_not_take_its_place(self):
        self.write("in.dump", dump_frame(0, [(1, 1, 2, 3, 0.5)], columns="id x y z q"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--units", "metal", "--bound", "q=0.01", err=self.note("metal"))
        self.assertEqual(self.bounds("t.gpz"), {"id": 0, "x": 0.0005, "y": 0.0005, "z": 0.0005, "q": 0.01})

    def test_scaled_positions_keep_it_as_a_distance(self):
        self.write("in.dump", dump_frame(0, [(1, 0.5, 0.25, 0.75)], columns="id xs ys zs"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--units", "metal", err=self.note("metal"))
        self.assertEqual(self.bounds("t.gpz")["xs"], 0.0005 / 10)

    def test_no_positions_no_bound(self):
        self.write("in.dump", dump_frame(0, [(1, 0.5)], columns="id q"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--units", "metal")
        self.assertEqual(self.bounds("t.gpz"), {"id": 0, "q": 0})

    def test_gpz_files_keep_their_bounds(self):
        self.write("in.dump", dump_frame(0, random_rows(100, 2)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01")
        self.gpz("encode", "t.gpz", "-o", "e.gpz")
        self.assertEqual(self.bounds("e.gpz")["x"], 0.01)

    def test_raw_arrays_need_units(self):
        self.write("in.raw", binary_frame(0, "x y z", [(1, 2, 3)])[-24:])
        self.gpz("encode", "in.raw", "-o", "t.gpz", "--raw", "f64", code=2,
                 err="give one of --eb V, --rel V and --lossless")
        self.assert_files("in.raw")
        self.gpz("encode", "in.raw", "-o", "t.gpz", "--raw", "f64", "--units", "metal",
                 err=f"{self.note('metal')}\ngpz: in.raw: {NUMBERED}")
        self.assertEqual(self.bounds("t.gpz")["x"], 0.0005)

    def test_unknown_units(self):
        known = "(known: lj, real, metal, electron, si, cgs, micro, nano)"
        self.write("in.dump", "ITEM: UNITS\nparsec\n" + dump_frame(0, [(1, 1, 1, 2, 3)]))
        for bound in ([], ["--eb", "1"]):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--units", "inch", *bound, code=2,
                     err=f"unknown units: inch {known}")
        self.gpz("encode", "in.dump", "-o", "t.gpz", code=2,
                 err=f"in.dump: unknown units: parsec {known}; give --eb V or --units")
        self.assert_files("in.dump")
        # With a bound nothing depends on the units.
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
        self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", "--with-units", out=self.text("in.dump"))


class RowNumbers(EncodeCase):
    def encode(self, text, *options, err=f"in.xyz: {NUMBERED}"):
        self.write("in.xyz", text)
        self.gpz("encode", "in.xyz", "-o", "t.gpz", *options, err=err)

    def ids(self, frame):
        out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "extxyz", "--frames", str(frame), out=None).decode()
        comment, rows = parse_xyz(out)[0]
        if ":id:I:1" not in comment:
            return None
        place = 5 if ":type:I:1:id" in comment else 4
        return [int(row[place]) for row in rows]

    def moving(self, frames, count=400):
        source = random.Random(7)
        places = [[source.uniform(0, 20) for _ in range(3)] for _ in range(count)]
        species = [source.choice("CHO") for _ in range(count)]
        for _ in range(frames):
            for place in places:
                place[:] = [x + source.uniform(-0.1, 0.1) for x in place]
            yield [(name, *place) for name, place in zip(species, places)]

    def test_rows_come_back_in_their_order(self):
        frames = list(self.moving(5))
        self.encode("".join(xyz_frame(rows) for rows in frames), "--eb", "0.001")
        for name in ("out.xyz", "out.extxyz"):
            self.gpz("decode", "t.gpz", "-o", name)
            decoded = parse_xyz(self.text(name))
            self.assertEqual(len(decoded), len(frames))
            for (_, rows), given in zip(decoded, frames):
                self.assertEqual([row[0] for row in rows], [row[0] for row in given])
                for axis in (1, 2, 3):
                    self.assert_within([row[axis] for row in rows], [row[axis] for row in given], 0.001)

    def test_verified_against_the_rows(self):
        frames = list(self.moving(3))
        self.encode("".join(xyz_frame(rows) for rows in frames), "--eb", "0.001")
        report = self.gpz("verify", "t.gpz", "--against", "in.xyz", out=None).decode()
        self.assertIn("compared with in.xyz by timestep and id", report)
        self.assertNotIn("not compared", report)
        # Two particles of one species that change their rows are found, although both are there.
        one, two = [row for row, values in enumerate(frames[2]) if values[0] == "C"][:2]
        frames[2][one], frames[2][two] = frames[2][two], frames[2][one]
        self.write("in.xyz", "".join(xyz_frame(rows) for rows in frames))
        self.gpz("verify", "t.gpz", "--against", "in.xyz", code=7, err=None, out=None)

    def test_frames_are_stored_as_differences(self):
        frames = list(self.moving(5))
        self.encode("".join(xyz_frame(rows) for rows in frames), "--eb", "0.001")
        numbered = len(self.read("t.gpz"))
        self.gpz("encode", "in.xyz", "-o", "p.gpz", "--eb", "0.001", "--order", "place", err=f"in.xyz: {A_SET}")
        self.assertLess(numbered, len(self.read("p.gpz")))
        self.assertEqual(json.loads(self.gpz("info", "t.gpz", "--json", out=None))["key_frames"]["count"], 1)

    def test_ids_of_the_file_stay(self):
        comment = "Properties=species:S:1:pos:R:3:id:I:1"
        self.encode(xyz_frame([("C", 1, 2, 3, 7), ("H", 4, 5, 6, 5)], comment), "--eb", "0.001", err="")
        self.assertEqual(self.ids(0), [5, 7])

    def test_rows_of_every_format_and_order(self):
        """Rows keep their order unless a set is asked for; the columns that come back are those that were given."""
        source = random.Random(2)
        rows = [[(k % 2 + 1, *(source.uniform(0, 10) for _ in range(3))) for k in range(1500)] for _ in range(2)]
        columns = "type x y z"
        self.write("in.dump", "".join(dump_frame(k, part, columns) for k, part in enumerate(rows)))
        self.write("in.bin", b"".join(binary_frame(k, columns, part) for k, part in enumerate(rows)))
        self.write("in.xyz", "".join(xyz_frame(part) for part in rows))
        for name in ("in.dump", "in.bin", "in.xyz"):
            for bound in ("0.001", "0"):
                for order in ("auto", "id", "memory", "place"):
                    note = {"memory": "", "place": f"{name}: {A_SET}"}.get(order, f"{name}: {NUMBERED}")
                    self.gpz("encode", name, "-o", "t.gpz", "--eb", bound, "--order", order, err=note)
                    out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=None).decode()
                    for (_, names, decoded), given in zip(parse_dump(out), rows):
                        self.assertEqual(names, columns.split())
                        kept = all(abs(float(word) - value) <= float(bound) + 1e-12
                                   for words, values in zip(decoded, given) for word, value in zip(words, values))
                        self.assertEqual(kept, order != "place" or bound == "0", (name, bound, order))
                    if order != "place":
                        self.gpz("verify", "t.gpz", "--against", name, out=None)

    def test_other_particles_in_a_row(self):
        first = [("C", 1, 2, 3), ("H", 4, 5, 6)]
        for others, cause in ((first[:1], "has 1 particle, the first frame has 2"),
                              (first[::-1], "has other species in its rows"),
                              ([("C", 1, 2, 3), ("C", 4, 5, 6)], "has other species in its rows")):
            text = xyz_frame(first) + xyz_frame(first) + xyz_frame(others) + xyz_frame(first)
            self.encode(text, "--eb", "0.001",
                        err=f"in.xyz: {NUMBERED}; frame 2 {cause}: a number is that of a row, not of a particle")
            out = parse_xyz(self.gpz("decode", "t.gpz", "-o", "-", out=None).decode())
            self.assertEqual([[row[0] for row in rows] for _, rows in out],
                             [[row[0] for row in rows] for rows in (first, first, others, first)])
            pipe = subprocess.run([GPZ, "encode", "-", "-o", "-", "--eb", "0.001"], input=text.encode(), capture_output=True,
                                  check=True)
            self.assertEqual(pipe.stdout, self.read("t.gpz"))

    def test_species_may_be_numbers_of_types(self):
        rows = [(2, 1, 2, 3), (1, 4, 5, 6)]
        self.encode(xyz_frame(rows) + xyz_frame(rows), "--eb", "0.001")
        self.encode(xyz_frame(rows) + xyz_frame(rows[::-1]), "--eb", "0.001", err=None)

    def test_the_numbers_are_shown_if_they_are_asked_for(self):
        self.encode(xyz_frame([("C", 1, 2, 3), ("H", 4, 5, 6)]), "--eb", "0.001")
        self.assertIsNone(self.ids(0))
        out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", "--columns", "id,element", out=None).decode()
        self.assertEqual(parse_dump(out)[0][1:], (["id", "element"], [["1", "C"], ["2", "H"]]))

    def test_ids_in_some_frames(self):
        rows = [random_rows(40, k) for k in range(3)]
        frame = lambda k, ids: dump_frame(k, [row if ids else row[1:] for row in rows[k]], ("id " if ids else "") + "type x y z")
        for ids, says in (((True, True, False), "frame 2 has no ids, and frame 0 has ids"),
                          ((False, False, True), "frame 2 has ids, and frame 0 has none")):
            for order in ("auto", "id", "place", "memory"):
                self.write("in.dump", "".join(frame(k, given) for k, given in enumerate(ids)))
                self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--order", order, code=2,
                         err=f"in.dump: {says}: ids are in every frame of a file or in none; 2 complete frames written")

    def test_equal_ids(self):
        """Said once, with the first two rows; the particles stay in the order of their rows."""
        source = random.Random(3)
        rows = [[((i * 7) % 300, *(source.uniform(0, 10) for _ in range(3))) for i in range(1200)] for _ in range(4)]
        self.write("in.dump", "".join(dump_frame(k, part, "id x y z") for k, part in enumerate(rows)))
        for order in ("auto", "id", "memory"):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.001", "--order", order,
                     err="in.dump: frame 0: rows 0 and 300, counted from 0, have the same id 0; particles of equal ids keep the "
                         "order of their rows")
            out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", "--sort", "id", out=None).decode()
            for (_, _, decoded), given in zip(parse_dump(out), rows):
                expected = sorted(given, key=lambda row: row[0])
                for axis in range(1, 4):
                    self.assert_within([row[axis] for row in decoded], [row[axis] for row in expected], 0.001)

    def test_equal_ids_that_arrive(self):
        """From one frame to the next, two particles get the id of a third one: those that stay are stored as differences."""
        source = random.Random(4)
        places = [[source.uniform(0, 10) for _ in range(3)] for _ in range(600)]
        ids = [list(range(600)), list(range(600)), [7 if i in (50, 400, 401) else i for i in range(600)]]
        rows = [[(i, *place) for i, place in zip(part, places)] for part in ids]
        self.write("in.dump", "".join(dump_frame(k, part, "id x y z") for k, part in enumerate(rows)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.001",
                 err="in.dump: frame 2: rows 7 and 50, counted from 0, have the same id 7; particles of equal ids keep the order "
                     "of their rows")
        out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", "--sort", "id", out=None).decode()
        for (_, _, decoded), given in zip(parse_dump(out), rows):
            expected = sorted(given, key=lambda row: row[0])
            for axis in range(1, 4):
                self.assert_within([row[axis] for row in decoded], [row[axis] for row in expected], 0.001)

    def test_ids_of_floats(self):
        comment = "Properties=species:S:1:pos:R:3:id:R:1"
        self.encode(xyz_frame([("C", 1, 2, 3, "2.0"), ("H", 4, 5, 6, "1e0")], comment), "--eb", "0.001", err="")
        self.assertEqual(self.ids(0), [1, 2])
        self.write("in.xyz", xyz_frame([("C", 1, 2, 3, 1.5)], comment))
        os.unlink(self.path("t.gpz"))
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--eb", "0.001", code=2, err=None)
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--eb", "0.001", "--bound", "id=1", code=2,
                 err="in.xyz: --bound: column id holds integers, which are lossless")
        self.assert_files("in.xyz")


class LosslessColumns(EncodeCase):
    def dump(self, count, scale):
        source = random.Random(3)
        rows = [(*row, *(scale * source.choice((-1, 1)) for _ in range(2)), 0.25 * scale) for row in random_rows(count, 3)]
        return dump_frame(0, rows, columns="id type x y z vx vy q")

    def test_they_are_named_with_usual_bounds(self):
        source = random.Random(5)
        rows = [(*row, 3 * source.choice((-1, 1)) + 1e-9 * source.random(), 0.7 + 1e-9 * source.random())
                for row in random_rows(8000, 5)]
        self.write("in.dump", dump_frame(0, rows, columns="id type x y z vx q"))
        # The root mean squares are 3 and 0.7: a thousandth, rounded down to 1, 2 or 5 times a power of ten.
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", err=None)
        result = subprocess.run([GPZ, "encode", "in.dump", "-o", "t.gpz", "--eb", "0.01"], cwd=self.folder,
                                capture_output=True, check=True)
        self.assertRegex(result.stderr.decode(), r"\Agpz: t\.gpz: lossless: vx q, [0-9]+ % of the file; a thousandth of "
                         r"their root mean square: --bound vx=0\.002 --bound q=0\.0005\n\Z")
        self.assertEqual(result.stdout, b"")
        # Done as it says, nothing is left to say.
        before = len(self.read("t.gpz"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--bound", "q=0.0005", "--bound", "vx=0.002")
        self.assertLess(len(self.read("t.gpz")), before / 2)

    def test_the_share_is_that_of_the_bytes(self):
        source = random.Random(6)
        rows = [(*row, source.uniform(1, 2)) for row in random_rows(20000, 6)]
        self.write("in.dump", dump_frame(0, rows, columns="id type x y z q"))
        result = subprocess.run([GPZ, "encode", "in.dump", "-o", "t.gpz", "--eb", "0.01"], cwd=self.folder,
                                capture_output=True, check=True)
        share = int(result.stderr.decode().split(" % of the file")[0].split()[-1])
        # Of each value 52 bits are random; sections have little beside the values.
        least = 100 * 52 / 8 * len(rows) / len(self.read("t.gpz"))
        most = 100 * 8.5 * len(rows) / len(self.read("t.gpz"))
        self.assertTrue(least - 1 <= share <= most + 1, (least, share, most))

    def test_where_nothing_is_said(self):
        self.write("small.dump", self.dump(300, 1))
        self.gpz("encode", "small.dump", "-o", "t.gpz", "--eb", "0.01")
        source = random.Random(8)
        rows = [(*row, source.gauss(0, 1)) for row in random_rows(20000, 8)]
        self.write("in.dump", dump_frame(0, rows, columns="id type x y z q"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
        result = subprocess.run([GPZ, "encode", "in.dump", "-o", "-", "--eb", "0.01"], cwd=self.folder,
                                capture_output=True, check=True)
        self.assertEqual(result.stderr, b"")
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--bound", "q=0.001")
        self.gpz("encode", "t.gpz", "-o", "e.gpz")
