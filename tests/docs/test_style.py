# SPDX-License-Identifier: BSD-3-Clause
"""Style of the pages, as far as a program can judge it: proselint, and four rules of our own.

Averages of sentences, sentences without a verb, terms before they are explained, and history on pages for users. Who writes a page
reads it aloud as well: a program does not notice an idiom.
"""
import re
import unittest
from functools import lru_cache
from statistics import mean

from lemminflect import getAllLemmas
from pages import ROOT, markdown_pages
from proselint.checks import __register__ as proselint_checks
from proselint.registry import CheckRegistry
from proselint.tools import LintFile
from prose import paragraphs, plain, sentences, words

# For users, and for everyone who works on gpz. Decisions, measurements and the format are records, with a style of their own.
USER_PAGES = ["README.md", "SECURITY.md"] + [
    f"docs/{name}.md"
    for name in "archive bench commands gpu_api install library limitations matrix performance pictures programs python settings tutorial".split()
]
PAGES = USER_PAGES + ["HACKING.md", "docs/architecture.md", "docs/reliability.md", "evaluation/README.md", "packaging/README.md"]

# Words a sentence, on average on a page, and at most. Pages for users are easier to read than the others.
AVERAGE_WORDS, AVERAGE_WORDS_FOR_USERS = 17, 15
LONGEST, LONGEST_FOR_USERS = 50, 45

# Checks of proselint that read units, code and plain text as mistakes.
NOT_OURS = ("typography.", "dates_times.", "lexical_illusions", "archaism")

# Terms of ours, and how a page explains them: by a link to one of these places, or by emphasis where the page says what they mean.
TERMS = {
    "key frame": r"key frames?\b(?!s? (?:interval|`))",
    "difference frame": r"difference frames?\b",
    "chunk": r"chunks?\b",
    "residual": r"residuals?\b",
    "grid step": r"grid steps?\b",
    "independent chunk": r"independent chunks?\b",
}
EXPLAINING = re.compile(r"glossary\.md|settings\.md#key-frames")

HISTORY = re.compile(
    r"\b(earlier (?:versions?|builds?|files)|previously|no longer|used to be|nowadays|targets?: (?:met|missed)|(?:is|was|are|were) (?:met|missed)\b|(?:was|were) measured before|as of 20\d\d|since 20\d\d-)",
    re.IGNORECASE,
)

ALWAYS_VERBS = set(
    "is are was were be been am has have had do does did can could will would may might must shall should cannot let isn't aren't doesn't don't".split()
)
PRONOUNS = {"i", "you", "we", "they", "it", "these", "those", "who", "that", "which", "both", "all", "others", "to", "not", "and", "or", "then", "nearly"}

OPENING = {"A", "An", "The", "This", "That", "For", "In", "On", "By", "At", "From", "With", "Without", "No", "Of"}


@lru_cache(maxsize=None)
def verb_kind(word):
    """2: a verb, or no other word. 1: may be a verb. 0: none."""
    word = word.lower()
    if word in ALWAYS_VERBS:
        return 2
    if not getAllLemmas(word, upos="VERB"):
        return 0
    return 1 if any(getAllLemmas(word, upos=kind) for kind in ("NOUN", "ADJ", "ADV")) else 2


def is_label(sentence):
    """As in "In C: `gpz_open`": a word or two behind a colon."""
    before, colon, after = sentence.partition(": ")
    return bool(colon) and (len(words(after)) <= 4 or "CODE" in after)


def has_verb(sentence):
    found = words(sentence)
    if any(verb_kind(word) == 2 for word in found) or verb_kind(found[0]):
        return True
    for before, word in zip(found, found[1:]):
        is_name = before[0].isupper() and before not in OPENING
        after_subject = before.lower() in PRONOUNS or before.endswith("s") or is_name
        if verb_kind(word) and (after_subject or word.endswith("s")):
            return True
    return False


class Rules(unittest.TestCase):
    def test_verbs(self):
        for sentence in ("The reader checks it.", "They cost little.", "Set CODE.", "GPUs sort atoms by position."):
            self.assertTrue(has_verb(sentence), sentence)
        for sentence in ("Lossy compression of integers.", "The width of the table.", "For Python 3.10 and newer.", "A second program for it."):
            self.assertFalse(has_verb(sentence), sentence)

    def test_labels(self):
        self.assertTrue(is_label("In C: CODE, or CODE."))
        self.assertFalse(is_label("In C: a long form of the same thing by hand."))


class Style(unittest.TestCase):
    maxDiff = None

    def test_pages_are_known(self):
        self.assertEqual(set(PAGES) - set(markdown_pages()), set())

    def test_sentences_are_short_on_average(self):
        long = []
        for page in PAGES:
            lengths = [len(words(sentence)) for _, sentence in sentences(page)]
            most = AVERAGE_WORDS_FOR_USERS if page in USER_PAGES else AVERAGE_WORDS
            if lengths and mean(lengths) > most:
                long.append(f"{page}: {mean(lengths):.1f} words a sentence, at most {most}")
        self.assertEqual(long, [])

    def test_no_sentence_is_very_long(self):
        long = [
            f"{page}:{line}: {len(words(sentence))} words: {sentence[:60]}..."
            for page in PAGES
            for line, sentence in sentences(page)
            if len(words(sentence)) > (LONGEST_FOR_USERS if page in USER_PAGES else LONGEST)
        ]
        self.assertEqual(long, [])

    def test_sentences_have_a_verb(self):
        without = [
            f"{page}:{line}: {sentence}"
            for page in PAGES
            for line, sentence in sentences(page)
            if len(words(sentence)) >= 3 and not is_label(sentence) and not has_verb(sentence)
        ]
        self.assertEqual(without, [])

    def test_terms_are_explained_where_they_are_first_used(self):
        unexplained = []
        for page in USER_PAGES:
            text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
            text = "\n".join(line for line in text.splitlines() if not line.startswith("#") and "](#" not in line)
            for term, pattern in TERMS.items():
                first = re.search(rf"\b{pattern}", text)
                if not first:
                    continue
                paragraph = text[text.rfind("\n\n", 0, first.start()) + 1 : text.find("\n\n", first.end())]
                emphasised = re.search(rf"\*{{1,2}}(?:an? )?{pattern}[^*\n]{{0,40}}\*", paragraph, re.IGNORECASE)
                if not emphasised and not EXPLAINING.search(text[: first.start()] + paragraph):
                    unexplained.append(f"{page}: {term}: ...{text[max(first.start() - 40, 0):first.end() + 20]!r}")
        self.assertEqual(unexplained, [])

    def test_user_pages_have_no_history(self):
        found = [
            f"{page}:{line}: {match.group()}"
            for page in USER_PAGES
            for line, text in paragraphs(page)
            for match in HISTORY.finditer(text)
        ]
        self.assertEqual(found, [])

    def test_proselint(self):
        CheckRegistry().register_many(proselint_checks)
        found = []
        for page in PAGES:
            lines = [(line, plain(text)) for line, text in paragraphs(page)]
            content = "\n".join(text for _, text in lines)
            for result in LintFile(page, content).lint():
                check = result.check_result
                if not check.check_path.startswith(NOT_OURS):
                    line = lines[content[: max(check.span[0] - 1, 0)].count("\n")][0]
                    found.append(f"{page}:{line}: {check.message} ({check.check_path})")
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
