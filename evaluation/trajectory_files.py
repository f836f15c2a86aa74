#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bits a particle and frame of trajectories, at one bound: gpz in its three efforts, XTC, TNG, other programs, as Markdown.

trajectory_files.py [--gpz PROGRAM] [PEERS] [--json FILE] [--speed] FILE=BOUND[,ANGSTROMS] ...

FILE is a text dump of LAMMPS with the columns id type x y z, sorted by id, in an orthogonal box, or an array (.npy, with what
peers/array_file.py says beside it). ANGSTROMS (1) of a unit of it, 10 for those of Lennard-Jones and for nanometres. gpz by its PROGRAM, from a
dump: whole files, with ids, types and boxes; by its Python package, from an array: positions alone. XTC and the peers of evaluation/peers get
positions alone, wrapped and unwrapped (by the nearest image of the frame before), and the smaller counts. Every row is decoded and compared; `!`
marks one whose largest error is above the bound by more than the rounding of its own FP32 (`Result.slack`), `*` one that loses which particle
is which (LCP: a different order in each frame; without the mark it has one order of its own for all frames). `failed` is a peer that gave no
result. Rows of an earlier run are taken from FILE of --json, unless --again names their column; one run at a time writes it.

--speed adds two tables: MB/s of FP32 positions (12 bytes a particle and frame), by processor time that includes files and the start of programs
(gpz by its package has neither), and the largest errors in units of the bound.

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

from peers import Failed, array_file, gpz_command, gpz_package, lcp, mdcompress, mdz, mdz_package, pco, sz3, text_dump, tng, xtc, zstd

EFFORTS = ("fast", "standard", "dense")
PEERS = ("xtc", "tng", "mdcompress", "mdz", "sz3", "lcp", "pco", "zstd", "mdz_package")


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
        "tng": functools.partial(tng.measure, cells=cells, nanometres=angstroms / 10),
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
    """The part of one measurement that a table and its file keep; `measured(scratch)`."""
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
    """The smallest form of the input that keeps the bound; else any."""
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


def speed_of(cell, values):
    """MB/s of encoding and decoding."""
    if cell is None or "bits" not in cell:
        return text_of(cell)
    return " / ".join(f"{values * 12e-6 / cell[way]:.3g}" if cell[way] else "" for way in ("encode", "decode"))


def error_of(cell, _):
    return text_of(cell) if cell is None or "bits" not in cell else f"{cell['error']:.4f}"


def add_peer_options(parser, packages=("xtc", "pco", "mdz-package")):
    for peer in ("mdcompress", "mdz", "sz3", "lcp", "zstd"):
        parser.add_argument("--" + peer, metavar="PROGRAM")
    parser.add_argument("--tng", metavar="LIBRARY", help="libtng_io.so")
    for peer in packages:
        parser.add_argument("--" + peer, action="store_true", help="by a Python package")
    parser.add_argument("--scratch", help="folder for files that are made")


def print_header(names, efforts):
    columns = ["trajectory", "particles", "frames", *(f"gpz {effort}" for effort in efforts), *names]
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns), flush=True)


def print_row(name, particles, frames, texts):
    print("| " + " | ".join([name, f"{particles:,}", str(frames), *texts]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE=BOUND[,ANGSTROMS]")
    parser.add_argument("--gpz", metavar="PROGRAM", help="for dumps")
    parser.add_argument("--effort", nargs="*", default=list(EFFORTS))
    parser.add_argument("--json", type=pathlib.Path, help="keeps rows from run to run")
    parser.add_argument("--speed", action="store_true", help="two tables more")
    parser.add_argument("--again", nargs="*", default=[], help="columns to measure again, e.g. gpz-standard sz3")
    parser.add_argument("--arrays", action="store_true", help="also gpz by its Python package, into the FILE of --json: its speed on dumps without text")
    add_peer_options(parser)
    options = parser.parse_args()
    rows = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}

    def save():
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1) + "\n")

    names = asked_for(options)
    columns = [f"gpz-{effort}" for effort in options.effort] + names
    print_header(names, options.effort)
    broken, shown = [], []
    for given in options.files:
        file, _, numbers = given.rpartition("=")
        bound, angstroms = (list(map(float, numbers.split(","))) + [1.0])[:2]
        name = f"{os.path.splitext(os.path.basename(file))[0]}, {bound:g}"
        is_array = file.endswith(".npy")
        if not is_array and not options.gpz and options.effort:
            parser.error("dumps need --gpz")
        positions, types, cells = (array_file if is_array else text_dump).read(file)
        values = positions.shape[0] * positions.shape[1]
        row = rows.setdefault(name, {})
        for effort in options.effort:
            column = f"gpz-{effort}"
            if column not in row or column in options.again:
                if is_array:
                    measure = functools.partial(gpz_package.measure_frames, None, positions, bound, cells=cells, effort=effort)
                else:
                    measure = functools.partial(gpz_command.measure, options.gpz, file, positions, bound, effort=effort)
                row[column] = cell_of(measure, values, options.scratch)
                save()
        for effort in options.effort if options.arrays else ():
            column = f"arrays-{effort}"
            if column not in row or column in options.again:
                measure = functools.partial(gpz_package.measure_frames, None, positions, bound, cells=cells, effort=effort)
                row[column] = cell_of(measure, values, options.scratch)
                save()
        compare_peers(options, positions, types, cells, bound, angstroms, row, options.again, save)
        shown.append((name, positions.shape[1], positions.shape[0], row))
        print_row(*shown[-1][:3], [text_of(row.get(column)) for column in columns])
        broken += [f"{name}: {column}" for column in columns if column.startswith("gpz") and not row[column].get("kept")]
    for title, text in (("MB/s, encoding / decoding", speed_of), ("Largest errors", error_of)) if options.speed else ():
        print(f"\n{title}:\n")
        print_header(names, options.effort)
        for name, particles, frames, row in shown:
            print_row(name, particles, frames, [text(row.get(column), particles * frames) for column in columns])
    if broken:
        sys.exit("\n".join(f"{text}: failed, or beyond its bound" for text in broken))


if __name__ == "__main__":
    main()
