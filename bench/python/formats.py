# SPDX-License-Identifier: BSD-3-Clause
"""Makes the trajectories that reading.py reads and that are not there yet, from those that reading.sh has made.

formats.py FOLDER
"""

import argparse
import os
import pathlib
import warnings

import MDAnalysis as mda
import numpy as np
from MDAnalysis.coordinates.DCD import DCDReader

import gpz

LONG = 1000  # frames for random access
MANY = 10_000  # frames for opening


def finished(path, write):
    """Calls write(path) unless the file is there; half a file has another name."""
    if path.exists():
        return
    unfinished = path.with_name("unfinished-" + path.name)
    write(unfinished)
    os.replace(unfinished, path)


def by_mdanalysis(dcd):
    def write(path):
        reader = DCDReader(str(dcd))
        universe = mda.Universe.empty(reader.n_atoms, trajectory=True)
        universe.trajectory = reader
        with mda.Writer(str(path), n_atoms=reader.n_atoms) as writer:
            for _ in reader:
                writer.write(universe.atoms)

    return write


def back_and_forth(frames, count):
    """0 1 2 ... 2 1 0 1 2 ...: a motion that goes on, from a few frames."""
    there = [*range(frames), *range(frames - 2, 0, -1)]
    return [there[k % len(there)] for k in range(count)]


def long_trajectory(source, key_interval):
    def write(path):
        trajectory = gpz.open(source)
        frames = [trajectory[k].load("positions", "ids", "types") for k in range(len(trajectory))]
        with gpz.Writer(path, units="lj", bound=5e-4, order="place", key_interval=key_interval) as writer:
            for k, index in enumerate(back_and_forth(len(frames), LONG)):
                writer.write(frames[index], timestep=100 * k)

    return write


def many_frames(path):
    random = np.random.default_rng(1)
    positions, velocities = random.random((100, 3)), random.normal(size=(100, 3))
    with gpz.Writer(path, units="lj", bound=1e-3) as writer:
        for k in range(MANY):
            writer.write(
                positions=positions + 1e-3 * k * velocities, ids=np.arange(100), box=[10, 10, 10], time=0.5 * k
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    warnings.simplefilter("ignore")
    for name in ("melt.ncdf", "melt.h5md"):
        finished(folder / name, by_mdanalysis(folder / "melt.dcd"))
    for key in (10, 100):
        finished(folder / f"long-{key}.gpz", long_trajectory(folder / "place.gpz", key))
    finished(folder / "many.gpz", many_frames)


main()
