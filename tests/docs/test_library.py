# SPDX-License-Identifier: BSD-3-Clause
"""The programs of docs/library.md print what the page says, and the commands there read what they wrote.

Environment: GPZ (the command), LIBRARY_CPP and LIBRARY_C (the programs, built from the page).
"""
import os
import subprocess
import tempfile
import unittest

from pages import code_blocks


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=60).stdout


class Library(unittest.TestCase):
    def check(self, program):
        (printed,) = code_blocks("docs/library.md", "text")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(folder, os.environ[program]), printed)
            self.assertIn("lossless", run(folder, os.environ["GPZ"], "info", "traj.gpz"))
            run(folder, os.environ["GPZ"], "verify", "traj.gpz")
            run(folder, os.environ["GPZ"], "decode", "traj.gpz", "-o", "traj.lammpstrj", "--sort", "id")
            with open(os.path.join(folder, "traj.lammpstrj")) as text:
                rows = [line.split() for line in text.read().partition("ITEM: ATOMS ")[2].splitlines()]
        self.assertEqual(rows[0], ["x", "y", "z", "id"])
        true = {7: (0.1, 0.2, 0.3), 8: (1.1, 1.2, 1.3)}
        self.assertEqual([int(row[3]) for row in rows[1:]], [7, 8])
        for row in rows[1:]:
            for value, expected in zip(row, true[int(row[3])]):
                self.assertLessEqual(abs(float(value) - expected), 0.001)

    def test_cpp(self):
        self.check("LIBRARY_CPP")

    def test_c(self):
        self.check("LIBRARY_C")


if __name__ == "__main__":
    unittest.main()
