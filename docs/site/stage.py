#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lays out what Sphinx reads: stage.py BUILD OUT.

The pages of the repository are written for GitHub. Here they move to where they stand in the site, and their links
follow: to the page if the target has one, else to a copy of the file. BUILD is the build folder of gpz, with the manual
pages of the target gpz_pages.
"""

import argparse
import json
import os
import re
import shutil
from base64 import b64decode
from pathlib import Path
from typing import Dict, Iterator, List

from clients import clients_page
from manual import markdown

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
# Folders that pages link to, and the page of the site that says what is in them.
FOLDERS = {"examples": "examples.md", "docs/decisions": "decisions/index.md", "gpz/include/gpz": "reference/cpp.rst"}
# Folders whose pages are listed below a page of their own: that page.
INDEXES = {"decisions": "decisions/index.md", "evaluation": "evaluation/index.md", "results": "results.md"}
LINK = re.compile(r"(`[^`]*`)|\]\(([^)\s#]*)(#[^)\s]*)?\)")


def pages() -> Dict[str, str]:
    """Where each page of the repository goes: its path from the root, and its path in the site."""
    found = {"README.md": "index.md"}
    for name in ("HACKING", "SECURITY", "CHANGELOG", "THIRD_PARTY"):
        found[f"{name}.md"] = f"{name.lower()}.md"
    for folder in ("packaging", "lammps_pkg/upstream", "molfile", "tests/reference"):
        if (ROOT / folder / "README.md").exists():
            found[f"{folder}/README.md"] = f"{folder}.md"
    documents = [(path, path.relative_to(ROOT / "docs")) for path in sorted((ROOT / "docs").rglob("*"))]
    documents += [(path, path.relative_to(ROOT)) for path in sorted((ROOT / "evaluation").glob("*.md"))]
    for path, name in documents:
        if path.suffix in (".md", ".ipynb") and name.parts[0] != "site":
            target = name.with_name("index.md") if name.name == "README.md" else name.with_suffix(".md")
            found[str(path.relative_to(ROOT))] = str(target)
    for path in sorted((ROOT / "lammps_pkg" / "doc").glob("*.rst")):
        found[str(path.relative_to(ROOT))] = f"lammps/{path.name}"
    for path in sorted((SITE / "pages").iterdir()):
        found[str(path.relative_to(ROOT))] = f"reference/{path.name}"
    return found


class Stage:
    def __init__(self, out: Path):
        self.out = out
        self.pages = pages()
        self.missing: List[str] = []  # what links lead to

    def write(self, name: str, text: str) -> None:
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def linked(self, source: str, text: str) -> str:
        """Markdown of the page `source` with its links as the site needs them."""
        here = os.path.dirname(self.pages[source])

        def moved(match: "re.Match[str]") -> str:
            quoted, target, anchor = match.groups()
            if quoted or not target or re.match(r"[a-z]+:|/", target):
                return match.group()
            path = os.path.normpath(os.path.join(os.path.dirname(source), target))
            page = self.pages.get(path) or FOLDERS.get(path) or self.pages.get(f"{path}/README.md")
            if not page and not (ROOT / path).is_file():
                self.missing.append(f"{source}: {target} is no file, and no folder that FOLDERS has a page for")
                return match.group()
            if not page and path.endswith(".md"):
                self.missing.append(f"{source}: {target} is no page of the site, pages() has to name it")
                return match.group()
            if not page:
                page = f"files/{path}"
                (self.out / page).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, self.out / page)
            return f"]({os.path.relpath(page, here or '.')}{anchor or ''})"

        parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
        return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)

    def repository(self) -> None:
        for source, target in self.pages.items():
            if source.endswith(".ipynb"):
                text = "".join(self.notebook(source, target))
            elif source.endswith(".md"):
                text = self.linked(source, (ROOT / source).read_text())
            else:
                text = (ROOT / source).read_text()
            if source == "README.md":
                text += (SITE / "contents.md").read_text()
            self.write(target, text)

        self.write("reference/clients.rst", clients_page(ROOT / "python" / "gpz"))

    def notebook(self, page: str, target: str) -> Iterator[str]:
        """A notebook as Markdown: its text, its code, and the outputs that it was stored with."""
        path = ROOT / page
        pictures = 0
        for cell in json.loads(path.read_text())["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] != "code":
                yield self.linked(page, source) + "\n\n"
                continue
            yield f"```python\n{source}\n```\n\n"
            for output in cell["outputs"]:
                data = output.get("data", {})
                if "image/png" in data:
                    name = f"{path.stem}-{pictures}.png"
                    pictures += 1
                    picture = self.out / os.path.dirname(target) / name
                    picture.parent.mkdir(parents=True, exist_ok=True)
                    picture.write_bytes(b64decode("".join(data["image/png"])))
                    yield f"![output of the cell above](/{os.path.dirname(target)}/{name})\n\n"
                elif output.get("text") or "text/plain" in data:
                    text = "".join(output.get("text") or data["text/plain"]).rstrip("\n")
                    yield f"```text\n{text}\n```\n\n"

    def examples(self) -> None:
        """One page with the files of examples/."""
        languages = {".c": "c", ".cpp": "cpp", ".py": "python"}
        text = ["# Examples\n\nThe folder `examples` of the repository.\n"]
        for path in sorted((ROOT / "examples").iterdir()):
            if path.is_file():
                text.append(f"## {path.name}\n\n```{languages.get(path.suffix, 'LAMMPS')}\n{path.read_text()}```\n")
        self.write("examples.md", "\n".join(text))

    def commands(self, manual: Path) -> None:
        """The manual pages that the program writes of its own options."""
        names = [path.stem for path in sorted(manual.glob("*.1"))]
        if not names:
            raise SystemExit(f"no manual pages in {manual}: build the target gpz_pages")
        for name in names:
            page = markdown((manual / f"{name}.1").read_text(), name.replace("-", " "))
            if name == "gpz":
                others = "\n".join(other for other in names if other != name)
                page += f"\n```{{toctree}}\n:hidden:\n\n{others}\n```\n"
            self.write(f"commands/{name}.md", page)

    def others(self) -> None:
        """Pages that the table of contents does not name are listed at its end."""
        contents = self.out / "index.md"
        named = set(re.findall(r"^(?:.*<)?([\w/.-]+)>?$", contents.read_text(), re.MULTILINE))
        rest = sorted(
            str(path.relative_to(self.out).with_suffix(""))
            for path in self.out.rglob("*")
            if path.suffix in (".md", ".rst") and path.parts[len(self.out.parts)] not in ("files", "commands")
        )
        indexed = [name for name in rest if os.path.dirname(name) in INDEXES]
        rest = [name for name in rest if name not in named and name not in indexed and name != "index"]
        tree = "\n```{{toctree}}\n:hidden:\n:caption: {}\n\n{}\n```\n"
        notebooks = [name for name in rest if name.startswith("notebooks/")]
        for caption, names in (("Notebooks", notebooks), ("More", [name for name in rest if name not in notebooks])):
            if names:
                contents.write_text(contents.read_text() + tree.format(caption, "\n".join(names)))
        for folder, index in INDEXES.items():
            listed = "\n".join(f"/{name}" for name in indexed if os.path.dirname(name) == folder and f"{name}.md" != index)
            page = self.out / index
            page.write_text(page.read_text() + f"\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    stage = Stage(arguments.out)
    stage.repository()
    stage.examples()
    stage.commands(arguments.build / "tools" / "manual" / "pages" / "man")
    stage.others()
    if stage.missing:
        raise SystemExit("\n".join(stage.missing))


if __name__ == "__main__":
    main()
