# SPDX-License-Identifier: BSD-3-Clause
"""The gpz command on files that cost more than they are: how each ends, and what memory it takes."""

import os
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest

import costly  # first: it knows where the other folders are
import costly_tables
from long_form import LONG, in_turn

GPZ = os.environ["GPZ"]
# Program, libraries, text on its way to the output, chunks.
BESIDES = 128 << 20
ADDRESS_SPACE = 1536 << 20
SECONDS = 120  # of processor time: not to be measured, but so that the test ends

OK, USAGE, CORRUPT, TRUNCATED, LIMITED = 0, 2, 4, 5, 6
COMMANDS = {
    "info": ["info"],
    "verify": ["verify"],
    "lammps": ["decode", "--format", "lammps", "-o", "-"],
    "xyz": ["decode", "--format", "xyz", "-o", "-"],
    "repair": ["repair", "-o", "repaired.gpz"],
}
OTHERS = {
    "particles-without-fields": {"verify": OK, "lammps": LIMITED, "repair": OK},
    "lost-in-interval": {"verify": CORRUPT, "lammps": CORRUPT, "repair": OK},
}
# XYZ needs positions, which it looks for in a frame that is read: the first one of these is too large.
XYZ = {"at-rest": OK, **dict.fromkeys(costly.BEYOND_LIMIT - {"arrivals-1m"}, LIMITED)}


def expected(name, command):
    if command == "info":
        return OK
    if command == "xyz":
        return XYZ.get(name, USAGE)
    if name in OTHERS:
        return OTHERS[name][command]
    return OK if name in costly.WITHIN_LIMIT else LIMITED


def expected_of_tables(name, command):
    if command == "verify" and name in ("names-of-observables", *costly_tables.BROKEN):
        return CORRUPT
    if name == "tables-of-one-text" and command == "verify":
        return OK
    return LIMITED if name in costly_tables.BEYOND_LIMIT and name != "names-of-observables" else OK


SANITIZED = bool(os.environ.get("GPZ_SANITIZED"))  # which takes memory of its own
if SANITIZED:  # and time: verify reads as decode does, and repair does so, too
    del COMMANDS["verify"], COMMANDS["xyz"]


def within_limits():
    if SANITIZED:
        return
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def commands(number):
    """For a file of this number: `info` and half of the others, in the long form all."""
    others = [command for command in COMMANDS if command != "info"]
    return ["info", *(others if LONG or SANITIZED else others[number % 2 :: 2])]


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def gpz(self, *arguments):
        """Exit status, the message, and the most memory in use, in bytes."""
        with open(os.devnull, "wb") as nowhere, open(self.folder / "stderr", "w+b") as stderr:
            process = subprocess.Popen(  # noqa: S603
                [GPZ, *arguments], cwd=self.folder, stdout=nowhere, stderr=stderr, preexec_fn=within_limits
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            stderr.seek(0)
            return process.returncode, stderr.read().decode(), usage.ru_maxrss * 1024

    def assert_says_why(self, message, name, code):
        """A command that succeeds says nothing, unless it repairs; one that fails says why in a line."""
        if code == OK:
            self.assertNotRegex(message, "(?m)^gpz: ")
            return
        self.assertRegex(message, r"\Agpz: .*in\.gpz: .*\n\Z")
        if code == LIMITED and name in costly.BEYOND_LIMIT:
            needed, limit = re.search(r"reading this takes (\d+) bytes of memory, and the limit is (\d+) ", message).groups()
            self.assertEqual(int(limit), costly.LIMIT)
            self.assertGreater(int(needed), costly.LIMIT)

    def test_all(self):
        self.assertEqual(set(costly.FILES), costly.WITHIN_LIMIT | costly.BEYOND_LIMIT | set(OTHERS))
        for number, (name, make) in enumerate(costly.FILES.items()):
            path = self.folder / "in.gpz"
            path.write_bytes(make())
            for command in commands(number):
                with self.subTest(file=name, command=command):
                    code, message, memory = self.gpz(
                        *COMMANDS[command],
                        str(path),
                        "--max-memory",
                        f"{costly.LIMIT >> 20}M",
                        *(["--threads", "2"] if command != "info" else []),
                    )
                    self.assertEqual(code, expected(name, command), message)
                    self.assert_says_why(message, name, code)
                    if not SANITIZED:
                        self.assertLessEqual(memory, costly.LIMIT + BESIDES)

    def test_tables(self):
        """`info` has the tables of the first frame at once, `verify` a record of tables at a time."""
        for number, (name, make) in enumerate(costly_tables.FILES.items()):
            path = self.folder / "in.gpz"
            path.write_bytes(make())
            for command in in_turn(("verify", "info"), number):
                with self.subTest(file=name, command=command):
                    code, message, memory = self.gpz(command, str(path), "--max-memory", f"{costly_tables.LIMIT >> 20}M")
                    self.assertEqual(code, expected_of_tables(name, command), message)
                    self.assert_says_why(message, name, code)
                    if not SANITIZED:
                        self.assertLessEqual(memory, costly_tables.LIMIT + BESIDES)

    def test_texts(self):
        """Of each reader of texts: counts and heads that promise more than there is."""
        dump = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n{}\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id x y z {}\n"
        small = self.folder / "small.dump"
        small.write_text(dump.format(1, "") + "1 1 2 3\n")
        words = " ".join(f"c{i}" for i in range(50_000))
        runs = "".join(f"Step c{i}\n{i} 1\n" for i in range(12_000))
        pairs = " ".join(f"k{i}=1" for i in range(60_000))
        labels = "\n".join(f"{i + 1} label{i}" for i in range(20_000))
        atoms = "\n".join(f"{i + 1} label{i} 0 0 0" for i in range(20_000))
        texts = {
            "many-columns": (["in.gpz"], dump.format(5_000_000, words), TRUNCATED),
            "too-many-columns": (["in.gpz"], dump.format(1, words + words.replace("c", "d")), CORRUPT),
            "many-properties": (["in.gpz"], "1\nProperties=species:S:1:pos:R:3" + ":a:R:1024" * 3000 + "\n", CORRUPT),
            "many-keys": (["in.gpz"], f"1\nProperties=species:S:1:pos:R:3 {pairs}\nC 1 2 3\n", OK),
            "runs-with-other-columns": (["small.dump", "--log", "in.gpz"], runs, LIMITED),
            "many-labels": (
                ["small.dump", "--data", "in.gpz"],
                f"t\n\n20000 atoms\n20000 atom types\n\nAtom Type Labels\n\n{labels}\n\nAtoms # atomic\n\n{atoms}\n",
                OK,
            ),
        }
        for name, (arguments, text, expected_code) in texts.items():
            with self.subTest(text=name):
                (self.folder / "in.gpz").write_text(text)
                code, message, memory = self.gpz("encode", *arguments, "-o", "out.gpz", "--lossless", "--threads", "1")
                self.assertEqual(code, expected_code, message)
                if not SANITIZED:
                    self.assertLessEqual(memory, BESIDES)

    def test_sizes(self):
        path = self.folder / "in.gpz"
        path.write_bytes(costly.at_rest())
        for size, code in (("max", OK), ("100%", OK), ("1K", LIMITED), ("900", LIMITED), ("2T", OK)):
            with self.subTest(size=size):
                self.assertEqual(self.gpz("verify", str(path), "--max-memory", size)[0], code)
        for size in ("", "0", "x", "5X", "1GB", "0%", "101%", "-1", "99999999999999999999", "20000000T"):
            with self.subTest(size=size):
                self.assertEqual(self.gpz("verify", str(path), "--max-memory", size)[0], USAGE)

    def test_message(self):
        path = self.folder / "in.gpz"
        path.write_bytes(costly.one_value(1 << 10))
        code, message, _ = self.gpz("verify", "in.gpz", "--max-memory", "100M")
        self.assertEqual(code, LIMITED)
        self.assertRegex(message, r"^gpz: in\.gpz: .*reading this takes 134\d+ bytes of memory.*104857600 .*--max-memory\)\n$")


if __name__ == "__main__":
    unittest.main()
