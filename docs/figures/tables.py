#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of measured figures on user pages: tables.py writes them between <!-- figures: NAME --> and <!-- end -->.

docs/figures.json names the cell of a page of measurements that each figure is read from. No figure is written in two places by hand.
tests/docs/test_figures.py fails where a page differs from what this script writes.
"""
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARKED = re.compile(r"(<!-- figures: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def cells(line):
    return [cell.strip().replace("**", "") for cell in line.strip().strip("|").split("|")]


def table_rows(page, head):
    """The rows, as lists of cells, of the table on `page` whose first line begins with the cells `head`. The first line is row 0."""
    lines = (ROOT / page).read_text().splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("|") and cells(line)[: len(head)] == head]
    if len(starts) != 1:
        raise ValueError(f"{page}: {len(starts)} tables begin with {head}")
    rows = []
    for line in lines[starts[0] :]:
        if not line.startswith("|"):
            break
        rows.append(cells(line))
    return rows


def cell_text(source):
    """The text of one cell: "page", "table" (the first cells of its head), "row" (a first cell), "second" (its second cell),
    "column" (a number), "after" (a first cell above the row, where rows repeat)."""
    rows = table_rows(source["page"], source["table"])
    if "after" in source:
        rows = rows[[row[0] for row in rows].index(source["after"]) :]
    second = source.get("second")
    matching = [row for row in rows if row[0] == source["row"] and second in (None, row[1])]
    if not matching:
        raise ValueError(f"{source['page']}: no row {source['row']} in the table {source['table']}")
    return matching[0][source["column"]]


class Figures:
    def __init__(self, path=ROOT / "docs" / "figures.json"):
        described = json.loads(path.read_text())
        self.figures = described["figures"]
        self.tables = described["tables"]
        self.prose = described["prose"]  # parts of sentences, by page
        self.constants = described["constants"]  # quantities that are no measurement, by page
        self.plotted = described["plotted"]  # figures of pictures

    def number(self, name):
        figure = self.figures[name]
        if "ratio" in figure:
            over, under = (part if isinstance(part, (int, float)) else self.number(part) for part in figure["ratio"])
            return over / under
        if "text" in figure:
            match = re.search(figure["text"], (ROOT / figure["page"]).read_text())
            if not match:
                raise ValueError(f"{figure['page']}: nowhere {figure['text']}")
            return float(match.group(1).replace(",", ""))
        text = cell_text(figure)
        if "part" in figure:
            text = text.split("/")[figure["part"]]
        match = re.search(figure.get("pattern", r"[\d.,]+"), text)
        if not match:
            raise ValueError(f"{name}: no number in {text!r}")
        return float(match.group(match.lastindex or 0).strip(".,").replace(",", ""))

    def text(self, name):
        return f"{self.number(name):,.{self.figures[name].get('digits', 1)}f}"

    def table(self, name):
        """The lines of a table. A cell {"figure": NAME} is the figure; "bold" marks it. Every other cell is text."""
        described = self.tables[name]

        def shown(cell):
            if isinstance(cell, str):
                return cell
            names = cell["figure"] if isinstance(cell["figure"], list) else [cell["figure"]]
            numbers = [f"{self.number(part):{cell['format']}}" if "format" in cell else self.text(part) for part in names]
            text = " / ".join(numbers) + cell.get("unit", "")
            return f"**{text}**" if cell.get("bold") else text

        rows = [described["head"], ["---"] * len(described["head"])] + described["rows"]
        return "".join(f"|{'|'.join(f' {shown(cell)} ' if cell != '---' else cell for cell in row)}|\n".replace("|  |", "| |") for row in rows)

    def sentence(self, template):
        """A part of a sentence: {NAME} stands for a figure."""
        return re.sub(r"\{([\w.]+)\}", lambda match: self.text(match[1]), template)

    def page(self, text):
        """The text of a page with its tables written anew."""
        return MARKED.sub(lambda match: f"{match[1]}\n{self.table(match[2])}\n{match[4]}", text)


def main():
    figures = Figures()
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text()
        written = figures.page(text)
        if written != text:
            page.write_text(written)
            print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
