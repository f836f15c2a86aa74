# SPDX-License-Identifier: BSD-3-Clause
"""gpz.Writer: rows and ids. What is refused is in the table of wrong inputs."""

import warnings

import numpy as np
import pytest

import gpz

X = np.random.default_rng(4).uniform(0, 10, (6, 3))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.gpz"


def written(path, count, **columns):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with gpz.Writer(path) as writer:
            for _ in range(count):
                writer.write(positions=X, **columns)
    return caught


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([5, 2, 7, 2, 7, 7], "2 is given twice, in the rows 1 and 3"),
        ([1, 10**15, -(2**62), 3, 10**15, -(2**62)], f"{10**15} is given twice, in the rows 1 and 4"),
        ([3, 3, 3, 3, 3, 3], "3 is given twice, in the rows 0 and 1"),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 1.0], "1 is given twice, in the rows 0 and 5"),
    ],
)
def test_ids_that_are_given_twice_are_said_once(path, ids, said):
    caught = written(path, 3, ids=ids)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert "out.gpz: ids: " in str(caught[0].message) and said in str(caught[0].message)
    assert gpz.open(path)[0].ids.tolist() == sorted(ids)


@pytest.mark.parametrize(
    "ids", [range(6), [3, 1, 2, 6, 5, 4], [10**15, 5, 3, 1, -(2**63), 2**63 - 1], np.arange(6, dtype=np.int8), None]
)
def test_other_ids_are_not(path, ids):
    assert written(path, 2, ids=ids) == []


def test_a_frame_that_is_refused_by_a_warning_is_not_written(path):
    with gpz.Writer(path) as writer, warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="given twice"):
            writer.write(positions=X, ids=[1, 1, 2, 3, 4, 5])
    assert len(gpz.open(path)) == 0


def test_frames_without_particles_say_nothing_about_ids(path):
    with gpz.Writer(path) as writer:
        writer.write(positions=np.zeros((0, 3)))
        writer.write(positions=X, ids=range(6))
        writer.write(positions=np.zeros((0, 3)))
        writer.write(positions=X[:2], ids=[4, 5])
    assert gpz.open(path).counts.tolist() == [0, 6, 0, 2]


def test_whole_floats_are_integers(path):
    images = np.arange(18.0).reshape(6, 3)
    with gpz.Writer(path, elements=["C", "H"]) as writer:
        writer.write(positions=X, ids=np.arange(6, dtype=np.float32), types=[1.0, 2, 1, 2, 1, 1], images=images)
    frame = gpz.open(path)[0]
    assert frame.ids.tolist() == [0, 1, 2, 3, 4, 5] and frame.types.dtype == frame.images.dtype == np.int64
    np.testing.assert_array_equal(frame.images, images)


def test_types_without_names_are_any_integers(path):
    with gpz.Writer(path) as writer:
        writer.write(positions=X, types=[0, 7, -1, 10**12, 1, 2], ids=range(6))
    assert gpz.open(path)[0].types.tolist() == [0, 7, -1, 10**12, 1, 2]


def test_labels_name_more_types_than_elements(path):
    with gpz.Writer(path, elements=["C"], type_labels=["CT", "HC"]) as writer:
        writer.write(positions=X, types=[1, 2, 1, 2, 1, 1])
        with pytest.raises(gpz.ArgumentError, match="3 in row 0 .* 1 to 2 .type labels CT HC"):
            writer.write(positions=X, types=[3] * 6)


def test_one_quantity_has_one_type(path):
    """x of float32 beside y of float64."""
    with gpz.Writer(path, bound=0) as writer:
        writer.write(x=X[:, 0].astype(np.float32), y=X[:, 1], z=X[:, 2], ids=range(6))
    frame = gpz.open(path)[0]
    assert frame.position_columns == ("x", "y", "z")
    np.testing.assert_array_equal(frame.positions, np.column_stack([X[:, 0].astype(np.float32), X[:, 1:]]))


# --- The order of rows ---

EVERY_ORDER = pytest.mark.parametrize("order", ["auto", "id", "memory"])
EVERY_EFFORT = pytest.mark.parametrize("effort", ["fast", "standard", "dense"])


@EVERY_ORDER
@EVERY_EFFORT
def test_rows_without_ids_keep_their_order(path, order, effort):
    """A set, sorted by position, is written only for whom asks for it: order="place"."""
    x = np.random.default_rng(9).uniform(0, 30, (700, 3))
    with gpz.Writer(path, bound=1e-3, order=order, effort=effort) as writer:
        for k in range(3):
            writer.write(positions=x + 0.01 * k, box=[30, 30, 30], tag=range(700))
    for frame in gpz.open(path):
        assert np.abs(frame.positions - x - 0.01 * frame.index).max() <= 1e-3
        assert frame["tag"].tolist() == list(range(700))


@pytest.mark.filterwarnings("ignore:.*given twice")
@EVERY_ORDER
@EVERY_EFFORT
def test_rows_of_equal_ids_keep_their_order(path, order, effort):
    random = np.random.default_rng(10)
    x, ids = random.uniform(0, 30, (700, 3)), random.integers(1, 300, 700)
    with gpz.Writer(path, bound=1e-3, order=order, effort=effort) as writer:
        for k in range(3):
            writer.write(positions=x + 0.01 * k, ids=ids, box=[30, 30, 30], tag=range(700))
    for frame in gpz.open(path):
        np.testing.assert_array_equal(frame["tag"], np.argsort(ids, kind="stable"))


# --- Bounds as large as the box ---


@pytest.mark.parametrize(("bound", "box", "warns"), [
    (5, [10, 2, 3], True), (4.9, [10, 2, 3], False), (1e300, [10, 10, 10], True), (100, None, False), (0, [1e-9] * 3, False),
    (5, [[10, 0, 0], [4, 2, 0], [0, 0, 3]], True),
])  # fmt: skip
def test_a_bound_as_large_as_the_box_is_said_once(path, bound, box, warns):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with gpz.Writer(path, bound=bound) as writer:
            for _ in range(3):
                writer.write(positions=X, box=box)
    assert len(caught) == warns
    if warns:
        text = str(caught[0].message)
        assert caught[0].filename == __file__ and f"bound of {bound:g}" in text and f"edges of {np.ravel(box)[0]:g} " in text
    assert gpz.open(path)[0].position_bound == (bound or None)


def test_the_bound_of_the_units_in_a_small_box(path):
    """Positions in metres, in a file that names no units."""
    with gpz.Writer(path) as writer, pytest.warns(UserWarning, match="0.0005 .*1e-09 1e-09 1e-09"):
        writer.write(positions=X * 1e-10, box=[1e-9] * 3)


def test_files_in_the_order_of_memory_can_be_copied(tmp_path):
    """Some frames have the numbers of rows as ids, others need none."""
    random = np.random.default_rng(3)
    line = np.stack([0.01 * np.arange(3000), np.ones(3000), np.ones(3000)], axis=1)
    frames = [line, random.uniform(0, 10, (3000, 3)), line]
    for given in (frames, frames[1:]):
        with gpz.Writer(tmp_path / "in.gpz", bound=1e-3, order="memory") as writer:
            for x in given:
                writer.write(positions=x)
        source = gpz.open(tmp_path / "in.gpz")
        assert {"id" in frame for frame in source} == {True, False}
        with gpz.Writer(tmp_path / "out.gpz") as writer:
            for frame in source:
                writer.write(frame)
        source.close()
        for frame, x in zip(gpz.open(tmp_path / "out.gpz"), given, strict=True):
            assert np.abs(frame.positions - x).max() <= 1e-3
