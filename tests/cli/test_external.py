# SPDX-License-Identifier: BSD-3-Clause
"""gpz NAME runs gpz-NAME."""

import os
import shutil
import subprocess

from cli_case import GPZ, CliCase

PROGRAM = """#!/bin/sh
echo "$0" "$@"
kill -s PIPE $$
exit 7
"""


class External(CliCase):
    def program(self, path, text=PROGRAM):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        self.write(path, text)
        os.chmod(self.path(path), 0o755)

    def run_gpz(self, *arguments, gpz=GPZ, path=""):
        return subprocess.run([gpz, *arguments], cwd=self.folder, capture_output=True, check=False, text=True,
                              env={**os.environ, "PATH": path + os.pathsep + os.environ["PATH"]})

    def test_in_the_path(self):
        """With all arguments; its end is that of gpz, also by a signal that gpz itself ignores."""
        self.program("bin/gpz-hello")
        result = self.run_gpz("hello", "--help", "a b", path=self.path("bin"))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (-13, f"{self.path('bin/gpz-hello')} --help a b\n", ""))
        self.program("bin/gpz-hello", PROGRAM.replace("kill", ": "))
        self.assertEqual(self.run_gpz("hello", path=self.path("bin")).returncode, 7)

    def test_beside_the_program(self):
        """Its folder comes first: what was installed together belongs together."""
        self.program("here/gpz-hello")
        self.program("bin/gpz-hello")
        shutil.copy(GPZ, self.path("here/gpz"))
        result = self.run_gpz("hello", gpz=self.path("here/gpz"), path=self.path("bin"))
        self.assertEqual(result.stdout, self.path("here/gpz-hello") + "\n")

    def test_own_commands_come_first(self):
        self.program("bin/gpz-info")
        result = self.run_gpz("info", path=self.path("bin"))
        self.assertEqual(result.stderr, "gpz: info: IN is required (gpz info --help explains)\n")

    def test_python_commands(self):
        for name in ("archive", "convert", "plot", "view"):
            self.assertIn(f"  {name} ", self.gpz("--help", out=None).decode())
            self.gpz(name, "--help", code=2, err=f'gpz {name} is part of the Python package: pip install ".[{name}]" in the sources of gpz')
            self.program(f"bin/gpz-{name}")
            self.assertEqual(self.run_gpz(name, "x", path=self.path("bin")).stdout, f"{self.path('bin')}/gpz-{name} x\n")

    def test_what_is_no_program(self):
        self.write("gpz-text", "no program")
        os.mkdir(self.path("gpz-folder"))
        self.program("sub/gpz-x")
        for name in ("text", "folder", "sub/x", "../x", "", "x"):
            result = self.run_gpz(name, path=self.folder)
            self.assertEqual((result.returncode, result.stderr), (2, f"gpz: no command '{name}' (gpz --help lists them)\n"))
        self.program("gpz-bad", "#!/no/such/interpreter\n")
        result = self.run_gpz("bad", path=self.folder)
        self.assertEqual((result.returncode, result.stderr), (3, f"gpz: {self.path('gpz-bad')}: No such file or directory\n"))
