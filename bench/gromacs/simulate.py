#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs GROMACS (`gmx` in PATH) and keeps positions as its .trr has them: float32, nm, molecules whole (`gmx trjconv -pbc mol`).

  simulate.py water|protein FOLDER --keep NAME:FRAMES:PS ... [--equilibrate PS] [--threads N] [--limit SECONDS]
  simulate.py file FOLDER --topology FILE --tpr FILE --trajectory FILE --keep NAME:FRAMES:PS ...

water: SPC/E in a cube of --edge nm (4.5). protein: adenylate kinase (4AKE of MDAnalysisTests, or --structure) with AMBER99SB-ILDN
and TIP3P. Both: energy minimised, 300 K (v-rescale), density found at 1 bar (C-rescale), then one run at constant volume with steps of
2 fs, PME and rigid water. Every --keep is a part of that one run; all begin where it begins. NAME.npy has the shape (frames, atoms, 3),
NAME.json the cells and the elements, as evaluation/trajectory_files.py reads them. A kept part that the run did not reach is shorter. `--limit`
is of the run's wall time.

file: a .trr that exists; --topology is a .gro or .pdb, for the elements.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import warnings
from pathlib import Path

import numpy as np

STEP = 0.002  # ps
COMMON = f"""
dt = {STEP}
constraints = h-bonds
cutoff-scheme = Verlet
nstlist = 20
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
fourierspacing = 0.12
DispCorr = EnerPres
nstenergy = 500
nstlog = 5000
"""
HEAT = """
integrator = md
tcoupl = v-rescale
tc-grps = System
tau-t = {tau}
ref-t = 300
"""
GO_ON = "continuation = yes\n"
PRESS = """
pcoupl = C-rescale
tau-p = 1
ref-p = 1
compressibility = 4.5e-5
"""
MINIMISE = "integrator = steep\nemtol = 500\nnsteps = {steps}\n"
IONS = ("NA", "CL")
WATER = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
"""


class Run:
    """Steps of one simulation in one folder."""

    def __init__(self, folder: Path, threads: int):
        self.folder = folder
        self.threads = threads
        self.structure = self.state = ""

    def gmx(self, *words: object, answers: str = "") -> None:
        command = ["gmx", "-quiet", "-nobackup", *map(str, words)]
        done = subprocess.run(command, cwd=self.folder, input=answers, capture_output=True, text=True, check=False)
        with open(self.folder / "gmx.log", "a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}\n")
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr[-2000:]}")

    def simulate(self, name: str, parameters: str, *more: object) -> None:
        """From the last step of the simulation before. A .gro file rounds positions to 0.001 nm, a checkpoint does not."""
        (self.folder / f"{name}.mdp").write_text(COMMON + parameters)
        files = f"-f {name}.mdp -c {self.structure} -p topol.top -o {name}.tpr -po {name}.out.mdp".split()
        self.gmx("grompp", *files, *(["-t", self.state] if self.state else []))
        print(name, flush=True)
        self.gmx("mdrun", "-deffnm", name, "-ntmpi", 1, "-ntomp", self.threads, "-pin", "off", *more)
        self.structure = f"{name}.gro"
        state = f"{name}.cpt"
        self.state = state if (self.folder / state).exists() else ""

    def whole(self, trajectory: Path | str, tpr: Path | str) -> Path:
        self.gmx("trjconv", "-f", trajectory, "-s", tpr, "-o", "whole.trr", "-pbc", "mol", answers="System\n")
        return self.folder / "whole.trr"


def solvated_water(run: Run, edge: float) -> None:
    (run.folder / "topol.top").write_text(WATER)
    run.gmx("solvate", "-cs", "spc216.gro", "-box", edge, edge, edge, "-o", "start.gro", "-p", "topol.top")
    run.structure = "start.gro"


def solvated_protein(run: Run, structure: str, margin: float) -> None:
    """The box is as long as the protein along its principal axes. GROMACS decides which nitrogen of a histidine has the hydrogen."""
    text = Path(structure).read_text(encoding="utf-8")
    (run.folder / "given.pdb").write_text(text.replace("HSD", "HIS").replace("HSE", "HIS"))
    run.gmx(
        "pdb2gmx",
        "-f",
        "given.pdb",
        "-o",
        "protein.gro",
        "-p",
        "topol.top",
        "-ff",
        "amber99sb-ildn",
        "-water",
        "tip3p",
        "-ignh",
    )
    run.gmx(
        "editconf",
        "-f",
        "protein.gro",
        "-o",
        "box.gro",
        "-bt",
        "triclinic",
        "-d",
        margin,
        "-princ",
        answers="Protein\n",
    )
    run.gmx("solvate", "-cp", "box.gro", "-cs", "spc216.gro", "-o", "solvated.gro", "-p", "topol.top")
    (run.folder / "ions.mdp").write_text(COMMON + MINIMISE.format(steps=1))
    run.gmx("grompp", "-f", "ions.mdp", "-c", "solvated.gro", "-p", "topol.top", "-o", "ions.tpr", "-maxwarn", 2)
    run.gmx("genion", "-s", "ions.tpr", "-o", "start.gro", "-p", "topol.top", "-neutral", answers="SOL\n")
    run.structure = "start.gro"


def simulated(run: Run, options: argparse.Namespace, spacing: float, longest: float) -> tuple[Path, Path]:
    """Topology and trajectory."""
    if options.kind == "water":
        solvated_water(run, options.edge)
    else:
        if options.structure is None:
            from MDAnalysisTests.datafiles import PDB_small

            options.structure = PDB_small
        solvated_protein(run, options.structure, options.margin)
    # Rigid water cannot be minimised far by forces: a short way is enough for what solvate made.
    run.simulate("minimised", MINIMISE.format(steps=options.minimise))
    steps = round(options.equilibrate / STEP) // 2
    run.simulate("warm", HEAT.format(tau=0.1) + f"gen-vel = yes\ngen-temp = 300\ngen-seed = 1\nnsteps = {steps}\n")
    run.simulate("dense", HEAT.format(tau=0.1) + PRESS + GO_ON + f"nsteps = {steps}\n")
    limit = ["-maxh", options.limit / 3600] if options.limit else []
    kept = f"nstxout = {round(spacing / STEP)}\nnsteps = {round(longest / STEP)}\n"
    run.simulate("run", HEAT.format(tau=1) + GO_ON + kept, *limit)
    return run.folder / "dense.gro", run.whole("run.trr", "run.tpr")


def elements(topology: Path) -> list[str]:
    """The elements of protein and water, by the first letter of the name; M is the fourth site of water."""
    import MDAnalysis

    warnings.simplefilter("ignore")
    atoms = MDAnalysis.Universe(str(topology)).atoms
    return [
        residue if residue.rstrip("+-") in IONS else name.lstrip("0123456789")[0]
        for residue, name in zip(atoms.resnames, atoms.names, strict=True)
    ]


def keep(folder: Path, types: list[str], trajectory: Path, parts: list[tuple[str, int, float]], about: dict) -> None:
    """The values of the file: a reader that converts to Angstrom would round them again."""
    from MDAnalysis.lib.formats.libmdaxdr import TRRFile

    with TRRFile(str(trajectory)) as file:
        frames = [(frame.x.copy(), frame.box.copy(), frame.time) for frame in file]
    began = frames[0][2]
    for name, count, apart in parts:
        # A run that ends early writes its last step, wherever that is.
        kept = [frame for frame in frames if abs((frame[2] - began + apart / 2) % apart - apart / 2) < STEP / 2][:count]
        np.save(folder / f"{name}.npy", np.array([x for x, _, _ in kept], np.float32))
        cells = [cell.astype(float).tolist() for _, cell, _ in kept]
        known = {**about, "frames": len(kept), "spacing_ps": apart, "cells": cells, "types": types}
        (folder / f"{name}.json").write_text(json.dumps(known) + "\n")
        print(
            f"{name}: {len(kept)} frames of {len(types)} atoms, {apart:g} ps apart, first cell {cells[0]}", flush=True
        )


def version() -> str:
    text = subprocess.run(["gmx", "-quiet", "--version"], capture_output=True, text=True, check=True).stdout
    return next(line.split()[-1] for line in text.splitlines() if line.startswith("GROMACS version"))


def part_of(text: str) -> tuple[str, int, float]:
    name, count, apart = text.split(":")
    return name, int(count), float(apart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("water", "protein", "file"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", nargs="+", type=part_of, required=True, metavar="NAME:FRAMES:PS")
    parser.add_argument("--equilibrate", type=float, default=20, help="ps (20)")
    parser.add_argument("--minimise", type=int, default=200, help="steps at most (200)")
    parser.add_argument("--edge", type=float, default=4.5, help="nm, of the cube of water (4.5)")
    parser.add_argument("--margin", type=float, default=0.8, help="nm, from the protein to the box (0.8)")
    parser.add_argument("--structure", help="of the protein")
    parser.add_argument("--topology", type=Path)
    parser.add_argument("--tpr", type=Path)
    parser.add_argument("--trajectory", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=0, help="seconds")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    scratch = options.folder / options.kind
    scratch.mkdir(exist_ok=True)
    run = Run(scratch, options.threads)
    if options.kind == "file":
        topology = options.topology
        trajectory = run.whole(options.trajectory.resolve(), options.tpr.resolve())
        about = {"kind": "file", "trajectory": options.trajectory.name}
    else:
        spacing = min(apart for _, _, apart in options.keep)
        longest = max((count - 1) * apart for _, count, apart in options.keep)
        topology, trajectory = simulated(run, options, spacing, longest)
        about = {"kind": options.kind, "gromacs": version(), "equilibrated_ps": options.equilibrate}
    keep(options.folder, elements(topology), trajectory, options.keep, about)


if __name__ == "__main__":
    main()
