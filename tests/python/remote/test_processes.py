# SPDX-License-Identifier: BSD-3-Clause
"""Programs that end, and that fork, while remote files are open."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from serving import FRAMES, KEY

import gpz

# Frames 15 and more are asked for while frame 7 is decoded.
ENDING = """
import sys
import gpz
trajectory = gpz.open(sys.argv[1])
for frame in trajectory[:9]:
    frame.positions
{then}
sys.stdin.readline()
"""


@pytest.mark.parametrize(
    "then", ["", "kept = [trajectory, frame]; kept.append(kept)"], ids=["open", "in a cycle"]
)
def test_a_program_ends_while_bytes_are_on_their_way(server, local, then):
    asked, released = threading.Event(), threading.Event()
    held = (64 << 10) + int(local.sizes[:12].sum())
    end = len(server.files["/file.gpz"]) - (300 << 10)

    def wait(request):
        if request.begin is None or not held < request.begin < end:
            return False
        asked.set()
        released.wait()
        return False

    server.fault = wait
    running = subprocess.Popen(
        [sys.executable, "-B", "-c", ENDING.format(then=then), server.url()],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert asked.wait(60)
        _, said = running.communicate("\n", timeout=20)
    finally:
        running.kill()
        released.set()
    assert running.returncode == 0, said
    assert said == ""


THREADS = """
import sys, threading
import gpz

begun = threading.Barrier(3)

def work():
    trajectory = gpz.open(sys.argv[1])
    trajectory[0].positions
    begun.wait(60)
    while True:
        for frame in gpz.open(sys.argv[1]):
            frame.positions

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
begun.wait(60)
"""


def test_a_program_ends_while_its_threads_read(server):
    ended = subprocess.run([sys.executable, "-B", "-c", THREADS, server.url()], timeout=60, check=False)
    assert ended.returncode == 0


def test_children_read_for_themselves(server, local):
    trajectory = gpz.open(server.url())
    first = trajectory[KEY + 1].positions
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for index in (KEY + 1, 3 * KEY + 2, FRAMES - 1):
                np.testing.assert_array_equal(trajectory[index].positions, local[index].positions)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    np.testing.assert_array_equal(first, local[KEY + 1].positions)
    np.testing.assert_array_equal(trajectory[2 * KEY + 1].positions, local[2 * KEY + 1].positions)


# A thread of the parent reads while the process is forked: the child has no such thread, and does not wait for it.
FORKING = """
import os
import sys
import threading
from gpz import _core

data = open(sys.argv[1], "rb").read()
reading, released = threading.Event(), threading.Event()


class Held:
    name, size = "held", len(data)

    def read_ranges(self, ranges):
        reading.set()
        released.wait()
        return [data[begin:end] for begin, end in ranges]


thread = threading.Thread(target=lambda: _core.Reader.of_source(_core.Source(Held(), 1 << 20), 0))
thread.start()
reading.wait()
child = os.fork()
if child == 0:
    sys.exit(7)
_, status = os.waitpid(child, 0)
released.set()
thread.join()
sys.exit(0 if os.waitstatus_to_exitcode(status) == 7 else 1)
"""


def test_children_end_although_a_thread_of_the_parent_reads(path):
    ended = subprocess.run([sys.executable, "-B", "-c", FORKING, path], check=False, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr


def test_an_interrupted_read_is_not_repeated(server, monkeypatch):
    from gpz.remote import web

    trajectory = gpz.open(server.url(), threads=1)
    interrupted = []

    def interrupt(self, ranges):
        interrupted.append(ranges)
        raise KeyboardInterrupt

    monkeypatch.setattr(web.WebFile, "read_ranges", interrupt)
    for number, index in enumerate((2 * KEY + 3, KEY + 2), 1):
        with pytest.raises(KeyboardInterrupt):
            trajectory[index].positions.sum()
        assert len(interrupted) == number
