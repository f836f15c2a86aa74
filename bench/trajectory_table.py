#!/usr/bin/env python3
"""The table of one run of bench/trajectory.sh: trajectory_table.py SYSTEM RANKS FOLDER."""
import os
import re
import sys

FILES = {
    "text": "text.lammpstrj",
    "zstd": "zstd.lammpstrj.zst",
    "binary": "binary.bin",
    "xtc": "xtc.xtc",
    "gpz": "gpz.gpz",
    "gpz without ids": "gpz_without_ids.gpz",
}
NAMES = {
    "text": "dump custom, text",
    "zstd": "dump custom/zstd",
    "binary": "dump custom, binary",
    "xtc": "dump xtc (no ids, no types)",
    "gpz": "**dump gpz**",
    "gpz without ids": "**dump gpz**, positions only",
}


def main():
    system, ranks, folder = sys.argv[1:]
    log = open(os.path.join(folder, "log")).read()
    rows = []
    for part in log.split("BEGIN ")[1:]:
        style = part.split("\n", 1)[0].strip().strip('"')
        if style not in FILES or "Loop time" not in part:
            continue
        steps, atoms = map(int, re.search(r"Loop time of \S+ on \d+ procs for (\d+) steps with (\d+) atoms", part).groups())
        average = float(re.search(r"^Output\s*\|\s*\S+\s*\|\s*(\S+)", part, re.M).group(1))
        frames = steps // 10
        size = os.path.getsize(os.path.join(folder, FILES[style]))
        # A run writes a frame before its first step, which is in the file but not in the time of the loop.
        rows.append((NAMES[style], size * 8 / atoms / (frames + 1), average / frames * 1e3))
    print(f"\n{system}, {atoms:,} atoms, {ranks} rank{'s' if ranks != '1' else ''}:\n")
    print("| | bits per atom per frame | ms per frame |\n|---|---|---|")
    for name, bits, ms in rows:
        print(f"| {name} | {bits:.1f} | {ms:.1f} |")


if __name__ == "__main__":
    main()
