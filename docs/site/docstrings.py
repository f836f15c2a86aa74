# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings of the package as reStructuredText.

They are written to be read in a terminal: indented code, arguments as "name: what it is", with further lines indented.
"""

import re
from typing import Iterator, List

from sphinx.application import Sphinx

ARGUMENT = re.compile(r"^(\w+(?:, \w+)*): +(\S.*)$")
ENTRY = re.compile(r"^(\w[\w., ()]*?) {2,}(\S.*)$")


def paragraphs(lines: List[str]) -> Iterator[List[str]]:
    block: List[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def entries(block: List[str], pattern: "re.Pattern[str]") -> List[str]:
    """A list of definitions; what is before its first entry stays a paragraph."""
    out: List[str] = []
    within = False
    for line in block:
        match = pattern.match(line)
        if match:
            names = ", ".join(f"``{name}``" for name in match.group(1).split(", "))
            out += [""] * (not within) + [names, f"    {match.group(2)}"]
            within = True
        else:
            out.append(f"    {line.strip()}" if within else line)
    return out


def restructured(lines: List[str]) -> List[str]:
    out: List[str] = []
    in_code = False
    for block in paragraphs(lines):
        code = all(line.startswith("    ") for line in block)
        if code and not in_code:
            out += [".. code-block:: python", ""]
        in_code = code
        if not code and any(ARGUMENT.match(line) for line in block):
            block = entries(block, ARGUMENT)
        elif not code and all(ENTRY.match(line) or line.startswith(" ") for line in block):
            block = entries(block, ENTRY)
        out += [*block, ""]
    return out


def setup(app: Sphinx):
    app.connect(
        "autodoc-process-docstring",
        lambda app, what, name, obj, options, lines: lines.__setitem__(slice(None), restructured(lines)),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
