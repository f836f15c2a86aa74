#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the runs of evaluation/trajectory.sh, as Markdown.

trajectory_table.py speed SYSTEM RANKS FOLDER             bits and milliseconds per frame, from LAMMPS's log
trajectory_table.py size SYSTEM EVERY BOUND FOLDER        bits per atom and frame at three bounds
trajectory_table.py single SYSTEM FOLDER                  the same of the last frame alone, without identity
trajectory_table.py bounds BOUND                          the names and values of these bounds
"""
import argparse
import json
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench"))
from raw_positions import read_frames

SPEED_ROWS = {
    "text": ("text.lammpstrj", "dump custom, text"),
    "sz3 sorted": ("SZ3 on positions in Morton order", "no"),
    "zstd": ("zstd.lammpstrj.zst", "dump custom/zstd"),
    "binary": ("binary.bin", "dump custom, binary"),
    "xtc": ("xtc.xtc", "dump xtc (no ids, no types)"),
    "gpz": ("gpz.gpz", "**dump gpz**"),
    "gpz keys": ("gpz_keys.gpz", "**dump gpz**, key frames only"),
    "gpz without ids": ("gpz_without_ids.gpz", "**dump gpz**, positions only"),
}
BOUNDS = {"coarse": 10, "middle": 1, "fine": 0.1}
# {} is the name of a bound. What the file has: ids, types, the order of the particles.
SIZE_ROWS = {
    "text.lammpstrj": ("dump custom, text", "yes", "yes", "yes"),
    "zstd.lammpstrj.zst": ("dump custom/zstd", "yes", "yes", "yes"),
    "binary.bin": ("dump custom, binary", "yes", "yes", "yes"),
    "xtc_{}.xtc": ("dump xtc", "no", "no", "yes"),
    "gpz_{}.gpz": ("**gpz**, effort fast", "yes", "yes", "yes"),
    "gpz_standard_{}.gpz": ("**gpz**, effort standard", "yes", "yes", "yes"),
    "gpz_dense_{}.gpz": ("**gpz**, effort dense", "yes", "yes", "yes"),
}
# Peers of evaluation/peers get positions alone; is the order of the particles kept?
PEERS = {
    "sz3": ("SZ3, best layout and algorithm", "yes"),
    "sz3 sorted": ("SZ3 on positions in Morton order", "no"),
    "zstd": ("zstd -19 on quantised positions", "yes"),
    "zstd sorted": ("zstd -19 on sorted Morton codes of quantised positions", "no"),
    "mdz": ("MDZ of SZ3", "yes"),
    "mdz_package": ("mdz (Python package)", "yes"),
    "mdcompress": ("mdcompress", "yes"),
    "tng": ("TNG", "yes"),
    "pco": ("pco on quantised positions", "yes"),
    "pco sorted": ("pco on sorted Morton codes of quantised positions", "no"),
    "lcp": ("LCP", "no"),  # see peer_rows
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
    for file, row in SIZE_ROWS.items():
        paths = [os.path.join(options.folder, file.format(bound)) for bound in BOUNDS]
        if all(map(os.path.exists, paths)):
            name, *has = row
            if file.startswith("gpz") and options.key:
                name += f", a key frame every {options.key}"
            rows.append((name, *has, "wrapped", [f"{os.path.getsize(path) * 8 / atoms / frames:.2f}" for path in paths], "", ""))
    of_gpz = sum(row[0].startswith("**gpz") for row in rows)
    rows[len(rows) - of_gpz : len(rows) - of_gpz] = peer_rows(os.path.join(options.folder, "peers.json"), ("wrapped", "unwrapped"), BOUNDS)
    print(f"\n{options.system}, {atoms:,} atoms, {frames} frames {options.every} steps apart, bits per atom and frame at a bound of:\n")
    print_rows([f"{options.bound * factor:.10f}".rstrip("0") for factor in BOUNDS.values()], rows)


def peer_rows(path, forms, bounds):
    """Rows of the peers measured by evaluation/trajectory_peers.py."""
    measured = json.load(open(path)) if os.path.exists(path) else {}
    for peer, (name, order) in PEERS.items():
        for form in forms:
            row = measured.get(f"{peer} {form}", {})
            cells = [row[bound] for bound in bounds if bound in row]
            if len(cells) != len(bounds):
                continue
            good = [cell for cell in cells if "bits" in cell]
            middle = row[list(bounds)[len(bounds) // 2]]
            if form != "single" and "orders" in middle:
                # Different orders of the particles among the frames: with one, each is still known from frame to frame.
                orders = [cell.get("orders") for cell in good]
                order = "its own" if orders == [1] * len(orders) else "lost"
            yield (
                name,
                "no",
                "no",
                order,
                "wrapped" if form == "single" else form,
                [f"{cell['bits']:.2f}" if "bits" in cell else "failed" for cell in cells],
                f"{middle['encode']:.0f}, {middle['decode']:.0f}" if "bits" in middle else "",
                f"{max(cell['error'] for cell in good):.4f}" if good else "",
            )


def print_rows(bounds, rows):
    """MB/s of float64 positions at the middle bound, encoded and decoded; the largest error of all bounds as a multiple of the bound."""
    print(f"| | ids | types | order | input | {' | '.join(bounds)} | MB/s, both ways | error |\n|---|{'---|' * (6 + len(bounds))}")
    for name, ids, types, order, form, bits, speed, error in rows:
        print(f"| {name} | {ids} | {types} | {order} | {form} | {' | '.join(bits)} | {speed} | {error} |")


def print_single(options):
    path = os.path.join(options.folder, "single.json")
    measured = json.load(open(path))
    bounds = list(next(iter(measured.values())))
    *_, (columns, values, _) = read_frames(os.path.join(options.folder, "original.bin"))
    atoms = len(values) // len(columns)
    rows = list(peer_rows(path, ("single",), bounds))
    for effort in ("fast", "dense"):
        files = [os.path.join(options.folder, f"single_{effort}_{bound}.gpz") for bound in bounds]
        if all(map(os.path.exists, files)):
            sizes = [f"{os.path.getsize(file) * 8 / atoms:.2f}" for file in files]
            rows.append((f"**gpz**, effort {effort}", "no", "no", "no", "wrapped", sizes, "", ""))
    print(f"\n{options.system}, {atoms:,} atoms, the last frame without identity, bits per atom at a bound of:\n")
    print_rows(bounds, rows)


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
    single = commands.add_parser("single")
    single.set_defaults(run=print_single)
    single.add_argument("system")
    single.add_argument("folder")
    bounds = commands.add_parser("bounds")
    bounds.set_defaults(run=print_bounds)
    bounds.add_argument("bound", type=float)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
