# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the gpz command on its files that fail, are cut short, or are its last ones."""

import errno
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest

from cli_case import GPZ, record_offsets
from program_case import COMMANDS, OLD, WRITING, ProgramCase, some

SHIM = os.environ["IO_FAULTS"]
IO_ERROR = 3
AT_MOST = 3  # of one kind for one command, in the short form
CHANGES = "open,write,sync,rename,close,truncate,unlink"  # what changes files, or may report that it could not
EVERYTHING = CHANGES + ",read,stat,seek"


class Files(ProgramCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="gpz-faults-")
        self.addCleanup(folder.cleanup)
        self.log = os.path.join(folder.name, "log")

    def run_failing(self, command, kinds, action, n, following=False):
        if os.path.exists(self.log):
            os.remove(self.log)
        return self.run_program(command, {
            "LD_PRELOAD": SHIM, "IO_FAULTS_DIR": os.path.realpath(self.folder), "IO_FAULTS_LOG": self.log,
            "IO_FAULTS_KINDS": kinds, "IO_FAULTS_ACTION": action, "IO_FAULTS_AT": str(n),
            "IO_FAULTS_FOR": "0" if following else "1"})

    def calls(self):
        """[(kind, file name)] of the run before; names of unfinished files are those that they would get."""
        with open(self.log, encoding="utf-8") as log:
            words = [line.rstrip("\n").split(" ", 4) for line in log]
        return [(kind, re.sub(r"\.\d+\.part$", "", os.path.basename(path))) for _, _, kind, _, path in words]

    def numbers(self, command, kinds, seed):
        self.run_failing(command, kinds, "EIO", 0)
        calls = self.calls()
        self.remove(command.output)
        return some(len(calls), AT_MOST, seed) if calls else []

    def is_harmless(self, command, n):
        """Whether nothing is lost if this call fails: closing what was read, or the lock of the output, which is closed
        first; a size that progress is measured by; bytes that were read ahead, and are then read again."""
        calls = self.calls()
        kind, name = calls[n - 1]
        again = calls[n - 1] in calls[n:]
        return kind == "stat" or kind == "close" and (name != command.output or again) or kind == "read" and again

    def refuses(self, command, action, kinds, following=False):
        """The run ends with a message that has the name of the file and the reason."""
        error = getattr(errno, action)

        def complaint(n, result):
            kind, name = self.calls()[n - 1]
            shown = "standard input" if name == command.stdin else name
            text = result.stderr.decode()
            if shown not in text or os.strerror(error) not in text:
                return f"{kind} {name}: {text}"
            return ""

        fault = f"{action} in {kinds}" + (" from then on" if following else "")
        self.inject(command, fault, self.numbers(command, kinds, len(fault)),
                    lambda n: self.run_failing(command, kinds, action, n, following), {IO_ERROR}, complaint,
                    self.is_harmless)

    def test_errors(self):
        for command in COMMANDS:
            with self.subTest(command=str(command)):
                self.refuses(command, "EIO", EVERYTHING)
        for command in WRITING:
            with self.subTest(command=str(command)):
                self.refuses(command, "ENOSPC", CHANGES)
                self.refuses(command, "EACCES", "open,rename")

    def test_full_from_then_on(self):
        for command in WRITING:
            with self.subTest(command=str(command)):
                self.refuses(command, "ENOSPC", "write", following=True)

    def test_survived(self):
        """Interrupted calls are repeated, short ones continued: the output is as usual."""
        for command in COMMANDS:
            with self.subTest(command=str(command)):
                for action, kinds in (("EINTR", "open,read,write,close"), ("one", "read,write"), ("half", "read,write")):
                    self.inject(command, f"{action} in {kinds}", self.numbers(command, kinds, len(action)),
                                lambda n, a=action, k=kinds: self.run_failing(command, k, a, n), set())

    def test_killed(self):
        """The file is what it was, or complete; a .gpz file that is being encoded has its complete frames."""
        for command in WRITING:
            with self.subTest(command=str(command)):
                expected = self.undisturbed(command)
                for action in ("kill-before", "kill-half", "kill-after"):
                    numbers = self.numbers(command, CHANGES, len(action))
                    for n in numbers:
                        result = self.run_failing(command, CHANGES, action, n)
                        self.check_killed(command, expected, result, signal.SIGKILL, f"{command}, {action} {n}")
                    self.report(str(command), f"{action} in {CHANGES}", {"killed": len(numbers)})

    def test_interrupted(self):
        """As killed, but what is unfinished is removed."""
        self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what shells let background jobs ignore, programs ignore too
        for command in WRITING:
            with self.subTest(command=str(command)):
                expected = self.undisturbed(command)
                for action in ("SIGINT", "SIGTERM"):
                    numbers = self.numbers(command, EVERYTHING, len(action))
                    for n in numbers:
                        result = self.run_failing(command, EVERYTHING, action, n)
                        self.check_killed(command, expected, result, getattr(signal, action), f"{command}, {action} {n}")
                    self.report(str(command), f"{action} in {EVERYTHING}", {"ended": len(numbers)})

    def check_killed(self, command, expected, result, number, what):
        self.assertEqual(result.returncode, -number, what)
        parts = [name for name in os.listdir(self.folder) if name.endswith(".part")]
        for name in parts:
            self.remove(name)
        if number != signal.SIGKILL:
            self.assertEqual(parts, [], what)
        content = self.read(command.output) if os.path.exists(self.path(command.output)) else None
        if not command.in_place:
            self.assertIn(content, (OLD, expected[1]), what)
        elif content:
            self.assertTrue(expected[1].startswith(content), what)
            self.assertEqual(self.frames_in(command.output), complete_frames(content, expected[1]), what)
        self.remove(command.output)

    def frames_in(self, name):
        result = subprocess.run([GPZ, "info", "--json", self.path(name)], capture_output=True, check=False)
        return json.loads(result.stdout)["frames"] if result.returncode == 0 else 0


def complete_frames(content, complete):
    """The number of frames of `complete` that its beginning `content` has as a whole."""
    return sum(end <= len(content) for end in record_offsets(complete)[1:])


if __name__ == "__main__":
    unittest.main()
