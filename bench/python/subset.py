# SPDX-License-Identifier: BSD-3-Clause
"""Measures what it takes to read some of the atoms of .gpz files, against all of them.

    subset.py FILE... [--rounds N] [--dtype float32]

Processor time of a frame in ms, least of N rounds over all frames, positions into one array that is used again, one thread, in
the order of ids. Neighbouring ids follow each other; atoms of a place are those of the first frame in the middle of the box, in a
part of its shape. Both stay the same atoms in all frames. Bytes are those of the values of a frame; of the file, all are read.
"""

import argparse
import pathlib
import time

import numpy as np

import gpz

SHARES = (0.001, 0.01, 0.1)


def choices(path: pathlib.Path):
    """(name, ids); None: all."""
    with gpz.open(path, order="id") as trajectory:
        ids, places, box = trajectory[0].ids, trajectory[0].positions, trajectory[0].box
    random = np.random.default_rng(1)
    fractions = np.linalg.solve(box.matrix.T, (places - box.origin).T)
    from_middle = np.abs(fractions - 0.5).max(axis=0)
    by_place = ids[np.argsort(from_middle, kind="stable")]
    yield "all", None
    for share in SHARES:
        count = max(1, round(share * len(ids)))
        start = len(ids) // 2
        yield f"{share:.1%}, neighbouring ids", ids[start : start + count]
        yield f"{share:.1%}, of a place", by_place[:count]
        yield f"{share:.1%}, at random", random.choice(ids, count, replace=False)


def milliseconds(path: pathlib.Path, atoms, rounds: int, dtype: np.dtype) -> tuple[float, int]:
    """Time to read a frame, and its size in bytes."""
    best = np.inf
    with gpz.open(path, atoms=atoms, order="id", threads=1) as trajectory:
        out = np.empty((trajectory[0].n_particles, 3), dtype)
        for _ in range(rounds):
            start = time.process_time()
            for k in range(len(trajectory)):
                trajectory.read_positions(k, out)
            best = min(best, time.process_time() - start)
        return 1000 * best / len(trajectory), out.nbytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dtype", type=np.dtype, default=np.dtype(np.float32))
    arguments = parser.parse_args()
    print("| atoms | kB | " + " | ".join(path.stem for path in arguments.files) + " |")
    print("|---" * (2 + len(arguments.files)) + "|")
    rows: dict[str, list[str]] = {}
    for path in arguments.files:
        for name, atoms in choices(path):
            time_of_frame, size = milliseconds(path, atoms, arguments.rounds, arguments.dtype)
            rows.setdefault(name, [f"{size / 1000:,.0f}"]).append(f"{time_of_frame:.2f}")
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(values) + " |")


if __name__ == "__main__":
    main()
