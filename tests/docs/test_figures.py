# SPDX-License-Identifier: BSD-3-Clause
"""Figures on user pages are those of the pages of measurements: docs/figures.json names the place of each."""
import re
import sys
import unittest

from pages import ROOT, prose_lines

sys.path.insert(0, str(ROOT / "docs" / "figures"))

from tables import MARKED, Figures  # noqa: E402

# Pages on which every measured quantity has to come from docs/figures.json.
USER_PAGES = ["README.md", "SECURITY.md"] + [
    f"docs/{name}.md" for name in "archive bench install library matrix performance programs settings".split()
]
QUANTITY = re.compile(r"[\d.,]*\d (?:bits?\b|[kMGT]B/s|MB\b|µs\b|ms\b|frames a second|% of the (?:size|time))")


class UserPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.figures = Figures()

    def test_tables_are_those_of_the_measurements(self):
        used = set()
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            text = page.read_text()
            used |= {match[2] for match in MARKED.finditer(text)}
            self.assertEqual(self.figures.page(text), text, f"{page.relative_to(ROOT)}: run docs/figures/tables.py")
        self.assertEqual(set(self.figures.tables) - used, set(), "tables on no page")

    def test_sentences_have_the_figures_of_the_measurements(self):
        for page, templates in self.figures.prose.items():
            text = " ".join((ROOT / page).read_text().split())
            for template in templates:
                self.assertIn(self.figures.sentence(template), text, f"{page}: docs/figures.json says {template!r}")

    def test_no_other_measured_quantity_is_on_a_page(self):
        for page in USER_PAGES:
            known = [self.figures.sentence(template) for template in self.figures.prose.get(page, [])]
            text = MARKED.sub("", "\n".join(line for _, line in prose_lines(page)))
            text = " ".join(text.split())
            for sentence in known:
                text = text.replace(sentence, "")
            # Properties of the format and of memory, which nothing measures.
            for constant in self.figures.constants.get(page, []):
                self.assertIn(constant, text, page)
                text = text.replace(constant, "")
            self.assertEqual(QUANTITY.findall(text), [], page)

    def test_a_figure_that_no_page_shows_is_none(self):
        shown = set()
        for described in self.figures.tables.values():
            for row in described["rows"]:
                for cell in row:
                    if not isinstance(cell, str):
                        shown |= set(cell["figure"] if isinstance(cell["figure"], list) else [cell["figure"]])
        for templates in self.figures.prose.values():
            for template in templates:
                shown |= set(re.findall(r"\{([\w.]+)\}", template))
        waiting = list(shown)
        while waiting:
            figure = self.figures.figures[waiting.pop()]
            parts = {part for kind in ("ratio", "min", "max") for part in figure.get(kind, []) if isinstance(part, str)}
            waiting += parts - shown
            shown |= parts
        shown |= set(self.figures.plotted)
        self.assertEqual(set(self.figures.figures) - shown, set())


if __name__ == "__main__":
    unittest.main()
