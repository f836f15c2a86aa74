# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of numbers: one function for each panel."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gpz._unit_names import names_of
from gpz.plot.accuracy import WIDEST, ColumnErrors
from gpz.plot.advice import Advice
from gpz.plot.observables import Displacement, Radial
from gpz.plot.storage import Sizes
from gpz.plot.thermo import Thermo

GREY = "0.55"
MOST_LINES = 8  # of error histograms in a panel


class Picture(Figure):
    """A matplotlib figure that notebooks show without pyplot."""

    def _repr_png_(self) -> bytes:
        data = io.BytesIO()
        self.savefig(data, format="png", dpi=90)
        return data.getvalue()


def new_figure(width: float, height: float) -> Figure:
    """Inches."""
    return Picture(figsize=(width, height), layout="constrained")


def tidy(axes: Axes, title: str, x: str, y: str) -> None:
    """Title, labels of the axes, and no frame at the top and right."""
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)


def sizes_of_frames(axes: Axes, sizes: Sizes) -> None:
    """Bits per particle against the timestep, key frames marked."""
    bits = 8 * sizes.sizes / np.maximum(sizes.counts, 1)
    keys = sizes.key_frames
    axes.plot(sizes.timesteps, bits, color="C0", linewidth=0.8, marker="." if len(bits) < 200 else None, markersize=4)
    if not keys.all():
        axes.plot(sizes.timesteps[keys], bits[keys], "o", color="C1", markersize=5, label="key frames")
        axes.legend(frameon=False, fontsize=8)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    tidy(
        axes, f"Size by frame: {sizes.sizes.sum() / 1e6:.3g} MB in {len(bits)} frames", "timestep", "bits per particle"
    )


def sizes_of_columns(axes: Axes, sizes: Sizes) -> None:
    """A bar for each column: bits per particle, mean of the frames."""
    names = list(sizes.fields)[::-1]
    labels = [f"{sizes.fields[name]:.2f}" if sizes.fields[name] >= 0.01 else "< 0.01" for name in names]
    bars = axes.barh(
        names, [sizes.fields[name] for name in names], color=[GREY if n == "heads" else "C0" for n in names]
    )
    axes.bar_label(bars, labels, padding=3, fontsize=8)
    axes.margins(x=0.12)
    tidy(axes, "Size by column, mean of the frames", "bits per particle", "")


def radial(axes: Axes, curve: Radial, units: str, frames: int) -> None:
    """g(r), with a band of two standard errors. units: the LAMMPS units of the file."""
    noise = 2 * curve.noise
    seen = np.cumsum(curve.g) > 0  # nearer than the nearest pair the noise says nothing
    axes.fill_between(curve.radii, curve.g - noise, curve.g + noise, where=seen, color="C0", alpha=0.3, linewidth=0)
    axes.plot(curve.radii, curve.g, color="C0", linewidth=1)
    axes.axhline(1, color=GREY, linewidth=0.6, linestyle=":")
    axes.set_xlim(0, curve.radii[-1])
    axes.set_ylim(0, 1.08 * curve.peak)
    noun = "frame" if frames == 1 else "frames"
    tidy(axes, f"g(r) of {frames} {noun}; band: two standard errors", f"r ({names_of(units).distance})", "g(r)")


def displacement(axes: Axes, curve: Displacement, units: str) -> None:
    """Mean square displacement against time, or against timesteps where times are unknown."""
    names = names_of(units)
    has_times = not np.isnan(curve.times).any()
    x = curve.times - curve.times[0] if has_times else curve.timesteps - curve.timesteps[0]
    axes.plot(x, curve.msd, color="C0", linewidth=1, marker=".", markersize=4)
    axes.set_ylim(bottom=0)
    label = f"time ({names.time})" if has_times else "timesteps"
    tidy(axes, "Mean square displacement since the first frame", label, f"displacement² ({names.distance}²)")


def observable(axes: Axes, thermo: Thermo, name: str, units: str) -> None:
    """One observable against time, or against timesteps where times are unknown."""
    has_times = not np.isnan(thermo.times).any()
    x = thermo.times if has_times else thermo.timesteps
    values = thermo.values[name]
    axes.plot(x, values, color="C0", linewidth=0.8, marker="." if len(values) < 200 else None, markersize=4)
    mean = np.nanmean(values) if np.isfinite(values).any() else np.nan
    unit = thermo.units.get(name)
    label = f"time ({names_of(units).time})" if has_times else "timestep"
    tidy(axes, f"{name}, mean {mean:.6g}", label, f"{name} ({unit})" if unit else name)


def error_histograms(axes: Axes, columns: Sequence[ColumnErrors]) -> None:
    """Histograms of errors divided by the bound, a line for each column."""
    for i, column in enumerate(columns[:MOST_LINES]):
        share = column.counts / max(column.counts.sum(), 1) / np.diff(column.edges)
        label = f"{column.name}: bound {column.bound:.3g}, largest {column.largest:.3g}"
        axes.stairs(share, column.edges, color=f"C{i}", label=label, linewidth=1)
    for side in (-1, 1):
        axes.axvline(side, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlim(-WIDEST, WIDEST)
    axes.set_ylim(bottom=0, top=axes.get_ylim()[1] * (1.1 + 0.1 * min(len(columns), MOST_LINES)))
    axes.legend(frameon=False, fontsize=7, loc="upper center")
    more = len(columns) - MOST_LINES
    title = "Errors against the bound (dashed)" + (f"; {more} more columns are not drawn" if more > 0 else "")
    tidy(axes, title, "(decoded − original) / bound", "density of values")


def overview(title: str, panels: Sequence[Callable[[Axes], None]]) -> Figure:
    """A page of panels, two in a row."""
    rows = (len(panels) + 1) // 2
    figure = new_figure(10, 3.1 * rows + 0.4)
    figure.suptitle(title, fontsize=11)
    grid = figure.add_gridspec(rows, 2)
    for i, panel in enumerate(panels):
        last_alone = i == len(panels) - 1 and i % 2 == 0
        panel(figure.add_subplot(grid[i // 2, :] if last_alone else grid[i // 2, i % 2]))
    return figure


def advice(advised: Advice, title: str) -> Figure:
    """Ratio and changes against the bound, with a mark where g(r) begins to change; g(r) at bounds around it."""
    distance = names_of(advised.units).distance
    bounds = np.array([trial.bound for trial in advised.trials])
    figure = new_figure(10, 5.6)
    figure.suptitle(title, fontsize=11)
    grid = figure.add_gridspec(2, 2)
    ratio = figure.add_subplot(grid[0, 0])
    change = figure.add_subplot(grid[1, 0], sharex=ratio)
    curves = figure.add_subplot(grid[:, 1])

    ratio.semilogx(bounds, [trial.ratio for trial in advised.trials], marker="o", markersize=4, color="C0")
    ratio.set_ylim(bottom=0)
    tidy(ratio, "Positions, ids and types: plain / compressed", "", "ratio")

    changes = [trial.change for trial in advised.trials]
    change.loglog(bounds, changes, marker="o", markersize=4, color="C3", label="g(r)")
    moved = [t.msd_change / t.msd_noise if t.msd_noise > 0 else np.nan for t in advised.trials]
    if not np.isnan(moved).all():
        label = "mean square displacement"
        change.loglog(bounds, moved, marker="s", markersize=3, color="C2", linewidth=0.8, label=label)
    change.axhline(1, color="black", linewidth=0.8, linestyle="--")
    change.set_ylim(bottom=0.01)
    change.text(bounds[0], 1.25, "two standard errors", fontsize=8)
    change.legend(frameon=False, fontsize=8, loc="upper left")
    tidy(
        change, "Change by the compression / noise of the sample", f"bound of positions ({distance})", "change / noise"
    )

    looser = [trial for trial in advised.trials if trial.change > 1]
    drawn = [trial for trial in advised.trials if trial.bound == advised.bound]
    drawn += [looser[i] for i in sorted({0, min(2, len(looser) - 1), min(4, len(looser) - 1)})] if looser else []
    curves.plot(advised.radial.radii, advised.radial.g, color="black", linewidth=3, alpha=0.3, label="original")
    for i, trial in enumerate(drawn):
        mark = ", advised" if trial.bound == advised.bound else ""
        label = f"bound {trial.bound:g} {distance}{mark}"
        curves.plot(trial.radial.radii, trial.radial.g, linewidth=0.9, color=f"C{i}", label=label)
    curves.set_xlim(0, advised.radial.radii[-1])
    curves.set_ylim(bottom=0)
    curves.legend(frameon=False, fontsize=8)
    tidy(curves, f"g(r) of {len(advised.frames)} frames", f"r ({distance})", "g(r)")

    if advised.bound is not None:
        for axes in (ratio, change):
            axes.axvline(advised.bound, color="C1", linewidth=1.2)
            if looser and looser[0].bound > advised.bound:
                axes.axvspan(looser[0].bound, bounds[-1], color="C3", alpha=0.07, linewidth=0)
        ratio.annotate(
            f"{advised.bound:g} {distance}", (advised.bound, 1), xytext=(-4, -10), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="right", color="C1", fontsize=9,
        )  # fmt: skip
    return figure
