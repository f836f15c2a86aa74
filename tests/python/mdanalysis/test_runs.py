# SPDX-License-Identifier: BSD-3-Clause
"""Files of LAMMPS, read by MDAnalysis through gpz and compared with the text dump of the same run."""

import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from runs import NAMES, make

import gpz.mdanalysis  # noqa: F401  (registers the format)

CONVENTIONS = {"x": "unscaled", "xs": "scaled", "xu": "unwrapped"}
REFUSED = {"varying", "percent"}  # another number of atoms in each frame
# What one unit of the file is in MDAnalysis: A, A/ps, kJ/(mol A).
FACTORS = {"lj": (1, 1, 1), "real": (1, 1000, 4.184), "metal": (1, 1, 96.4853)}
TIMES = {"lj": 1, "real": 0.001, "metal": 1}  # in ps
HALF_A_DIGIT = 2.0**-24  # the relative error of a float32
READABLE = [name for name in NAMES if name not in REFUSED]


@pytest.fixture(params=READABLE)
def run(request):
    return make(request.param)


@pytest.fixture
def universe(run):
    return universe_of(run)


def universe_of(run, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # masses that are guessed, torn files: test_topology.py and below
        return mda.Universe(run.gpz, **keywords)


def vectors(columns, names):
    """(N, 3) of three columns; zeros for a third one that a two-dimensional file does not have."""
    return np.column_stack([columns[name] if name in columns else 0 * columns[names[0]] for name in names])


def true_positions(frame):
    """(N, 3) in units of the file, with the box at the origin."""
    columns = frame["columns"]
    if "xs" in columns:
        return vectors(columns, ("xs", "ys", "zs")) @ frame["matrix"]
    if "xu" in columns:
        return vectors(columns, ("xu", "yu", "zu")) - frame["origin"]
    return vectors(columns, ("x", "y", "z")) - frame["origin"]


def assert_close(found, true, bound, size, steps=4):
    """Within the bound, and what float32 arithmetic on numbers of this size may add in some steps."""
    np.testing.assert_allclose(found, true, rtol=0, atol=bound + steps * HALF_A_DIGIT * size)


def test_every_atom_of_every_frame(run, universe):
    length, velocity, force = FACTORS[run.units]
    assert len(universe.trajectory) == len(run.frames)
    for ts, frame in zip(universe.trajectory, run.frames):
        columns = frame["columns"]
        true = true_positions(frame)
        size = np.abs(true).max() + np.abs(frame["origin"]).max()
        assert_close(ts.positions, length * true, length * run.bounds["x"], length * size)
        for array, names, factor in (
            ("velocities", ("vx", "vy", "vz"), velocity),
            ("forces", ("fx", "fy", "fz"), force),
        ):
            assert getattr(ts, f"has_{array}") == all(name in columns for name in names)
            if names[2] in columns:
                true = vectors(columns, names) * factor
                bound = run.bounds.get(names[0], 0) * factor
                found = getattr(ts, array)
                # The factor of eV is known to six digits here.
                assert_close(found, true, bound + 1e-6 * np.abs(true).max(), np.abs(true).max())
        assert ts.data["step"] == frame["timestep"]
        assert ts.time == pytest.approx(frame["time"] * TIMES[run.units], rel=1e-12)
        assert ts.dt == pytest.approx(10 * run.timestep_size * TIMES[run.units], rel=1e-9)


def test_the_box_of_every_frame(run, universe):
    for ts, frame in zip(universe.trajectory, run.frames):
        edges = FACTORS[run.units][0] * frame["matrix"]
        lengths = np.linalg.norm(edges, axis=1)
        cosines = [edges[i] @ edges[j] / (lengths[i] * lengths[j]) for i, j in ((1, 2), (0, 2), (0, 1))]
        np.testing.assert_allclose(ts.dimensions, [*lengths, *np.degrees(np.arccos(cosines))], rtol=1e-6)


def test_ids_and_types(run, universe):
    columns = run.frames[0]["columns"]
    np.testing.assert_array_equal(universe.atoms.ids, columns["id"])
    np.testing.assert_array_equal(universe.atoms.types, columns["type"].astype(str))


def test_frames_in_any_order(run, universe):
    for index in (7, 2, 3, -1, 0):
        frame = run.frames[index]
        ts = universe.trajectory[index]
        assert ts.frame == index % len(run.frames)
        true = true_positions(frame)
        assert_close(ts.positions, true, run.bounds["x"], np.abs(true).max() + np.abs(frame["origin"]).max())


# no_z has no coordinates for MDAnalysis's own reader. It moves scaled coordinates by the origin of the box, which
# they do not have.
@pytest.mark.parametrize("name", [name for name in READABLE if name not in ("no_z", "scaled")])
def test_as_the_reader_of_text_in_mdanalysis(name):
    run = make(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = mda.Universe(run.text, format="LAMMPSDUMP", topology_format="LAMMPSDUMP")
    universe = universe_of(run, convert_units=False)
    np.testing.assert_array_equal(universe.atoms.ids, text.atoms.ids)
    np.testing.assert_array_equal(universe.atoms.types, text.atoms.types)
    np.testing.assert_array_equal(universe.atoms.resids, text.atoms.resids)
    np.testing.assert_allclose(universe.atoms.masses, text.atoms.masses)
    assert hasattr(universe.atoms, "elements") == hasattr(text.atoms, "elements")
    if hasattr(text.atoms, "elements"):
        np.testing.assert_array_equal(universe.atoms.elements, text.atoms.elements)
    assert len(text.trajectory) == len(universe.trajectory) + run.torn
    for ts, other in zip(universe.trajectory, text.trajectory):
        size = np.abs(other.positions).max() + np.abs(run.frames[ts.frame]["origin"]).max()
        assert_close(ts.positions, other.positions, run.bounds["x"], size, steps=8)
        np.testing.assert_allclose(ts.dimensions, other.dimensions, rtol=1e-6)
        assert ts.data["step"] == other.data["step"]
        assert (ts.has_velocities, ts.has_forces) == (other.has_velocities, other.has_forces)
        if ts.has_forces:
            np.testing.assert_allclose(ts.forces, other.forces, rtol=1e-6)


def test_unwrapped_by_image_flags():
    run = make("fields")
    universe = universe_of(run, unwrap_images=True)
    for ts, frame in zip(universe.trajectory, run.frames):
        columns = frame["columns"]
        true = true_positions(frame) + vectors(columns, ("ix", "iy", "iz")) @ frame["matrix"]
        assert_close(ts.positions, true, run.bounds["x"], np.abs(true).max() + 10)


def test_unwrapping_needs_image_flags():
    with pytest.raises(TypeError, match="image flags"):
        universe_of(make("melt"), unwrap_images=True)


def test_unwrapped_coordinates_are_not_unwrapped_again():
    run = make("unwrapped")
    wanted = universe_of(run).atoms.positions
    np.testing.assert_array_equal(universe_of(run, unwrap_images=True).atoms.positions, wanted)


def test_additional_columns():
    run = make("fields")
    named = universe_of(run, additional_columns=["q", "ix"])
    every = universe_of(run, additional_columns=True)
    for ts, other, frame in zip(named.trajectory, every.trajectory, run.frames):
        np.testing.assert_array_equal(ts.data["q"], frame["columns"]["q"])
        np.testing.assert_array_equal(ts.data["ix"], frame["columns"]["ix"])
        assert "mass" not in ts.data
        assert {"mol", "type", "element", "mass", "q", "ix", "iy", "iz"} <= set(other.data)
        np.testing.assert_array_equal(other.data["mass"], frame["columns"]["mass"])
    with pytest.warns(UserWarning, match="c_none"):
        mda.Universe(run.gpz, additional_columns=["c_none"])
    with pytest.raises(ValueError, match="additional_columns"):
        universe_of(run, additional_columns="q")


def test_conventions():
    run = make("scaled")
    assert universe_of(run).trajectory.lammps_coordinate_convention == "scaled"
    with pytest.raises(TypeError, match="no unwrapped coordinates"):
        universe_of(run, lammps_coordinate_convention="unwrapped")
    with pytest.raises(ValueError, match="none of auto"):
        universe_of(run, lammps_coordinate_convention="sideways")


def test_molecules_charges_and_masses():
    run = make("fields")
    columns = run.frames[0]["columns"]
    atoms = universe_of(run).atoms
    np.testing.assert_array_equal(atoms.resids, columns["mol"])
    np.testing.assert_allclose(atoms.charges, columns["q"])
    np.testing.assert_allclose(atoms.masses, columns["mass"])
    np.testing.assert_array_equal(atoms.elements, columns["element"])


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_number_of_atoms_that_changes_is_refused(name):
    with pytest.raises(TypeError, match=r"frame 0 has \d+ atoms, frame \d+ has \d+.*ASE.*OVITO.*gpz merge"):
        mda.Universe(make(name).parts[0])


def test_a_torn_file_gives_its_complete_frames_and_says_so():
    with pytest.warns(UserWarning, match="ends with an incomplete frame.*10 complete frames"):
        universe = mda.Universe(make("torn").gpz)
    assert len(universe.trajectory) == 10
