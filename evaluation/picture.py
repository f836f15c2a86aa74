#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Particles as a picture of N pixels, all of them and a window of a tenth: make_report.py draws such pictures side by side.

picture.py ORIGINAL.f32 --out FILE.npz [--of DECODED.f32 --results FILE.jsonl] [--centre X,Y] [--pixels N]

What is shown is fixed by the original, so that pictures of one original can be compared: the extents of its two longest axes, and around
--centre (as fractions of them) a window of a tenth of each. A pixel is the number of particles in it, of three components of those in the
middle fiftieth of the third; if all are in a thin layer, it is their mean height. Without --of: the original itself.
"""
import argparse
import json
import os

import numpy as np

from check import describe, read_particles

ZOOM, SLABS = 10, 50
THIN = 0.2  # of the longest extent
WHITE = np.iinfo(np.uint16).max


def axes_of(view):
    """The two that are shown, in their order, and the one along which one looks."""
    by_extent = np.argsort(view[:, 0] - view[:, 1], kind="stable")
    return sorted(by_extent[:2]), by_extent[2] if len(view) > 2 else None


def pixels_of(points, limits, longest, heights=None):
    """uint16; heights are between 0 and 1, and the mean of none is 0."""
    edges = limits[:, 1] - limits[:, 0]
    grid = {"bins": np.maximum(1, np.rint(longest * edges / edges.max())).astype(int), "range": limits}
    values, _, _ = np.histogram2d(*points, **grid)
    if heights is not None:
        sums, _, _ = np.histogram2d(*points, **grid, weights=heights)
        values = np.where(values > 0, 1 + (WHITE - 1) * sums / np.maximum(values, 1), 0)
    return np.clip(values, 0, WHITE).astype(np.uint16)


def title_of(path):
    with open(path) as file:
        line = json.loads(file.read().strip().splitlines()[-1])
    return f"{line['program']}, {line['bound']:g}\n{line['bits']:.1f} bits"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original")
    parser.add_argument("--of", metavar="DECODED")
    parser.add_argument("--results", help="its last line is that of the decoded particles: for the title")
    parser.add_argument("--out", required=True)
    parser.add_argument("--centre", default="0.92,0.48")
    parser.add_argument("--pixels", type=int, default=360, help="of the longer edge")
    options = parser.parse_args()
    components = describe(options.original)["components"]
    original = read_particles(options.original, components)
    points = read_particles(options.of, components) if options.of else original
    view = np.stack([original.min(axis=1), original.max(axis=1)], axis=1).astype(np.float64)
    edges = view[:, 1] - view[:, 0]
    shown, along = axes_of(view)
    heights = None
    if along is not None:
        height = (points[along] - view[along, 0]) / edges[along]
        if edges[along] < THIN * edges.max():
            heights = height
        else:
            points = points[:, np.abs(height - 0.5) < 0.5 / SLABS]
    points, view, edges = points[shown], view[shown], edges[shown]
    centre = view[:, 0] + np.array([float(part) for part in options.centre.split(",")]) * edges
    window = np.stack([centre - edges / (2 * ZOOM), centre + edges / (2 * ZOOM)], axis=1)
    parts = {name: pixels_of(points, limits, options.pixels, heights) for name, limits in (("whole", view), ("zoom", window))}
    data = os.path.splitext(os.path.basename(options.original))[0]
    names = {"data": data, "title": title_of(options.results) if options.results else "original"}
    np.savez_compressed(options.out, **names, heights=heights is not None, view=view, window=window, **parts)


if __name__ == "__main__":
    main()
