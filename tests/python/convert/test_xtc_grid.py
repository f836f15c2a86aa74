# SPDX-License-Identifier: BSD-3-Clause
"""XTC files keep their integers: of every precision, through .gpz and back."""

import numpy as np
import pytest
from MDAnalysis.lib.formats.libmdaxdr import XTCFile

import gpz
from gpz.convert import convert

ATOMS = 40
# nm. The edges of GROMACS's truncated octahedra, which lengths and angles in single precision do not give back.
BOX = np.array([[8.008523, 0, 0], [2.669508, 7.550512, 0], [-2.669508, 3.775256, 6.538935]], np.float32)


def integers(precisions, largest=9_000, seed=3):
    random = np.random.default_rng(seed)
    start = random.integers(-largest, largest, (ATOMS, 3))
    return [start + random.integers(-9, 10, (ATOMS, 3)) for _ in precisions]


def write(path, precisions, frames):
    """Frames at unusual steps and times."""
    with XTCFile(str(path), "w") as file:
        for k, (precision, numbers) in enumerate(zip(precisions, frames)):
            file.write((numbers / precision).astype(np.float32), BOX, 500_000 + 5_000 * k, 1000 + 9.7 * k, precision)


def read(path):
    with XTCFile(str(path)) as file:
        return [(np.rint(f.x.astype(float) * f.prec).astype(int), f.prec, f.step, f.time, f.box.copy()) for f in file]


@pytest.mark.parametrize("units", ["metal", "real", "lj", "si"])
@pytest.mark.parametrize("precision", [10, 1000, 12345, 100_000])
def test_there_and_back(tmp_path, precision, units):
    given = integers(3 * [precision])
    write(tmp_path / "a.xtc", 3 * [precision], given)
    convert(tmp_path / "a.xtc", tmp_path / "a.gpz", units=units)
    convert(tmp_path / "a.gpz", tmp_path / "b.xtc")
    for (numbers, precision_of_file, *_), expected in zip(read(tmp_path / "b.xtc"), given):
        assert precision_of_file == precision
        np.testing.assert_array_equal(numbers, expected)
    assert (tmp_path / "a.xtc").read_bytes() == (tmp_path / "b.xtc").read_bytes()


def test_frames_of_different_precision(tmp_path):
    """The library writes none, and reads them."""
    precisions = [1000, 100, 5000, 1000]
    given = integers(precisions, largest=3000)
    parts = [tmp_path / f"{k}.xtc" for k in range(4)]
    for path, precision, numbers in zip(parts, precisions, given):
        write(path, [precision], [numbers])
    (tmp_path / "a.xtc").write_bytes(b"".join(path.read_bytes() for path in parts))
    convert(tmp_path / "a.xtc", tmp_path / "a.gpz", frames=slice(None, None, -1), bound=1e-4)
    with gpz.open(tmp_path / "a.gpz") as file:
        for frame, precision, numbers in zip(file, precisions[::-1], given[::-1], strict=True):
            assert frame.column_info["x"].step == pytest.approx(10 / precision, rel=1e-12)
            np.testing.assert_array_equal(np.rint(frame.positions / 10 * precision), numbers)
    notes = convert(tmp_path / "a.gpz", tmp_path / "b.xtc", frames=slice(2))
    assert any("rounded to 0.001 nm" in note for note in notes)
    notes = convert(tmp_path / "a.gpz", tmp_path / "c.xtc", frames=slice(2, None))
    assert any("rounded to 0.01 nm" in note for note in notes)
    notes = convert(tmp_path / "a.gpz", tmp_path / "d.xtc", frames=slice(2, None), precision=3)
    assert not any("rounded" in note for note in notes)  # each 0.01 nm is ten times 0.001


def test_the_bound_is_that_of_the_finest_frame(tmp_path):
    given = integers([1000, 10000], largest=3000)
    for precision, numbers in zip([1000, 10000], given):
        write(tmp_path / f"{precision}.xtc", [precision], [numbers])
    (tmp_path / "a.xtc").write_bytes((tmp_path / "1000.xtc").read_bytes() + (tmp_path / "10000.xtc").read_bytes())
    convert(tmp_path / "a.xtc", tmp_path / "a.gpz")
    with gpz.open(tmp_path / "a.gpz") as file:
        for frame, precision, numbers in zip(file, [1000, 10000], given, strict=True):
            np.testing.assert_array_equal(np.rint(frame.positions.astype(np.float64) / 10 * precision), numbers)


def test_coordinates_far_from_the_origin(tmp_path):
    """Where single precision is too coarse to see that values are multiples of 0.001 nm."""
    given = integers([1000, 1000], largest=1_000_000)
    write(tmp_path / "a.xtc", [1000, 1000], given)
    convert(tmp_path / "a.xtc", tmp_path / "a.gpz")
    convert(tmp_path / "a.gpz", tmp_path / "b.xtc")
    for (numbers, *_), expected in zip(read(tmp_path / "b.xtc"), given, strict=True):
        np.testing.assert_array_equal(numbers, expected)
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file[0].column_info["x"].step == pytest.approx(0.01, rel=1e-12)


def test_the_bound_is_that_of_xtc(tmp_path):
    write(tmp_path / "a.xtc", [1000], integers([1000]))
    notes = convert(tmp_path / "a.xtc", tmp_path / "a.gpz")
    assert any("bound 0.005, half of the grid of the XTC file" in note for note in notes)
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file[0].bounds["x"] == 0.005
        assert file[0].column_info["x"].largest_error < 1e-4
        assert file.metadata["reference_grid"] == 0.01


@pytest.mark.parametrize("bound", [0.0005, 0.004, 0.005])
def test_a_bound_within_the_grid_changes_nothing_but_itself(tmp_path, bound):
    given = integers([1000, 1000])
    write(tmp_path / "a.xtc", [1000, 1000], given)
    notes = convert(tmp_path / "a.xtc", tmp_path / "a.gpz", bound=bound)
    convert(tmp_path / "a.xtc", tmp_path / "usual.gpz")
    with gpz.open(tmp_path / "a.gpz") as file, gpz.open(tmp_path / "usual.gpz") as usual:
        assert file[1].bounds["x"] == bound and not any("--eb for another" in note for note in notes)
        assert np.array_equal(file[1].positions, usual[1].positions)
        assert sum(file.sizes) == sum(usual.sizes)


def test_a_larger_bound_makes_another_grid(tmp_path):
    given = integers([1000, 1000])
    write(tmp_path / "a.xtc", [1000, 1000], given)
    convert(tmp_path / "a.xtc", tmp_path / "a.gpz", bound=0.05)
    notes = convert(tmp_path / "a.gpz", tmp_path / "b.xtc")
    assert any("rounded to 0.001 nm" in note for note in notes)
    for (numbers, precision, *_), expected in zip(read(tmp_path / "b.xtc"), given):
        assert precision == 1000
        assert 0 < np.abs(numbers - expected).max() <= 5


def test_another_precision_is_said(tmp_path):
    write(tmp_path / "a.xtc", [1000], integers([1000]))
    convert(tmp_path / "a.xtc", tmp_path / "a.gpz")
    assert not any("rounded" in note for note in convert(tmp_path / "a.gpz", tmp_path / "b.xtc"))
    assert any("rounded to 0.01 nm" in note for note in convert(tmp_path / "a.gpz", tmp_path / "b.xtc", precision=2))
    assert read(tmp_path / "b.xtc")[0][1] == 100


def test_few_atoms_are_not_rounded(tmp_path):
    """XTC stores up to nine atoms as they are."""
    positions = np.random.default_rng(1).random((9, 3)).astype(np.float32)
    with XTCFile(str(tmp_path / "a.xtc"), "w") as file:
        file.write(positions, BOX, 1, 0.5, 1000)
    convert(tmp_path / "a.xtc", tmp_path / "a.gpz")
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file[0].bounds["x"] == 0.0005
    convert(tmp_path / "a.xtc", tmp_path / "exact.gpz", bound=0)
    convert(tmp_path / "exact.gpz", tmp_path / "b.xtc")
    with XTCFile(str(tmp_path / "b.xtc")) as file:
        np.testing.assert_allclose(file.read().x, positions, rtol=2e-7)  # MDAnalysis has Angstrom


def test_a_file_without_a_box(tmp_path):
    with XTCFile(str(tmp_path / "a.xtc"), "w") as file:
        file.write(np.ones((12, 3), np.float32), np.zeros((3, 3), np.float32), 1, 0.5, 1000)
    convert(tmp_path / "a.xtc", tmp_path / "a.gpz")
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file[0].box is None
    convert(tmp_path / "a.gpz", tmp_path / "b.xtc")
    assert (tmp_path / "a.xtc").read_bytes() == (tmp_path / "b.xtc").read_bytes()
