# SPDX-License-Identifier: BSD-3-Clause
"""Measures what it takes to encode the frames of .gpz files.

    writing.py FILE... [--effort standard] [--bound 0.005] [--key-interval 20] [--frames 20] [--rounds 3] [--threads 1]

Processor time of gpz.Writer.write in ns an atom, from float32 arrays in memory, medians over the rounds: key frame, first
difference, the three behind it and the two behind those, which an encoder codes in several ways to choose one, and all later
ones. The mean is that of all frames.
"""

import argparse
import pathlib
import tempfile
import time

import numpy as np

import gpz


def frames_of(path: pathlib.Path, count: int):
    with gpz.open(path, order="id") as trajectory:
        frames = [trajectory[i] for i in range(min(count, len(trajectory)))]
        return [(frame.positions.astype(np.float32), frame.ids, frame.box) for frame in frames], trajectory.units


def encode(frames, units: str, options) -> np.ndarray:
    """Seconds of each frame."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "written.gpz"
        settings = {"key_interval": options.key_interval, "threads": options.threads}
        with gpz.Writer(path, units=units, bound=options.bound, effort=options.effort, **settings) as writer:
            for positions, ids, box in frames:
                begin = time.process_time()
                writer.write(positions=positions, ids=ids, box=box)
                seconds.append(time.process_time() - begin)
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
    options = parser.parse_args()
    print(f"{'file':24} {'atoms':>9} {'key':>6} {'first':>6} {'2-4':>6} {'5-6':>6} {'later':>6} {'mean':>6}")
    for path in options.file:
        frames, units = frames_of(path, options.frames)
        if len(frames) < 8:
            parser.error(f"{path}: fewer than 8 frames")
        atoms = len(frames[0][1])
        rounds = [encode(frames, units, options) for _ in range(options.rounds)]
        t = np.median(rounds, axis=0) / atoms * 1e9
        parts = (t[0], t[1], t[2:5].mean(), t[5:7].mean(), np.median(t[7:]), t.mean())
        print(f"{path.name:24} {atoms:9} " + " ".join(f"{part:6.0f}" for part in parts))


if __name__ == "__main__":
    main()
