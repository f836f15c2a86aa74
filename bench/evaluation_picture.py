#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two-dimensional particles as counts of a grid of pixels, all of them and a window of a tenth: evaluation_report.py draws them side by side.

evaluation_picture.py ORIGINAL.f32 --of DECODED.f32 --title TEXT --out FILE.npz [--centre X,Y] [--pixels N]

What is shown is fixed by the original, so that pictures of one original can be compared: its extents, and around --centre (as fractions of
them) a window of a tenth of each. Without --of: the original itself.
"""
import argparse

import numpy as np

from evaluation_check import read_particles

ZOOM = 10


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
    original = read_particles(options.original, 2)
    points = read_particles(options.of, 2) if options.of else original
    view = np.stack([original.min(axis=1), original.max(axis=1)], axis=1).astype(np.float64)
    edges = view[:, 1] - view[:, 0]
    centre = view[:, 0] + np.array([float(part) for part in options.centre.split(",")]) * edges
    window = np.stack([centre - edges / (2 * ZOOM), centre + edges / (2 * ZOOM)], axis=1)
    parts = {"whole": counts(points, view, options.pixels), "zoom": counts(points, window, options.pixels)}
    np.savez_compressed(options.out, title=options.title, view=view, window=window, **parts)


if __name__ == "__main__":
    main()
