#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Largest error and PSNR of decoded particles, by numpy alone: the second opinion on what the programs of evaluation/programs say of themselves.

check.py NAME.f32 DECODED.f32 --bound REL [--results FILE.jsonl]

Both files have one array of FP32 an axis. DECODED.f32.order, if there is one, says of each decoded particle which of the originals it is
(32-bit numbers). With --results, the last line of that file has to say the same of that bound: the status is 1 if it does not, or if the
bound is broken.

Where that line says that the order is lost in blocks of N, and there is no file of it, coordinates of each block are compared sorted, one axis at
a time. No assignment of particles is better: the error is at least so large, and the PSNR at most.
"""
import argparse
import json
import math
import os
import re
import sys

import numpy as np

# What sums in another order, and a decimal number in JSON, may differ by.
SAME_ERROR, SAME_PSNR = 1e-4, 1e-3


def describe(path):
    """The description of NAME.f32 in NAME.json."""
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


def sorted_in_blocks(values, block):
    """Coordinates of shape (components, particles), each axis of each block by itself."""
    components, particles = values.shape
    whole = particles // block * block
    blocks = np.sort(values[:, :whole].reshape(components, -1, block), axis=2).reshape(components, -1)
    return np.concatenate([blocks, np.sort(values[:, whole:], axis=1)], axis=1)


def last_line(path, bound):
    with open(path) as file:
        lines = [json.loads(line) for line in file if line.strip()]
    found = [line for line in lines if math.isclose(line["bound"], bound)]
    return found[-1] if found else sys.exit(f"{path} has no line of the bound {bound:g}")


def disagreements(line, largest, psnr, at_least):
    """Compares what a program reports with what is measured. `at_least`: of the error that is known."""
    error = largest / line["eb"]
    if line["error_over_bound"] is None or line["psnr"] is None:
        return ["the program's line has no error"]
    said = []
    if not (math.isclose(error, line["error_over_bound"], rel_tol=SAME_ERROR) or (at_least and error < line["error_over_bound"])):
        said.append(f"the program's line says {line['error_over_bound']:.6f}")
    if not (math.isclose(psnr, line["psnr"], abs_tol=SAME_PSNR) or (at_least and psnr > line["psnr"])):
        said.append(f"the program's line says {line['psnr']:.4f} dB")
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("decoded")
    parser.add_argument("--bound", type=float, required=True, help="relative to the longest edge")
    parser.add_argument("--results", help="lines of the program that is checked")
    options = parser.parse_args()

    components = describe(options.data)["components"]
    original = read_particles(options.data, components)
    decoded = read_particles(options.decoded, components)
    eb = options.bound * longest_edge(original)
    order = np.fromfile(options.decoded + ".order", "<u4") if os.path.exists(options.decoded + ".order") else None
    line = last_line(options.results, options.bound) if options.results else {}
    block = re.search(r"lost in blocks of (\d+)", line.get("order") or "") if order is None else None
    if block:
        original, decoded = (sorted_in_blocks(values, int(block[1])) for values in (original, decoded))
    largest, psnr = deviation(original, decoded, order)
    verdict, program = [], ""
    if line:
        eb, program = line["eb"], line["program"] + ", "
        verdict = disagreements(line, largest, psnr, block is not None)
    if largest > eb:
        verdict.append(f"the bound is broken, {largest / eb:.9f}")
    name = os.path.splitext(os.path.basename(options.data))[0]
    how = "at least " if block else ""
    text = f"{name}, {program}{options.bound:g}: largest error over bound {how}{largest / eb:.6f}, {psnr:.4f} dB"
    print(f"{text}: {'; '.join(verdict) or ('agrees' if options.results else 'kept')}")
    sys.exit(bool(verdict))


if __name__ == "__main__":
    main()
