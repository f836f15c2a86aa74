# SPDX-License-Identifier: BSD-3-Clause
"""What gpz.Writer refuses, and the ids that it takes."""

import numpy as np
import pytest

import gpz


class Quantity:
    """As those of pint and unyt: numpy makes an array of it, and the units are gone."""

    def __init__(self, magnitude, attribute):
        self.magnitude = magnitude
        setattr(self, attribute, "nanometer")

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.magnitude, dtype)

    def __float__(self):
        return float(self.magnitude)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.gpz"


def test_unknown_units(path):
    with pytest.raises(gpz.ArgumentError, match="unknown units: imperial .*metal"):
        gpz.Writer(path, units="imperial")
    assert not path.exists()


@pytest.mark.parametrize("attribute", ["units", "unit"])
@pytest.mark.parametrize("name", ["positions", "velocities", "q", "box", "time", "list"])
def test_quantities(path, name, attribute):
    values = {"positions": np.zeros((2, 3)), "velocities": np.zeros((2, 3)), "q": np.zeros(2), "box": [5, 5, 5]}
    given = {**values, "time": 1.0, name: Quantity(values.get(name, 1.0), attribute)}
    if name == "list":
        given["q"] = [given.pop("list")] * 2
    with gpz.Writer(path) as writer, pytest.raises(TypeError, match="nanometer.*plain array in the units of the file"):
        writer.write(**given)


def test_masked_values(path):
    positions = np.ma.masked_array(np.ones((4, 3)), mask=[[True, False, False]] * 4)
    with gpz.Writer(path) as writer, pytest.raises(gpz.ArgumentError, match="positions: masked values"):
        writer.write(positions=positions)


@pytest.mark.parametrize("bound", [True, False, -1.0, np.nan, np.inf, "0.1"])
def test_bounds_that_are_no_numbers(path, bound):
    with pytest.raises(gpz.ArgumentError, match="finite number"):
        gpz.Writer(path, bound=bound)
    with pytest.raises(gpz.ArgumentError, match="finite number"):
        gpz.Writer(path, bounds={"q": bound})


def test_bounds_of_columns_that_are_not_there(path):
    with gpz.Writer(path, bounds={"velocites": 0.1}) as writer:
        with pytest.raises(gpz.ArgumentError, match="no column velocites; the frame has x y z q"):
            writer.write(positions=np.zeros((2, 3)), q=np.zeros(2))


@pytest.mark.parametrize(
    "box", [[5, 0, 5], [5, -1, 5], [5, np.nan, 5], [np.inf, 5, 5], np.ones((3, 3)), gpz.Box(np.ones(3), np.zeros((3, 3)))]
)
def test_boxes(path, box):
    with gpz.Writer(path) as writer, pytest.raises(gpz.ArgumentError, match="box: "):
        writer.write(positions=np.zeros((2, 3)), box=box)


def test_float_ids(path):
    x = np.random.default_rng(1).uniform(0, 10, (3, 3))
    with gpz.Writer(path) as writer:
        writer.write(positions=x, ids=np.array([3.0, 1.0, 2.0]))
        with pytest.raises(gpz.ArgumentError):
            writer.write(positions=x, ids=np.array([1.5, 2.0, 3.0]))
    frame = gpz.open(path)[0]
    assert frame.ids.tolist() == [1, 2, 3] and frame.ids.dtype == np.int64
    assert np.abs(frame.positions - x[[1, 2, 0]]).max() <= 5e-4


def test_many_particles_without_ids_keep_their_order(path):
    random = np.random.default_rng(2)
    frames = [random.uniform(0, 30, (5000, 3)) for _ in range(3)]
    with gpz.Writer(path) as writer:
        for x in frames:
            writer.write(positions=x, box=[30, 30, 30])
    for frame, x in zip(gpz.open(path), frames):
        assert np.abs(frame.positions - x).max() <= 5e-4
