# SPDX-License-Identifier: BSD-3-Clause
"""lammps_pkg/upstream/overlay.py makes dump gpz a package of a LAMMPS source tree, which finds the installed library.

Environment: GPZ_LAMMPS (the source tree, which is copied; unset: skipped).
"""

import os
import sys
import unittest
from pathlib import Path

from staged import STAGE, StagedCase, run

ROOT = Path(__file__).resolve().parents[2]
STYLES = {"dump": "dump_gpz.h", "reader": "reader_gpz.h", "fix": "fix_gpz_step.h"}


@unittest.skipUnless("GPZ_LAMMPS" in os.environ, "LAMMPS_SOURCE_DIR is not set")
class Overlay(StagedCase):
    def tree(self):
        """A copy of links, in which no file of the original can change."""
        lammps = self.folder / "lammps"
        run("cp", "-rs", os.environ["GPZ_LAMMPS"], lammps)
        return lammps

    def overlay(self, lammps):
        return run(sys.executable, "-B", ROOT / "lammps_pkg" / "upstream" / "overlay.py", lammps)

    def test_styles_are_in_the_lists_of_lammps(self):
        original = Path(os.environ["GPZ_LAMMPS"])
        before = (original / "cmake" / "CMakeLists.txt").read_bytes()
        lammps = self.tree()
        self.overlay(lammps)
        once = (lammps / "cmake" / "CMakeLists.txt").read_bytes()
        self.overlay(lammps)
        self.assertEqual((lammps / "cmake" / "CMakeLists.txt").read_bytes(), once)
        self.assertNotEqual(once, before)
        self.assertEqual((original / "cmake" / "CMakeLists.txt").read_bytes(), before)

        build = self.folder / "build"
        run(
            os.environ["GPZ_CMAKE"],
            "-S",
            lammps / "cmake",
            "-B",
            build,
            "-D",
            "PKG_GPZ=on",
            "-D",
            f"CMAKE_PREFIX_PATH={STAGE}",
            "-D",
            f"CMAKE_CXX_COMPILER={os.environ['GPZ_CXX']}",
            "-D",
            "BUILD_MPI=off",
            "-D",
            "BUILD_OMP=off",
            "-D",
            "FFT=KISS",
        )
        # LAMMPS's own rerun and read_dump stay as they are.
        self.assertNotIn("gpz", (build / "styles" / "style_command.h").read_text())
        for style, header in STYLES.items():
            self.assertIn(f'#include "{header}"', (build / "styles" / f"style_{style}.h").read_text())


if __name__ == "__main__":
    unittest.main()
