# SPDX-License-Identifier: BSD-3-Clause
"""Tables of docs/architecture.md have what the sources have."""
import re
import unittest

from pages import ROOT


def rows_below(page, heading):
    """The cells of the rows of the table with this heading."""
    text = (ROOT / page).read_text()
    lines = text[text.index(heading) :].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


class Codings(unittest.TestCase):
    rows = rows_below("docs/architecture.md", "| coding | chunks |")

    def test_each_coding_has_a_row(self):
        source = (ROOT / "gpz/format/codings.hpp").read_text()
        listed = re.search(r"enum FieldCodingKind[^{]*\{([^}]*)\}", source)
        numbers = [int(number) for name, number in re.findall(r"(\w+) = (\d+)", listed.group(1)) if not name.startswith("left_out")]
        self.assertGreater(len(numbers), 10)
        self.assertEqual([int(row[0]) for row in self.rows], numbers)

    def test_files_are_there(self):
        folder = ROOT / "gpz/trajectory/codings"
        named = set()
        for number, _, *cells in self.rows:
            for path in re.findall(r"`([^`]+)`", " ".join(cells[:-1])):
                if "/" in path:
                    self.assertTrue((ROOT / "gpz" / path).is_file(), f"coding {number}: {path}")
            named.add(cells[-1].strip("`"))
        self.assertEqual(named, {path.name for path in folder.iterdir()})


if __name__ == "__main__":
    unittest.main()
