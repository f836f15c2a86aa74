"""gpz repair, and what every command makes of torn and damaged files."""

from cli_case import CliCase, dump_frame, random_rows, record_offsets

FRAMES = [dump_frame(10 * k, random_rows(40 + k, k)) for k in range(4)]


class Damage(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", "".join(FRAMES))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")
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
                             f"lost: {lost} byte{'s' if lost > 1 else ''} behind the last complete frame\n")
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

    def test_a_chunk(self):
        self.damage(self.offsets[2] - 48)
        reason = "the checksum of a chunk does not hold"
        self.gpz("repair", "d.gpz", "-o", "r.gpz",
                 out=f"d.gpz: 3 frames kept\nlost: frame at byte {self.offsets[1]} (timestep 10): {reason}\n")
        self.check_repaired([0, 2, 3])
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--sort", "id", code=4, err=f"d.gpz: frame 1: {reason}; 3 of 4 frames written")
        self.assertEqual(self.text("d.dump"), self.text("r.dump"))
        self.gpz("decode", "-", "-o", "d.dump", code=4, stdin=self.read("d.gpz"),
                 err=f"standard input: frame 1: {reason}; 1 frame written")

    def test_a_head(self):
        self.damage(self.offsets[1] + 30)
        self.gpz("repair", "d.gpz", "-o", "r.gpz",
                 out=f"d.gpz: 3 frames kept\nlost: frame at byte {self.offsets[1]} (timestep 10): its record is damaged\n")
        self.check_repaired([0, 2, 3])
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--sort", "id", code=4,
                 err="d.gpz: frame 1: no complete frame where the index has one; 3 of 4 frames written")
        self.assertEqual(self.text("d.dump"), self.text("r.dump"))

    def test_a_head_without_an_index(self):
        self.damage(self.offsets[1] + 30, self.content[:self.offsets[4]])
        self.gpz("repair", "d.gpz", "-o", "r.gpz",
                 out="d.gpz: 3 frames kept\nlost: unreadable bytes between complete frames\n")
        self.check_repaired([0, 2, 3])
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--sort", "id", code=4,
                 err="d.gpz: damaged: unreadable bytes between complete frames were skipped")
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
        self.gpz("repair", "t.gpz", "-o", "t.gpz", code=2, err="t.gpz: is the input as well as the output")
        self.assertEqual(self.read("t.gpz"), self.content)
