# SPDX-License-Identifier: BSD-3-Clause
"""Energies, stress, masses, charges and names: from tables and observables of .gpz files into Atoms, and back."""

import io
import os
import subprocess
import warnings

import ase.io
import ase.io.lammpsdata
import numpy as np
import pytest
from ase.calculators.emt import EMT
from ase.calculators.lammps import convert
from ase.calculators.singlepoint import SinglePointCalculator
from ase.data import atomic_masses, atomic_numbers

import gpz
from gpz._elements import MASSES, symbol_of_mass, symbols_of

IDS = np.array([2, 3, 5, 10])
X = np.random.default_rng(1).uniform(0, 5, (4, 3))
FORCES = np.random.default_rng(2).normal(size=(4, 3))
TABLES = {
    "atoms": {
        "id": IDS[::-1],
        "q": [1.0, 0.4, 0.4, -0.8],
        "name": ["NA", "H2", "H1", "OW"],
        "resname": ["ION", "SOL", "SOL", "SOL"],
        "resid": [2, 1, 1, 1],
    },
    "types": {"type": [1, 2, 3], "mass": [15.9994, 1.008, 22.98977]},
    "bonds": {"type": [1, 2, 1], "atom1": [2, 2, 2], "atom2": [3, 5, 99]},
    "angles": {"type": [4], "atom1": [3], "atom2": [2], "atom3": [5]},
}


def written(path, tables=TABLES, units="real", frames=2, **options):
    with gpz.Writer(path, units=units, **options) as writer:
        writer.write_tables(tables)
        for k in range(frames):
            observables = {"Temp": 300.0 + k, "PotEng": -2.5 + k, "Press": 7.0}
            writer.write(
                positions=X,
                ids=IDS,
                types=[1, 2, 2, 3],
                box=[5, 5, 5],
                timestep=k,
                observables=observables,
                **dict(zip(("fx", "fy", "fz"), FORCES.T)),
            )
    return path


@pytest.mark.parametrize("units", ["real", "metal", "lj"])
def test_atoms_from_tables(tmp_path, units):
    def to_ase(quantity):
        # LAMMPS's grams/mole are u; ASE's table has 1 + 3e-10.
        return 1.0 if units == "lj" or quantity == "mass" else convert(1.0, quantity, units, "ASE")

    images = ase.io.read(written(tmp_path / "a.gpz", units=units), index=":")
    for k, atoms in enumerate(images):
        assert np.array_equal(atoms.get_masses(), [15.9994, 1.008, 1.008, 22.98977])
        assert np.allclose(atoms.get_initial_charges(), [-0.8, 0.4, 0.4, 1], rtol=1e-12)
        if units != "lj":
            assert list(atoms.symbols) == ["O", "H", "H", "Na"]
        assert atoms.get_potential_energy() == pytest.approx((-2.5 + k) * to_ase("energy"), rel=1e-12)
        assert np.allclose(atoms.get_forces(), FORCES * to_ase("force"), rtol=1e-12)
        assert {"Temp", "Press"} <= set(atoms.info) and "PotEng" not in atoms.info
        assert atoms.info["Temp"] == 300.0 + k and atoms.info["timestep"] == k
        assert atoms.arrays["atomtypes"].tolist() == ["OW", "H1", "H2", "NA"]
        assert atoms.arrays["residuenames"].tolist() == ["SOL", "SOL", "SOL", "ION"]
        assert atoms.arrays["residuenumbers"].tolist() == [1, 1, 1, 2]
        assert atoms.arrays["bonds"].tolist() == ["1(1),2(2)", "_", "_", "_"]
        assert atoms.arrays["angles"].tolist() == ["1-2(4)", "_", "_", "_"]


def test_bonds_are_those_of_lammps_data_files(tmp_path):
    """ASE writes them into a data file, and its reader finds them in the same arrays."""
    with gpz.Writer(tmp_path / "a.gpz", units="real") as writer:
        writer.write_tables(
            {
                "bonds": TABLES["bonds"],
                "types": TABLES["types"],
                "atoms": {"id": IDS, "q": np.zeros(4), "mol": [1, 1, 1, 2]},
            }
        )
        writer.write(positions=X, ids=IDS, types=[1, 2, 2, 3], box=[5, 5, 5])
    atoms = ase.io.read(tmp_path / "a.gpz")
    text = io.StringIO()
    ase.io.lammpsdata.write_lammps_data(text, atoms, atom_style="full", units="real")
    text.seek(0)
    again = ase.io.lammpsdata.read_lammps_data(text, atom_style="full", units="real")
    assert again.arrays["bonds"].tolist() == atoms.arrays["bonds"].tolist()
    assert again.arrays["mol-id"].tolist() == [1, 1, 1, 2]


def test_a_file_without_tables_is_read_as_before(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="real", elements=["O", "H", "Na"]) as writer:
        writer.write(positions=X, ids=IDS, types=[1, 2, 2, 3])
    atoms = ase.io.read(tmp_path / "a.gpz")
    assert atoms.calc is None and set(atoms.info) == {"timestep", "gpz_origins"}
    assert set(atoms.arrays) == {"numbers", "positions", "id", "type"}


def test_elements_from_masses(tmp_path):
    """As force fields have them; the last one is a virtual site."""
    with gpz.Writer(tmp_path / "a.gpz", units="real") as writer:
        writer.write_tables({"types": {"type": [1, 2, 3, 4, 5], "mass": [1.0, 2.014, 15.9994, 58.69, 1e-10]}})
        writer.write(positions=np.zeros((5, 3)), ids=range(1, 6), types=range(1, 6))
    assert list(ase.io.read(tmp_path / "a.gpz").symbols) == ["H", "H", "O", "Ni", "X"]
    assert list(ase.io.read(tmp_path / "a.gpz", specorder=["C"] * 4 + ["Au"]).symbols) == ["H", "H", "O", "Ni", "Au"]
    for symbol, mass in MASSES.items():
        assert abs(atomic_masses[atomic_numbers[symbol]] - mass) <= 0.011 and symbol_of_mass(atomic_masses[atomic_numbers[symbol]]) == symbol


@pytest.mark.parametrize(
    ("masses", "symbols"),
    [
        ([15.9994, 1.0], "O H"), ([12.0, 14.0, 16.0, 32.0, 35.5, 23.0], "C N O S Cl Na"), ([28.06, 24.0], "Si Mg"),
        ([107.868, np.nan, 55.847], "Ag  Fe"), ([39.95, 40.0, 40.08], "Ar Ar Ca"), ([15.9994, 1.008, 0.0, 1e-10, 0.4], "O H   "),
        # Beads, of which some have the mass of an element: MARTINI, CH3 and CH2, three molecules of water, hydrogens made heavier.
        ([72.0], ""), ([72.0, 54.0, 45.0, 36.0], "   "), ([15.035, 14.027], " "), ([54.0456], ""), ([15.9994, 3.024], " "),
        ([59.0], ""), ([np.inf], ""), ([0.0], ""),
    ],
)  # fmt: skip
def test_masses_of_elements(masses, symbols):
    """The masses of all are those of elements, or none is taken for one."""
    assert symbols_of(masses) == symbols.split(" ")
    assert symbols_of(np.float32(masses).tolist()) == symbols.split(" ")


def test_tables_that_change(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", units="real") as writer:
        for mass in (1.008, 2.014):
            writer.write_tables({"types": {"type": [1], "mass": [mass]}})
            writer.write(positions=X, ids=IDS, types=[1] * 4)
            writer.write(positions=X, ids=IDS, types=[1] * 4)
    masses = [atoms.get_masses()[0] for atoms in ase.io.iread(tmp_path / "a.gpz")]
    assert np.allclose(masses, [1.008, 1.008, 2.014, 2.014])
    assert np.allclose([atoms.get_masses()[0] for atoms in ase.io.iread(tmp_path / "a.gpz@::-2")], [2.014, 1.008])


def test_damaged_tables_leave_the_frames(tmp_path):
    tables = TABLES | {"atoms": gpz.Table(TABLES["atoms"], units={"q": "charge unit"})}
    path = written(tmp_path / "a.gpz", tables, elements=["O", "H", "Na"])
    data = bytearray(path.read_bytes())
    data[data.index(b"charge unit")] ^= 1
    path.write_bytes(data)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        images = ase.io.read(path, index=":")
    said = " ".join(str(warning.message) for warning in caught)
    assert "bonds and other tables cannot be read" in said and "observables of frames cannot be read" in said
    for atoms in images:
        assert np.abs(atoms.positions - X).max() <= 1e-3 and "bonds" not in atoms.arrays
        assert np.allclose(atoms.get_forces(), FORCES * convert(1.0, "force", "real", "ASE"))


def with_energies(path, units="real", per_atom=False, thermo=False):
    """Four atoms with energy and stress, in records of observables or in the table thermo."""
    unit = {"real": "kcal/mol", "lj": "1"}[units] + "/atom" if per_atom else ""
    stress = {f"stress[{k + 1}]": 0.5 * k for k in range(6)}
    with gpz.Writer(path, units=units, elements=["O", "H", "Na"]) as writer:
        if thermo:
            values = {"Temp": [300.0], "PotEng": [-2.5], **{name: [value] for name, value in stress.items()}}
            writer.write_tables({"thermo": gpz.Table({"timestep": [0], **values}, units={"PotEng": unit})})
        observables = {} if thermo else {"Temp": 300.0, "PotEng": (-2.5, unit), **stress}
        forces = dict(zip(("fx", "fy", "fz"), FORCES.T))
        writer.write(positions=X, ids=IDS, types=[1, 2, 2, 3], box=[5, 5, 5], timestep=0, observables=observables, **forces)
    return path


def selected(path, to, *choice):
    """gpz select of atoms."""
    subprocess.run([os.environ["GPZ"], "select", path, "-o", to, *choice], check=True, capture_output=True)
    return to


@pytest.mark.parametrize("thermo", [False, True])
def test_energy_and_stress_are_those_of_all_atoms(tmp_path, thermo):
    """Frames of some atoms have neither; all parts together have them again."""
    whole = with_energies(tmp_path / "a.gpz", thermo=thermo)
    expected = ase.io.read(whole)
    assert expected.get_potential_energy() and expected.get_stress().any() and "Atoms" not in expected.info
    with gpz.open(whole, atoms=[2, 5]) as some, gpz.Writer(tmp_path / "of_open.gpz", units="real") as writer:
        writer.write(some[0])
    parts = [
        selected(whole, tmp_path / "ids.gpz", "--ids", "2:3"),
        selected(whole, tmp_path / "others.gpz", "--ids", "5:"),
        selected(whole, tmp_path / "types.gpz", "--types", "H"),
        selected(whole, tmp_path / "region.gpz", "--region", f":{np.median(X[:, 0])},:,:"),
        tmp_path / "of_open.gpz",
    ]
    for path in parts:
        with pytest.warns(UserWarning, match=r"PotEng stress\[1\] .* of 4 atoms are left out, because frames have \d of them"):
            atoms = ase.io.read(path)
        assert 0 < len(atoms) < 4 and set(atoms.calc.results) == {"forces"}
        rows = [IDS.tolist().index(k) for k in atoms.arrays["id"]]
        assert np.array_equal(atoms.get_forces(), expected.get_forces()[rows])
        assert atoms.info["Temp"] == 300 and atoms.info["Atoms"] == 4 and "PotEng" not in atoms.info
        # Written again they are some of four atoms, until a calculation of these atoms has an energy of its own.
        ase.io.write(tmp_path / "again.gpz", atoms)
        assert set(ase.io.read(tmp_path / "again.gpz").calc.results) == {"forces"}
        atoms.calc = SinglePointCalculator(atoms, energy=-1.25)
        ase.io.write(tmp_path / "again.gpz", atoms)
        assert ase.io.read(tmp_path / "again.gpz").get_potential_energy() == -1.25
    subprocess.run([os.environ["GPZ"], "merge", *parts[:2], "-o", tmp_path / "m.gpz"], check=True, capture_output=True)
    merged = ase.io.read(tmp_path / "m.gpz")
    assert merged.get_potential_energy() == expected.get_potential_energy()
    assert np.array_equal(merged.get_stress(), expected.get_stress())


@pytest.mark.parametrize("units", ["real", "lj"])
@pytest.mark.parametrize("thermo", [False, True])
def test_energies_per_atom(tmp_path, units, thermo):
    """Of LAMMPS with thermo_modify norm yes: those of all atoms for ASE, and of none for some."""
    path = with_energies(tmp_path / "a.gpz", units, True, thermo)
    factor = 1.0 if units == "lj" else convert(1.0, "energy", units, "ASE")
    assert ase.io.read(path).get_potential_energy() == pytest.approx(4 * -2.5 * factor, rel=1e-12)
    with pytest.warns(UserWarning, match="of 4 atoms"):
        assert "energy" not in ase.io.read(selected(path, tmp_path / "b.gpz", "--types", "2")).calc.results
    with gpz.open(path) as file:  # as in the file
        assert file[0].observables["PotEng"] == -2.5 and file[0].observables.units["PotEng"].endswith("/atom")


@pytest.mark.parametrize("units", ["metal", "real"])
def test_a_calculation_comes_back(tmp_path, units):
    atoms = ase.Atoms(
        "CuAu3", scaled_positions=[[0, 0, 0], [0, 0.5, 0.52], [0.5, 0, 0.5], [0.5, 0.48, 0]], cell=[4, 4, 4], pbc=True
    )
    atoms.set_masses([63, 197, 196, 195])
    atoms.set_initial_charges([0.5, -0.5, 0.25, -0.25])
    atoms.calc = EMT()
    energy, forces, stress = atoms.get_potential_energy(), atoms.get_forces(), atoms.get_stress()
    atoms.info.update(step_size=0.5, n=3, note="text", flag=True, big=10**400, array=np.ones(3))
    with pytest.warns(UserWarning, match="not written, as a .gpz file has no place for them: big, flag, note$"):
        ase.io.write(tmp_path / "a.gpz", [atoms, ase.Atoms("CuAu3", positions=atoms.positions)], units=units)
    first, second = ase.io.read(tmp_path / "a.gpz", index=":")
    assert first.get_potential_energy() == pytest.approx(energy, rel=1e-12)
    assert np.allclose(first.get_stress(), stress, rtol=1e-12) and first.get_stress().shape == (6,)
    assert np.allclose(first.get_forces(), forces, rtol=1e-12)
    assert np.allclose(first.get_masses(), [63, 197, 196, 195], rtol=1e-12)
    assert np.allclose(first.get_initial_charges(), [0.5, -0.5, 0.25, -0.25], rtol=1e-12)
    assert set(first.info) == {"timestep", "step_size", "n", "array", "gpz_origins"}
    assert first.info["array"].tolist() == [1, 1, 1]
    assert (first.info["step_size"], first.info["n"]) == (0.5, 3)
    assert second.calc is None and "step_size" not in second.info
    # And once more, from the file.
    ase.io.write(tmp_path / "b.gpz", ase.io.iread(tmp_path / "a.gpz@:"), units=units)
    with gpz.open(tmp_path / "a.gpz") as a, gpz.open(tmp_path / "b.gpz") as b:
        for k in range(2):
            assert a[k].observables.keys() == b[k].observables.keys()
            assert all(
                b[k].observables[name] == pytest.approx(value, rel=1e-12) for name, value in a[k].observables.items()
            )


def test_nothing_is_calculated(tmp_path):
    atoms = ase.Atoms("Cu", cell=[4, 4, 4])
    atoms.calc = EMT()
    ase.io.write(tmp_path / "a.gpz", atoms)
    atoms.calc = SinglePointCalculator(atoms, energy=1.0)
    atoms.positions += 0.1  # the energy is that of other positions
    ase.io.write(tmp_path / "b.gpz", atoms)
    for name in ("a.gpz", "b.gpz"):
        with gpz.open(tmp_path / name) as trajectory:
            assert trajectory[0].observables == {}


def test_names_and_residues_are_written_when_they_change(tmp_path):
    pdb = """\
ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00           N
ATOM      2  CA  ALA A   1      11.639   6.071  -5.147  1.00  0.00           C
ATOM      3  N   GLY A   2      12.104   7.134  -4.504  1.00  0.00           N
END
"""
    atoms = ase.io.read(io.StringIO(pdb), format="proteindatabank")
    other = atoms.copy()
    other.arrays["atomtypes"][0] = "N1"
    ase.io.write(tmp_path / "a.gpz", [atoms, atoms, other])
    ase.io.write(tmp_path / "a.gpz", [other], append=True)
    with gpz.open(tmp_path / "a.gpz") as trajectory:
        assert trajectory.table_frames.tolist() == [0, 2]
        assert "residuenumbers" not in trajectory.columns
    images = ase.io.read(tmp_path / "a.gpz", index=":")
    assert [image.arrays["atomtypes"][0] for image in images] == ["N", "N", "N1", "N1"]
    assert images[0].arrays["residuenames"].tolist() == ["ALA", "ALA", "GLY"]
    assert images[0].arrays["residuenumbers"].tolist() == [1, 1, 2]
