# SPDX-License-Identifier: BSD-3-Clause
"""A writer replaces no file that this program has open for reading."""

import gc
import os

import numpy as np
import pytest

import gpz

X = np.random.default_rng(1).uniform(0, 10, (50, 3))
OPEN = "is open for reading in this program, and would be emptied: write another file, or close what reads it"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file.gpz"
    with gpz.Writer(path) as writer:
        for k in range(3):
            writer.write(positions=X + k, ids=np.arange(1, 51), timestep=k)
    return path


def require_refused(path, name=None):
    before = path.read_bytes()
    with pytest.raises(gpz.ArgumentError, match=OPEN) as caught:
        gpz.Writer(name or path)
    assert caught.value.path == str(name or path) and path.read_bytes() == before


def replace(path):
    with gpz.Writer(path) as writer:
        writer.write(positions=X)
    with gpz.open(path) as file:
        assert len(file) == 1


def test_a_trajectory_and_its_slices_hold_the_file(path):
    with gpz.open(path) as whole:
        require_refused(path)
        part = whole[1:]
    replace(path)
    whole = gpz.open(path)
    part = whole[:1]
    del whole
    require_refused(path)
    part.close()
    replace(path)


def test_whatever_the_file_is_called(path, tmp_path):
    os.link(path, tmp_path / "hard.gpz")
    os.symlink(path, tmp_path / "soft.gpz")
    with gpz.open(tmp_path / "soft.gpz"):
        for name in (path, tmp_path / "hard.gpz", tmp_path / "soft.gpz"):
            require_refused(path, name)
    replace(path)


def test_a_loop_holds_the_file_until_it_ends(path):
    for frame in gpz.open(path):  # nobody else has this trajectory
        require_refused(path)
    frame.load()
    replace(path)  # though the last frame of the loop is still there


def test_a_loop_that_is_left_does_not_hold_the_file(path):
    for frame in gpz.open(path):
        frame.load("positions")
        if frame.index == 1:  # the thread decodes the last frame
            break
    replace(path)


def test_a_frame_that_was_asked_for_holds_it(path):
    frame = gpz.open(path)[1]
    require_refused(path)
    np.testing.assert_allclose(frame.positions, X + 1, atol=1e-3)
    del frame
    replace(path)


def test_what_waits_for_the_garbage_collector_does_not(path):
    ring = [gpz.open(path)]
    ring.append(ring)
    gc.disable()
    try:
        del ring
        replace(path)
    finally:
        gc.enable()


def test_frames_are_appended_to_a_file_that_is_open(path):
    with gpz.open(path) as file:
        with gpz.Writer(path, append=True) as writer:
            for frame in file:
                writer.write(frame)
        assert len(file) == 3 and file.refresh() == 3


def test_bytes_and_other_files_do_not_matter(path, tmp_path):
    content = path.read_bytes()
    with gpz.open(content) as memory, gpz.Writer(path) as writer:
        for frame in memory:
            writer.write(frame)
    with gpz.open(path) as file, gpz.Writer(tmp_path / "other.gpz") as writer:
        writer.write(file[2])
