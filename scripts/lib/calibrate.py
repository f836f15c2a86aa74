#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How slow this machine is now: wall seconds of a fixed piece of work, again and again while others build or test.

    calibrate.py FILE      appends a line every ten seconds, until it is ended

Steps that run side by side take longer on a slow machine, with few cores, and beside other programs. So does this work: times
divided by its time can be compared (slowest.py).
"""

import hashlib
import sys
import time

INTERVAL = 10.0  # seconds
PIECE = bytes(1 << 20)


def work():
    """Wall seconds of hashing 32 MB and of adding 200,000 numbers: 0.1 to 0.2 s on a core of its own."""
    start = time.perf_counter()
    digest = hashlib.sha256()
    for _ in range(32):
        digest.update(PIECE)
    total = 0
    for number in range(200_000):
        total += number
    return time.perf_counter() - start


def main():
    with open(sys.argv[1], "w", buffering=1, encoding="ascii") as file:
        while True:
            file.write(f"{work():.6f}\n")
            time.sleep(INTERVAL)


if __name__ == "__main__":
    main()
