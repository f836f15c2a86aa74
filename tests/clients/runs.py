# SPDX-License-Identifier: BSD-3-Clause
"""Real runs of LAMMPS, each written as .gpz and as text in the same steps: what every program that reads .gpz is
compared with.

    from runs import NAMES, make
    run = make("triclinic")               # in $GPZ_CLIENT_RUNS, or make("triclinic", folder)
    run.gpz, run.text                     # the files; run.parts has those of "percent"
    for frame in run.frames: ...          # from the text, atoms in the order of ids; see read_text

A run is made once in a folder, and again when its input, LAMMPS or the plugin has changed. Environment: LAMMPS_BINARY,
GPZ_PLUGIN (gpzplugin.so; not needed where dump gpz is built in), GPZ_MPIEXEC (default: mpiexec --oversubscribe).
Nothing here reads .gpz with gpz.
"""

import argparse
import fcntl
import functools
import hashlib
import os
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

INPUTS = Path(__file__).resolve().parent / "inputs"
FINISHED = "finished"  # a file that is written last; it has the digest of what the run was made of
POSITIONS = ("x", "y", "z", "xu", "yu", "zu")


@dataclass(frozen=True)
class Case:
    """What of a run does not stand in its input."""

    bound: float = 0.001  # of positions, in units of distance
    timestep: float = 0.005  # in units of time
    units: str = "lj"
    ranks: int = 1
    other_bounds: tuple = ()  # (column, bound); other columns are lossless
    torn: bool = False


CASES = {
    "melt": Case(),
    "melt_place": Case(),
    "triclinic": Case(),
    "two_dimensional": Case(),
    "no_z": Case(),
    "group": Case(),
    "varying": Case(),
    "torn": Case(torn=True),
    "fields": Case(timestep=0.5, units="real", other_bounds=(("vx", 1e-6), ("vy", 1e-6), ("vz", 1e-6))),
    "scaled": Case(),
    "unwrapped": Case(),
    "percent": Case(ranks=4),
    "elements": Case(units="metal", other_bounds=(("vx", 1e-4), ("vy", 1e-4), ("vz", 1e-4))),
}
NAMES = tuple(CASES)


class Run:
    """The files of a case and what stands in its text."""

    def __init__(self, name, folder):
        self.name, self.folder, self.case = name, folder, CASES[name]
        self.text = folder / "run.dump"
        self.parts = sorted(folder.glob("run*.gpz"))  # one file, or one of each rank
        self.gpz = folder / "run.%.gpz" if self.case.ranks > 1 else folder / "run.gpz"
        self.units, self.timestep_size, self.torn = self.case.units, self.case.timestep, self.case.torn

    @functools.cached_property
    def frames(self):
        """The frames that a reader of the .gpz file has to find: those of the text, without the one that is torn in the
        other file."""
        frames = read_text(self.text)
        times = read_times(self.folder / "log.lammps")
        for frame in frames:
            frame["time"] = times[frame["timestep"]]
        return frames[:-1] if self.torn else frames

    @functools.cached_property
    def bounds(self):
        """The largest allowed error by column, for positions that are distances. Columns that are not in it are
        lossless. Scaled
        positions: the error of the distance, as Cartesian coordinates in the box of the frame."""
        return {**{column: self.case.bound for column in POSITIONS}, **dict(self.case.other_bounds)}


def read_text(path):
    """The frames of a LAMMPS text dump, as dicts:

    timestep      int
    boundary      "pp pp fs"
    origin        (3,) lower corner of the box (of the box itself, not of the bounding box that LAMMPS writes for tilted
    ones) matrix        (3, 3) edge vectors as rows lengths, tilt (3,) lx ly lz and xy xz yz; the tilt is zero for boxes
    that have none triclinic     bool columns       dict of name -> array of one value an atom: int64, float64, or str
    for element and typelabel
    """
    import numpy as np

    frames = []
    with open(path) as file:
        while file.readline():
            timestep = int(file.readline())
            file.readline()
            count = int(file.readline())
            words = file.readline().split()[3:]
            sides = np.array([[float(word) for word in file.readline().split()] for _ in range(3)])
            names = file.readline().split()[2:]
            rows = [file.readline().split() for _ in range(count)]
            tilt = sides[:, 2] if words[0] == "xy" else np.zeros(3)
            xy, xz, yz = tilt
            low = sides[:, 0] - [min(0, xy, xz, xy + xz), min(0, yz), 0]
            high = sides[:, 1] - [max(0, xy, xz, xy + xz), max(0, yz), 0]
            lengths = high - low
            columns = {name: as_array([row[i] for row in rows], name) for i, name in enumerate(names)}
            frames.append(
                {
                    "timestep": timestep,
                    "boundary": " ".join(words[-3:]),
                    "origin": low,
                    "lengths": lengths,
                    "tilt": tilt,
                    "matrix": np.array([[lengths[0], 0, 0], [xy, lengths[1], 0], [xz, yz, lengths[2]]]),
                    "triclinic": words[0] == "xy",
                    "columns": columns,
                }
            )
    return frames


def as_array(words, name):
    import numpy as np

    if name in ("element", "typelabel"):
        return np.array(words, dtype=str)
    whole = name in ("id", "mol", "type", "proc", "ix", "iy", "iz")
    return np.array(words, dtype=np.int64 if whole else np.float64)


def read_times(log):
    """Time by timestep, from the thermodynamic output."""
    times, inside = {}, False
    for line in log.read_text().splitlines():
        words = line.split()
        if words == ["Step", "Time"]:
            inside = True
        elif line.startswith("Loop time"):
            inside = False
        elif inside and len(words) == 2:
            times[int(words[0])] = float(words[1])
    return times


def make(name, folder=None):
    """Makes the run unless it is there; any number of processes may ask for it at the same time."""
    folder = Path(folder or os.environ["GPZ_CLIENT_RUNS"]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / name
    with open(folder / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        digest = digest_of(name)
        finished = place / FINISHED
        if not finished.exists() or digest and finished.read_text() != digest:
            simulate(name, place)
            finished.write_text(digest)
    return Run(name, place)


def digest_of(name):
    """Of all that a run depends on; empty where there is no LAMMPS to make it again."""
    if "LAMMPS_BINARY" not in os.environ:
        return ""
    digest = hashlib.sha256(repr((name, CASES[name])).encode())
    for path in [*sorted(INPUTS.iterdir()), Path(__file__)]:
        digest.update(path.read_bytes())
    for variable in ("LAMMPS_BINARY", "GPZ_PLUGIN"):
        if variable in os.environ:
            facts = os.stat(os.environ[variable])
            digest.update(repr((facts.st_size, facts.st_mtime_ns)).encode())
    return digest.hexdigest()


def simulate(name, place):
    if "LAMMPS_BINARY" not in os.environ:
        raise RuntimeError(f"{name} is not in {place.parent}, and LAMMPS_BINARY is not set to make it")
    case = CASES[name]
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    plugin = os.environ.get("GPZ_PLUGIN")
    script = f"plugin load {plugin}\n" if plugin else ""
    (place / "in.lammps").write_text(script + f"include {INPUTS / name}.lmp\n")
    start = (
        [*os.environ.get("GPZ_MPIEXEC", "mpiexec --oversubscribe").split(), "-np", str(case.ranks)]
        if case.ranks > 1
        else []
    )
    variables = ["-var", "inputs", str(INPUTS), "-var", "bound", str(case.bound)]
    done = subprocess.run(
        [*start, os.environ["LAMMPS_BINARY"], "-in", "in.lammps", "-log", "log.lammps", *variables],
        check=False,
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # as root, OpenMPI wants to be told
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        },
        timeout=300,
    )
    if done.returncode:
        raise RuntimeError(f"{name}: LAMMPS ended with exit code {done.returncode}\n{done.stdout[-2000:]}")
    if case.torn:
        tear(place / "run.gpz")


def tear(path):
    """Cuts the file in the middle of its last frame, as the death of its writer would have."""
    data = path.read_bytes()
    (metadata_length,) = struct.unpack_from("<I", data, 20)
    offset, frames = (24 + metadata_length + 7) // 8 * 8 + 8, []
    while offset < len(data):
        kind, _, length = struct.unpack_from("<IIQ", data, offset + 8)
        if kind == 1:
            frames.append((offset, length))
        offset += length
    start, length = frames[-1]
    os.truncate(path, start + length // 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all without any")
    parser.add_argument("--folder", help="where the runs are made (default: $GPZ_CLIENT_RUNS)")
    parser.add_argument("--list", action="store_true", help="print the names")
    options = parser.parse_args()
    if options.list:
        print("\n".join(NAMES))
        return
    if not (options.folder or "GPZ_CLIENT_RUNS" in os.environ):
        parser.error("--folder is needed, or GPZ_CLIENT_RUNS")
    for name in options.names or NAMES:
        if name not in CASES:
            parser.error(f"no case is called {name}")
        run = make(name, options.folder)
        print(f"{name}: {', '.join(str(path) for path in run.parts)} and {run.text}")


if __name__ == "__main__":
    sys.exit(main())
