#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Other programs on a trajectory of bench/trajectory.sh: FOLDER/peers.json gets their bits per atom and frame.

Usage: trajectory_peers.py FOLDER --bound BOUND [--mdz PROGRAM] [--sz3 PROGRAM] [--zstd PROGRAM]

They get positions of FOLDER/original.bin in the order of the ids, all frames at once, x, y and z as arrays of their own with one frame
after the other; neither ids nor types nor boxes. Once as they are in the box, and once unwrapped.

mdz    FP32; `mdz FILE -2 FRAMES ATOMS -a BOUND FRAMES METHOD 65536`: all frames in one buffer; the smaller of METHOD -1 (its own choice
       of VQ, VQT, MT) and 4 (differences in time, which it never chooses) that keeps the bound by the program's own check. Its default of
       1,024 bins is as good or worse. SZ3 3.3.2 (4359047) needs `compressed_size = sz->compress(...)` in tools/mdz/include/mdz.hpp: without
       it the program takes the size of its buffer for that of the result, and every ratio is 0.5.
sz3    FP32; `sz3 -f -2 ATOMS FRAMES -M ABS BOUND`
zstd   -19 on differences of quantised positions from the frame before, as bytes of the same place value (all lowest ones first)
"""
import argparse
import array
import json
import os
import re
import subprocess
import tempfile

from raw_positions import read_frames
from trajectory_table import BOUNDS


def frames_by_id(path):
    """Yields (wrapped, unwrapped) for each frame: x, y and z as arrays of doubles in the order of the ids."""
    for columns, values, edges in read_frames(path):
        width = len(columns)
        column = {name: values[i::width] for i, name in enumerate(columns)}
        ids = column["id"]
        order = sorted(range(len(ids)), key=ids.__getitem__)
        wrapped, unwrapped = [], []
        for name, edge in zip("xyz", edges):
            x = column[name]
            image = column["i" + name]
            wrapped.append(array.array("d", [x[i] for i in order]))
            unwrapped.append(array.array("d", [x[i] + image[i] * edge for i in order]))
        yield wrapped, unwrapped


def output_of(*command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


def mdz(program, path, frames, atoms, bound):
    best = None
    for method in (-1, 4):
        text = output_of(program, path + ".f32", "-2", frames, atoms, "-a", f"{bound:.9g}", frames, method, 65536)
        # The program gives the ratio with three decimals.
        size = frames * atoms * 4 / float(re.search(r"Compression ratio=(\S+)", text)[1])
        error = float(re.search(r"Max absolute error = (\S+)", text)[1])
        if error <= 1.001 * bound and (not best or size < best[0]):
            best = size, {"method": re.search(r"Compressor = (\S+)", text)[1], "largest_error": error}
    if not best:
        raise SystemExit(f"trajectory_peers.py: {program} does not keep a bound of {bound:g}")
    return best


def sz3(program, path, frames, atoms, bound):
    output_of(program, "-f", "-i", path + ".f32", "-z", path + ".sz", "-2", atoms, frames, "-M", "ABS", f"{bound:.9g}")
    return os.path.getsize(path + ".sz"), {}


def zstd(program, path, frames, atoms, bound):
    values = array.array("d")
    with open(path + ".f64", "rb") as file:
        values.fromfile(file, frames * atoms)
    q = [round(x / (2 * bound)) for x in values]
    difference = array.array("i", q[:atoms] + [b - a for a, b in zip(q, q[atoms:])])
    difference = array.array("i", [2 * d if d >= 0 else -2 * d - 1 for d in difference])
    raw = difference.tobytes()
    with open(path + ".differences", "wb") as file:
        for frame in range(frames):
            part = raw[4 * atoms * frame : 4 * atoms * (frame + 1)]
            for place in range(4):
                file.write(part[place::4])
    output_of(program, "-q", "-f", "-19", path + ".differences", "-o", path + ".zst")
    return os.path.getsize(path + ".zst"), {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--bound", type=float, required=True)
    for peer in ("mdz", "sz3", "zstd"):
        parser.add_argument("--" + peer)
    options = parser.parse_args()

    result_path = os.path.join(options.folder, "peers.json")
    results = json.load(open(result_path)) if os.path.exists(result_path) else {}
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        frames = atoms = 0
        for pair in frames_by_id(os.path.join(options.folder, "original.bin")):
            frames += 1
            atoms = len(pair[0][0])
            for form, axes in zip(("wrapped", "unwrapped"), pair):
                for name, values in zip("xyz", axes):
                    with open(os.path.join(scratch, f"{form}.{name}.f64"), "ab") as file:
                        values.tofile(file)
                    with open(os.path.join(scratch, f"{form}.{name}.f32"), "ab") as file:
                        array.array("f", values).tofile(file)

        for peer, measure in (("mdz", mdz), ("sz3", sz3), ("zstd", zstd)):
            program = getattr(options, peer)
            for form in ("wrapped", "unwrapped") if program else ():
                row = results[f"{peer} {form}"] = {}
                for name, factor in BOUNDS.items():
                    axes = [measure(program, os.path.join(scratch, f"{form}.{axis}"), frames, atoms, options.bound * factor) for axis in "xyz"]
                    row[name] = {"bits": sum(size for size, _ in axes) * 8 / atoms / frames, "axes": [notes for _, notes in axes]}
    with open(result_path, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
