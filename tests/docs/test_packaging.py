# SPDX-License-Identifier: BSD-3-Clause
"""The Debian packages and the package of LAMMPS have the version and the dependencies of CMakeLists.txt."""

import re
import unittest

from pages import ROOT

PACKAGING = ROOT / "packaging"
VERSION = re.search(r"^project\(gpz VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)
# What CMake looks for, and its name in Debian.
LIBRARIES = {
    "nlohmann_json": "nlohmann-json3-dev",
    "XXHASH_INCLUDE_DIR": "libxxhash-dev",
    "CLI11": "libcli11-dev",
    "fmt": "libfmt-dev",
}


def searched():
    """What the library and the program need, by their CMake files."""
    found = set()
    for folder in ("gpz", "tools/decompress", "tools/bench"):
        text = (ROOT / folder / "CMakeLists.txt").read_text()
        found |= set(re.findall(r"^find_(?:package|path)\((\w+)", text, re.MULTILINE))
    return found - {"Threads"}


class Packaging(unittest.TestCase):
    def test_the_table_above_is_complete(self):
        self.assertEqual(searched(), set(LIBRARIES))

    def test_debian(self):
        control = (PACKAGING / "debian" / "control").read_text()
        build = control.partition("Build-Depends:")[2].partition("\nStandards-Version")[0]
        for debian in LIBRARIES.values():
            self.assertRegex(build, rf"(?m)^ *{debian}[, ]")
        soname = ".".join(VERSION.split(".")[:2]) if VERSION.startswith("0.") else VERSION.split(".")[0]
        self.assertIn(f"\nPackage: libgpz{soname}\n", control)
        self.assertTrue((PACKAGING / "debian" / f"libgpz{soname}.install").exists())

    def test_package_of_lammps(self):
        minor = ".".join(VERSION.split(".")[:2])
        for page in ("lammps_pkg/upstream/cmake/Modules/Packages/GPZ.cmake", "docs/install.md"):
            self.assertIn(f"\nfind_package(gpz {minor} REQUIRED)\n", (ROOT / page).read_text())


if __name__ == "__main__":
    unittest.main()
