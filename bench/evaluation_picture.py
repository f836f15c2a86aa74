#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Particles as counts of a grid of pixels, all of them and a window of a tenth: evaluation_report.py draws such pictures side by side.

evaluation_picture.py ORIGINAL.f32 --out FILE.npz [--of DECODED.f32] [--title TEXT] [--centre X,Y] [--pixels N]

What is shown is fixed by the original, so that pictures of one original can be compared: the extents of its first two components, and
around --centre (as fractions of them) a window of a tenth of each. Of three components the picture has the middle fiftieth of the third, or
all if that is thin. Without --of: the original itself.
"""
import argparse
import os

import numpy as np

from evaluation_check import describe, read_particles

ZOOM, SLABS = 10, 50
THIN = 0.2  # of the first component's extent


def slab(original):
    """The particles that are seen."""
    if len(original) < 3:
        return slice(None)
    low, high = (original.min(axis=1), original.max(axis=1))
    if high[2] - low[2] < THIN * (high[0] - low[0]):
        return slice(None)
    middle, half = (high[2] + low[2]) / 2, (high[2] - low[2]) / SLABS / 2
    return np.abs(original[2] - middle) < half


def counts(points, limits, pixels):
    edges = limits[:, 1] - limits[:, 0]
    shape = np.maximum(1, np.rint(pixels * edges / edges.max())).astype(int)
    values, _, _ = np.histogram2d(*points, bins=shape, range=limits)
    return np.minimum(values, np.iinfo(np.uint16).max).astype(np.uint16)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original")
    parser.add_argument("--of", metavar="DECODED")
    parser.add_argument("--title", default="original")
    parser.add_argument("--out", required=True)
    parser.add_argument("--centre", default="0.8,0.5")
    parser.add_argument("--pixels", type=int, default=360, help="of the longer edge")
    options = parser.parse_args()
    components = describe(options.original)["components"]
    original = read_particles(options.original, components)
    points = read_particles(options.of, components) if options.of else original
    seen = points[:2, slab(points)]
    view = np.stack([original[:2].min(axis=1), original[:2].max(axis=1)], axis=1).astype(np.float64)
    edges = view[:, 1] - view[:, 0]
    centre = view[:, 0] + np.array([float(part) for part in options.centre.split(",")]) * edges
    window = np.stack([centre - edges / (2 * ZOOM), centre + edges / (2 * ZOOM)], axis=1)
    parts = {"whole": counts(seen, view, options.pixels), "zoom": counts(seen, window, options.pixels)}
    data = os.path.splitext(os.path.basename(options.original))[0]
    np.savez_compressed(options.out, data=data, title=options.title, view=view, window=window, **parts)


if __name__ == "__main__":
    main()
