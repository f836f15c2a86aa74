# SPDX-License-Identifier: BSD-3-Clause
"""Converted files against those that LAMMPS itself writes in the same run, and runs of LAMMPS through the formats."""

import os
import subprocess
import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from runs import INPUTS, make

import gpz
from gpz.convert import convert

BOUND = 1e-3
# sigma as it is: 0.001 of XTC are half of it away at most, as nm, which MDAnalysis makes Angstrom of.
FORMATS = {"dcd": (1, 2e-6), "xtc": (10, 0.5e-3 + 2e-6)}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A triclinic run with dump gpz, dump dcd and dump xtc."""
    folder = tmp_path_factory.mktemp("dumps")
    plugin = os.environ.get("GPZ_PLUGIN")
    lines = [f"plugin load {plugin}"] if plugin else []
    lines += [
        "variable box index 'prism 1 6 -2 3 0.5 5.5 1.5 0.7 -0.9'",
        f"include {INPUTS / 'system_melt.lmp'}",
        "run 20",  # so that dumps do not begin at timestep 0
        f"dump gpz all gpz 10 run.gpz id type x y z\ndump_modify gpz eb {BOUND}",
        "dump dcd all dcd 10 run.dcd",
        "dump xtc all xtc 10 run.xtc",
        "run 50",
    ]
    (folder / "in.lammps").write_text("\n".join(lines) + "\n")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [os.environ["LAMMPS_BINARY"], "-in", "in.lammps", "-log", "none"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode and "style" in done.stdout + done.stderr:
        pytest.skip("this LAMMPS has no dump dcd or dump xtc (packages EXTRA-DUMP)")
    assert done.returncode == 0, done.stdout
    return folder


def read(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = mda.coordinates.core.reader(str(path))
        return [(ts.positions.copy(), ts.dimensions.copy()) for ts in reader]


@pytest.mark.parametrize("ending", FORMATS)
def test_as_lammps_writes_it(written, tmp_path, ending):
    convert(written / "run.gpz", tmp_path / f"ours.{ending}")
    ours, theirs = read(tmp_path / f"ours.{ending}"), read(written / f"run.{ending}")
    unit, rounding = FORMATS[ending]
    assert len(ours) == len(theirs) == 6
    for (positions, box), (expected, expected_box) in zip(ours, theirs):
        assert np.abs(positions - expected).max() / unit <= BOUND + 2 * rounding
        np.testing.assert_allclose(box, expected_box, rtol=2e-4 if ending == "xtc" else 1e-5)


def test_timesteps_and_times_of_dcd(written, tmp_path):
    """As dump gpz of the same run has them."""
    convert(written / "run.dcd", tmp_path / "a.gpz", units="lj")
    convert(tmp_path / "a.gpz", tmp_path / "again.dcd")
    convert(tmp_path / "again.dcd", tmp_path / "b.gpz", units="lj")
    with gpz.open(written / "run.gpz") as run:
        steps = run.timesteps
        times = steps * run.metadata["timestep_size"]
        assert steps[0] > 0 and times[-1] > 0
    for name in ("a.gpz", "b.gpz"):
        with gpz.open(tmp_path / name) as file:
            assert file.timesteps.tolist() == steps.tolist()
            assert file.times == pytest.approx(times, rel=1e-6)


def test_xtc_comes_back(written, tmp_path):
    convert(written / "run.xtc", tmp_path / "a.gpz", units="lj")
    convert(tmp_path / "a.gpz", tmp_path / "b.xtc")
    assert (tmp_path / "b.xtc").read_bytes() == (written / "run.xtc").read_bytes()


@pytest.mark.parametrize(("name", "length"), [("fields", 1), ("scaled", 1), ("two_dimensional", 1), ("torn", 1)])
def test_runs(name, length, tmp_path):
    run = make(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = convert(run.gpz, tmp_path / "out.nc", allow_truncated=True)
    frames = read(tmp_path / "out.nc")
    assert len(frames) == len(run.frames)
    assert any("truncated after frame" in note for note in notes) == run.torn
    for (positions, _), frame in zip(frames, run.frames):
        columns = frame["columns"]
        if "xs" in columns:
            fractions = np.column_stack([columns[name] for name in ("xs", "ys", "zs")])
            expected = fractions @ frame["matrix"] + frame["origin"]
        else:
            expected = np.column_stack([columns[name] for name in ("x", "y", "z")])
        assert np.abs(positions - expected).max() <= run.case.bound + 2e-6
