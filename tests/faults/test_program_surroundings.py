# SPDX-License-Identifier: BSD-3-Clause
"""Real surroundings that are against the gpz command: full and read-only file systems, readers that go away, a file that
is still being written."""

import json
import os
import signal
import subprocess
import unittest

from cli_case import GPZ, CliCase, dump_frame, random_rows
from program_case import WRITING, ProgramCase

IO_ERROR = 3


@unittest.skipUnless(os.geteuid() == 0, "mounting needs root")
class Mounted(ProgramCase):
    """Output in the folder mnt, where a small file system is mounted."""

    def mount(self, *options):
        os.makedirs(self.path("mnt"), exist_ok=True)
        result = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", self.path("mnt")],
                                capture_output=True, check=False)
        if result.returncode != 0:
            self.skipTest("mounting is not allowed here")

    def unmount(self):
        subprocess.run(["umount", self.path("mnt")], check=True)

    def in_mount(self, command):
        return command.line.replace(f"-o {command.output}", f"-o mnt/{command.output}")

    def run_there(self, command):
        with open(self.path(command.stdin) if command.stdin else os.devnull, "rb") as stdin:
            return subprocess.run([GPZ, *self.in_mount(command).split()], cwd=self.folder, stdin=stdin, capture_output=True,
                                  check=False)

    def refused(self, command, reason):
        result = self.run_there(command)
        text = result.stderr.decode()
        self.assertEqual(result.returncode, IO_ERROR, f"{command}: {text}")
        self.assertIn(f"mnt/{command.output}", text)
        self.assertIn(reason, text)

    def test_full(self):
        """With 0, 1, 2, ... pages: what does not fit is not there, except the complete frames of gpz encode."""
        for command in WRITING:
            with self.subTest(command=str(command)):
                expected = self.undisturbed(command)[1]
                for pages in range((len(expected) + 4095) // 4096):
                    self.mount("size=1M")
                    try:
                        with open(self.path("mnt/filling"), "wb") as filling:
                            filling.write(bytes((256 - pages) * 4096))
                        self.refused(command, "No space left on device")
                        left = os.listdir(self.path("mnt"))
                        if not command.in_place or pages == 0:
                            self.assertEqual(left, ["filling"])
                        elif command.output in left:
                            self.gpz("verify", f"mnt/{command.output}", out=None)
                    finally:
                        self.unmount()

    def test_read_only(self):
        self.mount("ro")
        try:
            for command in WRITING:
                with self.subTest(command=str(command)):
                    self.refused(command, "Read-only file system")
        finally:
            self.unmount()


class Pipes(ProgramCase):
    def test_nobody_reads(self):
        """As in gpz decode | head: SIGPIPE ends it, as it ends other programs, without a message and without output elsewhere."""
        for line in ("decode t.gpz -o - --threads 1", "decode t.gpz -o - --threads 2", "encode in.dump -o - --eb 0.1",
                     "info t.gpz", "info --json t.gpz", "verify t.gpz --json", "--help"):
            reading, writing = os.pipe()
            os.close(reading)
            result = subprocess.run([GPZ, *line.split()], cwd=self.folder, stdout=writing, stderr=subprocess.PIPE, check=False)
            os.close(writing)
            self.assertEqual((result.returncode, result.stderr), (-signal.SIGPIPE, b""), line)
        self.assert_files(*self.inputs)

    def test_repair_keeps_its_file_when_nobody_reads_the_report(self):
        reading, writing = os.pipe()
        os.close(reading)
        result = subprocess.run([GPZ, "repair", "t.gpz", "-o", "r.gpz"], cwd=self.folder, stdout=writing, stderr=subprocess.PIPE,
                                check=False)
        os.close(writing)
        self.assertEqual(result.returncode, -signal.SIGPIPE)
        self.assertEqual(self.read("r.gpz"), self.read("t.gpz"))

    def test_no_standard_error(self):
        """The exit code is that of the failure, also where the message cannot be written."""
        with open("/dev/full", "wb") as full:
            for line, code in (("info missing.gpz", IO_ERROR), ("info in.dump", 4), ("info", 2), ("verify torn.gpz", 5)):
                result = subprocess.run([GPZ, *line.split()], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=full, check=False)
                self.assertEqual(result.returncode, code, line)

    def test_written_piece_by_piece(self):
        """Reads from a pipe are short wherever the writer pauses."""
        content = self.read("t.gpz")
        expected = self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", out=None)
        for piece in (1, 7, 1000):
            with subprocess.Popen([GPZ, "decode", "-", "-o", "-", "--format", "lammps"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, bufsize=0) as process:
                for start in range(0, len(content), piece):
                    process.stdin.write(content[start:start + piece])
                process.stdin.close()
                self.assertEqual(process.stdout.read(), expected)
                self.assertEqual(process.wait(), 0)


class BesideAWriter(CliCase):
    FRAMES = 12

    def test_readers(self):
        """While gpz encode is at work, readers find the frames that it has written, and no damage."""
        frames = [dump_frame(k, random_rows(300, k)) for k in range(self.FRAMES)]
        self.write("in.dump", "".join(frames))
        self.gpz("encode", "in.dump", "-o", "all.gpz", "--eb", "0.01", "--key", "3")
        whole = self.gpz("decode", "all.gpz", "-o", "-", "--format", "lammps", out=None)
        seen = set()
        with subprocess.Popen([GPZ, "encode", "-", "-o", "t.gpz", "--eb", "0.01", "--key", "3"], cwd=self.folder,
                              stdin=subprocess.PIPE, bufsize=0) as writer:
            for frame in frames:
                writer.stdin.write(frame.encode())
                if os.path.exists(self.path("t.gpz")) and os.path.getsize(self.path("t.gpz")) > 0:
                    seen.add(self.look(whole))
            writer.stdin.close()
            self.assertEqual(writer.wait(), 0)
        self.assertEqual(self.look(whole), self.FRAMES)
        self.assertTrue(seen, "no reader came in time")

    def look(self, whole):
        """The number of frames that readers find; a frame that is under way may look torn, never damaged."""
        result = subprocess.run([GPZ, "info", "--json", "t.gpz"], cwd=self.folder, capture_output=True, check=False)
        if result.returncode == 5:  # the file header is under way
            return 0
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        found = json.loads(result.stdout)
        self.assertIn(found["state"], ("complete", "torn"))
        result = subprocess.run([GPZ, "verify", "t.gpz"], cwd=self.folder, capture_output=True, check=False)
        self.assertIn(result.returncode, (0, 5), result.stderr)
        result = subprocess.run([GPZ, "decode", "t.gpz", "-o", "-", "--format", "lammps"], cwd=self.folder, capture_output=True,
                                check=False)
        self.assertIn(result.returncode, (0, 5), result.stderr)
        self.assertTrue(whole.startswith(result.stdout))
        return found["frames"]


if __name__ == "__main__":
    unittest.main()
