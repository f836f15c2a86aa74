# SPDX-License-Identifier: BSD-3-Clause
"""What docs/tutorial.md shows works, with a smaller system.

Environment: LMP (LAMMPS), LAMMPS_PLUGIN_PATH, PYTHON (with the package and MDAnalysis), PYTHONPATH.
"""

import os
import subprocess
import tempfile
import unittest

from pages import ROOT, code_blocks

PAGE = "docs/tutorial.md"


class Tutorial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        script = ROOT / "examples" / "in.argon"
        for line in code_blocks(PAGE, "LAMMPS")[0].replace(" 20 ", " ${every} ").splitlines():
            assert line in script.read_text().splitlines(), f"not in {script}: {line}"
        subprocess.run(
            [os.environ["LMP"], "-in", script, "-var", "size", "4"],
            cwd=cls.folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def python(self, block, check):
        code = code_blocks(PAGE, "python")[block] + "\n" + check
        environment = {**os.environ, "MPLBACKEND": "Agg"}
        return subprocess.run(
            [os.environ["PYTHON"], "-W", "error::UserWarning", "-c", code],
            cwd=self.folder,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def test_package(self):
        # The diffusion of liquid argon at this temperature is 2.4e-5 cm^2/s.
        printed = self.python(0, "assert 2 < (displacement ** 2).sum(axis=1).mean() < 12, 'no liquid'")
        self.assertIn("51 frames, real ['Ar']", printed)
        self.assertIn("1000 4000.0 [23.12 23.12 23.12]", printed)

    def test_mdanalysis(self):
        # Its first peak: 3.7 A.
        printed = self.python(1, "assert 3.4 < rdf.results.bins[rdf.results.rdf.argmax()] < 4.0, 'no liquid'")
        self.assertIn("['Ar' 'Ar' 'Ar'] 51 4.0 ps", printed)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "rdf.png")))


if __name__ == "__main__":
    unittest.main()
