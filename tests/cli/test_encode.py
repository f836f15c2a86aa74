# SPDX-License-Identifier: BSD-3-Clause
"""gpz encode: every input format, bounds, and what is written where."""

import json
import os
import random
import struct
import subprocess

from cli_case import A_SET, BOX, GPZ, NUMBERED, CliCase, binary_frame, dump_frame, parse_dump, parse_xyz, random_rows, record_offsets


class LammpsBinary(CliCase):
    def test_frames(self):
        rows = [(i, t, x, y, z, x * y) for i, t, x, y, z in random_rows(50, 1)]
        columns = "id type x y z c_pe"
        self.write("in.bin", binary_frame(0, columns, rows, units="metal", time=0.5) +
                   binary_frame(10, columns, rows[:7], chunks=3) + binary_frame(20, columns, []))
        self.gpz("encode", "in.bin", "-o", "t.gpz", "--lossless")
        self.gpz("decode", "t.gpz", "-o", "out.dump", "--with-units", "--with-time", "--sort", "id")
        box = BOX.replace("pp pp pp", "pp ff sm")
        text = lambda row: tuple(int(v) if float(v).is_integer() else v for v in row)
        self.assertEqual(self.text("out.dump"),
                         "ITEM: UNITS\nmetal\nITEM: TIME\n0.5\n" +
                         dump_frame(0, [text(row) for row in sorted(rows)], columns, box) +
                         dump_frame(10, [text(row) for row in sorted(rows[:7])], columns, box) +
                         dump_frame(20, [], columns, box))

    def test_boxes(self):
        bounding = [-2.5, 11.25, -1.0, 9.5, 0.0, 10.0, -2.5, 1.25, 0.5]
        vectors = [float(v) for v in (1, 2, 3, 4, 5, 6, 7, 8, 10, 10, 11, 12)]
        self.write("in.bin", binary_frame(0, "x y z", [(1, 2, 3)], kind=1, box=bounding) +
                   binary_frame(1, "x y z", [(1, 2, 3)], kind=2, box=vectors))
        self.gpz("encode", "in.bin", "-o", "t.gpz", "--lossless", err=f"in.bin: {NUMBERED}")
        out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=None).decode().split("\n")
        self.assertEqual(out[4:6], ["ITEM: BOX BOUNDS xy xz yz pp ff sm",
                                    "-2.5000000000000000e+00 1.1250000000000000e+01 -2.5000000000000000e+00"])
        self.assertEqual(out[14:16], ["ITEM: BOX BOUNDS abc origin pp ff sm",
                                      "1.0000000000000000e+00 2.0000000000000000e+00 3.0000000000000000e+00 "
                                      "1.0000000000000000e+01"])

    def test_style_atom_and_element_numbers(self):
        self.write("in.bin", binary_frame(0, "id element xs ys zs", [(1, 2, 0.5, 0.5, 0.5)], magic=b"DUMPATOM"))
        self.gpz("encode", "in.bin", "-o", "t.gpz", "--lossless", "--elements", "H,O")
        self.gpz("decode", "t.gpz", "-o", "-", out="1\nAtoms. Timestep: 0\nO 5 5 5\n")

    def test_broken(self):
        good = binary_frame(0, "id x y z", [(1, 1, 2, 3), (2, 4, 5, 6)])
        for content, reason in (
                (binary_frame(0, "x y z", [], endian=1 << 24), "byte 22: written on a machine of other byte order"),
                (binary_frame(0, "x y z", [], revision=1), "byte 26: format revision 1: only revision 2 is read"),
                (binary_frame(0, "x y z", [], magic=b"DUMPGRID"), "byte 16: no binary dump of style custom or atom"),
                (binary_frame(0, "id x y z", [(1.5, 1, 2, 3)]), f"byte {len(good) - 32}: column id: 1.5 is no integer"),
                (good[:42] + b"\7" + good[43:], "byte 46: an unknown kind of box")):
            self.write("in.bin", content)
            self.gpz("encode", "in.bin", "-o", "t.gpz", "--lossless", code=4, err=f"in.bin: {reason}")
        self.assert_files("in.bin")

    def test_truncated_everywhere(self):
        first = binary_frame(0, "id x y z", [(1, 1, 2, 3)])
        second = binary_frame(10, "id x y z", [(1, 1, 2, 3), (2, 4, 5, 6)], units="lj", time=1.0)
        for length in range(1, len(second)):
            self.write("in.bin", first + second[:length])
            self.gpz("encode", "in.bin", "-o", "t.gpz", "--lossless", code=5,
                     err=f"in.bin: truncated: it ends in frame 1; the last whole frame is frame 0, which ends at byte {len(first)}; "
                         "1 complete frame written")
        self.gpz("verify", "t.gpz", out="t.gpz: 1 whole frame with 1 particle: every checksum and structure holds\n")


class LammpsText(CliCase):
    def test_bound_holds(self):
        rows = random_rows(4000, 2)
        self.write("in.dump", dump_frame(0, rows))
        for bound in (0.3, 1e-2, 1e-5):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", str(bound))
            self.gpz("decode", "t.gpz", "-o", "out.dump", "--sort", "id")
            decoded = parse_dump(self.text("out.dump"))[0][2]
            for axis in range(2, 5):
                self.assert_within([row[axis] for row in decoded], [row[axis] for row in sorted(rows)], bound)

    def test_relative_bound_is_of_the_longest_edge_of_the_first_frame(self):
        box = BOX.replace("1.0000000000000000e+01", "2.5000000000000000e+01", 1)
        self.write("in.dump", dump_frame(0, random_rows(10, 3), box=box) + dump_frame(1, random_rows(10, 3)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--rel", "0.001")
        self.assertEqual(self.bounds("t.gpz")["x"], 0.025)

    def bounds(self, name):
        columns = json.loads(self.gpz("info", name, "--json", out=None))["columns"]
        return {column["name"]: column["bound"] for column in columns}

    def test_scaled_positions_keep_the_bound_as_a_distance(self):
        self.write("in.dump", dump_frame(0, [(1, 0.5, 0.25, 0.75)], columns="id xs ys zs"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01")
        self.assertEqual(self.bounds("t.gpz"), {"id": 0, "xs": 0.001, "ys": 0.001, "zs": 0.001})

    def test_bounds_of_other_columns(self):
        source = random.Random(4)
        rows = [(*row, source.uniform(-1, 1), source.uniform(-1, 1)) for row in random_rows(2000, 4)]
        self.write("in.dump", dump_frame(0, rows, columns="id type x y z vx c_a[1]"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.1", "--bound", "c_a[1]=0.02")
        self.assertEqual(self.bounds("t.gpz"),
                         {"id": 0, "type": 0, "x": 0.1, "y": 0.1, "z": 0.1, "vx": 0, "c_a[1]": 0.02})
        self.gpz("decode", "t.gpz", "-o", "out.dump", "--sort", "id")
        decoded = parse_dump(self.text("out.dump"))[0][2]
        self.assertEqual([float(row[5]) for row in decoded], [row[5] for row in sorted(rows)])
        self.assert_within([row[6] for row in decoded], [row[6] for row in sorted(rows)], 0.02)

    def test_broken(self):
        good = dump_frame(0, [(1, 1, 2, 3), (2, 4, 5, 6)], columns="id x y z")
        for text, reason in (
                (good.replace("4 5 6", "4 five 6"), "line 11: column y: 'five' is no number"),
                (good.replace("2 4 5 6", "2.5 4 5 6"), "line 11: column id: '2.5' is no integer"),
                (good.replace("4 5 6", "4 5"), "line 11: 3 columns where 4 are expected"),
                (good.replace("4 5 6", "4 5 6 7"), "line 11: more than 4 columns"),
                (good.replace("ATOMS\n2", "ATOMS\n-2"), "line 4: a negative number of atoms"),
                (good.replace("ATOMS\n2", "ATOMS\n1"), "line 11: expected 'ITEM: ...'; 1 complete frame written"),
                (good.replace("TIMESTEP\n0", "TIMESTEP\nzero"), "line 2: 'zero' where the timestep is expected"),
                (good.replace("pp pp pp", "pp xx pp"), "line 5: 'xx' is no boundary flag"),
                (good.replace("ITEM: NUMBER OF ATOMS\n2\n", ""), "line 7: no 'ITEM: NUMBER OF ATOMS' before"),
                (good.replace("TIMESTEP", "STEP"), "line 1: unknown item 'STEP'")):
            self.write("in.dump", text)
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=4, err=f"in.dump: {reason}")

    def test_a_false_number_of_atoms_takes_no_memory(self):
        self.write("in.dump", dump_frame(0, [(1, 2, 3)], columns="x y z").replace("ATOMS\n1\n", f"ATOMS\n{10**18}\n"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=5, err="in.dump: truncated: it ends in frame 0")

    def test_truncated_everywhere(self):
        first = dump_frame(0, [(1, 1, 2, 3)], columns="id x y z")
        second = dump_frame(10, [(1, 1, 2, 3), (2, 4, 5, 66)], columns="id x y z")
        for length in [*range(7, len(second) - 3, 5), len(second) - 4, len(second) - 3]:
            self.write("in.dump", first + second[:length])
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=5,
                     err="in.dump: truncated: it ends in frame 1; the last whole frame is frame 0, which ends at byte "
                         f"{len(first)}; 1 complete frame written")
        # The last number may have lost digits.
        for length in (len(second) - 2, len(second) - 1):
            self.write("in.dump", first + second[:length])
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=5,
                     err="in.dump: truncated: it ends in frame 1, whose last line has no line break; the last whole frame is "
                         f"frame 0, which ends at byte {len(first)}; 1 complete frame written")
        self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=first)

    def test_elements_of_types(self):
        frame = lambda *rows: dump_frame(0, rows, columns="type element x y z")
        self.write("in.dump", frame((1, "C", 1, 2, 3), (3, "C", 1, 2, 3), (2, "N", 1, 2, 3)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", err=f"in.dump: {NUMBERED}")
        self.assertEqual(json.loads(self.gpz("info", "t.gpz", "--json", out=None))["elements"], ["C", "N", "C"])
        self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=self.text("in.dump"))

        self.write("in.dump", frame((1, "C", 1, 2, 3), (1, "N", 1, 2, 3)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=4, err="in.dump: atom type 1 has two names: C and N")

        self.write("in.dump", frame((1, "C", 1, 2, 3)) + frame((2, "N", 1, 2, 3)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", code=2,
                 err="in.dump: frame 1 has names of atom types that the first has not (C,N); give all with --elements; "
                     "1 complete frame written")
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", "--elements", "C,N",
                 err=f"in.dump: {NUMBERED}; frame 1 has other species in its rows: a number is that of a row, not of a particle")


class XyzInput(CliCase):
    def test_plain(self):
        text = "2\nAtoms. Timestep: 40\nO 1.5 2 3\nH 4 5 6.25\n1\nAtoms. Timestep: 50\nH 4 5 6\n"
        self.write("in.xyz", text)
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless",
                 err=f"in.xyz: {NUMBERED}; frame 1 has 1 particle, the first frame has 2: a number is that of a row, not of a "
                     "particle")
        self.gpz("decode", "t.gpz", "-o", "-", out=text)

    def test_windows_ends_of_line_behind_blanks(self):
        for end in ("", " ", "\t "):
            self.write("in.xyz", f"2\r\nany comment\r\nC 1 2 3{end}\r\nO 4 5 6\r\n")
            self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", err=f"in.xyz: {NUMBERED}")
            self.gpz("decode", "t.gpz", "-o", "-", out="2\nAtoms. Timestep: 0\nC 1 2 3\nO 4 5 6\n")

    def test_windows_ends_of_line_and_no_last_one(self):
        self.write("in.xyz", "1\r\nany comment\r\n  C\t1 2\t3")
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", "--order", "place",
                 err="in.xyz: the last line has no line break; if the file was cut there, the last number has lost digits\n"
                     f"gpz: in.xyz: {A_SET}")
        self.gpz("decode", "t.gpz", "-o", "-", out="1\nAtoms. Timestep: 0\nC 1 2 3\n")

    def test_extended(self):
        text = ('2\nLattice="10 0 0 4 8 0 3 1 6" Origin="-5 0 1" pbc="T F T" '
                'Properties=species:S:1:pos:R:3:id:I:1:vel:R:3:q:R:1 Timestep=7 Time=0.25\n'
                'O 1 2 3 5 0.1 0.2 0.3 -2\nH 4 5 6 6 0.4 0.5 0.6 1\n')
        self.write("in.extxyz", text)
        self.gpz("encode", "in.extxyz", "-o", "t.gpz", "--lossless")
        self.gpz("decode", "t.gpz", "-o", "out.extxyz")
        self.assertEqual(self.text("out.extxyz"), text)

    def test_the_species_may_stand_anywhere(self):
        for species, types in ((("C", "O"), "element"), ((2, 1), "type")):
            self.write("in.xyz", "2\nProperties=id:I:1:tag:I:2:species:S:1:pos:R:3\n" + "".join(
                f"{i} 5 6 {name} 1 2 {i}\n" for i, name in zip((7, 8), species)))
            self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless")
            out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", "--columns", f"id,{types},z", out=None).decode()
            self.assertEqual(parse_dump(out)[0][2], [["7", str(species[0]), "7"], ["8", str(species[1]), "8"]])

    def test_numbers_of_types_as_species_beside_the_types(self):
        """What gpz decode writes of a dump that names no elements."""
        self.write("in.dump", dump_frame(0, [(1, 2, 1, 2, 3), (2, 1, 4, 5, 6)]))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
        self.gpz("decode", "t.gpz", "-o", "a.extxyz")
        self.gpz("encode", "a.extxyz", "-o", "t.gpz", "--lossless")
        self.gpz("decode", "t.gpz", "-o", "b.extxyz")
        self.assertIn("2 1 2 3 1 2\n", self.text("a.extxyz"))
        self.assertEqual(self.text("b.extxyz"), self.text("a.extxyz"))

    def test_a_first_frame_without_particles(self):
        text = "0\nAtoms. Timestep: 0\n1\nAtoms. Timestep: 1\nC 1 2 3\n"
        self.write("in.xyz", text)
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", "--elements", "C",
                 err=f"in.xyz: {NUMBERED}; frame 1 has 1 particle, the first frame has 0: a number is that of a row, not of a "
                     "particle")
        self.gpz("decode", "t.gpz", "-o", "-", out=text)

    def test_vectors_get_the_names_of_lammps(self):
        self.write("in.xyz", '1\nProperties=species:S:1:pos:R:3:velo:R:3:forces:R:3:dip:R:2\nC 1 2 3 4 5 6 7 8 9 10 11\n')
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", err=f"in.xyz: {NUMBERED}")
        out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=None)
        self.assertEqual(parse_dump(out.decode())[0][1], "element x y z vx vy vz fx fy fz dip[1] dip[2]".split())

    def test_broken(self):
        for text, code, reason in (
                ("2\n\nC 1 2 3\nC 1 2\n", 4, "line 4: 3 columns where 4 are expected"),
                ("2\n\nC 1 2 3\nC 1 2 3 4\n", 4, "line 4: more than 4 columns"),
                ("1 2\n\nC 1 2 3\n", 4, "line 1: expected the number of particles"),
                ("2\n\nC 1 2 3\n", 5, "truncated: it ends in frame 0"),
                ('1\nLattice="1 2 3"\nC 1 2 3\n', 4, "line 2: Lattice is not 9 numbers"),
                ('1\nLattice="1 2 3', 5, "truncated: it ends in frame 0"),
                ('1\nProperties=species:S:1:pos:R\nC 1 2 3\n', 4, "line 2: Properties is no list of name:type:count")):
            self.write("in.xyz", text)
            self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", code=code, err=f"in.xyz: {reason}")
        self.assert_files("in.xyz")


class RawInput(CliCase):
    POINTS = [(1.5, -2.25, 3.0), (4.0, 5.5, 6.125), (0.0, 100.0, -7.0), (8.0, 9.0, 10.0)]

    def rows(self):
        out = self.gpz("decode", "t.gpz", "-o", "-", out=None).decode()
        return [tuple(float(v) for v in row[1:]) for row in parse_xyz(out)[0][1]]

    def test_types_layouts_dimensions(self):
        for dims in (2, 3):
            points = [point[:dims] for point in self.POINTS]
            orders = {"aos": [v for p in points for v in p], "soa": [p[axis] for axis in range(dims) for p in points]}
            for code, name in (("f", "f32"), ("d", "f64")):
                for layout, values in orders.items():
                    self.write("in.raw", struct.pack(f"<{len(values)}{code}", *values))
                    self.gpz("encode", "in.raw", "-o", "t.gpz", "--lossless", "--raw", name, "--layout", layout,
                             "--dims", str(dims), err=f"in.raw: {NUMBERED}")
                    self.assertEqual(self.rows(), [(*p, 0.0)[:3] for p in points], (dims, name, layout))

    def test_relative_bound_is_of_the_value_range(self):
        self.write("in.raw", struct.pack("<12d", *(v for p in self.POINTS for v in p)))
        self.gpz("encode", "in.raw", "-o", "t.gpz", "--rel", "0.01", "--raw", "f64", err=f"in.raw: {NUMBERED}")
        info = json.loads(self.gpz("info", "t.gpz", "--json", out=None))
        self.assertEqual([column["bound"] for column in info["columns"]], [1.0225] * 3 + [0])

    def test_broken(self):
        self.write("in.raw", b"\0" * 20)
        self.gpz("encode", "in.raw", "-o", "t.gpz", "--eb", "1", "--raw", "f64", code=4,
                 err="in.raw: 20 bytes are no whole number of 8-byte values")
        self.gpz("encode", "in.raw", "-o", "t.gpz", "--eb", "1", "--raw", "f32", code=4,
                 err="in.raw: 5 values are no whole number of 3-D points")
        self.assert_files("in.raw")

    def test_empty(self):
        self.write("in.raw", b"")
        self.gpz("encode", "in.raw", "-o", "t.gpz", "--rel", "0.1", "--raw", "f64", code=2,
                 err="in.raw: --rel 0.1 of a range of 0 is no bound; give --eb")


class KeyFrames(CliCase):
    def since_key(self, name):
        """Frames since the key frame, of each frame."""
        content = self.read(name)
        return [int.from_bytes(content[at + 154:at + 156], "little") for at in record_offsets(content)[:-1]]

    def test_interval(self):
        self.write("in.dump", "".join(dump_frame(k, random_rows(40, k)) for k in range(7)))
        for options, expected in ((("--key", "100"), [*range(7)]), (("--key", "1"), [0] * 7), (("--key", "3"), [0, 1, 2, 0, 1, 2, 0]),
                                  (("--key", "65535"), [*range(7)])):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", *options)
            self.assertEqual(self.since_key("t.gpz"), expected)
            self.gpz("verify", "t.gpz", "--against", "in.dump", out=None)

    def test_chosen(self):
        """By default, by the sizes of the first six frames: a file of many frames is about 2 % larger than with 100."""
        source = random.Random(3)
        rows = random_rows(40, 1)
        frames = []
        for k in range(150):
            frames.append(dump_frame(k, rows))
            rows = [(*row[:-3], *(x + source.uniform(-0.05, 0.05) for x in row[-3:])) for row in rows]
        self.write("in.dump", "".join(frames))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--key", "auto")
        since = self.since_key("t.gpz")
        interval = since.index(0, 1)
        self.assertEqual(since, [k % interval for k in range(150)])
        self.assertGreater(interval, 6)
        self.gpz("encode", "in.dump", "-o", "default.gpz", "--eb", "0.01")
        self.assertEqual(self.read("t.gpz"), self.read("default.gpz"))
        self.gpz("encode", "in.dump", "-o", "usual.gpz", "--eb", "0.01", "--key", "100")
        ratio = len(self.read("t.gpz")) / len(self.read("usual.gpz"))
        self.assertTrue(1.005 < ratio < 1.03, ratio)

    def test_of_frames_that_do_not_depend_on_each_other(self):
        frames = ([(row[0], *row[2:]) for row in sorted(random_rows(400, k))] for k in range(9))
        self.write("in.dump", "".join(dump_frame(k, rows, columns="id x y z") for k, rows in enumerate(frames)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01")
        since = self.since_key("t.gpz")
        self.assertEqual(since[:7], [0, 1, 2, 3, 4, 5, 0])
        self.assertLess(max(since[6:]), 3)

    def test_wrong(self):
        for frames in ("0", "65536", "-1", "1.5", "few"):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--key", frames, code=2,
                     err=f"encode: --key: --key {frames}: a number from 1 to 65535, or auto (gpz encode --help explains)")

    def test_order(self):
        """Neighbours on a line have ids next to each other: the order of ids is much smaller, and the default."""
        rows = [(i + 1, 1 + 0.008 * i, 2, 3) for i in range(1000)]
        self.write("in.dump", dump_frame(0, rows, columns="id x y z"))
        sizes = []
        for options in ((), ("--order", "id"), ("--order", "place")):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.0001", *options)
            self.gpz("verify", "t.gpz", "--against", "in.dump", out=None)
            sizes.append(len(self.read("t.gpz")))
        self.assertEqual(sizes[0], sizes[1])
        self.assertLess(2 * sizes[1], sizes[2])
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "1", "--order", "x", code=2,
                 err="encode: --order: x not in {auto,id,place,memory} (gpz encode --help explains)")

    def test_order_of_memory(self):
        """Along lines there and back, the next particle is near, while blocks do not know where lines turn."""
        rows = [(1, 9 * abs(i % 200 - 100) / 100, 0.001 * i, 3) for i in range(4000)]
        self.write("in.dump", dump_frame(0, rows, columns="type x y z"))
        sizes = []
        for order, feature in (("memory", 4), ("place", 0)):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.0001", "--order", order,
                     err=f"in.dump: {A_SET}" if order == "place" else "")
            sizes.append(len(self.read("t.gpz")))
            self.assertEqual(int.from_bytes(self.read("t.gpz")[12:16], "little"), feature)
            out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "xyz", out=None).decode()
            decoded = [tuple(float(x) for x in row[1:]) for row in parse_xyz(out)[0][1]]
            if order == "place":
                decoded.sort(key=lambda row: row[1])
            for row, given in zip(decoded, rows):
                for x, exact in zip(row, given[1:]):
                    self.assertLessEqual(abs(x - exact), 0.000101)
        self.assertLess(3 * sizes[0], 2 * sizes[1])

    def test_without_ids(self):
        self.write("in.dump", "".join(dump_frame(k, [row[1:] for row in random_rows(40, k)], columns="type x y z") for k in range(3)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--order", "place", err=f"in.dump: {A_SET}")
        self.assertEqual(self.since_key("t.gpz"), [0, 0, 0])

    def test_errors(self):
        self.write("in.dump", dump_frame(0, [(1, 1, 1, 2, 3)]))
        for value in ("0", "-1", "65536", "1.5", "x"):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "1", "--key=" + value, code=2, err=None)
        self.assert_files("in.dump")


class PipesAndFiles(CliCase):
    def test_both_ways(self):
        text = dump_frame(0, random_rows(3000, 5)) + dump_frame(1, random_rows(2000, 6)) + dump_frame(2, [])
        self.write("in.dump", text)
        for options in ((), ("--key", "1"), ("--key", "2")):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", *options)
            self.write("p.gpz", self.pipe(text, *options))
            self.assertEqual(self.read("p.gpz"), self.read("t.gpz"))
            report = "3 whole frames with 5000 particles: every checksum and structure holds\n"
            self.gpz("verify", "p.gpz", out=f"p.gpz: {report}")
            self.gpz("verify", "-", stdin=self.read("p.gpz"), out=f"standard input: {report}")

    def pipe(self, text, *options):
        result = subprocess.run([GPZ, "encode", "-", "-o", "-", "--eb", "0.01", *options], input=text.encode(), capture_output=True,
                                check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return result.stdout

    def test_bounds_of_tilted_boxes_come_back(self):
        """A dump has the bounds of the box around a tilted one. They are sums, which LAMMPS rounds as here."""
        number = random.Random(4)
        text, expected = "", []
        for step in range(100):
            low, edge, tilt = ([number.uniform(-20, 20) * 10 ** number.uniform(-6, 1) for _ in range(3)] for _ in range(3))
            high = [a + abs(b) + 1e-3 for a, b in zip(low, edge)]
            xy, xz, yz = tilt
            bounds = [(min(min(low[0], low[0] + xy), min(low[0], low[0] + xy) + xz), max(max(high[0], high[0] + xy), max(high[0], high[0] + xy) + xz), xy),
                      (min(low[1], low[1] + yz), max(high[1], high[1] + yz), xz), (low[2], high[2], yz)]
            lines = "".join(" ".join(f"{value:.16e}" for value in line) + "\n" for line in bounds)
            text += f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS xy xz yz pp pp pp\n{lines}ITEM: ATOMS id x y z\n1 0 0 0\n"
            expected += [float(word) for word in lines.split()]
        self.write("in.dump", text)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
        self.gpz("decode", "t.gpz", "-o", "out.dump", "--format", "lammps")
        rows = [line.split() for line in self.text("out.dump").splitlines()]
        self.assertEqual([float(word) for row in rows if len(row) == 3 for word in row], expected)

    def test_input_is_output(self):
        self.write("a.dump", dump_frame(0, [(1, 1, 1, 2, 3)]))
        os.symlink("a.dump", self.path("b.gpz"))
        self.gpz("encode", "a.dump", "-o", "b.gpz", "--eb", "1", code=2, err="b.gpz: is the same file as the input a.dump: write another file")
        self.assertEqual(self.text("a.dump"), dump_frame(0, [(1, 1, 1, 2, 3)]))

    def test_a_bad_input_leaves_an_existing_output(self):
        self.write("t.gpz", "precious")
        self.write("in.dump", "ITEM: TIMESTEP\n")
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "1", code=5, err="in.dump: truncated: it ends in frame 0")
        self.assertEqual(self.text("t.gpz"), "precious")
