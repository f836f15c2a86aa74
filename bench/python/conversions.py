#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Converts trajectories of other programs to .gpz and back, and compares all values with those of the originals, as Markdown.

    PYTHONPATH=build/python build/venv/bin/python bench/python/conversions.py DATA FOLDER [OPTIONS OF gpz convert ...]

DATA: a folder, whose files of XTC, TRR, DCD, AMBER NetCDF and TNG are converted, such as the folder `data` of MDAnalysisTests.
FOLDER: for what is made. Originals are read by MDAnalysis, without gpz.convert. "Back" is a conversion of the .gpz file to the
format of the original. Bits are those of a whole file for a particle and frame. Files that are cut are converted as far as they go.
"""

import argparse
import filecmp
import pathlib
import subprocess
import sys
import warnings

import MDAnalysis as mda
import numpy as np
from MDAnalysis.coordinates.core import get_reader_for
from MDAnalysis.lib import mdamath
from MDAnalysis.lib.formats.libdcd import DCDFile
from MDAnalysis.lib.formats.libmdaxdr import XTCFile

import gpz
from gpz.mdanalysis.units import units_of

ENDINGS = (".xtc", ".trr", ".dcd", ".nc", ".ncdf", ".tng")
WRITTEN = (".xtc", ".trr", ".dcd", ".nc", ".ncdf")
FEW = 9  # particles, which XTC does not round
LAMMPS = "Written by LAMMPS"  # in the title of a DCD file, whose times are in the units of the run: here real
BOX_TOLERANCE = 2e-6  # relative, of vectors that are computed from lengths and angles in single precision
ROUNDING = 2.0**-22  # relative, of values in single precision that are converted to other units and back
VECTORS = {"positions": ("x", "y", "z"), "velocities": ("vx", "vy", "vz"), "forces": ("fx", "fy", "fz")}


class Differs(Exception):
    """Differences from the original."""


def convert(*arguments):
    """Runs gpz convert. Raises Differs with its message if it fails."""
    done = subprocess.run([sys.executable, "-m", "gpz.programs.convert", "--quiet", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise Differs(f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1]}")


def reader_of(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return get_reader_for(str(path))(str(path))


def edges_of(dimensions):
    return None if dimensions is None else mdamath.triclinic_vectors(dimensions).astype(np.float64)


def femtoseconds_of_lammps(path):
    """(first, step between frames, length of a step) in a DCD file of LAMMPS; None for other files."""
    if path.suffix != ".dcd":
        return None
    with DCDFile(str(path)) as file:
        header = file.header
    return (header["istart"], header["nsavc"], header["delta"]) if header["remarks"].startswith(LAMMPS) else None


def compare(path, made):
    """(particles, frames, values that were compared, largest difference of a position, its bound)."""
    values, largest, bound = 0, 0.0, 0.0
    original, lammps = reader_of(path), femtoseconds_of_lammps(path)
    with gpz.open(made) as file:
        units = units_of(file.units)
        factors = {"positions": units.length, "velocities": units.velocity, "forces": units.force}
        if len(file) != original.n_frames:
            raise Differs(f"{len(file)} frames instead of {original.n_frames}")
        for ts, frame in zip(original, file):
            time = ts.time if lammps is None else (lammps[0] + lammps[1] * ts.frame) * lammps[2] / 1000
            if not abs(frame.time * units.time - time) <= 1e-6 * max(abs(time), 1):
                raise Differs(f"frame {frame.index}: time {frame.time * units.time:g} ps instead of {time:g}")
            for name, columns in VECTORS.items():
                if not getattr(ts, f"has_{name}"):
                    continue
                theirs = getattr(ts, name).astype(np.float64)
                ours = np.column_stack([np.asarray(frame[column], np.float64) for column in columns]) * factors[name]
                difference = float(np.abs(ours - theirs).max())
                allowed = (frame.bounds[columns[0]] or 0.0) * factors[name]
                rounding = 0.0 if factors[name] == 1 else ROUNDING * float(np.abs(theirs).max())
                if not difference <= allowed + rounding:
                    raise Differs(f"frame {frame.index}: {name} differ by {difference:g}, the bound is {allowed:g}")
                values += theirs.size
                if name == "positions":
                    largest, bound = max(largest, difference), max(bound, allowed)
            edges, box = edges_of(ts.dimensions), frame.box
            if (edges is None) != (box is None):
                raise Differs(f"frame {frame.index}: a box in one of the files")
            if box is not None and np.abs(box.matrix - edges).max() > BOX_TOLERANCE * np.abs(edges).max():
                raise Differs(f"frame {frame.index}: box {box.matrix.tolist()} instead of {edges.tolist()}")
        return original.n_atoms, original.n_frames, values, largest, bound


def integers(path):
    """Those that each frame of an XTC file holds, its precision, step, time and box."""
    with XTCFile(str(path)) as file:
        for frame in file:
            yield np.rint(frame.x.astype(np.float64) * frame.prec).astype(np.int64), frame.prec, frame.step, frame.time, frame.box


def back(path, made, folder, particles):
    """Which values the conversion back to the original format keeps, in words."""
    if path.suffix not in WRITTEN:
        return "not written"
    again = folder / f"back{path.suffix}"
    convert(made, again)
    if path.suffix == ".xtc" and particles > FEW:
        for number, (theirs, ours) in enumerate(zip(integers(path), integers(again), strict=True)):
            if not all(np.array_equal(a, b) for a, b in zip(theirs, ours)):
                parts = ("integers", "precision", "step", "time", "box")
                raise Differs(f"back: frame {number}: other " + " ".join(p for p, a, b in zip(parts, theirs, ours) if not np.array_equal(a, b)))
        return "the same bytes" if filecmp.cmp(path, again, shallow=False) else "the same integers"
    largest, times = 0.0, 0.0
    for theirs, ours in zip(reader_of(path), reader_of(again), strict=True):
        largest = max(largest, float(np.abs(theirs.positions - ours.positions).max()))
        # MDAnalysis reads other times from LAMMPS's DCD files than LAMMPS wrote.
        times = max(times, 0.0 if femtoseconds_of_lammps(path) else abs(theirs.time - ours.time))
    return f"positions within {largest:.2g}" + (f", times within {times:.2g} ps" if times else "")


def row(path, data, folder, options):
    size = path.stat().st_size
    name = str(path.relative_to(data))
    made = folder / "made.gpz"
    try:
        convert(path, made, "--allow-truncated", *(["--units", "real"] if femtoseconds_of_lammps(path) else []), *options)
        particles, frames, values, largest, bound = compare(path, made)
        said = back(path, made, folder, particles)
    except (Differs, OSError) as error:
        return [name, *6 * [""], str(error).replace(str(path), path.name)]
    bits = 8 / (particles * frames)
    return [
        name, f"{particles:,}", frames, f"{values:,}", f"{bits * size:.2f}", f"{bits * made.stat().st_size:.2f}",
        f"{largest:.2g} ({bound:g})", said,
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments, options = parser.parse_known_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    print(f"MDAnalysis {mda.__version__}\n")
    head = ["file", "particles", "frames", "values compared", "bits of the original", "bits of .gpz", "largest error of a position (bound)", "back"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    paths = sorted(path for ending in ENDINGS for path in arguments.data.rglob(f"*{ending}"))
    for path in paths:
        print("| " + " | ".join(str(cell) for cell in row(path, arguments.data, arguments.folder, options)) + " |", flush=True)


if __name__ == "__main__":
    main()
