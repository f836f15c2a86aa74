#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The picture of docs/performance.md: bits per atom and frame against the bound, frames 100 steps apart. Needs matplotlib."""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from tables import ROOT, Figures  # noqa: E402

BOUNDS = ("coarse", "middle", "fine")
# (title, name in docs/figures.json, unit, largest bound)
SYSTEMS = (("LJ melt", "melt", "σ", 0.005), ("copper", "copper", "Å", 0.05), ("rhodopsin in water", "rhodo", "Å", 0.05))
LINES = (
    ("dump xtc: positions only", "{}.xtc.{}", "0.55", "s"),
    ("gpz, standard", "{}.100.standard.{}.32k", "C0", "o"),
    ("gpz, dense", "{}.100.dense.{}.32k", "C1", "^"),
)


def main():
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "gpz", "font.size": 9, "font.family": "sans-serif"})
    figures = Figures()
    plot, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
    for axis, (title, name, unit, largest) in zip(axes, SYSTEMS):
        bounds = [largest / 10**i for i in range(3)]
        for label, key, color, marker in LINES:
            values = [figures.number(key.format(name, bound)) for bound in BOUNDS]
            axis.plot(bounds, values, color=color, marker=marker, markersize=5, label=label)
        axis.set_xscale("log")
        axis.set_xlabel(f"bound, {unit}")
        axis.set_title(title, fontsize=9)
        axis.set_ylim(0, 60)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[0].set_ylabel("bits per atom and frame")
    axes[0].legend(frameon=False, fontsize=8)
    plot.savefig(ROOT / "docs" / "figures" / "size_against_bound.svg", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
