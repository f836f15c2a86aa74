# SPDX-License-Identifier: BSD-3-Clause
"""What the first frame gives to the whole .gpz file: a relative bound, and the key interval."""

import os
import subprocess

import MDAnalysis as mda
import numpy as np
import pytest
from conftest import BOX

import gpz
from gpz.convert import convert
from gpz.programs import convert as command

pytestmark = pytest.mark.filterwarnings("ignore")  # of MDAnalysis

LONGEST = max(BOX.lengths)  # Angstrom in the file of units real


def bound_of(path):
    """Of the positions in every frame."""
    with gpz.open(path) as file:
        (bound,) = {frame.position_bound for frame in file}
    return bound


def largest_error(path, source):
    """Of the values that MDAnalysis reads."""
    reader = mda.coordinates.core.reader(str(source))
    with gpz.open(path) as file:
        return max(np.abs(frame.positions - ts.positions).max() for frame, ts in zip(file, reader, strict=True))


@pytest.mark.parametrize("ending", ["dcd", "nc", "trr", "h5md"])
def test_a_relative_bound_is_of_the_longest_edge(made, tmp_path, ending):
    source, out = tmp_path / f"in.{ending}", tmp_path / "out.gpz"
    convert(made["real"].path, source)
    convert(source, out, units="real", relative_bound=1e-3)
    bound = bound_of(out)
    assert bound == pytest.approx(1e-3 * LONGEST, rel=1e-5)
    assert largest_error(out, source) <= bound * (1 + 1e-6)


def test_a_relative_bound_is_that_of_gpz_encode(made, tmp_path):
    if "GPZ" not in os.environ:
        pytest.skip("the program gpz is not built")
    convert(made["real"].path, tmp_path / "in.nc")
    convert(tmp_path / "in.nc", tmp_path / "converted.gpz", units="real", relative_bound=1e-2)
    encode = [os.environ["GPZ"], "encode", made["real"].path, "-o", tmp_path / "encoded.gpz", "--rel", "1e-2"]
    subprocess.run(encode, check=True, capture_output=True)
    assert bound_of(tmp_path / "converted.gpz") == pytest.approx(bound_of(tmp_path / "encoded.gpz"), rel=1e-6)


@pytest.mark.parametrize(("units", "angstrom"), [("metal", 1), ("real", 1), ("si", 1e-10), ("nano", 0.1)])
def test_a_relative_bound_is_in_units_of_the_file(made, tmp_path, units, angstrom):
    convert(made["real"].path, tmp_path / "in.xtc")
    convert(tmp_path / "in.xtc", tmp_path / "out.gpz", units=units, relative_bound=1e-3)
    bound = bound_of(tmp_path / "out.gpz")
    assert bound == pytest.approx(1e-3 * LONGEST * angstrom, rel=1e-4)


def write_dcd(path, frames, edges=None):
    """Frames of (N, 3) Angstrom; edges: of the cube of each frame."""
    with mda.coordinates.DCD.DCDWriter(str(path), n_atoms=len(frames[0])) as writer:
        universe = mda.Universe.empty(len(frames[0]), trajectory=True)
        for k, positions in enumerate(frames):
            universe.atoms.positions = positions
            universe.dimensions = None if edges is None else [edges[k], edges[k], edges[k], 90, 90, 90]
            writer.write(universe.atoms)


def test_without_a_box_a_relative_bound_is_of_the_largest_extent(tmp_path):
    random = np.random.default_rng(4)
    frames = [random.random((50, 3)) * [3, 8, 5] * scale - 1 for scale in (1, 2)]
    for k in range(2):
        frames[k][[0, 1]] = frames[k].min(axis=0), frames[k].min(axis=0) + np.array([2, 8, 4]) * (k + 1)
    write_dcd(tmp_path / "in.dcd", frames)
    extents = [max(np.ptp(frame.astype(np.float32).astype(float), axis=0)) for frame in frames]
    for chosen in (0, 1):
        convert(tmp_path / "in.dcd", tmp_path / "out.gpz", relative_bound=0.01, frames=slice(chosen, None))
        assert bound_of(tmp_path / "out.gpz") == pytest.approx(0.01 * extents[chosen], rel=1e-12)


@pytest.mark.parametrize(("frames", "edge"), [(slice(None), 20), (slice(1, None), 30), (slice(None, None, -1), 40)])
def test_a_relative_bound_is_of_the_first_chosen_frame(tmp_path, frames, edge):
    positions = np.random.default_rng(1).random((30, 3)) * 10
    write_dcd(tmp_path / "in.dcd", 3 * [positions], edges=[20, 30, 40])
    convert(tmp_path / "in.dcd", tmp_path / "out.gpz", frames=frames, relative_bound=1e-3)
    assert bound_of(tmp_path / "out.gpz") == pytest.approx(edge * 1e-3, rel=1e-7)


def test_a_relative_bound_makes_the_bytes_of_the_absolute_one(made, tmp_path):
    convert(made["real"].path, tmp_path / "in.xtc")
    convert(tmp_path / "in.xtc", tmp_path / "a.gpz", relative_bound=1e-3)
    bound = bound_of(tmp_path / "a.gpz")
    notes = convert(tmp_path / "in.xtc", tmp_path / "b.gpz", bound=bound)
    assert (tmp_path / "a.gpz").read_bytes() == (tmp_path / "b.gpz").read_bytes()
    assert not any("half of the grid" in note for note in notes)


def test_a_relative_bound_of_zero_is_exact(made, tmp_path):
    convert(made["real"].path, tmp_path / "in.dcd")
    for number, option in enumerate(("--rel=0", "--lossless")):
        assert command.main([str(tmp_path / "in.dcd"), str(tmp_path / f"{number}.gpz"), option]) == 0
    assert (tmp_path / "0.gpz").read_bytes() == (tmp_path / "1.gpz").read_bytes()


@pytest.mark.parametrize(("relative", "noted"), [(0.49, False), (0.5, True)])
def test_a_relative_bound_of_half_of_the_box_is_one_note(made, tmp_path, relative, noted):
    convert(made["lj"].path, tmp_path / "in.dcd")
    notes = convert(tmp_path / "in.dcd", tmp_path / "out.gpz", units="lj", relative_bound=relative)
    assert sum("edges of" in note for note in notes) == noted


@pytest.mark.parametrize("positions", [np.ones((4, 3)), np.full((4, 3), np.nan)], ids=["one place", "nan"])
def test_a_frame_without_extent_has_no_relative_bound(tmp_path, capsys, positions):
    write_dcd(tmp_path / "in.dcd", [positions])
    assert command.main([str(tmp_path / "in.dcd"), str(tmp_path / "out.gpz"), "--rel", "0.1"]) == 2
    said = capsys.readouterr().err
    assert said == (
        f"gpz convert: {tmp_path / 'in.dcd'}: --rel: 0.1 of a range of 0 is no bound; give one in distance units\n"
    )
    assert not (tmp_path / "out.gpz").exists()


# --- The key interval ---


def key_frames(path):
    with gpz.open(path) as file:
        return np.flatnonzero(file.key_frames).tolist()


def test_frames_without_a_past_have_a_short_key_interval(tmp_path):
    random = np.random.default_rng(2)
    write_dcd(tmp_path / "in.dcd", [random.random((500, 3)) * 100 for _ in range(11)], edges=11 * [100])
    assert command.main([str(tmp_path / "in.dcd"), str(tmp_path / "auto.gpz"), "--eb", "1e-3", "--key", "auto"]) == 0
    assert key_frames(tmp_path / "auto.gpz")[:2] == [0, 6]
    assert len(key_frames(tmp_path / "auto.gpz")) > 3
    convert(tmp_path / "in.dcd", tmp_path / "default.gpz", bound=1e-3)
    assert (tmp_path / "auto.gpz").read_bytes() == (tmp_path / "default.gpz").read_bytes()
