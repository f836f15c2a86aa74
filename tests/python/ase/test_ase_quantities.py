# SPDX-License-Identifier: BSD-3-Clause
"""What ASE and extended XYZ write and read beside the table of quantities (test_cells.py), and what is no value of it."""

import os
import subprocess
import warnings

import ase
import ase.io
import dpdata
import numpy as np
import pytest
from ase.calculators.singlepoint import SinglePointCalculator
from ase.constraints import FixAtoms

import gpz
from gpz import _quantities
from gpz._samples import Samples
from gpz._units import LENGTHS

RANDOM = np.random.default_rng(59)
# Of a calculator, of 3 atoms.
RESULTS = {
    "energy": -27.5,
    "free_energy": -28.25,
    "stress": np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) / 100,  # xx yy zz yz xz xy
    "dipole": np.array([0.5, -1.0, 2.0]),
    "magmom": 1.5,
    "forces": RANDOM.normal(0, 1, (3, 3)),
    "energies": RANDOM.normal(0, 1, 3),
    "charges": RANDOM.normal(0, 1, 3),
    "magmoms": RANDOM.normal(0, 1, 3),
    "stresses": RANDOM.normal(0, 1, (3, 6)),
}


def atoms_of(**results):
    atoms = ase.Atoms("CuOH", positions=[[1, 2, 3], [4, 5, 6], [1, 1, 1]], cell=[[5, 0, 0], [1, 6, 0], [0, 2, 7]], pbc=True)
    atoms.set_velocities(np.arange(9.0).reshape(3, 3) / 7)
    atoms.set_masses([63.5, 16, 1])
    atoms.set_initial_charges([0.5, -0.25, -0.25])
    atoms.set_array("tensor", np.arange(27.0).reshape(3, 3, 3))
    atoms.set_array("spin", np.arange(9.0).reshape(3, 3))
    atoms.info.update(timestep=7, time=2.5, Temp=300.0, vector=np.array([1.0, 2.0]), table=np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    atoms.calc = SinglePointCalculator(atoms, **results)
    return atoms


def require_same(atoms, expected, relative=1e-12):
    def same(got, true):
        assert np.shape(got) == np.shape(true)
        np.testing.assert_allclose(got, true, rtol=relative, atol=relative)

    same(atoms.cell.array, expected.cell.array)
    same(atoms.get_velocities(), expected.get_velocities())
    for name in expected.arrays.keys() - {"numbers"}:
        same(atoms.arrays[name], expected.arrays[name])
    assert set(atoms.calc.results) == set(expected.calc.results)
    for name, value in expected.calc.results.items():
        same(atoms.calc.results[name], value)
    for name, value in expected.info.items():
        same(atoms.info[name], value)


@pytest.mark.parametrize("units", ["lj", "real"])
def test_ase(tmp_path, units):
    """Everything comes back."""
    atoms = atoms_of(**RESULTS)
    file = tmp_path / "t.gpz"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ase.io.write(file, atoms, units=units, bound=0)
    require_same(ase.io.read(file), atoms, 1e-12)


def test_components_in_any_order(tmp_path):
    """Columns of one array, as a dump may list them."""
    file = tmp_path / "t.gpz"
    with gpz.Writer(file, bound=0) as writer:
        columns = {"f[2]": [3.0, 4.0], "f[1]": [1.0, 2.0], "g[2]": [5.0, 6.0], "h[2,1]": [3.0, 7.0], "h[1,1]": [1.0, 5.0],
                   "h[2,2]": [4.0, 8.0], "h[1,2]": [2.0, 6.0]}  # fmt: skip
        writer.write(positions=np.zeros((2, 3)), ids=[1, 2], **columns)
    arrays = ase.io.read(file).arrays
    assert arrays["f"].tolist() == [[1, 3], [2, 4]]
    assert arrays["g[2]"].tolist() == [5, 6]
    assert arrays["h"].tolist() == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


def test_a_type_without_atoms_has_no_name(tmp_path):
    file = tmp_path / "t.gpz"
    with gpz.Writer(file, bound=0, elements=["O", "", "H"]) as writer:
        writer.write(positions=np.zeros((2, 3)), ids=[1, 2], types=[3, 1])
    atoms = ase.io.read(file)
    assert atoms.get_chemical_symbols() == ["H", "O"]
    assert "element" not in atoms.arrays


@pytest.mark.parametrize("units", ["lj", *LENGTHS])
def test_learning(tmp_path, units):
    """Samples are in the units of the file, stress as energy by volume."""
    file = tmp_path / "t.gpz"
    ase.io.write(file, atoms_of(**RESULTS), units=units, bound=0)
    sample = Samples(file)[0]
    energy, length = (_quantities.factor(quantity, units, "ASE") for quantity in ("energy", "length"))
    np.testing.assert_allclose(sample["energy"] * energy, RESULTS["energy"], rtol=1e-6)
    np.testing.assert_allclose(sample["stress"] * energy / length**3, RESULTS["stress"], rtol=1e-6)


def test_extended_xyz(tmp_path):
    """Through gpz encode to .gpz, and through gpz decode to text again: ASE reads the same of all three."""
    atoms = atoms_of(**RESULTS)
    del atoms.info["timestep"], atoms.info["time"], atoms.arrays["tensor"]
    text, file, back = (tmp_path / name for name in ("t.extxyz", "t.gpz", "back.extxyz"))
    ase.io.write(text, atoms)
    expected = ase.io.read(text)
    subprocess.run([os.environ["GPZ"], "encode", text, "-o", file, "--lossless"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([os.environ["GPZ"], "decode", file, "-o", back], check=True)
    for path in file, back:
        got = ase.io.read(path)
        require_same(got, expected)
        assert got.pbc.all()


def test_stress_of_nine_numbers(tmp_path):
    """Row by row in extended XYZ, xx yy zz yz xz xy in ASE; in eV/Angstrom^3 whatever the units of the columns are."""
    (tmp_path / "t.extxyz").write_text(
        '2\nLattice="4 0 0 0 5 0 0 0 6" Properties=species:S:1:pos:R:3:forces:R:3 energy=-27.5 stress="1 4 5 4 2 6 5 6 3"\n'
        "C 1 2 3 .1 .2 .3\nO 4 5 6 .4 .5 .6\n"
    )
    for options in [], ["--units", "metal"], ["--units", "real"]:
        file = tmp_path / "t.gpz"
        subprocess.run([os.environ["GPZ"], "encode", tmp_path / "t.extxyz", "-o", file, *options], check=True, stderr=subprocess.DEVNULL)
        atoms = ase.io.read(file)
        assert atoms.get_stress().tolist() == [1, 2, 3, 6, 5, 4] and atoms.get_potential_energy() == -27.5
        virials = dpdata.LabeledSystem(str(file), fmt="gpz")["virials"][0]
        np.testing.assert_allclose(virials, [[-120, -480, -600], [-480, -240, -720], [-600, -720, -360]], rtol=1e-12)


def test_what_is_no_stress(tmp_path):
    """A matrix that is not symmetric, or a unit that is not known, is no result: the numbers stay in info."""
    with gpz.Writer(tmp_path / "t.gpz", units="metal") as writer:
        columns = {"positions": np.eye(3), "types": [1, 1, 1]}
        writer.write(**columns, timestep=0, observables={f"stress[{k + 1}]": k for k in range(9)})
        writer.write(**columns, timestep=1, observables={f"stress[{k + 1}]": (k, "furlongs") for k in range(6)} | {"pe": (1.0, "furlongs")})
    first, second = ase.io.read(tmp_path / "t.gpz", index=":")
    assert first.calc is None and first.info["stress"].tolist() == list(range(9))
    assert second.calc is None and second.info["stress"].tolist() == list(range(6)) and second.info["pe"] == 1


def test_momenta_are_no_velocities(tmp_path):
    (tmp_path / "t.extxyz").write_text(
        '2\nLattice="4 0 0 0 5 0 0 0 6" Properties=species:S:1:pos:R:3:momenta:R:3\nC 1 2 3 1 2 3\nO 4 5 6 4 5 6\n'
    )
    subprocess.run([os.environ["GPZ"], "encode", tmp_path / "t.extxyz", "-o", tmp_path / "t.gpz"], check=True, stderr=subprocess.DEVNULL)
    got, expected = ase.io.read(tmp_path / "t.gpz"), ase.io.read(tmp_path / "t.extxyz")
    assert got.get_momenta().tolist() == [[1, 2, 3], [4, 5, 6]]
    np.testing.assert_allclose(got.get_velocities(), expected.get_velocities(), rtol=1e-12)


def test_what_is_left_out_is_named(tmp_path):
    atoms = atoms_of()
    atoms.info.update(config_type="liquid", soap=np.ones(10), flag=True)
    atoms.set_array("label", np.array(["a", "b", "c"]))
    atoms.set_constraint(FixAtoms([0]))
    with pytest.warns(UserWarning, match="t.gpz: not written, as .*: config_type, constraints, flag, label, soap"):
        ase.io.write(tmp_path / "t.gpz", atoms)


@pytest.mark.parametrize("cell", [[10, 11, 0], [[10, 0, 0], [3, 11, 0], [0, 0, 0]], [0, 0, 12], [[5, 5, 0], [5, -5, 0], [0, 0, 0]]])
def test_vectors_of_zeros(tmp_path, cell):
    """Slabs and wires."""
    atoms = ase.Atoms("C", positions=[[1, 2, 3]], cell=cell)
    atoms.pbc = atoms.cell.array.any(axis=1)
    for units in "metal", "nano":
        ase.io.write(tmp_path / "t.gpz", atoms, units=units, bound=0)
        got = ase.io.read(tmp_path / "t.gpz")
        np.testing.assert_allclose(got.cell.array, atoms.cell.array, rtol=1e-12)
        assert got.pbc.tolist() == atoms.pbc.tolist()
    atoms.pbc = True
    with pytest.raises(ValueError, match="lacks one or two. Set them, or make them zero and not periodic"):
        ase.io.write(tmp_path / "t.gpz", atoms)


def test_words_of_units_are_those_of_files(tmp_path):
    """The words that dumps of LAMMPS give to energies and pressures are known."""
    words = {"energy": _quantities.STYLES_OF_UNITS["energy"], "pressure": _quantities.STYLES_OF_UNITS["pressure"]}
    for style in LENGTHS:
        for quantity, known in words.items():
            here = _quantities.si(quantity, style)
            unit = next(unit for unit, of in known.items() if _quantities.si(quantity, of) == pytest.approx(here, rel=1e-12, abs=0))
            with gpz.Writer(tmp_path / "t.gpz", units=style) as writer:
                named = {"PotEng": (2.0, unit)} if quantity == "energy" else {f"stress[{k + 1}]": (2.0, unit) for k in range(6)}
                writer.write(positions=np.eye(3), types=[1, 1, 1], observables=named)
            (value,) = {np.ravel(result)[0] for result in ase.io.read(tmp_path / "t.gpz").calc.results.values()}
            assert value == pytest.approx(2 * _quantities.factor(quantity, style, "ASE"), rel=1e-5)
