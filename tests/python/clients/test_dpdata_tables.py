# SPDX-License-Identifier: BSD-3-Clause
"""Labeled systems of dpdata: energies, forces and virials of .gpz files."""

import ase.io
import dpdata
import numpy as np
import pytest
from ase.calculators.emt import EMT
from dpdata.unit import EnergyConversion, ForceConversion

import gpz

X = np.random.default_rng(1).uniform(0, 5, (4, 3))
FORCES = np.random.default_rng(2).normal(size=(2, 4, 3))
IDS = np.array([7, 3, 5, 11])


def written(path, units="real", energy="PotEng", forces=True, energies=(-2.5, -1.25), **options):
    with gpz.Writer(path, units=units, **options) as writer:
        for k in range(2):
            observables = {"Temp": 300.0} if energies[k] is None else {"Temp": 300.0, energy: energies[k]}
            columns = dict(zip(("fx", "fy", "fz"), FORCES[k].T)) if forces else {}
            writer.write(
                positions=X, ids=IDS, types=[1, 2, 2, 1], box=[5, 5, 5], timestep=k, observables=observables, **columns
            )
    return str(path)


@pytest.mark.parametrize("energy", ["PotEng", "pe", "energy"])
def test_energies_and_forces(tmp_path, energy):
    system = dpdata.LabeledSystem(written(tmp_path / "a.gpz", energy=energy, elements=["O", "H"]))
    assert len(system) == 2 and system["atom_names"] == ["O", "H"] and "virials" not in system.data
    assert np.allclose(
        system["energies"], np.array([-2.5, -1.25]) * EnergyConversion("kcal_mol", "eV").value(), rtol=1e-6
    )
    factor = ForceConversion("kcal_mol/angstrom", "eV/angstrom").value()
    assert np.allclose(system["forces"], FORCES[:, np.argsort(IDS)] * factor, rtol=1e-6)


def test_as_ase_has_them(tmp_path):
    """Energy, forces and virial of a calculation, by way of a file."""
    atoms = ase.Atoms(
        "CuAu3",
        scaled_positions=[[0, 0, 0], [0, 0.5, 0.52], [0.5, 0, 0.5], [0.5, 0.48, 0]],
        cell=[4, 4.1, 4.2],
        pbc=True,
    )
    atoms.calc = EMT()
    expected = dpdata.LabeledSystem(atoms, fmt="ase/structure") if atoms.get_stress() is not None else None
    ase.io.write(tmp_path / "a.gpz", atoms, units="real")
    system = dpdata.LabeledSystem(str(tmp_path / "a.gpz"))
    for name in ("energies", "forces", "virials"):
        assert np.allclose(system[name], expected[name], rtol=1e-7, atol=1e-9), name


def test_lj_units_are_left(tmp_path):
    system = dpdata.LabeledSystem(written(tmp_path / "a.gpz", units="lj"))
    assert np.array_equal(system["energies"], [-2.5, -1.25])
    assert np.array_equal(system["forces"], FORCES[:, np.argsort(IDS)])


@pytest.mark.parametrize("without", [{"forces": False}, {"energies": (1.0, None)}])
def test_without_labels(tmp_path, without):
    path = written(tmp_path / "a.gpz", **without)
    with pytest.raises(NotImplementedError, match="no energies .* or no forces"):
        dpdata.LabeledSystem(path)
    assert len(dpdata.System(path)) == 2
    assert len(dpdata.LabeledSystem(written(tmp_path / "b.gpz", energies=(1.0, None)), f_idx=[0])) == 1


def test_labels_are_those_of_all_atoms(tmp_path):
    """Energies per atom are multiplied, and some of the atoms have no energy."""
    factor = EnergyConversion("kcal_mol", "eV").value()
    path = written(tmp_path / "a.gpz", energies=((-2.5, "kcal/mol/atom"), -1.25))
    assert np.allclose(dpdata.LabeledSystem(path)["energies"], np.array([4 * -2.5, -1.25]) * factor, rtol=1e-6)
    with gpz.open(path, atoms=[3, 5]) as some, gpz.Writer(tmp_path / "b.gpz", units="real") as writer:
        for frame in some:
            writer.write(frame)
    left_out = pytest.warns(UserWarning, match="PotEng of 4 atoms is left out, because frames have 2")
    with left_out, pytest.raises(NotImplementedError, match="no energies"):
        dpdata.LabeledSystem(str(tmp_path / "b.gpz"))
    assert len(dpdata.System(str(tmp_path / "b.gpz"))) == 2


def test_several_systems(tmp_path):
    path = written(tmp_path / "a.gpz", elements=["O", "H"])
    with gpz.Writer(path, append=True) as writer:
        zeros = np.zeros(5)
        writer.write(
            positions=np.zeros((5, 3)), ids=range(1, 6), types=[1] * 5, box=[5, 5, 5], fx=zeros, fy=zeros, fz=zeros,
            observables={"PotEng": 3.0},
        )  # fmt: skip
    labeled = dpdata.MultiSystems.from_file(path, fmt="gpz", labeled=True)
    assert labeled.get_nframes() == 3 and all("energies" in system.data for system in labeled.systems.values())
    plain = dpdata.MultiSystems.from_file(path, fmt="gpz", labeled=False)
    assert plain.get_nframes() == 3 and not any("energies" in system.data for system in plain.systems.values())


def test_types_of_tables(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="metal") as writer:
        writer.write_tables(
            {"atoms": {"id": IDS, "type": [1, 2, 2, 1]}, "types": {"type": [2, 1], "label": ["hydrogen", "oxygen"]}}
        )
        writer.write(positions=X, ids=IDS, box=[5, 5, 5])
    system = dpdata.System(str(tmp_path / "a.gpz"))
    assert system["atom_names"] == ["oxygen", "hydrogen"] and system["atom_types"].tolist() == [1, 1, 0, 0]


def test_damaged_observables_leave_the_frames(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz") as writer:
        writer.write_tables({"atoms": gpz.Table({"id": IDS}, units={"id": "a number"})})
        writer.write(
            positions=X, ids=IDS, box=[5, 5, 5], observables={"PotEng": 1.0}, fx=X[:, 0], fy=X[:, 0], fz=X[:, 0]
        )
    data = bytearray((tmp_path / "a.gpz").read_bytes())
    data[data.index(b"a number")] ^= 1
    (tmp_path / "a.gpz").write_bytes(data)
    with pytest.warns(UserWarning, match="cannot be read"):
        assert len(dpdata.System(str(tmp_path / "a.gpz"))) == 1
    with pytest.warns(UserWarning, match="observables of frames cannot be read"), pytest.raises(NotImplementedError):
        dpdata.LabeledSystem(str(tmp_path / "a.gpz"))
