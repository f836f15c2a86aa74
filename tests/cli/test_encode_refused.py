# SPDX-License-Identifier: BSD-3-Clause
"""gpz encode of inputs that are wrong, or nearly right (docs/commands.md, "Inputs that are refused"): nothing is written of them."""

import struct

from cli_case import A_SET, NUMBERED, CliCase, binary_frame, dump_frame, random_rows

ROWS = [(1, 1, 2, 3), (2, 4, 5, 6)]
COLUMNS = "id x y z"
NO_BREAK = "the last line has no line break; if the file was cut there, the last number has lost digits"


class Boxes(CliCase):
    def refuse(self, name, content, reason):
        self.write(name, content)
        self.gpz("encode", name, "-o", "t.gpz", "--eb", "0.01", code=4, err=f"{name}: {reason}")
        self.assert_files(name)

    def test_dump(self):
        for edges, line, reason in (
                ("0 10\n0 10\n10 0\n", 8, "the box ends at z = 0, below its beginning at 10"),
                ("0 -1\n0 10\n0 10\n", 8, "the box ends at x = -1, below its beginning at 0"),
                ("0 10\n3 3\n0 10\n", 8, "the box is periodic along y, and its edge has length 0"),
                ("0 10\n0 nan\n0 10\n", 8, "a number of the box is not finite"),
                ("0 10\n0 10\n-inf 10\n", 8, "a number of the box is not finite")):
            box = "ITEM: BOX BOUNDS pp pp pp\n" + edges
            self.refuse("in.dump", dump_frame(0, ROWS, COLUMNS, box), f"line {line}: frame 0: {reason}")

    def test_tilted_dump(self):
        # From 0 to 4 with a tilt of 6: the edge itself would go from 0 to -2.
        box = "ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 4 6\n0 10 0\n0 10 0\n"
        self.refuse("in.dump", dump_frame(0, ROWS, COLUMNS, box),
                    "line 8: frame 0: the box ends at x = -2, below its beginning at 0")
        box = "ITEM: BOX BOUNDS abc origin pp pp pp\n1 0 0 0\n0 1 0 0\n1 1 0 0\n"
        self.refuse("in.dump", dump_frame(0, ROWS, COLUMNS, box),
                    "line 8: frame 0: the box has no volume: its vectors are in one plane")

    def test_a_later_frame(self):
        text = dump_frame(0, ROWS, COLUMNS)
        self.write("in.dump", text + dump_frame(1, ROWS, COLUMNS, "ITEM: BOX BOUNDS pp pp pp\n0 1\n0 -1\n0 1\n"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=4,
                 err="in.dump: line 19: frame 1: the box ends at y = -1, below its beginning at 0; 1 complete frame written")
        self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=text)

    def test_binary_dump(self):
        for box, kind, reason in (
                ([0.0, 10.0, 10.0, 0.0, 0.0, 10.0], 0, "the box ends at y = 0, below its beginning at 10"),
                ([0.0, float("nan"), 0.0, 10.0, 0.0, 10.0], 0, "a number of the box is not finite"),
                ([1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 2,
                 "the box has no volume: its vectors are in one plane")):
            # Behind the magic word, two numbers, timestep, atoms, kind and boundary flags.
            byte = 8 + 10 + 8 + 20 + 24 + 8 * len(box)
            self.refuse("in.bin", binary_frame(0, COLUMNS, ROWS, box=box, kind=kind), f"byte {byte}: frame 0: {reason}")

    def test_xyz(self):
        for lattice, reason in (("10 0 0 20 0 0 0 0 10", "the box has no volume: its vectors are in one plane"),
                                ("1 2 3 2 4 6 0 0 1", "the box has no volume: its vectors are in one plane"),
                                ("10 0 0 0 inf 0 0 0 10", "a number of the box is not finite"),
                                ("10 0 0 0 10 0 0 0 nan", "a number of the box is not finite")):
            self.refuse("in.xyz", f'1\nLattice="{lattice}"\nC 1 2 3\n', f"line 2: frame 0: {reason}. Give the Lattice of a box, or vectors "
                        "of zeros in directions that are F in pbc")

    def test_scaled_positions_without_a_box(self):
        self.write("in.dump", dump_frame(0, [(1, 0.5, 0.5, 0.5)], columns="id xs ys zs", box=""))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", code=2, err="in.dump: the frames have no box")
        self.assert_files("in.dump")

    def test_planes_that_are_not_periodic(self):
        """What gpz decode writes of particles in a plane without a box."""
        box = "ITEM: BOX BOUNDS ss ss ss\n" + "0.0000000000000000e+00 1.0000000000000000e+01\n" * 2 + \
              "3.0000000000000000e+00 3.0000000000000000e+00\n"
        self.write("in.dump", dump_frame(0, ROWS, COLUMNS, box))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
        self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=self.text("in.dump"))

    def test_lattices_that_are_right(self):
        # Vectors that point down, and a lattice of zeros, which means none.
        for lattice, expected in (("-10 0 0 0 10 0 0 0 -5", 'Lattice="-10 0 0 0 10 0 0 0 -5" Origin="0 0 0" pbc="T T T" '),
                                  ("0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0", "")):
            self.write("in.xyz", f'1\nLattice="{lattice}"\nC 1 2 3\n')
            self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", err=f"in.xyz: {NUMBERED}")
            self.gpz("decode", "t.gpz", "-o", "-", "--format", "extxyz",
                     out=f"1\n{expected}Properties=species:S:1:pos:R:3 Timestep=0\nC 1 2 3\n")


class Heads(CliCase):
    """What is left over in the lines of a LAMMPS dump is refused; the order of flags and tilt factors is free."""

    BOX = "-3 15 -3\n0 10 2\n0 10 1\n"  # a = 13 0 0, b = -3 9 0, c = 2 1 10 (https://docs.lammps.org/Howto_triclinic.html)
    GOOD = dump_frame(0, ROWS, COLUMNS)

    def test_flags_in_front_and_behind(self):
        heads = ("pp ff pp xy xz yz", "xy xz yz pp ff pp", " xy  xz yz   pp\tff pp ")
        for head in heads:
            self.write("in.dump", dump_frame(0, ROWS, COLUMNS, f"ITEM: BOX BOUNDS {head}\n{self.BOX}"))
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
            out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "extxyz", out=None).decode()
            self.assertIn('Lattice="13 0 0 -3 9 0 2 1 10" Origin="0 0 0" pbc="T F T"', out, head)
        self.write("in.dump", dump_frame(0, ROWS, COLUMNS, "ITEM: BOX BOUNDS pp pp pp abc origin\n" "9 1 0 0\n0 8 0 0\n0 0 7 5\n"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
        out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "extxyz", out=None).decode()
        self.assertIn('Lattice="9 1 0 0 8 0 0 0 7" Origin="0 0 5" pbc="T T T"', out)

    def test_what_is_left_over(self):
        no_tilt = "after 2 numbers of the box: the line ITEM: BOX BOUNDS names no tilt factors (xy xz yz)"
        for head, edges, reason in (
                ("pp pp pp", self.BOX, f"line 6: '-3' {no_tilt}"),
                ("", self.BOX, f"line 6: '-3' {no_tilt}"),
                ("pp pp pp", "0 1\n0 1\n0 1 0\n", f"line 8: '0' {no_tilt}"),
                ("xy xz yz pp pp pp", "0 1\n0 1\n0 1\n", "line 6: 3 numbers of the box are expected"),
                ("xy xz yz pp pp pp", "0 1 0 0\n0 1 0\n0 1 0\n", "line 6: '0' after 3 numbers of the box"),
                ("abc origin pp pp pp", "1 0 0 0 7\n0 1 0 0\n0 0 1 0\n", "line 6: '7' after 4 numbers of the box"),
                ("pp pp pp", "0 one\n0 1\n0 1\n", "line 6: 'one' where a number of the box is expected"),
                ("xy xz pp pp pp", self.BOX, "line 5: 'xy' is no boundary flag"),
                ("pp pp pp origin", self.BOX, "line 5: 'origin' is no boundary flag"),
                ("pp pp", "0 1\n0 1\n0 1\n", "line 5: 2 where three boundary flags are expected"),
                ("pp pp pp pp", "0 1\n0 1\n0 1\n", "line 5: 4 where three boundary flags are expected"),
                ("xy xz yz abc origin", self.BOX, "line 5: the box is of two kinds: xy xz yz, and abc origin")):
            self.refuse(dump_frame(0, ROWS, COLUMNS, f"ITEM: BOX BOUNDS {head}\n{edges}"), reason)
        for old, new, reason in (
                ("TIMESTEP\n0\n", "TIMESTEP\n0 7\n", "line 2: '7' after the timestep"),
                ("ATOMS\n2\n", "ATOMS\n2 atoms\n", "line 4: 'atoms' after the number of atoms"),
                ("ITEM: TIMESTEP", "ITEM: TIME\n0.5 ps\nITEM: TIMESTEP", "line 2: 'ps' after the time"),
                ("ITEM: TIMESTEP", "ITEM: UNITS\nmetal 2\nITEM: TIMESTEP", "line 2: '2' after the units"),
                ("ITEM: TIMESTEP\n0\n", "", "line 7: no 'ITEM: TIMESTEP' before"),
                ("TIMESTEP", "TIMESTEP 5", "line 1: unknown item 'TIMESTEP 5'"),
                ("ITEM: ATOMS id", "ITEM: ATOMSid", "line 9: unknown item 'ATOMSid x y z'"),
                ("ITEM: NUMBER OF ATOMS", "ITEM: NUMBER OF ENTRIES",
                 "line 3: unknown item 'NUMBER OF ENTRIES': a dump of style local has no atoms, and is not read"),
                ("ITEM: NUMBER", "ITEM: DIMENSION\n3\nITEM: NUMBER",
                 "line 3: unknown item 'DIMENSION': a dump of style grid has no atoms, and is not read"),
                ("ITEM: NUMBER", "ITEM: TIMESTEP\n1\nITEM: NUMBER",
                 "line 3: frame 0 has two items TIMESTEP: the atoms of a frame are missing in front")):
            self.refuse(self.GOOD.replace(old, new), reason)

    def refuse(self, text, reason):
        self.write("in.dump", text)
        self.gpz("encode", "in.dump", "-o", "e.gpz", "--lossless", code=4, err=f"in.dump: {reason}")

    def test_what_editors_leave(self):
        """A byte order mark, empty lines, blanks behind items, line ends of Windows."""
        self.write("in.dump", 2 * self.GOOD)
        self.gpz("encode", "in.dump", "-o", "good.gpz", "--lossless")
        for start in ("", "\ufeff", "\n \n", "\ufeff\n\n"):
            text = (start + self.GOOD + " \n\n" + self.GOOD + "\n").replace("TIMESTEP", "TIMESTEP ").replace("\n", "\r\n")
            self.write("in.dump", text)
            for arguments in (["in.dump"], ["in.dump", "--format", "lammps"]):
                self.gpz("encode", *arguments, "-o", "t.gpz", "--lossless")
                self.assertEqual(self.read("t.gpz"), self.read("good.gpz"))
            self.gpz("encode", "-", "-o", "t.gpz", "--lossless", stdin=text.encode())
            self.assertEqual(self.read("t.gpz"), self.read("good.gpz"))
        for start in ("", "\ufeff", "\ufeff\n"):
            self.write("in.xyz", start + "1\n\nC 1 2 3\n")
            self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", err=f"in.xyz: {NUMBERED}")
            self.gpz("decode", "t.gpz", "-o", "-", "--format", "xyz", out="1\nAtoms. Timestep: 0\nC 1 2 3\n")
        utf16 = "begins with the byte order mark of UTF-16: convert it first, by iconv -f UTF-16 -t UTF-8"
        self.write("in.dump", self.GOOD.encode("utf-16"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", code=2, err=f"in.dump: {utf16}")

    def test_dumps_of_other_styles(self):
        for text, style in (("---\ncreator: LAMMPS\ntimestep: 0\n", "yaml"), ("creator: LAMMPS\n", "yaml"),
                            ("Number of particles = 2\nA = 1 Angstrom (basic length-scale)\n", "cfg")):
            self.write("in.dump", text)
            self.gpz("encode", "in.dump", "-o", "t.gpz", code=2,
                     err=f"in.dump: a dump of style {style} is not read: write one of style gpz, custom or atom")
        self.assert_files("in.dump")

    def test_units_that_change(self):
        frames = ["ITEM: UNITS\n{}\n" + dump_frame(step, ROWS, COLUMNS) for step in range(3)]
        says = "frame 2 is in units real, and the frames before {}; 2 complete frames written"
        for first, options, before in (
                (frames[0].format("metal"), [], "are in units metal: encode each part by itself"),
                (self.GOOD, [], "name none; give --units real")):
            self.write("in.dump", first + dump_frame(1, ROWS, COLUMNS) + frames[2].format("real"))
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", *options, code=2,
                     err="in.dump: " + says.format(before))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", "--units", "real")
        self.write("in.dump", "ITEM: UNITS\nlj\nITEM: UNITS\nreal\n" + self.GOOD)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=4, err="in.dump: line 4: units real after units lj")
        # As where dumps were joined.
        self.write("in.dump", frames[0].format("lj") + frames[1].format("lj"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")


class LastLine(CliCase):
    DUMP = dump_frame(0, ROWS[:1], COLUMNS) + dump_frame(1, [(1, 1, 2, 3), (2, 4, 5, 66)], COLUMNS)
    XYZ = "1\n\nC 1 2 3\n2\n\nC 1 2 3\nC 4 5 66\n"

    def test_without_a_line_break(self):
        self.write("in.xyz", self.XYZ)
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", "--order", "place", err=f"in.xyz: {A_SET}")
        self.write("in.xyz", self.XYZ[:-1])
        self.gpz("encode", "in.xyz", "-o", "e.gpz", "--lossless", "--order", "place",
                 err=f"in.xyz: {NO_BREAK}\ngpz: in.xyz: {A_SET}")
        self.assertEqual(self.read("e.gpz"), self.read("t.gpz"))

    def test_cut_in_its_columns(self):
        for name, text in (("in.dump", self.DUMP), ("in.xyz", self.XYZ)):
            last = text.rstrip("\n").rsplit("\n", 1)[1]
            for left in range(len(last) - 2):  # without the last column, or only with the blank before it
                self.write(name, text[:len(text) - 1 - len(last) + left])
                end = len(dump_frame(0, ROWS[:1], COLUMNS)) if name == "in.dump" else len("1\n\nC 1 2 3\n")
                cut = f"{name}: truncated: it ends in frame 1; the last whole frame is frame 0, which ends at byte {end}; " \
                      "1 complete frame written"
                self.gpz("encode", name, "-o", "t.gpz", "--lossless", code=5, err=cut)
                whole = self.read("t.gpz")
                self.gpz("encode", name, "-o", "t.gpz", "--lossless", "--allow-truncated",
                         err=cut + (f"\ngpz: {name}: {NUMBERED}" if name == "in.xyz" else ""))
                self.assertEqual(self.read("t.gpz"), whole)

    def test_cut_in_the_names_of_columns(self):
        text = dump_frame(0, [], COLUMNS)
        self.write("in.dump", text[:-3])
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=5, 
                 err="in.dump: truncated: it ends in frame 0, whose last line has no line break")
        self.assert_files("in.dump")


class Columns(CliCase):
    def test_two_of_one_name(self):
        """Their values could not be told apart: gpz verify would compare one of them with itself."""
        rows = [(1, 1, 2, 3, 1.5)]
        says = "column x occurs twice: leave one of the two out, or give it another name"
        self.write("in.dump", dump_frame(0, rows, "id x y z x"))
        self.write("in.bin", binary_frame(0, "id x y z x", rows))
        self.write("in.xyz", "1\nProperties=species:S:1:pos:R:3:x:R:1\nC 1 2 3 1\n")
        for name, place in (("in.dump", "line 9: "), ("in.bin", "byte 141: "), ("in.xyz", "line 2: Properties: ")):
            self.gpz("encode", name, "-o", "t.gpz", "--eb", "0.01", code=4, err=f"{name}: {place}{says}")
        self.write("one.dump", dump_frame(0, [(1, 1, 2, 3)], COLUMNS))
        self.gpz("encode", "one.dump", "-o", "t.gpz", "--eb", "0.01")
        self.gpz("verify", "t.gpz", "--against", "in.dump", code=4, err=f"in.dump: line 9: {says}")


class Compressed(CliCase):
    def test_each_program(self):
        for start, name, unpack in ((b"\x1f\x8b\x08\0", "gzip", "zcat"), (b"\x28\xb5\x2f\xfd\0", "zstd", "zstdcat"),
                                    (b"BZh91AY", "bzip2", "bzcat"), (b"\xfd7zXZ\0\0", "xz", "xzcat")):
            self.write("in", start + bytes(100))
            says = f"compressed by {name}: pipe it in by {unpack}, with - in place of its name"
            for options in ([], ["--format", "lammps"]):
                self.gpz("encode", "in", "-o", "t.gpz", *options, code=2, err=f"in: {says}")
            self.gpz("encode", "-", "-o", "t.gpz", stdin=self.read("in"), code=2, err=f"standard input: {says}")
        self.assert_files("in")


class BoundsOfColumns(CliCase):
    def check(self, name, columns, integer, *options):
        """`columns`: those that take a bound; `integer`: one that takes none."""
        there = " ".join(columns) or "none that take a bound"
        for asked, reason in (
                ("vz", f"--bound: no column 'vz'; there are {there}"),
                ("x", "--bound is for other columns; positions take --eb or --rel"),
                (integer, f"--bound: column {integer} holds integers, which are lossless")):
            if asked:
                self.gpz("encode", name, "-o", "t.gpz", "--eb", "1", "--bound", f"{asked}=1", *options, code=2,
                         err=f"{name}: {reason}")
        there_are_ids = name not in ("in.extxyz", "in.raw")
        for column in columns:
            self.gpz("encode", name, "-o", "t.gpz", "--eb", "1", "--bound", f"{column}=0.1", *options,
                     err="" if there_are_ids else f"{name}: {NUMBERED}")

    def test_every_format(self):
        rows = [(*row, 0.5, -0.5) for row in random_rows(5, 1)]
        columns = "id type x y z q vx"
        self.write("in.dump", dump_frame(0, rows, columns))
        self.check("in.dump", ["q", "vx"], "type")
        self.write("in.bin", binary_frame(0, columns, rows))
        self.check("in.bin", ["q", "vx"], "id")
        self.write("in.xyz", "1\n\nC 1 2 3\n")
        self.check("in.xyz", [], "element")
        self.check("in.xyz", [], "id")  # the number of the row
        self.write("in.extxyz", "1\nProperties=species:S:1:pos:R:3:q:R:1:n:I:1\nC 1 2 3 4 5\n")
        self.check("in.extxyz", ["q"], "n")
        self.write("in.raw", struct.pack("<3d", 1, 2, 3))
        self.check("in.raw", [], "", "--raw", "f64")
        self.gpz("encode", "in.dump", "-o", "in.gpz", "--eb", "0.1", "--bound", "q=0.1", "--bound", "vx=0.1")
        self.check("in.gpz", ["q", "vx"], "type")

    def test_a_column_that_a_later_frame_does_not_have(self):
        self.write("in.dump", dump_frame(0, [(1, 1, 2, 3, 4)], COLUMNS + " q") + dump_frame(1, ROWS, COLUMNS))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "1", "--bound", "q=1", code=2,
                 err="in.dump: --bound: no column 'q'; there are none that take a bound; 1 complete frame written")


class FloatIds(CliCase):
    def test_whole_numbers(self):
        self.write("in.dump", dump_frame(0, [("2.0", 1, 2, 3), ("1e0", 4, 5, 6)], COLUMNS))
        self.write("in.bin", binary_frame(0, COLUMNS, [(2, 1, 2, 3), (1, 4, 5, 6)]))
        for name in ("in.dump", "in.bin"):
            self.gpz("encode", name, "-o", "t.gpz", "--lossless")
            out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", "--sort", "id", out=None).decode()
            self.assertTrue(out.endswith("id x y z\n1 4 5 6\n2 1 2 3\n"), out)

    def test_others(self):
        for value in ("1.5", "nan", "1e300"):
            self.write("in.dump", dump_frame(0, [(value, 1, 2, 3)], COLUMNS))
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=4,
                     err=f"in.dump: line 10: column id: '{value}' is no integer")
            self.write("in.bin", binary_frame(0, COLUMNS, [(float(value), 1, 2, 3)]))
            self.gpz("encode", "in.bin", "-o", "t.gpz", "--lossless", code=4, err=None)
        self.assert_files("in.dump", "in.bin")
