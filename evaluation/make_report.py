#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables and plots of evaluation/evaluate.sh, of the JSON lines of its runs.

make_report.py FOLDER [--page PAGE.md] [--plots PLOTS]

FOLDER has their JSON lines (*.jsonl), and pictures of picture.py: NAME.original.npz, NAME.PROGRAM.npz.

Tables are printed as Markdown. --page: they replace what is between <!-- table NAME --> and <!-- end --> in that page instead.
--plots: rate_distortion.svg there (rate_distortion_cpu.svg of data that only programs for CPUs had), particles.png of the originals, and
NAME.png of those that have pictures of programs. Plots need matplotlib.
"""
import argparse
import glob
import os
import re
import sys

from report import paper, tables
from report.results import Results

TABLE_BOUNDS = (1e-2, 1e-3, 1e-4, 1e-5)
CPU_SPEED_BOUNDS = (1e-2, 1e-5)  # most are fastest at one and slowest at the other


def all_tables(results):
    bounds = [bound for bound in TABLE_BOUNDS if bound in results.bounds()]
    made = {"programs": tables.programs(results)}
    if results.programs("gpu"):
        made |= {
            "verdicts": tables.verdicts(results),
            "misses": tables.misses(results),
            "ratios": tables.ratios(results, bounds=bounds),
            "first": tables.speeds(results, how="first", bounds=bounds),
            "fresh": tables.speeds(results, bounds=bounds),
            "warm": tables.speeds(results, how="warm", bounds=bounds),
            "errors": tables.errors(results, bounds=bounds),
            "equal-bits": tables.equal_bits(results, "gpu", bounds=bounds),
            "paper": paper.beside(results),
        }
    if results.programs("cpu"):
        made |= {
            "cpu-ratios": tables.ratios(results, "cpu", bounds),
            "cpu-speeds": tables.speeds(results, "cpu", bounds=[bound for bound in CPU_SPEED_BOUNDS if bound in bounds]),
            "cpu-errors": tables.errors(results, "cpu", bounds),
            "cpu-equal-bits": tables.equal_bits(results, "cpu", bounds),
        }
    return made


def fill(text, made):
    """A page with its tables replaced. Tables that the page has no place for, and places without a table, are left out."""

    def replacement(match):
        if match[1] not in made:
            return match[0]
        return f"<!-- table {match[1]} -->\n\n" + "\n".join(made[match[1]]).strip() + "\n\n<!-- end -->"

    return re.sub(r"<!-- table (\S+) -->\n.*?<!-- end -->", replacement, text, flags=re.DOTALL)


def make_plots(results, folder, out):
    from report import plots

    os.makedirs(out, exist_ok=True)
    # Where programs for CPUs got fewer particles, they have a picture of their own.
    on_gpu = {row.data for row in results if row.device == "gpu"}
    for name, wanted in (("rate_distortion", True), ("rate_distortion_cpu", False)):
        names = [data for data in results.data if (data in on_gpu) == wanted]
        if names:
            plots.rate_distortion(results, names, os.path.join(out, name + ".svg"))
    originals = {name: os.path.join(folder, f"{name}.original.npz") for name in results.data}
    originals = {name: path for name, path in originals.items() if os.path.exists(path)}
    if originals:
        plots.data_sets(originals.values(), os.path.join(out, "particles.png"))
    for name, original in originals.items():
        others = set(glob.glob(os.path.join(folder, f"{name}.*.npz"))) - {original}
        others = sorted(others, key=lambda path: (f"{name}.gpz" not in path, path))
        if others:
            plots.decoded([original, *others], os.path.join(out, f"{name}.png"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--page")
    parser.add_argument("--plots", metavar="FOLDER")
    options = parser.parse_args()
    results = Results.read(sorted(glob.glob(os.path.join(options.folder, "*.jsonl"))))
    made = all_tables(results)
    if options.page:
        with open(options.page) as file:
            text = file.read()
        with open(options.page, "w") as file:
            file.write(fill(text, made))
    else:
        for name, lines in made.items():
            print(f"\n## {name}\n")
            print("\n".join(lines))
    if options.plots:
        try:
            make_plots(results, options.folder, options.plots)
        except ImportError as failure:
            sys.exit(f"no plots: {failure}")


if __name__ == "__main__":
    main()
