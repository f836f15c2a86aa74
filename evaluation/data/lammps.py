#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Positions of a LAMMPS run of one of bench/systems, in the order in which LAMMPS has its atoms: NAME.f32 and NAME.json.

LAMMPS sorts its atoms by bins of half a neighbour cutoff when a run begins and every 1000 steps; in between an atom keeps its place
in memory while it moves. On one rank the file is that memory. The forces of KOKKOS on a GPU are added in any order, so a run
repeats there only statistically.

    lammps.py --lmp build/bin/lmp --system melt --size 63 --steps 200 --out melt.f32
    lammps.py --lmp lmp --system copper --size 159 --out copper.f32 -- -k on g 1 -sf kk -pk kokkos newton on neigh half
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy
import particle_file

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench")
sys.path.insert(1, BENCH)
from raw_positions import read_frames

SYSTEMS = {
    "melt": "Lennard-Jones liquid near its triple point, reduced density 0.8442, cut at 2.5 sigma",
    "copper": "copper crystal at 300 K, embedded-atom potential Cu_u3",
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", required=True, help="LAMMPS, with MANYBODY for copper")
    parser.add_argument("--system", required=True, choices=SYSTEMS)
    parser.add_argument("--size", type=int, default=159, help="cells of 4 atoms along an edge (159: 16 M atoms)")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--systems", default=os.path.join(BENCH, "systems"), help="folder of the input files")
    parser.add_argument("--potentials", default=".", help="folder of Cu_u3.eam")
    parser.add_argument("--work", help="folder for the dump (that of --out)")
    parser.add_argument("--out", required=True, help="NAME.f32")
    parser.add_argument("lammps", nargs="*", help="after --: more arguments of LAMMPS")
    return parser.parse_args()


def run(options, dump):
    """Runs LAMMPS and returns its version."""
    script = f"""include {os.path.join(os.path.abspath(options.systems), options.system)}.lmp
dump d all custom {options.steps} {dump} x y z
dump_modify d delay {options.steps}
run {options.steps}
"""
    command = [options.lmp, *options.lammps, "-in", "run.in", "-var", "size", str(options.size), "-var", "potentials",
               os.path.abspath(options.potentials)]
    folder = os.path.dirname(dump)
    with open(os.path.join(folder, "run.in"), "w", encoding="utf-8") as file:
        file.write(script)
    command[0] = os.path.abspath(options.lmp) if os.path.dirname(options.lmp) else options.lmp
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"LAMMPS failed with {result.returncode}:\n" + "\n".join((result.stdout + result.stderr).splitlines()[-5:]))
    lines = result.stdout.splitlines()
    print(*(line for line in lines if line.startswith("Loop time")), sep="\n")
    return next(line for line in lines if line.startswith("LAMMPS (")).removeprefix("LAMMPS ").strip("()")


def main():
    options = parse()
    particle_file.stem(options.out)
    beside = os.path.dirname(os.path.abspath(options.out))
    with tempfile.TemporaryDirectory(dir=options.work or beside, prefix="lammps-") as folder:
        dump = os.path.join(folder, "last.bin")
        version = run(options, dump)
        ((columns, values, _),) = read_frames(dump)
    rows = numpy.frombuffer(values, dtype=numpy.float64).reshape(-1, len(columns))
    particle_file.write(
        options.out, [rows[:, columns.index(name)] for name in ("x", "y", "z")], description=SYSTEMS[options.system],
        source=f"LAMMPS {version}, bench/systems/{options.system}.lmp, size {options.size}, {options.steps} steps"
        + (", arguments " + " ".join(options.lammps) if options.lammps else ""),
        order="memory of LAMMPS on one rank: sorted by bins of space when the run began, each atom at its place since")


if __name__ == "__main__":
    main()
