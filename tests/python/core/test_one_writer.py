# SPDX-License-Identifier: BSD-3-Clause
"""A file has one writer at a time, and no output replaces an input."""

import gc
import os

import numpy as np
import pytest

import gpz
from gpz._files import require_output

X = np.random.default_rng(1).uniform(0, 10, (50, 3))
WRITTEN = "is being written by another writer of this program, and frames of one of the two would be lost: close the other one first"


@pytest.fixture
def path(tmp_path):
    """Of a file with five frames."""
    path = tmp_path / "file.gpz"
    with gpz.Writer(path) as writer:
        write(writer, range(5))
    os.link(path, tmp_path / "hard.gpz")
    os.symlink(path, tmp_path / "soft.gpz")
    return path


def write(writer, steps):
    for step in steps:
        writer.write(positions=X + step, ids=np.arange(1, 51), timestep=step)


def test_a_second_writer_is_refused(path, tmp_path):
    first = gpz.Writer(path, append=True)
    write(first, range(5, 8))
    before = path.read_bytes()
    for name in (path, tmp_path / "hard.gpz", tmp_path / "soft.gpz"):
        for append in (True, False):
            with pytest.raises(gpz.ArgumentError, match=WRITTEN) as caught:
                gpz.Writer(name, append=append)
            assert caught.value.path == str(name)
    with open(path, "r+b") as file, pytest.raises(gpz.ArgumentError, match=WRITTEN):
        gpz.Writer(file)
    assert path.read_bytes() == before
    with gpz.open(path) as file:  # readers are not
        assert len(file) == 8
        write(first, [8])
        assert file.refresh() == 1
    first.close()
    with gpz.Writer(path, append=True) as second:
        write(second, [9])
    with gpz.open(path) as file:
        assert file.timesteps.tolist() == list(range(10))
        for frame in file:
            frame.load()


def test_a_writer_that_was_left_open(path):
    """It ends with its last name, or where the garbage collector finds it."""
    ring = [gpz.Writer(path, append=True)]
    ring.append(ring)
    gc.disable()
    try:
        del ring
        with gpz.Writer(path, append=True) as writer:
            write(writer, [5])
    finally:
        gc.enable()


def test_a_writer_that_failed(path):
    with pytest.raises(gpz.ArgumentError), gpz.Writer(path, append=True) as writer:
        writer.write(positions=[[np.nan]], timestep=1)
    with gpz.Writer(path, append=True) as writer:
        write(writer, [5])


def test_no_output_is_an_input(path, tmp_path):
    names = [path, str(path), os.fsencode(path), tmp_path / "hard.gpz", tmp_path / "soft.gpz", path.as_uri()]
    for output in (path, tmp_path / "hard.gpz", tmp_path / "soft.gpz"):
        for name in names:
            with pytest.raises(gpz.ArgumentError, match="input.*: write another file") as caught:
                require_output(output, [None, name])
            assert caught.value.path == str(output)
        with gpz.open(path) as trajectory, open(path, "rb") as file:
            for given in (trajectory, trajectory[1:], file, file.fileno()):
                with pytest.raises(gpz.ArgumentError, match="is an input as well as the output"):
                    require_output(output, [given])
    other = tmp_path / "other.gpz"
    others = [None, X, b"\x89GPZ", "https://example.org/file.gpz", other, tmp_path / "none.gpz"]
    require_output(path, others)
    require_output(tmp_path / "new.gpz", names)
    other.write_bytes(path.read_bytes())
    with gpz.open(other) as trajectory, gpz.open(path.read_bytes()) as memory:
        require_output(path, [*others, trajectory, memory])
    require_output("/dev/null", ["/dev/null"])
    with gpz.Writer(path, append=True), pytest.raises(gpz.ArgumentError, match=WRITTEN):
        require_output(tmp_path / "soft.gpz", [])
    require_output(path, [])
