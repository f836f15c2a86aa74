# SPDX-License-Identifier: BSD-3-Clause
"""Compares filters of HDF5 for trajectories: size, and the processor time to write and read. Prints Markdown tables.

hdf5.py [--bound NM] [--rounds N] [--read] NAME=FILE...

FILE: a .npy of float32, frames x particles x 3, in nm; a .trr or .xtc that MDAnalysis reads; or "adk", the TRR of
MDAnalysisTests. Needs h5py, hdf5plugin, MDAnalysis. --read: times of reading one frame after the other instead.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import statistics
import tempfile
import time
import warnings

import h5py
import hdf5plugin
import numpy as np
from MDAnalysis.lib.formats.libmdaxdr import TRRFile, XTCFile

import gpz
import gpz.hdf5
import gpz.mdanalysis

EFFORTS = ("fast", "standard")
LENGTHS = (1, 8, 32)  # frames of a chunk


def frames_of(file):
    """In nm, float32."""
    if file == "adk":
        from MDAnalysisTests.datafiles import TRR as file
    if file.endswith(".npy"):
        return np.ascontiguousarray(np.load(file), np.float32)
    with (TRRFile if file.endswith(".trr") else XTCFile)(file) as trajectory:
        return np.array([frame.x for frame in trajectory], np.float32)


def filters(bound):
    """By name: arguments of create_dataset, and whether the values come back exactly."""
    return {
        "gzip-1 + shuffle": ({"compression": "gzip", "compression_opts": 1, "shuffle": True}, True),
        "Blosc2 zstd-5 + shuffle": (hdf5plugin.Blosc2(cname="zstd", clevel=5, filters=hdf5plugin.Blosc2.SHUFFLE), True),
        "ZFP": (hdf5plugin.Zfp(accuracy=bound), False),
        "SZ3": (hdf5plugin.SZ3(absolute=bound), False),
        **{f"gpz {effort}": (gpz.hdf5.options(bound, effort), False) for effort in EFFORTS},
    }


def processor_time(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def in_dataset(frames, length, arguments, path):
    """Seconds to write and to read, bytes, and the values. A file in memory."""
    with h5py.File(path, "w", driver="core", backing_store=False, rdcc_nbytes=0) as file:
        dataset = file.create_dataset("x", frames.shape, "f4", chunks=(length, *frames.shape[1:]), **arguments)

        def write():
            for k in range(0, len(frames), length):
                dataset[k : k + length] = frames[k : k + length]
            file.flush()

        def read():
            return np.concatenate([dataset[k : k + length] for k in range(0, len(frames), length)])

        other = file.create_dataset("other", data=frames[:1, :1], chunks=(1, 1, 3), **gpz.hdf5.options(bound=0))
        written, _ = processor_time(write)
        other[...]  # the filter of gpz keeps the chunk that it decompressed last
        took, values = processor_time(read)
        return written, took, dataset.id.get_storage_size(), values


def in_xtc(frames, path, bound):
    """The same for XTC, a file of its own. Its precision is in steps a nm; the bound is half of one."""
    box = np.diag(frames.max(axis=(0, 1)) - frames.min(axis=(0, 1))).astype(np.float32)

    def write():
        with XTCFile(path, "w") as file:
            for k, frame in enumerate(frames):
                file.write(frame, box, k, k, 0.5 / bound)

    def read():
        with XTCFile(path) as file:
            return np.array([frame.x for frame in file])

    written, _ = processor_time(write)
    took, values = processor_time(read)
    return written, took, pathlib.Path(path).stat().st_size, values


def compare(name, frames, bound, rounds, folder):
    print(
        f"\n{name}: {len(frames)} frames, {frames.shape[1]:,} particles, bound {bound:g} nm, median of {rounds} rounds\n"
    )
    print(
        "| filter | frames a chunk | bits an atom and frame | encode MB/s | decode MB/s | spread | largest error, bounds |"
    )
    print("|---|---|---|---|---|---|---|")
    rows = [("XTC, a file of its own", len(frames), None, None, False)]
    for length in LENGTHS:
        rows += [
            (label, length, *arguments) for label, arguments in ((k, (length, *v)) for k, v in filters(bound).items())
        ]
    for label, length, _, arguments, exact in rows:
        count = len(frames) - len(frames) % length  # whole chunks
        if count == 0:
            continue
        some = frames[:count]
        results = [
            in_dataset(some, length, arguments, "memory")
            if arguments is not None
            else in_xtc(some, f"{folder}/a.xtc", bound)
            for _ in range(rounds)
        ]
        error = np.abs(results[0][3].astype(float) - some).max() / bound
        assert not exact or error == 0
        speeds = [[some.nbytes / 1e6 / result[k] for result in results] for k in (0, 1)]
        spread = max((max(speed) - min(speed)) / statistics.median(speed) for speed in speeds)
        encode, decode = (statistics.median(speed) for speed in speeds)
        bits = results[0][2] * 8 / some.shape[0] / some.shape[1]
        frames_a_chunk = length if arguments is not None else ""
        print(
            f"| {label} | {frames_a_chunk} | {bits:.1f} | {encode:.0f} | {decode:.0f} | {100 * spread:.0f} % | {error:.3f} |",
            flush=True,
        )


def reading(name, frames, bound, rounds, folder):
    """ms a frame: processor time, and what a clock says. HDF5 keeps no chunk from one frame to the next."""
    import MDAnalysis as mda

    angstroms = frames * np.float32(10)
    count = frames.shape[1]
    box = [*(frames.max(axis=(0, 1)) - frames.min(axis=(0, 1))) * 10, 90, 90, 90]
    universe = mda.Universe.empty(count, trajectory=True)
    universe.load_new(angstroms, order="fac", dimensions=box)
    universe.trajectory.units = {"time": "ps", "length": "Angstrom", "velocity": None, "force": None}

    def write(file, **arguments):
        with mda.Writer(str(file), count, **arguments) as writer:
            for _ in universe.trajectory:
                writer.write(universe.atoms)
        return str(file)

    def by_mdanalysis(file):
        reader = mda.coordinates.core.reader(file, n_atoms=count)

        def call():
            for _ in reader:
                pass

        return call

    calls = {"MDAnalysis, XTC": by_mdanalysis(write(folder / "a.xtc"))}
    for effort in EFFORTS:
        calls[f"MDAnalysis, .gpz {effort}"] = by_mdanalysis(
            write(folder / f"{effort}.gpz", bound=10 * bound, effort=effort, key_interval=1)
        )
        options = gpz.hdf5.options(10 * bound, effort)
        path = write(
            folder / f"{effort}.h5md", chunks=(1, count, 3), positions=True, velocities=False, forces=False, **options
        )
        calls[f"MDAnalysis, H5MD with gpz {effort}"] = by_mdanalysis(path)
        # HDF5 has one chunk cache for a file, and MDAnalysis has opened this one with another.
        alone = shutil.copy(path, folder / f"{effort}-alone.h5md")
        dataset = h5py.File(alone, rdcc_nbytes=0)["particles/trajectory/position/value"]
        calls[f"h5py, gpz {effort}"] = lambda dataset=dataset: [dataset[k] for k in range(len(frames))]
        for threads in (1, 2):
            calls[f"gpz.hdf5.read, gpz {effort}, {threads} thread{'s' if threads > 1 else ''}"] = (
                lambda dataset=dataset, threads=threads: gpz.hdf5.read(dataset, threads=threads)
            )
    times = {label: [] for label in calls}
    for _ in range(rounds + 1):
        for label, call in calls.items():
            clock = time.perf_counter()
            used, _ = processor_time(call)
            times[label].append((used, time.perf_counter() - clock))
    print(
        f"\n{name}: reading {len(frames)} frames of {count:,} particles, ms a frame, median of {rounds} rounds after one\n"
    )
    print("| reader | processor time | from to | clock |")
    print("|---|---|---|---|")
    for label, both in times.items():
        used, clock = ([1e3 * one[k] / len(frames) for one in both[1:]] for k in (0, 1))
        print(
            f"| {label} | {statistics.median(used):.1f} | {min(used):.1f} to {max(used):.1f} | {statistics.median(clock):.1f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bound", type=float, default=5e-4, help="nm")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--read", action="store_true")
    parser.add_argument("files", nargs="+", metavar="NAME=FILE")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for text in given.files:
        name, _, file = text.partition("=")
        with tempfile.TemporaryDirectory() as folder:
            (reading if given.read else compare)(
                name, frames_of(file or name), given.bound, given.rounds, pathlib.Path(folder)
            )


if __name__ == "__main__":
    main()
