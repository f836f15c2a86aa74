# SPDX-License-Identifier: BSD-3-Clause
"""How all plots look, and how they become files that a repository can hold. Needs matplotlib."""
import io
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "gpz",
    "font.size": 9,
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def use(**changes):
    plt.rcParams.update(SETTINGS | changes)


def save_svg(figure, path):
    """Equal figures give equal bytes, with coordinates of lines in hundredths of a point: half of the size."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = re.sub(r' d="[^"]*"', lambda line: re.sub(r"\d+\.\d{3,}", lambda n: f"{float(n[0]):.2f}", line[0]), text.getvalue())
    with open(path, "w") as file:
        file.write(svg)
