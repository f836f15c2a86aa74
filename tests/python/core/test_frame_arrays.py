# SPDX-License-Identifier: BSD-3-Clause
"""gpz.compress_frames, gpz.frame_array and gpz.decompress_frames."""

import struct
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import xxhash

import gpz

BOUND = 1e-3
FRAMES, PARTICLES = 12, 600


def made(dtype="f4", components=3):
    random = np.random.default_rng(7)
    walk = np.cumsum(random.normal(scale=0.005, size=(FRAMES, PARTICLES, components)), axis=0)
    return (walk + random.uniform(0, 5, (PARTICLES, components))).astype(dtype)


def require_close(values, wanted, bound=BOUND):
    assert values.shape == wanted.shape and values.dtype == wanted.dtype
    assert np.abs(values.astype(np.longdouble) - wanted.astype(np.longdouble)).max(initial=0) <= bound


@pytest.fixture(scope="module")
def frames():
    return made()


@pytest.fixture(scope="module")
def data(frames):
    return gpz.compress_frames(frames, BOUND, key_interval=4)


@pytest.mark.parametrize("effort", ["fast", "standard", "dense"])
@pytest.mark.parametrize("components", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_values(dtype, components, effort):
    frames = made(dtype, components)
    data = gpz.compress_frames(frames, BOUND, effort=effort)
    assert gpz.frame_array(data) == gpz.FrameArray(frames.shape, np.dtype(dtype), BOUND)
    assert isinstance(data, bytes) and len(data) < frames.nbytes / 2
    require_close(gpz.decompress_frames(data), frames)


def test_exact(frames):
    frames = frames.copy()
    frames[3, 5] = np.nan, np.inf, -0.0
    data = gpz.compress_frames(frames, 0)
    assert gpz.frame_array(data).bound == 0
    assert np.array_equal(gpz.decompress_frames(data).view("u4"), frames.view("u4"))


def test_values_that_the_grid_cannot_hold(frames):
    frames = frames.copy()
    frames[3, 5] = np.nan, np.inf, -np.inf
    frames[4, 6] = 3e38, -1e30, 1e-45
    back = gpz.decompress_frames(gpz.compress_frames(frames, BOUND))
    assert np.array_equal(back[3, 5].view("u4"), frames[3, 5].view("u4"))
    require_close(np.delete(back, 3, axis=0), np.delete(frames, 3, axis=0))


@pytest.mark.parametrize("shape", [(0, 5, 3), (3, 0, 3), (0, 0, 1), (1, 1, 1), (2, 1, 2)])
def test_few_values(shape):
    for bound in (0, BOUND):
        data = gpz.compress_frames(np.ones(shape, "f4"), bound)
        assert gpz.frame_array(data).shape == shape
        require_close(gpz.decompress_frames(data), np.ones(shape, "f4"))


def test_one_frame(frames):
    """Of particles x components."""
    assert gpz.compress_frames(frames[0], BOUND) == gpz.compress_frames(frames[:1], BOUND)


@pytest.mark.parametrize(
    "view", [np.asfortranarray, lambda x: x[::2, ::-1], lambda x: x[:, :, ::-1], np.ndarray.tolist]
)
def test_layouts(view):
    frames = made("f8")
    values = view(frames)
    require_close(gpz.decompress_frames(gpz.compress_frames(values, BOUND)), np.array(values))


@pytest.mark.parametrize(
    "where",
    [
        0,
        3,
        7,
        FRAMES - 1,
        -1,
        np.int64(5),
        slice(None),
        slice(5, 9),
        slice(-3, None),
        slice(6, 6),
        slice(9, 2),
        slice(3, 99),
    ],
)
@pytest.mark.parametrize("threads", [0, 1, 2])
def test_some_frames(data, where, threads):
    wanted = gpz.decompress_frames(data)[where]
    assert np.array_equal(gpz.decompress_frames(data, where, threads=threads), wanted)
    out = np.empty_like(wanted)
    assert gpz.decompress_frames(data, where, out=out, threads=threads) is out and np.array_equal(out, wanted)


def test_the_order_of_rows_is_kept(frames):
    order = np.random.default_rng(1).permutation(PARTICLES)
    require_close(gpz.decompress_frames(gpz.compress_frames(frames[:, order], BOUND)), frames[:, order])


@pytest.mark.parametrize("effort", ["fast", "standard", "dense"])
def test_threads_do_not_change_the_bytes(frames, effort):
    one = gpz.compress_frames(frames, BOUND, effort=effort, key_interval=4)
    for threads in (0, 2, 3):
        assert gpz.compress_frames(frames, BOUND, effort=effort, key_interval=4, threads=threads) == one


def test_boxes(frames):
    """They help where particles cross periodic edges, and are given once or for each frame."""
    wrapped = np.mod(frames + 2.5, 5).astype("f4")
    none = gpz.compress_frames(wrapped, BOUND)
    one = gpz.compress_frames(wrapped, BOUND, box=[5, 5, 5])
    assert gpz.compress_frames(wrapped, BOUND, box=gpz.Box.from_bounds([0, 0, 0], [5, 5, 5])) == one
    box = gpz.Box.from_bounds([0, 0, 0], [5, 5, 5])
    assert gpz.compress_frames(wrapped, BOUND, box=[box] * FRAMES) == one
    assert len(one) <= len(none)
    for data in (none, one):
        require_close(gpz.decompress_frames(data), wrapped)


def test_key_frames(frames):
    """A frame is decompressed from its key frame on; every frame a key frame costs bytes where particles hardly move."""
    sizes = [len(gpz.compress_frames(frames, BOUND, key_interval=interval)) for interval in (1, 4, 100)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_buffers(data, frames):
    wanted = gpz.decompress_frames(data)
    for kind in (bytearray, memoryview, lambda x: np.frombuffer(x, np.uint8)):
        assert np.array_equal(gpz.decompress_frames(kind(data)), wanted)
        assert gpz.frame_array(kind(data)).shape == frames.shape


def test_files_are_others(sample):
    with pytest.raises(gpz.UnsupportedError):
        gpz.decompress_frames(sample.path.read_bytes())


def test_frame_arrays_are_no_files(data, tmp_path):
    (tmp_path / "a.gpz").write_bytes(data)
    with pytest.raises(gpz.Error, match="frame array"):
        gpz.open(tmp_path / "a.gpz")


def test_flipped_bits(data):
    random = np.random.default_rng(1)
    for _ in range(200):
        damaged = bytearray(data)
        damaged[random.integers(len(data))] ^= 1 << random.integers(8)
        with pytest.raises(gpz.Error):
            gpz.decompress_frames(damaged)


def test_every_length(frames):
    data = gpz.compress_frames(frames[:2, :20], BOUND)
    for length in range(len(data)):
        with pytest.raises(gpz.Error):
            gpz.decompress_frames(data[:length])
    with pytest.raises(gpz.Error):
        gpz.decompress_frames(data + b"\0")


def number(value):
    made = b""
    while value >= 0x80:
        made += bytes([value & 0x7F | 0x80])
        value >>= 7
    return made + bytes([value])


def forged(particles, frames=1, form=1, length=17, components=3):
    """docs/format.md, section 16, with a bound and a checksum that holds; chunks are zeros."""
    start = gpz.compress_frames(np.zeros((1, 3, 3), "f4"), BOUND)[:16]
    has_bound, has_step = 8, 4
    head = start + bytes([components | has_bound]) + number(particles) + number(frames) + struct.pack("<d", BOUND)
    entries = (
        number(length << 3 | has_step | form) + struct.pack("<d", BOUND) + number(length << 3 | form) * (frames - 1)
    )
    data = head + entries + bytes(length) * frames
    return data + struct.pack("<Q", xxhash.xxh3_64_intdigest(data))


@pytest.mark.parametrize("particles", [10**8, 2**31 - 1, 2**31, 2**40, 2**63, 2**64 - 1])
@pytest.mark.parametrize("form", [0, 1, 2])
def test_more_particles_than_there_is_memory(particles, form):
    """A hundred bytes may say anything."""
    for frames in (1, 50):
        with pytest.raises((gpz.LimitError, gpz.CorruptError)):
            gpz.decompress_frames(forged(particles, frames, form), max_memory=10**8)
    out = np.empty((PARTICLES, 3), "f4")
    with pytest.raises(gpz.Error):
        gpz.decompress_frames(forged(particles, form=form), 0, out=out, max_memory=10**8)


@pytest.mark.parametrize(
    "arguments", [{"form": 3}, {"components": 4}, {"components": 0}, {"particles": 0}, {"form": 2}]
)
def test_rules_of_the_format(arguments):
    with pytest.raises(gpz.CorruptError):
        gpz.decompress_frames(forged(**{"particles": 20, **arguments}))


def test_limits(data, frames):
    gpz.decompress_frames(data, 3, max_memory=10**7)
    with pytest.raises(gpz.LimitError, match=f"{frames.shape[1]}.*limit of 1000 bytes"):
        gpz.decompress_frames(data, max_memory=1000)


def test_several_callers(data):
    wanted = gpz.decompress_frames(data)
    with ThreadPoolExecutor(8) as pool:
        assert all(
            pool.map(lambda k: np.array_equal(gpz.decompress_frames(data, k % FRAMES), wanted[k % FRAMES]), range(100))
        )
