# SPDX-License-Identifier: BSD-3-Clause
"""The documents, and the comments and messages in code, use the words of docs/glossary.md."""
import re
import unittest

from pages import ROOT, prose_lines, tracked_files

# A phrase, and what to say instead.
INSTEAD = {
    r"who is who": "identity",
    r"what (?:is|was) left (?:of|by|after) ": "residual (of a prediction), remainder",
    r"\bst(?:ands?|ood) alone\b": "independent (a chunk), key frame (a frame)",
    r"\bof before\b": "previous, earlier",
    r"\bbut for\b": "except",
    r"\blikewise\b": "name the thing",
    r"\bas ever\b": "say how",
    r"\bcome and go\b": "arrive and leave",
    r"\bsees to\b": "checks, computes, provides",
    r"next to nothing": "the number",
}
NOT_TO_USE = re.compile("|".join(INSTEAD), re.IGNORECASE)
CODE = re.compile(r"(bench|cmake|evaluation|examples|gpz|lammps_pkg|scripts|tests|tools)/.*(\.(cpp|hpp|cu|cuh|c|h|in|py|sh|cmake|lmp)|CMakeLists\.txt)$")
LINE_BREAK = re.compile(r"\n\s*(?://|\*(?!/)|#)?\s*")  # and the sign of a comment
NAMELESS = re.compile(r'(?://|/\*|#|""")\s*The same\b.*')


def instead(phrase):
    return next(term for pattern, term in INSTEAD.items() if re.fullmatch(pattern, phrase, re.IGNORECASE))


class Words(unittest.TestCase):
    def test_words_not_to_use(self):
        pages = [path for path in tracked_files() if path.endswith((".md", ".rst"))]
        self.assertIn("docs/format.md", pages)
        found = [
            f"{page}:{number}: {match.group()}; say: {instead(match.group())}"
            for page in pages
            for number, line in prose_lines(page)
            for match in NOT_TO_USE.finditer(line)
        ]
        self.assertEqual(found, [])

    def test_words_not_to_use_in_code(self):
        files = [path for path in tracked_files() if CODE.match(path) and path != "tests/docs/test_words.py"]
        self.assertGreater(len(files), 100)
        found = []
        for path in files:
            text = (ROOT / path).read_text()
            flowing = LINE_BREAK.sub(" ", text)
            found += [f"{path}: ...{flowing[match.start() - 40:match.end() + 20]}..." for match in NOT_TO_USE.finditer(flowing)]
            found += [f"{path}: {match.group()}" for match in NAMELESS.finditer(text)]
        self.assertEqual(found, [])

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
