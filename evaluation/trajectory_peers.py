#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Other programs on a trajectory of evaluation/trajectory.sh: FOLDER/peers.json, or FOLDER/single.json for its last frame alone.

They get positions of FOLDER/original.bin in the order of the ids, all frames at once; neither ids nor types nor boxes (but mdcompress, which
stores boxes, as TNG does, and finds water by the types). Once as they are in the box, and once unwrapped. What each peer is, its version, modes and
options: evaluation/peers. Peers that are not asked for keep their rows of an earlier run.

A row has for each bound: bits an atom and frame, the largest error in units of the bound, MB/s of float64 positions both ways (processor
time, reading and writing of files included), and the mode; or why there is no result. The error is that of the decoded values, read by
our own code, against those that the peer was given: the rounding of the input to FP32, which most peers need, is not in it.

Needs numpy, and the packages of the peers that are packages.
"""
import argparse
import functools
import json
import os
import tempfile

import numpy as np

from peers import Failed, lcp, mdcompress, mdz, mdz_package, pco, sz3, tng, zstd
from trajectory_table import BOUNDS, read_frames


def read_trajectory(path):
    """Positions in the order of the ids: wrapped and unwrapped (frames, particles, 3), types, box edges."""
    wrapped, unwrapped, types = [], [], None
    for columns, values, edges in read_frames(path):
        rows = np.frombuffer(values).reshape(-1, len(columns))
        rows = rows[np.argsort(rows[:, columns.index("id")])]
        x, images = (rows[:, [columns.index(prefix + name) for name in "xyz"]] for prefix in ("", "i"))
        wrapped.append(x)
        unwrapped.append(x + images * edges)
        types = rows[:, columns.index("type")].astype(np.int64)
    return {"wrapped": np.array(wrapped), "unwrapped": np.array(unwrapped)}, types, np.array(edges)


def row_of(measure, tool, positions, bounds, folder):
    row = {}
    frames, particles, _ = positions.shape
    megabytes = positions.nbytes / 1e6
    for name, bound in bounds.items():
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            try:
                result = measure(tool, positions, bound, scratch)
            except Failed as failure:
                row[name] = {"failure": str(failure)}
                continue
        row[name] = {
            "bits": result.size * 8 / particles / frames,
            "error": result.error,
            "encode": megabytes / result.encode,
            "decode": megabytes / result.decode,
            "mode": result.mode,
            **result.notes,
        }
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--bound", type=float, help="the middle one of three, a factor of ten apart")
    parser.add_argument("--bounds", help="instead: all of them, with commas")
    parser.add_argument("--single", action="store_true", help="the last frame alone, wrapped")
    parser.add_argument("--angstroms", type=float, default=1, help="in a unit of the positions")
    for peer in ("mdz", "sz3", "lcp", "mdcompress", "zstd"):
        parser.add_argument("--" + peer, metavar="PROGRAM")
    parser.add_argument("--tng", metavar="LIBRARY", help="libtng_io.so")
    parser.add_argument("--pco", action="store_true", help="the Python package pcodec")
    parser.add_argument("--mdz-package", action="store_true", help="the Python package mdz")
    options = parser.parse_args()
    if options.bounds:
        bounds = {text: float(text) for text in options.bounds.split(",")}
    elif options.bound:
        bounds = {name: options.bound * factor for name, factor in BOUNDS.items()}
    else:
        parser.error("needs --bound or --bounds")

    forms, types, edges = read_trajectory(os.path.join(options.folder, "original.bin"))
    measures = {
        "zstd": zstd.measure,
        "sz3": sz3.measure,
        "mdz": mdz.measure,
        "lcp": lcp.measure,
        "pco": pco.measure,
        "mdcompress": functools.partial(mdcompress.measure, types=types, edges=edges, angstroms=options.angstroms),
        "tng": functools.partial(tng.measure, cells=np.array([np.diag(edges)] * len(forms["wrapped"])), nanometres=options.angstroms / 10),
        "mdz_package": functools.partial(mdz_package.measure, nanometres=options.angstroms / 10),
    }
    if options.single:
        forms = {"single": forms["wrapped"][-1:]}
        measures = {peer: measures[peer] for peer in ("zstd", "sz3", "lcp", "pco")}
        measures |= {"sz3 sorted": sz3.measure_sorted, "zstd sorted": zstd.measure_sorted, "pco sorted": pco.measure_sorted}

    result_path = os.path.join(options.folder, "single.json" if options.single else "peers.json")
    results = json.load(open(result_path)) if os.path.exists(result_path) else {}
    for peer, measure in measures.items():
        tool = getattr(options, peer.split(" ")[0])
        for form, positions in forms.items() if tool else ():
            results[f"{peer} {form}"] = row_of(measure, tool, positions, bounds, options.folder)
            with open(result_path, "w") as file:
                json.dump(results, file, indent=1)
                file.write("\n")


if __name__ == "__main__":
    main()
