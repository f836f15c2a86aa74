#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bits a particle and frame of SPC/E water whose positions are moved by parts of the box, while the file's box stays where it
is, or with no box in the file.

  PYTHONPATH=build/python build/venv/bin/python bench/python/moved_water.py FOLDER [--build FOLDER] [--effort fast standard]

FOLDER: for the runs of LAMMPS: 3,000 atoms, 16 frames 100 steps apart, in an orthogonal and in a triclinic box. Whole files,
bound 0.005 A, ids 1, 2, ... Every value is compared with its bound.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

import gpz

REPOSITORY = Path(__file__).resolve().parents[2]
BOUND = 0.005  # A
MOLECULES = 10  # along each edge
TILT = "change_box all triclinic\nchange_box all xy final 9.0 xz final 4.0 yz final -6.0 remap units box\nkspace_style pppm 1e-4\n"


def run(folder: Path, build: Path, kind: str) -> list[tuple[gpz.Frame, np.ndarray]]:
    """Frames with wrapped positions, and unwrapped positions."""
    path = folder / f"{kind}.bin"
    if not path.exists():
        start = folder / "water.data"
        subprocess.run([sys.executable, REPOSITORY / "bench/systems/start.py", "water", str(MOLECULES), start], check=True)
        system = (REPOSITORY / "bench/systems/spce.lmp").read_text().replace("velocity all", (TILT if kind == "triclinic" else "") + "velocity all", 1)
        script = f"variable start string {start}\nbox tilt large\n{system}\nreset_timestep 0\n"
        script += f"dump 1 all custom 100 {path} id type x y z xu yu zu\nrun 1500\n"
        (folder / f"in.{kind}").write_text(script)
        subprocess.run([build / "bin/lmp", "-in", f"in.{kind}", "-log", f"{kind}.log"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    file = folder / f"{kind}.gpz"
    subprocess.run([build / "bin/gpz", "encode", path, "-o", file, "--lossless"], check=True, capture_output=True)
    with gpz.open(file) as trajectory:
        return [(frame.load(), np.stack([frame["xu"], frame["yu"], frame["zu"]], axis=1)) for frame in trajectory]


def bits(frames, place, with_box: bool, effort: str, path: Path) -> float:
    with gpz.Writer(path, units="real", bound=BOUND, effort=effort) as writer:
        for frame, unwrapped in frames:
            writer.write(positions=place(frame, unwrapped), ids=frame.ids, types=frame.types, box=frame.box if with_box else None)
    with gpz.open(path) as written:
        for found, (frame, unwrapped) in zip(written, frames, strict=True):
            if np.abs(found.positions - place(frame, unwrapped)).max() > BOUND:
                raise SystemExit(f"frame {found.index} is not within its bound")
    return path.stat().st_size * 8 / sum(frame.n_particles for frame, _ in frames)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    parser.add_argument("--effort", nargs="*", default=["fast", "standard"])
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    shifts = np.arange(10) / 10
    print("| box, effort | in the file | " + " | ".join(f"{shift:.1f}" for shift in shifts) + " | largest/smallest | unwrapped |")
    print("|---" * (len(shifts) + 4) + "|")
    for kind in ("orthogonal", "triclinic"):
        frames = run(folder, options.build.resolve(), kind)
        for effort in options.effort:
            for with_box in (True, False):
                def moved(shift):
                    return lambda frame, _: frame.positions + shift * frame.box.matrix.sum(axis=0)

                row = [bits(frames, moved(shift), with_box, effort, folder / "moved.gpz") for shift in shifts]
                free = bits(frames, lambda _, unwrapped: unwrapped, with_box, effort, folder / "moved.gpz")
                cells = " | ".join(f"{value:.2f}" for value in row)
                print(f"| {kind}, {effort} | {'yes' if with_box else 'no'} | {cells} | {max(row) / min(row):.3f} | {free:.2f} |", flush=True)


if __name__ == "__main__":
    main()
