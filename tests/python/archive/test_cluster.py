# SPDX-License-Identifier: BSD-3-Clause
"""gpz archive on workers of dask.distributed: processes of this machine, some of which die."""

import os
import signal
import threading
from contextlib import contextmanager

import dask
import pytest
from conftest import CUT, dump, outputs, shell, states, xyz
from distributed import Client, LocalCluster

from gpz.archive import archive, tasks

WORKERS = 2


@contextmanager
def a_cluster(folder):
    cluster = LocalCluster(
        n_workers=WORKERS,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        local_directory=str(folder),
        silence_logs=50,
    )
    with cluster, Client(cluster) as client:
        client.wait_for_workers(WORKERS)
        yield client


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Of all tests: a worker takes seconds to start. A piece that ended two workers is not tried again."""
    settings = {"distributed.scheduler.allowed-failures": 1}
    with dask.config.set(settings), a_cluster(tmp_path_factory.mktemp("dask")) as client:
        yield client


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs") / "runs"
    folder.mkdir()
    (folder / "melt.dump").write_bytes(dump(frames=60))
    (folder / "crystal.xyz").write_bytes(xyz())
    (folder / "broken.dump").write_bytes(dump()[:-7])
    return folder


@pytest.fixture(scope="module")
def local(inputs):
    archive(inputs, to=inputs.parent / "local", jobs=1, **CUT)
    return outputs(inputs.parent / "local")


def test_the_same_bytes_as_with_any_number_of_jobs(inputs, local, client, tmp_path):
    for name, options in {"five": {"jobs": 5}, "cluster": {"client": client}}.items():
        report = archive(inputs, to=tmp_path / name, **options, **CUT)
        assert report.done == 2 and [os.path.basename(path) for path, _ in report.failed] == ["broken.dump"]
        assert outputs(tmp_path / name) == local


def test_by_the_address_of_the_scheduler(inputs, local, client, tmp_path):
    ended = shell(
        inputs,
        "--to",
        tmp_path / "out",
        "--scheduler",
        client.scheduler.address,
        "--key",
        CUT["key"],
        "--piece-size",
        CUT["piece_size"],
    )
    assert ended.returncode == 1 and "broken.dump" in ended.stdout, ended.stderr
    assert outputs(tmp_path / "out") == local
    # The user's own client goes on.
    assert client.submit(abs, -1).result() == 1


def test_no_scheduler(inputs, tmp_path, monkeypatch):
    monkeypatch.setattr("gpz.archive.cluster.SECONDS_TO_CONNECT", 1)
    with pytest.raises(Exception, match="no scheduler of dask at"):
        archive(inputs, to=tmp_path / "out", scheduler="tcp://127.0.0.1:9")


class HeldStep:
    """A step that is sent to workers in place of the usual one. At one piece it writes the number of its process into a pipe, and waits
    to be killed. The pipe has no name when the piece is tried again."""

    def __init__(self, pipe, number):
        self.pipe, self.number = pipe, number

    def __call__(self, place, settings, piece, *others):
        from gpz.archive.tasks import encode_piece

        if piece.first_frame == self.number and os.path.exists(self.pipe):
            with open(self.pipe, "w") as pipe:
                os.unlink(self.pipe)
                pipe.write(str(os.getpid()))
            threading.Event().wait()
        return encode_piece(place, settings, piece, *others)


def test_a_worker_dies(inputs, local, client, tmp_path, monkeypatch):
    """Its piece is encoded by another one."""
    pipe, killed = tmp_path / "pipe", []
    os.mkfifo(pipe)
    monkeypatch.setattr(tasks, "encode_piece", HeldStep(str(pipe), 20))

    def kill():
        with open(pipe) as told:
            number = int(told.read())
        os.kill(number, signal.SIGKILL)
        killed.append(number)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    report = archive(inputs, to=tmp_path / "out", client=client, **CUT)
    killer.join(timeout=60)
    assert len(killed) == 1
    assert report.done == 2 and [os.path.basename(path) for path, _ in report.failed] == ["broken.dump"]
    assert outputs(tmp_path / "out") == local
    assert states(tmp_path / "out", "runs/melt.dump") == ["started", "encoded", "done"]


class DeadlyStep:
    """It kills each worker that tries it."""

    def __call__(self, *arguments):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_piece_kills_each_worker(inputs, client, tmp_path, monkeypatch):
    """As one that takes too much memory does. The input fails, and the cluster goes on with others."""
    monkeypatch.setattr("gpz.archive.cluster.MOST_LOST", 1)
    names = [inputs / "melt.dump", inputs / "crystal.xyz"]
    with monkeypatch.context() as changed:
        changed.setattr(tasks, "encode_piece", DeadlyStep())
        report = archive(names[0], to=tmp_path / "out", client=client)
    assert "each worker that tried it has died" in report.failed[0][1]
    report = archive(names, to=tmp_path / "out", client=client)
    assert report.ok and report.done == 2
    assert states(tmp_path / "out", "melt.dump") == ["started", "failed", "started", "encoded", "done"]
