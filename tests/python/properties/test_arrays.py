# SPDX-License-Identifier: BSD-3-Clause
"""gpz.compress and gpz.decompress: arrays of any shape, type and layout."""

import compare
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from made import BOUNDS, FLOATS, INTEGERS, KINDS, scaled_kind, with_specials

import gpz


@st.composite
def arrays(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**16), label="seed"))
    dtype = np.dtype(draw(st.sampled_from([*FLOATS, *INTEGERS, "u8", "u2", "i1"]), label="type"))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 7, 40, 65]), max_size=3), label="shape"))
    count = int(np.prod(shape))
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            made = scaled_kind(draw(st.sampled_from(KINDS), label="kind"), random, count, dtype.itemsize).astype(dtype)
        made = with_specials(made, random) if draw(st.booleans(), label="special values") else made
    else:
        made = np.frombuffer(random.bytes(count * dtype.itemsize), np.uint8).view("u1" if dtype.kind == "b" else dtype)
        made = made % 2 == 1 if dtype.kind == "b" else made
    made = made.reshape(shape)
    layout = draw(st.sampled_from(["C", "F", "reversed", "transposed"]), label="layout")
    if layout == "F":
        return np.asfortranarray(made)
    return made[..., ::-1] if layout == "reversed" and made.ndim else made.T if layout == "transposed" else made


@given(arrays(), st.one_of(st.sampled_from(BOUNDS), st.floats(0, 1)))
def test_arrays(array, bound):
    bound = bound if array.dtype.kind == "f" else 0
    back = gpz.decompress(gpz.compress(array, bound))
    assert back.shape == array.shape and back.dtype == array.dtype.newbyteorder("=")
    native = array.astype(back.dtype).ravel()
    if array.dtype.kind != "f":
        assert np.array_equal(back.ravel(), native)
    elif bound == 0 and array.itemsize > 2:
        compare.require_bits(back.ravel(), native, "array")
    else:
        # float16 is the nearest one of what float32 has.
        slack = np.abs(native[np.isfinite(native)].astype(float)).max(initial=0) * 2.0**-10 if array.itemsize == 2 else 0
        compare.require_within(back.ravel(), native, bound, "array", slack)
