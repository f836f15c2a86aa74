# SPDX-License-Identifier: BSD-3-Clause
"""gpz.compress_frames and gpz.decompress_frames: arrays of any shape and any values, any range of frames, with any box."""

import compare
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from made import BOUNDS, KINDS, scaled_kind, with_specials

import gpz


@st.composite
def frames(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**16), label="seed"))
    dtype = np.dtype(draw(st.sampled_from(["f4", "f8"]), label="type"))
    shape = tuple(
        draw(st.sampled_from(lengths), label=name)
        for name, lengths in (
            ("frames", [0, 1, 2, 5, 9]),
            ("particles", [0, 1, 2, 7, 65, 300]),
            ("components", [1, 2, 3]),
        )
    )
    first = scaled_kind(
        draw(st.sampled_from(KINDS), label="kind"), random, shape[1] * shape[2], dtype.itemsize
    ).reshape(shape[1:])
    motion = draw(st.sampled_from([0, 0.01, 1]), label="motion")
    with np.errstate(over="ignore", invalid="ignore"):
        made = (
            np.array([first + motion * k * random.normal(size=shape[1:]) for k in range(shape[0])])
            .reshape(shape)
            .astype(dtype)
        )
    return with_specials(made.ravel(), random).reshape(shape) if draw(st.booleans(), label="special values") else made


@given(
    frames(),
    st.one_of(st.sampled_from(BOUNDS), st.floats(0, 1)),
    st.sampled_from(["fast", "standard", "dense"]),
    st.sampled_from([1, 2, 3, 100]),
    st.sampled_from([None, [10, 10, 10], [0.5, 30, 1e-3]]),
    st.data(),
)
def test_frame_arrays(array, bound, effort, key_interval, box, data):
    compressed = gpz.compress_frames(array, bound, effort=effort, key_interval=key_interval, box=box, threads=2)
    assert compressed == gpz.compress_frames(array, bound, effort=effort, key_interval=key_interval, box=box)
    assert gpz.frame_array(compressed) == gpz.FrameArray(array.shape, array.dtype, bound)
    back = gpz.decompress_frames(compressed)
    assert back.shape == array.shape and back.dtype == array.dtype
    if bound == 0:
        compare.require_bits(back.ravel(), array.ravel(), "frames")
    else:
        compare.require_within(back.ravel(), array.ravel(), bound, "frames")
    first = data.draw(st.integers(0, len(array)), label="first")
    last = data.draw(st.integers(first, len(array)), label="last")
    some = gpz.decompress_frames(
        compressed, slice(first, last), threads=data.draw(st.sampled_from([1, 2]), label="threads")
    )
    assert some.tobytes() == back[first:last].tobytes()


@given(frames(), st.one_of(st.sampled_from(BOUNDS), st.floats(0, 1)), st.sampled_from(["fast", "standard"]), st.data())
def test_writing_again(array, bound, effort, data):
    """HDF5 decompresses a chunk, changes a part of it, and compresses it again: errors of the rest must not add up."""

    def rewritten(values):
        return gpz.decompress_frames(gpz.compress_frames(values, bound, effort=effort))

    back = rewritten(array)
    compare.require_bits(rewritten(back).ravel(), back.ravel(), "all frames")
    first = data.draw(st.integers(0, len(array)), label="first frame that changes")
    for factor in (0.37, 0.5, 1):
        changed = back.copy()
        with np.errstate(invalid="ignore", over="ignore"):
            changed[first:] = array[first:] * array.dtype.type(factor) + array.dtype.type(0.1)
        back = rewritten(changed)
        compare.require_within(back[:first].ravel(), array[:first].ravel(), bound, "frames that did not change")
