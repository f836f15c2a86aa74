# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of packages have the version and the dependencies of CMakeLists.txt."""

import ast
import json
import re
import unittest

from pages import ROOT

PACKAGING = ROOT / "packaging"
VERSION = re.search(r"^project\(gpz VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)
# What CMake looks for, and its name in Debian, Spack, conda-forge and vcpkg.
LIBRARIES = {
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann-json", "nlohmann_json", "nlohmann-json"),
    "XXHASH_INCLUDE_DIR": ("libxxhash-dev", "xxhash", "xxhash", "xxhash"),
    "CLI11": ("libcli11-dev", "cli11", "cli11", "cli11"),
    "fmt": ("libfmt-dev", "fmt", "fmt", "fmt"),
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
        for debian, *_ in LIBRARIES.values():
            self.assertRegex(build, rf"(?m)^ *{debian}[, ]")
        soname = ".".join(VERSION.split(".")[:2]) if VERSION.startswith("0.") else VERSION.split(".")[0]
        self.assertIn(f"\nPackage: libgpz{soname}\n", control)
        self.assertTrue((PACKAGING / "debian" / f"libgpz{soname}.install").exists())

    def test_package_of_lammps(self):
        minor = ".".join(VERSION.split(".")[:2])
        for page in ("lammps_pkg/upstream/cmake/Modules/Packages/GPZ.cmake", "docs/install.md"):
            self.assertIn(f"\nfind_package(gpz {minor} REQUIRED)\n", (ROOT / page).read_text())

    def test_spack(self):
        text = (PACKAGING / "spack" / "package.py").read_text()
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and node.args]
        names = {}
        for call in calls:
            if isinstance(call.func, ast.Name) and isinstance(call.args[0], ast.Constant):
                names.setdefault(call.func.id, []).append(call.args[0].value)
        self.assertEqual(names["version"], [VERSION])
        self.assertIn(f"gpz-{VERSION}.tar.gz", text)
        self.assertLessEqual(
            {spack for _, spack, *_ in LIBRARIES.values()}, {name.partition("@")[0] for name in names["depends_on"]}
        )

    def test_conda(self):
        text = (PACKAGING / "conda" / "recipe.yaml").read_text()
        self.assertIn(f'\n  version: "{VERSION}"\n', text)
        host = text.partition("\n  host:\n")[2].partition("\n  run_exports")[0]
        self.assertEqual(sorted(re.findall(r"- (\S+)", host)), sorted(conda for _, _, conda, _ in LIBRARIES.values()))

    def test_mdakit(self):
        project = (ROOT / "pyproject.toml").read_text()
        oldest = re.search(r'^mdanalysis = \["MDAnalysis>=([\d.]+)"', project, re.MULTILINE).group(1)
        kit = (PACKAGING / "mdakit" / "metadata.yaml").read_text()
        self.assertRegex(kit, rf'(?m)^mdanalysis_requires: ">={re.escape(oldest)}(\.0)*"$')
        python = re.search(r'^requires-python = "(.*)"', project, re.MULTILINE).group(1)
        self.assertIn(f'\npython_requires: "{python}"\n', kit)

    def test_vcpkg(self):
        manifest = json.loads((PACKAGING / "vcpkg" / "vcpkg.json").read_text())
        self.assertEqual(manifest["version"], VERSION)
        needed = manifest["dependencies"] + manifest["features"]["tools"]["dependencies"]
        self.assertLessEqual(
            {vcpkg for *_, vcpkg in LIBRARIES.values()}, {name for name in needed if isinstance(name, str)}
        )


if __name__ == "__main__":
    unittest.main()
