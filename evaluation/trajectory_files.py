#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bits a particle and frame of trajectories in text dumps of LAMMPS, at one bound: gpz in its three efforts, XTC, other programs, as Markdown.

trajectory_files.py --gpz PROGRAM [PEERS] [--json FILE] DUMP=BOUND[,ANGSTROMS] ...

A dump has the columns id type x y z, sorted by id, in an orthogonal box; ANGSTROMS (1) of a unit of it, 10 for those of Lennard-Jones. gpz
files are whole ones, with ids, types and boxes. XTC and the peers of evaluation/peers get positions alone, wrapped and unwrapped (by the nearest
image of the frame before), and the smaller counts. Every row is decoded and compared; `!` marks one whose largest error is above
the bound by more than the rounding of its own FP32 (`Result.slack`), `*` one that loses which particle is which (LCP: a different order in
each frame; without the mark it has one order of its own for all frames). Rows of an earlier run are taken from FILE, unless --again names
their column; one run at a time writes FILE. `failed` is a peer that gave no result.

Needs numpy, MDAnalysis for XTC, and the packages of the peers that are packages.
"""
import argparse
import functools
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

from peers import Failed, gpz_arrays, gpz_command, lcp, mdcompress, mdz, mdz_package, pco, sz3, text_dump, xtc, zstd

EFFORTS = ("fast", "standard", "dense")
PEERS = ("xtc", "mdcompress", "mdz", "sz3", "lcp", "pco", "zstd", "mdz_package")


def unwrapped(positions, cells):
    """Each particle followed to its nearest image from frame to frame; cells (frames, 3, 3), rows are edge vectors."""
    out = positions.copy()
    for k in range(1, len(out)):
        steps = (positions[k] - out[k - 1]) @ np.linalg.inv(cells[k])
        out[k] = positions[k] - np.rint(steps) @ cells[k]
    return out


def asked_for(options):
    return [name for name in PEERS if getattr(options, name, None)]


def peer_measures(options, types, cells, angstroms):
    """Functions (positions, bound, scratch) by name, of the peers that were asked for."""
    edges = np.zeros(3) if cells is None else np.linalg.norm(cells[0], axis=1)
    of_peer = {
        "xtc": functools.partial(xtc.measure, cells=cells, nanometres=angstroms / 10),
        "mdcompress": functools.partial(mdcompress.measure, types=types, edges=edges, angstroms=angstroms),
        "mdz": mdz.measure,
        "sz3": sz3.measure,
        "lcp": lcp.measure,
        "pco": pco.measure,
        "zstd": zstd.measure,
        "mdz_package": functools.partial(mdz_package.measure, nanometres=angstroms / 10),
    }
    return {name: functools.partial(of_peer[name], getattr(options, name)) for name in asked_for(options)}


def cell_of(measured, values, folder=None):
    """What a table and its file keep of one measurement; `measured(scratch)`."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        try:
            result = measured(scratch)
        except Failed as failure:
            return {"failure": str(failure)}
    return {
        "bits": result.size * 8 / values,
        "values": values,
        "error": result.error,
        "kept": result.error <= result.slack,
        "encode": result.encode,
        "decode": result.decode,
        "mode": result.mode,
        **result.notes,
    }


def smaller(cells):
    """Of the forms of the input: the smallest that keeps the bound; else any."""
    good = [cell for cell in cells if "bits" in cell]
    kept = [cell for cell in good if cell["kept"]]
    return min(kept or good or cells, key=lambda cell: cell.get("bits", 0))


def compare_peers(options, positions, types, cells, bound, angstroms, row, again=(), saved=lambda: None):
    """Fills `row` with the peers that it does not have yet."""
    forms = {"wrapped": positions}
    if cells is not None:
        forms["unwrapped"] = unwrapped(positions, cells)
    values = positions.shape[0] * positions.shape[1]
    for name, measure in peer_measures(options, types, cells, angstroms).items():
        if name in row and name not in again:
            continue
        cells_of = []
        for form, given in forms.items():
            cell = cell_of(functools.partial(measure, given, bound), values, options.scratch)
            cells_of.append({**cell, "input": form})
        row[name] = smaller(cells_of)
        saved()


def text_of(cell):
    if cell is None:
        return ""
    if "bits" not in cell:
        return "failed"
    return f"{cell['bits']:.2f}{'' if cell['kept'] else '!'}{'*' if cell.get('orders', 1) > 1 else ''}"


def add_peer_options(parser, packages=("xtc", "pco", "mdz-package")):
    for peer in ("mdcompress", "mdz", "sz3", "lcp", "zstd"):
        parser.add_argument("--" + peer, metavar="PROGRAM")
    for peer in packages:
        parser.add_argument("--" + peer, action="store_true", help="by a Python package")
    parser.add_argument("--scratch", help="folder for files that are made")


def print_header(names, efforts):
    columns = ["trajectory", "particles", "frames", *(f"gpz {effort}" for effort in efforts), *names]
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns), flush=True)


def print_row(name, particles, frames, row, columns):
    print("| " + " | ".join([name, f"{particles:,}", str(frames), *(text_of(row.get(column)) for column in columns)]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dumps", nargs="+", metavar="DUMP=BOUND[,ANGSTROMS]")
    parser.add_argument("--gpz", required=True, metavar="PROGRAM")
    parser.add_argument("--effort", nargs="*", default=list(EFFORTS))
    parser.add_argument("--json", type=pathlib.Path, help="keeps rows from run to run")
    parser.add_argument("--again", nargs="*", default=[], help="columns to measure again, e.g. gpz-standard sz3")
    parser.add_argument("--arrays", action="store_true", help="also gpz's Python package on arrays, into FILE: its speed without text")
    add_peer_options(parser)
    options = parser.parse_args()
    rows = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}

    def save():
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1) + "\n")

    names = asked_for(options)
    columns = [f"gpz-{effort}" for effort in options.effort] + names
    print_header(names, options.effort)
    broken = []
    for given in options.dumps:
        dump, _, numbers = given.rpartition("=")
        bound, angstroms = (list(map(float, numbers.split(","))) + [1.0])[:2]
        name = f"{os.path.splitext(os.path.basename(dump))[0]}, {bound:g}"
        positions, types, cells = text_dump.read(dump)
        row = rows.setdefault(name, {})
        for effort in options.effort:
            column = f"gpz-{effort}"
            if column not in row or column in options.again:
                measure = functools.partial(gpz_command.measure, options.gpz, dump, positions, bound, effort=effort)
                row[column] = cell_of(measure, positions.shape[0] * positions.shape[1], options.scratch)
                save()
        for effort in options.effort if options.arrays else ():
            column = f"arrays-{effort}"
            if column not in row or column in options.again:
                measure = functools.partial(gpz_arrays.measure, None, positions, bound, types=types, cells=cells, effort=effort)
                row[column] = cell_of(measure, positions.shape[0] * positions.shape[1], options.scratch)
                save()
        compare_peers(options, positions, types, cells, bound, angstroms, row, options.again, save)
        print_row(name, positions.shape[1], positions.shape[0], row, columns)
        broken += [f"{name}: {column}" for column in columns if column.startswith("gpz") and not row[column].get("kept")]
    if broken:
        sys.exit("\n".join(f"{text}: failed, or beyond its bound" for text in broken))


if __name__ == "__main__":
    main()
