# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of a page, without code, tables and marks."""
import re

from pages import ROOT

LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]+`")
# A full stop, if no abbreviation, and a capital letter, a number or code behind it.
END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!\bFig)(?<!\bNo)(?<=[.?!])[)\"*]*\s+(?=[\"(*]*[A-Z0-9`])")


def paragraphs(page):
    """The paragraphs and list items of a Markdown page, each as (number of its first line, text with its marks)."""
    fenced = False
    item = []
    start = 0
    for number, line in enumerate((ROOT / page).read_text().splitlines() + [""], 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        begins = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        stops = fence or fenced or not line.strip() or re.match(r"\s*(?:\||#|<!--|>|!\[)", line)
        if (stops or begins) and item:
            yield start, " ".join(item)
            item = []
        if not stops:
            start = start if item else number
            item.append(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", line).strip())


def plain(text):
    """A paragraph without marks: code is the word CODE, a link its text."""
    return re.sub(r"\*\*|(?<!\w)[*_]|[*_](?!\w)", "", CODE.sub("CODE", LINK.sub(r"\1", text)))


def sentences(page):
    """(line, sentence) for what ends as a sentence does. A list of links is none."""
    for line, text in paragraphs(page):
        if " · " in text:
            continue
        for sentence in END.split(plain(text)):
            if re.search(r"[.?!][)\"]?$", sentence.strip()):
                yield line, sentence.strip()


def words(sentence):
    return re.findall(r"[^\W\d_](?:[\w'’-]*\w)?|\d[\d.,]*", sentence)
