# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the gpz command in which something below it fails, and what may come of them.

GPZ_FAULTS=all injects every fault there is, instead of some of them; GPZ_FAULTS_TABLE is a file to which each test
appends its counts."""

import collections
import dataclasses
import os
import subprocess

from cli_case import GPZ, CliCase, binary_frame, dump_frame, random_rows, record_offsets

ALL = os.environ.get("GPZ_FAULTS") == "all"
TABLE = os.environ.get("GPZ_FAULTS_TABLE")
INDEX_TYPE = b"\2\0\0\0"  # docs/format.md, section 2
OLD = b"what was there before"


@dataclasses.dataclass(frozen=True)
class Command:
    """`output`: the file it writes, otherwise standard output. `in_place`: it writes frame after frame there; otherwise a
    file appears as a whole. `stdin`: the file that standard input is. `notes`: a line on standard error says something of the input."""
    line: str
    output: str = ""
    in_place: bool = False
    stdin: str = ""
    notes: bool = False

    def __str__(self):
        return "gpz " + self.line + (f" < {self.stdin}" if self.stdin else "")


READING = [
    Command("info t.gpz"),
    Command("info --json t.gpz"),
    Command("verify t.gpz --threads 1"),
    Command("verify t.gpz --threads 2 --json"),
    Command("verify - --threads 1", stdin="t.gpz"),
    Command("verify t.gpz --against in.dump --threads 1"),
    Command("decode t.gpz -o - --threads 1"),
]
DECODING = [
    Command("decode t.gpz -o o.xyz --threads 1", "o.xyz"),
    Command("decode t.gpz -o o.xyz --threads 2 --elements H,He,Li", "o.xyz"),
    Command("decode t.gpz -o o.extxyz --threads 1 --unwrap", "o.extxyz"),
    Command("decode t.gpz -o o.dump --threads 1 --sort id --with-time --with-units", "o.dump"),
    Command("decode t.gpz -o o.dump --threads 2 --exact", "o.dump"),
    Command("decode - -o o.dump --threads 1", "o.dump", stdin="t.gpz"),
]
REPAIRING = [
    Command("repair t.gpz -o r.gpz --threads 1", "r.gpz"),
    Command("repair torn.gpz -o r.gpz --threads 2", "r.gpz"),
]
ENCODING = [
    Command("encode in.dump -o e.gpz --eb 0.01 --bound q=0.1 --key 2 --threads 1", "e.gpz", in_place=True),
    Command("encode in.dump -o e.gpz --rel 0.001 --key 2 --threads 2", "e.gpz", in_place=True),
    Command("encode - -o e.gpz --eb 0.01 --threads 1", "e.gpz", in_place=True, stdin="in.dump"),
    Command("encode in.bin -o e.gpz --lossless --units metal --threads 1", "e.gpz", in_place=True),
    Command("encode in.xyz -o e.gpz --eb 0.01 --order place --threads 1", "e.gpz", in_place=True, notes=True),
    Command("encode in.extxyz -o e.gpz --eb 0.01 --threads 1", "e.gpz", in_place=True),
    Command("encode in.raw -o e.gpz --raw f64 --eb 0.01 --threads 2", "e.gpz", in_place=True, notes=True),
    Command("encode t.gpz -o e.gpz --eb 0.1 --threads 1", "e.gpz", in_place=True),
    Command("encode in.dump -o - --eb 0.01 --threads 1", in_place=True),
]
JOINING = [
    Command("cat t.gpz late.gpz -o c.gpz --keep first --threads 1", "c.gpz"),
    Command("merge part.%.gpz -o m.gpz", "m.gpz"),
    Command("select t.gpz -o s.gpz --frames 1: --threads 1", "s.gpz"),
    Command("select t.gpz -o s.gpz --types 2 --columns id,x,y,z --threads 2 --json", "s.gpz"),
]
COMMANDS = READING + DECODING + REPAIRING + ENCODING + JOINING
WRITING = [command for command in COMMANDS if command.output]  # a file


class ProgramCase(CliCase):
    """A folder with inputs of every kind; all of them small: what counts is the number of calls, not their size."""

    def setUp(self):
        super().setUp()
        columns = "id type x y z q ix iy iz"
        rows = [[row + (row[2] * row[3], 0, 1, -1) for row in random_rows(40 + k, k)] for k in range(4)]
        self.write("in.dump", "".join(dump_frame(10 * k, rows[k], columns) for k in range(4)))
        self.write("in.bin", b"".join(binary_frame(10 * k, columns, rows[k], time=0.5) for k in range(3)))
        self.write("in.raw", binary_frame(0, "x y z", random_rows(50, 9))[-1200:])
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", "0.01", "--key", "2", "--units", "metal")
        self.gpz("decode", "t.gpz", "-o", "in.xyz")
        self.gpz("decode", "t.gpz", "-o", "in.extxyz")
        for part in range(2):
            dump = "".join(dump_frame(10 * k, [row for row in rows[k] if row[0] % 2 == part], columns) for k in range(3))
            self.write("part.dump", dump)
            self.gpz("encode", "part.dump", "-o", f"part.{part}.gpz", "--eb", "0.01", "--key", "2")
        self.write("part.dump", "".join(dump_frame(10 * k, rows[k % 4], columns) for k in range(3, 7)))
        self.gpz("encode", "part.dump", "-o", "late.gpz", "--eb", "0.01", "--key", "2", "--units", "metal")
        content = self.read("t.gpz")
        self.write("torn.gpz", content[:record_offsets(content)[3] + 100])
        self.inputs = sorted(os.listdir(self.folder))
        self.counts, self.usual = collections.Counter(), {}

    def run_program(self, command, environment=None, stdin=None, **options):
        """Runs it once, with environment variables; the output of an earlier run is removed, or OLD stands there."""
        if command.output:
            if command.in_place:
                self.remove(command.output)
            else:
                self.write(command.output, OLD)
        with open(self.path(command.stdin) if command.stdin else os.devnull, "rb") as file:
            return subprocess.run([GPZ, *command.line.split()], cwd=self.folder, stdin=stdin or file, capture_output=True,
                                  check=False, env={**os.environ, **(environment or {})}, timeout=60, **options)

    def remove(self, name):
        """If it is there; an empty name is nothing."""
        if os.path.isfile(self.path(name)):
            os.remove(self.path(name))

    def undisturbed(self, command):
        """(standard output, content of the output file)"""
        if command not in self.usual:
            result = self.run_program(command)
            self.assertEqual(result.returncode, 0, command)
            self.assertEqual(result.stderr.count(b"\n"), 1 if command.notes else 0, result.stderr)
            self.usual[command] = (result.stdout, self.read(command.output) if command.output else b""), result.stderr
        expected, self.notes = self.usual[command]
        return expected

    def judge(self, command, expected, result, codes):
        """What came of a run: 'as usual' or 'refused' with one of `codes`; '' and a reason if it is neither."""
        left = sorted(set(os.listdir(self.folder)) - {command.output} - set(self.inputs))
        if left:
            for name in left:
                self.remove(name)
            return "", f"left {left}"
        output = None
        if command.output and os.path.exists(self.path(command.output)):
            output = self.read(command.output)
            self.remove(command.output)
        if result.returncode == 0:
            usual = (result.stdout, output or b"") == expected and result.stderr == self.notes
            return ("as usual", "") if usual else ("", f"exit code 0, but other output or {result.stderr}")
        if result.returncode not in codes:
            return "", f"exit code {result.returncode}, {result.stderr[-300:]}"
        lines = result.stderr.decode().splitlines()
        if len(lines) != 1 or not lines[0].startswith("gpz: ") or len(lines[0]) <= len("gpz: "):
            return "", f"standard error {result.stderr}"
        written = output if command.output else result.stdout or None
        fewest = 1 if command.output else 0  # a file without a frame is removed
        if command.in_place and written is not None and not whole_frames(written, expected[1] or expected[0], fewest):
            return "", "incomplete frames in the output"
        if command.output and not command.in_place and output not in (OLD, expected[1]):
            return "", "a part of the output under its final name"
        if not command.output and not command.in_place and not expected[0].startswith(result.stdout):
            return "", "wrong standard output"
        return "refused", ""

    def inject(self, command, fault, numbers, run, codes, complaint=None, is_harmless=None):
        """Calls run(n) for each of `numbers`, which makes the n-th call fail. A refusal must have one of `codes`, and
        complaint(n, result) must have nothing to say about it. Where is_harmless is given, only such calls may fail
        without a refusal."""
        expected = self.undisturbed(command)
        counts = collections.Counter()
        wrong = []
        for n in numbers:
            try:
                result = run(n)
            except subprocess.TimeoutExpired:
                outcome, reason = "", "does not end"
            else:
                outcome, reason = self.judge(command, expected, result, codes)
                if outcome == "refused" and complaint is not None:
                    reason = complaint(n, result)
                if outcome == "as usual" and is_harmless is not None and not is_harmless(command, n):
                    reason = "exit code 0"
            counts["WRONG" if reason else outcome] += 1
            if reason:
                wrong.append(f"{command}, {fault} {n}: {reason}")
        self.report(str(command), fault, counts)
        self.assertEqual(wrong, [], f"{len(wrong)} of {sum(counts.values())}")

    def report(self, what, fault, counts):
        if not TABLE:
            return
        with open(TABLE, "a", encoding="utf-8") as table:
            outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
            table.write(f"{what}\t{fault}\t{sum(counts.values())}\t{outcomes}\n")


def whole_frames(content, complete, fewest):
    """Whether `content` is the beginning of `complete` up to the end of a frame, with or without an index."""
    ends = [end for end in record_offsets(complete)[fewest:] if content[:end] == complete[:end]]
    if not ends:
        return False
    rest = content[ends[-1]:]
    return rest == b"" or len(record_offsets(rest)) == 1 and rest[8:12] == INDEX_TYPE


def some(total, at_most, seed):
    """Numbers from 1 to total: all of them in the long form, otherwise evenly spread ones that differ from seed to seed."""
    if ALL or total <= at_most:
        return range(1, total + 1)
    step = total / at_most
    first = (seed * 0.618) % 1 * step
    return sorted({1 + int(first + k * step) for k in range(at_most) if first + k * step < total} | {total})
