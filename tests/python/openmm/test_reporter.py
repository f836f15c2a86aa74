# SPDX-License-Identifier: BSD-3-Clause
"""Frames of GPZReporter are those of the engine: what a second reporter of the same simulation sees."""

import io
from fractions import Fraction

import numpy as np
import openmm
import pytest
from conftest import Truth, simulation_of, water
from openmm import app, unit

import gpz
from gpz.openmm import GPZReporter

TRICLINIC = [[1.2, 0, 0], [0.3, 1.1, 0], [-0.4, 0.2, 1.15]]


def run(simulation, reporter, truth, steps):
    simulation.reporters += [reporter, truth]
    simulation.step(steps)
    reporter.close()
    return gpz.open(reporter._path)


def assert_within(values, truth, factor, bound):
    """In exact arithmetic."""
    assert values.shape == truth.shape
    for value, true in zip(values.ravel().tolist(), truth.ravel().tolist()):
        assert abs(Fraction(value) - Fraction(factor) * Fraction(true)) <= Fraction(bound)


def rounded(truth, divisor):
    """Each value divided in exact arithmetic, and rounded once."""
    return np.array([float(Fraction(value) / Fraction(divisor)) for value in np.ravel(truth).tolist()]).reshape(np.shape(truth))


@pytest.mark.parametrize("vectors", [None, TRICLINIC], ids=["orthogonal", "triclinic"])
def test_every_value_is_that_of_the_state(path, vectors):
    simulation = simulation_of(*water(vectors=vectors, pressure=True))
    truth = Truth(5)
    reporter = GPZReporter(
        path, 5, eb=0.0003, velocities=True, forces=True, potentialEnergy=True, kineticEnergy=True, totalEnergy=True
    )
    with run(simulation, reporter, truth, 40) as file:
        assert file.units == "real" and file.timesteps.tolist() == truth.steps == list(range(5, 45, 5))
        assert file.elements == ["O", "H", "Na", "Cl"] and file.metadata["timestep_size"] == 1
        for k, frame in enumerate(file):
            assert frame.time == truth.times[k] * 1000
            assert frame.box == gpz.Box.from_vectors(truth.boxes[k] * 10)
            assert frame.position_columns == ("x", "y", "z") and frame.position_bound == 0.003
            assert_within(frame.positions, truth.positions[k], 10, 0.003)
            assert np.array_equal(frame.velocities, rounded(truth.velocities[k], 100))
            assert np.array_equal(frame.forces, truth.forces[k] / 41.84)
            assert [file.elements[t - 1] for t in frame.types] == [atom.element.symbol for atom in simulation.topology.atoms()]
            assert frame.ids.tolist() == list(range(1, simulation.topology.getNumAtoms() + 1))
            potential, kinetic = truth.potentials[k], truth.kinetics[k]
            energies = [potential / 4.184, kinetic / 4.184, (potential + kinetic) / 4.184]
            assert frame.observables == dict(zip(("PotEng", "KinEng", "TotEng"), energies))
            assert set(frame.observables.units.values()) == {"kcal/mol"}
        assert (np.diff(file[0].box.tilt) != 0).any() == (vectors is not None)
        assert len({frame.box.volume for frame in file}) > 1  # of the barostat


def test_bounds_are_quantities_and_hold(path):
    simulation = simulation_of(*water())
    truth = Truth(2)
    reporter = GPZReporter(
        path,
        2,
        eb=0.02 * unit.angstrom,
        velocities=True,
        velocity_eb=1 * unit.angstrom / unit.nanosecond,
        forces=True,
        force_eb=0.5 * unit.kilocalorie_per_mole / unit.angstrom,
        key_interval=4,
        order="id",
        effort="dense",
    )
    with run(simulation, reporter, truth, 12) as file:
        assert {name: bound for name, bound in file[0].bounds.items() if bound} == pytest.approx(
            {**dict.fromkeys(("x", "y", "z"), 0.02), **dict.fromkeys(("vx", "vy", "vz"), 1e-6), **dict.fromkeys(("fx", "fy", "fz"), 0.5)}
        )
        for frame, positions, velocities, forces in zip(file, truth.positions, truth.velocities, truth.forces):
            assert_within(frame.positions, positions, 10, frame.bounds["x"])
            assert np.abs(frame.velocities - velocities / 100).max() <= frame.bounds["vx"]
            assert np.abs(frame.forces - forces / 41.84).max() <= frame.bounds["fx"]
        assert file.key_frames.tolist() == [True, False, False, False, True, False]


def test_a_thermal_bound(path):
    simulation = simulation_of(*water())
    reporter = GPZReporter(path, 1, velocities=True, velocity_eb="thermal")
    with run(simulation, reporter, Truth(1), 2) as file:
        heaviest = np.sqrt((file[0].velocities[file[0].types == 1] ** 2).mean())  # oxygen; the ions are single
        assert 0.0009 * heaviest < file[0].bounds["vx"] <= 0.0011 * heaviest
        assert file[0].position_bound == 0.0005  # of units real


def test_exact_positions(path):
    simulation = simulation_of(*water())
    truth = Truth(1)
    with run(simulation, GPZReporter(path, 1, eb=0), truth, 3) as file:
        for frame, positions in zip(file, truth.positions):
            assert np.array_equal(frame.positions, rounded(positions, Fraction(1, 10)))


@pytest.mark.parametrize(("enforce", "columns"), [(None, "xyz"), (True, "xyz"), (False, ("xu", "yu", "zu"))])
def test_positions_are_wrapped_as_asked(path, enforce, columns):
    """Molecules that start many boxes away show the difference."""
    topology, system, positions = water()
    far = np.array(positions.value_in_unit(unit.nanometer)) + [3.3, -2.2, 0]
    simulation = simulation_of(topology, system, far * unit.nanometer)
    truth = Truth(3, periodic=enforce)
    with run(simulation, GPZReporter(path, 3, enforcePeriodicBox=enforce), truth, 6) as file:
        assert file[0].position_columns == tuple(columns)
        for frame, expected in zip(file, truth.positions):
            assert_within(frame.positions, expected, 10, frame.position_bound)
        assert (file[0].positions[:, 0].max() > 30) == (enforce is False)


def test_a_system_without_a_box(path):
    topology, system, positions = water(pressure=False)
    system.getForces()
    for force in system.getForces():
        if isinstance(force, openmm.NonbondedForce):
            force.setNonbondedMethod(openmm.NonbondedForce.NoCutoff)
    truth = Truth(2)
    with run(simulation_of(topology, system, positions), GPZReporter(path, 2, enforcePeriodicBox=False), truth, 4) as file:
        assert file[0].box is None and file[0].position_columns == ("x", "y", "z")
        assert_within(file[1].positions, truth.positions[1], 10, 0.0005)


def test_virtual_sites(path):
    topology, system, positions = water("tip4pew")
    assert any(system.isVirtualSite(k) for k in range(system.getNumParticles()))
    truth = Truth(2)
    with run(simulation_of(topology, system, positions), GPZReporter(path, 2, eb=0.0001), truth, 6) as file:
        assert file.elements == ["O", "H", "", "Na", "Cl"]
        assert file[0].types[:4].tolist() == [1, 2, 2, 3]
        atoms = file.tables()["atoms"]
        assert atoms["name"][:4].tolist() == ["O", "H1", "H2", "M"] and atoms["mass"][3] == 0 and atoms["q"][0] == 0
        for frame, expected in zip(file, truth.positions):
            assert_within(frame.positions, expected, 10, 0.001)


@pytest.mark.parametrize(("subset", "ids"), [([0, 1, 2, 75, 76], [1, 2, 3, 76, 77]), (np.array([76, 2, 0]), [1, 2, 3])])
def test_a_subset(path, subset, ids):
    """Indices that do not ascend keep their order: the atoms are numbered."""
    simulation = simulation_of(*water())
    truth = Truth(2)
    reporter = GPZReporter(path, 2, atomSubset=subset, velocities=True)
    names = [atom.name for atom in simulation.topology.atoms()]
    with run(simulation, reporter, truth, 4) as file:
        for frame, positions, velocities in zip(file, truth.positions, truth.velocities):
            assert frame.ids.tolist() == ids
            assert_within(frame.positions, positions[subset], 10, 0.0005)
            assert np.array_equal(frame.velocities, rounded(velocities[subset], 100))
        tables = file.tables()
        assert tables["atoms"]["name"].tolist() == [names[k] for k in subset]
        assert tables["atoms"]["id"].tolist() == ids
        bonds = {(0, 1), (0, 2)} if len(subset) == 5 else {(2, 1)}  # rows of the subset
        assert set(zip(tables["bonds"]["atom1"].tolist(), tables["bonds"]["atom2"].tolist())) == {
            tuple(ids[row] for row in pair) for pair in bonds
        }


@pytest.mark.parametrize("integrator", [None, openmm.VerletIntegrator(0.001), openmm.VariableVerletIntegrator(0.001)])
def test_observables_are_those_of_the_state_data_reporter(path, integrator):
    simulation = simulation_of(*water(pressure=True), integrator=integrator)
    flags = dict.fromkeys(("potentialEnergy", "kineticEnergy", "totalEnergy", "temperature", "volume", "density"), True)
    text = io.StringIO()
    simulation.reporters.append(app.StateDataReporter(text, 2, **flags))
    with run(simulation, GPZReporter(path, 2, **flags), Truth(2), 6) as file:
        rows = np.loadtxt(io.StringIO(text.getvalue()), delimiter=",", comments="#")
        table = file.observables()
        names = ("PotEng", "KinEng", "TotEng", "Temp", "Volume", "Density")
        found = np.column_stack([table[name] for name in names])
        assert found == pytest.approx(rows / [4.184, 4.184, 4.184, 1, 0.001, 1], rel=1e-9)
        assert [file[0].observables.units[name] for name in names] == [
            "kcal/mol", "kcal/mol", "kcal/mol", "Kelvin", "Angstroms^3", "g/cm^3"
        ]  # fmt: skip
        assert (file.metadata["timestep_size"] > 0) == (not isinstance(integrator, openmm.VariableVerletIntegrator))


def test_energies_of_some_atoms_are_those_of_all(path):
    simulation = simulation_of(*water())
    with run(simulation, GPZReporter(path, 2, atomSubset=[0, 1, 2], potentialEnergy=True), Truth(2), 2) as file:
        atoms = simulation.system.getNumParticles()
        assert list(file[0].observables) == ["PotEng", "Atoms"] and file[0].observables["Atoms"] == atoms > file[0].n_particles


def test_reports_of_several_reporters_and_steps(path, tmp_path):
    """The next report is at the next multiple of the interval, whatever step the simulation is at."""
    simulation = simulation_of(*water())
    simulation.currentStep = 3
    every = GPZReporter(tmp_path / "every.gpz", 2)
    simulation.reporters += [GPZReporter(path, 5), every]
    simulation.step(9)
    simulation.step(4)
    for reporter in simulation.reporters:
        reporter.close()
    assert gpz.open(path).timesteps.tolist() == [5, 10, 15]
    assert gpz.open(tmp_path / "every.gpz").timesteps.tolist() == [4, 6, 8, 10, 12, 14, 16]


@pytest.mark.parametrize(("version", "form"), [("8.1", tuple), ("8.1.1.dev0", tuple), ("8.2", dict), ("10.0", dict)])
def test_both_forms_of_a_description(path, monkeypatch, version, form):
    """OpenMM from 8.2 on converts tuples as well, so that both run."""
    monkeypatch.setattr(openmm.Platform, "getOpenMMVersion", staticmethod(lambda: version))
    simulation = simulation_of(*water())
    truth = Truth(2, periodic=False)
    reporter = GPZReporter(path, 2, enforcePeriodicBox=False, forces=True, temperature=True)
    described = reporter.describeNextReport(simulation)
    assert type(described) is form
    if form is tuple:
        assert described == (2, True, False, True, True, False)
    else:
        assert described == {"steps": 2, "periodic": False, "include": ["positions", "forces", "energy"]}
    with run(simulation, reporter, truth, 2) as file:
        assert np.array_equal(file[0].forces, truth.forces[0] / 41.84)
