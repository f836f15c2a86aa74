# SPDX-License-Identifier: BSD-3-Clause
"""gpz decode: formats, selections and the digits it prints."""

import json
import os
import random
import signal
import struct
import subprocess

from cli_case import NUMBERED, GPZ, CliCase, dump_frame, parse_dump, parse_xyz, random_rows, record_offsets

TWO_FRAMES = (dump_frame(0, [(3, 1, 1.5, 2.25, 3), (1, 2, -0.5, 5, 1e-3), (2, 1, 7.125, 0.1, 9.75)]) +
              dump_frame(100, [(2, 1, 7.25, 0.2, 9.5), (3, 1, 1.75, 2.5, 3)]))


class LammpsText(CliCase):
    """Lossless encoding and decoding gives the bytes of `dump custom` back."""

    def round_trip(self, text, *options, err=""):
        self.write("in.dump", text)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", err=err)
        self.gpz("decode", "t.gpz", "-o", "out.dump", *options)
        self.assertEqual(self.text("out.dump"), text)

    def test_orthogonal(self):
        self.round_trip(TWO_FRAMES)

    def test_no_boundary_flags(self):
        self.round_trip(TWO_FRAMES.replace(" pp pp pp", ""))

    def test_mixed_boundary_flags(self):
        self.round_trip(TWO_FRAMES.replace("pp pp pp", "pp ff ms"))

    def test_triclinic(self):
        # The bounding box of xlo xhi = 0 10, ylo yhi = -1 9, xy = -2.5, xz = 1.25, yz = 0.5.
        box = ("ITEM: BOX BOUNDS xy xz yz pp pp pp\n"
               "-2.5000000000000000e+00 1.1250000000000000e+01 -2.5000000000000000e+00\n"
               "-1.0000000000000000e+00 9.5000000000000000e+00 1.2500000000000000e+00\n"
               "0.0000000000000000e+00 1.0000000000000000e+01 5.0000000000000000e-01\n")
        self.round_trip(dump_frame(5, [(1, 1, 0.5, 0.25, 3)], box=box))

    def test_general_triclinic(self):
        box = ("ITEM: BOX BOUNDS abc origin pp pp ff\n"
               "1.0000000000000000e+01 1.0000000000000000e+00 0.0000000000000000e+00 -5.0000000000000000e+00\n"
               "-1.0000000000000000e+00 1.0000000000000000e+01 5.0000000000000000e-01 -4.0000000000000000e+00\n"
               "0.0000000000000000e+00 2.0000000000000000e+00 1.0000000000000000e+01 -3.0000000000000000e+00\n")
        self.round_trip(dump_frame(5, [(1, 1, 0.5, 0.25, 3)], box=box))

    def test_columns_in_their_order(self):
        rows = [(0.5, 7, "C", -3, 1.25, 2, 0.001, 4), (0.75, 8, "Fe", 3, 1.5, 1, 1e+300, 5)]
        self.round_trip(dump_frame(0, rows, columns="y ix element i_flag x type c_pe[2] z"),
                        err=f"in.dump: {NUMBERED}")

    def test_no_positions(self):
        self.round_trip(dump_frame(0, [(1, 0.5), (2, -7)], columns="id c_pe"))

    def test_variable_and_zero_particles(self):
        self.round_trip(dump_frame(0, []) + TWO_FRAMES + dump_frame(200, []))

    def test_negative_and_large_timesteps(self):
        self.round_trip(dump_frame(-3, [(1, 1, 0, 0, 0)]) + dump_frame(2**62, [(1, 1, 0, 0, 0)]))

    def test_not_finite(self):
        self.round_trip(dump_frame(0, [(1, 1, "nan", "inf", "-inf"), (2, 1, "-0", 5e-324, 1.7976931348623157e+308)]))

    def test_time_and_units(self):
        text = "ITEM: UNITS\nmetal\nITEM: TIME\n0.5\n" + dump_frame(0, [(1, 1, 1, 2, 3)])
        self.round_trip(text, "--with-time", "--with-units")
        self.gpz("decode", "t.gpz", "-o", "plain.dump")
        self.assertEqual(self.text("plain.dump"), dump_frame(0, [(1, 1, 1, 2, 3)]))

    def test_file_without_box_gets_the_shrink_wrapped_one(self):
        self.write("in.xyz", "2\n\n1 1 2 3\n2 4 -5 3\n")
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", err=f"in.xyz: {NUMBERED}")
        self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=dump_frame(
            0, [(1, 1, 2, 3), (2, 4, -5, 3)], columns="type x y z",
            box="ITEM: BOX BOUNDS ss ss ss\n1.0000000000000000e+00 4.0000000000000000e+00\n"
                "-5.0000000000000000e+00 2.0000000000000000e+00\n3.0000000000000000e+00 3.0000000000000000e+00\n"))


class Xyz(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", TWO_FRAMES)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")

    def test_sorted_by_id(self):
        self.gpz("decode", "t.gpz", "-o", "-", "--frames", "0",
                 out="3\nAtoms. Timestep: 0\n2 -0.5 5 0.001\n1 7.125 0.1 9.75\n1 1.5 2.25 3\n")
        out = self.gpz("decode", "t.gpz", "-o", "-", "--frames", "0", "--format", "extxyz", out=None).decode()
        self.assertEqual([row[4] for row in parse_xyz(out)[0][1]], ["1", "2", "3"])
        out = self.gpz("decode", "t.gpz", "-o", "-", "--frames", "0", "--format", "extxyz", "--sort", "none", out=None).decode()
        self.assertEqual([row[4] for row in parse_xyz(out)[0][1]], ["3", "1", "2"])
        # The column by which the particles are sorted need not be printed.
        out = self.gpz("decode", "t.gpz", "-o", "-", "--frames", "0", "--format", "extxyz", "--columns", "type", out=None).decode()
        self.assertEqual([row[4] for row in parse_xyz(out)[0][1]], ["2", "1", "1"])

    def test_type_numbers(self):
        self.gpz("decode", "t.gpz", "-o", "-", "--sort", "none", out="3\nAtoms. Timestep: 0\n1 1.5 2.25 3\n2 -0.5 5 0.001\n1 7.125 0.1 9.75\n"
                                                   "2\nAtoms. Timestep: 100\n1 7.25 0.2 9.5\n1 1.75 2.5 3\n")

    def test_elements_option(self):
        self.gpz("decode", "t.gpz", "-o", "-", "--elements", "H,Og", "--frames", "0", "--sort", "none",
                 out="3\nAtoms. Timestep: 0\nH 1.5 2.25 3\nOg -0.5 5 0.001\nH 7.125 0.1 9.75\n")

    def test_a_type_beyond_the_elements(self):
        self.gpz("decode", "t.gpz", "-o", "-", "--elements", "H", code=2,
                 err="t.gpz: --elements has 1 name, but atom type 2 occurs (timestep 0)")

    def test_elements_of_the_file(self):
        self.write("e.dump", dump_frame(0, [("O", 1, 2, 3), ("H", 4, 5, 6)], columns="element x y z"))
        self.gpz("encode", "e.dump", "-o", "e.gpz", "--lossless", err=f"e.dump: {NUMBERED}")
        self.gpz("decode", "e.gpz", "-o", "-", out="2\nAtoms. Timestep: 0\nO 1 2 3\nH 4 5 6\n")

    def test_type_labels(self):
        self.write("l.dump", dump_frame(0, [("c3", 2, 1, 2, 3), ("ho", 1, 4, 5, 6)], columns="typelabel type x y z"))
        self.gpz("encode", "l.dump", "-o", "l.gpz", "--lossless", err=f"l.dump: {NUMBERED}")
        self.gpz("decode", "l.gpz", "-o", "-", out="2\nAtoms. Timestep: 0\nc3 1 2 3\nho 4 5 6\n")
        self.gpz("decode", "l.gpz", "-o", "-", "--format", "lammps", out=self.text("l.dump"))

    def test_neither_type_nor_element(self):
        self.write("n.dump", dump_frame(0, [(1, 2, 3)], columns="x y z"))
        self.gpz("encode", "n.dump", "-o", "n.gpz", "--lossless", err=f"n.dump: {NUMBERED}")
        self.gpz("decode", "n.gpz", "-o", "-", out="1\nAtoms. Timestep: 0\nX 1 2 3\n")

    def test_two_dimensions(self):
        self.write("p.dump", dump_frame(0, [(1, 2)], columns="x y"))
        self.gpz("encode", "p.dump", "-o", "p.gpz", "--lossless", err=f"p.dump: {NUMBERED}")
        self.gpz("decode", "p.gpz", "-o", "-", out="1\nAtoms. Timestep: 0\nX 1 2 0\n")

    def test_extended(self):
        self.write("e.dump", "ITEM: TIME\n0.25\n" + dump_frame(
            7, [(5, 2, "O", 1, 2, 3, 0.5), (6, 1, "H", 4, 5, 6, -0.5)], columns="id type element x y z q"))
        self.gpz("encode", "e.dump", "-o", "e.gpz", "--lossless")
        self.gpz("decode", "e.gpz", "-o", "e.extxyz")
        self.assertEqual(self.text("e.extxyz"),
                         '2\nLattice="10 0 0 0 10 0 0 0 10" Origin="0 0 0" pbc="T T T" '
                         'Properties=species:S:1:pos:R:3:id:I:1:type:I:1:q:R:1 Timestep=7 Time=0.25\n'
                         'O 1 2 3 5 2 0.5\nH 4 5 6 6 1 -0.5\n')

    def test_scaled_positions_become_cartesian(self):
        box = ("ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 14 4\n2 6 0\n-1 1 0\n")  # a = 10 0 0, b = 4 4 0, c = 0 0 2
        self.write("s.dump", dump_frame(0, [(1, 0.5, 0.25, 0.75)], columns="type xs ys zs", box=box))
        self.gpz("encode", "s.dump", "-o", "s.gpz", "--lossless", err=f"s.dump: {NUMBERED}")
        self.gpz("decode", "s.gpz", "-o", "-", out="1\nAtoms. Timestep: 0\n1 6 3 0.5\n")


class Selection(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", "".join(dump_frame(10 * k, [(2, 1, k, 0, 0), (1, 1, 0, k, 0)]) for k in range(5)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")

    def timesteps(self, *options, stdin=None):
        source = "t.gpz" if stdin is None else "-"
        out = self.gpz("decode", source, "-o", "-", "--format", "lammps", *options, out=None, stdin=stdin or b"")
        return [timestep for timestep, _, _ in parse_dump(out.decode())]

    def test_slices(self):
        every = [0, 10, 20, 30, 40]
        for text, expected in (("1:3", every[1:3]), ("::2", every[::2]), ("-2:", every[-2:]), (":-3", every[:-3]),
                               ("::-1", every[::-1]), ("3:0:-2", every[3:0:-2]), ("2", [20]), ("-1", [40])):
            self.assertEqual(self.timesteps("--frames", text), expected, text)

    def test_no_such_frame(self):
        for number, source in (("17", "t.gpz"), ("-6", "t.gpz"), ("17", "-")):
            shown = "standard input" if source == "-" else source
            self.gpz("decode", source, "-o", "out.xyz", "--frames=" + number, code=2, stdin=self.read("t.gpz"),
                     err=f"{shown}: has 5 frames (0 to 4), no frame {number}")
        self.assert_files("in.dump", "t.gpz")

    def test_an_empty_slice(self):
        self.gpz("decode", "t.gpz", "-o", "-", "--frames", "7:", err="t.gpz: has 5 frames (0 to 4), none of them in --frames 7:")

    def test_slices_of_a_pipe(self):
        content = self.read("t.gpz")
        for text, expected in (("1:3", [10, 20]), ("::2", [0, 20, 40]), ("2", [20]), (":", [0, 10, 20, 30, 40])):
            self.assertEqual(self.timesteps("--frames", text, stdin=content), expected, text)

    def test_a_pipe_has_no_end_to_count_from(self):
        self.gpz("decode", "-", "-o", "-", "--frames=-1", stdin=self.read("t.gpz"), code=2,
                 err="standard input: --frames with a negative number needs a file, not a pipe")

    def test_not_a_slice(self):
        self.gpz("decode", "t.gpz", "-o", "-", "--frames", "1:x", code=2, err="--frames 1:x: 'x' is no number; expected A:B:S")
        self.gpz("decode", "t.gpz", "-o", "-", "--frames", "::0", code=2, err="--frames ::0: a step of 0")

    def test_sort(self):
        out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", "--frames", "3", "--sort", "id", out=None)
        self.assertEqual(parse_dump(out.decode())[0][2], [["1", "1", "0", "3", "0"], ["2", "1", "3", "0", "0"]])

    def test_sort_by_a_float(self):
        out = self.gpz("decode", "t.gpz", "-o", "-", "--frames", "3", "--sort", "y", out=None)
        self.assertEqual(parse_xyz(out.decode())[0][1], [["1", "3", "0", "0"], ["1", "0", "3", "0"]])

    def test_sort_of_scattered_ids(self):
        ids = random.Random(4).sample(range(-10**12, 10**12), 500)
        self.write("s.dump", dump_frame(0, [(i, i % 7) for i in ids], columns="id c_a"))
        self.gpz("encode", "s.dump", "-o", "s.gpz", "--lossless")
        out = self.gpz("decode", "s.gpz", "-o", "-", "--format", "lammps", "--sort", "id", out=None)
        self.assertEqual(parse_dump(out.decode())[0][2], [[str(i), str(i % 7)] for i in sorted(ids)])

    def test_sort_by_no_column(self):
        self.gpz("decode", "t.gpz", "-o", "-", "--sort", "mol", code=2,
                 err="t.gpz: --sort: no column 'mol'; there are x y z id type")


class Differences(CliCase):
    """What comes out does not depend on which frames are key frames, nor on the order in which frames are read."""

    FRAMES = 9

    def setUp(self):
        super().setUp()
        source = random.Random(12)
        particles = {i: [1 + i % 2, *(source.uniform(0, 10) for _ in range(3)), 0] for i in range(1, 181)}
        frames = []
        for k in range(self.FRAMES):
            for values in particles.values():
                x = values[1] + source.uniform(-0.4, 0.5)
                values[1:] = [x % 10, values[2], values[3] + source.uniform(-0.1, 0.1), values[4] + int(x // 10)]
            for i in source.sample(sorted(particles), 3):
                del particles[i]
            particles[1000 + k] = [3, 1.0, 2.0, 3.0, k]
            rows = [(i, *values) for i, values in particles.items()]
            source.shuffle(rows)
            frames.append(dump_frame(10 * k, rows, columns="id type x y z ix"))
        self.write("in.dump", "".join(frames))
        for key in (1, 4, 100):
            self.gpz("encode", "in.dump", "-o", f"{key}.gpz", "--eb", "0.001", "--key", str(key))
        self.assertGreater(len(self.read("1.gpz")), 1.3 * len(self.read("100.gpz")))

    def decoded(self, name, *options, stdin=b""):
        return self.gpz("decode", name, "-o", "-", "--sort", "id", *options, out=None, stdin=stdin)

    def test_every_frame_and_order(self):
        for form in ("lammps", "extxyz"):
            for frames in (":", "::2", "::-1", "7:1:-2", "3:6", "-1", *map(str, range(self.FRAMES))):
                expected = self.decoded("1.gpz", "--format", form, "--frames", frames)
                self.assertTrue(expected)
                for name in ("4.gpz", "100.gpz"):
                    self.assertEqual(self.decoded(name, "--format", form, "--frames", frames), expected, (name, frames))

    def test_pipe(self):
        for frames in (":", "2:7:3", "5"):
            expected = self.decoded("1.gpz", "--frames", frames)
            for name in ("4.gpz", "100.gpz"):
                self.assertEqual(self.decoded("-", "--frames", frames, stdin=self.read(name)), expected, (name, frames))

    def test_unwrapped_columns(self):
        expected = self.decoded("1.gpz", "--format", "lammps")
        for name in ("4.gpz", "100.gpz"):
            self.assertEqual(self.decoded(name, "--format", "lammps", "--threads", "3"), expected)

    def test_without_an_index(self):
        content = self.read("4.gpz")
        self.write("n.gpz", content[:record_offsets(content)[-1]])
        self.assertEqual(self.decoded("n.gpz", "--frames", "::-1"), self.decoded("1.gpz", "--frames", "::-1"))

    def test_repaired(self):
        self.gpz("repair", "4.gpz", "-o", "r.gpz", out="4.gpz: 9 frames kept, nothing lost\n")
        self.assertEqual(self.read("r.gpz"), self.read("4.gpz"))

    def test_verified(self):
        for name in ("1.gpz", "4.gpz", "100.gpz"):
            report = json.loads(self.gpz("verify", name, "--against", "in.dump", "--json", out=None))
            self.assertEqual((report["ok"], report["frames"]), (True, self.FRAMES))
            self.assertEqual({c["above_bound"] for c in report["columns"]}, {0})


class MixedPositions(CliCase):
    """Coordinates in columns of several forms. The point (7.5, 2.5, 3) has the fractions 0.5, 0.25 and 0.5 of a = 10 0 0, b = 4 8 0,
    c = 3 1 6 with the origin 1 0 -1, so it is at (8.5, 2.5, 2)."""

    BOX = "ITEM: BOX BOUNDS xy xz yz pp pp pp\n1 18 4\n0 9 3\n-1 5 1\n"
    POINT, FRACTIONS = (8.5, 2.5, 2), (0.5, 0.25, 0.5)

    def encoded(self, columns, values, box=BOX, options=("--lossless",)):
        self.write("in.dump", dump_frame(0, [(1, *values)], f"id {columns}", box))
        self.gpz("encode", "in.dump", "-o", "t.gpz", *options)

    def place(self, *options):
        text = self.gpz("decode", "t.gpz", "-o", "-", "--format", "xyz", *options, out=None).decode()
        return tuple(map(float, text.splitlines()[2].split()[1:]))

    def test_every_mixture(self):
        for mask in range(1, 8):
            for plain, scaled in (("", "s"), ("u", "su")):
                is_scaled = [mask >> axis & 1 for axis in range(3)]
                columns = " ".join(f"{axis}{scaled if s else plain}" for axis, s in zip("xyz", is_scaled))
                self.encoded(columns, [self.FRACTIONS[k] if s else self.POINT[k] for k, s in enumerate(is_scaled)])
                self.assertEqual(self.place(), self.POINT, columns)
                for region in ("8.4:8.6,2.4:2.6,1.9:2.1", ":,:,0.4:0.6"):
                    self.gpz("select", "t.gpz", "-o", "part.gpz", "--region", region, out=None)
                    kept = json.loads(self.gpz("info", "part.gpz", "--json", out=None))["particles"]["total"]
                    self.assertEqual(kept, region[0] == "8", columns)
                self.gpz("verify", "t.gpz", "--against", "in.dump", out=None)

    def test_a_whole_set_comes_first(self):
        for columns, values in (("x y xs ys zs", (7, 7, *self.FRACTIONS)), ("x y xu yu zu", (7, 7, *self.POINT)),
                                ("xu zs yu z", (8.5, 0.9, 2.5, 2)), ("x xu yu zs", (7, 8.5, 2.5, 0.5))):
            self.encoded(columns, values)
            self.assertEqual(self.place(), self.POINT, columns)

    def test_two_dimensions_are_at_zero(self):
        for columns, values in (("xs ys", (0.5, 0.25)), ("x y", (5, 2.5)), ("x ysu", (5, 0.25))):
            self.encoded(columns, values, "ITEM: BOX BOUNDS pp pp pp\n0 10\n0 10\n-0.5 0.5\n")
            self.assertEqual(self.place(), (5, 2.5, 0))
            self.gpz("select", "t.gpz", "-o", "part.gpz", "--region", ":,:,-0.1:0.1", out=None)
            self.assertIn(b'"total": 1', self.gpz("info", "part.gpz", "--json", out=None))

    def test_bounds(self):
        """Each column has the bound of positions, as a distance, and so has what becomes of them."""
        self.encoded("x y zs", (8.5123456, 2.5123456, 0.5123456), options=("--eb", "0.001"))
        columns = {c["name"]: c["bound"] for c in json.loads(self.gpz("info", "t.gpz", "--json", out=None))["columns"]}
        self.assertEqual(columns, {"id": 0, "x": 0.001, "y": 0.001, "zs": 0.001 / 17})  # 17: the sum of all x of edges
        for found, true in zip(self.place(), (8.5123456, 2.5123456, -1 + 6 * 0.5123456)):
            self.assertLessEqual(abs(found - true), 0.001)

    def test_images_of_those_that_are_wrapped(self):
        box = "ITEM: BOX BOUNDS pp pp pp\n0 10\n0 10\n0 10\n"
        self.encoded("xu yu z ix iy iz", (31, 2, 3, 3, 0, -1), box)
        self.assertEqual(self.place("--unwrap"), (31, 2, -7))
        self.encoded("xu ys z iy iz", (31, 0.25, 3, 2, 1), box)
        self.assertEqual(self.place("--unwrap"), (31, 22.5, 13))
        self.encoded("xu yu z", (31, 2, 3), box)
        self.gpz("decode", "t.gpz", "-o", "-", "--unwrap", code=2,
                 err="t.gpz: --unwrap needs the image flags ix iy iz, which the file does not have")


class Unwrap(CliCase):
    def unwrapped(self, text, *options):
        self.write("in.dump", text)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", err=f"in.dump: {NUMBERED}")
        return self.gpz("decode", "t.gpz", "-o", "-", "--unwrap", *options, out=None).decode()

    def test_orthogonal(self):
        text = self.unwrapped(dump_frame(0, [(1, 2, 3, 1, -2, 0)], columns="x y z ix iy iz"), "--format", "lammps")
        self.assertEqual(text, dump_frame(0, [(11, -18, 3, 1, -2, 0)], columns="xu yu zu ix iy iz"))

    def test_triclinic(self):
        box = "ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 17 4\n0 9 3\n0 6 1\n"  # a = 10 0 0, b = 4 8 0, c = 3 1 6
        text = self.unwrapped(dump_frame(0, [(1, 1, 1, 1, 2, -1)], columns="x y z ix iy iz", box=box))
        self.assertEqual(text, "1\nAtoms. Timestep: 0\nX 16 16 -5\n")

    def test_general_triclinic(self):
        box = "ITEM: BOX BOUNDS abc origin pp pp pp\n0 10 0 5\n10 0 0 5\n0 1 -10 5\n"
        text = self.unwrapped(dump_frame(0, [(1, 2, 3, 1, 2, 3)], columns="x y z ix iy iz", box=box))
        self.assertEqual(text, "1\nAtoms. Timestep: 0\nX 21 15 -27\n")

    def test_scaled(self):
        frame = dump_frame(0, [(0.5, 0.25, 0, 1, -2, 0)], columns="xs ys zs ix iy iz")
        self.assertEqual(self.unwrapped(frame), "1\nAtoms. Timestep: 0\nX 15 -17.5 0\n")
        self.assertEqual(self.unwrapped(frame, "--format", "lammps"),
                         dump_frame(0, [(1.5, -1.75, 0, 1, -2, 0)], columns="xsu ysu zsu ix iy iz"))

    def test_unwrapped_positions_stay(self):
        frame = dump_frame(0, [(31, 2, 3)], columns="xu yu zu")
        self.assertEqual(self.unwrapped(frame, "--format", "lammps"), frame)

    def test_wrapped_and_unwrapped_positions(self):
        text = self.unwrapped(dump_frame(0, [(1, 2, 3, 31, 2, 3)], columns="x y z xu yu zu"), "--format", "lammps")
        self.assertEqual(text, dump_frame(0, [(31, 2, 3)], columns="xu yu zu"))
        text = self.unwrapped(dump_frame(0, [(1, 2, 3, 31, 2, 3)], columns="x y z xu yu zu"), "--format", "xyz")
        self.assertEqual(text, "1\nAtoms. Timestep: 0\nX 31 2 3\n")

    def test_no_image_flags(self):
        self.write("in.dump", TWO_FRAMES)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
        self.gpz("decode", "t.gpz", "-o", "o.xyz", "--unwrap", code=2,
                 err="t.gpz: --unwrap needs the image flags ix iy iz, which the file does not have")
        self.assert_files("in.dump", "t.gpz")


class Digits(CliCase):
    """What is printed is within the bound, exactly, and short."""

    def check(self, rows, bound, *options):
        self.write("in.dump", dump_frame(0, rows))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", repr(bound),
                 err=f"in.dump: the bound {bound:g} of the positions is at least half of the longest box edge, 10" if bound >= 5 else "")
        self.gpz("decode", "t.gpz", "-o", "out.dump", "--sort", "id", *options)
        decoded = parse_dump(self.text("out.dump"))[0][2]
        true = sorted(rows)
        self.assertEqual([[int(v) for v in row[:2]] for row in decoded], [list(row[:2]) for row in true])
        for axis in range(2, 5):
            self.assert_within([row[axis] for row in decoded], [row[axis] for row in true], bound)
        return [row[axis] for row in decoded for axis in range(2, 5)]

    def test_bounds_of_all_sizes(self):
        for bound in (100.0, 3.0, 0.37, 1e-3, 6.6e-5, 1e-9, 3e-13):
            self.check(random_rows(1500, 1, -50, 50), bound)
            self.check(random_rows(1500, 2, -50, 50), bound, "--exact")

    def test_values_between_two_grid_points(self):
        source = random.Random(3)
        rows = [(i, 1, *(source.randrange(-20000, 20000) * 0.0005 for _ in range(3))) for i in range(1, 3001)]
        self.check(rows, 0.0005)
        self.check(rows, 0.001)

    def test_exceptions(self):
        rows = random_rows(100, 5)
        rows[3] = rows[3][:2] + (1e300, -1e17, 123456789.0123)
        self.check(rows, 1e-3)

    def test_no_more_decimals_than_needed(self):
        for text in self.check(random_rows(1000, 6), 1e-3):
            self.assertRegex(text, r"^-?\d+\.\d{7}$")

    def test_unwrapped(self):
        source = random.Random(7)
        rows = [(i, *(source.uniform(0, 10) for _ in range(3)), *(source.randrange(-3, 4) for _ in range(3)))
                for i in range(1, 1001)]
        self.write("in.dump", dump_frame(0, rows, columns="id x y z ix iy iz"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.001")
        self.gpz("decode", "t.gpz", "-o", "out.dump", "--sort", "id", "--unwrap")
        decoded = parse_dump(self.text("out.dump"))[0][2]
        for axis in range(3):
            self.assert_within([row[1 + axis] for row in decoded], [row[1 + axis] + row[4 + axis] * 10 for row in rows], 0.001)

    def test_single_precision(self):
        source = random.Random(8)
        values = [struct.unpack("f", struct.pack("f", source.uniform(-900, 900)))[0] for _ in range(3000)]
        self.write("in.raw", struct.pack("<3000f", *values))
        for bound in (0.5, 1e-3, 4e-5):
            self.gpz("encode", "in.raw", "--raw", "f32", "-o", "t.gpz", "--eb", repr(bound), err=f"in.raw: {NUMBERED}")
            self.gpz("decode", "t.gpz", "-o", "out.xyz")
            decoded = [row[1:] for row in parse_xyz(self.text("out.xyz"))[0][1]]
            for axis in range(3):
                self.assert_within([row[axis] for row in decoded], values[axis::3], bound)


class Pipes(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", TWO_FRAMES)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01")
        self.gpz("decode", "t.gpz", "-o", "t.dump")

    def test_both_ways(self):
        for extension, form in (("dump", "lammps"), ("xyz", "xyz"), ("extxyz", "extxyz")):
            self.gpz("decode", "t.gpz", "-o", "out." + extension)
            self.gpz("decode", "-", "-o", "-", "--format", form, stdin=self.read("t.gpz"), out=self.text("out." + extension))

    def test_named_pipe(self):
        os.mkfifo(self.path("pipe"))
        with subprocess.Popen([GPZ, "decode", "pipe", "-o", "out.dump"], cwd=self.folder) as decode:
            with open(self.path("pipe"), "wb") as pipe:
                pipe.write(self.read("t.gpz"))
            self.assertEqual(decode.wait(), 0)
        self.assertEqual(self.read("out.dump"), self.read("t.dump"))

    def test_closed_output(self):
        """As in gpz decode ... | head: it ends by the signal, as other programs do, and says nothing."""
        reading, writing = os.pipe()
        os.close(reading)
        result = subprocess.run([GPZ, "decode", "t.gpz", "-o", "-"], cwd=self.folder, stdout=writing,
                                stderr=subprocess.PIPE, check=False)
        os.close(writing)
        self.assertEqual((result.returncode, result.stderr), (-signal.SIGPIPE, b""))

    def test_an_existing_output_is_replaced(self):
        self.write("old.dump", "x" * 10000)
        self.gpz("decode", "t.gpz", "-o", "old.dump")
        self.assertEqual(self.read("old.dump"), self.read("t.dump"))
        self.assert_files("in.dump", "t.gpz", "t.dump", "old.dump")

    def test_a_file_called_part_is_not_touched(self):
        self.write("out.xyz.part", "mine")
        self.gpz("decode", "t.gpz", "-o", "out.xyz")
        self.assertEqual(self.text("out.xyz.part"), "mine")
        self.assert_files("in.dump", "t.gpz", "t.dump", "out.xyz", "out.xyz.part")

    def test_a_link_stays_a_link(self):
        self.write("target.dump", "")
        os.symlink("target.dump", self.path("link.dump"))
        self.gpz("decode", "t.gpz", "-o", "link.dump")
        self.assertTrue(os.path.islink(self.path("link.dump")))
        self.assertEqual(self.read("target.dump"), self.read("t.dump"))


class Threads(CliCase):
    def test_the_text_does_not_depend_on_them(self):
        self.write("in.dump", dump_frame(0, random_rows(60000, 9)) + dump_frame(1, random_rows(20000, 10)))
        self.gpz("encode", "in.dump", "-o", "1.gpz", "--eb", "0.001", "--threads", "1")
        self.gpz("encode", "in.dump", "-o", "3.gpz", "--eb", "0.001", "--threads", "3")
        self.assertEqual(self.read("1.gpz"), self.read("3.gpz"))
        for threads in ("1", "2", "5", "0"):
            self.gpz("decode", "1.gpz", "-o", threads + ".xyz", "--threads", threads)
            self.assertEqual(self.read(threads + ".xyz"), self.read("1.xyz"))
        self.assertEqual(len(parse_xyz(self.text("1.xyz"))[0][1]), 60000)
