# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages as Markdown: the few requests of roff that tools/manual/man_page.cpp writes, and no others."""

import re
from typing import Iterator, List

CHARACTERS = {r"\e": "\\", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\-": "-", r"\&": ""}


def words(roff: str) -> str:
    """A line of roff: fonts become emphasis, whatever means something to Markdown is quoted."""
    text = re.sub(
        "|".join(map(re.escape, CHARACTERS)), lambda match: CHARACTERS[match.group()], re.sub(r"\\f", "\x00", roff)
    )
    text = re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", text)
    text = re.sub("\x00B(.*?)\x00R", r"**\1**", text)
    text = re.sub("\x00I(.*?)\x00R", r"*\1*", text)
    if "\x00" in text:
        raise ValueError(f"docs/site/manual.py does not know a font of {roff}")
    return text


def lines(roff: str) -> Iterator[str]:
    term = False  # the next line is one that an indented paragraph explains
    indent = ""
    for line in roff.splitlines():
        request, _, rest = line.partition(" ")
        if request == ".TH":
            continue
        if request == ".SH":
            indent = ""
            yield f"\n## {rest.capitalize()}\n"
        elif request == ".TP":
            term = True
        elif request == ".PP":
            yield ""
        elif request == ".br":
            yield "\\"
        elif request == ".BR":
            page = words(rest.replace(" (", "(")).replace("(1)", "")
            yield f"{'- ' if term else ''}[{page.replace('-', ' ')}]({page}.md)" + "\\" * term
            indent, term = ("  ", False) if term else (indent, False)
        elif line.startswith("."):
            raise ValueError(f"docs/site/manual.py does not know {line}")
        elif term:
            indent, term = "  ", False
            yield f"- {words(line)}\\"
        else:
            yield indent + words(line)


def markdown(roff: str, name: str) -> str:
    """The page of the command `name`, whose first section becomes the title and a sentence."""
    text: List[str] = list(lines(roff))
    summary = next(line for line in text if " - " in line).partition(" - ")[2]
    start = next(i for i, line in enumerate(text) if line.startswith("\n## Synopsis"))
    return (
        f"# {name}\n\n{summary[0].upper()}{summary[1:]}.\n" + "\n".join(text[start:]).replace("\n\\\n", "\\\n") + "\n"
    )
