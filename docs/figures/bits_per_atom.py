#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The picture of README: bits per atom and frame, 100 steps apart, middle bounds. From tables in docs/results/trajectories.md. Needs matplotlib."""
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

FOLDER = Path(__file__).resolve().parent
# (title, column of the table), and (row of the table, label, color)
SYSTEMS = (
    ("LJ melt, 108,000 atoms\nbound 0.0005 σ", 2),
    ("copper, 108,000 atoms\nbound 0.005 Å", 5),
    ("rhodopsin in water, 32,000 atoms\nbound 0.005 Å", 8),
)
WAYS = (
    ("dump custom/zstd", "dump custom/zstd", "0.75"),
    ("dump xtc", "dump xtc (without ids, types)", "0.75"),
    ("MDZ, unwrapped before", "MDZ (without ids, types)", "0.75"),
    ("gpz", "gpz encode", "C0"),
)
# Of the tables under "Efforts": first cell of the heading, column.
GPZ = (("108,000 atoms", 2), ("108,000 atoms", 4), ("32,000 atoms", 8))


def standard(lines, heading, column):
    """Bits with effort standard at the middle bound."""
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {heading} | melt, 10 steps"))
    row = next(line for line in lines[start:] if line.startswith("| standard |"))
    return row.strip("|").split("|")[column].split("/")[1].strip()


def rows():
    lines = (FOLDER.parent / "results" / "trajectories.md").read_text().splitlines()
    table = {}
    inside = False
    for line in lines:
        cells = [cell.strip().strip("*") for cell in line.strip("|").split("|")]
        if re.match(r"\d[\d,]* steps: gpz", cells[0]):
            inside = cells[0].startswith("100 steps: gpz")
        if inside and line.startswith("|"):
            table.setdefault(cells[0], cells)
    table["gpz"] = {column: standard(lines, *place) for (_, column), place in zip(SYSTEMS, GPZ)}
    return table


def main():
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "gpz", "font.size": 9, "font.family": "sans-serif"})
    table = rows()
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.1), sharey=True, layout="constrained")
    labels = [label for _, label, _ in WAYS]
    for axis, (title, column) in zip(axes, SYSTEMS):
        values = [float(table[row][column]) for row, _, _ in WAYS]
        bars = axis.barh(labels, values, color=[color for _, _, color in WAYS])
        axis.bar_label(bars, [f"{value:.3g}" for value in values], padding=3)
        axis.invert_yaxis() if axis is axes[0] else None
        axis.set_title(title, fontsize=9)
        axis.set_xlim(0, 140)
        axis.set_xticks([])
        for side in ("top", "right", "bottom"):
            axis.spines[side].set_visible(False)
        axis.tick_params(left=False)
    figure.supxlabel("bits per atom and frame, frames 100 steps apart; gpz encode and zstd include ids and types", fontsize=9)
    figure.savefig(FOLDER / "bits_per_atom.svg", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
