#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills gpz archive, or workers of dask that work for it, at random moments, and looks whether anything was lost.

  PYTHONPATH=build/python PATH=build/bin:$PATH build/venv/bin/python bench/python/archive_kills.py FOLDER [--kills 100]
  [--workers] [--seed 1]

An archive of 5 inputs with --remove-inputs is made again and again. Each run is killed after a random part of the time
that a run takes, with all programs that it has started (SIGKILL to the process group), and is started again until it
ends by itself. With --workers, a process of a dask cluster is killed instead, and the run goes on. After each kill: an
input that is gone has a line "done", and an output with the digest of that line; each output has the bytes of that of a
run that nobody killed. At the end of each archive, all outputs are there. Any difference ends the script with an error.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from gpz.archive import archive
from gpz.archive.files import digest_of
from gpz.archive.manifest import read

WORKERS = 3
OPTIONS = {"key": 10, "piece_size": 500_000, "bounds": ["v*=thermal"]}
IN_SHELL = ["--key", "10", "--piece-size", "500000", "--bound", "v*=thermal", "--remove-inputs", "--quiet"]


def dump(path: Path, atoms: int, frames: int, seed: int) -> None:
    """A LAMMPS text dump of particles in a box."""
    made = np.random.default_rng(seed)
    places, speeds, ids = made.random((atoms, 3)) * 20, made.normal(size=(atoms, 3)), np.arange(1, atoms + 1)
    with open(path, "w") as file:
        for k in range(frames):
            file.write(
                f"ITEM: TIMESTEP\n{10 * k}\nITEM: NUMBER OF ATOMS\n{atoms}\nITEM: BOX BOUNDS pp pp pp\n" + "0 20\n" * 3
            )
            file.write("ITEM: ATOMS id type x y z vx vy vz\n")
            np.savetxt(
                file,
                np.column_stack([ids, ids % 2 + 1, (places + 0.01 * k * speeds) % 20, speeds]),
                "%d %d" + 6 * " %.6g",
            )


def make_inputs(folder: Path) -> None:
    """Two dumps of several pieces, small ones, and a packed one."""
    (folder / "a").mkdir(parents=True)
    dump(folder / "melt.dump", 1000, 60, 1)
    dump(folder / "a" / "melt.dump", 500, 100, 2)
    for number in (3, 4):
        dump(folder / "a" / f"small{number}.dump", 100, 10, number)
    (folder / "packed.dump.gz").write_bytes(gzip.compress((folder / "melt.dump").read_bytes()))


def outputs(folder: Path) -> dict[str, bytes]:
    """The finished ones."""
    found = folder.rglob("*.gpz")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in found
        if ".gpz-archive" not in path.relative_to(folder).parts
    }


def require_nothing_lost(inputs: Path, out: Path, whole: dict[str, bytes]) -> None:
    """Raises AssertionError."""
    done = {line["path"]: line for line in read(str(out / "manifest.jsonl")) if line["state"] == "done"}
    for name in whole:
        path = inputs.parent / name.removesuffix(".gpz")
        if not path.exists():
            assert done[str(path)]["output_digest"] == digest_of(str(out / name)), f"{path} is lost"
    for name, content in outputs(out).items():
        assert content == whole[name], f"{name} has other bytes"


class Kills:
    """Counts them."""

    def __init__(self, folder: Path, wanted: int):
        self.folder, self.wanted, self.count, self.archives = folder, wanted, 0, 0
        self.inputs, self.kept = folder / "runs", folder / "kept"
        shutil.rmtree(folder, ignore_errors=True)
        make_inputs(self.kept)
        shutil.copytree(self.kept, self.inputs)
        start = time.monotonic()
        assert archive(self.inputs, to=folder / "whole", **OPTIONS).ok
        self.seconds = time.monotonic() - start
        self.whole = outputs(folder / "whole")

    def new_archive(self) -> Path:
        """Inputs that are all there, and no archive."""
        shutil.rmtree(self.inputs, ignore_errors=True)
        shutil.copytree(self.kept, self.inputs)
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        return self.folder / "out"

    def require_finished(self, out: Path) -> None:
        """All outputs, no input, and nothing unfinished."""
        require_nothing_lost(self.inputs, out, self.whole)
        assert outputs(out) == self.whole
        assert not [path for path in self.inputs.rglob("*") if path.is_file()]
        assert os.listdir(out / ".gpz-archive") == ["lock"]
        self.archives += 1

    def of_runs(self) -> None:
        """The whole program, with what it started."""
        while self.count < self.wanted:
            out = self.new_archive()
            while True:
                command = [sys.executable, "-m", "gpz.programs.archive", str(self.inputs), "--to", str(out), *IN_SHELL]
                running = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
                try:
                    code = running.wait(timeout=random.uniform(0.2, 0.3 + self.seconds))
                except subprocess.TimeoutExpired:
                    os.killpg(running.pid, signal.SIGKILL)
                    running.wait()
                    self.count += 1
                    if out.exists():
                        require_nothing_lost(self.inputs, out, self.whole)
                    continue
                assert code == 0, f"exit code {code}"
                break
            self.require_finished(out)
            print(f"{self.count} kills, {self.archives} archives", flush=True)

    def of_workers(self) -> None:
        """One process of a cluster at a time; its nanny starts another one."""
        import dask
        from distributed import Client, LocalCluster

        dask.config.set({"distributed.scheduler.allowed-failures": 10})
        cluster = LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
        # A cluster that has lost workers may fail to end.
        with contextlib.suppress(KeyError), cluster, Client(cluster) as client:
            while self.count < self.wanted:
                # A nanny does not replace a worker that was killed before it had begun.
                cluster.scale(0)
                cluster.scale(WORKERS)
                client.wait_for_workers(WORKERS)
                out, ended = self.new_archive(), threading.Event()

                def kill(ended: threading.Event = ended) -> None:
                    while not ended.wait(random.uniform(0.1, self.seconds / 2)):
                        begun = list(client.nthreads())
                        numbers = [
                            worker.pid
                            for worker in cluster.workers.values()
                            if worker.worker_address in begun and worker.pid
                        ]
                        if len(begun) > 1 and numbers:
                            with contextlib.suppress(ProcessLookupError):
                                os.kill(random.choice(numbers), signal.SIGKILL)
                                self.count += 1

                killer = threading.Thread(target=kill)
                killer.start()
                try:
                    report = archive(self.inputs, to=out, client=client, remove_inputs=True, **OPTIONS)
                finally:
                    ended.set()
                    killer.join()
                assert report.ok, report.failed
                self.require_finished(out)
                print(f"{self.count} kills, {self.archives} archives", flush=True)


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(description="Kills gpz archive at random moments.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--workers", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    kills = Kills(options.folder.absolute(), options.kills)
    print(f"{len(kills.whole)} outputs; a run takes {kills.seconds:.1f} s", flush=True)
    kills.of_workers() if options.workers else kills.of_runs()
    assert kills.count >= kills.wanted
    print(f"nothing lost in {kills.count} kills, {kills.archives} archives with the same bytes")


if __name__ == "__main__":
    main()
