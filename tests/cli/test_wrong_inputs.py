# SPDX-License-Identifier: BSD-3-Clause
"""One table of wrong inputs of every option of every command: the exit code, and texts that the message has: the argument, the
value, what to do. Nothing is written. A new option gets its wrong values here. What inputs may be wrong in: test_errors.py,
test_encode_refused.py."""

import os
import subprocess

from cli_case import GPZ, CliCase, dump_frame

ENCODE = ("encode", "in.dump", "-o", "new.gpz")
AGAIN = ("encode", "t.gpz", "-o", "new.gpz")
SELECT = ("select", "t.gpz", "-o", "new.gpz")
DECODE = ("decode", "t.gpz", "-o", "new.xyz")
CAT = ("cat", "t.gpz", "t.gpz", "-o", "new.gpz")
MERGE = ("merge", "t.gpz", "-o", "new.gpz")
INFO, VERIFY, REPAIR = ("info", "t.gpz"), ("verify", "t.gpz"), ("repair", "t.gpz", "-o", "new.gpz")
HELP = "--help explains"
BOUND = "a bound is a number above 0, or 0 to keep every bit"
FRAMES = "expected A:B:S"
RANGE = "is neither a number nor a range A:B"
REGION = "expected xlo:xhi,ylo:yhi,zlo:zhi"
KEY_OR_AUTO = "a number from 1 to 65535, or auto"
KEY = "not in range 1 to 65535"
THREADS = "not in range 0 to 4096"
SIZE = "is no size such as 500M, 2G, 50% or max"


def values(command, option, wrong, *says):
    """The option with each of the wrong values, which the message names."""
    return [((*command, option, value), 2, (option, value, *says)) for value in wrong]


NUMBERS = ("", " ", "text", "-1", "nan", "inf", "1e400", "1e-400", "1,5", "0x")
TABLE = [
    *values(ENCODE, "--eb", NUMBERS, BOUND),
    *values(ENCODE, "--rel", NUMBERS, BOUND),
    *values(ENCODE, "--rel", ("1", "2", "1e300"), "less than 1"),
    *values((*ENCODE, "--eb", "1"), "--bound", ("q", "=1"), "expected COLUMN=V"),
    *values((*ENCODE, "--eb", "1"), "--bound", ("q=", "q=x", "q=-1", "q=nan", "q=1e-400"), BOUND),
    ((*ENCODE, "--eb", "1", "--bound", "vx=1"), 2, ("in.dump", "--bound", "no column 'vx'", "there are q")),
    ((*ENCODE, "--eb", "1", "--bound", "x=1"), 2, ("in.dump", "--bound", "positions take --eb or --rel")),
    ((*ENCODE, "--eb", "1", "--bound", "id=1"), 2, ("in.dump", "--bound", "column id holds integers")),
    ((*ENCODE, "--eb", "1", "--rel", "0.1"), 2, ("give one of --eb V, --rel V and --lossless",)),
    ((*ENCODE, "--eb", "1", "--lossless"), 2, ("give one of --eb V, --rel V and --lossless",)),
    *values(ENCODE, "--key", ("0", "65536", "-1", "1.5", "x"), KEY_OR_AUTO, HELP),
    *values(ENCODE, "--order", ("name", "", "1"), "{auto,id,place,memory}", HELP),
    *values(ENCODE, "--effort", ("strong", "default", "2"), "{fast,standard,dense}", HELP),
    *values(ENCODE, "--threads", ("-1", "5000", "1.5", "x"), THREADS, HELP),
    *values(ENCODE, "--max-memory", ("0", "x", "10Q", "101%", "-1"), SIZE, HELP),
    *values(ENCODE, "--format", ("pdb", ""), "{lammps,lammps-binary,xyz,gpz}", HELP),
    *values(ENCODE, "--raw", ("f16", "float"), "{f32,f64}", HELP),
    ((*ENCODE, "--dims", "2"), 2, ("--dims requires --raw", HELP)),
    ((*ENCODE, "--layout", "aos"), 2, ("--layout requires --raw", HELP)),
    ((*ENCODE, "--units", "imperial"), 2, ("units: imperial", "known: lj")),
    (("encode", "in.dump", "-o", "in.dump"), 2, ("in.dump", "is an input as well as the output")),
    (("encode", "in.dump"), 2, ("--output is required", HELP)),
    (("encode", "-o", "new.gpz"), 2, ("IN is required", HELP)),
    (("encode", "none.dump", "-o", "new.gpz"), 3, ("none.dump", "No such file")),
    (("encode", ".", "-o", "new.gpz"), 3, (".: ", "directory")),
    (("encode", "in.dump", "-o", "none/new.gpz", "--eb", "1"), 3, ("none/new.gpz", "No such file")),
    ((*AGAIN, "--eb", "0.005"), 2, ("t.gpz", "x y z are within 0.01", "a bound of 0.005 cannot be kept")),
    ((*AGAIN, "--lossless"), 2, ("t.gpz", "--lossless", "within 0.01", "without --lossless all values are kept")),
    *values(SELECT, "--frames", ("x", "", "a:b", "1:2:3:4", "1.5"), FRAMES),
    *values(SELECT, "--frames", ("::0",), "a step of 0"),
    ((*SELECT, "--frames", "9"), 2, ("t.gpz", "has 1 frame (0), no frame 9")),
    *values(SELECT, "--ids", ("x", "", "3:1", "1.5", "99999999999999999999"), RANGE),
    *values(SELECT, "--types", ("Zn", "", "X"), "is no number, range A:B, element or label", "there are Cu"),
    *values(SELECT, "--region", ("", "1:2", "1:2,3:4,5:x", "2:1,:,:", ":,:,:,:", "nan:,:,:"), REGION),
    *values(SELECT, "--columns", ("", "foo"), "no column", "there are x y z"),
    ((*SELECT, "--columns", "x,x"), 2, ("t.gpz", "--columns", "column 'x' twice")),
    *values(SELECT, "--key", ("0", "65536"), KEY),
    *values(SELECT, "--effort", ("default",), "{fast,standard,dense}"),
    *values(DECODE, "--frames", ("x", "::0"), "--frames"),
    *values(DECODE, "--region", ("", "1"), REGION),
    *values(DECODE, "--sort", ("name",), "t.gpz", "no column 'name'", "there are x y z"),
    *values(DECODE, "--format", ("pdb",), "{xyz,extxyz,lammps}", HELP),
    *values(DECODE, "--threads", ("-1",), THREADS, HELP),
    (("decode", "t.gpz", "-o", "new.pdb"), 2, ("new.pdb", "no known extension", "give --format")),
    (("decode", "in.dump", "-o", "new.xyz"), 4, ("in.dump", "not a gpz file")),
    *values(CAT, "--keep", ("none", ""), "{first,last,all}", HELP),
    *values(CAT, "--order", ("name",), "{auto,id,place,memory}", HELP),
    *values(CAT, "--threads", ("x",), THREADS, HELP),
    (("cat", "-o", "new.gpz"), 2, ("IN is required", HELP)),
    (("cat", "t.gpz", "none.gpz", "-o", "new.gpz"), 3, ("none.gpz", "No such file")),
    (("cat", "t.gpz", "nano.gpz", "-o", "new.gpz"), 2, ("nano.gpz", "units", "nano", "metal")),
    ((*MERGE, "t.gpz"), 2, ("t.gpz", "is given twice", "give each file once")),
    ((*MERGE, "./t.gpz"), 2, ("./t.gpz", "is the file t.gpz", "give each file once")),
    (("merge", "none.%.gpz", "-o", "new.gpz"), 3, ("none.%.gpz", "in the place of %")),
    ((*INFO, "--json=x"), 2, ("--json", HELP)),
    *values(INFO, "--max-memory", ("0", "x"), SIZE, HELP),
    *values(VERIFY, "--threads", ("-1", "x"), THREADS, HELP),
    *values(VERIFY, "--frames", ("1:2:3:4", ""), FRAMES),
    ((*VERIFY, "--against", "none.dump"), 3, ("none.dump", "No such file")),
    (("repair", "t.gpz", "-o", "t.gpz"), 2, ("t.gpz", "is an input as well as the output")),
    *values(REPAIR, "--max-memory", ("0",), SIZE, HELP),
    (("pack",), 2, ("no command 'pack'", "gpz --help lists them")),
]


class WrongInputs(CliCase):
    def test_table(self):
        frame = dump_frame(0, [(1, 1, 1, 2, 3, 0.5), (2, 1, 4, 5, 6, 0.25)], columns="id type x y z q")
        self.write("in.dump", frame)
        for name, units in (("t.gpz", "metal"), ("nano.gpz", "nano")):
            self.gpz("encode", "in.dump", "-o", name, "--eb", "0.01", "--units", units, "--elements", "Cu")
        files = {name: self.read(name) for name in sorted(os.listdir(self.folder))}
        for arguments, code, says in TABLE:
            with self.subTest(arguments):
                result = subprocess.run([GPZ, *arguments], cwd=self.folder, capture_output=True, check=False)
                said = result.stderr.decode()
                self.assertEqual(result.returncode, code, said)
                self.assertRegex(said, r"\Agpz: [^\n]+\n\Z")
                for text in says:
                    self.assertIn(text, said)
                self.assertEqual({name: self.read(name) for name in sorted(os.listdir(self.folder))}, files)
