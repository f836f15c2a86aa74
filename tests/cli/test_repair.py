# SPDX-License-Identifier: BSD-3-Clause
"""gpz repair, and what every command makes of torn and damaged files."""

from cli_case import CliCase, dump_frame, random_rows, record_offsets

FRAMES = [dump_frame(10 * k, random_rows(40 + k, k)) for k in range(4)]


class Damage(CliCase):
    KEY = 1  # frames from one key frame to the next

    def setUp(self):
        super().setUp()
        self.write("in.dump", "".join(FRAMES))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", "--key", str(self.KEY))
        self.content = self.read("t.gpz")
        self.offsets = record_offsets(self.content)
        self.assertEqual(len(self.offsets), 5)

    def check_repaired(self, kept):
        frames = [FRAMES[k] for k in kept]
        self.gpz("decode", "r.gpz", "-o", "r.dump", "--sort", "id")
        self.gpz("encode", "in.dump", "-o", "all.gpz", "--lossless")
        self.gpz("decode", "all.gpz", "-o", "all.dump", "--sort", "id", "--frames", ":")
        every = self.text("all.dump").split("ITEM: TIMESTEP\n")[1:]
        self.assertEqual(self.text("r.dump"), "".join("ITEM: TIMESTEP\n" + every[k] for k in kept))
        self.gpz("verify", "r.gpz", out=None)
        self.assertEqual(len(frames), len(record_offsets(self.read("r.gpz"))) - 1)

    def lost_with(self, frame):
        """The frames that build on it."""
        return [k for k in range(frame + 1, len(FRAMES)) if k // self.KEY == frame // self.KEY]

    def kept_without(self, frame):
        return [k for k in range(len(FRAMES)) if k != frame and k not in self.lost_with(frame)]

    def kept_text(self, frame):
        kept = len(self.kept_without(frame))
        return f"{kept} frame{'s' if kept > 1 else ''} kept"

    def test_whole_file(self):
        self.gpz("repair", "t.gpz", "-o", "r.gpz", out="t.gpz: 4 frames kept, nothing lost\n")
        self.assertEqual(self.read("r.gpz"), self.content)

    def test_no_index(self):
        self.write("d.gpz", self.content[:self.offsets[4]])
        self.gpz("repair", "d.gpz", "-o", "r.gpz", out="d.gpz: 4 frames kept, nothing lost\n")
        self.assertEqual(self.read("r.gpz"), self.content)
        self.gpz("verify", "d.gpz", out=None)

    def test_torn_inside_a_frame(self):
        for complete in (1, 2, 3):
            start, end = self.offsets[complete], self.offsets[complete + 1]
            for cut in (start + 1, start + 8, start + 100, end - 25, end - 1):
                self.write("d.gpz", self.content[:cut])
                lost = cut - start
                self.gpz("repair", "d.gpz", "-o", "r.gpz",
                         out=f"d.gpz: {complete} frame{'s' if complete > 1 else ''} kept\n"
                             f"lost: {lost} byte{'s' if lost > 1 else ''} after the last complete frame\n")
                self.check_repaired(range(complete))
                reason = f"truncated after frame {complete - 1} ({complete} complete)"
                for name, stdin in (("d.gpz", b""), ("-", self.content[:cut])):
                    shown = "standard input" if name == "-" else name
                    self.gpz("decode", name, "-o", "d.dump", "--sort", "id", code=5, err=f"{shown}: {reason}", stdin=stdin)
                    self.assertEqual(self.text("d.dump"), self.text("r.dump"))
                    self.gpz("verify", name, code=5, err=f"{shown}: {reason}", stdin=stdin, out=None)

    def test_frames_before_the_tear_can_be_asked_for(self):
        self.write("d.gpz", self.content[:self.offsets[3] + 50])
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--frames", "0:3")
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--frames", "0:4", code=5, err="d.gpz: truncated after frame 2 (3 complete)")

    def test_torn_before_the_first_frame_is_complete(self):
        for cut in (self.offsets[0] + 3, self.offsets[1] - 1):
            self.write("d.gpz", self.content[:cut])
            self.gpz("repair", "d.gpz", "-o", "r.gpz", code=5, err="d.gpz: no complete frame in it")
            self.gpz("decode", "d.gpz", "-o", "d.dump", code=5, err="d.gpz: truncated before its first frame is complete")
            self.assert_files("in.dump", "t.gpz", "d.gpz")

    def test_torn_file_header(self):
        for cut in (0, 1, 7, 8, 23, 24, 40, self.offsets[0] - 1):
            self.write("d.gpz", self.content[:cut])
            for command in ("info", "verify"):
                self.gpz(command, "d.gpz", code=5, err=f"d.gpz: byte {cut}: the file ends inside its header")
            self.gpz("repair", "d.gpz", "-o", "r.gpz", code=5, err=f"d.gpz: byte {cut}: the file ends inside its header")
            self.gpz("decode", "d.gpz", "-o", "d.dump", code=5, err=f"d.gpz: byte {cut}: the file ends inside its header")
        self.assert_files("in.dump", "t.gpz", "d.gpz")

    def damage(self, at, content=None):
        damaged = bytearray(content or self.content)
        damaged[at] ^= 0x40
        return self.write("d.gpz", bytes(damaged))

    def lost_text(self, frame, reason):
        """What repair says of the frames that build on a lost one."""
        return "".join(f"lost: frame at byte {self.offsets[k]} (timestep {10 * k}): {reason}\n" for k in self.lost_with(frame))

    def test_a_chunk(self):
        reason = "the checksum of a chunk does not hold"
        for frame in range(4):
            self.damage(self.offsets[frame + 1] - 48)
            self.gpz("repair", "d.gpz", "-o", "r.gpz",
                     out=f"d.gpz: {self.kept_text(frame)}\n"
                         f"lost: frame at byte {self.offsets[frame]} (timestep {10 * frame}): {reason}\n" +
                         self.lost_text(frame, f"it builds on frame {frame}, which is damaged: {reason}"))
            kept = self.kept_without(frame)
            self.check_repaired(kept)
            self.gpz("decode", "d.gpz", "-o", "d.dump", "--sort", "id", code=4,
                     err=f"d.gpz: frame {frame}: {reason}; {len(kept)} of 4 frames written")
            self.assertEqual(self.text("d.dump"), self.text("r.dump"))
            self.gpz("decode", "-", "-o", "d.dump", code=4, stdin=self.read("d.gpz"),
                     err=f"standard input: frame {frame}: {reason}; {frame} frame{'' if frame == 1 else 's'} written")

    def test_frames_that_cannot_be_read(self):
        self.damage(self.offsets[2] - 48)
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--frames", "0")
        for k in self.lost_with(1):
            self.gpz("decode", "d.gpz", "-o", "-", "--frames", str(k), code=4,
                     err=f"d.gpz: frame {k}: it builds on frame 1, which is damaged: the checksum of a chunk does not hold; "
                         "0 of 1 frames written")
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--frames", "3")

    def test_a_head(self):
        self.damage(self.offsets[1] + 30)
        reason = "no complete frame where the index has one"
        self.gpz("repair", "d.gpz", "-o", "r.gpz",
                 out=f"d.gpz: {self.kept_text(1)}\n" + self.lost_text(1, f"it builds on frame 1, which is damaged: {reason}") +
                     f"lost: frame at byte {self.offsets[1]} (timestep 10): its record is damaged\n")
        self.check_repaired(self.kept_without(1))
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--sort", "id", code=4,
                 err=f"d.gpz: frame 1: {reason}; {len(self.kept_without(1))} of 4 frames written")
        self.assertEqual(self.text("d.dump"), self.text("r.dump"))

    def test_a_head_without_an_index(self):
        self.damage(self.offsets[1] + 30, self.content[:self.offsets[4]])
        lost = self.lost_text(1, "the frame that it builds on is missing")
        self.gpz("repair", "d.gpz", "-o", "r.gpz",
                 out=f"d.gpz: {self.kept_text(1)}\n" + (lost or "lost: unreadable bytes between complete frames\n"))
        self.check_repaired(self.kept_without(1))
        kept = len(self.kept_without(1))
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--sort", "id", code=4,
                 err=f"d.gpz: frame 1: the frame that it builds on is missing; {kept} of 3 frames written" if lost else
                     "d.gpz: damaged: unreadable bytes between complete frames were skipped")
        self.assertEqual(self.text("d.dump"), self.text("r.dump"))

    def test_the_index(self):
        self.gpz("decode", "t.gpz", "-o", "t.dump")
        torn = self.content[:self.offsets[4] + 50]
        for content in (bytes(torn), self.read(self.damage(self.offsets[4] + 30))):
            self.write("d.gpz", content)
            note = "d.gpz: all 4 frames are whole, the index is damaged (gpz repair mends it)"
            self.gpz("decode", "d.gpz", "-o", "d.dump", err=note)
            self.assertEqual(self.text("d.dump"), self.text("t.dump"))
            self.gpz("verify", "d.gpz", out=None, err=note)
            self.gpz("repair", "d.gpz", "-o", "r.gpz", out="d.gpz: 4 frames kept, nothing lost\n")
            self.assertEqual(self.read("r.gpz"), self.content)

    def test_the_file_header(self):
        for at, code, reason in ((0, 4, "byte 0: not a gpz file: the magic bytes are missing"),
                                 (30, 4, None)):
            self.damage(at)
            self.gpz("repair", "d.gpz", "-o", "r.gpz", code=code, err=reason and f"d.gpz: {reason}")
        self.assert_files("in.dump", "t.gpz", "d.gpz")

    def test_output_is_input(self):
        self.gpz("repair", "t.gpz", "-o", "t.gpz", code=2, err="t.gpz: is an input as well as the output: write another file")
        self.assertEqual(self.read("t.gpz"), self.content)


class DamageWithDifferences(Damage):
    KEY = 3
