#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a table from the log of a run that bench/defaults.sh has made: defaults_table.py SYSTEM EVERY FOLDER."""

import re
import sys
from pathlib import Path

system, every, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
log = (folder / "log").read_text()
loop, steps, atoms = re.findall(r"Loop time of ([0-9.e+-]+) on \d+ procs for (\d+) steps with (\d+) atoms", log)[-1]
loop, steps, atoms = float(loop), int(steps), int(atoms)
rows = []
for name, frames, size, rest in re.findall(r"Dump (\w+) gpz: .*?: (\d+) frames, (\d+) bytes(.*(?:\n  .*)*)", log):
    seconds = float(re.search(r"time in the loop: .*sum ([0-9.]+) s", rest).group(1))
    rows.append((name, int(frames), int(size), seconds))
dumps = sum(seconds for *_, seconds in rows)
output = float(re.search(r"^Output +\| *\S+ +\| *([0-9.e+-]+)", log[log.rindex("Loop time"):], re.MULTILINE).group(1))
alone = loop - output  # the loop without any dump
for name, frames, size, seconds in rows:
    print(f"| {system}, {atoms} | {every} | {name} | {8 * size / (atoms * frames):.2f} | {100 * seconds / (alone + seconds):.2f} % "
          f"| {1e3 * seconds / (frames - 1):.2f} | {1e3 * alone / steps:.2f} |")
xtc = (folder / "x.xtc").stat().st_size
print(f"| {system}, {atoms} | {every} | xtc | {8 * xtc / (atoms * rows[0][1]):.2f} | {100 * (output - dumps) / (alone + output - dumps):.2f} % "
      f"| {1e3 * (output - dumps) / (rows[0][1] - 1):.2f} | |")
