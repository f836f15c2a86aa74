# SPDX-License-Identifier: BSD-3-Clause
"""Measures what it takes to encode the frames of .gpz files.

    writing.py FILE... [--effort standard] [--bound 0.005] [--key-interval 20] [--frames 20] [--rounds 3] [--threads 1]
               [--wall] [--shuffled]

Processor time (with --wall: wall time) of gpz.Writer.write in ns an atom, from float32 arrays in memory, medians over the rounds: key frame, first
difference, the three behind it and the two behind those, which an encoder codes in several ways to choose one, and all later
ones. The mean is that of all frames. With --shuffled, the atoms are in random order. Simulations
sort atoms by place, not by id.
"""

import argparse
import pathlib
import tempfile
import time

import numpy as np

import gpz


def frames_of(path: pathlib.Path, count: int, shuffled: bool):
    with gpz.open(path, order="id") as trajectory:
        frames = [trajectory[i] for i in range(min(count, len(trajectory)))]
        rows = np.random.default_rng(1).permutation(len(frames[0].ids)) if shuffled else slice(None)
        return [(frame.positions[rows].astype(np.float32), frame.ids[rows], frame.box) for frame in frames], trajectory.units


def encode(frames, units: str, options) -> np.ndarray:
    """Seconds of each frame."""
    seconds = []
    clock = time.perf_counter if options.wall else time.process_time
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "written.gpz"
        settings = {"key_interval": options.key_interval, "threads": options.threads}
        with gpz.Writer(path, units=units, bound=options.bound, effort=options.effort, **settings) as writer:
            for positions, ids, box in frames:
                begin = clock()
                writer.write(positions=positions, ids=ids, box=box)
                seconds.append(clock() - begin)
    return np.array(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", nargs="+", type=pathlib.Path)
    parser.add_argument("--effort", default="standard")
    parser.add_argument("--bound", type=float, default=0.005)
    parser.add_argument("--key-interval", type=int, default=20)
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true", help="wall time in place of processor time")
    parser.add_argument("--shuffled", action="store_true", help="atoms in random order")
    options = parser.parse_args()
    print(f"{'file':24} {'atoms':>9} {'key':>6} {'first':>6} {'2-4':>6} {'5-6':>6} {'later':>6} {'mean':>6}")
    for path in options.file:
        frames, units = frames_of(path, options.frames, options.shuffled)
        if len(frames) < 8:
            parser.error(f"{path}: fewer than 8 frames")
        atoms = len(frames[0][1])
        rounds = [encode(frames, units, options) for _ in range(options.rounds)]
        t = np.median(rounds, axis=0) / atoms * 1e9
        parts = (t[0], t[1], t[2:5].mean(), t[5:7].mean(), np.median(t[7:]), t.mean())
        print(f"{path.name:24} {atoms:9} " + " ".join(f"{part:6.0f}" for part in parts))


if __name__ == "__main__":
    main()
