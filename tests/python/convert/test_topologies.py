# SPDX-License-Identifier: BSD-3-Clause
"""The topology that a conversion is given goes into the tables of the .gpz file."""

import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysisTests.datafiles import DCD, PSF, two_water_gro

import gpz
from gpz.convert import convert


@pytest.mark.parametrize("units", ["real", "si"])
def test_names_masses_charges_and_bonds(tmp_path, units):
    options = {"units": units, "allow_truncated": True}  # its header counts more frames than there are
    convert(DCD, tmp_path / "a.gpz", topology=PSF, frames=slice(1), **options)
    atoms, copy = mda.Universe(PSF, DCD).atoms, mda.Universe(tmp_path / "a.gpz").atoms
    for name in ("names", "resnames", "resids", "segids", "types"):
        assert np.array_equal(getattr(atoms, name), getattr(copy, name)), name
    for name in ("masses", "charges"):
        assert np.allclose(getattr(atoms, name), getattr(copy, name), rtol=1e-12), name
    assert np.array_equal(np.sort(atoms.bonds.to_indices(), 0), np.sort(copy.bonds.to_indices(), 0))
    with gpz.open(tmp_path / "a.gpz") as trajectory:
        assert set(trajectory.tables()) == {"atoms", "bonds", "angles", "dihedrals", "impropers"}


def test_guesses_are_not_stored(tmp_path):
    """The masses of a GRO file are guessed from names."""
    convert(two_water_gro, tmp_path / "a.gpz", frames=slice(1))
    with gpz.open(tmp_path / "a.gpz") as trajectory:
        atoms = trajectory.tables()["atoms"]
        assert set(atoms) == {"id", "name", "resname", "resid"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy = mda.Universe(tmp_path / "a.gpz").atoms
    assert copy.names.tolist() == ["OW", "HW1", "HW2"] * 2 and copy.residues.resnames.tolist() == ["SOL", "SOL"]


def test_what_gets_lost_is_named(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="real") as writer:
        writer.write_tables({"bonds": {"atom1": [1], "atom2": [2]}, "provenance": {"name": [], "value": []}})
        writer.write(positions=np.eye(3), observables={"Temp": 1.0, "PotEng": 2.0})
    notes = convert(tmp_path / "a.gpz", tmp_path / "a.dcd")
    assert "tables that are not in the DCD file: bonds" in notes
    assert "observables that are not in the DCD file: Temp PotEng" in notes
