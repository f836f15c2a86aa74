# SPDX-License-Identifier: BSD-3-Clause
"""Writer.write(grid=...): positions that are multiples of a distance come back as these multiples."""

import io

import numpy as np
import pytest

import gpz

NUMBERS = np.random.default_rng(7).integers(-1_000_000, 1_000_000, (300, 3))


def written(positions, grid, bound):
    file = io.BytesIO()
    with gpz.Writer(file, bound=bound) as writer:
        writer.write(positions=positions, box=[1e5, 1e5, 1e5], grid=grid)
    return gpz.open(file.getvalue())[0]


@pytest.mark.parametrize("grid", [0.01, 1 / 81, 0.003])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_multiples_stay(grid, dtype):
    frame = written((NUMBERS * grid).astype(dtype), grid, grid / 2)
    np.testing.assert_array_equal(frame.positions, (NUMBERS * grid).astype(dtype))
    assert frame.column_info["x"].step == grid


def test_a_larger_bound_has_its_own_grid():
    frame = written(NUMBERS * 0.01, 0.01, 0.02)
    assert frame.column_info["x"].step == written(NUMBERS * np.pi, None, 0.02).column_info["x"].step
    assert 0.005 < np.abs(frame.positions - NUMBERS * 0.01).max() <= 0.02


def test_other_values_keep_the_bound():
    positions = NUMBERS * 0.01 + np.linspace(-0.004, 0.004, 300)[:, None]
    frame = written(positions, 0.01, 0.001)
    assert np.abs(frame.positions - positions).max() <= 0.001


def test_exact_positions_stay_exact():
    positions = NUMBERS * np.pi
    assert np.array_equal(written(positions, 0.01, 0).positions, positions)
