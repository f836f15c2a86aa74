#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program for CPUs on one data set of evaluation/evaluate.sh: a JSON line for each bound, as the programs of evaluation/programs write them.

run_cpu.py --program PROGRAM [--tool FILE] --data NAME.f32 --bounds 1e-2,1e-3 --json OUT [--decoded FILE]

What each program is, its version, modes and options: evaluation/peers. --tool is its executable; pco and gpz are Python packages. Times are
processor time of one thread, reading and writing of files included. A program of which a mode fails gets the best of the others.
"""
import argparse
import json
import math
import os
import tempfile
from functools import partial

import numpy as np

import check
from peers import Failed, gpz_package, lcp, mdz, pco, sz3, zfp

KEPT, LOST = "kept", "lost"
# name: (measure, order of the particles, version)
PROGRAMS = {
    "SZ3": (sz3.measure, KEPT, "3.3.2-6-g4359047"),
    "SZ3 sorted": (sz3.measure_sorted, LOST, "3.3.2-6-g4359047"),
    "MDZ": (mdz.measure, KEPT, "of SZ3 3.3.2-6-g4359047"),
    "LCP": (lcp.measure, LOST, "a0e194a"),
    "zfp": (zfp.measure, KEPT, "1.0.1-da9a834"),
    "pco": (pco.measure, KEPT, "pcodec 1.1.0"),
    "pco sorted": (pco.measure_sorted, LOST, "pcodec 1.1.0"),
    "gpz fast": (gpz_package.measure, "lost in blocks", ""),
    "gpz fast memory": (partial(gpz_package.measure, order="memory"), "kept, or lost in blocks where that is smaller", ""),
    "gpz dense": (partial(gpz_package.measure, effort="dense"), LOST, ""),
}
ON_GRIDS = ("SZ3", "zfp")


def cube(particles):
    """Its edge, three times."""
    edge = round(particles ** (1 / 3))
    if edge**3 != particles:
        raise SystemExit(f"{particles} particles are no cube")
    return (edge, edge, edge)


def measured(options, original, eb, scratch):
    measure, _, _ = PROGRAMS[options.program]
    extra = {"grid": cube(original.shape[1])} if options.cube and options.program in ON_GRIDS else {}
    positions = np.ascontiguousarray(original.T, np.float64)[None]
    result = measure(options.tool, positions, eb, scratch, **extra)
    figures = {
        "bytes": math.ceil(result.size),
        "ratio": original.nbytes / result.size,
        "bits": result.size * 8 / original.shape[1],
        "compress": {"fresh": [result.encode], "warm": []},
        "decompress": {"fresh": [result.decode], "warm": []},
        "error_over_bound": result.error,
        "psnr": None,
        "mode": result.mode,
        "failure": None,
    }
    if result.decoded is not None:
        decoded = result.decoded.T
        largest, psnr = check.deviation(original, decoded)
        figures |= {"error_over_bound": largest / eb, "psnr": psnr if math.isfinite(psnr) else None}
        if options.decoded:
            np.ascontiguousarray(decoded, "<f4").tofile(options.decoded)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", choices=PROGRAMS, required=True)
    parser.add_argument("--tool")
    parser.add_argument("--components", help="as the description of the data says")
    parser.add_argument("--data", required=True)
    parser.add_argument("--bounds", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--cube", action="store_true", help="the particles began on a cubic grid, and lie in its order")
    parser.add_argument("--decoded", help="the decoded particles of the last bound, in the order of the originals")
    options = parser.parse_args()
    description = check.describe(options.data)
    original = check.read_particles(options.data, description["components"])
    edge = check.longest_edge(original)
    _, order, version = PROGRAMS[options.program]
    for bound in map(float, options.bounds.split(",")):
        line = {
            "program": options.program,
            "device": "cpu",
            "data": os.path.splitext(os.path.basename(options.data))[0],
            "bound": bound,
            "eb": bound * edge,
            "particles": original.shape[1],
            "components": original.shape[0],
            "order": order,
            "version": version,
            "clock": "processor time",
        }
        with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(options.data))) as scratch:
            try:
                line |= measured(options, original, bound * edge, scratch)
            except Failed as failure:
                line["failure"] = str(failure)
        with open(options.json, "a") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
