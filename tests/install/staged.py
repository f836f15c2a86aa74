# SPDX-License-Identifier: BSD-3-Clause
"""The installed tree that the tests look at, and commands run on it."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent
STAGE = pathlib.Path(os.environ["GPZ_STAGE"])
LIBDIR = STAGE / os.environ["GPZ_LIBDIR"]
VERSION = os.environ["GPZ_VERSION"]
MAJOR, MINOR = VERSION.split(".")[:2]
SOVERSION = f"{MAJOR}.{MINOR}" if MAJOR == "0" else MAJOR


def run(*command, env=None, cwd=None):
    """Standard output of a command that has to succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=cwd,
                          env={**os.environ, **(env or {})})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def public_headers():
    return sorted((STAGE / "include" / "gpz").iterdir())


class StagedCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
