# SPDX-License-Identifier: BSD-3-Clause
"""Frames of particles."""

import numpy as np
import pytest

BOUND = 1e-3
FRAMES, PARTICLES = 10, 400


def made(dtype="f4"):
    """Particles that diffuse in a box of 5."""
    random = np.random.default_rng(7)
    walk = np.cumsum(random.normal(scale=0.01, size=(FRAMES, PARTICLES, 3)), axis=0)
    return (walk + random.uniform(0, 5, (PARTICLES, 3))).astype(dtype)


def require_close(values, wanted, bound=BOUND):
    assert values.shape == wanted.shape and values.dtype == wanted.dtype
    errors = np.abs(values.astype(np.longdouble) - wanted.astype(np.longdouble))
    assert errors.max(initial=0) <= bound


@pytest.fixture
def frames():
    return made()
