#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The bound at which a program takes as many bits as ours at another one: the finest that it was measured with and that takes no more bits, or
its coarsest, if all of them take more. Prints nothing if it has no result.

equal_bits.py PROGRAM.jsonl OURS.jsonl --bound 1e-4
"""
import argparse
import math

from report.results import Results


def of_equal_bits(theirs, ours, bound):
    """The row of `theirs`; None: there is none."""
    budget = [row.bits for row in ours if row.kept and math.isclose(row.bound, bound)]
    rows = sorted((row for row in theirs if row.failure is None), key=lambda row: row.bound)
    if not budget or not rows:
        return None
    return next((row for row in rows if row.bits <= min(budget)), rows[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("theirs")
    parser.add_argument("ours")
    parser.add_argument("--bound", type=float, required=True)
    options = parser.parse_args()
    row = of_equal_bits(Results.read([options.theirs]), Results.read([options.ours]), options.bound)
    if row:
        print(f"{row.bound:g}")


if __name__ == "__main__":
    main()
