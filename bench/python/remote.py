# SPDX-License-Identifier: BSD-3-Clause
"""Requests, bytes and seconds of reading parts of a trajectory from a web server on this machine that delays its answers:
.gpz by gpz.open, H5MD by h5py over a file object of fsspec, ZarrMD by zarrtraj where it is installed; and a local .gpz.

    remote.py FOLDER [--frames N] [--atoms N] [--delays 0,20,100]
    remote.py FOLDER --keys 100,50,20,10,5 [--frames N] [--atoms N] [--delays 0,20,100]

With --keys: ten frames of files with these key intervals, each frame by itself. Makes the files in FOLDER if they are not
there.
"""

import argparse
import mmap
import os
import pathlib
import statistics
import subprocess
import sys
import time
import urllib.request

import numpy as np

import gpz

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "python" / "remote"))
from serving import Server

ROUNDS = 3
KEY = 100
BOUND = 1e-3


def positions_of(frames, atoms):
    """Positions in a liquid of density 0.8, whose atoms move by their velocities and vibrate."""
    random = np.random.default_rng(5)
    edge = (atoms / 0.8) ** (1 / 3)
    start = random.uniform(0, edge, (atoms, 3))
    speed = random.normal(scale=0.01, size=(atoms, 3))
    for k in range(frames):
        yield edge, start + k * speed + random.normal(scale=0.03, size=(atoms, 3))


def make_gpz(path, frames, atoms, key_interval=KEY):
    with gpz.Writer(path, units="lj", bound=BOUND, key_interval=key_interval, threads=0) as writer:
        ids = np.arange(1, atoms + 1)
        for k, (edge, x) in enumerate(positions_of(frames, atoms)):
            writer.write(positions=x, ids=ids, box=[edge] * 3, timestep=100 * k)


def make_h5md(path, frames, atoms):
    """As MDAnalysis writes it, with a chunk for each frame and gzip."""
    import h5py

    with h5py.File(path, "w") as file:
        group = file.create_group("particles/trajectory/position")
        value = group.create_dataset(
            "value", (frames, atoms, 3), np.float32, chunks=(1, atoms, 3), compression="gzip", compression_opts=1
        )
        group["step"] = 100 * np.arange(frames)
        for k, (_, x) in enumerate(positions_of(frames, atoms)):
            value[k] = x


def make_zarr(path, frames, atoms):
    """The same chunks in a folder of files, as zarrtraj writes them."""
    import zarr

    group = zarr.open_group(str(path), mode="w").create_group("particles/trajectory/position")
    make = getattr(group, "create_array", None) or group.create_dataset
    value = make("value", shape=(frames, atoms, 3), dtype="f4", chunks=(max(1, (1 << 20) // (12 * atoms)), atoms, 3))
    block = []
    for k, (_, x) in enumerate(positions_of(frames, atoms)):
        block.append(x)
        if len(block) == value.chunks[0] or k == frames - 1:
            value[k + 1 - len(block) : k + 1] = np.array(block, np.float32)
            block = []


class ServedFolder(dict):
    """The files of a folder, by the paths of URLs. They are not read into memory."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def get(self, path, default=None):
        if path not in self:
            file = self.folder / path.lstrip("/")
            if not file.is_file() or file.stat().st_size == 0:
                return default
            with open(file, "rb") as opened:
                self[path] = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        return self[path]


def serve(folder):
    """The server, in a process of its own. GET /set/SECONDS sets the delay and counts anew; GET /counts answers."""
    with Server() as server:
        server.files = ServedFolder(folder)

        def control(request):
            if request.path.startswith("/set/"):
                server.latency = float(request.path[5:])
                server.forget()
                request.give(200, b"")
                server.sent = 0
                return True
            if request.path == "/counts":
                request.give(200, f"{len(server.requests) - 1} {server.sent}".encode())
                return True
            return False

        server.fault = control
        print(server.url(""), flush=True)
        sys.stdin.read()


class RemoteServer:
    """The server as the benchmark sees it."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(folder), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().strip()

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as answer:
            return answer.read()

    def delay(self, seconds):
        self.get("/set/0")
        self.get(f"/set/{seconds}")

    def counts(self):
        requests, sent = map(int, self.get("/counts").split())
        return requests, sent

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Gpz:
    name = "gpz"

    def __init__(self, place):
        self.trajectory = gpz.open(place)

    def info(self):
        return len(self.trajectory), self.trajectory.units

    def frame(self, k):
        return self.trajectory[k].positions

    def every(self, step):
        return [frame.positions for frame in self.trajectory[::step]]

    def few_atoms(self, frames, step):
        return [frame.positions[::step] for frame in self.trajectory[:frames]]


class H5md:
    name = "H5MD, h5py"

    def __init__(self, place):
        import fsspec
        import h5py

        self.file = h5py.File(fsspec.open(place, block_size=1 << 18, cache_type="blockcache").open(), "r")
        self.value = self.file["particles/trajectory/position/value"]

    def info(self):
        return len(self.value), ""

    def frame(self, k):
        return self.value[k]

    def every(self, step):
        return [self.value[k] for k in range(0, len(self.value), step)]

    def few_atoms(self, frames, step):
        return self.value[:frames, ::step]


class Zarr(H5md):
    name = "Zarr"

    def __init__(self, place):
        import zarr

        group = zarr.open_group(place, mode="r")
        self.value = group["particles/trajectory/position/value"]


def tasks(frames):
    """Names, and what is done with an open file."""
    key = frames // 2 // KEY * KEY
    return {
        "open, metadata": lambda file: file.info(),
        "first frame": lambda file: file.frame(0),
        f"frame {key:,}, a key frame": lambda file: file.frame(key),
        f"frame {key + KEY - 1:,}, the last of its interval": lambda file: file.frame(key + KEY - 1),
        "every 100th frame": lambda file: file.every(100),
        "1 % of the atoms, 100 frames": lambda file: file.few_atoms(100, 100),
    }


def measure(reader, place, task, server, seconds):
    """(requests, bytes, seconds), of opening the file and of the task."""
    times, counts = [], (0, 0)
    for _ in range(ROUNDS):
        if server is not None:
            server.delay(seconds)
        begin = time.perf_counter()
        task(reader(place))
        times.append(time.perf_counter() - begin)
        if server is not None:
            counts = server.counts()
    return (*counts, statistics.median(times))


def measure_keys(options, server):
    """Prints a row for each key interval: ten frames by themselves, of an open file."""
    delays = [float(delay) / 1000 for delay in options.delays.split(",")]
    print("| key interval | file, MB | KB a frame | requests | " + " | ".join(f"{1000 * d:g} ms" for d in delays) + " |")
    print("|---|---|---|---|" + "---|" * len(delays))
    chosen = np.random.default_rng(3).integers(0, options.frames, 10)
    for key in map(int, options.keys.split(",")):
        path = options.folder / f"key{key}.gpz"
        if not path.exists():
            make_gpz(path, options.frames, options.atoms, key)
        row, counts = [], (0, 0)
        for delay in delays:
            server.delay(0)
            trajectory = gpz.open(f"{server.url}/{path.name}", remote=gpz.remote.Options(memory=0))
            server.delay(delay)
            begin = time.perf_counter()
            for k in chosen:
                trajectory[int(k)].positions  # noqa: B018
            row.append((time.perf_counter() - begin) / len(chosen))
            counts = server.counts()
        requests, sent = (count / len(chosen) for count in counts)
        shown = " | ".join(f"{seconds:.3f}" for seconds in row)
        print(f"| {key} | {path.stat().st_size / 1e6:.1f} | {sent / 1e3:,.0f} | {requests:.1f} | {shown} |", flush=True)


def command(url):
    """gpz info URL, which starts a program of the Python package."""
    subprocess.run([os.environ.get("GPZ", "gpz"), "info", url], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--atoms", type=int, default=5_000)
    parser.add_argument("--delays", default="0,20,100", help="milliseconds")
    parser.add_argument("--keys", help="key intervals")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.folder)
        return
    options.folder.mkdir(exist_ok=True)
    if options.keys:
        server = RemoteServer(options.folder.resolve())
        measure_keys(options, server)
        server.close()
        return
    readers = [(Gpz, "traj.gpz", make_gpz), (H5md, "traj.h5md", make_h5md)]
    try:
        import zarr  # noqa: F401

        readers.append((Zarr, "traj.zarrmd", make_zarr))
    except ImportError:
        print("zarr is not installed", file=sys.stderr)
    for _, name, make in readers:
        if not (options.folder / name).exists():
            make(options.folder / name, options.frames, options.atoms)
    for _, name, _ in readers:
        path = options.folder / name
        size = path.stat().st_size if path.is_file() else sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
        print(f"{name}: {size / 1e6:.1f} MB")
    server = RemoteServer(options.folder.resolve())
    try:
        print("| task | reader | requests | bytes | " + " | ".join(f"{d} ms" for d in options.delays.split(",")) + " |")
        print("|---|---|---|---|" + "---|" * len(options.delays.split(",")))
        delays = [float(delay) / 1000 for delay in options.delays.split(",")]
        for label, task in tasks(options.frames).items():
            *_, seconds = measure(Gpz, options.folder / "traj.gpz", task, None, 0)
            print(f"| {label} | gpz, local file | | |" + f" {seconds:.3f} |" * len(delays), flush=True)
            for reader, name, _ in readers:
                results = [measure(reader, f"{server.url}/{name}", task, server, delay) for delay in delays]
                requests, sent, _ = results[0]
                row = " | ".join(f"{seconds:.3f}" for *_, seconds in results)
                print(f"| {label} | {reader.name} | {requests} | {sent:,} | {row} |", flush=True)
        results = []
        for delay in delays:
            results.append(measure(lambda url: url, f"{server.url}/traj.gpz", command, server, delay))
        requests, sent, _ = results[0]
        row = " | ".join(f"{seconds:.3f}" for *_, seconds in results)
        print(f"| `gpz info URL` | gpz | {requests} | {sent:,} | {row} |")
    finally:
        server.close()


if __name__ == "__main__":
    main()
