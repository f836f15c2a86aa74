# SPDX-License-Identifier: BSD-3-Clause
"""gpz cat: which frames are in the new file, which of them are copied as bytes, and which files do not fit together."""

import json

from cli_case import MOVING_COLUMNS, CliCase, dump_frame, frame_bodies, moving_rows, parse_dump, record_offsets

KEY = 4


class CatCase(CliCase):
    FRAMES = 11

    def setUp(self):
        super().setUp()
        self.rows = moving_rows(self.FRAMES, 60, 3)

    def encode(self, name, timesteps, *options, key=KEY, rows=None, bound="0.001"):
        rows = rows or self.rows
        self.write("in.dump", "".join(dump_frame(t, rows[t // 10], MOVING_COLUMNS) for t in timesteps))
        self.gpz("encode", "in.dump", "-o", name, "--eb", bound, "--key", str(key), *options)
        return name

    def timesteps(self, name):
        return [timestep for timestep, _, _ in self.decoded(name)]

    def decoded(self, name):
        return parse_dump(self.gpz("decode", name, "-o", "-", "--format", "lammps", "--exact", "--sort", "id", out=None).decode())

    def bodies(self, name):
        return frame_bodies(self.read(name))

    def cat(self, *arguments):
        """The report of gpz cat ... -o c.gpz, whose frames hold."""
        report = json.loads(self.gpz("cat", *arguments, "-o", "c.gpz", "--json", out=None))
        self.gpz("verify", "c.gpz", out=None)
        self.assertEqual(report["frames"], len(self.timesteps("c.gpz")))
        return report


class Join(CatCase):
    def test_one_behind_the_other(self):
        self.encode("a.gpz", range(0, 60, 10))
        self.encode("b.gpz", range(60, 110, 10))
        self.gpz("cat", "a.gpz", "b.gpz", "-o", "c.gpz", out="c.gpz: 11 frames of 2 files: 11 copied, 0 encoded again\n")
        self.assertEqual(self.bodies("c.gpz"), self.bodies("a.gpz") + self.bodies("b.gpz"))
        self.assertEqual(self.decoded("c.gpz"), self.decoded("a.gpz") + self.decoded("b.gpz"))
        info = json.loads(self.gpz("info", "c.gpz", "--json", out=None))
        self.assertEqual((info["frames"], info["has_index"], info["state"]), (11, True, "complete"))

    def test_a_single_file_stays_as_it_is(self):
        self.encode("a.gpz", range(0, 110, 10))
        self.cat("a.gpz")
        self.assertEqual(self.read("c.gpz"), self.read("a.gpz"))

    def test_a_restart_at_each_step(self):
        """The later file counts from its first timestep on; nothing is decoded."""
        self.encode("a.gpz", range(0, 80, 10))
        other = moving_rows(self.FRAMES, 60, 4)  # so that it can be seen whose frame it is
        for start in range(10, 90, 10):
            self.encode("b.gpz", range(start, 110, 10), rows=other)
            report = self.cat("a.gpz", "b.gpz")
            taken = start // 10
            self.assertEqual(self.bodies("c.gpz"), self.bodies("a.gpz")[:taken] + self.bodies("b.gpz"), start)
            self.assertEqual(self.decoded("c.gpz"), self.decoded("a.gpz")[:taken] + self.decoded("b.gpz"))
            self.assertEqual((report["copied"], report["encoded_again"]), (self.FRAMES, 0))
            self.assertEqual([file["left_out"] for file in report["inputs"]], [8 - taken, 0])

    def test_keep_first_at_each_step(self):
        """The front of the later file is left out: frames up to its next key frame are encoded again, with their values."""
        other = moving_rows(self.FRAMES, 60, 4)
        self.encode("b.gpz", range(0, 110, 10), rows=other)
        for end in range(10, 110, 10):
            self.encode("a.gpz", range(0, end, 10))
            report = self.cat("a.gpz", "b.gpz", "--keep", "first")
            taken = end // 10
            again = min(-taken % KEY, self.FRAMES - taken)
            self.assertEqual(self.decoded("c.gpz"), self.decoded("a.gpz") + self.decoded("b.gpz")[taken:], end)
            self.assertEqual((report["copied"], report["encoded_again"]), (self.FRAMES - again, again), end)
            self.assertEqual(self.bodies("c.gpz")[taken + again:], self.bodies("b.gpz")[taken + again:])
            self.assertEqual(self.bodies("c.gpz")[:taken], self.bodies("a.gpz"))

    def test_several_restarts(self):
        """Each of them from before the end of the one before; the last one even from before its beginning."""
        self.encode("a.gpz", range(0, 50, 10))
        self.encode("b.gpz", range(40, 80, 10))
        self.encode("d.gpz", range(30, 110, 10))
        self.gpz("cat", "a.gpz", "b.gpz", "d.gpz", "-o", "c.gpz",
                 out="c.gpz: 11 frames of 3 files: 11 copied, 0 encoded again\n"
                     "  left out: 2 frames of a.gpz, timesteps 30 to 40\n"
                     "  left out: 4 frames of b.gpz, timesteps 40 to 70\n")
        self.assertEqual(self.timesteps("c.gpz"), list(range(0, 110, 10)))
        self.assertEqual(self.bodies("c.gpz"), self.bodies("a.gpz")[:3] + self.bodies("d.gpz"))

    def test_repeated_steps_in_one_file(self):
        self.encode("a.gpz", [0, 10, 20, 30, 20, 30, 40, 40])
        decoded = self.decoded("a.gpz")
        self.cat("a.gpz")
        self.assertEqual(self.decoded("c.gpz"), [decoded[k] for k in (0, 1, 4, 5, 7)])
        self.cat("a.gpz", "--keep", "first")
        self.assertEqual(self.decoded("c.gpz"), [decoded[k] for k in (0, 1, 2, 3, 6)])
        self.cat("a.gpz", "--keep", "all")
        self.assertEqual(self.read("c.gpz"), self.read("a.gpz"))

    def test_keep_all(self):
        self.encode("a.gpz", [20, 30])
        self.encode("b.gpz", [0, 30])
        self.cat("a.gpz", "b.gpz", "--keep", "all")
        self.assertEqual(self.timesteps("c.gpz"), [20, 30, 0, 30])

    def test_key_frames_only(self):
        self.encode("a.gpz", range(0, 50, 10), key=1)
        self.encode("b.gpz", range(20, 60, 10), key=1)
        report = self.cat("a.gpz", "b.gpz", "--keep", "first")
        self.assertEqual((report["copied"], report["encoded_again"]), (6, 0))
        self.assertEqual(self.bodies("c.gpz"), self.bodies("a.gpz") + self.bodies("b.gpz")[-1:])

    def test_to_standard_output(self):
        self.encode("a.gpz", range(0, 50, 10))
        self.encode("b.gpz", range(50, 80, 10))
        self.cat("a.gpz", "b.gpz")
        self.assertEqual(self.gpz("cat", "a.gpz", "b.gpz", "-o", "-", out=None), self.read("c.gpz"))
        self.gpz("cat", "a.gpz", "-o", "-", "--json", code=2,
                 err="--json: the report and the file would both go to standard output")

    def test_metadata(self):
        """What only one of the files says is in the new one."""
        self.encode("a.gpz", [0], "--units", "metal")
        self.encode("b.gpz", [10], "--elements", "H,C,O")
        self.cat("a.gpz", "b.gpz")
        info = json.loads(self.gpz("info", "c.gpz", "--json", out=None))
        self.assertEqual((info["units"], info["elements"]), ("metal", ["H", "C", "O"]))


class DoNotFit(CatCase):
    def setUp(self):
        super().setUp()
        self.encode("a.gpz", range(0, 50, 10))

    def refused(self, name, reason, *options):
        hint = " (gpz select --columns and gpz encode --eb make files alike; --mixed joins them as they are)"
        self.gpz("cat", "a.gpz", name, "-o", "c.gpz", *options, code=2, err=f"{name}: does not fit a.gpz: {reason}{hint}")
        self.assert_files("a.gpz", name, "in.dump")

    def test_another_bound(self):
        self.encode("b.gpz", [50, 60], bound="0.01")
        self.refused("b.gpz", "x y z with the bound 0.001 and the bound 0.01")
        self.cat("a.gpz", "b.gpz", "--mixed")
        self.assertEqual(self.decoded("c.gpz"), self.decoded("a.gpz") + self.decoded("b.gpz"))

    def test_other_columns(self):
        self.write("in.dump", dump_frame(50, [(1, 2, 0.5, 1, 2)], "id type x y z"))
        self.gpz("encode", "in.dump", "-o", "b.gpz", "--eb", "0.001")
        self.refused("b.gpz", "columns x y z id type ix and x y z id type")
        self.cat("a.gpz", "b.gpz", "--mixed")
        self.assertEqual(self.decoded("c.gpz"), self.decoded("a.gpz") + self.decoded("b.gpz"))

    def test_lossless(self):
        self.write("in.dump", dump_frame(50, self.rows[5], MOVING_COLUMNS))
        self.gpz("encode", "in.dump", "-o", "b.gpz", "--lossless")
        self.refused("b.gpz", "x y z with the bound 0.001 and no bound (lossless)")

    def test_other_units(self):
        """Values mean something else then: --mixed does not help."""
        self.encode("m.gpz", [0], "--units", "metal")
        self.encode("r.gpz", [10], "--units", "real")
        for options in ([], ["--mixed"]):
            self.gpz("cat", "m.gpz", "r.gpz", "-o", "c.gpz", *options, code=2,
                     err="r.gpz: does not fit m.gpz: units metal and real")

    def test_other_timesteps(self):
        """Frames with times of their own fit; without, a file says one timestep for all."""
        for name, step, size in (("f.gpz", 0, "0.5"), ("g.gpz", 10, "2")):
            frame = dump_frame(step, [(1, 1, 2, 3)], "id x y z")
            for start, options in ((f"ITEM: TIME\n{step * 7}\n", ["--dt", size]), ("", ["--dt", size])):
                self.write("in.dump", start + frame)
                self.gpz("encode", "in.dump", "-o", name if start else "no-" + name, "--lossless", *options)
        self.cat("f.gpz", "g.gpz")
        self.assertEqual(json.loads(self.gpz("info", "c.gpz", "--json", out=None))["time"], {"first": 0, "last": 70})
        for first, second in (("no-f.gpz", "no-g.gpz"), ("f.gpz", "no-g.gpz")):
            self.gpz("cat", first, second, "-o", "d.gpz", code=2,
                     err=f"{second}: does not fit {first}: timestep 0.5 and 2.0")

    def test_the_bound_of_scaled_positions_is_a_distance(self):
        """Boxes of different sizes: the bounds of xs ys zs differ, and fit."""
        for name, step, edge in (("s.gpz", 0, 10), ("t.gpz", 10, 20)):
            box = "ITEM: BOX BOUNDS pp pp pp\n" + 3 * f"0 {edge}\n"
            self.write("in.dump", dump_frame(step, [(1, 0.5, 0.25, 0.125)], "id xs ys zs", box))
            self.gpz("encode", "in.dump", "-o", name, "--eb", "0.01")
        self.cat("s.gpz", "t.gpz")

    def test_the_order_of_files(self):
        self.encode("b.gpz", [50, 60])
        self.gpz("cat", "b.gpz", "a.gpz", "-o", "c.gpz", code=2,
                 err="a.gpz: ends at timestep 40, before b.gpz begins (50): give the files in the order of the run, or --keep all")

    def test_inputs(self):
        self.gpz("cat", "a.gpz", "-o", "a.gpz", code=2, err="a.gpz: is an input as well as the output: write another file")
        self.gpz("cat", "-", "-o", "c.gpz", code=2, err="standard input: cat needs files, not a pipe")
        self.gpz("cat", "a.gpz", "b.gpz", "-o", "c.gpz", code=3, err="b.gpz: cannot open: No such file or directory")
        self.gpz("cat", "in.dump", "-o", "c.gpz", code=4, err="in.dump: byte 0: not a gpz file, but a text dump of LAMMPS (gpz encode compresses it)")
        self.assert_files("a.gpz", "in.dump")


class Damage(CatCase):
    def setUp(self):
        super().setUp()
        self.encode("a.gpz", range(0, 60, 10))
        self.encode("b.gpz", range(30, 90, 10))
        self.content = self.read("a.gpz")
        self.offsets = record_offsets(self.content)

    def test_a_torn_end(self):
        self.write("t.gpz", self.content[:self.offsets[4] + 99])
        self.gpz("cat", "t.gpz", "b.gpz", "-o", "c.gpz", err="t.gpz: torn: 99 bytes after 4 complete frames left out",
                 out="c.gpz: 9 frames of 2 files: 9 copied, 0 encoded again\n  left out: 1 frame of t.gpz, timestep 30\n")
        self.assertEqual(self.decoded("c.gpz"), self.decoded("a.gpz")[:3] + self.decoded("b.gpz"))

    def test_no_complete_frame(self):
        self.write("t.gpz", self.content[:self.offsets[0] + 99])
        self.gpz("cat", "t.gpz", "b.gpz", "-o", "c.gpz", err="t.gpz: torn: 99 bytes after 0 complete frames left out", out=None)
        self.assertEqual(self.decoded("c.gpz"), self.decoded("b.gpz"))
        self.write("e.gpz", self.content[:self.offsets[0]])
        self.gpz("cat", "e.gpz", "e.gpz", "-o", "d.gpz", code=5, err="e.gpz: no complete frame in the files")

    def test_no_index(self):
        self.write("t.gpz", self.content[:self.offsets[6]])
        self.cat("t.gpz")
        self.assertEqual(self.read("c.gpz"), self.content)

    def test_a_chunk(self):
        """Nothing that is wrong is copied, and no file is left. What is left out may be damaged."""
        for frame in range(6):
            damaged = bytearray(self.content)
            damaged[self.offsets[frame + 1] - 48] ^= 0x40
            self.write("d.gpz", bytes(damaged))
            if frame < 3:
                self.gpz("cat", "d.gpz", "b.gpz", "-o", "c.gpz", code=4, err=None)
                self.assert_files("a.gpz", "b.gpz", "d.gpz", "in.dump")
            else:
                self.gpz("cat", "d.gpz", "b.gpz", "-o", "e.gpz", out=None)
                self.assertEqual(self.timesteps("e.gpz"), list(range(0, 90, 10)))
                self.gpz("verify", "e.gpz", out=None)

    def test_a_head(self):
        damaged = bytearray(self.content)
        damaged[self.offsets[1] + 30] ^= 0x40
        self.write("d.gpz", bytes(damaged[:self.offsets[6]]))  # without the index, so that nobody knows of the frame
        self.gpz("cat", "d.gpz", "b.gpz", "-o", "c.gpz", code=4,
                 err="d.gpz: damaged: unreadable bytes between complete frames (gpz repair makes a file of those)")
