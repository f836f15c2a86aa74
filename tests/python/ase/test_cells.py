# SPDX-License-Identifier: BSD-3-Clause
"""The table of quantities, cell by cell: numbers in the terms of a program go through gpz, and are the same in the program again, in
its own unit, shape and order. The cells are those of gpz._quantities.QUANTITIES; docs/programs.md shows the same."""

import functools
import os
import subprocess
import warnings
from pathlib import Path

import ase
import ase.io
import dpdata
import h5py
import MDAnalysis
import numpy as np
import openmm
import pytest
from ase.calculators.singlepoint import SinglePointCalculator
from openmm import app, unit

import gpz
from gpz import _quantities
from gpz._quantities import QUANTITIES
from gpz._units import LENGTHS
from gpz.convert import convert
from gpz.openmm import GPZReporter

STYLES = ["lj", *LENGTHS]
# By program: the units of the .gpz file between.
STYLES_OF = {
    "LAMMPS": ["lj", "real", "electron"],
    "extended XYZ": ["", "metal"],
    "ASE": STYLES,
    "dpdata": STYLES,
    "MDAnalysis": STYLES,
    "H5MD": STYLES,
    "OpenMM": ["real"],
}
# Known numbers, in whatever unit a program has. No component is that of another.
SIX = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) / 100  # xx yy zz yz xz xy
NINE = np.array([[1.0, 6.0, 5.0], [6.0, 2.0, 4.0], [5.0, 4.0, 3.0]]) / 100
KNOWN = {
    "position": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [1.25, 1.5, 1.75]]),
    "velocity": np.arange(1.0, 10.0).reshape(3, 3) / 8,
    "force": np.arange(9.0, 0.0, -1.0).reshape(3, 3) / 16,
    "energy": -27.5,
    "stress": SIX,
    "virial": NINE * 300,
    "dipole": np.array([0.5, -1.0, 2.0]),
    "magnetic moment": 1.5,
    "magnetic moments of atoms": np.array([1.0, 2.0, -1.5]),
    "mass": np.array([63.5, 16.0, 1.0]),
    "charge": np.array([0.5, -0.125, -0.375]),
    "time": 2.5,
    "box": np.array([[5.0, 0.0, 0.0], [1.0, 6.0, 0.0], [0.5, 2.0, 7.0]]),
}
MASSES, VOLUME = KNOWN["mass"], 210.0
KNOWN["momentum"] = KNOWN["velocity"] * MASSES[:, None]

Trip = tuple[Path, dict[str, list]]  # the .gpz file, and by quantity what came back: once or several times


def quiet(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **options)


def command(*arguments):
    subprocess.run([os.environ["GPZ"], *map(str, arguments)], check=True, stderr=subprocess.DEVNULL)


def of_ase(folder, style) -> Trip:
    atoms = ase.Atoms("CuOH", positions=KNOWN["position"], cell=KNOWN["box"], pbc=True, masses=MASSES)
    atoms.set_velocities(KNOWN["velocity"])
    atoms.set_initial_charges(KNOWN["charge"])
    atoms.info.update(time=KNOWN["time"], virial=KNOWN["virial"])
    results = {
        "energy": "energy",
        "stress": "stress",
        "dipole": "dipole",
        "magmom": "magnetic moment",
        "magmoms": "magnetic moments of atoms",
        "forces": "force",
    }
    atoms.calc = SinglePointCalculator(atoms, **{name: KNOWN[quantity] for name, quantity in results.items()})
    file = folder / "t.gpz"
    ase.io.write(file, atoms, units=style or "lj", bound=0)
    got = ase.io.read(file)
    found = {quantity: [got.calc.results[name]] for name, quantity in results.items()} | {
        "position": [got.positions],
        "velocity": [got.get_velocities()],
        "momentum": [got.get_momenta()],
        "virial": [got.info["virial"]],
        "mass": [got.get_masses()],
        "charge": [got.get_initial_charges()],
        "time": [got.info["time"]],
        "box": [got.cell.array],
    }
    return file, found


def of_extended_xyz(folder, style) -> Trip:
    """Text that ASE has written becomes a file and text again; ASE reads both."""
    atoms = ase.Atoms("CuOH", positions=KNOWN["position"], cell=KNOWN["box"], pbc=True)
    atoms.set_momenta(KNOWN["momentum"])
    for name, quantity in (("vel", "velocity"), ("mass", "mass"), ("q", "charge")):
        atoms.set_array(name, KNOWN[quantity])
    atoms.info.update(Time=KNOWN["time"], virial=KNOWN["virial"])
    results = {
        "energy": "energy",
        "stress": "stress",
        "dipole": "dipole",
        "magmom": "magnetic moment",
        "magmoms": "magnetic moments of atoms",
        "forces": "force",
    }
    atoms.calc = SinglePointCalculator(atoms, **{name: KNOWN[quantity] for name, quantity in results.items()})
    text, file, back = folder / "t.extxyz", folder / "t.gpz", folder / "back.extxyz"
    ase.io.write(text, atoms)
    command("encode", text, "-o", file, "--lossless", *(["--units", style] if style else []))
    command("decode", file, "-o", back)
    got = ase.io.read(back), ase.io.read(file)
    text = got[0]
    found = {quantity: [one.calc.results[name] for one in got] for name, quantity in results.items()} | {
        "position": [one.positions for one in got],
        "velocity": [text.arrays["vel"]],
        "momentum": [text.get_momenta()],
        "virial": [one.info["virial"] for one in got],
        "mass": [text.arrays["mass"]],
        "charge": [text.arrays["q"]],
        "time": [text.info["Time"]],
        "box": [one.cell.array for one in got],
    }
    return file, found


def of_dpdata(folder, style) -> Trip:
    """dpdata makes a system of ASE's Atoms by itself, and another one of the file that ASE has written."""
    file, _ = of_ase(folder, style)
    atoms = ase.io.read(file)
    own = {}
    for name in "virial", "stress":
        atoms.info.pop("virial") if name == "stress" else None
        ase.io.write(folder / f"{name}.gpz", atoms, units=style, bound=0)
        system = dpdata.LabeledSystem(str(folder / f"{name}.gpz"), fmt="gpz")
        own[name] = system["virials"][0]
    expected = quiet(dpdata.LabeledSystem, atoms, fmt="ase/structure")
    np.testing.assert_allclose(own["stress"], expected["virials"][0], rtol=1e-6)
    found = {
        "position": [system["coords"][0]],
        "force": [system["forces"][0]],
        "energy": [system["energies"][0]],
        "virial": [own["virial"]],
        "stress": [(own["stress"] / -VOLUME)[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]],
        "box": [system["cells"][0]],
    }
    return file, found


def of_mdanalysis(folder, style) -> Trip:
    made = MDAnalysis.Universe.empty(3, trajectory=True, velocities=True, forces=True)
    for name, values in (("masses", MASSES), ("charges", KNOWN["charge"]), ("types", ["1", "2", "3"])):
        made.add_TopologyAttr(name, values)
    atoms, ts = made.atoms, made.trajectory.ts
    atoms.positions, atoms.velocities, atoms.forces = (KNOWN[name] for name in ("position", "velocity", "force"))
    ts.dimensions = MDAnalysis.lib.mdamath.triclinic_box(*KNOWN["box"])
    ts.time = KNOWN["time"]
    file = folder / "t.gpz"
    quiet(atoms.write, str(file), bound=0, lammps_units=style)
    got = quiet(MDAnalysis.Universe, str(file))
    found = {
        "position": [got.atoms.positions],
        "velocity": [got.atoms.velocities],
        "force": [got.atoms.forces],
        "mass": [got.atoms.masses],
        "charge": [got.atoms.charges],
        "time": [got.trajectory.ts.time],
        "box": [got.trajectory.ts.triclinic_dimensions],
    }
    return file, found


UNITS_OF_H5MD = {"position": "Angstrom", "velocity": "Angstrom ps-1", "force": "kJ mol-1 Angstrom-1", "edges": "Angstrom", "time": "ps"}


def of_h5md(folder, style) -> Trip:
    source, file, back = folder / "t.h5md", folder / "t.gpz", folder / "back.h5md"
    with h5py.File(source, "w") as made:
        made.create_group("h5md").attrs["version"] = [1, 1]
        group = made.create_group("particles/all")
        box = group.create_group("box")
        box.attrs["dimension"], box.attrs["boundary"] = 3, np.array([b"periodic"] * 3)
        for parent, name, quantity in (
            (group, "position", "position"),
            (group, "velocity", "velocity"),
            (group, "force", "force"),
            (box, "edges", "box"),
        ):
            element = parent.create_group(name)
            element["value"], element["step"], element["time"] = KNOWN[quantity][None], [7], [KNOWN["time"]]
            element["value"].attrs["unit"], element["time"].attrs["unit"] = UNITS_OF_H5MD[name], "ps"
    quiet(convert, source, file, units=style, bound=0.0)
    quiet(convert, file, back)
    with h5py.File(back) as got:
        group = got["particles/trajectory"]
        elements = {"position": group["position"], "velocity": group["velocity"], "force": group["force"], "box": group["box/edges"]}
        found = {quantity: [element["value"][0]] for quantity, element in elements.items()} | {"time": [group["position/time"][0]]}
        for element in elements.values():
            assert element["value"].attrs["unit"] == UNITS_OF_H5MD[element.name.rpartition("/")[2]]
            assert element["step"][0] == 7
    return file, found


def of_openmm(folder, _style) -> Trip:
    """Forces and an energy that are linear in the positions. OpenMM's units take the numbers of the file back."""
    force = openmm.CustomExternalForce("-(fx*x + fy*y + fz*z) + e")
    for name in "fx", "fy", "fz", "e":
        force.addPerParticleParameter(name)
    charges = openmm.NonbondedForce()  # without an energy: the context is made while they are zero
    charges.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
    system, topology = openmm.System(), app.Topology()
    residue = topology.addResidue("X", topology.addChain())
    shift = (KNOWN["energy"] + (KNOWN["force"] * KNOWN["position"]).sum()) / 3
    for k, symbol in enumerate(("Cu", "O", "H")):
        system.addParticle(MASSES[k])
        charges.addParticle(0, 1, 0)
        force.addParticle(k, [*KNOWN["force"][k], shift])
        topology.addAtom(symbol, app.element.get_by_symbol(symbol), residue)
    system.addForce(force)
    system.addForce(charges)
    system.setDefaultPeriodicBoxVectors(*KNOWN["box"])
    simulation = app.Simulation(topology, system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference"))
    for k, charge in enumerate(KNOWN["charge"]):
        charges.setParticleParameters(k, charge, 1, 0)
    simulation.context.setPositions(KNOWN["position"])
    simulation.context.setVelocities(KNOWN["velocity"])
    simulation.context.setTime(KNOWN["time"])
    file = folder / "t.gpz"
    with GPZReporter(file, 1, eb=0, velocities=True, forces=True, potentialEnergy=True, enforcePeriodicBox=True) as reporter:
        reporter.describeNextReport(simulation)
        reporter.report(simulation, simulation.context.getState(positions=True, velocities=True, forces=True, energy=True))
    kilocalories = unit.kilocalorie_per_mole
    with gpz.open(file) as trajectory:
        frame, table = trajectory[0].load(), trajectory.tables()["atoms"]
        context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference"))
        context.setPeriodicBoxVectors(*(frame.box.matrix * unit.angstrom))
        context.setPositions(frame.positions * unit.angstrom)
        context.setVelocities(frame.velocities * unit.angstrom / unit.femtosecond)
        context.setTime(frame.time * unit.femtosecond)
        state = context.getState(positions=True, velocities=True)
        found = {
            "position": [state.getPositions(asNumpy=True).value_in_unit(unit.nanometer)],
            "velocity": [state.getVelocities(asNumpy=True).value_in_unit(unit.nanometer / unit.picosecond)],
            "force": [(frame.forces * kilocalories / unit.angstrom).value_in_unit(unit.kilojoule_per_mole / unit.nanometer)],
            "energy": [(frame.observables["PotEng"] * kilocalories).value_in_unit(unit.kilojoule_per_mole)],
            "mass": [np.array(table["mass"])],
            "charge": [np.array(table["q"])],
            "time": [state.getTime().value_in_unit(unit.picosecond)],
            "box": [state.getPeriodicBoxVectors(asNumpy=True).value_in_unit(unit.nanometer)],
        }
    return file, found


def of_lammps(folder, style) -> Trip:
    """A text dump with a log becomes a file, and the file text."""
    columns = {
        name: KNOWN[quantity][:, k] for quantity in ("position", "velocity", "force") for k, name in enumerate(QUANTITIES[quantity].names)
    }
    columns |= {"mass": MASSES, "q": KNOWN["charge"]}
    (xx, _, _), (xy, yy, _), (xz, yz, zz) = KNOWN["box"]
    bounds = [f"{min(0, xy, xz, xy + xz)} {xx + max(0, xy, xz, xy + xz)} {xy}", f"{min(0, yz)} {yy + max(0, yz)} {xz}", f"0 {zz} {yz}"]
    head = ["ITEM: UNITS", style, "ITEM: TIME", str(KNOWN["time"]), "ITEM: TIMESTEP", "7", "ITEM: NUMBER OF ATOMS", "3"]
    head += ["ITEM: BOX BOUNDS xy xz yz pp pp pp", *bounds, f"ITEM: ATOMS id type {' '.join(columns)}"]
    rows = [" ".join(repr(float(value)) for value in row) for row in np.column_stack([*columns.values()])]
    text, log, file, back = folder / "t.lammpstrj", folder / "log.lammps", folder / "t.gpz", folder / "back.lammpstrj"
    text.write_text("\n".join([*head, *(f"{k + 1} {k + 1} {row}" for k, row in enumerate(rows))]) + "\n")
    log.write_text(
        f"units {style}\nthermo_modify norm no\nrun 0\n   Step         PotEng\n 7 {KNOWN['energy']}\nLoop time of 1 on 1 procs for 0 steps with 3 atoms\n"
    )
    command("encode", text, "-o", file, "--lossless", "--log", log)
    command("decode", file, "-o", back, "--with-time", "--with-units")
    lines = back.read_text().splitlines()
    names = lines[-4].split()[2:]
    numbers = {name: np.array([float(line.split()[k]) for line in lines[-3:]]) for k, name in enumerate(names)}
    got = {
        quantity: [np.stack([numbers[name] for name in QUANTITIES[quantity].names], axis=1)]
        for quantity in ("position", "velocity", "force")
    }
    got |= {"mass": [numbers["mass"]], "charge": [numbers["q"]], "time": [float(lines[lines.index("ITEM: TIME") + 1])]}
    assert lines[lines.index("ITEM: UNITS") + 1] == style
    start = lines.index("ITEM: BOX BOUNDS xy xz yz pp pp pp")
    (xlo, xhi, xy), (ylo, yhi, xz), (zlo, zhi, yz) = ([float(word) for word in line.split()] for line in lines[start + 1 : start + 4])
    xs, ys = (0, xy, xz, xy + xz), (0, yz)
    got["box"] = [np.array([[xhi - max(xs) - xlo + min(xs), 0, 0], [xy, yhi - max(ys) - ylo + min(ys), 0], [xz, yz, zhi - zlo]])]
    with gpz.open(file) as trajectory:
        got["energy"] = [trajectory[0].observables["PotEng"]]
    return file, got


TRIPS = {
    "LAMMPS": of_lammps,
    "extended XYZ": of_extended_xyz,
    "ASE": of_ase,
    "dpdata": of_dpdata,
    "MDAnalysis": of_mdanalysis,
    "H5MD": of_h5md,
    "OpenMM": of_openmm,
}
CELLS = [(quantity, program) for quantity, row in QUANTITIES.items() for program in row.places]


@pytest.fixture(scope="module")
def trip(tmp_path_factory):
    """By program and style. Each is made once, for all of its cells."""

    @functools.cache
    def made(program, style):
        return TRIPS[program](tmp_path_factory.mktemp("trip"), style)

    return made


def stored(path, quantity, style, program):
    """What the file has of a quantity, in the unit of the program; None if it is in neither a column nor a table."""
    row = QUANTITIES[quantity]
    with gpz.open(path) as file:
        frame = file[0].load()
        found, of = [], style
        for name in row.names:
            if name in frame:
                found.append(frame[name])
            elif name in frame.observables or name == "PotEng":
                name = name if name in frame.observables else "energy"  # as extended XYZ calls it
                found.append(frame.observables[name])
                of = _quantities.STYLES_OF_UNITS.get(row.dimension, {}).get(frame.observables.units.get(name), style)
            else:
                found.append(np.array(file.tables()["atoms"][name]))
    values = np.stack(found, axis=-1)
    values = values[..., 0] if len(found) == 1 else values
    has_unit = row.dimension in _quantities.UNITS.get(program, {})
    return values * (_quantities.factor(row.dimension, of, program) if has_unit else 1)


@pytest.mark.parametrize(("quantity", "program"), CELLS, ids=[f"{quantity}-{program}" for quantity, program in CELLS])
def test_cell(trip, quantity, program):
    relative = 1e-6 if program in ("MDAnalysis", "H5MD", "dpdata") else 1e-12
    for style in STYLES_OF[program]:
        path, got = trip(program, style)
        for values in got[quantity]:
            assert np.shape(values) == np.shape(KNOWN[quantity]), style
            np.testing.assert_allclose(values, KNOWN[quantity], rtol=relative, atol=relative, err_msg=style)
        row = QUANTITIES[quantity]
        if row.names and program != "dpdata" and (quantity, program) != ("momentum", "ASE"):  # which stores velocities
            expected = np.ravel(KNOWN[quantity]) if quantity == "virial" else KNOWN[quantity]
            if quantity == "stress" and program == "extended XYZ":
                expected = NINE.ravel()[:6]  # of nine
            np.testing.assert_allclose(stored(path, quantity, style, program), expected, rtol=2e-6, err_msg=style)


def test_the_page_shows_these_cells():
    page = (Path(__file__).parents[3] / "docs/programs.md").read_text()
    lines = page.partition("## Quantities and their units")[2].partition("\n## ")[0].splitlines()
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|"))
    assert [row[0].partition(",")[0] for row in rows] == list(QUANTITIES)
    for name, *cells in rows:
        row = QUANTITIES[name.partition(",")[0]]
        assert not row.names or row.names[0] in cells[1].replace("`", "").replace(",", "").split()
        for program, cell in zip(head[3:], cells[2:]):
            assert (cell == "none") == (program not in row.places), (name, program)
            if program in row.places and (name, program) != ("stress", "dpdata"):
                assert f"`{row.places[program]}`" in cell, (name, program)
