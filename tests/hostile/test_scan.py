# SPDX-License-Identifier: BSD-3-Clause
"""What the gpz command does with the files of scan_files.py: exit codes, memory in proportion, and nothing that is printed can do harm."""

import itertools
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest

import scan_files  # first: it knows where the other folders are
from long_form import in_turn

GPZ = os.environ["GPZ"]
SANITIZED = os.environ.get("GPZ_SANITIZED")  # takes much more memory
MEGABYTE = 1 << 20
# Of a program that has read nothing, and for each byte of a file: a number or an empty name of 3 bytes is 100 bytes in memory.
BASE_MEMORY, MEMORY_PER_BYTE = 24 * MEGABYTE, 64
LARGEST_REPORT = 40  # bytes for each byte of the file
OK, USAGE, CORRUPT, TRUNCATED = 0, 2, 4, 5

COMMANDS = {
    "info": ["info"],
    "json": ["info", "--json"],
    "verify": ["verify"],
    "verify --json": ["verify", "--json"],
    "xyz": ["decode", "-o", "-", "--format", "xyz"],
    "extxyz": ["decode", "-o", "-", "--format", "extxyz"],
    "lammps": ["decode", "-o", "-", "--format", "lammps", "--with-units", "--with-time"],
    "pipe": ["verify"],
    "repair": ["repair", "-o", "repaired.gpz"],
}
# Where not all commands succeed: codes of info, verify, decode to LAMMPS text, repair.
CODES = {
    "fragments": (OK, CORRUPT, CORRUPT, OK),
    "fragments-of-frames": (OK, CORRUPT, CORRUPT, OK),
    "lost-ends": (OK, CORRUPT, CORRUPT, OK),
    "far-ends": (OK, CORRUPT, CORRUPT, OK),
    "overlapping-heads": (CORRUPT,) * 4,
    "heads-to-the-end": (OK, TRUNCATED, TRUNCATED, TRUNCATED),
    "index-of-nothing": (OK, CORRUPT, CORRUPT, CORRUPT),
    "index-of-long-heads": (OK, CORRUPT, CORRUPT, CORRUPT),
    "nested-arrays": (CORRUPT,) * 4,
    "nested-in-a-key": (CORRUPT,) * 4,
    "nested-objects": (CORRUPT,) * 4,
    "long-number": (CORRUPT,) * 4,  # more than a double holds
    "many-particles": (OK, CORRUPT, CORRUPT, CORRUPT),
}

# Frames without positions, which are of no use for XYZ.
WITHOUT_POSITIONS = {
    "fragments", "fragments-of-frames", "lost-ends", "far-ends", "equal-frames", "many-keys", "one-key-again", "long-fraction",
    "many-numbers", "many-columns", "one-wide-column",
}  # fmt: skip
# A pipe ends at the first byte that is no record, as verify does in all files but this one: to its end there is no record.
PIPE_CODES = {"heads-to-the-end": CORRUPT}


class Result:
    def __init__(self, process, stdout, stderr, usage):
        self.code, self.memory = process.returncode, usage.ru_maxrss * 1024
        self.stdout, self.stderr = stdout, stderr


def limit_memory():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (1536 * MEGABYTE,) * 2)


class Scan(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="gpz-scan-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name, make in scan_files.FILES.items():
            (cls.folder / f"{name}.gpz").write_bytes(make())

    def gpz(self, command, name):
        """Runs it on the file; its memory stays in proportion."""
        first, *rest = COMMANDS[command]
        path = f"{name}.gpz"
        given, read = (["-"], path) if command == "pipe" else ([path], os.devnull)
        with open(self.folder / "out", "w+b") as out, open(self.folder / "err", "w+b") as err, open(
            self.folder / read, "rb"
        ) as file:
            process = subprocess.Popen(
                [GPZ, first, *given, *rest], cwd=self.folder, stdin=file, stdout=out, stderr=err, preexec_fn=limit_memory
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        result = Result(process, (self.folder / "out").read_bytes(), (self.folder / "err").read_bytes(), usage)
        size = (self.folder / path).stat().st_size
        if not SANITIZED:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # the process began as a copy of this one
            self.assertLess(result.memory, max(before, BASE_MEMORY + MEMORY_PER_BYTE * size) + MEGABYTE)
        if "decode" not in COMMANDS[command]:
            self.assertLess(len(result.stdout), 4096 + LARGEST_REPORT * size)
        self.assertRegex(result.stderr, rb"\A(gpz: [^\x00-\x1f\x7f]*\n)?\Z")
        result.stderr.decode()
        return result

    def test_exit_codes(self):
        for number, name in enumerate(scan_files.FILES):
            codes = tuple(zip(("info", "verify", "lammps", "repair"), CODES.get(name, (OK,) * 4), strict=True))
            for command, code in itertools.chain(*in_turn((codes[::2], codes[1::2]), number)):
                with self.subTest(name=name, command=command):
                    result = self.gpz(command, name)
                    self.assertEqual(result.code, code, result.stderr)

    def test_other_forms(self):
        """Each ends as the command of which it is a form, unless it needs positions."""
        for number, name in enumerate(scan_files.FILES):
            codes = CODES.get(name, (OK,) * 4)
            xyz = USAGE if name in WITHOUT_POSITIONS else codes[2]
            forms = (("json", codes[0]), ("xyz", xyz)), (("verify --json", codes[1]), ("extxyz", xyz))
            for command, code in itertools.chain(*in_turn(forms, number)):
                with self.subTest(name=name, command=command):
                    result = self.gpz(command, name)
                    self.assertEqual(result.code, code, result.stderr)
                    if "json" in command and code == OK:
                        self.assertTrue(result.stdout.isascii())
                        self.assertIsInstance(json.loads(result.stdout, parse_constant=self.fail), dict)
                    elif "json" in command and result.stdout:
                        self.assertTrue(result.stdout.isascii())
                        json.loads(result.stdout, parse_constant=self.fail)
                    elif code != OK:
                        self.assertTrue(result.stderr)

    def test_pipe(self):
        for name in scan_files.FILES:
            with self.subTest(name=name):
                result = self.gpz("pipe", name)
                self.assertEqual(result.code, PIPE_CODES.get(name, CODES.get(name, (OK,) * 4)[1]), result.stderr)
                self.assertTrue(result.stderr if result.code != OK else result.stdout)

    def assert_lines_are_safe(self, text):
        for line in text.decode().splitlines():
            self.assertTrue(line.isprintable(), line)

    def test_names_in_reports(self):
        for command in ("info", "verify", "repair"):
            self.assert_lines_are_safe(self.gpz(command, "bad-names").stdout)
        report = self.gpz("info", "bad-names").stdout.decode()
        for shown in (r"\x1b[2J\x1b]0;title\x07", r"c\x0aITEM: ATOMS id", "two words", r"\xc2\x9b31m", r"\xff\xfe", "\u00c5ngstr\u00f6m"):
            self.assertRegex(report, rf"(?m)^  {re.escape(shown)} ")
        names = [column["name"] for column in json.loads(self.gpz("json", "bad-names").stdout)["columns"]]
        texts = [name for name in scan_files.HOSTILE_NAMES if isinstance(name, str)]
        self.assertEqual([name for name in names if name in texts], texts)
        self.assertIn("\ufffd\ufffd", names)

    def test_names_in_text_files(self):
        """Are one word each: a name makes no other column, no line, and no element of its own."""
        columns = 5 + 1 + len(scan_files.HOSTILE_NAMES)
        rows = len(scan_files.HOSTILE_NAMES)
        text = self.gpz("lammps", "bad-names").stdout
        self.assert_lines_are_safe(text)
        lines = text.decode().splitlines()
        self.assertEqual(len(lines), 2 + 2 + 9 + rows)  # units, time, frame
        header = next(line for line in lines if line.startswith("ITEM: ATOMS "))
        self.assertEqual(len(header.split()), 2 + columns)
        for line in lines[-rows:]:
            self.assertEqual(len(line.split()), columns)
        self.assertEqual({line.split()[4] for line in lines[-rows:]} - {str(i) for i in range(20)}, set())  # types as numbers

        text = self.gpz("extxyz", "bad-names").stdout
        self.assert_lines_are_safe(text)
        count, comment, *atoms = text.decode().splitlines()
        self.assertEqual((int(count), len(atoms)), (rows, rows))
        properties = re.search(r"Properties=(\S*)", comment)[1].split(":")
        self.assertEqual(len(properties) % 3, 0)
        width = sum(int(number) for number in properties[2::3])
        self.assertEqual({len(line.split()) for line in atoms}, {width})
        plain = self.gpz("xyz", "bad-names").stdout.decode().splitlines()
        self.assertEqual({len(line.split()) for line in plain[2:]}, {4})

    def test_numbers(self):
        timesteps = json.loads(self.gpz("json", "far-timesteps").stdout)["timesteps"]
        self.assertEqual(timesteps, {"first": -(2**63), "last": 2**63 - 1, "interval": 0})
        particles = json.loads(self.gpz("json", "many-particles").stdout)["particles"]
        self.assertEqual(particles["total"], 2**64 - 1)
        facts = json.loads(self.gpz("json", "odd-numbers").stdout)
        self.assertEqual(facts["time"], {"first": None, "last": None})
        self.assertEqual(facts["box"]["values"][:6], [None, None, None, 1e308, -1e308, 5e-324])
        self.assertEqual(facts["columns"][0]["bound"], 5e-324)

    def test_repaired_files_are_whole(self):
        """They have all frames that are complete, and no other."""
        piece = len(scan_files.bare_frame()) + 8
        for name, frames in (
            ("fragments", 1),
            ("fragments-of-frames", scan_files.SIZE // piece),
            ("lost-ends", 1),
            ("far-ends", 1),
        ):
            with self.subTest(name=name):
                self.assertEqual(self.gpz("repair", name).code, OK)
                os.replace(self.folder / "repaired.gpz", self.folder / "whole.gpz")
                self.assertEqual(self.gpz("verify", "whole").code, OK)
                facts = json.loads(self.gpz("json", "whole").stdout)
                self.assertEqual((facts["frames"], facts["state"]), (frames, "complete"))


if __name__ == "__main__":
    unittest.main()
