# SPDX-License-Identifier: BSD-3-Clause
"""Tables and observables of .gpz files: from data files, logs and extended XYZ, added in place, and through the commands that copy
frames (docs/format.md, sections 11a and 11b)."""

import struct

from cli_case import NUMBERED
from table_case import DATA, TableCase
from test_other_records import records

TABLES_TYPE = 1 << 31 | 1


class Encode(TableCase):
    def test_data_and_log(self):
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--units", "real", "--data", "t.data", "--log", "t.log")
        tables, info = self.info("t.gpz")
        self.assertEqual(tables, self.TABLES)
        self.assertEqual([o["name"] for o in info["observables"]], ["Temp", "PotEng", "Press"])
        text = self.gpz("info", "t.gpz", out=None).decode()
        self.assertIn("  tables      angles 4, atoms 12 (id type mol q), bonds 8, thermo 3 (timestep Temp PotEng Press), "
                      "types 2 (type mass)\n  observables Temp PotEng Press\n", text)
        for name in ("t.gpz", "plain.gpz"):
            self.gpz("decode", name, "-o", name + ".dump", "--format", "lammps", "--exact", "--sort", "id")
        self.assertEqual(self.text("t.gpz.dump"), self.text("plain.gpz.dump"))
        # Encoded again, it keeps its tables.
        self.gpz("encode", "t.gpz", "-o", "again.gpz")
        self.assertEqual(self.info("again.gpz")[0], self.TABLES)


class ExtendedXyz(TableCase):
    def test_numbers_of_the_comment(self):
        """Numbers of each frame are observables, those that gpz has elsewhere are not; plain XYZ has a comment for people."""
        head = 'Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3'
        frames = [f'1\n{head} Energy=-1.{k} stress="1 2 {k}" label=abc Time={k} pbc="T T T"\nAr 1 2 3\n' for k in range(3)]
        frames.append(f"1\n{head} Energy=7\nAr 1 2 3\n")
        self.write("t.extxyz", "".join(frames))
        self.gpz("encode", "t.extxyz", "-o", "x.gpz", "--eb", "0.001",
                 err=f"t.extxyz: left out, as it is no number: label\ngpz: t.extxyz: {NUMBERED}")
        _, info = self.info("x.gpz")
        self.assertEqual(info["observables"], [{"name": name, "unit": ""} for name in ("Energy", "stress[1]", "stress[2]", "stress[3]")])
        self.assertEqual(info["other_records"]["count"], 4 + 2)  # the names changed once
        values = [struct.unpack_from("<qQ", part, 24) + struct.unpack_from(f"<{(len(part) - 72) // 8}d", part, 40)
                  for kind, part in records(self.read("x.gpz")) if kind == 1 << 31 | 2]
        self.assertEqual([row[:1] + row[2:] for row in values], [(k, -1 - k / 10, 1, 2, k) for k in range(3)] + [(3, 7)])
        self.gpz("verify", "x.gpz", out=None)
        self.write("t.xyz", "1\nEnergy=3\nAr 1 2 3\n")
        self.gpz("encode", "t.xyz", "-o", "y.gpz", "--eb", "0.001", err=None)
        self.assertEqual(self.info("y.gpz")[1]["observables"], [])


class Annotate(TableCase):
    def test_in_place(self):
        before = self.read("plain.gpz")
        self.write("t.gpz", before)
        self.gpz("annotate", "t.gpz", "--data", "t.data", "--log", "t.log", err=None)
        self.assertEqual(self.info("t.gpz")[0], self.TABLES)
        index = sum(len(part) for kind, part in records(before) if kind == 2)
        self.assertEqual(self.read("t.gpz")[:len(before) - index], before[:len(before) - index])  # no frame was written again
        self.gpz("verify", "t.gpz", out=None)
        once = self.read("t.gpz")
        self.gpz("annotate", "t.gpz", "--data", "t.data", err="t.gpz: has all of it already")
        self.assertEqual(self.read("t.gpz"), once)
        # A file that is put together of it has the tables for its frames.
        self.gpz("cat", "t.gpz", "-o", "c.gpz", out=None)
        self.assertEqual(self.info("c.gpz")[0], self.TABLES)

    def test_a_table_in_front_stays(self):
        """One behind the last frame would be valid for no frame."""
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "t.data")
        whole = self.read("t.gpz")
        self.write("u.data", DATA.replace("1.008 ", "2.014 "))
        self.gpz("annotate", "t.gpz", "--data", "u.data", code=2,
                 err="t.gpz: has another table types in front of its first frame, which stays valid (gpz encode --data makes a new file)")
        self.assertEqual(self.read("t.gpz"), whole)

    def test_copies_keep_what_was_added(self):
        """Also without the last frame, and each file of several its own."""
        for name, first, charge in (("a", 0, "-0.82"), ("b", 30, "-0.5")):
            self.write("in.dump", "".join(self.frame(first + 10 * k) for k in range(3)))
            self.write("in.data", DATA.replace("-0.82", charge))
            self.write("in.log", f"   Step Temp\n{first} 1\n{first + 10} 2\n{first + 20} 3\nLoop time\n")
            self.gpz("encode", "in.dump", "-o", f"{name}.gpz", "--eb", "0.001", "--units", "real")
            self.gpz("annotate", f"{name}.gpz", "--data", "in.data", "--log", "in.log", err=None)
        self.gpz("select", "a.gpz", "-o", "s.gpz", "--frames", ":2", out=None)
        tables, info = self.info("s.gpz")
        self.assertEqual((tables["bonds"][0], [o["name"] for o in info["observables"]]), (8, ["Temp"]))
        self.gpz("cat", "a.gpz", "b.gpz", "-o", "c.gpz", out=None)
        self.gpz("cat", "a.gpz", "plain.gpz", "-o", "d.gpz", "--keep", "all", out=None)
        for name, frame, charge in (("c", 0, "-0.82"), ("c", 2, "-0.82"), ("c", 3, "-0.5"), ("c", -1, "-0.5"), ("d", 0, "-0.82")):
            self.gpz("decode", f"{name}.gpz", "--data", str(frame), "-o", "o.data", err=None)
            self.assertIn(f"\n1 1 1 {charge} ", self.text("o.data"), (name, frame))
        self.assertEqual(records(self.read("c.gpz"))[-1][0], 2)  # nothing but the index behind the last frame

    def test_info_has_the_tables_of_all_runs(self):
        """Of a file of two runs, with other bonds and other observables."""
        fewer = DATA.replace("8 bonds", "7 bonds").replace("\n1 1 1 3\n", "\n")
        for name, first, data, observable in (("a", 0, DATA, "Temp"), ("b", 30, fewer, "Press")):
            self.write("in.dump", "".join(self.frame(first + 10 * k) for k in range(3)))
            self.write("in.data", data)
            self.write("in.log", f"   Step {observable}\n{first} 1\n{first + 10} 2\n{first + 20} 3\nLoop time\n")
            self.gpz("encode", "in.dump", "-o", f"{name}.gpz", "--eb", "0.001", "--units", "real", "--data", "in.data", "--log", "in.log")
        self.gpz("cat", "a.gpz", "b.gpz", "-o", "c.gpz", out=None)
        text = self.gpz("info", "c.gpz", out=None).decode()
        self.assertIn("atoms 12 (id type mol q; 2 tables), bonds 7 to 8 (2 tables), ", text)
        self.assertIn("  observables Temp Press\n", text)
        info = self.info("c.gpz")[1]
        (bonds,) = (table for table in info["tables"] if table["name"] == "bonds")
        self.assertEqual([bonds[key] for key in ("rows", "count", "fewest_rows", "most_rows")], [8, 2, 7, 8])
        self.assertEqual([o["name"] for o in info["observables"]], ["Temp", "Press"])

    def test_a_later_table_counts(self):
        self.write("t.gpz", self.read("plain.gpz"))
        self.gpz("annotate", "t.gpz", "--data", "t.data", err=None)
        self.write("u.data", DATA.replace("1.008 ", "2.014 "))
        self.gpz("annotate", "t.gpz", "--data", "u.data", err=None)
        self.gpz("decode", "t.gpz", "--data", "0", "-o", "o.data", err=None)
        self.assertIn("\nMasses\n\n1 15.9994\n2 2.014\n", self.text("o.data"))

    def test_refused(self):
        self.write("t.gpz", self.read("plain.gpz"))
        whole = self.read("t.gpz")
        self.gpz("annotate", "t.gpz", code=2, err="nothing to add: give --data, --log or both")
        self.write("few.data", DATA.replace("12 atoms", "11 atoms").replace("12 4 2 0.41 3.5 2.25 5.125 0 0 0\n", ""))
        self.gpz("annotate", "t.gpz", "--data", "few.data", code=7,
                 err="few.data: has no atom with id 12, which is in the first frame")
        self.assertEqual(self.read("t.gpz"), whole)
        index = sum(len(part) for kind, part in records(whole) if kind == 2)
        self.write("open.gpz", whole[:-index])
        self.gpz("annotate", "open.gpz", "--log", "t.log", code=5,
                 err="open.gpz: has no index at its end: it is still being written, or damaged (gpz repair)")


class Copies(TableCase):
    def setUp(self):
        super().setUp()
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--units", "real", "--data", "t.data", "--log", "t.log")

    def test_commands_keep_tables(self):
        self.gpz("select", "t.gpz", "-o", "s.gpz", "--frames", "1:", out=None)
        self.gpz("cat", "t.gpz", "-o", "c.gpz", out=None)
        self.gpz("repair", "t.gpz", "-o", "r.gpz", out=None)
        for name in ("s.gpz", "c.gpz", "r.gpz"):
            self.assertEqual(self.info(name)[0], self.TABLES, name)

    def test_some_atoms(self):
        """A file of some atoms has the topology that a data file of these atoms gives."""
        self.gpz("select", "t.gpz", "-o", "s.gpz", "--ids", "1:5", out=None)
        tables, _ = self.info("s.gpz")
        self.assertEqual({name: rows for name, (rows, _) in tables.items()},
                         {"atoms": 5, "bonds": 3, "angles": 1, "types": 2, "thermo": 3})
        self.gpz("decode", "s.gpz", "--data", "0", "-o", "s.data", err=None)
        self.gpz("decode", "t.gpz", "--data", "0", "-o", "t.data", "--ids", "1:5", err=None)
        self.assertEqual(self.text("s.data"), self.text("t.data"))
        with open(self.path("t.gpz"), "rb") as pipe:
            self.gpz("select", "-", "-o", "p.gpz", "--ids", "1:5", out=None, stdin=pipe.read())
        self.assertEqual(self.info("p.gpz")[0], tables)

    def test_damage(self):
        content = bytearray(self.read("t.gpz"))
        at = content.index(struct.pack("<I", TABLES_TYPE)) + 100
        content[at] ^= 1
        self.write("d.gpz", bytes(content))
        self.gpz("verify", "d.gpz", code=4, out=None, err="d.gpz: in front of frame 0: the checksum of a record of tables does not hold")
        self.assertIn("state       damaged: tables cannot be read\n", self.gpz("info", "d.gpz", out=None).decode())
        self.gpz("select", "d.gpz", "-o", "s.gpz", "--ids", "1:5", out=None)
        self.gpz("verify", "s.gpz", code=4, out=None, err=None)
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--format", "lammps")
        self.gpz("decode", "t.gpz", "-o", "t.out", "--format", "lammps")
        self.assertEqual(self.text("d.dump"), self.text("t.out"))
