# SPDX-License-Identifier: BSD-3-Clause
"""How many requests and bytes it takes to read files on a web server."""

import copy
import pickle

import numpy as np
import pytest
from serving import FRAMES, KEY

import gpz

BLOCK = 16 << 10  # bytes: ranges begin and end at multiples of it


def bytes_of(local, first, last):
    """Of these frames in the file, and what blocks add."""
    return int(local.sizes[first : last + 1].sum()) + 2 * BLOCK


def test_opening_takes_two_requests(server, local):
    trajectory = gpz.open(server.url())
    assert len(trajectory) == len(local) and trajectory.metadata == local.metadata
    np.testing.assert_array_equal(trajectory.timesteps, local.timesteps)
    np.testing.assert_array_equal(trajectory.sizes, local.sizes)
    assert [method for method, _, _ in server.requests] == ["GET", "GET"]
    assert server.sent <= (64 << 10) + (256 << 10) + BLOCK
    assert trajectory.path == server.url()


def test_a_small_file_takes_no_more(server, tmp_path):
    with gpz.Writer(tmp_path / "small.gpz", bound=1e-3) as writer:
        writer.write(positions=np.ones((5, 3)), ids=range(5))
    server.files["/small.gpz"] = (tmp_path / "small.gpz").read_bytes()
    assert gpz.open(server.url("/small.gpz"))[0].positions.shape == (5, 3)
    assert len(server.requests) <= 2


@pytest.mark.parametrize("index", [0, 3, 2 * KEY, 2 * KEY + 5, FRAMES - 1])
def test_a_frame_takes_its_key_interval(server, local, same, index):
    """Its head, which says where the key frame is, and the rest."""
    trajectory = gpz.open(server.url())
    server.forget()
    same(trajectory, [index])
    assert len(server.requests) <= 2
    assert server.sent <= bytes_of(local, index - index % KEY, index) + BLOCK


def test_a_frame_takes_one_request_once_the_key_interval_is_known(server, local, same):
    trajectory = gpz.open(server.url())
    same(trajectory, [KEY + 6, 0])
    for index in (2 * KEY + 3, 3 * KEY):
        server.forget()
        same(trajectory, [index])
        assert len(server.requests) == 1
        assert server.sent <= bytes_of(local, index - index % KEY, index)


def test_frames_that_were_read_are_kept(server, same):
    trajectory = gpz.open(server.url())
    same(trajectory, [2 * KEY + 5])
    server.forget()
    same(trajectory, [2 * KEY + 5, 2 * KEY, 2 * KEY + 3])
    same(copy.copy(trajectory), [2 * KEY + 1])
    assert server.requests == []


def test_memory_is_bounded(server, path, same):
    """What has no room is read again. A reader drops what it read ahead after the last frame."""
    memory = 1 << 20
    trajectory = gpz.open(server.url(), remote=gpz.remote.Options(memory=memory))
    same(trajectory)
    server.forget()
    same(trajectory)
    assert server.sent >= path.stat().st_size - memory
    nothing = gpz.open(server.url(), remote=gpz.remote.Options(memory=0))
    same(nothing, [0, KEY + 1, 5])


def test_a_loop_reads_every_byte_once_in_few_requests(server, local, path):
    trajectory = gpz.open(server.url())
    for one, other in zip(trajectory, local):
        np.testing.assert_array_equal(one.positions, other.positions)
    assert len(server.requests) <= 2 + 9
    assert server.sent <= path.stat().st_size + (64 << 10)  # the start of the file, to learn its size


def test_loops_share_what_was_read(server, local):
    trajectory = gpz.open(server.url())
    assert sum(1 for _ in trajectory) == FRAMES
    for frame in trajectory:
        frame.positions  # noqa: B018
    server.forget()
    for frame in trajectory[::3]:
        frame.positions  # noqa: B018
    assert server.requests == []


@pytest.mark.parametrize("step", [KEY, 2 * KEY])
def test_a_loop_over_key_frames_reads_no_others(server, local, step):
    trajectory = gpz.open(server.url())
    server.forget()
    for one, index in zip(trajectory[::step], range(0, FRAMES, step)):
        np.testing.assert_array_equal(one.positions, local[index].positions)
    key_frames = range(0, FRAMES, step)
    assert server.sent <= sum(bytes_of(local, index, index) for index in key_frames)
    assert len(server.requests) <= len(key_frames) + 1


def test_a_loop_with_gaps_reads_the_key_intervals_of_its_frames(server, local):
    step = 2 * KEY + 5
    trajectory = gpz.open(server.url())
    server.forget()
    for one, index in zip(trajectory[::step], range(0, FRAMES, step)):
        np.testing.assert_array_equal(one.positions, local[index].positions)
    assert server.sent <= sum(bytes_of(local, index - index % KEY, index) + BLOCK for index in range(0, FRAMES, step))


def test_counts(server):
    trajectory = gpz.open(server.url())
    # Both ends came before a reader asked for them.
    assert trajectory._file.source.counts[:2] == (1, 2)
    ends = server.sent - trajectory._file.source.counts[2]
    assert 0 <= ends <= BLOCK and len(server.requests) == 2
    trajectory[KEY + 2].positions  # noqa: B018
    requests, ranges, sent = trajectory._file.source.counts
    assert 1 < requests <= ranges == len(server.requests)
    assert sent == server.sent - ends


def test_the_file_may_have_grown(server, path, tmp_path, same):
    whole = path.read_bytes()
    with gpz.open(path) as local:
        sizes = local.sizes
    start = whole.index(b"GPZ", 64) - 2  # the marker of the first record
    server.files["/file.gpz"] = whole[: start + int(sizes[:20].sum())]
    trajectory = gpz.open(server.url())
    assert len(trajectory) == 20
    server.files["/file.gpz"] = whole
    server.tags["/file.gpz"] = '"two"'
    assert trajectory.refresh() == FRAMES - 20
    same(trajectory, [FRAMES - 1])


def test_pickles_open_the_url_again(server, same):
    trajectory = gpz.open(server.url(), remote=gpz.remote.Options(memory=1 << 20, storage={"headers": {"X-Name": "gpz"}}))
    again = pickle.loads(pickle.dumps(trajectory[3:9]))
    assert len(again) == 6 and again._file.source.options == trajectory._file.source.options
    same(gpz.open(server.url()), [3])
    np.testing.assert_array_equal(again[0].positions, trajectory[3].positions)


def test_urls_of_this_machine_are_paths(path, local):
    trajectory = gpz.open(f"file://{path}")
    assert trajectory.path == str(path) and len(trajectory) == FRAMES
