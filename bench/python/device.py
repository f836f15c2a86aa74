#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Positions of a trajectory into the memory of a GPU: by gpz.cuda, and by gpz.open with a copy. Every frame is compared.

  device.py [PARTICLES]        of a liquid that is made (2048000)

Needs torch, a GPU, and a gpz that was built with CUDA.
"""

import os
import statistics
import sys
import tempfile
import time

import numpy as np
import torch

import gpz
import gpz.cuda

FRAMES, PASSES = 8, 5


def write_liquid(path, n):
    """Particles near a cubic lattice, each with a velocity of its own."""
    rng = np.random.default_rng(1)
    edge, side = (n / 0.8442) ** (1 / 3), int(np.ceil(n ** (1 / 3)))
    sites = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:n] * (edge / side)
    start, drift = (sites + rng.normal(0, 0.15, (n, 3))) % edge, rng.normal(0, 0.02, (n, 3))
    with gpz.Writer(path, units="lj", bound=1e-3, key_interval=4, effort="fast", threads=0) as writer:
        for k in range(FRAMES):
            writer.write(positions=(start + k * drift).astype(np.float32), ids=np.arange(n) + 1, box=[edge] * 3)
    print(f"{n} particles, {8 * os.path.getsize(path) / n / FRAMES:.2f} bits a particle and frame")


def timed(label, n, read):
    """Prints what a frame takes; the first pass is not counted."""
    seconds = []
    for _ in range(1 + PASSES):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for k in range(FRAMES):
            read(k)
        torch.cuda.synchronize()
        seconds.append((time.perf_counter() - began) / FRAMES)
    del seconds[0]
    median, spread = statistics.median(seconds), max(seconds) - min(seconds)
    print(f"{label}: {1e3 * median:.2f} ms a frame, spread {1e3 * spread:.2f}, {12e-9 * n / median:.1f} GB/s")


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2_048_000
    room, host = torch.empty((n, 3), device="cuda"), np.empty((n, 3), np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "liquid.gpz")
        write_liquid(path, n)
        with gpz.cuda.open(path) as device, gpz.open(path) as one, gpz.open(path, threads=0) as all_threads:
            for k in range(FRAMES):
                device.read_positions(k, out=room)
                assert device.decoded.on_device, device.decoded.reason
                assert np.array_equal(room.cpu().numpy(), one.read_positions(k))

            def copied(trajectory):
                return lambda k: room.copy_(torch.from_numpy(trajectory.read_positions(k, out=host)))

            timed("gpz.cuda", n, lambda k: device.read_positions(k, out=room))
            timed("gpz.open, one thread, and a copy", n, copied(one))
            timed("gpz.open, all threads, and a copy", n, copied(all_threads))


if __name__ == "__main__":
    main()
