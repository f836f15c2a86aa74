# SPDX-License-Identifier: BSD-3-Clause
"""Choosing frames, atoms and columns: gpz select writes them to another .gpz file, gpz decode as text."""

import json

from cli_case import MOVING_COLUMNS, CliCase, dump_frame, frame_bodies, moving_rows, parse_dump, parse_xyz, record_offsets

KEY = 5
FRAMES = 23


class SelectCase(CliCase):
    OPTIONS = ("--eb", "0.001")

    def setUp(self):
        super().setUp()
        self.rows = moving_rows(FRAMES, 50, 6)
        self.write("in.dump", "".join(dump_frame(10 * k, rows, MOVING_COLUMNS) for k, rows in enumerate(self.rows)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--key", str(KEY), *self.OPTIONS)
        self.all = self.decoded("t.gpz")

    def decoded(self, name, *options):
        out = self.gpz("decode", name, "-o", "-", "--format", "lammps", "--exact", "--sort", "id", *options, out=None)
        return parse_dump(out.decode())

    def select(self, *options, name="t.gpz", stdin=b"", **expected):
        report = json.loads(self.gpz("select", name, "-o", "s.gpz", "--json", *options, out=None, stdin=stdin, **expected))
        self.gpz("verify", "s.gpz", out=None)
        self.assertEqual(report["copied"] + report["encoded_again"], report["frames"])
        return report

    def check_both(self, expected, *options, columns=None):
        """gpz select, and gpz decode with the same options, give these frames."""
        self.select(*options)
        self.assertEqual(self.decoded("s.gpz"), expected)
        self.assertEqual(self.decoded("t.gpz", *options), expected)


class Frames(SelectCase):
    def test_slices(self):
        every = list(range(FRAMES))
        stored = frame_bodies(self.read("t.gpz"))
        for text, taken, copied in (
                (":", every, every), (":7", every[:7], every[:7]), ("5:", every[5:], every[5:]), ("3:12", every[3:12], every[5:12]),
                ("7:9", [7, 8], []), ("-4:", every[-4:], every[20:]), ("5", [5], [5]), ("7", [7], []), ("::5", every[::5], []),
                ("::2", every[::2], []), ("::-1", every[::-1], [])):
            report = self.select("--frames", text)
            self.assertEqual(self.decoded("s.gpz"), [self.all[k] for k in taken], text)
            self.assertEqual((report["copied"], report["frames"]), (len(copied), len(taken)), text)
            bodies = frame_bodies(self.read("s.gpz"))
            for k in copied:
                self.assertEqual(bodies[taken.index(k)], stored[k], text)

    def test_thinned_out_frames_are_differences(self):
        report = self.select("--frames", "::2", "--key", "6")
        self.assertEqual(report["encoded_again"], 12)
        info = json.loads(self.gpz("info", "s.gpz", "--json", out=None))
        self.assertEqual(info["key_frames"], {"count": 2, "interval": 6})

    def test_no_such_frame(self):
        self.gpz("select", "t.gpz", "-o", "s.gpz", "--frames", "23", code=2, err="t.gpz: has 23 frames (0 to 22), no frame 23")
        self.assert_files("in.dump", "t.gpz")

    def test_a_pipe(self):
        report = self.select("--frames", "3:12", name="-", stdin=self.read("t.gpz"))
        self.assertEqual(report["encoded_again"], 9)
        self.assertEqual(self.decoded("s.gpz"), self.all[3:12])
        out = self.gpz("select", "t.gpz", "-o", "-", "--frames", "3:12", out=None)
        self.write("o.gpz", out)
        self.assertEqual(self.decoded("o.gpz"), self.all[3:12])

    def test_damage(self):
        content = bytearray(self.read("t.gpz"))
        offsets = record_offsets(content)
        content[offsets[7 + 1] - 48] ^= 0x40  # frames 7 to 9 are lost
        self.write("d.gpz", bytes(content))
        reason = "d.gpz: frame 7: the checksum of a chunk does not hold"
        self.gpz("select", "d.gpz", "-o", "s.gpz", code=4, err=f"{reason}; 20 of 23 frames written")
        self.assertEqual(self.decoded("s.gpz"), self.all[:7] + self.all[10:])
        self.gpz("select", "d.gpz", "-o", "s.gpz", "--types", "1:3", code=4, err=f"{reason}; 20 of 23 frames written")
        self.assertEqual(self.decoded("s.gpz"), self.all[:7] + self.all[10:])
        self.write("d.gpz", self.read("t.gpz")[:offsets[9] + 99])
        self.gpz("select", "d.gpz", "-o", "s.gpz", "--frames", "2:", code=5, err="d.gpz: truncated after frame 8 (9 complete)")
        self.assertEqual(self.decoded("s.gpz"), self.all[2:9])

    def test_output_is_input(self):
        self.gpz("select", "t.gpz", "-o", "t.gpz", code=2, err="t.gpz: is an input as well as the output: write another file")


class Atoms(SelectCase):
    """Also of the values: the encoder sees the same ones in another company."""

    def chosen(self, condition):
        return [(timestep, columns, [row for row in rows if condition(row)]) for timestep, columns, rows in self.all]

    def test_ids(self):
        for text, ids in (("7", {7}), ("3:9,20,1000:1004", {*range(3, 10), 20, *range(1000, 1005)}), (":4,40:", {1, 2, 3, 4, *range(40, 2000)}),
                          ("5:8,6:12", set(range(5, 13)))):
            self.check_both(self.chosen(lambda row: int(row[0]) in ids), "--ids", text)

    def test_types(self):
        self.check_both(self.chosen(lambda row: row[1] in "13"), "--types", "1,3")
        self.check_both(self.chosen(lambda row: row[1] in "23"), "--types", "2:")

    def test_names_of_types(self):
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--elements", "C,H,C", *self.OPTIONS)
        self.all = self.decoded("t.gpz")
        self.check_both(self.chosen(lambda row: row[1] in "13"), "--types", "C")
        self.check_both(self.chosen(lambda row: row[1] in "23"), "--types", "H,3")
        self.gpz("select", "t.gpz", "-o", "s.gpz", "--types", "O", code=2,
                 err="--types: 'O' is no number, range A:B, element or label; there are C H C")
        self.write("l.dump", dump_frame(0, [(1, "c3", 1, 2, 3), (2, "ho", 4, 5, 6), (3, "c3", 7, 8, 9)], "id typelabel x y z"))
        self.gpz("encode", "l.dump", "-o", "l.gpz", "--lossless")
        self.assertEqual(self.decoded("l.gpz", "--types", "c3")[0][2], [["1", "c3", "1", "2", "3"], ["3", "c3", "7", "8", "9"]])
        self.gpz("decode", "l.gpz", "-o", "-", "--types", "c3", "--elements", "X,Y", out="2\nAtoms. Timestep: 0\nX 1 2 3\nX 7 8 9\n")

    def test_regions(self):
        inside = lambda row, axis, low, high: low <= float(row[2 + axis]) <= high
        self.check_both(self.chosen(lambda row: inside(row, 0, 2.5, 7)), "--region", "2.5:7,:,:")
        self.check_both(self.chosen(lambda row: inside(row, 0, -1, 4) and inside(row, 2, 5, 100)), "--region", "-1:4,:,5:")
        self.check_both(self.chosen(lambda row: inside(row, 1, 0, 3)), "--region=:,:3")
        self.check_both(self.chosen(lambda row: False), "--region", "20:30,:,:")

    def test_both_ends_count(self):
        edge = self.all[0][2][10][2]
        self.assertIn(self.all[0][2][10], self.decoded("t.gpz", "--region", f"{edge}:{edge},:,:")[0][2])

    def test_all_of_them_together(self):
        self.check_both(self.chosen(lambda row: row[1] == "2" and int(row[0]) < 31 and float(row[2]) <= 5)[4:9],
                        "--types", "2", "--ids", ":30", "--region", ":5,:,:", "--frames", "4:9")

    def test_text(self):
        """xyz has neither ids nor types: they are looked at and not printed."""
        out = self.gpz("decode", "t.gpz", "-o", "-", "--ids", "4,2", "--frames", "0", "--exact", out=None).decode()
        rows = [row for row in self.all[0][2] if row[0] in ("2", "4")]
        self.assertEqual(parse_xyz(out)[0][1], [row[1:5] for row in rows])

    def test_regions_of_scaled_positions(self):
        box = "ITEM: BOX BOUNDS xy xz yz pp pp pp\n0 14 4\n2 6 0\n-1 1 0\n"  # a = 10 0 0, b = 4 4 0, c = 0 0 2
        rows = [(1, 0.5, 0.25, 0.75), (2, 0.5, 0.75, 0.75), (3, 0.1, 0.25, 0.5)]  # at x = 6, 8 and 2
        self.write("s.dump", dump_frame(0, rows, "id xs ys zs", box))
        self.gpz("encode", "s.dump", "-o", "s.gpz", "--lossless")
        for region, ids in (("5.9:6.1,:,:", "1"), ("5:9,:,:", "12"), (":,4:,:", "2"), (":,:,:0.1", "3")):
            self.assertEqual([row[0] for row in self.decoded("s.gpz", "--region", region)[0][2]], list(ids), region)

    def test_two_dimensions(self):
        self.write("p.dump", dump_frame(0, [(1, 1, 2), (2, 3, 4)], "id x y"))
        self.gpz("encode", "p.dump", "-o", "p.gpz", "--lossless")
        self.assertEqual(self.decoded("p.gpz", "--region", "2:,:")[0][2], [["2", "3", "4"]])
        self.assertEqual(self.decoded("p.gpz", "--region", ":,:,-1:1")[0][2], [["1", "1", "2"], ["2", "3", "4"]])

    def test_not_there(self):
        self.write("n.dump", dump_frame(0, [(0.5,)], "c_a"))
        self.gpz("encode", "n.dump", "-o", "n.gpz", "--lossless")
        for options, reason in ((["--ids", "1"], "--ids: the file has no ids"),
                                (["--types", "1"], "--types: no column type, element or typelabel"),
                                (["--region", ":,:,:"], "--region: no positions (x y, xu yu, xs ys or xsu ysu)")):
            self.gpz("select", "n.gpz", "-o", "s.gpz", *options, code=2, err=f"n.gpz: {reason}")
            self.gpz("decode", "n.gpz", "-o", "-", "--format", "lammps", *options, code=2, err=f"n.gpz: {reason}")
        self.gpz("select", "t.gpz", "-o", "s.gpz", "--types", "C", code=2,
                 err="--types: 'C' is no number, range A:B, element or label; the file has no names of types")
        for text in ("x", "1:x", "9:3", "1-3", ""):
            self.gpz("select", "t.gpz", "-o", "s.gpz", f"--ids={text}", code=2, err=None)
        for text in ("1:2", "1:2,3:4,5:6,7:8", "1,2,3", "2:1,:,:", "a:b,:,:", "nan:1,:,:", "1:2:3,:,:"):
            self.gpz("select", "t.gpz", "-o", "s.gpz", f"--region={text}", code=2,
                     err=f"--region {text}: expected xlo:xhi,ylo:yhi,zlo:zhi; a side may be empty")
        self.assert_files("in.dump", "t.gpz", "n.dump", "n.gpz")


class AtomsOfLosslessFiles(Atoms):
    OPTIONS = ("--lossless",)


class Columns(SelectCase):
    def chosen(self, names):
        places = [MOVING_COLUMNS.split().index(name) for name in names]
        return [(timestep, names, [[row[place] for place in places] for row in rows]) for timestep, _, rows in self.all]

    def test_columns(self):
        for text in ("id,type,x,y,z", "id,x,y,z,ix", "ix,id", "id", "z,id,x", "id,type,x,y,z,ix"):
            self.check_both(self.chosen(text.split(",")), "--columns", text)
            self.assertEqual(json.loads(self.gpz("info", "s.gpz", "--json", out=None))["columns"][0]["name"], text.split(",")[0])

    def test_fields_are_copied(self):
        """The sections of the others are left out, without decoding."""
        for text, copied in (("id,type,x,y,z", True), ("x,y,z,id", True), ("id,type,x,y,z,ix", True), ("id,x,y", False), ("id,ix", False)):
            report = self.select("--columns", text)
            self.assertEqual(report["copied"], FRAMES if copied else 0, text)
        self.select("--columns", "ix,z,y,x,type,id")
        self.assertEqual(frame_bodies(self.read("s.gpz")), frame_bodies(self.read("t.gpz")))
        self.assertEqual(self.decoded("s.gpz"), self.chosen(["ix", "z", "y", "x", "type", "id"]))

    def test_without_ids(self):
        """Sorted by a column that is not printed; in a .gpz file the order is lost."""
        expected = self.chosen(["x", "y"])
        self.assertEqual(self.decoded("t.gpz", "--columns", "x,y"), expected)
        self.select("--columns", "x,y")
        out = parse_dump(self.gpz("decode", "s.gpz", "-o", "-", "--format", "lammps", "--exact", out=None).decode())
        self.assertEqual([sorted(rows) for _, _, rows in out], [sorted(rows) for _, _, rows in expected])

    def test_with_atoms(self):
        expected = [(timestep, ["id", "x"], [[row[0], row[2]] for row in rows if row[1] == "2"]) for timestep, _, rows in self.all]
        self.check_both(expected, "--columns", "id,x", "--types", "2")

    def test_unwrapped(self):
        self.write("u.dump", dump_frame(0, [(1, 5, 6, 7, 2, 0, -1)], "id x y z ix iy iz"))
        self.gpz("encode", "u.dump", "-o", "u.gpz", "--lossless")
        self.assertEqual(self.decoded("u.gpz", "--unwrap", "--columns", "zu,id,xu"), [(0, ["zu", "id", "xu"], [["-3", "1", "25"]])])
        self.gpz("decode", "u.gpz", "-o", "-", "--format", "lammps", "--unwrap", "--columns", "x", code=2,
                 err="u.gpz: --columns: no column 'x'; there are xu yu zu id ix iy iz")

    def test_extended_xyz(self):
        out = self.gpz("decode", "t.gpz", "-o", "-", "--format", "extxyz", "--columns", "id", "--frames", "0", out=None).decode()
        self.assertIn("Properties=species:S:1:pos:R:3:id:I:1:type:I:1 ", out)
        self.gpz("decode", "t.gpz", "-o", "-", "--columns", "id", code=2,
                 err="-: --columns: plain xyz has names and positions only; extxyz and lammps have the other columns")

    def test_not_there(self):
        for command in (["select", "t.gpz", "-o", "s.gpz"], ["decode", "t.gpz", "-o", "s.dump"]):
            self.gpz(*command, "--columns", "id,vx", code=2, err="t.gpz: --columns: no column 'vx'; there are x y z id type ix")
            for text in ("id,x,id", "id,x,y,id", "id,id"):
                self.gpz(*command, "--columns", text, code=2, err="t.gpz: --columns: column 'id' twice")
        self.assert_files("in.dump", "t.gpz")
