# SPDX-License-Identifier: BSD-3-Clause
"""ASE: its functions and programs open .gpz files of LAMMPS, and have what the text dumps of the runs have."""

import subprocess
import sys

import ase.io
import ase.units
import numpy as np
import pytest
from ase import Atoms
from ase.calculators.lammps import convert
from ase.calculators.singlepoint import SinglePointCalculator
from ase.io.lammpsrun import read_lammps_dump_text
from comparison import positions, require_positions, require_within, vectors
from page import run_block
from runs import make

import gpz


def factor(run, quantity):
    if run.units == "lj" or (quantity == "mass" and run.units in ("real", "metal")):  # grams a mole are u
        return 1.0
    return convert(1.0, quantity, run.units, "ASE")


def test_values(run):
    images = ase.io.read(run.gpz, index=":")
    require_positions([atoms.positions for atoms in images], run, factor(run, "distance"))
    for atoms, frame in zip(images, run.frames):
        columns = frame["columns"]
        assert atoms.info["timestep"] == frame["timestep"]
        assert atoms.info["time"] == pytest.approx(frame["time"] * factor(run, "time"), rel=1e-12)
        assert np.array_equal(atoms.arrays["id"], columns["id"])
        assert np.array_equal(atoms.arrays["type"], columns["type"])
        require_within(atoms.cell.array, frame["matrix"] * factor(run, "distance"), 0)
        require_within(atoms.get_celldisp().ravel(), frame["origin"] * factor(run, "distance"), 0)
        assert list(atoms.pbc) == [pair == "pp" for pair in frame["boundary"].split()]
        if "vz" in columns:
            velocities = vectors(frame, ("vx", "vy", "vz")) * factor(run, "velocity")
            require_within(atoms.get_velocities(), velocities, run.bounds.get("vx", 0) * factor(run, "velocity"))


@pytest.mark.parametrize("run", ["fields"], indirect=True)
def test_all_columns(run):
    for atoms, frame in zip(ase.io.iread(run.gpz), run.frames):
        columns = frame["columns"]
        assert list(atoms.symbols) == list(columns["element"])
        require_within(atoms.get_masses(), columns["mass"] * factor(run, "mass"), 0)
        require_within(atoms.get_initial_charges(), columns["q"] * factor(run, "charge"), 0)
        require_within(atoms.get_forces(), vectors(frame, ("fx", "fy", "fz")) * factor(run, "force"), 0)
        assert np.array_equal(atoms.arrays["mol-id"], columns["mol"])
        assert np.array_equal(atoms.arrays["travel"], vectors(frame, ("ix", "iy", "iz")))
    assert np.abs(atoms.arrays["travel"]).max() == 1, "no atom left the box"


@pytest.mark.parametrize("run", ["fields", "elements"], indirect=True)
def test_as_the_reader_of_text(run):
    """What ASE's reader of text dumps sets is set in the same way here."""
    with open(run.text) as file:
        expected = read_lammps_dump_text(file, index=slice(None), units=run.units)
    for atoms, theirs in zip(ase.io.iread(run.gpz), expected):
        assert atoms.info["timestep"] == theirs.info["timestep"]
        assert np.array_equal(atoms.numbers, theirs.numbers)
        assert np.array_equal(atoms.pbc, theirs.pbc)
        assert np.allclose(atoms.cell.array, theirs.cell.array, rtol=1e-12, atol=0)
        assert np.allclose(atoms.get_celldisp(), theirs.get_celldisp(), rtol=1e-12, atol=0)
        require_within(atoms.get_velocities(), theirs.get_velocities(), run.bounds["vx"] * factor(run, "velocity"))
        assert set(theirs.arrays) <= set(atoms.arrays)


@pytest.mark.parametrize("run", ["melt"], indirect=True)
def test_types_without_elements(run):
    types = run.frames[-1]["columns"]["type"]
    assert np.array_equal(ase.io.read(run.gpz).numbers, types)
    assert list(ase.io.read(run.gpz, specorder=["Cu", "Zr"]).symbols) == [("Cu", "Zr")[number - 1] for number in types]


@pytest.mark.parametrize("run", ["melt"], indirect=True)
def test_units_that_are_given(run):
    meters = ase.io.read(run.gpz, units="si")
    require_within(meters.positions * 1e-10, positions(run.frames[-1]), run.case.bound, relative=1e-9)


@pytest.mark.parametrize("units", ["real", "metal", "si", "cgs", "electron", "micro", "nano"])
def test_units(tmp_path, units):
    """An atom that flies freely: its velocity is its way by time, in the units of the file and in those of ASE."""
    with gpz.Writer(tmp_path / "t.gpz", units=units, bound=0) as writer:
        for time in (0.0, 2.0):
            x = np.array([[1.0, 2.0, 3.0]])
            writer.write(positions=x * (1 + time), velocities=x, ids=[1], types=[1], time=time, box=[9, 9, 9])
    first, last = ase.io.read(tmp_path / "t.gpz", index=":")
    duration = last.info["time"] - first.info["time"]
    require_within(first.get_velocities() * duration, last.positions - first.positions, 0)
    meters = {"real": 1e-10, "metal": 1e-10, "si": 1, "cgs": 0.01, "electron": 5.29177e-11, "micro": 1e-6, "nano": 1e-9}
    assert first.positions[0, 0] == pytest.approx(meters[units] * 1e10, rel=1e-6)
    seconds = {"real": 1e-15, "metal": 1e-12, "si": 1, "cgs": 1, "electron": 1e-15, "micro": 1e-6, "nano": 1e-9}
    assert duration / ase.units.fs == pytest.approx(2 * seconds[units] * 1e15, rel=1e-6)


def test_unknown_units():
    with pytest.raises(ValueError, match="no units 'imperial'"):
        ase.io.read(make("melt").gpz, units="imperial")


@pytest.mark.parametrize("run", ["melt"], indirect=True)
@pytest.mark.parametrize("index", ["0", "-1", "3", "2:9:3", "-3:", "::-4"])
def test_indices(run, index):
    steps = [frame["timestep"] for frame in run.frames]
    got = ase.io.read(f"{run.gpz}@{index}")
    if ":" in index:
        expected = steps[slice(*(int(word) if word else None for word in index.split(":")))]
        assert [atoms.info["timestep"] for atoms in got] == expected
    else:
        assert got.info["timestep"] == steps[int(index)]


@pytest.mark.parametrize("index", [11, -12])
def test_no_such_frame(index):
    with pytest.raises(IndexError, match=f"no frame {index}, but 11 frames"):
        ase.io.read(make("melt").gpz, index=index)


def test_file_without_frames(tmp_path):
    with gpz.Writer(tmp_path / "t.gpz", units="lj"):
        pass
    with pytest.raises(IndexError, match="no complete frame"):
        ase.io.read(tmp_path / "t.gpz")


@pytest.mark.parametrize("run", ["fields"], indirect=True)
def test_frames_that_are_decoded(run, monkeypatch):
    """Each once, and no others: ase.io.read hands an open slice for one frame."""
    decoded = []
    load = gpz.Frame._load

    def counted(frame, groups):
        if any(group not in frame._values for group in groups):
            decoded.append(frame.index)
        load(frame, groups)

    monkeypatch.setattr(gpz.Frame, "_load", counted)
    assert ase.io.read(run.gpz, index=0).info["timestep"] == 0
    assert decoded == [0]
    decoded.clear()
    assert len(ase.io.read(run.gpz, index="3:6")) == 3
    assert decoded == [3, 4, 5]


def test_torn():
    run = make("torn")
    with pytest.warns(UserWarning, match="ends inside a frame.*10 complete frames"):
        images = ase.io.read(run.gpz, index=":")
    require_positions([atoms.positions for atoms in images], run)


def test_files_of_ranks(joined):
    run = make("percent")
    with pytest.raises(
        FileNotFoundError, match=r"a file for each rank.*gpz merge '.*run\.%\.gpz' -o '.*run\.all\.gpz'"
    ):
        next(ase.io.iread(str(run.gpz), format="gpz"))
    require_positions([atoms.positions for atoms in ase.io.iread(joined)], run)
    parts = [ase.io.read(part, index=":") for part in run.parts]
    together = []
    for atoms in zip(*parts):
        ids = np.concatenate([part.arrays["id"] for part in atoms])
        together.append(np.concatenate([part.positions for part in atoms])[np.argsort(ids)])
        assert np.array_equal(np.sort(ids), run.frames[0]["columns"]["id"])
    require_positions(together, run)


@pytest.mark.parametrize("units", ["metal", "real", "electron"])
def test_written_and_read(tmp_path, units):
    """All that an Atoms has, in a general cell, comes back; positions within the bound."""
    run = make("fields")
    images = ase.io.read(run.gpz, index=":4")
    for atoms in images:
        forces = atoms.get_forces()
        atoms.set_cell(atoms.cell.array @ rotation().T)
        atoms.set_celldisp([1, -2, 3])
        atoms.pbc = [True, False, True]
        atoms.set_array("stress", np.arange(6.0 * len(atoms)).reshape(-1, 6) / 7)
        atoms.calc = SinglePointCalculator(atoms, forces=forces)
    file = tmp_path / "t.gpz"
    ase.io.write(file, images, units=units, bound=3.1e-3)
    again = ase.io.read(file, index=":")
    assert len(again) == 4
    for new, old in zip(again, images):
        assert 1e-5 < require_within(new.positions, old.positions, 3.1e-3 - run.case.bound)
        for got, expected in (
            (new.cell.array, old.cell.array),
            (new.get_celldisp(), old.get_celldisp()),
            (new.get_velocities(), old.get_velocities()),
            (new.get_forces(), old.get_forces()),
            (new.get_masses(), old.get_masses()),
            (new.get_initial_charges(), old.get_initial_charges()),
            ([new.info["time"]], [old.info["time"]]),
        ):
            require_within(got, expected, 0)
        for name in ("numbers", "id", "type", "mol-id", "travel"):
            assert np.array_equal(new.arrays[name], old.arrays[name]), name
        assert np.array_equal(new.arrays["stress"], old.arrays["stress"])
        assert new.info["timestep"] == old.info["timestep"]
        assert list(new.pbc) == [True, False, True]
    images[0].positions += 1  # the forces are then of other positions
    ase.io.write(file, images[0])
    assert ase.io.read(file).calc is None


def rotation():
    """A rotation, whose cells are not lower triangular."""
    axes, _ = np.linalg.qr([[1.0, 0.2, 0.3], [0.1, 2.0, 0.5], [0.4, 0.3, 3.0]])
    return axes


def test_written_in_pieces(tmp_path):
    file = str(tmp_path / "t.gpz")
    water = Atoms("OHH", positions=[[0, 0, 0], [0.8, 0.6, 0], [-0.8, 0.6, 0]])
    ase.io.write(file, water)
    ase.io.write(file, [water, water[:2]], append=True)
    images = ase.io.read(file, index=":")
    assert [str(atoms.symbols) for atoms in images] == ["OH2", "OH2", "OH"]
    assert images[0].cell.rank == 0 and not images[0].pbc.any()
    with pytest.raises(ValueError, match="Cu is not among the elements O H"):
        ase.io.write(file, Atoms("Cu"), append=True)
    assert len(ase.io.read(file, index=":")) == 3
    with pytest.raises(ValueError, match="lacks one or two"):
        ase.io.write(file, Atoms("Cu", cell=[1, 1, 0], pbc=True))


def test_names_that_are_no_elements(tmp_path):
    with gpz.Writer(tmp_path / "t.gpz", units="real", elements=["OW", "H"]) as writer:
        writer.write(positions=np.eye(3), types=[1, 2, 2])
    atoms = ase.io.read(tmp_path / "t.gpz")
    assert str(atoms.symbols) == "XH2"
    assert list(atoms.arrays["element"]) == ["OW", "H", "H"]


def test_without_ids(tmp_path):
    x = np.random.default_rng(4711).uniform(0, 5, (100, 3))
    with gpz.Writer(tmp_path / "t.gpz", units="metal", order="place") as writer:
        for _ in range(2):
            writer.write(positions=x, box=[5, 5, 5])
    with pytest.warns(UserWarning, match="no ids"):
        atoms = ase.io.read(tmp_path / "t.gpz")
    errors = np.abs(atoms.positions[:, None] - x).max(axis=2)
    assert errors.min(axis=0).max() <= 1e-3 and len(set(errors.argmin(axis=0))) == 100
    assert str(atoms.symbols) == "X100" and "id" not in atoms.arrays


def test_types_are_kept(tmp_path):
    """Types of LAMMPS stay what they are where each is one element."""
    file = tmp_path / "t.gpz"
    atoms = Atoms("CuZrCu", positions=np.eye(3), cell=np.eye(3) * 5)
    atoms.set_array("type", np.array([3, 1, 3]))
    ase.io.write(file, atoms)
    with gpz.open(file) as trajectory:
        assert trajectory.elements == ["Zr", "X", "Cu"]
    assert str(ase.io.read(file).symbols) == "CuZrCu"
    ase.io.write(file, atoms, specorder=["Cu", "Zr"])
    assert list(ase.io.read(file).arrays["type"]) == [1, 2, 1]


def program(*arguments):
    """Runs the program `ase`."""
    return subprocess.run(
        [sys.executable, "-m", "ase", *map(str, arguments)], capture_output=True, text=True, check=True
    ).stdout


def test_program_convert_to_gpz(tmp_path):
    run = make("elements")
    ase.io.write(tmp_path / "t.traj", ase.io.read(run.gpz, index=":"))
    program("convert", tmp_path / "t.traj", tmp_path / "t.gpz", "--write-args", "bound=1e-2", "key_interval=2")
    images = ase.io.read(tmp_path / "t.gpz", index=":")
    for atoms, frame in zip(images, run.frames):
        require_within(atoms.positions, positions(frame), 1e-2)
        assert list(atoms.symbols) == list(frame["columns"]["element"])
    with gpz.open(tmp_path / "t.gpz") as trajectory:
        assert trajectory[5].bounds["x"] == pytest.approx(1e-2)
        assert list(trajectory.key_frames[:4]) == [True, False, True, False]


def test_program_convert(tmp_path):
    run = make("varying")
    program("convert", run.gpz, tmp_path / "t.extxyz")
    images = ase.io.read(tmp_path / "t.extxyz", index=":")
    require_positions([atoms.positions for atoms in images], run, relative=1e-7)  # 8 digits
    assert len({len(atoms) for atoms in images}) == len({len(frame["columns"]["id"]) for frame in run.frames})


def test_program_info(tmp_path):
    """By the name, and by the first bytes."""
    run = make("melt")
    nameless = tmp_path / "a_file"
    nameless.write_bytes(run.gpz.read_bytes())
    assert program("info", "--files", run.gpz, nameless).count("gpz compressed trajectory (gpz)") == 2


def test_program_gui_data():
    """`ase gui --terminal` prints what its graphs would show: here a distance for each frame."""
    run = make("elements")
    lines = program("gui", "--terminal", "-g", "i,d(0,1)", run.gpz).splitlines()
    distances = [float(line.split()[1]) for line in lines]
    expected = [np.linalg.norm(positions(frame)[1] - positions(frame)[0]) for frame in run.frames]
    require_within(distances, expected, 2 * np.sqrt(3) * run.case.bound)


def test_page(tmp_path, monkeypatch, capsys):
    run_block("ase", tmp_path, monkeypatch)
    assert capsys.readouterr().out.splitlines()[1].startswith("20 [18.6 18.6 18.6]")
    assert len(ase.io.read(tmp_path / "looser.gpz", index=":")) == 11


@pytest.mark.parametrize(("factor", "kept"), [(None, True), (1, True), (1.7, True), (4, False)])
def test_bounds_of_a_file_hold_when_it_is_written_again(tmp_path, factor, kept):
    run = make("elements")
    images = ase.io.read(run.gpz, index=":")
    for atoms in images:
        atoms.info["gpz_origins"] = dict(atoms.info["gpz_origins"])
    bound = None if factor is None else factor * run.case.bound
    ase.io.write(tmp_path / "t.gpz", images, bound=bound)
    with gpz.open(tmp_path / "t.gpz") as trajectory, gpz.open(run.gpz) as original:
        for frame, old, text in zip(trajectory, original, run.frames):
            assert np.array_equal(frame.positions, old.positions) == kept
            assert frame.position_bound == pytest.approx(run.case.bound if kept else bound, rel=1e-12)
            require_within(frame.positions, positions(text), frame.position_bound)


def test_a_bound_below_that_of_the_file_is_refused(tmp_path):
    run = make("elements")
    atoms = ase.io.read(run.gpz, index=0)
    with pytest.raises(gpz.ArgumentError, match="of the original: a bound of 1e-05 cannot be kept"):
        ase.io.write(tmp_path / "t.gpz", atoms, bound=1e-5)
    del atoms.info["gpz_origins"]  # as if they were new
    ase.io.write(tmp_path / "t.gpz", atoms, bound=1e-5)
    assert gpz.open(tmp_path / "t.gpz")[0].position_bound == pytest.approx(1e-5)


def test_atoms_that_were_not_all_read_from_the_file_are_refused(tmp_path):
    run = make("elements")
    atoms = ase.io.read(run.gpz, index=0)
    with pytest.raises(gpz.ArgumentError, match="of which [0-9]+ were read from a .gpz file"):
        ase.io.write(tmp_path / "t.gpz", atoms + Atoms("Cu"))
    ase.io.write(tmp_path / "t.gpz", atoms[:5])
    assert gpz.open(tmp_path / "t.gpz")[0].position_bound == pytest.approx(run.case.bound)


def test_a_refused_bound_leaves_the_file(tmp_path):
    run = make("elements")
    atoms = ase.io.read(run.gpz, index=0)
    ase.io.write(tmp_path / "t.gpz", atoms)
    before = (tmp_path / "t.gpz").read_bytes()
    with pytest.raises(gpz.ArgumentError, match="gpz_origins"):
        ase.io.write(tmp_path / "t.gpz", atoms, bound=1e-6)
    assert (tmp_path / "t.gpz").read_bytes() == before
