#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes files of what simulate.py kept: NAME-EFFORT.gpz in Angstrom, NAME.xtc; every value is compared with its bound.

  encode.py FOLDER NAME [--efforts fast standard dense] [--key N] [--threads N] [--xtc] [--frames N]

--frames N takes the first N. XTC has the precision 1000 of nm, argon 3000, which is its bound of 0.00017 nm.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np

import gpz
from gpz._coding import EFFORTS


class Data:
    def __init__(self, folder: Path, name: str, frames: int | None):
        self.about = json.loads((folder / f"{name}.json").read_text())
        self.positions = np.load(folder / f"{name}.npy", mmap_mode="r")[:frames]  # nm
        self.box = np.array(self.about["box"])
        self.bound = 10 * self.about["bound"]  # Angstrom
        self.atoms = self.positions.shape[1]

    def angstrom(self, k: int) -> np.ndarray:
        return self.positions[k] * np.float32(10)

    def ps(self, k: int) -> float:
        return k * self.about["spacing_fs"] / 1000


def write_gpz(data: Data, path: Path, effort: str, key: int, threads: int) -> None:
    ids = np.arange(1, data.atoms + 1)
    with gpz.Writer(
        path, units="real", bound=data.bound, key_interval=key, order="id", effort=effort, threads=threads
    ) as writer:
        for k in range(len(data.positions)):
            steps = round(1000 * data.ps(k) / data.about["step_fs"])
            writer.write(positions=data.angstrom(k), ids=ids, box=10 * data.box, timestep=steps, time=1000 * data.ps(k))


def require_bound(data: Data, path: Path, threads: int) -> float:
    largest = 0.0
    with gpz.open(path, dtype=np.float64, threads=threads) as trajectory:
        if len(trajectory) != len(data.positions):
            raise SystemExit(f"{path}: {len(trajectory)} frames of {len(data.positions)}")
        for k, frame in enumerate(trajectory):
            largest = max(largest, np.abs(frame.positions - data.angstrom(k)).max())
    if largest > data.bound:
        raise SystemExit(f"{path}: an error of {largest}, more than {data.bound}")
    return largest


def write_xtc(data: Data, path: Path) -> float:
    from MDAnalysis.lib.formats.libmdaxdr import XTCFile

    precision = 3000 if data.bound < 0.005 else 1000
    box = np.diag(data.box).astype(np.float32)
    with XTCFile(str(path), "w") as file:
        for k in range(len(data.positions)):
            file.write(np.array(data.positions[k]), box, k, data.ps(k), precision)
    with XTCFile(str(path)) as file:
        return 10 * max(np.abs(file.read().x - data.positions[k]).max() for k in range(len(data.positions)))


def report(data: Data, path: Path, seconds: float, largest: float) -> None:
    size = path.stat().st_size
    bits = 8 * size / data.atoms / len(data.positions)
    frames = len(data.positions)
    print(
        f"{path.name:28} {data.atoms:8} atoms {frames:3} frames {size:11} bytes {bits:6.2f} bits/atom {seconds:6.1f} s, largest error {largest:.6f} A",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("--efforts", nargs="*", default=EFFORTS)
    parser.add_argument("--key", type=int, default=20)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--frames", type=int)
    parser.add_argument("--xtc", action="store_true")
    options = parser.parse_args()
    data = Data(options.folder, options.name, options.frames)
    for effort in options.efforts:
        path = options.folder / f"{options.name}-{effort}.gpz"
        part = path.with_name("part-" + path.name)
        began = time.monotonic()
        write_gpz(data, part, effort, options.key, options.threads)
        seconds = time.monotonic() - began
        report(data, part, seconds, require_bound(data, part, options.threads))
        os.replace(part, path)
    if options.xtc:
        path = options.folder / f"{options.name}.xtc"
        began = time.monotonic()
        largest = write_xtc(data, path)
        report(data, path, time.monotonic() - began, largest)


if __name__ == "__main__":
    main()
