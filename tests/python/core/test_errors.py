# SPDX-License-Identifier: BSD-3-Clause
"""Files that are missing, of another format, damaged or made to harm: an exception with file, position and cause."""

import pickle

import numpy as np
import pytest
from conftest import FRAMES, KEY

import gpz


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        gpz.open(tmp_path / "none.gpz")
    error = caught.value
    assert isinstance(error, gpz.Error) and error.status == "io_error" and error.errno == 2
    assert error.path == str(tmp_path / "none.gpz") and error.position is None
    assert str(error) == f"{error.path}: {error.cause}"


def test_a_folder(tmp_path):
    with pytest.raises(OSError, match="not a regular file"):
        gpz.open(tmp_path)


def test_another_format(tmp_path):
    (tmp_path / "text.gpz").write_text("ITEM: TIMESTEP\n0\n")
    with pytest.raises(gpz.NotGpzError) as caught:
        gpz.open(tmp_path / "text.gpz")
    assert isinstance(caught.value, ValueError) and caught.value.status == "not_gpz" and caught.value.position == 0


def test_options():
    for options in ({"order": "x"}, {"dtype": np.int32}, {"max_memory": -1}):
        with pytest.raises(gpz.ArgumentError):
            gpz.open(b"", **options)
    with pytest.raises(TypeError):
        gpz.open(b"", threads="two")


def test_errors_can_be_pickled():
    """As processes hand them to each other."""
    error = gpz.CorruptError("a checksum is wrong", "a.gpz", 17)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is gpz.CorruptError
    assert (again.cause, again.path, again.position, again.errno) == ("a checksum is wrong", "a.gpz", 17, None)
    assert str(again) == "a.gpz: byte 17: a checksum is wrong"


@pytest.fixture
def damaged(sample, tmp_path):
    """The file with a wrong byte in frame 6, and where that frame is."""
    start, end = sample.starts[6], sample.starts[7]
    data = bytearray(sample.path.read_bytes())
    data[(start + end) // 2] ^= 0x10
    path = tmp_path / "damaged.gpz"
    path.write_bytes(data)
    return path, start, end


def test_a_damaged_frame(damaged, trajectory):
    path, start, end = damaged
    opened = gpz.open(path)
    with pytest.raises(gpz.CorruptError) as caught:
        opened[6].load()
    assert caught.value.path == str(path) and start < caught.value.position < end
    with pytest.raises(gpz.CorruptError, match="builds on frame 6"):
        opened[8].positions  # noqa: B018
    with pytest.raises(gpz.CorruptError):
        opened.verify(6)
    opened.verify(5)
    for k in (5, 2 * KEY):
        np.testing.assert_array_equal(opened[k].positions, trajectory[k].positions)


def test_a_damaged_frame_in_a_loop(damaged):
    """Its error comes with it, not with the frame before, which is decoded while the thread reads ahead."""
    loop = iter(gpz.open(damaged[0]))
    good = []
    for frame in loop:
        try:
            frame.positions, frame.velocities, frame["charge"], frame.images, frame.ids, frame.types
            good.append(frame.index)
        except gpz.CorruptError:
            assert frame.index in (6, 7, 8, 9)
    assert good == [0, 1, 2, 3, 4, 5, 10, 11]


def test_a_file_that_ends_anywhere(sample, trajectory):
    data = sample.path.read_bytes()
    for size in range(0, len(data), len(data) // 97):
        try:
            opened = gpz.open(data[:size])
        except gpz.Error as error:
            assert error.path == "memory" and error.cause
            continue
        whole = len(opened)
        assert whole == 0 or np.array_equal(opened[-1].positions, trajectory[whole - 1].positions)
        assert opened.torn or whole in (0, FRAMES) or size % 8 == 0


def test_a_wrong_byte_anywhere(sample):
    data = sample.path.read_bytes()
    for position in range(0, len(data), len(data) // 211):
        broken = bytearray(data)
        broken[position] ^= 0x55
        try:
            for frame in gpz.open(bytes(broken)):
                try:
                    frame.load()
                except gpz.Error:
                    pass
        except gpz.Error:
            pass


def test_max_memory(sample):
    assert gpz.open(sample.path, max_memory=10**9)[0].positions.any()
    with pytest.raises(gpz.LimitError) as caught:
        gpz.open(sample.path, max_memory=10_000)[0].positions  # noqa: B018
    assert isinstance(caught.value, MemoryError) and caught.value.status == "limit_exceeded"


def test_a_number_that_does_not_fit(tmp_path):
    with gpz.Writer(tmp_path / "wide.gpz") as writer:
        writer.write(ids=[1, 2**40])
    with pytest.raises(gpz.LimitError):
        gpz.open(tmp_path / "wide.gpz").read(0, out={"id": np.empty(2, np.int32)})


def test_names_of_columns_are_any_bytes(tmp_path):
    with gpz.Writer(tmp_path / "names.gpz") as writer:
        writer.write(**{"Kraft ü": [1.5], "raw \udcff": [2.5]})
    frame = gpz.open(tmp_path / "names.gpz")[0]
    assert frame["Kraft ü"][0] == 1.5 and frame["raw \udcff"][0] == 2.5


def test_names_of_columns_are_printed_on_one_line(tmp_path):
    with gpz.Writer(tmp_path / "names.gpz") as writer:
        writer.write(**{"line\nbreak": [1.5], "escape \x1b[2J": [2.5], "raw \udcff": [3.5]})
    frame = gpz.open(tmp_path / "names.gpz")[0]
    with pytest.raises(gpz.ColumnError) as caught:
        frame["x"]
    for text in (str(caught.value), repr(frame)):
        assert r"line\x0abreak escape \x1b[2J raw \xff" in text
        assert text.isprintable()
