# SPDX-License-Identifier: BSD-3-Clause
"""gpz.Writer and gpz.open with file objects: the bytes are those of a file, wherever they are."""

import bz2
import gzip
import io
import mmap
import pickle
import tempfile
import threading

import numpy as np
import pytest

import gpz

X = np.random.default_rng(5).uniform(0, 10, (50, 3))


def write(to, frames=3):
    with gpz.Writer(to, bound=1e-3) as writer:
        for k in range(frames):
            writer.write(positions=X + 0.01 * k, ids=range(50), box=[10, 10, 10])


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "file.gpz")
    return tmp_path / "file.gpz"


def same(trajectory, path):
    with gpz.open(path) as file:
        assert len(trajectory) == len(file)
        for one, other in zip(trajectory, file):
            np.testing.assert_array_equal(one.positions, other.positions)


@pytest.mark.parametrize("frames", [0, 1, 3])
def test_memory(tmp_path, frames):
    memory = io.BytesIO()
    write(memory, frames)
    write(tmp_path / "file.gpz", frames)
    assert memory.getvalue() == (tmp_path / "file.gpz").read_bytes()
    same(gpz.open(memory), tmp_path / "file.gpz")


def test_memory_has_complete_frames_after_every_call(path):
    memory = io.BytesIO()
    with gpz.Writer(memory, bound=1e-3) as writer:
        for k in range(3):
            writer.write(positions=X, ids=range(50))
            assert len(memory.getvalue()) == writer.size and len(gpz.open(memory)) == k + 1
    assert not memory.closed


@pytest.mark.parametrize("library", [gzip, bz2])
def test_compressed_files(path, tmp_path, library):
    """Their descriptor has other bytes than they have."""
    with library.open(tmp_path / "packed", "wb") as file:
        write(file)
    with library.open(tmp_path / "packed", "rb") as file:
        assert file.read(10) == path.read_bytes()[:10]
        same(gpz.open(file), path)
        assert file.tell() == 10


def test_a_file_begins_where_the_object_is(path, tmp_path):
    memory = io.BytesIO(b"head")
    memory.seek(4)
    write(memory)
    with open(tmp_path / "out", "wb") as file:
        file.write(b"head")  # in a buffer of Python
        write(file)
        file.write(b"tail")
    assert memory.getvalue() == b"head" + path.read_bytes()
    assert (tmp_path / "out").read_bytes() == b"head" + path.read_bytes() + b"tail"


@pytest.mark.parametrize("make", [tempfile.TemporaryFile, tempfile.NamedTemporaryFile, tempfile.SpooledTemporaryFile])
def test_temporary_files(path, make):
    with make() as file:
        write(file)
        same(gpz.open(file), path)


def test_open_files(path, tmp_path, monkeypatch):
    with open(path, "rb") as file:
        file.read(7)
        trajectory = gpz.open(file)
        assert file.tell() == 7
    same(trajectory, path)  # has a file of its own
    assert trajectory.path == str(path)
    with open(path, "rb") as file:
        path.rename(tmp_path / "moved.gpz")
        same(gpz.open(file), tmp_path / "moved.gpz")
    monkeypatch.chdir(tmp_path)
    with open("moved.gpz", "rb") as file:
        monkeypatch.chdir("/")
        same(gpz.open(file), tmp_path / "moved.gpz")


def test_buffers(path):
    data = path.read_bytes()
    for buffer in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)):
        same(gpz.open(buffer), path)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        trajectory = gpz.open(mapped)
        same(trajectory, path)
        del trajectory
    same(pickle.loads(pickle.dumps(gpz.open(io.BytesIO(data)))), path)


class Part:
    """Takes up to 100 bytes at a time, as files without a buffer may."""

    def __init__(self):
        self.data = b""

    def write(self, data):
        self.data += data[:100]
        return min(len(data), 100)


class Silent(Part):
    def write(self, data):
        self.data += data


@pytest.mark.parametrize("kind", [Part, Silent])
def test_objects_with_a_function_write(path, kind):
    file = kind()
    write(file)
    assert file.data == path.read_bytes()


class Full(Part):
    def write(self, data):
        if self.data:
            self.data += data[:9]
            raise OverflowError("the store is full")
        self.data = data


def test_an_exception_of_the_object_passes_through():
    file = Full()
    writer = gpz.Writer(file, bound=1e-3)
    writer.write(positions=X, ids=range(50))
    with pytest.raises(OverflowError, match="the store is full"):
        writer.write(positions=X, ids=range(50))
    assert writer.n_frames == 1 and len(gpz.open(file.data)) == 1 and gpz.open(file.data).torn


def test_closed_objects(path):
    memory = io.BytesIO()
    memory.close()
    with open(path, "rb") as file:
        pass
    for closed in (memory, file):
        with pytest.raises(ValueError, match="closed"):
            gpz.open(closed)
        with pytest.raises(ValueError, match="closed"):
            gpz.Writer(closed)


def test_pipes_are_read_by_stream(path, tmp_path):
    class Pipe(io.RawIOBase):
        def readable(self):
            return True

    with pytest.raises(gpz.ArgumentError, match="gpz.stream"):
        gpz.open(Pipe())


def test_a_stream_begins_where_the_object_stands(path, tmp_path):
    """Not where its buffer has read to."""
    (tmp_path / "packed").write_bytes(b"head" + path.read_bytes())
    with open(tmp_path / "packed", "rb") as file:
        assert file.read(4) == b"head"
        same(list(gpz.stream(file)), path)


def test_threads_that_share_a_stream(path):
    write(path, 12)
    found = []
    with open(path, "rb") as file:
        stream = gpz.stream(file)
        threads = [threading.Thread(target=lambda: found.extend(stream)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    same(sorted(found, key=lambda frame: frame.index), path)


class Inverted:
    """An object that is no file, changes what is written to it, and has a descriptor."""

    def __init__(self, file):
        self.file = file

    def write(self, data):
        return self.file.write(bytes(byte ^ 255 for byte in data))

    def fileno(self):
        return self.file.fileno()


def test_what_an_object_does_with_the_bytes_is_not_passed_by(tmp_path):
    with open(tmp_path / "inverted", "wb") as file, gpz.Writer(Inverted(file)) as writer:
        writer.write(positions=np.ones((4, 3)))
    data = bytes(byte ^ 255 for byte in (tmp_path / "inverted").read_bytes())
    assert len(gpz.open(data)) == 1


def test_an_object_that_fails_once_gets_the_whole_file():
    memory, calls = io.BytesIO(), []

    class FailsOnce:
        def write(self, data):
            calls.append(len(data))
            if len(calls) == 1:
                raise OSError("not now")
            return memory.write(data)

    writer = gpz.Writer(FailsOnce(), order="place", effort="fast")
    with pytest.raises(OSError, match="not now"):
        writer.write(positions=np.ones((4, 3)))
    writer.write(positions=np.zeros((4, 3)))
    writer.close()
    with gpz.open(memory.getvalue()) as trajectory:
        assert len(trajectory) == 1 and not trajectory[0].positions.any()
