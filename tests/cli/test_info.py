# SPDX-License-Identifier: BSD-3-Clause
"""gpz info and gpz verify: what they print, as text and as JSON."""

import json
import random
import re
import subprocess

from cli_case import A_SET, GPZ, CliCase, dump_frame, random_rows, record_offsets

FRAMES = [dump_frame(step, [(i, 1, x, y, z, x + y) for i, _, x, y, z in random_rows(100 + step, step)],
                     columns="id type x y z c_pe") for step in (0, 50, 100)]


class Info(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", "ITEM: UNITS\nreal\nITEM: TIME\n0\n" + FRAMES[0] + "ITEM: TIME\n0.5\n" + FRAMES[1] +
                   "ITEM: TIME\n1\n" + FRAMES[2])
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--bound", "c_pe=0.5", "--elements", "Ar", "--effort", "fast")

    def test_text(self):
        size = len(self.read("t.gpz"))
        info = json.loads(self.gpz("info", "t.gpz", "--json", out=None))
        errors = {column["name"]: column["largest_error"] for column in info["columns"]}
        share = {column["name"]: f"{100 * column['bytes'] / size:12.1f} %" for column in info["columns"]}
        self.assertTrue(0.3 * size < sum(column["bytes"] for column in info["columns"]) < size)
        self.assertTrue(0.009 < errors["x"] <= 0.01 and 0.4 < errors["c_pe"] <= 0.5)
        version = self.gpz("--version", out=None).decode().split()[1]
        self.gpz("info", "t.gpz", out=f"""t.gpz
  frames      3, timestep 0 to 100, every 50; time 0 to 1
  key frames  1
  independent 2 of 2 difference frames: other particles or columns, or differences would be larger
  particles   100 to 200
  box         orthogonal, 3-D, pp pp pp; x 0 10, y 0 10, z 0 10
  units       real
  elements    Ar
  written by  gpz {version}
  bounds of   the input of gpz encode
  size        {size} bytes, {size * 8 / 450:.2f} bits a particle; ratio {450 * 48 / size:.2f} to {450 * 48} bytes of plain values
  state       structure complete (gpz verify checks the contents)

  column  type            bound  largest error  share of file
  id      integer      lossless              0 {share['id']}
  type    integer      lossless              0 {share['type']}
  x       f64              0.01 {errors['x']:14.6g} {share['x']}
  y       f64              0.01 {errors['y']:14.6g} {share['y']}
  z       f64              0.01 {errors['z']:14.6g} {share['z']}
  c_pe    f64               0.5 {errors['c_pe']:14.6g} {share['c_pe']}
""")

    def test_frames_without_differences(self):
        """Frames of other particles are independent, and it is said how many."""
        source = random.Random(3)
        text = ""
        for step in range(6):
            rows = "".join(f"{700 * step + i + 1} " + " ".join(f"{source.uniform(0, 20):.5f}" for _ in range(3)) + "\n" for i in range(700))
            text += f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n700\nITEM: BOX BOUNDS pp pp pp\n" + "0 20\n" * 3
            text += "ITEM: ATOMS id x y z\n" + rows
        self.write("far.dump", text)
        self.gpz("encode", "far.dump", "-o", "far.gpz", "--eb", "0.001", "--order", "place")
        info = json.loads(self.gpz("info", "far.gpz", "--json", out=None))
        self.assertEqual(info["independent_difference_frames"], 5)
        said = "  independent 5 of 5 difference frames: other particles or columns, or differences would be larger\n"
        self.assertIn(said, self.gpz("info", "far.gpz", out=None).decode())

    def test_decimal_places_of_the_input(self):
        """The distance of two values where they are largest: six digits leave fewer places there."""
        values = [(100 * i / 37 % 120, i * 0.7 % 90, i / 3.0 % 70) for i in range(200)]
        for form, grid in (("{:.3f}", 1e-3), ("{:.2f}", 1e-2), ("{:.6g}", 1e-3), ("{:.17g}", 0)):
            rows = "".join(f"{i + 1} " + " ".join(form.format(v) for v in row) + "\n" for i, row in enumerate(values))
            head = f"ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n{len(values)}\nITEM: BOX BOUNDS pp pp pp\n" + "0 120\n" * 3
            self.write("places.dump", head + "ITEM: ATOMS id x y z\n" + rows)
            self.gpz("encode", "places.dump", "-o", "p.gpz", "--eb", "0.01")
            found = json.loads(self.gpz("info", "p.gpz", "--json", out=None))["reference_grid"]
            self.assertAlmostEqual(found, grid, 12, form)
            # It stays with the file.
            self.gpz("encode", "p.gpz", "-o", "q.gpz", "--eb", "0.1")
            self.assertEqual(json.loads(self.gpz("info", "q.gpz", "--json", out=None))["reference_grid"], found)

    def test_json(self):
        size = len(self.read("t.gpz"))
        info = json.loads(self.gpz("info", "t.gpz", "--json", out=None))
        for column in info["columns"]:
            self.assertEqual(set(column), {"name", "type", "smallest_bound", "bound", "largest_error", "bytes"})
        self.assertEqual([column["name"] for column in info.pop("columns")], "id type x y z c_pe".split())
        info.pop("generator")
        self.assertEqual(info.pop("independent_difference_frames"), 2)  # they have other numbers of particles
        self.assertEqual((info.pop("reference"), info.pop("reference_grid")), ("the input of gpz encode", 0))
        self.assertEqual(info, {
            "file": "t.gpz", "bytes": size, "state": "complete", "has_index": True, "frames": 3,
            "key_frames": {"count": 1, "interval": 0}, "other_records": {"count": 0, "bytes": 0}, "tables": [], "observables": [],
            "particles": {"fewest": 100, "most": 200, "total": 450},
            "timesteps": {"first": 0, "last": 100, "interval": 50}, "time": {"first": 0, "last": 1},
            "box": {"kind": "orthogonal", "dimension": 3, "boundary": "pp pp pp", "values": [0, 10] * 3 + [0] * 6},
            "features": [], "effort": "fast",
            "units": "real", "atom_style": "", "command": "", "elements": ["Ar"], "type_labels": [],
            "bits_per_particle": size * 8 / 450, "value_bytes": 450 * 48, "ratio": 450 * 48 / size})

    def key_frames(self, name):
        """Of the text, and of JSON."""
        line = re.search(r"\n  key frames  (.*)\n", self.gpz("info", name, out=None).decode())
        values = json.loads(self.gpz("info", name, "--json", out=None))["key_frames"]
        return line and line[1], values["count"], values["interval"]

    def test_key_frames(self):
        self.write("k.dump", "".join(dump_frame(k, [(1, 2, 3, 4)], columns="id x y z") for k in range(7)))
        for key, expected in ((1, ("all", 7, 1)), (2, ("4, every 2", 4, 2)), (3, ("3, every 3", 3, 3)), (7, ("1", 1, 0))):
            self.gpz("encode", "k.dump", "-o", "k.gpz", "--lossless", "--key", str(key))
            self.assertEqual(self.key_frames("k.gpz"), expected)
        self.gpz("encode", "k.dump", "-o", "k.gpz", "--lossless", "--key", "3")
        content = self.read("k.gpz")
        offsets = record_offsets(content)
        unequal = content[:offsets[3]] + content[offsets[0]:offsets[6]]
        self.assertEqual(self.key_frames(self.write("u.gpz", unequal)), ("3, every 3", 3, 3))
        unequal = content[:offsets[3]] + content[offsets[0]:offsets[1]] + content[offsets[3]:offsets[6]]
        self.assertEqual(self.key_frames(self.write("u.gpz", unequal)), ("3, up to 3 frames apart", 3, 0))

    def test_key_frames_without_ids(self):
        self.write("k.dump", "".join(dump_frame(k, [(2, 3, 4)], columns="x y z") for k in range(3)))
        self.gpz("encode", "k.dump", "-o", "k.gpz", "--lossless", "--order", "place", err=f"k.dump: {A_SET}")
        self.assertEqual(self.key_frames("k.gpz"), ("all", 3, 1))

    def state(self, name):
        return json.loads(self.gpz("info", name, "--json", out=None))["state"]

    def test_states(self):
        content = self.read("t.gpz")
        offsets = record_offsets(content)
        self.assertEqual(self.state(self.write("no-index.gpz", content[:offsets[3]])), "complete")
        self.assertEqual(self.state(self.write("torn.gpz", content[:offsets[2] + 99])), "torn")
        damaged = bytearray(content[:offsets[3]])
        damaged[offsets[1] + 40] ^= 1
        self.assertEqual(self.state(self.write("damaged.gpz", bytes(damaged))), "damaged")
        damaged += content[offsets[3]:]
        self.assertEqual(self.state(self.write("damaged.gpz", bytes(damaged))), "damaged")

    def test_damaged_index(self):
        content = self.read("t.gpz")
        self.write("torn.gpz", content[:-30])
        self.assertEqual(self.state("torn.gpz"), "complete")
        self.assertIn("  state       structure complete, the index is damaged (gpz repair mends it)\n",
                      self.gpz("info", "torn.gpz", out=None).decode())

    def test_bound_that_changes(self):
        boxes = ("ITEM: BOX BOUNDS pp pp pp\n" + 3 * f"0 {edge}\n" for edge in (10, 20))
        self.write("s.dump", "".join(dump_frame(k, [(1, 0.1, 0.2, 0.3)], columns="id xs ys zs", box=box)
                                     for k, box in enumerate(boxes)))
        self.gpz("encode", "s.dump", "-o", "s.gpz", "--eb", "0.01")
        self.assertRegex(self.gpz("info", "s.gpz", out=None).decode(), r"\n  xs +f64 +0\.0005 to 0\.001 ")
        column = json.loads(self.gpz("info", "s.gpz", "--json", out=None))["columns"][1]
        self.assertEqual((column["smallest_bound"], column["bound"]), (0.0005, 0.001))

    def test_no_frames(self):
        content = self.read("t.gpz")
        self.write("empty.gpz", content[:record_offsets(content)[0]])
        out = self.gpz("info", "empty.gpz", out=None).decode().split("\n")
        self.assertEqual(out[:3], ["empty.gpz", "  frames      0", "  particles   0"])

    def test_pipe(self):
        self.gpz("info", "-", code=2, err="standard input: info needs a file, not a pipe", stdin=self.read("t.gpz"))


class Verify(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", "".join(FRAMES))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01")

    def test_whole(self):
        self.gpz("verify", "t.gpz", out="t.gpz: 3 whole frames with 450 particles: every checksum and structure holds\n")
        self.gpz("verify", "-", stdin=self.read("t.gpz"),
                 out="standard input: 3 whole frames with 450 particles: every checksum and structure holds\n")
        self.assertEqual(json.loads(self.gpz("verify", "t.gpz", "--json", out=None)),
                         {"file": "t.gpz", "ok": True, "frames": 3, "particles": 450, "problems": []})

    def test_every_byte_counts(self):
        content = self.read("t.gpz")
        offsets = record_offsets(content)
        source = random.Random(1)
        for at in [*range(12), *source.sample(range(12, offsets[0]), 20), *source.sample(range(offsets[0], len(content)), 150)]:
            damaged = bytearray(content)
            damaged[at] ^= 1 << source.randrange(8)
            self.write("d.gpz", bytes(damaged))
            with self.subTest(byte=at):
                result = subprocess.run([GPZ, "verify", "d.gpz"], cwd=self.folder, capture_output=True, check=False)
                index = at >= offsets[3] + 12
                self.assertIn(result.returncode, (0, 4, 5) if index else (4, 5))
                self.assertEqual(result.stderr.count(b"\n"), 1)

    def damaged_frames(self, *frames):
        damaged = bytearray(self.read("t.gpz"))
        offsets = record_offsets(damaged)
        for frame in frames:
            damaged[offsets[frame + 1] - 40] ^= 1
        self.write("d.gpz", bytes(damaged))

    def test_problems_are_listed(self):
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--key", "1")
        self.damaged_frames(0, 2)
        problem = "d.gpz: frame {}: the checksum of a chunk does not hold"
        self.gpz("verify", "d.gpz", code=4, err="d.gpz: 2 problems, listed on standard output",
                 out=f"d.gpz: 1 whole frame with 150 particles\n  {problem.format(0)}\n  {problem.format(2)}\n")
        report = json.loads(self.gpz("verify", "d.gpz", "--json", code=4, err="d.gpz: 2 problems, listed on standard output", out=None))
        self.assertEqual((report["ok"], report["problems"]), (False, [problem.format(0), problem.format(2)]))

    def test_frames_that_build_on_a_damaged_one(self):
        reason = "the checksum of a chunk does not hold"
        for key, damaged, problems in (
                (2, 0, [f"frame 0: {reason}", f"frame 1: it builds on frame 0, which is damaged: {reason}"]),
                (2, 1, [f"frame 1: {reason}"]),
                (3, 1, [f"frame 1: {reason}", f"frame 2: it builds on frame 1, which is damaged: {reason}"])):
            self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--key", str(key))
            self.damaged_frames(damaged)
            problems = ["d.gpz: " + problem for problem in problems]
            err = problems[0] if len(problems) == 1 else f"d.gpz: {len(problems)} problems, listed on standard output"
            report = json.loads(self.gpz("verify", "d.gpz", "--json", code=4, err=err, out=None))
            self.assertEqual((report["frames"], report["problems"]), (3 - len(problems), problems))


class VerifyAgainst(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", "".join(FRAMES))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01")

    def report(self, **expected):
        return json.loads(self.gpz("verify", "t.gpz", "--against", "in.dump", "--json", out=None, **expected))

    def test_within(self):
        report = self.report()
        columns = {column["name"]: column for column in report["columns"]}
        self.assertEqual(list(columns), "id type x y z c_pe".split())
        for name, column in columns.items():
            self.assertEqual(column["above_bound"], 0)
            if name in "xyz":
                self.assertTrue(0.009 < column["largest_difference"] <= column["bound"] == 0.01)
            else:
                self.assertEqual((column["largest_difference"], column["bound"]), (0, 0))

    def test_some_frames(self):
        """With the part of the dump that has them. Frames of one timestep are compared in their order."""
        for frames, part in (("1:", FRAMES[1:]), ("1", FRAMES[1:2]), ("::2", FRAMES[::2]), ("-1", FRAMES[2:])):
            self.write("in.dump", "".join(part))
            report = json.loads(self.gpz("verify", "t.gpz", "--against", "in.dump", "--frames", frames, "--json", out=None))
            self.assertEqual(report["frames"], len(part))
            self.assertEqual(report["columns"][0]["above_bound"], 0)
        self.write("in.dump", "".join(FRAMES))
        self.gpz("verify", "t.gpz", "--against", "in.dump", "--frames", "1:", code=7, out=None,
                 err="t.gpz: no frame for timestep 0 of in.dump")
        self.write("in.dump", FRAMES[1])
        self.gpz("verify", "t.gpz", "--against", "in.dump", "--frames", "1:", code=7, out=None,
                 err="t.gpz: timestep 100 is not in in.dump")
        self.gpz("verify", "t.gpz", "--frames", "3", code=2, err="t.gpz: has 3 frames (0 to 2), no frame 3")
        self.write("twice.dump", FRAMES[0] + FRAMES[1].replace("\n50\n", "\n0\n"))
        self.gpz("encode", "twice.dump", "-o", "twice.gpz", "--eb", "0.01")
        self.write("second.dump", FRAMES[1].replace("\n50\n", "\n0\n"))
        self.gpz("verify", "twice.gpz", "--against", "second.dump", "--frames", "1", out=None)
        self.gpz("verify", "twice.gpz", "--against", "second.dump", "--frames", "0", code=7, err=None, out=None)

    def test_text(self):
        largest = {c["name"]: c["largest_difference"] for c in self.report()["columns"]}
        self.gpz("verify", "t.gpz", "--against", "in.dump", out=(
            "t.gpz: 3 whole frames with 450 particles: every checksum and structure holds\n"
            "compared with in.dump by timestep and id:\n"
            "  column        bound largest difference\n"
            "  id         lossless                  0\n"
            "  type       lossless                  0\n"
            + "".join(f"  {axis}              0.01 {largest[axis]:18.6g}\n" for axis in "xyz") +
            "  c_pe       lossless                  0\n"))

    def test_order_of_particles_and_columns_does_not_matter(self):
        rows = [(x + y, z, i, x, y) for i, _, x, y, z in sorted(random_rows(100, 0))]
        self.write("in.dump", dump_frame(0, rows, columns="c_pe z id x y") + "".join(FRAMES[1:]))
        self.assertEqual(self.report()["ok"], True)

    def test_columns_that_are_not_compared(self):
        rows = [(i, x, y, z, 5) for i, _, x, y, z in random_rows(100, 0)]
        self.write("in.dump", dump_frame(0, rows, columns="id x y z q") + "".join(FRAMES[1:]))
        self.assertEqual(self.report()["not_compared"], {"file": ["c_pe", "type"], "against": ["q"]})

    def test_scaled_positions(self):
        write = lambda scale: self.write("in.dump", "".join(
            dump_frame(step, [(i, *(scale(v) for v in position)) for i, _, *position in random_rows(100 + step, step)],
                       columns="id xs ys zs") for step in (0, 50, 100)))
        write(lambda value: repr(value / 10))
        columns = {column["name"]: column for column in self.report()["columns"]}
        self.assertEqual(list(columns), ["id", "x", "y", "z"])
        self.assertTrue(all(0.009 < columns[axis]["largest_difference"] <= 0.01 for axis in "xyz"))
        write(lambda value: f"{value / 10:.1g}")
        self.gpz("verify", "t.gpz", "--against", "in.dump", code=7, err=None, out=None)

    def test_no_positions_to_compare_with(self):
        self.write("in.dump", "".join(dump_frame(step, [(row[0], 1) for row in random_rows(100 + step, step)],
                                                 columns="id type") for step in (0, 50, 100)))
        self.gpz("verify", "t.gpz", "--against", "in.dump", code=2, err="in.dump: has no columns x y z to compare with")

    def test_few_digits(self):
        self.gpz("encode", "in.dump", "-o", "l.gpz", "--lossless")
        self.write("s.dump", "".join(
            dump_frame(step, [(i, *(f"{v:.6g}" for v in position)) for i, _, *position in random_rows(100 + step, step)],
                       columns="id x y z") for step in (0, 50, 100)))
        out = self.gpz("verify", "l.gpz", "--against", "s.dump", code=7, out=None, err="l.gpz: 3 problems, listed on standard output")
        self.assertEqual(out.decode().count("; the values of s.dump have 6 digits; if they were rounded: write it with "
                                            "dump_modify format float %.17g or as a binary dump"), 3)

    def changed(self, change):
        """FRAMES with a change to id 7 of the second frame."""
        rows = [(i, 1, x, y, z, x + y) for i, _, x, y, z in random_rows(150, 50)]
        rows = [change(row) if row[0] == 7 else row for row in rows]
        self.write("in.dump", FRAMES[0] + dump_frame(50, rows, columns="id type x y z c_pe") + FRAMES[2])

    def test_a_position_above_the_bound(self):
        self.changed(lambda row: (*row[:3], row[3] + 0.25, *row[4:]))
        report = self.report(code=7, err=None)
        self.assertEqual({c["name"]: c["above_bound"] for c in report["columns"]},
                         {"id": 0, "type": 0, "x": 0, "y": 1, "z": 0, "c_pe": 0})
        self.assertRegex(report["problems"][0], r"^t\.gpz: column y: 1 value differs by more than the bound 0\.01, "
                                                r"the largest by 0\.2[3-6]\d* \(id 7, timestep 50\)$")

    def test_a_lossless_value(self):
        self.changed(lambda row: (*row[:5], row[5] + 0.25))
        self.gpz("verify", "t.gpz", "--against", "in.dump", code=7, out=None,
                 err="t.gpz: column c_pe: 1 value differs by more than 0, the largest by 0.25 (id 7, timestep 50)")

    def test_an_integer(self):
        self.changed(lambda row: (row[0], 2, *row[2:]))
        self.gpz("verify", "t.gpz", "--against", "in.dump", code=7, out=None,
                 err="t.gpz: column type: 1 value differs by more than 0, the largest by inf (id 7, timestep 50)")

    def test_not_a_number(self):
        self.changed(lambda row: (*row[:2], "nan", *row[3:]))
        self.gpz("verify", "t.gpz", "--against", "in.dump", code=7, out=None,
                 err="t.gpz: column x: 1 value differs by more than the bound 0.01, the largest by inf (id 7, timestep 50)")

    def test_particles_and_frames_that_one_file_lacks(self):
        for text, reason in (
                (FRAMES[0] + FRAMES[1], "timestep 100 is not in in.dump"),
                ("".join(FRAMES) + dump_frame(150, []), "no frame for timestep 150 of in.dump"),
                ("".join(FRAMES) + FRAMES[0], "no frame for timestep 0 of in.dump"),
                (dump_frame(0, [(1, 0)], columns="id x") + FRAMES[1], "timestep 0: 100 particles, in.dump has 1")):
            self.write("in.dump", text)
            self.gpz("verify", "t.gpz", "--against", "in.dump", code=7, err=f"t.gpz: {reason}", out=None)
        self.changed(lambda row: (1007, *row[1:]))
        self.gpz("verify", "t.gpz", "--against", "in.dump", code=7, out=None,
                 err="t.gpz: timestep 50: id 7 where in.dump has id 8")

    def test_element_names(self):
        text = dump_frame(0, [(1, "C", 1, 2, 3), (2, "N", 1, 2, 3)], columns="id element x y z")
        self.write("e.dump", text)
        self.gpz("encode", "e.dump", "-o", "e.gpz", "--eb", "0.1", "--elements", "N,C")
        self.gpz("verify", "e.gpz", "--against", "e.dump", out=None)
        self.write("e.dump", text.replace(" N ", " O "))
        self.gpz("verify", "e.gpz", "--against", "e.dump", code=7, out=None,
                 err="e.gpz: column element: 1 value differs by more than 0, the largest by inf (id 2, timestep 0)")

    def test_no_ids(self):
        self.write("n.dump", dump_frame(0, [(1, 2, 3), (4, 5, 6)], columns="x y z"))
        self.gpz("encode", "n.dump", "-o", "n.gpz", "--eb", "0.1", "--order", "place", err=f"n.dump: {A_SET}")
        self.gpz("verify", "n.gpz", "--against", "n.dump", code=2, err="n.gpz: no column 'id' to compare by")
