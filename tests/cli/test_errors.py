# SPDX-License-Identifier: BSD-3-Clause
"""Bad input of every kind: one line naming the file and the reason, an exit code, and nothing half-written left."""

import fcntl
import os
import struct
import subprocess
import unittest

from cli_case import A_SET, GPZ, CliCase, dump_frame, random_rows, record_offsets

FRAME = dump_frame(0, [(1, 1, 1, 2, 3)])


class Usage(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", dump_frame(0, [(1, 1, 1, 2, 3, 4)], columns="id type x y z q"))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless")

    def test_commands(self):
        self.gpz(code=2, err="no command (gpz --help lists them)")
        self.gpz("compress", code=2, err="no command 'compress' (gpz --help lists them)")
        self.gpz("--fast", code=2, err=None)

    def test_options(self):
        for arguments, reason in (
                (["decode"], "decode: IN is required (gpz decode --help explains)"),
                (["decode", "t.gpz"], "decode: --output is required (gpz decode --help explains)"),
                (["info"], "info: IN is required (gpz info --help explains)"),
                (["verify"], "verify: IN is required (gpz verify --help explains)"),
                (["repair", "t.gpz"], "repair: --output is required (gpz repair --help explains)"),
                (["repair", "-", "-o", "a.gpz"], "standard input: repair needs a file, not a pipe"),
                (["decode", "t.gpz", "-o", "a.xyz", "--fast"],
                 "decode: no option --fast (gpz decode --help explains)"),
                (["decode", "t.gpz", "-o", "a.png"],
                 "a.png: no known extension (.xyz .extxyz .lammpstrj .dump); give --format, or use gpz convert for DCD, XTC and others"),
                (["decode", "t.gpz", "-o", "t.gpz", "--format", "xyz"], "t.gpz: is an input as well as the output: write another file")):
            self.gpz(*arguments, code=2, err=reason)
        for arguments in (["decode", "t.gpz", "-o", "a.xyz", "--format", "pdb"],
                          ["decode", "t.gpz", "-o", "a.xyz", "--threads", "-1"],
                          ["encode", "in.dump", "-o", "a.gpz", "--eb", "small"],
                          ["encode", "in.dump", "-o", "a.gpz", "--eb", "1", "--raw", "f16"],
                          ["encode", "in.dump", "-o", "a.gpz", "--eb", "1", "--dims", "2"]):
            self.gpz(*arguments, code=2, err=None)
        self.assert_files("in.dump", "t.gpz")

    def test_bounds(self):
        for options, reason in (
                (["--eb", "-1"], "--eb -1: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", ""], "--eb : a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "1e-400"], "--eb 1e-400: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "1e400"], "--eb 1e400: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "1,5"], "--eb 1,5: a bound is a number above 0, or 0 to keep every bit"),
                (["--rel", "1e-400"], "--rel 1e-400: a bound is a number above 0, or 0 to keep every bit"),
                (["--rel", "2"], "--rel 2: a bound of the whole box or more; give less than 1"),
                (["--rel", "1"], "--rel 1: a bound of the whole box or more; give less than 1"),
                (["--eb", "nan"], "--eb nan: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "inf"], "--eb inf: a bound is a number above 0, or 0 to keep every bit"),
                (["--rel", "-0.5"], "--rel -0.5: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "1", "--rel", "1"], "give one of --eb V, --rel V and --lossless"),
                (["--eb", "1", "--bound", "q"], "--bound q: expected COLUMN=V"),
                (["--eb", "1", "--bound", "q=x"], "--bound q=x: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "1", "--bound", "q="], "--bound q=: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "1", "--bound", "q=1e-400"],
                 "--bound q=1e-400: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "1", "--bound", "q=-2"], "--bound q=-2: a bound is a number above 0, or 0 to keep every bit"),
                (["--eb", "1", "--bound", "vx=2"], "in.dump: --bound: no column 'vx'; there are q"),
                (["--eb", "1", "--bound", "x=2"], "in.dump: --bound is for other columns; positions take --eb or --rel"),
                (["--eb", "1", "--bound", "id=2"],
                 "in.dump: --bound: column id holds integers, which are lossless")):
            self.gpz("encode", "in.dump", "-o", "a.gpz", *options, code=2, err=reason)
        self.assert_files("in.dump", "t.gpz")

    def test_help(self):
        for command in ([], ["decode"], ["encode"], ["info"], ["verify"], ["repair"]):
            self.assertIn(b"Usage: gpz", self.gpz(*command, "--help", out=None))
        self.assertIn(b"Exit codes: 0 success; 1 internal error; 2 usage; 3 input or output; 4 corrupt",
                      self.gpz("--help", out=None))
        self.assertRegex(self.gpz("--version", out=None), rb"^gpz \d+\.\d+\.\d+ \(format 1\)\n$")


class BadInput(CliCase):
    COMMANDS = (["decode", "IN", "-o", "out.xyz"], ["info", "IN"], ["verify", "IN"], ["repair", "IN", "-o", "out.gpz"])

    def check(self, name, code, reason):
        for command in self.COMMANDS:
            self.gpz(*(name if word == "IN" else word for word in command), code=code, err=f"{name}: {reason}")
        for name in ("out.xyz", "out.gpz", "out.xyz.part", "out.gpz.part"):
            self.assertFalse(os.path.exists(self.path(name)))

    def test_missing(self):
        self.check("missing.gpz", 3, "cannot open: No such file or directory")
        self.gpz("encode", "missing.dump", "-o", "out.gpz", "--eb", "1", code=3, err="missing.dump: No such file or directory")
        self.write("in.dump", FRAME)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "1")
        self.gpz("verify", "t.gpz", "--against", "missing.dump", code=3, err="missing.dump: No such file or directory")

    def test_text(self):
        self.write("in.dump", FRAME)
        self.check("in.dump", 4, "byte 0: not a gpz file, but a text dump of LAMMPS (gpz encode compresses it)")
        self.write("in.text", "no dump\n" + FRAME)
        self.check("in.text", 4, "byte 0: not a gpz file: the magic bytes are missing")
        self.gpz("decode", "-", "-o", "-", stdin=FRAME.encode(), code=4,
                 err="standard input: byte 0: not a gpz file, but a text dump of LAMMPS (gpz encode compresses it)")

    def test_arguments_too_many(self):
        for arguments, reason in ((("--unit", "metal"), "no option --unit; perhaps --units was meant"),
                                  (("--effrot=fast",), "no option --effrot; perhaps --effort was meant"),
                                  (("--quite-another",), "no option --quite-another"),
                                  (("b.dump", "c.dump"), "an argument too many: b.dump")):
            self.gpz("encode", "a.dump", *arguments, "-o", "t.gpz", code=2, err=f"encode: {reason} (gpz encode --help explains)")

    def test_empty(self):
        self.write("empty.gpz", "")
        self.check("empty.gpz", 5, "byte 0: the file ends inside its header")
        self.gpz("encode", "empty.gpz", "-o", "out.gpz", "--eb", "1", code=4, err="empty.gpz: an empty file")

    def test_no_known_format(self):
        self.write("in.png", b"\x89PNG")
        self.gpz("encode", "in.png", "-o", "out.gpz", "--eb", "1", code=4,
                 err="in.png: no LAMMPS dump and no XYZ file (raw arrays need --raw; gpz convert reads DCD, XTC and others)")

    def encoded(self):
        self.write("in.dump", FRAME)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "1")
        return bytearray(self.read("t.gpz"))

    def test_newer_version(self):
        content = self.encoded()
        content[8:10] = struct.pack("<H", 2)
        self.write("new.gpz", bytes(content))
        self.check("new.gpz", 4, "byte 8: format version 2, this program reads up to 1")

    def test_unknown_required_feature(self):
        content = self.encoded()
        content[13] = 2  # bits 0 to 3, 5 and 8 are known; bit 4 is that of frame arrays, bits 6 and 7 those of the first steps
        self.write("new.gpz", bytes(content))
        self.check("new.gpz", 4, "byte 12: the file requires an unknown feature")
        content[12:14] = 16, 0
        self.write("new.gpz", bytes(content))
        self.check("new.gpz", 4, "byte 12: a frame array, and no file of frames: use decompress_frames")

    def test_directory(self):
        os.mkdir(self.path("folder"))
        for command in self.COMMANDS:
            self.gpz(*("folder" if word == "IN" else word for word in command), code=3, err=None)

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_no_permission(self):
        self.encoded()
        os.chmod(self.path("t.gpz"), 0)
        self.check("t.gpz", 3, "cannot open: Permission denied")


class BadOutput(CliCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", "".join(dump_frame(k, random_rows(3000, k)) for k in range(10)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01")

    def test_no_such_folder(self):
        self.gpz("decode", "t.gpz", "-o", "no/out.xyz", code=3, err="no/out.xyz: No such file or directory")
        self.gpz("repair", "t.gpz", "-o", "no/out.gpz", code=3, err="no/out.gpz: No such file or directory")
        self.gpz("encode", "in.dump", "-o", "no/out.gpz", "--eb", "1", code=3,
                 err="no/out.gpz: cannot open: No such file or directory")

    def test_a_folder(self):
        os.mkdir(self.path("out.xyz"))
        self.gpz("decode", "t.gpz", "-o", "out.xyz", code=3, err="out.xyz: Is a directory")

    def test_full_device(self):
        for threads in ("1", "2"):
            self.gpz("decode", "t.gpz", "-o", "/dev/full", "--format", "xyz", "--threads", threads, code=3,
                     err="/dev/full: No space left on device")
        with open("/dev/full", "wb") as full:
            for command in (["info", "t.gpz"], ["verify", "t.gpz"], ["--help"], ["decode", "t.gpz", "-o", "-"],
                            ["encode", "in.dump", "-o", "-", "--eb", "1"]):
                result = subprocess.run([GPZ, *command], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, check=False)
                where = b"byte 0: cannot write: " if command[0] == "encode" else b""  # a .gpz file has positions, text has none
                self.assertEqual((result.returncode, result.stderr),
                                 (3, b"gpz: standard output: " + where + b"No space left on device\n"))

    def limited(self, size, *arguments):
        """Runs gpz where no file may grow beyond `size` bytes, which behaves as a full disk does."""
        command = f"ulimit -f {size // 512}; trap '' XFSZ; exec \"$@\""
        return subprocess.run(["sh", "-c", command, "sh", GPZ, *arguments], cwd=self.folder, capture_output=True, check=False)

    def test_full_disk_leaves_no_part_of_a_text(self):
        self.write("out.xyz", "old")
        result = self.limited(200 * 1024, "decode", "t.gpz", "-o", "out.xyz")
        self.assertEqual((result.returncode, result.stderr), (3, b"gpz: out.xyz: File too large\n"))
        self.assertEqual(self.text("out.xyz"), "old")
        self.assert_files("in.dump", "t.gpz", "out.xyz")

    def test_full_disk_leaves_complete_frames_of_a_trajectory(self):
        in_the_fifth_frame = record_offsets(self.read("t.gpz"))[4] + 600
        result = self.limited(in_the_fifth_frame, "encode", "in.dump", "-o", "out.gpz", "--eb", "0.01")
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, rb"^gpz: out\.gpz: byte \d+: cannot write: File too large; 4 complete frames written\n$")
        self.gpz("verify", "out.gpz", out="out.gpz: 4 whole frames with 12000 particles: every checksum and structure holds\n")

    def test_full_disk_before_the_first_frame(self):
        result = self.limited(1024, "encode", "in.dump", "-o", "out.gpz", "--eb", "0.01")
        self.assertEqual(result.returncode, 3)
        self.assert_files("in.dump", "t.gpz")

    def test_out_of_memory(self):
        """A frame that does not fit: exit code 6, and no output."""
        self.write("in.raw", bytes(96 * 1000 * 1000))
        limit = lambda *arguments: subprocess.run(["sh", "-c", 'ulimit -v 100000; exec "$@"', "sh", GPZ, *arguments],
                                                  cwd=self.folder, capture_output=True, check=False)
        if limit("--version").returncode != 0:
            self.skipTest("a build with sanitizers needs more address space")
        result = limit("encode", "in.raw", "-o", "big.gpz", "--raw", "f64", "--eb", "1", "--threads", "1")
        self.assertEqual((result.returncode, result.stderr), (6, b"gpz: in.raw: out of memory\n"))
        self.gpz("encode", "in.raw", "-o", "big.gpz", "--raw", "f64", "--eb", "1", "--order", "place",
                 err=f"in.raw: {A_SET}")
        result = limit("decode", "big.gpz", "-o", "big.xyz", "--threads", "1")
        self.assertEqual(result.returncode, 6)
        self.assertRegex(result.stderr, rb"\Agpz: big\.gpz: byte \d+: no memory to decompress 4000000 particles\n\Z")
        self.assert_files("in.dump", "t.gpz", "in.raw", "big.gpz")

    @unittest.skipUnless(os.geteuid() == 0, "mounting needs root")
    def test_full_file_system(self):
        os.mkdir(self.path("small"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", self.path("small")],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", self.path("small")], check=True)
        self.gpz("decode", "t.gpz", "-o", "small/out.xyz", code=3, err="small/out.xyz: No space left on device")
        self.assertEqual(os.listdir(self.path("small")), [])
class Outputs(CliCase):
    """Files that a command must not write."""

    DATA = "title\n\n1 atoms\n1 atom types\n\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nAtoms # atomic\n\n1 1 1 2 3\n"

    def setUp(self):
        super().setUp()
        self.write("in.dump", FRAME)
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.1")

    def test_an_input_is_no_output(self):
        """Whatever its names."""
        files = {"in.dump": FRAME.encode(), "t.gpz": self.read("t.gpz"), "t.data": self.DATA.encode(),
                 "t.log": b"Step Temp\n0 1\nLoop time\n"}
        encode = ("encode", "in.dump", "--eb", "0.1", "-o")
        cases = [
            ((*encode,), "in.dump"), (("encode", "in.dump", "--data", "t.data", "-o"), "t.data"),
            (("encode", "in.dump", "--log", "t.log", "-o"), "t.log"),
            (("decode", "t.gpz", "--format", "xyz", "-o"), "t.gpz"), (("decode", "t.gpz", "--data", "0", "-o"), "t.gpz"),
            (("select", "t.gpz", "-o"), "t.gpz"), (("cat", "t.gpz", "-o"), "t.gpz"), (("merge", "t.gpz", "-o"), "t.gpz"),
            (("repair", "t.gpz", "-o"), "t.gpz"), (("annotate", "--log", "t.gpz"), "t.gpz"), (("annotate", "--data", "t.gpz"), "t.gpz"),
        ]
        for name, content in files.items():
            self.write(name, content)
            os.link(self.path(name), self.path(f"hard-{name}"))
            os.symlink(name, self.path(f"soft-{name}"))
        for arguments, name in cases:
            for output in (name, f"hard-{name}", f"soft-{name}"):
                same = f"the same file as the input {name}" if output != name else "an input as well as the output"
                self.gpz(*arguments, output, code=2, err=f"{output}: is {same}: write another file")
        with open(self.path("in.dump")) as stdin:
            done = subprocess.run([GPZ, *encode[:1], "-", *encode[2:], "in.dump"], cwd=self.folder, stdin=stdin, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, b"gpz: in.dump: is the same file as the input standard input: write another file\n"))
        for arguments in (("decode", "t.gpz", "-o", "-"), ("info", "t.gpz"), ("merge", "hard-t.gpz", "-o", "new.gpz"), ("verify", "soft-t.gpz")):
            with open(self.path("t.gpz"), "ab") as stdout:
                done = subprocess.run([GPZ, *arguments], cwd=self.folder, stdout=stdout, stderr=subprocess.PIPE, check=False)
            says = f"gpz: standard output: is the same file as the input {arguments[1]}: write another file\n".encode()
            self.assertEqual((done.returncode, done.stderr), (2, says))
        for name, content in files.items():
            self.assertEqual(self.read(name), content, name)

    def test_a_file_that_is_being_written(self):
        """A writer holds the lock of a byte far behind the end. Readers do not mind."""
        before = self.read("t.gpz")
        self.write("u.gpz", before)
        self.write("t.data", self.DATA)
        with open(self.path("t.gpz"), "r+b") as writer:
            fcntl.fcntl(writer, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1 << 62, 1, 0))
            for arguments in (("encode", "in.dump", "--eb", "0.1", "-o", "t.gpz"), ("annotate", "t.gpz", "--data", "t.data"),
                              ("decode", "u.gpz", "--format", "xyz", "-o", "t.gpz"), ("select", "u.gpz", "-o", "t.gpz"),
                              ("cat", "u.gpz", "-o", "t.gpz"), ("merge", "u.gpz", "-o", "t.gpz"), ("repair", "u.gpz", "-o", "t.gpz")):
                self.gpz(*arguments, code=2, err="t.gpz: is being written by another program, and frames of one of the two would be "
                         "lost: wait until it has ended, or write another file")
            for command in ("info", "verify"):
                self.gpz(command, "t.gpz", out=None)
        self.assertEqual(self.read("t.gpz"), before)
        self.gpz("select", "u.gpz", "-o", "t.gpz", out=None)


