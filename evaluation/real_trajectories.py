# SPDX-License-Identifier: BSD-3-Clause
"""Bits a particle and frame of the trajectories of MDAnalysisTests, against those of XTC, at a bound of 0.005 A.

real_trajectories.py DATA FOLDER [--effort standard ...] [--only NAME ...] [--mdz PROGRAM ...]

DATA is the folder MDAnalysisTests/data of the unpacked package, FOLDER where files are made. Every trajectory of at
least 1,000 particles and two frames, positions and box as the file has them, ids 1, 2, ... XTC's precision of 1000 a
nanometre has the same bound. Whole files are counted, at most 101 frames. Other programs as in evaluation/trajectory_files.py, with its marks;
types are not in these files, so mdcompress finds no water.
"""

import argparse
import pathlib
import warnings

import numpy as np
from MDAnalysis.coordinates.core import reader as open_reader
from MDAnalysis.lib.formats.libmdaxdr import XTCFile
from MDAnalysis.lib.mdamath import triclinic_vectors

import gpz
import trajectory_files as peers

BOUND = 0.005  # A
LEAST = 1000  # particles
MOST = 101  # frames
ENDINGS = {".xtc", ".trr", ".dcd", ".nc", ".ncdf", ".trz", ".xyz", ".bz2"}
PARTICLES = {"trzfile.trz": 8184}  # of files that do not say it


def frames_of(path):
    """Positions (N, 3) in A and edge vectors (3, 3) in A or None, of each frame; none of a file that is too small."""
    keywords = {"n_atoms": PARTICLES[path.name]} if path.name in PARTICLES else {}
    trajectory = open_reader(str(path), **keywords)
    if trajectory.n_atoms < LEAST or len(trajectory) < 2:
        return []
    frames = []
    for step in trajectory[: min(MOST, len(trajectory))]:
        box = None if step.dimensions is None else triclinic_vectors(step.dimensions).astype(np.float64)
        frames.append((step.positions.astype(np.float32).copy(), box))
    return frames


def xtc_size(frames, path):
    with XTCFile(str(path), "w") as file:
        for k, (x, box) in enumerate(frames):
            cell = np.zeros((3, 3)) if box is None else box
            file.write((x / 10).astype(np.float32), (cell / 10).astype(np.float32), k, float(k), 1000)
    return path.stat().st_size


def gpz_size(frames, effort, path):
    path.unlink(missing_ok=True)
    ids = np.arange(1, len(frames[0][0]) + 1)
    with gpz.Writer(path, units="real", bound=BOUND, effort=effort) as writer:
        for k, (x, box) in enumerate(frames):
            writer.write(positions=x, ids=ids, timestep=k, box=box)
    worst = 0.0
    for k, frame in enumerate(gpz.open(path)):
        worst = max(worst, float(np.abs(frame.positions - frames[k][0].astype(np.float64)).max()))
    if worst > BOUND * (1 + 1e-12):
        raise SystemExit(f"{path}: error {worst}")
    return path.stat().st_size


def peer_cells(options, frames):
    """Texts of the peers that were asked for."""
    positions = np.array([x for x, _ in frames], np.float64)
    boxes = [box for _, box in frames]
    cells = None if any(box is None or np.linalg.det(box) == 0 for box in boxes) else np.array(boxes)
    row = {}
    peers.compare_peers(options, positions, np.ones(positions.shape[1], np.int64), cells, BOUND, 1.0, row)
    return [peers.text_of(row[name]) for name in peers.asked_for(options)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--effort", nargs="*", default=["standard"])
    parser.add_argument("--only", nargs="*", default=[])
    peers.add_peer_options(parser, ("pco", "mdz-package"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    print("trajectory", "particles", "frames", "XTC", *options.effort, *peers.asked_for(options), sep=" | ")
    for path in sorted(options.data.rglob("*")):
        if path.suffix.lower() not in ENDINGS or (options.only and path.name not in options.only):
            continue
        try:
            frames = frames_of(path)
        except Exception as error:  # noqa: BLE001  whatever MDAnalysis says of a file that it cannot read alone
            if options.only:
                raise
            print(f"{path.name}: left out, {type(error).__name__}")
            continue
        if not frames:
            continue
        values = len(frames[0][0]) * len(frames) / 8
        row = [xtc_size(frames, options.folder / (path.name + ".xtc"))]
        row += [gpz_size(frames, effort, options.folder / f"{path.name}-{effort}.gpz") for effort in options.effort]
        name = str(path.relative_to(options.data))
        cells = [f"{size / values:.2f}" for size in row] + peer_cells(options, frames)
        print(name, len(frames[0][0]), len(frames), *cells, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
