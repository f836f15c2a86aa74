#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the runs of bench/trajectory.sh, as Markdown.

trajectory_table.py speed SYSTEM RANKS FOLDER             bits and milliseconds per frame, from LAMMPS's log
trajectory_table.py size SYSTEM EVERY BOUND FOLDER        bits per atom and frame at three bounds
trajectory_table.py bounds BOUND                          the names and values of these bounds
"""
import argparse
import json
import os
import re

from raw_positions import read_frames

SPEED_ROWS = {
    "text": ("text.lammpstrj", "dump custom, text"),
    "zstd": ("zstd.lammpstrj.zst", "dump custom/zstd"),
    "binary": ("binary.bin", "dump custom, binary"),
    "xtc": ("xtc.xtc", "dump xtc (no ids, no types)"),
    "gpz": ("gpz.gpz", "**dump gpz**"),
    "gpz keys": ("gpz_keys.gpz", "**dump gpz**, key frames only"),
    "gpz without ids": ("gpz_without_ids.gpz", "**dump gpz**, positions only"),
}
BOUNDS = {"coarse": 10, "middle": 1, "fine": 0.1}
# {} is the name of a bound.
SIZE_ROWS = {
    "text.lammpstrj": "dump custom, text",
    "zstd.lammpstrj.zst": "dump custom/zstd",
    "binary.bin": "dump custom, binary",
    "xtc_{}.xtc": "dump xtc (no ids, no types)",
    "gpz_{}.gpz": "**dump gpz**",
}
PEERS = {
    "sz3 wrapped": "SZ3 (sorted x y z, no ids, no types)",
    "sz3 unwrapped": "SZ3, unwrapped before",
    "zstd wrapped": "quantised differences, zstd -19 (sorted x y z, no ids, no types)",
    "zstd unwrapped": "quantised differences, unwrapped before",
    "mdz wrapped": "MDZ (sorted x y z, no ids, no types)",
    "mdz unwrapped": "MDZ, unwrapped before",
}


def print_speed(options):
    log = open(os.path.join(options.folder, "log")).read()
    rows = []
    for part in log.split("BEGIN ")[1:]:
        style = part.split("\n", 1)[0].strip().strip('"')
        if style not in SPEED_ROWS or "Loop time" not in part:
            continue
        steps, atoms = map(int, re.search(r"Loop time of \S+ on \d+ procs for (\d+) steps with (\d+) atoms", part).groups())
        average = float(re.search(r"^Output\s*\|\s*\S+\s*\|\s*(\S+)", part, re.M).group(1))
        frames = steps // 10
        file, name = SPEED_ROWS[style]
        size = os.path.getsize(os.path.join(options.folder, file))
        # A run writes a frame before its first step, which is in the file but not in the time of the loop.
        rows.append((name, size * 8 / atoms / (frames + 1), average / frames * 1e3))
    print(f"\n{options.system}, {atoms:,} atoms, {options.ranks} rank{'s' if options.ranks != 1 else ''}:\n")
    print("| | bits per atom per frame | ms per frame |\n|---|---|---|")
    for name, bits, ms in rows:
        print(f"| {name} | {bits:.1f} | {ms:.1f} |")


def print_size(options):
    frames = atoms = 0
    for columns, values, _ in read_frames(os.path.join(options.folder, "binary.bin")):
        frames += 1
        atoms = len(values) // len(columns)
    rows = []
    for file, name in SIZE_ROWS.items():
        paths = [os.path.join(options.folder, file.format(bound)) for bound in BOUNDS]
        if all(map(os.path.exists, paths)):
            if file.startswith("gpz") and options.key:
                name += f", a key frame every {options.key}"
            rows.append((name, [os.path.getsize(path) * 8 / atoms / frames for path in paths]))
    peers = os.path.join(options.folder, "peers.json")
    if os.path.exists(peers):
        measured = json.load(open(peers))
        rows[-1:-1] = [(PEERS[peer], [measured[peer][bound]["bits"] for bound in BOUNDS]) for peer in PEERS if peer in measured]
    print(f"\n{options.system}, {atoms:,} atoms, {frames} frames {options.every} steps apart, bits per atom and frame at a bound of:\n")
    print("| | " + " | ".join(f"{options.bound * factor:.10f}".rstrip("0") for factor in BOUNDS.values()) + " |\n|---|---|---|---|")
    for name, bits in rows:
        print(f"| {name} | " + " | ".join(f"{b:.2f}" for b in bits) + " |")


def print_bounds(options):
    for name, factor in BOUNDS.items():
        print(name, f"{options.bound * factor:.12g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    speed = commands.add_parser("speed")
    speed.set_defaults(run=print_speed)
    speed.add_argument("system")
    speed.add_argument("ranks", type=int)
    speed.add_argument("folder")
    size = commands.add_parser("size")
    size.set_defaults(run=print_size)
    size.add_argument("system")
    size.add_argument("every", type=int)
    size.add_argument("bound", type=float)
    size.add_argument("folder")
    size.add_argument("--key", type=int)
    bounds = commands.add_parser("bounds")
    bounds.set_defaults(run=print_bounds)
    bounds.add_argument("bound", type=float)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
