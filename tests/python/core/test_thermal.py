# SPDX-License-Identifier: BSD-3-Clause
"""The bound "thermal" of velocities: a thousandth of the thermal speed of the heaviest species, rounded down."""

import numpy as np
import pytest

import gpz

N = 900
MASSES = np.where(np.arange(N) % 3 == 0, 16.0, 1.0)
TYPES = np.where(MASSES > 1, 1, 2)
BOX = [10, 10, 10]
IDS = np.arange(1, N + 1)


def gas(seed, temperature=1.0):
    """Positions, and velocities that drift."""
    random = np.random.default_rng(seed)
    speeds = np.sqrt(temperature / MASSES)[:, None]
    return random.uniform(0, 10, (N, 3)), 5 + random.normal(size=(N, 3)) * speeds


X, V = gas(1)


def thermal_bound(velocities):
    """Of the heavy particles, to two digits."""
    speed = np.sqrt(velocities[MASSES > 1].var(axis=0, ddof=1).mean())
    digits = np.floor(float(f"{speed / 1000:.12e}".split("e")[0]) * 10)
    return float(f"{digits}e{int(np.floor(np.log10(speed / 1000))) - 1}")


def written(path, asked=None, **columns):
    with gpz.Writer(path, bounds={"velocities": "thermal"} if asked is None else asked) as writer:
        writer.write(positions=X, ids=IDS, box=BOX, **columns)
    with gpz.open(path) as file:
        return file[0].load()


@pytest.mark.parametrize(
    "species",
    [
        {"types": TYPES},
        {"types": TYPES.astype(float)},
        {"mass": MASSES},
        {"mass": MASSES.astype(np.float32)},
        {"element": TYPES},
        {"types": TYPES, "mass": np.arange(N) + 1.0},
    ],
)
def test_species_are_types_or_elements_or_masses(tmp_path, species):
    frame = written(tmp_path / "a.gpz", velocities=V, **species)
    bound = thermal_bound(V)
    assert 0.00022 < bound < 0.00028
    assert [frame.bounds[name] for name in ("vx", "vy", "vz")] == [bound] * 3
    assert bound / 2 < np.abs(frame.velocities - V).max() <= bound


def test_one_component_alone_gets_the_bound_of_all(tmp_path):
    frame = written(tmp_path / "a.gpz", {"vy": "thermal", "vx": 0.5}, velocities=V, types=TYPES)
    assert [frame.bounds[name] for name in ("vx", "vy", "vz")] == [0.5, thermal_bound(V), None]


def test_of_float32_in_two_dimensions(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", bounds={"velocities": "thermal"}) as writer:
        writer.write(positions=X[:, :2], velocities=V[:, :2].astype(np.float32), types=TYPES)
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file[0].bounds["vy"] == thermal_bound(V[:, :2]) and "vz" not in file[0].bounds


def test_the_first_frame_that_is_written_decides(tmp_path):
    cold, hot = gas(2, 0.01), gas(3, 100.0)
    with gpz.Writer(tmp_path / "a.gpz", bounds={"velocities": "thermal"}) as writer:
        with pytest.raises(gpz.ArgumentError, match="no thermal speed"):
            writer.write(positions=X, velocities=np.ones((N, 3)), types=TYPES, box=BOX)
        with pytest.raises(gpz.ArgumentError, match="finite"):
            writer.write(positions=hot[0], velocities=hot[1], types=TYPES, box=BOX, time=np.inf)
        for x, v in (cold, hot):
            writer.write(positions=x, velocities=v, types=TYPES, box=BOX)
    with gpz.open(tmp_path / "a.gpz") as file:
        assert [frame.bounds["vx"] for frame in file] == [thermal_bound(cold[1])] * 2


def test_a_file_that_is_continued_keeps_its_bound(tmp_path):
    for name, given in (("a.gpz", {"velocities": 0.01}), ("b.gpz", {})):
        path = tmp_path / name
        written(path, given, velocities=V, types=TYPES)
        with gpz.Writer(path, append=True, bounds={"velocities": "thermal"}) as writer:
            writer.write(positions=X, ids=IDS, velocities=V, types=TYPES, box=BOX)
        with gpz.open(path) as file:
            assert len(file) == 2 and file[1].bounds["vx"] == given.get("velocities")
    # A new file, and one without frames.
    gpz.Writer(tmp_path / "empty.gpz").close()
    for name in ("new.gpz", "empty.gpz"):
        with gpz.Writer(tmp_path / name, append=True, bounds={"velocities": "thermal"}) as writer:
            writer.write(positions=X, ids=IDS, velocities=V, types=TYPES, box=BOX)
        with gpz.open(tmp_path / name) as file:
            assert file[0].bounds["vx"] == thermal_bound(V)


def test_of_a_frame_of_another_file(tmp_path):
    exact = written(tmp_path / "exact.gpz", {}, velocities=V, types=TYPES)
    with gpz.Writer(tmp_path / "a.gpz", bounds={"velocities": "thermal"}) as writer:
        writer.write(exact)
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file[0].bounds["vx"] == thermal_bound(V)
        assert np.abs(file[0].velocities - V).max() <= thermal_bound(V)
    # Smaller than the bound that they have: it cannot be kept.
    coarse = written(tmp_path / "coarse.gpz", {"velocities": 0.01}, velocities=V, types=TYPES)
    with gpz.Writer(tmp_path / "b.gpz", bounds={"velocities": "thermal"}) as writer:
        with pytest.raises(gpz.ArgumentError, match="vx.* within 0.01 of the original: a bound of 0.00025 cannot be kept"):
            writer.write(coarse)
