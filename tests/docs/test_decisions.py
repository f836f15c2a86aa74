# SPDX-License-Identifier: BSD-3-Clause
"""Decisions say whether they hold, and their index knows all of them."""
import re
import unittest

from pages import ROOT

FOLDER = ROOT / "docs" / "decisions"
STATUS = re.compile(r"Status: .*\b\d{4}-\d\d-\d\d\b")


class Decisions(unittest.TestCase):
    def setUp(self):
        self.pages = sorted(FOLDER.glob("0*.md"))
        self.rows = [line for line in (FOLDER / "README.md").read_text().splitlines() if line.startswith("| [")]
        self.assertGreater(len(self.pages), 40)

    def status(self, page):
        return page.read_text().splitlines()[2]

    def test_every_page_has_a_status_and_a_date(self):
        self.assertEqual([page.name for page in self.pages if not STATUS.match(self.status(page))], [])

    def test_the_index_has_every_page_once(self):
        listed = [re.match(r"\| \[(\d+)\]\((\d+)(-[\w-]+\.md)\) \|", row).groups() for row in self.rows]
        self.assertEqual([number for number, digits, _ in listed if int(number) != int(digits)], [])
        self.assertEqual(sorted(digits + name for _, digits, name in listed), [page.name for page in self.pages])

    def test_the_index_marks_what_is_superseded(self):
        marked = {re.search(r"\((0[\w-]+\.md)\)", row)[1] for row in self.rows if row.rstrip(" |").count("|") > 2}
        superseded = {page.name for page in self.pages if "superseded" in self.status(page).lower()}
        self.assertEqual(marked, superseded)
        for page in self.pages:
            status = self.status(page)
            after = status.lower().partition("superseded")[2]
            if page.name in superseded:
                self.assertRegex(after, r"\]\(0[\w-]+\.md\)", f"{page.name}: by which decision?")


if __name__ == "__main__":
    unittest.main()
