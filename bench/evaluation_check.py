#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Largest error and PSNR of decoded particles, by numpy alone: the second opinion on what the programs of bench/evaluation say of themselves.

evaluation_check.py NAME.f32 DECODED.f32 --bound REL [--order ORDER.u32] [--results FILE.jsonl --program PROGRAM]

Both files have one array of FP32 an axis. ORDER says of each decoded particle, by a 32-bit number, which of the originals it is. With
--results, the line of that program and bound has to say the same: the status is 1 if it does not, or if the bound is broken.
"""
import argparse
import json
import math
import os
import sys

import numpy as np

# What sums in another order, and a decimal number in JSON, may differ by.
SAME_ERROR, SAME_PSNR = 1e-4, 1e-3


def describe(path):
    """What NAME.json says of NAME.f32."""
    with open(os.path.splitext(path)[0] + ".json") as file:
        return json.load(file)


def read_particles(path, components):
    """FP32 of shape (components, particles)."""
    values = np.fromfile(path, "<f4")
    if values.size == 0 or values.size % components:
        sys.exit(f"{path} has {values.size} values, which are no particles of {components} components")
    return values.reshape(components, -1)


def longest_edge(original):
    return max(float(axis.max()) - float(axis.min()) for axis in original)


def deviation(original, decoded, order=None):
    """(largest error, PSNR in dB) of arrays of shape (components, particles); infinite, NaN where a value is not a number."""
    if decoded.shape != original.shape:
        raise ValueError(f"decoded particles have the shape {decoded.shape}, not {original.shape}")
    if order is not None and not np.array_equal(np.sort(order), np.arange(original.shape[1])):
        raise ValueError("the order is not one")
    largest = squares = 0.0
    for given, value in zip(original, decoded):
        difference = np.asarray(value, np.float64) - (given if order is None else given[order])
        if not np.all(np.isfinite(difference)):
            return math.inf, math.nan
        largest = max(largest, float(np.max(np.abs(difference))))
        squares += float(np.dot(difference, difference))
    rms = math.sqrt(squares / original.size)
    return largest, 20 * math.log10(longest_edge(original) / rms) if rms else math.inf


def line_of(path, program, bound):
    with open(path) as file:
        lines = [json.loads(line) for line in file if line.strip()]
    found = [line for line in lines if line["program"] == program and math.isclose(line["bound"], bound)]
    return found[-1] if found else sys.exit(f"{path} has no line of {program} at {bound:g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("decoded")
    parser.add_argument("--bound", type=float, required=True, help="relative to the longest edge")
    parser.add_argument("--order")
    parser.add_argument("--results", help="lines of the program that is checked")
    parser.add_argument("--program")
    options = parser.parse_args()

    components = describe(options.data)["components"]
    original = read_particles(options.data, components)
    decoded = read_particles(options.decoded, components)
    order = np.fromfile(options.order, "<u4") if options.order else None
    largest, psnr = deviation(original, decoded, order)
    eb = options.bound * longest_edge(original)
    name = os.path.splitext(os.path.basename(options.data))[0]
    verdict = []
    if options.results:
        line = line_of(options.results, options.program, options.bound)
        eb = line["eb"]
        if not math.isclose(largest / eb, line["error_over_bound"], rel_tol=SAME_ERROR):
            verdict.append(f"the program's line says {line['error_over_bound']:.6f}")
        if not math.isclose(psnr, line["psnr"], abs_tol=SAME_PSNR):
            verdict.append(f"the program's line says {line['psnr']:.4f} dB")
    if largest > eb:
        verdict.append("the bound is broken")
    agreed = "agrees" if options.results else "kept"
    print(f"{name} {options.program or ''} {options.bound:g}: largest error over bound {largest / eb:.6f}, {psnr:.4f} dB: {'; '.join(verdict) or agreed}")
    sys.exit(bool(verdict))


if __name__ == "__main__":
    main()
