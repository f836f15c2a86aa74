# SPDX-License-Identifier: BSD-3-Clause
"""Timesteps and times of DCD files: those of LAMMPS in the units of its run, those of others in AKMA units."""

import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysis.lib.formats.libdcd import DCDFile

import gpz
from gpz.convert import convert

AKMA = 0.04888821  # ps, in MDAnalysis and NAMD
LAMMPS, NAMD = "Written by LAMMPS", "REMARKS FILENAME=eq3.dcd CREATED BY NAMD"
POSITIONS = np.random.default_rng(4).uniform(0, 9, (4, 12, 3)).astype(np.float32)


def write(path, remarks, first, interval, delta):
    with DCDFile(str(path), "w") as file:
        file.write_header(remarks=remarks, natoms=12, istart=first, nsavc=interval, delta=delta, is_periodic=1)
        for positions in POSITIONS:
            file.write(positions, [10, 0, 10, 0, 0, 10])


def times_of(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [ts.time for ts in mda.coordinates.core.reader(str(path))]


@pytest.mark.parametrize(("units", "delta"), [("real", 2.0), ("metal", 0.001), ("lj", 0.005), ("si", 1e-15)])
def test_lammps_writes_in_the_units_of_its_run(tmp_path, units, delta):
    write(tmp_path / "a.dcd", LAMMPS, 3000, 250, delta)
    notes = convert(tmp_path / "a.dcd", tmp_path / "a.gpz", units=units, bound=1e-4)
    assert any(f"taken for {units} (--units)" in note for note in notes)
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file.timesteps.tolist() == [3000, 3250, 3500, 3750]
        assert file.times == pytest.approx([step * delta for step in file.timesteps], rel=1e-6)
        assert np.abs(file[3].positions - POSITIONS[3]).max() <= 1e-4
        assert np.diag(file[0].box.matrix).tolist() == [10, 10, 10]


def test_others_write_akma(tmp_path):
    write(tmp_path / "a.dcd", NAMD, 10, 10, 0.002 / AKMA)
    notes = convert(tmp_path / "a.dcd", tmp_path / "a.gpz", units="real", frames=slice(1, None, 2))
    assert not any("LAMMPS" in note or "timesteps" in note for note in notes)
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file.timesteps.tolist() == [20, 40]
        assert file.times == pytest.approx([40, 80], rel=1e-6)  # fs


@pytest.mark.parametrize("remarks", [LAMMPS, NAMD])
def test_timesteps_and_times_come_back(tmp_path, remarks):
    write(tmp_path / "a.dcd", remarks, 3000, 250, 2.0)
    convert(tmp_path / "a.dcd", tmp_path / "a.gpz", units="real")
    notes = convert(tmp_path / "a.gpz", tmp_path / "b.dcd")
    assert not any("time" in note for note in notes)
    convert(tmp_path / "b.dcd", tmp_path / "b.gpz", units="real")
    with gpz.open(tmp_path / "a.gpz") as first, gpz.open(tmp_path / "b.gpz") as second:
        assert first.timesteps.tolist() == second.timesteps.tolist()
        assert first.times == pytest.approx(second.times, rel=1e-6)
        assert times_of(tmp_path / "b.dcd") == pytest.approx(first.times / 1000, rel=1e-6)  # ps


def test_a_program_that_knows_no_timesteps_is_named(tmp_path):
    write(tmp_path / "a.dcd", "Created by DCD plugin", 0, 1, 1.0)
    assert any("timesteps count the frames" in note for note in convert(tmp_path / "a.dcd", tmp_path / "a.gpz"))


def test_times_are_made_of_timesteps(tmp_path):
    """Where frames have none: the timestep has the unit of the file, and DCD has ps."""
    with gpz.Writer(tmp_path / "a.gpz", units="real", metadata={"timestep_size": 2.0}) as writer:
        for step in (0, 50, 100):
            writer.write(positions=POSITIONS[0], ids=np.arange(1, 13), timestep=step)
    assert not any("time" in note for note in convert(tmp_path / "a.gpz", tmp_path / "a.dcd"))
    assert times_of(tmp_path / "a.dcd") == pytest.approx([0, 0.1, 0.2], rel=1e-6)


def made(path, steps, times):
    with gpz.Writer(path, units="metal") as writer:
        for step, time in zip(steps, times):
            writer.write(positions=POSITIONS[0], ids=np.arange(1, 13), timestep=step, time=time)
    return path


@pytest.mark.parametrize(
    ("steps", "times", "expected", "said"),
    [
        ([100, 200, 300], [1, 2, 3], [1, 2, 3], None),
        ([0, 50, 100], [0, 0.5, 1], [0, 0.5, 1], None),
        ([7], [3.5], [3.5], None),
        ([100, 200, 300], [4, 5, 6], [4, 5, 6], "timesteps that are not"),  # the clock began anew
        ([1, 2, 4], [1, 2, 4], None, "evenly spaced"),
        ([100, 200, 300], [0.25, 1.25, 2.25], [0, 1, 2], "0 ps instead of 0.25"),
        ([2**31, 2**31 + 1], [5, 6], [5, 6], "timesteps that are not"),
        ([5, 5], [5, 6], [5, 6], "timesteps that are not"),
    ],
)
def test_what_the_header_cannot_say_is_said(tmp_path, steps, times, expected, said):
    notes = convert(made(tmp_path / "a.gpz", steps, times), tmp_path / "a.dcd")
    found = "\n".join(notes)
    assert said in found if said else "timesteps" not in found
    if expected is not None:
        assert times_of(tmp_path / "a.dcd") == pytest.approx(expected, rel=1e-6, abs=1e-6)
