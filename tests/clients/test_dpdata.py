# SPDX-License-Identifier: BSD-3-Clause
"""dpdata: systems from .gpz files of LAMMPS against the text dumps of the runs."""

import dpdata
import numpy as np
import pytest
from comparison import SAME_ATOMS, positions, require_positions, require_within
from page import run_block
from runs import make


@pytest.mark.parametrize("run", SAME_ATOMS, indirect=True)
def test_values(run):
    system = dpdata.System(str(run.gpz))
    require_positions(system["coords"], run, origin=False)
    require_within(system["cells"], [frame["matrix"] for frame in run.frames], 0)
    assert np.array_equal(system["atom_types"], run.frames[0]["columns"]["type"] - 1)
    assert ("nopbc" in system.data) == (run.name == "two_dimensional")


@pytest.mark.parametrize("run", ["fields", "elements"], indirect=True)
def test_elements(run):
    system = dpdata.System(str(run.gpz), fmt="gpz")
    names = np.array(system["atom_names"])[system["atom_types"]]
    assert list(names) == list(run.frames[0]["columns"]["element"])
    assert sum(system["atom_numbs"]) == len(names)


@pytest.mark.parametrize("run", ["triclinic", "elements"], indirect=True)
def test_as_the_reader_of_text(run):
    expected = dpdata.System(str(run.text), fmt="lammps/dump", type_map=["A", "B"])
    system = dpdata.System(str(run.gpz), type_map=["A", "B"])
    assert system["atom_names"] == expected["atom_names"] and system["atom_numbs"] == expected["atom_numbs"]
    assert np.array_equal(system["atom_types"], expected["atom_types"])
    require_within(system["cells"], expected["cells"], 0)
    # It wraps atoms into the box.
    difference = (system["coords"] - expected["coords"]) @ np.linalg.inv(system["cells"])
    require_within(
        (difference - np.rint(difference)) @ system["cells"], np.zeros_like(difference), run.case.bound * 1.001
    )


def test_parts_of_a_file():
    run = make("melt")
    system = dpdata.System(str(run.gpz), begin=2, step=3)
    require_within(system["coords"], [positions(frame) for frame in run.frames[2::3]], run.case.bound)
    system = dpdata.System(str(run.gpz), f_idx=[7, 1])
    require_within(system["coords"], [positions(run.frames[7]), positions(run.frames[1])], run.case.bound)


def test_number_of_atoms_changes():
    run = make("varying")
    with pytest.raises(ValueError, match="MultiSystems"):
        dpdata.System(str(run.gpz))
    systems = dpdata.MultiSystems.from_file(str(run.gpz), fmt="gpz", labeled=False)
    assert systems.get_nframes() == len(run.frames)
    by_count = {system.get_natoms(): system for system in systems.systems.values()}
    for frame in run.frames:
        order = np.argsort(frame["columns"]["type"], kind="stable")  # MultiSystems sorts atoms by type
        expected = (positions(frame) - frame["origin"])[order]
        coordinates = by_count[len(expected)]["coords"]
        errors = np.abs(coordinates - expected).max(axis=(1, 2))
        assert errors.min() <= run.case.bound * (1 + 1e-9), f"timestep {frame['timestep']}: {errors}"


def test_no_energies():
    with pytest.raises(NotImplementedError, match="no energies"):
        dpdata.LabeledSystem(str(make("fields").gpz), fmt="gpz")


def test_torn():
    run = make("torn")
    with pytest.warns(UserWarning, match="ends inside a frame.*10 complete frames"):
        system = dpdata.System(str(run.gpz))
    require_positions(system["coords"], run)


def test_files_of_ranks(joined):
    run = make("percent")
    require_positions(dpdata.System(str(joined))["coords"], run)
    with pytest.raises(FileNotFoundError, match="a file for each rank.*gpz merge"):
        dpdata.System(str(run.gpz))
    counts = dpdata.MultiSystems.from_file(str(run.parts[1]), fmt="gpz", labeled=False).get_nframes()
    assert counts == len(run.frames)


def test_page(tmp_path, monkeypatch):
    run_block("dpdata", tmp_path, monkeypatch)
