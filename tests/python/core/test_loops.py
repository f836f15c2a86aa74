# SPDX-License-Identifier: BSD-3-Clause
"""Loops over frames, of which the library decodes the next ones ahead."""

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from conftest import FRAMES

import gpz

LARGE = 2500  # particles: smaller frames are not decoded ahead

needs_tasks = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the system does not list threads")


def threads():
    gc.collect()
    return len(os.listdir("/proc/self/task"))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.gpz"
    random = np.random.default_rng(5)
    positions = random.uniform(0, 20, (LARGE, 3))
    with gpz.Writer(path, bound=0.001, bounds={"velocities": 0.01}, key_interval=4) as writer:
        for k in range(FRAMES):
            positions = positions + random.normal(0, 0.05, positions.shape)
            velocities = random.normal(0, 1, positions.shape).astype(np.float32)
            writer.write(positions=positions, velocities=velocities, ids=np.arange(LARGE)[::-1] + 1, timestep=k)
    return path


@pytest.mark.parametrize("step", [1, 2, 5, -1])
@pytest.mark.parametrize("count", [None, 0, 2, 3])
def test_threads_change_nothing(large, step, count):
    one, several = gpz.open(large, threads=1), gpz.open(large, threads=count)
    for a, b in zip(one[::step], several[::step], strict=True):
        assert a.index == b.index
        np.testing.assert_array_equal(a.positions, b.positions)
        np.testing.assert_array_equal(a["vy"], b["vy"])
        b.positions[:] = 0  # is not what the next frame is decoded into
    for index in (3, 4, 5, 6, 1, 9, 10, 11, 0):
        np.testing.assert_array_equal(one.read_positions(index), several.read_positions(index))


@needs_tasks
def test_the_threads_end_with_the_loop(large):
    before = threads()
    for frame in gpz.open(large, threads=3):
        frame.positions  # noqa: B018
    assert frame.index == FRAMES - 1
    del frame
    assert threads() == before


@needs_tasks
def test_the_threads_end_with_a_loop_that_is_left(large):
    before = threads()
    trajectory = gpz.open(large, threads=3)
    for frame in trajectory:
        frame.positions  # noqa: B018
        if frame.index == 3:
            assert threads() == before + 2  # and the caller's
            break
    del frame
    assert threads() == before


@needs_tasks
def test_without_values_and_with_one_thread_there_are_none(large):
    before = threads()
    for frame in gpz.open(large, threads=3):
        assert frame.timestep == frame.index
        assert threads() == before
    for frame in gpz.open(large, threads=1):
        assert frame.positions.shape == (LARGE, 3)
        assert threads() == before


def test_a_damaged_head_within_a_loop(sample):
    data = bytearray(sample.path.read_bytes())
    data[sample.starts[6] + 40] ^= 0x10  # within the head
    loop = iter(gpz.open(bytes(data)))
    with pytest.raises(gpz.CorruptError) as caught:
        for frame in loop:
            frame.positions  # noqa: B018
    assert frame.index == 5 and caught.value.path == "memory"
    assert next(loop).index == 7


def test_what_was_asked_is_decoded_together(trajectory):
    frames = iter(trajectory)
    first = next(frames)
    first.load("ids")
    assert len(first.positions) == len(first["id"])
    for frame in frames:
        frame.positions  # noqa: B018
        assert set(frame._values) >= {"positions", "id"}
        assert (("vx", "vy", "vz") in frame._values) == (frame.index >= 5)
        if frame.index >= 4:
            frame.velocities  # noqa: B018


def test_loops_at_the_same_time(trajectory):
    """Each decodes from its own frame before, and frames that are asked for by number do not disturb them."""
    for one, other in zip(trajectory, trajectory[5:]):
        assert other.index == one.index + 5
        np.testing.assert_array_equal(one.positions, trajectory[one.index].positions)
        np.testing.assert_array_equal(other.positions, trajectory[other.index].positions)


def test_frames_outlive_the_loop(trajectory):
    frames = [frame for frame in trajectory if frame.positions is not None]
    assert len({id(frame.positions) for frame in frames}) == FRAMES
    for frame in frames:
        np.testing.assert_array_equal(frame.velocities, trajectory[frame.index].velocities)


def test_frames_that_change(tmp_path):
    """Other columns and other numbers of particles in each frame."""
    with gpz.Writer(tmp_path / "changes.gpz", bound=0) as writer:
        for k in range(6):
            columns = {"vx": np.arange(k)} if k % 2 else {}
            writer.write(positions=np.full((k, 3), k), ids=np.arange(k), **columns)
    seen = []
    for frame in gpz.open(tmp_path / "changes.gpz"):
        assert (frame.positions == frame.index).all()
        seen.append(len(frame["vx"]) if "vx" in frame else None)
    assert seen == [None, 1, None, 3, None, 5]


def run(program, path):
    return subprocess.run(
        [sys.executable, "-B", "-c", program, str(path)], capture_output=True, text=True, timeout=120, check=False
    )


def test_the_interpreter_ends_within_a_loop(sample):
    ended = run(
        "import gpz, sys\nfor f in gpz.open(sys.argv[1]):\n    f.positions\n    if f.index == 2: sys.exit(3)",
        sample.path,
    )
    assert (ended.returncode, ended.stderr) == (3, "")
    kept = run("import gpz, sys\nloop = iter(gpz.open(sys.argv[1]))\nnext(loop).positions\nnext(loop)", sample.path)
    assert (kept.returncode, kept.stderr) == (0, "")


THREADS = """
import gpz, io, numpy as np, os, sys, threading
path, kind = sys.argv[1:]
x = np.random.default_rng(1).random((300, 3))
packed = gpz.compress_frames(x, 1e-3)
begun = threading.Barrier(5)

class Unbuffered:
    def __init__(self, name):
        self._file = os.open(name, os.O_WRONLY | os.O_CREAT)

    def write(self, data):
        return os.write(self._file, data)  # other threads of Python run meanwhile

def once(trajectory, writer):
    if kind in ("read", "read object"):
        for frame in trajectory:
            frame.load()
    elif kind in ("write", "write object"):
        writer.write(positions=x)
    else:
        gpz.decompress_frames(packed)

def work():
    name = f"{path}.{threading.get_ident()}"
    if kind.endswith("object"):
        trajectory, writer = gpz.open(open(path, "rb", buffering=0)), gpz.Writer(Unbuffered(name))
    else:
        trajectory, writer = gpz.open(path), gpz.Writer(name)
    once(trajectory, writer)
    begun.wait(60)
    while True:
        once(trajectory, writer)

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
begun.wait(60)
"""


@pytest.mark.parametrize("kind", ["read", "read object", "write", "write object", "arrays"])
def test_the_interpreter_ends_while_daemon_threads_work(sample, tmp_path, kind):
    """Python ends a thread that asks for the interpreter then, which must not be within C++."""
    (tmp_path / "a.gpz").write_bytes(Path(sample.path).read_bytes())
    command = [sys.executable, "-B", "-c", THREADS, str(tmp_path / "a.gpz"), kind]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_fork_within_a_loop(large):
    """Parent and child go on with the loop, as do processes of multiprocessing that are forked within one."""
    program = """
import gpz, os, sys, warnings
warnings.simplefilter("ignore")
total = 0
for frame in gpz.open(sys.argv[1]):
    total += frame.positions.sum()
    if frame.index == 3:
        child = os.fork()
os.write(1, (repr(float(total)) + "\\n").encode())
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    ended = run(program, large)
    trajectory = gpz.open(large)
    total = 0
    for k in range(FRAMES):
        total += trajectory[k].positions.sum()
    assert ended.returncode == 0 and ended.stderr == ""
    assert [float(line) for line in ended.stdout.split()] == [float(total)] * 2


def test_threads_of_the_caller(trajectory):
    """One trajectory, read by several threads."""
    expected = [trajectory[k].positions for k in range(FRAMES)]
    wrong = []

    def read(order):
        for k in order:
            if not np.array_equal(trajectory.read_positions(k), expected[k]):
                wrong.append(k)

    orders = [range(FRAMES), range(FRAMES)[::-1], [5, 0, 11, 3]]
    threads = [threading.Thread(target=read, args=(order,)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
