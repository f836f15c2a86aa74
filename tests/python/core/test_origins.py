# SPDX-License-Identifier: BSD-3-Clause
"""Values of a .gpz file that are written again: recorded bounds hold for the original values."""

import pickle

import numpy as np
import pytest

import gpz

PARTICLES = 800
BOUND = 1e-3


def originals(frames=3):
    source = np.random.default_rng(5)
    start = source.uniform(-20, 60, (PARTICLES, 3))
    return [start + 0.05 * k * source.normal(size=(PARTICLES, 3)) for k in range(frames)]


@pytest.fixture
def file(tmp_path):
    """Positions and velocities with bounds, and an exact column."""
    path = tmp_path / "in.gpz"
    with gpz.Writer(path, units="metal", bound=BOUND, bounds={"velocities": 1e-2}) as writer:
        for k, x in enumerate(originals()):
            ids = np.arange(1, PARTICLES + 1)
            writer.write(positions=x, velocities=np.sin(x), q=np.cos(x[:, 0]), ids=ids, box=[80, 80, 80], timestep=k)
    return path


def require_true(path, expected=None):
    """The error against the original is within the recorded bound of every frame."""
    with gpz.open(path) as trajectory:
        for frame, x in zip(trajectory, expected or originals(), strict=True):
            error = np.abs(frame.positions.astype(np.longdouble) - x).max()
            assert error <= frame.position_bound
            assert error <= max(frame.column_info[name].largest_error for name in "xyz") * (1 + 1e-12)
            yield frame


@pytest.mark.parametrize("touched", [False, True])
@pytest.mark.parametrize(
    ("bound", "recorded"),
    [(None, BOUND), (BOUND, BOUND), (1.9e-3, BOUND), (2.5e-3, 2.5e-3), (1e-2, 1e-2), (0.3, 0.3)],
)
@pytest.mark.parametrize("dtype", [None, np.float32])
def test_frames(file, tmp_path, bound, recorded, dtype, touched):
    with gpz.open(file, dtype=dtype) as trajectory, gpz.Writer(tmp_path / "out.gpz", units="metal", bound=bound) as writer:
        for frame in trajectory:
            if touched:
                assert frame.positions.dtype == (dtype or np.float64)
            writer.write(frame)
    for frame, before in zip(require_true(tmp_path / "out.gpz"), gpz.open(file)):
        assert frame.position_bound == recorded
        if recorded == BOUND:
            assert np.array_equal(frame.positions, before.positions)
        # Nothing was asked of the other columns.
        assert frame.bounds["vx"] == 1e-2 and np.array_equal(frame.velocities, before.velocities)
        if dtype is None:
            assert frame.bounds["q"] is None and np.array_equal(frame["q"], before["q"])
        else:
            assert 0 < frame.bounds["q"] < 1e-7


@pytest.mark.parametrize("bound", [0, 1e-9, 9.9e-4])
def test_a_smaller_bound_is_refused(file, tmp_path, bound):
    with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", bound=bound) as writer:
        with pytest.raises(gpz.ArgumentError, match=r"x y z are within 0.001 of the original: a bound of .* cannot be kept"):
            writer.write(trajectory[0])
        assert writer.n_frames == 0
    with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", bounds={"velocities": 1e-3}) as writer:
        with pytest.raises(gpz.ArgumentError, match="vx is within 0.01 of the original"):
            writer.write(trajectory[0])


def test_columns_with_a_larger_bound(file, tmp_path):
    with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", bounds={"velocities": 0.05}) as writer:
        for frame in trajectory:
            writer.write(frame)
    for frame, x in zip(gpz.open(tmp_path / "out.gpz"), originals()):
        assert frame.bounds["vx"] == 0.05
        assert np.abs(frame.velocities - np.sin(x)).max() <= 0.05


def test_a_chain(file, tmp_path):
    before = file
    for k, bound in enumerate([None, 1.5e-3, 4e-3, 4.5e-3, None, 3e-2]):
        path = tmp_path / f"{k}.gpz"
        with gpz.open(before, dtype=np.float32 if k % 2 else None) as trajectory, gpz.Writer(path, bound=bound) as writer:
            for frame in trajectory:
                writer.write(frame)
        assert all(bound is None or frame.position_bound <= bound for frame in require_true(path))
        before = path


def test_positions_that_were_changed(file, tmp_path):
    """They have the error of the file and the usual bound beside it, or what a larger bound leaves."""
    moved = [x + 0.123456789 for x in originals()]
    for bound, recorded in ((None, BOUND + 5e-4), (1.2e-3, 1.2e-3)):
        with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", units="metal", bound=bound) as writer:
            for frame in trajectory:
                frame.positions[...] += 0.123456789
                writer.write(frame)
        for frame in require_true(tmp_path / "out.gpz", moved):
            assert frame.position_bound == pytest.approx(recorded, rel=1e-9)
    with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", bound=BOUND) as writer:
        frame = trajectory[0]
        frame.positions[...] += 0.123456789
        with pytest.raises(gpz.ArgumentError, match="within 0.001 of the original"):
            writer.write(frame)


def test_arrays_with_an_origin(file, tmp_path):
    with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", bound=1.5e-3) as writer:
        for frame in trajectory:
            writer.write(positions=frame.positions, ids=frame.ids, box=frame.box, origin=frame)
    assert all(frame.position_bound == BOUND for frame in require_true(tmp_path / "out.gpz"))
    with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", bound=2e-2) as writer:
        for frame in trajectory:
            converted = (frame.positions / 10).astype(np.float32)
            origin = {"positions": gpz.Origin(BOUND / 10, rounding=1e-6)}
            writer.write(positions=converted, ids=frame.ids, origin=origin)
    with gpz.open(tmp_path / "out.gpz") as trajectory:
        for frame, x in zip(trajectory, originals()):
            assert np.abs(frame.positions - x / 10).max() <= frame.position_bound == 2e-2
    with gpz.Writer(tmp_path / "out.gpz") as writer:
        with pytest.raises(TypeError, match="origin: a frame"):
            writer.write(positions=originals()[0], origin=3)
        with pytest.raises(TypeError, match=r"origin\['positions'\] is a gpz.Origin"):
            writer.write(positions=originals()[0], origin={"positions": 1e-3})


def test_exact_values_that_became_float32(tmp_path):
    """They are not exact: a bound of 0 is refused, that which they have is kept."""
    q = np.random.default_rng(3).uniform(1, 2, PARTICLES)
    with gpz.Writer(tmp_path / "in.gpz") as writer:
        writer.write(q=q)
    frame = gpz.open(tmp_path / "in.gpz", dtype=np.float32)[0]
    with gpz.Writer(tmp_path / "out.gpz", bounds={"q": 0}) as writer:
        with pytest.raises(gpz.ArgumentError, match="q: within .* of the original.* 0 cannot be kept. Read it with dtype"):
            writer.write(frame)
        assert writer.n_frames == 0
    with gpz.Writer(tmp_path / "out.gpz") as writer:
        writer.write(frame)
    recorded = gpz.open(tmp_path / "out.gpz")[0].bounds["q"]
    with gpz.Writer(tmp_path / "again.gpz", bounds={"q": recorded}) as writer:
        writer.write(frame)
    for name in ("out.gpz", "again.gpz"):
        again = gpz.open(tmp_path / name)[0]
        assert again.bounds["q"] == recorded and np.abs(again["q"].astype(float) - q).max() <= recorded < 1e-6


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
def test_values_that_no_grid_holds_keep_their_bound(tmp_path, value):
    with gpz.Writer(tmp_path / "in.gpz", bound=BOUND) as writer:
        writer.write(positions=np.full((PARTICLES, 3), value))
    for bound in (BOUND, 1.2 * BOUND):
        out = tmp_path / f"{bound}.gpz"
        with gpz.Writer(out, bound=bound) as writer:
            writer.write(gpz.open(tmp_path / "in.gpz")[0])
        frame = gpz.open(out)[0]
        assert frame.position_bound == BOUND and np.array_equal(frame.positions, np.full((PARTICLES, 3), value), equal_nan=True)


def test_numbers_that_became_infinite(tmp_path):
    with gpz.Writer(tmp_path / "in.gpz") as writer:
        writer.write(q=np.array([1.0, 1e300]))
    with gpz.Writer(tmp_path / "out.gpz") as writer, pytest.raises(gpz.ArgumentError, match=r"q: inf, .* dtype=numpy.float64"):
        writer.write(gpz.open(tmp_path / "in.gpz", dtype=np.float32)[0])
    with gpz.Writer(tmp_path / "in.gpz") as writer:  # float32 before
        writer.write(q=np.array([1.0, np.inf], np.float32))
    with gpz.Writer(tmp_path / "out.gpz") as writer:
        writer.write(gpz.open(tmp_path / "in.gpz", dtype=np.float32)[0])


def test_the_largest_numbers(tmp_path):
    with gpz.Writer(tmp_path / "in.gpz", bound=BOUND) as writer:
        writer.write(positions=np.full((PARTICLES, 3), 1.7e308))
    with gpz.Writer(tmp_path / "out.gpz") as writer:
        frame = gpz.open(tmp_path / "in.gpz")[0]
        frame.positions[0] = 0.1234567
        writer.write(frame)
    again = gpz.open(tmp_path / "out.gpz")[0]
    assert (again.positions[1:] == 1.7e308).all() and again.position_bound <= 2 * BOUND


@pytest.mark.parametrize("value", [1e-50, 5e-324, 2.0**-149, 3.3e-44])
def test_numbers_that_float32_rounds_to_few_digits(tmp_path, value):
    q = value * np.array([1, -1.4, 0.5, 0])
    with gpz.Writer(tmp_path / "in.gpz") as writer:
        writer.write(q=q)
    with gpz.Writer(tmp_path / "out.gpz") as writer:
        writer.write(gpz.open(tmp_path / "in.gpz", dtype=np.float32)[0])
    frame = gpz.open(tmp_path / "out.gpz")[0]
    assert np.abs(frame["q"].astype(float) - q).max() <= frame.bounds["q"] <= 1e-45


def test_values_that_were_changed_before_keep_their_bound(tmp_path):
    """They are exact in the file, beside its grid."""
    x = np.random.default_rng(3).uniform(0, 10, PARTICLES)
    with gpz.Writer(tmp_path / "in.gpz", bounds={"q": BOUND}) as writer:
        writer.write(q=x)
    with gpz.Writer(tmp_path / "changed.gpz") as writer:
        frame = gpz.open(tmp_path / "in.gpz")[0]
        writer.write(q=frame["q"] + 0.123456789, origin=frame)
    with gpz.Writer(tmp_path / "out.gpz", bounds={"q": BOUND}) as writer:
        writer.write(gpz.open(tmp_path / "changed.gpz")[0])
    again = gpz.open(tmp_path / "out.gpz")[0]
    assert np.array_equal(again["q"], frame["q"] + 0.123456789) and again.bounds["q"] == BOUND


def test_origins_of_columns_that_differ_in_their_rounding(tmp_path):
    """They have one grid."""
    x = np.random.default_rng(3).uniform(0, 10, (PARTICLES, 3))
    with gpz.Writer(tmp_path / "in.gpz", bound=BOUND) as writer:
        writer.write(positions=x)
    frame = gpz.open(tmp_path / "in.gpz", dtype=np.float32)[0]
    info = frame.column_info["x"]
    origin = {
        name: gpz.Origin(BOUND, info.step, info.largest_error, 1e-6 * (k + 1), info.dtype) for k, name in enumerate("xyz")
    }
    with gpz.Writer(tmp_path / "out.gpz", bound=BOUND) as writer:
        writer.write(positions=frame.positions, origin=origin)
    again = gpz.open(tmp_path / "out.gpz")[0]
    assert again.position_bound == BOUND and np.abs(again.positions - x).max() <= BOUND


def test_large_positions_that_were_changed(tmp_path):
    """No grid is fine enough for what the usual bound adds: they stay as they are."""
    x = np.random.default_rng(3).uniform(1, 2, (PARTICLES, 3)) * 2.0**50
    with gpz.Writer(tmp_path / "in.gpz", bound=0.5) as writer:
        writer.write(positions=x)
    with gpz.Writer(tmp_path / "out.gpz") as writer:
        frame = gpz.open(tmp_path / "in.gpz")[0]
        frame.positions[...] += 0.25
        writer.write(frame)
    assert np.array_equal(gpz.open(tmp_path / "out.gpz")[0].positions, frame.positions)
    assert gpz.open(tmp_path / "out.gpz")[0].position_bound == 0.5


def test_fractions_of_the_box(tmp_path):
    x = np.random.default_rng(2).uniform(0, 1, (PARTICLES, 3))
    box = gpz.Box.from_vectors([[40, 0, 0], [7, 35, 0], [-3, 5, 30]])
    with gpz.Writer(tmp_path / "in.gpz", units="lj", bound=1e-2) as writer:
        writer.write(xs=x[:, 0], ys=x[:, 1], zs=x[:, 2], box=box)
    cartesian = box.to_cartesian(x)
    for bound in (None, 1.5e-2, 0.1):
        with gpz.open(tmp_path / "in.gpz") as trajectory, gpz.Writer(tmp_path / "out.gpz", units="lj", bound=bound) as writer:
            writer.write(trajectory[0])
            if bound:
                frame = trajectory[0]
                writer.write(positions=frame.positions, ids=frame.ids, box=box, origin=frame)
        with gpz.open(tmp_path / "out.gpz") as trajectory:
            for frame in trajectory:
                error = np.abs(frame.positions - cartesian).max()
                assert error <= frame.position_bound <= (bound or 1e-2) * (1 + 1e-12)


def test_frames_of_pipes_and_pickles(file, tmp_path):
    with open(file, "rb") as pipe, gpz.Writer(tmp_path / "out.gpz", bound=4e-3) as writer:
        for frame in gpz.stream(pipe):
            writer.write(pickle.loads(pickle.dumps(frame)))
    assert all(frame.position_bound == 4e-3 for frame in require_true(tmp_path / "out.gpz"))


def test_what_replaces_values_of_a_frame_has_their_error(file, tmp_path):
    with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", units="metal") as writer:
        for frame in trajectory:
            writer.write(frame, positions=frame.positions)
    assert all(frame.position_bound == BOUND for frame in require_true(tmp_path / "out.gpz"))
    with gpz.open(file) as trajectory, gpz.Writer(tmp_path / "out.gpz", units="metal") as writer:
        writer.write(trajectory[0], positions=originals()[0], origin={})
    with gpz.open(tmp_path / "out.gpz") as trajectory:
        assert trajectory[0].position_bound == 5e-4
