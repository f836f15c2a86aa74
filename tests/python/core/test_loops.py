# SPDX-License-Identifier: BSD-3-Clause
"""Loops over frames, in which a thread reads ahead."""

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import FRAMES

import gpz


def gpz_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("gpz")]


def wait_for_threads():
    for thread in gpz_threads():
        thread.join(timeout=60)
    return gpz_threads()


@pytest.fixture(autouse=True)
def no_threads_of_others():
    """What tests before left to the garbage collector."""
    gc.collect()
    assert wait_for_threads() == []


def test_the_thread_ends_with_the_loop(trajectory):
    for frame in trajectory:
        frame.positions  # noqa: B018
    assert frame.index == FRAMES - 1
    assert wait_for_threads() == []


def test_the_thread_ends_with_a_loop_that_is_left(trajectory):
    for frame in trajectory:
        frame.positions  # noqa: B018
        if frame.index == 3:
            assert len(gpz_threads()) == 1
            break
    del frame
    gc.collect()
    assert wait_for_threads() == []


def test_the_thread_ends_with_a_damaged_head(sample):
    data = bytearray(sample.path.read_bytes())
    data[sample.starts[6] + 40] ^= 0x10  # within the head
    loop = iter(gpz.open(bytes(data)))
    with pytest.raises(gpz.CorruptError) as caught:
        for frame in loop:
            frame.positions  # noqa: B018
    assert frame.index == 5 and caught.value.path == "memory"
    assert wait_for_threads() == []
    assert next(loop).index == 7


def test_without_values_there_is_no_thread(trajectory):
    for frame in trajectory:
        assert frame.timestep == 100 * frame.index
        assert gpz_threads() == []


def test_what_was_asked_is_decoded_ahead(trajectory):
    frames = iter(trajectory)
    first = next(frames)
    first.load("ids")
    assert len(first.positions) == len(first["id"])
    for frame in frames:
        assert set(frame._values) >= {"positions", "id"}
        if frame.index >= 4:
            frame.velocities  # noqa: B018
        assert (("vx", "vy", "vz") in frame._values) == (frame.index >= 4)


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


def test_a_fork_within_a_loop(sample, trajectory):
    """Parent and child go on with the loop, as do processes of multiprocessing that are forked within one."""
    program = """
import gpz, os, sys, warnings
warnings.simplefilter("ignore")
total = 0
for frame in gpz.open(sys.argv[1]):
    total += frame.positions.sum()
    if frame.index == 3:
        child = os.fork()
print(repr(float(total)), flush=True)
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    ended = run(program, sample.path)
    total = float(sum(trajectory[k].positions.sum() for k in range(FRAMES)))
    assert ended.returncode == 0 and ended.stderr == ""
    assert [float(line) for line in ended.stdout.split()] == [total, total]


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
