# SPDX-License-Identifier: BSD-3-Clause
"""The documents of the repository: their lines, headings, links and code blocks."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tracked_files():
    """Paths of all files of the repository, relative to its root. Without git: all files but those of builds."""
    try:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, check=True)
        paths = listed.stdout.decode().splitlines()
    except (OSError, subprocess.CalledProcessError):
        paths = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
        paths = [path for path in paths if not re.match(r"(build|\.)", path)]
    return [path for path in paths if (ROOT / path).exists()]


def markdown_pages():
    return [path for path in tracked_files() if path.endswith(".md")]


def code_blocks(page, language):
    """The fenced blocks of a page in this language, each as one text."""
    text = (ROOT / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def prose_lines(page):
    """(line number, text) of a page without its fenced blocks."""
    fenced = False
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(page):
    """The anchors that GitHub makes of the headings of a page."""
    found = set()
    for _, line in prose_lines(page):
        heading = re.match(r"#+ (.*)", line)
        if not heading:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
        anchor = base = re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-")
        repeated = 0
        while anchor in found:
            repeated += 1
            anchor = f"{base}-{repeated}"
        found.add(anchor)
    return found
