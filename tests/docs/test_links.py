# SPDX-License-Identifier: BSD-3-Clause
"""Links, anchors and file names in the documents lead somewhere."""
import re
import unittest
from pathlib import Path, PurePosixPath

from pages import ROOT, anchors, markdown_pages, prose_lines, tracked_files

# A file of the repository in backticks: its path from the root, or from gpz/.
FILE_NAME = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:cpp|hpp|cu|cuh|h|c|py|sh|md|rst|txt|cmake|lmp))`")
ROOMS = {path.split("/")[1] for path in tracked_files() if path.startswith("gpz/") and path.count("/") > 1}
FOLDERS = {path.split("/")[0] for path in tracked_files() if "/" in path}


class Links(unittest.TestCase):
    def test_every_link_has_a_target(self):
        files = set(tracked_files())
        folders = {str(parent) for path in files for parent in PurePosixPath(path).parents}
        broken = []
        links = 0
        for page in markdown_pages():
            for number, line in prose_lines(page):
                for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                    if re.match(r"[a-z]+:", target):
                        continue
                    links += 1
                    path, _, anchor = target.partition("#")
                    where = (ROOT / page).parent / path if path else ROOT / page
                    relative = str(where.resolve().relative_to(ROOT)) if where.exists() else path
                    if relative not in files and relative not in folders:
                        broken.append(f"{page}:{number}: no file {target}")
                    elif anchor and anchor not in anchors(relative):
                        broken.append(f"{page}:{number}: no heading for {target}")
        self.assertGreater(links, 30)
        self.assertEqual(broken, [])

    def test_every_reference_of_the_lammps_page_has_a_label(self):
        references = 0
        for page in (path for path in tracked_files() if path.endswith(".rst")):
            text = (ROOT / page).read_text()
            labels = set(re.findall(r"^\.\. _(\w+):", text, re.MULTILINE))
            used = set(re.findall(r":ref:`[^`]*<(\w+)>`", text))
            references += len(used)
            self.assertEqual(used - labels, set(), page)
        self.assertGreater(references, 0)

    def test_every_file_that_is_named_exists(self):
        files = set(tracked_files())
        missing = []
        for page in markdown_pages():
            for number, line in prose_lines(page):
                for name in FILE_NAME.findall(line):
                    first = name.split("/")[0]
                    if first not in FOLDERS | ROOMS | {"gpz"}:
                        continue  # of another project
                    candidates = {name, f"gpz/{name}", f"gpz/cuda/{name}", f"gpz/include/{name}", str(Path(page).parent / name)}
                    candidates |= {f"{candidate}.in" for candidate in candidates}  # made by CMake
                    if not candidates & files:
                        missing.append(f"{page}:{number}: {name}")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
