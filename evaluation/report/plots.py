# SPDX-License-Identifier: BSD-3-Clause
"""Plots: rate-distortion curves, and pictures of Poincaré points. Needs matplotlib."""
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from .results import is_ours

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
import plot_style  # noqa: E402

COLUMNS, DATA_COLUMNS = 3, 4
GREYS = ("black", "0.35", "0.55", "0.72")
COLORS = ("C0", "C1", "C2", "C3", "C4", "C5", "C6", "C8", "C9")
MARKERS = "osv^D"


def look_of(programs, name, on_cpu):
    """Ours in black and grey and thick; CPU programs dashed."""
    ours = is_ours(name)
    place = [other for other in programs if is_ours(other) == ours].index(name)
    color = GREYS[place % len(GREYS)] if ours else COLORS[place % len(COLORS)]
    return {
        "color": color,
        "linewidth": 2 if ours else 1,
        "linestyle": "--" if on_cpu else "-",
        "marker": "o" if ours else MARKERS[(place // len(COLORS) + 1) % len(MARKERS)],
        "markersize": 4 if ours else 3,
        "zorder": 3 if ours else 2,
    }


def rate_distortion(results, names, path):
    """PSNR against bits a particle, one panel for each of the data sets `names`; logarithmic in the bits."""
    plot_style.use()
    programs = results.programs()
    devices = {row.program: row.device for row in results}
    lines = (len(names) + COLUMNS) // COLUMNS
    figure, axes = plt.subplots(lines, COLUMNS, figsize=(9, 2.7 * lines), layout="constrained", squeeze=False)
    handles = {}
    for axis, data in zip(axes.flat, names):
        for name in programs:
            curve = results.curve(name, data)
            if not curve:
                continue
            look = look_of(programs, name, devices[name] == "cpu")
            (handles[name],) = axis.plot(*zip(*curve), label=name, **look)
        axis.set_xscale("log", base=4)
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:.2g}")
        axis.set_title(data, fontsize=9)
        axis.grid(color="0.9")
    for axis in axes.flat[len(names) :]:
        axis.axis("off")
    legend = axes.flat[len(names)] if len(names) < axes.size else figure
    legend.legend(handles.values(), handles, loc="center", ncols=2, frameon=False, fontsize=8)
    figure.supxlabel("bits a particle", fontsize=9)
    figure.supylabel("PSNR, dB", fontsize=9)
    plot_style.save_svg(figure, path)


def shade(values, heights):
    """Counts as darkness, with one particle still to be seen; heights as light, without their extremes."""
    there = values > 0
    if not np.any(there):
        return np.zeros(values.shape)
    if heights:
        low, high = np.quantile(values[there], (0.02, 0.98))
        return np.where(there, 1 - np.clip((values - low) / max(high - low, 1), 0, 0.95), 0)
    return np.clip(np.log1p(values) / np.log1p(np.quantile(values[there], 0.9)), 0, 1)


def draw(axis, picture, part, window):
    extent = picture[window].reshape(-1)
    axis.imshow(shade(picture[part].T.astype(float), picture["heights"]), cmap="gray_r", origin="lower", extent=extent, vmin=0, vmax=1, aspect="auto")
    axis.set_xticks([])
    axis.set_yticks([])
    for spine in axis.spines.values():
        spine.set_visible(True)
        spine.set_color("0.6")


def save(figure, path):
    """Counts are noise, which PNG does not compress: few shades are enough to see by."""
    from PIL import Image

    figure.savefig(path, dpi=150, metadata={"Software": None})
    plt.close(figure)
    # Maximum coverage keeps the colour of a frame, which is rare.
    Image.open(path).convert("RGB").quantize(20, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


def data_sets(paths, path):
    """One picture of each data set, side by side."""
    plot_style.use()
    shown = [np.load(name) for name in paths]
    lines = -(-len(shown) // DATA_COLUMNS)
    figure, axes = plt.subplots(lines, DATA_COLUMNS, figsize=(9, 2.4 * lines), layout="constrained", squeeze=False)
    for axis, picture in zip(axes.flat, shown):
        draw(axis, picture, "whole", "view")
        axis.set_aspect("equal")
        axis.set_title(str(picture["data"]), fontsize=8)
    for axis in axes.flat[len(shown) :]:
        axis.axis("off")
    save(figure, path)


def decoded(paths, path):
    """One data set as each program decoded it, side by side: all points above, the zoom below. The first path is the original."""
    plot_style.use()
    shown = [np.load(name) for name in paths]
    titles = [str(picture["title"]) for picture in shown]
    original = shown[0]
    aspect = np.ptp(original["view"][1]) / np.ptp(original["view"][0])
    figure, axes = plt.subplots(
        2, len(shown), figsize=(1.6 * len(shown), 1.6 * 2 * aspect + 0.3), layout="constrained", squeeze=False
    )
    for column, (picture, title) in enumerate(zip(shown, titles)):
        draw(axes[0, column], picture, "whole", "view")
        draw(axes[1, column], picture, "zoom", "window")
        (left, right), (low, high) = picture["window"]
        axes[0, column].plot([left, right, right, left, left], [low, low, high, high, low], color="C3", linewidth=1.5)
        axes[0, column].set_title(title, fontsize=7)
    save(figure, path)
