# SPDX-License-Identifier: BSD-3-Clause
"""gpz merge: files that parts of the particles are in, as LAMMPS writes them for a % in the name of a dump."""

import json
import os

from cli_case import MOVING_COLUMNS, CliCase, dump_frame, frame_bodies, moving_rows, parse_dump, record_offsets

PARTS = 3


class MergeCase(CliCase):
    FRAMES = 9
    KEY = 4

    def setUp(self):
        super().setUp()
        self.rows = moving_rows(self.FRAMES, 90, 5)
        self.encode_whole()
        for part in range(PARTS):
            self.encode_part(part, range(self.FRAMES))

    def encode(self, name, frames, key=None, bound="0.001"):
        self.write("in.dump", "".join(frames))
        self.gpz("encode", "in.dump", "-o", name, "--eb", bound, "--key", str(key or self.KEY), "--units", "lj")

    def encode_whole(self):
        self.encode("whole.gpz", [dump_frame(10 * k, rows, MOVING_COLUMNS) for k, rows in enumerate(self.rows)])

    def part_rows(self, part, k):
        """Particles change from part to part, as atoms change from rank to rank."""
        return [row for row in self.rows[k] if int(row[2] * PARTS // 10) == part]

    def encode_part(self, part, frames, **options):
        self.encode(f"p.{part}.gpz", [dump_frame(10 * k, self.part_rows(part, k), MOVING_COLUMNS) for k in frames], **options)

    def decoded(self, name):
        return parse_dump(self.gpz("decode", name, "-o", "-", "--format", "lammps", "--exact", "--sort", "id", out=None).decode())

    def check_merged(self, frames=None):
        """The values are those of a file that was written by one process; the bytes those of the parts."""
        frames = self.FRAMES if frames is None else frames
        self.gpz("verify", "m.gpz", out=None)
        self.assertEqual(self.decoded("m.gpz"), self.decoded("whole.gpz")[:frames])
        parts = [frame_bodies(self.read(f"p.{part}.gpz")) for part in range(PARTS)]
        self.assertEqual(frame_bodies(self.read("m.gpz")), [b"".join(bodies) for bodies in list(zip(*parts))[:frames]])
        info = json.loads(self.gpz("info", "m.gpz", "--json", out=None))
        whole = json.loads(self.gpz("info", "whole.gpz", "--json", out=None))
        for column in info["columns"] + whole["columns"]:
            column.pop("bytes")
        for key in ("key_frames", "particles", "box", "units", "columns", "time"):
            if frames == self.FRAMES:
                self.assertEqual(info[key], whole[key], key)


class Merge(MergeCase):
    def test_files_by_name(self):
        self.gpz("merge", *(f"p.{part}.gpz" for part in range(PARTS)), "-o", "m.gpz",
                 out=f"m.gpz: {self.FRAMES} frames of 3 files, the last one with {len(self.rows[-1])} particles\n")
        self.check_merged()

    def test_percent(self):
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz", out=None)
        self.check_merged()
        os.mkdir(self.path("sub"))
        for part in range(PARTS):
            os.rename(self.path(f"p.{part}.gpz"), self.path(f"sub/p.{part}.gpz"))
        self.write("sub/p.x.gpz", "")
        self.write("sub/p.01.gpz", "")
        self.gpz("merge", "sub/p.%.gpz", "-o", "n.gpz", out=None)
        self.assertEqual(self.read("n.gpz"), self.read("m.gpz"))

    def test_more_than_ten_files(self):
        for part in range(12):
            rows = [row for row in self.rows[0] if row[0] % 12 == part]
            self.encode(f"q{part}", [dump_frame(0, rows, MOVING_COLUMNS)])
        self.gpz("merge", "q%", "-o", "m.gpz", out=None)
        self.assertEqual(frame_bodies(self.read("m.gpz")), [b"".join(frame_bodies(self.read(f"q{k}"))[0] for k in range(12))])
        self.assertEqual(self.decoded("m.gpz"), self.decoded("whole.gpz")[:1])

    def test_a_missing_number(self):
        os.remove(self.path("p.1.gpz"))
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz", code=2, err="p.%.gpz: there is p.2.gpz, but not p.1.gpz")
        self.gpz("merge", "no.%.gpz", "-o", "m.gpz", code=3, err="no.%.gpz: no file of that name with a number in the place of %")
        self.gpz("merge", "no/t.%.gpz", "-o", "m.gpz", code=3, err="no/t.%.gpz: No such file or directory")
        self.gpz("merge", "p%/t.gpz", "-o", "m.gpz", code=2, err="p%/t.gpz: % stands in the name of a folder")

    def test_a_file_with_percent_in_its_name(self):
        os.rename(self.path("p.0.gpz"), self.path("%.gpz"))
        self.gpz("merge", "%.gpz", "p.1.gpz", "p.2.gpz", "-o", "m.gpz", out=None)
        os.rename(self.path("%.gpz"), self.path("p.0.gpz"))
        self.check_merged()

    def test_a_part_without_particles(self):
        self.rows = [[row for row in rows if row[2] * PARTS // 10 != 1] for rows in self.rows]
        self.encode_whole()
        for part in range(PARTS):
            self.encode_part(part, range(self.FRAMES))
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz", out=None)
        self.check_merged()

    def test_frames_that_others_do_not_have(self):
        self.encode_part(1, range(6))
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz",
                 out=f"m.gpz: 6 frames of 3 files, the last one with {len(self.rows[5])} particles\n"
                     "  left out: 3 frames of p.0.gpz, which other files do not have\n"
                     "  left out: 3 frames of p.2.gpz, which other files do not have\n")
        self.check_merged(6)

    def test_a_torn_end(self):
        content = self.read("p.2.gpz")
        self.write("p.2.gpz", content[:record_offsets(content)[7] + 99])
        report = json.loads(self.gpz("merge", "p.%.gpz", "-o", "m.gpz", "--json", out=None,
                                     err="p.2.gpz: torn: 99 bytes after 7 complete frames left out"))
        self.assertEqual(report["frames"], 7)
        self.assertEqual([file["left_out"] for file in report["inputs"]], [2, 2, 0])
        self.check_merged(7)

    def test_to_standard_output(self):
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz", out=None)
        self.assertEqual(self.gpz("merge", "p.%.gpz", "-o", "-", out=None), self.read("m.gpz"))

    def test_a_chunk(self):
        content = bytearray(self.read("p.1.gpz"))
        content[record_offsets(content)[3] - 48] ^= 0x40
        self.write("p.1.gpz", bytes(content))
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz", code=4, err=None)
        self.assertFalse(os.path.exists(self.path("m.gpz")))

    def test_other_runs(self):
        for change, reason in (
                (lambda text: text.replace("TIMESTEP\n10\n", "TIMESTEP\n15\n"), "frame 1 is no part of that of p.0.gpz: timesteps 10 and 15"),
                (lambda text: text.replace("1.0000000000000000e+01\n", "1.0e+02\n"), "frame 0 is no part of that of p.0.gpz: other boxes"),
                (lambda text: text.replace("ix", "iy"), "frame 0 is no part of that of p.0.gpz: columns x y z id type ix and x y z id type iy")):
            text = "".join(dump_frame(10 * k, self.part_rows(1, k), MOVING_COLUMNS) for k in range(3))
            self.encode("p.1.gpz", [change(text)])
            self.gpz("merge", "p.%.gpz", "-o", "m.gpz", code=2, err=f"p.1.gpz: {reason}")
        self.encode_part(1, range(3), bound="0.002")
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz", code=2,
                 err="p.1.gpz: frame 0 is no part of that of p.0.gpz: x y z with the bound 0.001 and the bound 0.002")
        self.assertFalse(os.path.exists(self.path("m.gpz")))


class KeyFrames(MergeCase):
    def test_at_other_steps(self):
        """As after an error in one of the files: chunks without a base stand in difference frames."""
        self.encode_part(1, range(self.FRAMES), key=3)
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz", out=None)
        self.gpz("verify", "m.gpz", out=None)
        self.assertEqual(self.decoded("m.gpz"), self.decoded("whole.gpz"))
        info = json.loads(self.gpz("info", "m.gpz", "--json", out=None))
        self.assertEqual(info["key_frames"]["count"], 1)  # of 0 4 8 and 0 3 6
        for frame in range(self.FRAMES):
            self.gpz("decode", "m.gpz", "-o", "one.dump", "--format", "lammps", "--exact", "--sort", "id", "--frames", str(frame))
            self.assertEqual(parse_dump(self.text("one.dump")), self.decoded("whole.gpz")[frame:frame + 1])


class KeyFramesOnly(MergeCase):
    KEY = 1

    def test_all(self):
        self.gpz("merge", "p.%.gpz", "-o", "m.gpz", out=None)
        self.check_merged()
