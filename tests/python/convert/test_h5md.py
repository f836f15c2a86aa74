# SPDX-License-Identifier: BSD-3-Clause
"""H5MD files as the specification allows them, beyond those that MDAnalysis reads."""

import h5py
import numpy as np
import pytest

import gpz
from gpz.convert import convert
from gpz.programs import convert as command

pytestmark = pytest.mark.filterwarnings("ignore")  # of MDAnalysis

STEPS, TIMES = [0, 10], [0.0, 0.05]
EDGES = np.array([30.0, 31.0, 32.0])
X = np.arange(12.0).reshape(2, 2, 3)
UNITS = {"position": "Angstrom", "velocity": "Angstrom ps-1", "force": "kJ mol-1 Angstrom-1", "edges": "Angstrom"}


def element(group, name, values, steps=STEPS, times=TIMES, unit=True):
    made = group.create_group(name)
    made["value"] = values
    made["step"] = steps
    if times is not None:
        made["time"] = times
    if unit:
        made["value"].attrs["unit"] = UNITS.get(name, "")
        if times is not None:
            made["time"].attrs["unit"] = "ps"
    return made


class Made:
    """A file with the group `all`, whose parts tests replace."""

    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "w")
        self.file.create_group("h5md").attrs["version"] = np.array([1, 1])

    def group(self, name="all", boundary=(b"periodic",) * 3, edges=EDGES, values=X, **options):
        group = self.file.create_group(f"particles/{name}")
        box = group.create_group("box")
        box.attrs["dimension"] = 3
        if boundary is not None:
            box.attrs["boundary"] = np.array(boundary)
        if edges is not None:
            element(box, "edges", np.broadcast_to(edges, (2, *np.shape(edges))), unit=options.get("unit", True))
        element(group, "position", values, **options)
        return group

    def converted(self, **options):
        """The frames, and the lines that the conversion returns."""
        self.file.close()
        out = self.path.with_suffix(".gpz")
        notes = convert(self.path, out, bound=0.0, **options)
        with gpz.open(out) as file:
            return [frame.load() for frame in file], notes


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path / "in.h5md")


def test_without_units(made, capsys):
    made.group(unit=False)
    made.file.close()
    assert command.main([str(made.path), str(made.path.with_suffix(".gpz"))]) == 2
    assert "names no units of positions, times: say with --units in which" in capsys.readouterr().err
    frames, _ = made.converted(units="real")
    assert [frame.timestep for frame in frames] == STEPS and [frame.time for frame in frames] == TIMES
    assert np.array_equal(frames[1].positions, X[1]) and np.array_equal(frames[1].box.lengths, EDGES)


def test_without_units_of_one_quantity(made):
    """The others are converted."""
    group = made.group(unit=False)
    group["position/value"].attrs["unit"] = np.bytes_("nm")
    with pytest.raises(gpz.ArgumentError, match="names no units of times: "):
        made.converted()
    frames, _ = made.converted(units="real")
    assert np.allclose(frames[1].positions, 10 * X[1]) and frames[1].time == TIMES[1] and np.allclose(frames[1].box.lengths, 10 * EDGES)


def test_units_are_converted(made):
    group = made.group(unit=False)
    for name, unit in (("position/value", "nm"), ("position/time", "fs"), ("box/edges/value", "pm")):
        group[name].attrs["unit"] = unit
    frames, _ = made.converted(units="metal")
    assert np.allclose(frames[1].positions, 10 * X[1]) and frames[1].time == pytest.approx(0.05e-3) and np.allclose(frames[1].box.lengths, 0.01 * EDGES)


def test_a_unit_that_is_not_known(made):
    made.group()["position/value"].attrs["unit"] = "furlong"
    with pytest.raises(gpz.UnsupportedError, match="position.*'furlong' is not known; known are Angstrom"):
        made.converted()


@pytest.mark.parametrize("edges", [EDGES, np.diag(EDGES)])
def test_edges_that_do_not_change(made, edges):
    group = made.group(edges=None)
    group["box/edges"] = edges
    group["box/edges"].attrs["unit"] = "Angstrom"
    frames, _ = made.converted()
    assert [frame.box.lengths.tolist() for frame in frames] == [EDGES.tolist()] * 2


def test_edges_that_are_turned(made):
    """Positions stay where they are, so the box does as well."""
    edges = np.array([[0.0, 30, 0], [-31, 0, 0], [0, 0, 32]])
    made.group(edges=edges)
    frames, _ = made.converted()
    assert np.array_equal(frames[1].box.matrix, edges) and np.array_equal(frames[1].positions, X[1])


def test_boundaries(made, tmp_path):
    made.group(boundary=(b"periodic", b"none", b"periodic"))
    frames, _ = made.converted()
    assert [frame.box.boundary for frame in frames] == ["pp ff pp"] * 2
    convert(made.path.with_suffix(".gpz"), tmp_path / "again.h5md")
    with h5py.File(tmp_path / "again.h5md") as file:
        assert list(file["particles/trajectory/box"].attrs["boundary"]) == ["periodic", "none", "periodic"]
    convert(tmp_path / "again.h5md", tmp_path / "again.gpz")
    assert gpz.open(tmp_path / "again.gpz")[0].box.boundary == "pp ff pp"


def test_no_boundary_and_an_unknown_one(made, tmp_path):
    made.group(boundary=None)
    frames, notes = made.converted()
    assert frames[0].box.boundary == "pp pp pp" and any("names no boundary" in note for note in notes)
    other = Made(tmp_path / "other.h5md")
    other.group(boundary=(b"periodic", b"shrink", b"none"))
    with pytest.raises(gpz.CorruptError, match="boundary periodic shrink none"):
        other.converted()


def test_groups(made, capsys):
    made.group("solvent", values=np.zeros((2, 3, 3)))
    made.group("trajectory")
    _, notes = made.converted()
    assert "of the groups of particles, solvent (3 particles) is read; left out: trajectory (2 particles) (--group chooses)" in notes
    frames, notes = made.converted(group="trajectory")
    assert np.array_equal(frames[1].positions, X[1]) and any("left out: solvent (3 particles)" in note for note in notes)
    assert command.main([str(made.path), str(made.path.with_suffix(".gpz")), "--group", "ions"]) == 2
    assert "--group: 'ions' is none of the groups of particles, which are solvent, trajectory" in capsys.readouterr().err


@pytest.mark.parametrize("names", [("a.gpz", "a.dcd"), ("a.dcd", "a.gpz")])
def test_a_group_of_other_formats(tmp_path, names):
    with pytest.raises(gpz.ArgumentError, match="group='all' has no meaning here: .* is no "):
        convert(tmp_path / names[0], tmp_path / names[1], group="all")


def test_the_first_group_with_positions(made):
    element(made.file.create_group("particles/a"), "velocity", X)
    made.group("b")
    frames, _ = made.converted()
    assert np.array_equal(frames[0].positions, X[0])


def test_what_is_left_out_is_named(made):
    group = made.group()
    element(group, "charge", np.zeros((2, 2)))
    group["species"] = [1, 2]
    made.file.create_group("observables/energy")
    _, notes = made.converted()
    assert "of the H5MD file, these are left out: all/charge all/species observables" in notes


def test_velocities_at_other_steps(made):
    group = made.group()
    element(group, "velocity", -X[:1], steps=[10], times=[0.05])
    frames, _ = made.converted(bounds={"velocities": 1e-6})
    assert frames[0].velocities is None and np.allclose(frames[1].velocities, -X[0], atol=1e-6)


def test_steps_by_their_distance(made):
    group = made.file.create_group("particles/all")
    position = element(group, "position", X, steps=5, times=0.5)
    position["step"].attrs["offset"] = 100
    frames, _ = made.converted()
    assert [(frame.timestep, frame.time) for frame in frames] == [(100, 0.0), (105, 0.5)] and frames[0].box is None


def test_without_times(made):
    made.group(times=None)
    frames, _ = made.converted()
    assert [frame.time for frame in frames] == [None, None]


def test_ids(made):
    """Particles may change their places."""
    group = made.group()
    element(group, "id", [[7, 3], [3, 7]])
    frames, _ = made.converted()
    assert [frame.ids.tolist() for frame in frames] == [[3, 7]] * 2
    assert np.array_equal(frames[0].positions, X[0, ::-1]) and np.array_equal(frames[1].positions, X[1])


def test_places_without_a_particle(made):
    element(made.group(), "id", [[1, 2], [1, -1]])
    with pytest.raises(gpz.UnsupportedError, match="frame 1: 1 of 2 places have no particle"):
        made.converted()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda file: file.__delitem__("particles"), "no group of particles"),
        (lambda file: file["particles/all"].__delitem__("position"), "no position, velocity or force"),
        (lambda file: file["particles/all/box"].attrs.__setitem__("dimension", 2), "a box of 2 dimensions"),
        (lambda file: element(file["particles/all"], "velocity", X[:, :1]), "velocity has 1 particles"),
        (lambda file: file["particles/all/position"].__delitem__("step") or file["particles/all/position"].__setitem__("step", [1]), "step has 1 numbers"),
    ],
    ids=["no particles", "nothing to read", "two dimensions", "other particles", "steps"],
)  # fmt: skip
def test_what_is_refused(made, change, says):
    made.group()
    change(made.file)
    with pytest.raises((gpz.CorruptError, gpz.UnsupportedError), match=says) as raised:
        made.converted()
    assert raised.value.path == str(made.path)
