#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Points of a public airborne laser scan: autzen.f32 and autzen.json.

The package laspy brings 110,000 points of the scan of Autzen Stadium (Eugene, Oregon) that LAStools and PDAL made known, as
tests/data/autzen_trim.laz in its source distribution (BSD licence). It is small: it says how real points compress, and nothing about speed.
The points are in the order in which they were measured, in feet, as multiples of 0.01. Coordinates of the map exceed what f32 resolves, so the
lowest corner of the points becomes the origin.

    pip install numpy laspy lazrs
    sample.py --out autzen.f32 [--package laspy-2.7.0.tar.gz]        without a package it is downloaded by pip
"""
import argparse
import glob
import io
import os
import subprocess
import sys
import tarfile
import tempfile

import laspy
import numpy
import particle_file

VERSION = "2.7.0"
MEMBER = f"laspy-{VERSION}/tests/data/autzen_trim.laz"


def download(folder):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "laspy", "--dest", folder, f"laspy=={VERSION}"]
    subprocess.run(command, check=True)
    (path,) = glob.glob(os.path.join(folder, "laspy-*.tar.gz"))
    return path


def points(package):
    with tarfile.open(package) as archive:
        scan = laspy.read(io.BytesIO(archive.extractfile(MEMBER).read()))
    axes = [numpy.asarray(scan[name], dtype=numpy.float64) for name in ("x", "y", "z")]
    return [axis - axis.min() for axis in axes]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="autzen.f32")
    parser.add_argument("--package", help=f"laspy-{VERSION}.tar.gz")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        axes = points(options.package or download(folder))
    particle_file.write(options.out, axes, description="airborne laser scan of Autzen Stadium, Eugene, Oregon, in feet from the lowest corner",
                        source=f"{MEMBER} of the source distribution of laspy {VERSION} on PyPI, BSD licence", order="by time of measurement")


if __name__ == "__main__":
    main()
