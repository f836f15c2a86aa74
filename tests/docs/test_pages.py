# SPDX-License-Identifier: BSD-3-Clause
"""Pages are whole: no marks of a merge, tables whose rows are as long as their heads."""
import re
import unittest

from pages import ROOT, prose_lines, tracked_files


class Pages(unittest.TestCase):
    def test_no_page_has_two_versions_of_a_merge(self):
        pages = [path for path in tracked_files() if path.endswith((".md", ".rst", ".py", ".txt", ".sh", ".cmake"))]
        marked = [page for page in pages if re.search(r"^(<{7}|>{7}) ", (ROOT / page).read_text(), re.MULTILINE)]
        self.assertEqual(marked, [])

    def test_rows_of_tables_have_as_many_cells_as_their_heads(self):
        uneven = []
        for page in (path for path in tracked_files() if path.endswith(".md")):
            width = None
            for number, line in prose_lines(page):
                if not line.startswith("|"):
                    width = None
                    continue
                cells = len(re.sub(r"`[^`]*`", "", line).replace(r"\|", "").strip().strip("|").split("|"))
                width = width or cells
                if cells != width:
                    uneven.append(f"{page}:{number}: {cells} cells, the head has {width}")
        self.assertEqual(uneven, [])


if __name__ == "__main__":
    unittest.main()
