#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots of what bench/physics wrote with --json: physics_plot.py CURVES.json TITLE UNIT OUT.svg [--time UNITS_PER_STEP,NAME]. Needs matplotlib.

Left g(r), right the mean square displacement: the original and the decoded trajectories above, their relative differences below.
"""
import argparse
import json

import matplotlib.pyplot as plt

import plot_style

LEAST_G = 0.1  # as in physics.cpp


def plain(number):
    return f"{number:.10f}".rstrip("0")


def relative(values, reference, least):
    return [abs(v - r) / r if r >= least and v != r else float("nan") for v, r in zip(values, reference)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("curves")
    parser.add_argument("title")
    parser.add_argument("unit", help="of distance")
    parser.add_argument("out")
    parser.add_argument("--time", default="1,steps", help="time of a step and its unit, e.g. 0.002,ps")
    options = parser.parse_args()
    data = json.load(open(options.curves))
    original, decoded = data["original"], data["decoded"]
    per_step, time_unit = options.time.split(",", 1)
    times = [(step - original["timesteps"][0]) * float(per_step) for step in original["timesteps"]]

    plot_style.use(**{"path.simplify_threshold": 0.5})
    figure, axes = plt.subplots(2, 2, figsize=(8, 4.6), sharex="col", height_ratios=(2, 1), layout="constrained")
    figure.suptitle(options.title)
    panels = (
        (axes[:, 0], original["radii"], "g", "g(r)", f"r, {options.unit}", LEAST_G),
        (axes[:, 1], times, "msd", f"mean square displacement, {options.unit}²", f"time, {time_unit}", 1e-300),
    )
    for (above, below), x, curve, label, x_label, least in panels:
        above.plot(x, original[curve], color="black", linewidth=2.5, alpha=0.35, label="original")
        for i, trajectory in enumerate(sorted(decoded, key=lambda t: t["bound"])):
            look = {"color": f"C{i}", "linewidth": 0.8, "label": f"bound {plain(trajectory['bound'])} {options.unit}"}
            above.plot(x, trajectory[curve], **look)
            below.semilogy(x, relative(trajectory[curve], original[curve], least), **look)
        above.set_ylabel(label)
        below.set_ylabel("relative difference")
        below.set_xlabel(x_label)
    axes[0, 0].legend(frameon=False)
    plot_style.save_svg(figure, options.out)


if __name__ == "__main__":
    main()
