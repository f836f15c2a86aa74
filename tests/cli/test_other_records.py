# SPDX-License-Identifier: BSD-3-Clause
"""Records of a .gpz file that are no frames, of types that gpz does not know: which of them cat, merge, select and repair carry
along, and where they stand then (docs/format.md, section 2)."""

import json
import pathlib
import struct
import sys

from cli_case import FRAME_TYPE, MOVING_COLUMNS, CliCase, dump_frame, moving_rows

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reference"))

from gpz_write import record  # noqa: E402

OTHER_TYPE = 1 << 31 | 77
INDEX_TYPE = 2
FRAMES = 9
KEY = 4


def records(content):
    """[(type, bytes)] of all records."""
    metadata, = struct.unpack_from("<I", content, 20)
    at = (24 + metadata + 7) // 8 * 8 + 8
    found = []
    while at < len(content):
        kind, = struct.unpack_from("<I", content, at + 8)
        length, = struct.unpack_from("<Q", content, at + 16)
        found.append((kind, content[at:at + length]))
        at += length
    return found


def other(name, kind=OTHER_TYPE):
    """A record whose body says its name."""
    body = name.encode()
    return record(kind, struct.pack("<Q", len(body)), body + bytes(-len(body) % 8))


def with_others(content, names):
    """The file with other records in front of its frames: names[k] are those in front of frame k, or behind the last one."""
    parts = records(content)
    frames = [part for kind, part in parts if kind == FRAME_TYPE]
    out = content[:len(content) - sum(len(part) for _, part in parts)]
    entries = b""
    for k in range(len(frames) + 1):
        out += b"".join(other(name) for name in names.get(k, ()))
        if k < len(frames):
            entries += struct.pack("<QQ", len(out), len(frames[k])) + frames[k][32:40] + frames[k][40:48] + frames[k][24:32]
            out += frames[k]
    return out + record(INDEX_TYPE, struct.pack("<Q", len(frames)) + entries)


def shape(content):
    """The records of a file: F for a frame, I for the index, and the names of others."""
    shown = []
    for kind, part in records(content):
        if kind == OTHER_TYPE:
            size, = struct.unpack_from("<Q", part, 24)
            shown.append(part[40:40 + size].decode())
        else:
            shown.append({FRAME_TYPE: "F", INDEX_TYPE: "I"}[kind])
    return " ".join(shown)


class OtherCase(CliCase):
    def setUp(self):
        super().setUp()
        self.rows = moving_rows(FRAMES, 40, 5)
        # All but one in front of a frame; two in front of frame 0.
        self.names = {0: ["a0", "b0"], **{k: [f"a{k}"] for k in range(1, FRAMES + 1) if k != 2}}
        self.encode("plain.gpz", range(FRAMES))
        self.write("t.gpz", with_others(self.read("plain.gpz"), self.names))

    def encode(self, name, frames, rows=None):
        rows = rows or self.rows
        self.write("in.dump", "".join(dump_frame(10 * k, rows[k], MOVING_COLUMNS) for k in frames))
        self.gpz("encode", "in.dump", "-o", name, "--eb", "0.001", "--key", str(KEY))

    def values(self, name):
        return self.gpz("decode", name, "-o", "-", "--format", "lammps", "--exact", "--sort", "id", out=None)

    def check(self, name, expected, values=None):
        """The records of the file, and its index, with which every program opens it."""
        self.assertEqual(shape(self.read(name)), expected)
        self.gpz("verify", name, out=None)
        info = json.loads(self.gpz("info", name, "--json", out=None))
        self.assertEqual((info["state"], info["has_index"], info["frames"]), ("complete", True, expected.split().count("F")))
        if values is not None:
            self.assertEqual(self.values(name), values)


WHOLE = "a0 b0 F a1 F F a3 F a4 F a5 F a6 F a7 F a8 F a9 I"


class Read(OtherCase):
    def test_frames_are_those_of_the_file_without(self):
        self.check("t.gpz", WHOLE, self.values("plain.gpz"))
        piped = self.gpz("decode", "-", "-o", "-", "--format", "lammps", "--exact", "--sort", "id", out=None, stdin=self.read("t.gpz"))
        self.assertEqual(piped, self.values("plain.gpz"))

    def test_info(self):
        others = [part for kind, part in records(self.read("t.gpz")) if kind == OTHER_TYPE]
        size = sum(map(len, others))
        self.assertIn(f"\n  records     10 that are no frames: {size} bytes\n", self.gpz("info", "t.gpz", out=None).decode())
        info = json.loads(self.gpz("info", "t.gpz", "--json", out=None))
        self.assertEqual(info["other_records"], {"count": 10, "bytes": size})
        self.assertNotIn("  records ", self.gpz("info", "plain.gpz", out=None).decode())


class Cat(OtherCase):
    def test_one_file_stays_as_it_is(self):
        self.gpz("cat", "t.gpz", "-o", "c.gpz", out="c.gpz: 9 frames of 1 file: 9 copied, 0 encoded again\n  carried along: 10 other records\n")
        self.assertEqual(self.read("c.gpz"), self.read("t.gpz"))

    def test_each_between_the_frames_of_its_file(self):
        other_rows = moving_rows(FRAMES, 40, 6)
        self.encode("plain2.gpz", range(5, FRAMES), other_rows)
        self.write("u.gpz", with_others(self.read("plain2.gpz"), {0: ["c0"], 2: ["c2"], 4: ["c4"]}))
        # Frames 5 to 8 of the first file are left out, and what stands behind its frame 4 with them.
        report = json.loads(self.gpz("cat", "t.gpz", "u.gpz", "-o", "c.gpz", "--json", out=None))
        self.check("c.gpz", "a0 b0 F a1 F F a3 F a4 F c0 F F c2 F F c4 I")
        self.assertEqual(report["other_records"], 8)
        # The front of the second file is left out: its records are those of the next frame that is kept.
        self.gpz("cat", "t.gpz", "u.gpz", "-o", "c.gpz", "--keep", "first", out=None)
        self.check("c.gpz", WHOLE, self.values("plain.gpz"))
        self.encode("plain3.gpz", range(4))
        self.write("v.gpz", with_others(self.read("plain3.gpz"), {4: ["d4"]}))
        self.gpz("cat", "v.gpz", "t.gpz", "-o", "c.gpz", "--keep", "first", out=None)
        self.check("c.gpz", "F F F F d4 a0 b0 a1 a3 a4 F a5 F a6 F a7 F a8 F a9 I", self.values("plain.gpz"))

    def test_damage_between_frames(self):
        """Among many spaces it is found where it is copied."""
        content = self.read("t.gpz")
        at = content.index(b"a4\0\0\0\0\0\0") + 8  # the trailer
        self.write("t.gpz", content[:at] + b"\1" + content[at + 1:])
        self.gpz("cat", "t.gpz", "-o", "c.gpz", code=4, err=None)
        self.gpz("select", "t.gpz", "-o", "s.gpz", code=4, err="t.gpz: damaged: unreadable bytes between complete frames were skipped")
        self.check("s.gpz", "a0 b0 F a1 F F a3 F F a5 F a6 F a7 F a8 F a9 I", self.values("plain.gpz"))
        self.gpz("repair", "t.gpz", "-o", "r.gpz", out="t.gpz: 9 frames and 9 other records kept\nlost: unreadable bytes between complete frames\n")
        self.assertEqual(self.read("r.gpz"), self.read("s.gpz"))


class Select(OtherCase):
    def select(self, *arguments, stdin=b"", source="t.gpz"):
        self.gpz("select", source, "-o", "s.gpz", *arguments, out=None, stdin=stdin)
        return shape(self.read("s.gpz"))

    def test_frames(self):
        cases = (
            (":", WHOLE),
            ("0", "a0 b0 F I"),
            ("3", "a0 b0 a1 a3 F I"),
            ("::4", "a0 b0 F a1 a3 a4 F a5 a6 a7 a8 F a9 I"),
            ("1:3", "a0 b0 a1 F F I"),
            ("7:", "a0 b0 a1 a3 a4 a5 a6 a7 F a8 F a9 I"),
        )
        for frames, expected in cases:
            self.assertEqual(self.select("--frames", frames), expected, frames)
            self.assertEqual(self.select("--frames", frames, source="-", stdin=self.read("t.gpz")), expected, frames)
            self.gpz("verify", "s.gpz", out=None)

    def test_atoms_and_columns(self):
        for arguments in (("--columns", "id,x,y,z"), ("--ids", "1:20"), ("--types", "1")):
            self.assertEqual(self.select(*arguments), WHOLE, arguments)
            self.gpz("verify", "s.gpz", out=None)

    def test_frames_that_are_encoded_again_keep_the_features_of_the_file(self):
        """Records in front of the first frame do not come before its header is known."""
        self.select("--ids", "1:20", "--effort", "dense")
        with_records = records(self.read("s.gpz"))
        header = self.read("s.gpz")[:24]
        self.select("--ids", "1:20", "--effort", "dense", source="plain.gpz")
        self.assertEqual(self.read("s.gpz")[:24], header)
        self.assertEqual([part for kind, part in with_records if kind == FRAME_TYPE],
                         [part for kind, part in records(self.read("s.gpz")) if kind == FRAME_TYPE])

    def test_many_records_of_a_pipe(self):
        """More than are kept until a frame comes."""
        big = record(OTHER_TYPE, struct.pack("<Q", 3), b"big" + bytes((24 << 20) - 3))
        content = self.read("plain.gpz")
        header = content[:len(content) - sum(len(part) for _, part in records(content))]
        piped = header + 3 * big + content[len(header):]
        self.assertEqual(self.select("--frames", "1", source="-", stdin=piped), "big big big F I")


class Merge(OtherCase):
    def test_of_equal_ones_of_several_files_one_stays(self):
        for name, low, high, names in (
            ("p.gpz", 0, 5, {0: ["all", "all", "first"], 3: ["p3"], FRAMES: ["end"]}),
            ("q.gpz", 5, 10, {0: ["all", "second"], 3: ["q3"], FRAMES: ["end"]}),
        ):
            self.encode(name, range(FRAMES), [[row for row in rows if low <= row[2] < high] for rows in self.rows])
            self.write(name, with_others(self.read(name), names))
        self.gpz("merge", "p.gpz", "q.gpz", "-o", "m.gpz", out=None)
        self.check("m.gpz", "all all first second F F F p3 q3 F F F F F F end I", self.values("plain.gpz"))

    def test_of_frames_that_one_file_lacks(self):
        for name, frames, low, high in (("p.gpz", FRAMES, 0, 5), ("q.gpz", FRAMES - 2, 5, 10)):
            self.encode(name, range(frames), [[row for row in rows if low <= row[2] < high] for rows in self.rows])
            self.write(name, with_others(self.read(name), {k: [f"{name[0]}{k}"] for k in range(6, frames + 1)}))
        self.gpz("merge", "p.gpz", "q.gpz", "-o", "m.gpz", out=None)
        self.check("m.gpz", "F F F F F F p6 q6 F q7 I")


class EncodeAgain(OtherCase):
    def test_each_between_the_same_frames(self):
        for arguments in ((), ("--eb", "0.01"), ("--effort", "dense")):
            self.gpz("encode", "plain.gpz", "-o", "p.gpz", *arguments)
            for source, stdin in (("t.gpz", b""), ("-", self.read("t.gpz"))):
                self.gpz("encode", source, "-o", "e.gpz", *arguments, "--format", "gpz", stdin=stdin)
                self.check("e.gpz", WHOLE, self.values("p.gpz"))


class Repair(OtherCase):
    def test_whole_file(self):
        self.gpz("repair", "t.gpz", "-o", "r.gpz", out="t.gpz: 9 frames and 10 other records kept, nothing lost\n")
        self.assertEqual(self.read("r.gpz"), self.read("t.gpz"))

    def test_torn_behind_a_record(self):
        content = self.read("t.gpz")
        self.write("d.gpz", content[:len(content) - len(records(content)[-1][1]) - 5])
        self.gpz("repair", "d.gpz", "-o", "r.gpz", out=None)
        self.check("r.gpz", WHOLE.replace(" a9", ""), self.values("plain.gpz"))

    def test_records_of_lost_frames_stay(self):
        content = bytearray(self.read("t.gpz"))
        third = [part for kind, part in records(content) if kind == FRAME_TYPE][2]
        content[content.index(third) + len(third) - 40] ^= 1
        self.write("d.gpz", bytes(content))
        self.gpz("repair", "d.gpz", "-o", "r.gpz", out=None)
        self.check("r.gpz", "a0 b0 F a1 F a3 a4 F a5 F a6 F a7 F a8 F a9 I")


class Must(OtherCase):
    def test_a_type_that_must_be_known_is_refused(self):
        content = self.read("plain.gpz")
        size = len(content) - sum(len(part) for _, part in records(content))
        self.write("u.gpz", content[:size] + other("no", 77) + content[size:])
        self.gpz("info", "u.gpz", code=4, err=f"u.gpz: byte {size}: a record of unknown type 77", out=None)
