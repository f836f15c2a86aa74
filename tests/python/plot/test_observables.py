# SPDX-License-Identifier: BSD-3-Clause
"""g(r), displacements and shortest distances against all pairs, counted one by one."""

import itertools

import numpy as np
import pytest

import gpz
from gpz.plot import displacement, radial_distribution
from gpz.plot.observables import default_range, shortest_distance

COUNT = 300
BOXES = {
    "orthogonal": gpz.Box.from_bounds([1, 2, 3], [11, 12.5, 14]),
    "triclinic": gpz.Box.from_bounds([1, 2, 3], [11, 12.5, 14], [2, -1, 3]),
    "open_z": gpz.Box.from_bounds([1, 2, 3], [11, 12.5, 14], [2, -1, 3], "pp pp ff"),
    "open": gpz.Box.from_bounds([1, 2, 3], [11, 12.5, 14], boundary="ff ss mm"),
    "flat": gpz.Box.from_bounds([0, 0, -0.5], [10, 11, 0.5], [3, 0, 0], dimension=2),
    "general": gpz.Box.from_vectors([[9, 1, 0.5], [-1, 10, 2], [0, -2, 11]]),
}


def distances(box, positions):
    """Of all pairs, to the nearest image of 27."""
    apart = (positions[:, None] - positions)[np.triu_indices(len(positions), 1)]
    fractions = np.linalg.solve(box.matrix.T, apart.T).T
    wraps = np.array(box.periodic)
    nearest = np.full(len(apart), np.inf)
    for shift in itertools.product(*([-1, 0, 1] if wrap else [0] for wrap in wraps)):
        moved = fractions - np.round(fractions) * wraps + shift
        nearest = np.minimum(nearest, np.linalg.norm(moved @ box.matrix, axis=1))
    return nearest


@pytest.fixture(params=BOXES)
def system(request, tmp_path):
    box = BOXES[request.param]
    positions = box.to_cartesian(np.random.default_rng(3).random((COUNT, 3)))
    if box.dimension == 2:
        positions[:, 2] = 0
    path = tmp_path / "one.gpz"
    with gpz.Writer(path, bound=0) as writer:
        writer.write(positions=positions, box=box)
    return gpz.open(path), box, positions


def test_pairs_are_those_of_all_images(system):
    trajectory, box, positions = system
    reach = default_range(box, COUNT)
    measured = radial_distribution(trajectory, reach, 50)
    edges = np.linspace(0, reach, 51)
    pairs = np.histogram(distances(box, positions), edges)[0]
    if box.dimension == 2:
        volume, shells = abs(np.linalg.det(box.matrix[:2, :2])), np.pi * np.diff(edges**2)
    else:
        volume, shells = box.volume, 4 / 3 * np.pi * np.diff(edges**3)
    expected = pairs / (COUNT * (COUNT - 1) / 2 * shells / volume)
    # A distance within 1e-5 of the edge of a bin, of which there is at most one here, may be in either.
    one_pair = 1 / (COUNT * (COUNT - 1) / 2 * shells / volume)
    assert (np.abs(measured.g - expected) <= 1.01 * one_pair).all()
    assert (np.abs(measured.g - expected) > 1e-6).sum() <= 4
    assert np.allclose(measured.radii, (edges[1:] + edges[:-1]) / 2)


def test_shortest_distance(system):
    _, box, positions = system
    assert shortest_distance(box, positions, 2.0) == pytest.approx(distances(box, positions).min(), rel=1e-4)


def test_noise_is_that_of_independent_systems(tmp_path):
    """Of ideal gases, g(r) is spread around 1 as the noise of each says."""
    box = gpz.Box.from_bounds([0, 0, 0], [10, 10, 10])
    curves = []
    for seed in range(40):
        with gpz.Writer(tmp_path / "gas.gpz", bound=0) as writer:
            writer.write(positions=np.random.default_rng(seed).random((400, 3)) * 10, box=box)
        with gpz.open(tmp_path / "gas.gpz") as gas:
            curves.append(radial_distribution(gas, 3.0, 10))
    spread = np.std([curve.g for curve in curves], axis=0, ddof=1)[2:]
    said = np.sqrt(np.mean([curve.noise**2 for curve in curves], axis=0))[2:]
    assert np.all(said > 0.6 * spread) and np.all(said < 2 * spread)


@pytest.mark.parametrize("how", ["images", "nearest", "unwrapped", "mixed"])
def test_displacements_cross_the_faces_of_the_box(tmp_path, how):
    box = BOXES["triclinic"]
    random = np.random.default_rng(4)
    start = box.to_cartesian(random.random((COUNT, 3)))
    velocity = random.normal(size=(COUNT, 3))
    path = tmp_path / "moving.gpz"
    with gpz.Writer(path, bound=0) as writer:
        for k in range(30):
            now = start + 0.5 * k * velocity
            images = np.floor(np.linalg.solve(box.matrix.T, (now - box.origin).T).T).astype(int)
            wrapped = now - images @ box.matrix
            fractions = np.linalg.solve(box.matrix.T, (wrapped - box.origin).T)
            columns = {
                "images": {"positions": wrapped, "images": images},
                "nearest": {"positions": wrapped},
                "mixed": {"xu": now[:, 0], "y": wrapped[:, 1], "zs": fractions[2], "images": images},
            }.get(how, dict(zip(("xu", "yu", "zu"), now.T)))
            writer.write(ids=np.arange(1, COUNT + 1), box=box, timestep=k, **columns)
    moved = displacement(gpz.open(path))
    expected = [((0.5 * k * velocity) ** 2).sum(axis=1).mean() for k in range(30)]
    np.testing.assert_allclose(moved.msd, expected, rtol=1e-9, atol=1e-9)


def test_displacements_need_ids(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", order="place") as writer:
        writer.write(positions=np.zeros((3, 3)), box=[5, 5, 5])
    with pytest.raises(gpz.ArgumentError, match="need ids"):
        displacement(gpz.open(tmp_path / "a.gpz"))


def test_a_range_beyond_half_of_the_box_is_refused(system):
    trajectory, box, _ = system
    if any(box.periodic):
        with pytest.raises(gpz.ArgumentError, match="half of the box"):
            radial_distribution(trajectory, 6.0)
