# SPDX-License-Identifier: BSD-3-Clause
"""Files of runs that end early and go on."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import Truth, simulation_of, water

import gpz
from gpz.openmm import GPZReporter

BROKEN_OFF = """
import os, sys
sys.path.insert(0, sys.argv[2])
from conftest import simulation_of, water
from gpz.openmm import GPZReporter

simulation = simulation_of(*water())
simulation.reporters.append(GPZReporter(sys.argv[1], 2, velocities=True))
simulation.step(9)
if sys.argv[3] == "kill":
    os._exit(9)  # neither close() nor the end of the interpreter
"""


def started(path, interval=2, **arguments):
    simulation = simulation_of(*water())
    reporter = GPZReporter(path, interval, **arguments)
    simulation.reporters.append(reporter)
    return simulation, reporter


def test_frames_are_readable_after_each_report(path):
    simulation, reporter = started(path, sync=True)
    for count in range(1, 4):
        simulation.step(2)
        with gpz.open(path) as file:
            assert len(file) == count and not file.torn and len(file[count - 1].positions) == 77
    reporter.close()


@pytest.mark.parametrize("end", ["exit", "kill"])
def test_a_process_that_ends_without_close(path, end):
    run = subprocess.run(
        [sys.executable, "-c", BROKEN_OFF, path, Path(__file__).parent, end], env=os.environ, capture_output=True, text=True
    )
    assert run.returncode == (9 if end == "kill" else 0) and run.stderr == ""
    with gpz.open(path) as file:
        assert file.timesteps.tolist() == [2, 4, 6, 8] and not file.torn
    simulation, reporter = started(path, append=True, velocities=True)
    simulation.currentStep = 8
    with reporter:
        simulation.step(4)
    assert gpz.open(path).timesteps.tolist() == [2, 4, 6, 8, 10, 12]


def test_a_reporter_that_nobody_has_any_more_closes_its_file(path):
    simulation, reporter = started(path)
    simulation.step(2)
    before = path.stat().st_size
    simulation.reporters.clear()
    del reporter
    assert path.stat().st_size > before  # the index


def test_repeated_steps_of_a_run_from_a_checkpoint(path):
    """The file keeps the frames that it has, as with dump_modify append; nothing is computed for the steps that it has."""
    simulation, reporter = started(path, eb=0.001)
    simulation.step(4)
    checkpoint = simulation.context.createCheckpoint()
    simulation.step(6)
    reporter.close()
    before = path.read_bytes()
    first = [frame.positions for frame in gpz.open(path)]

    simulation, reporter = started(path, append=True)
    simulation.context.loadCheckpoint(checkpoint)
    assert simulation.currentStep == 4
    assert reporter.describeNextReport(simulation)["steps"] == 8
    truth = Truth(2)
    simulation.reporters.append(truth)
    simulation.step(6)
    assert path.read_bytes()[:100] == before[:100] and len(gpz.open(path)) == 5
    simulation.step(4)
    reporter.close()
    with gpz.open(path) as file:
        assert file.timesteps.tolist() == [2, 4, 6, 8, 10, 12, 14]
        assert all(np.array_equal(frame.positions, expected) for frame, expected in zip(file, first))
        assert np.abs(file[6].positions - truth.positions[-1] * 10).max() <= 0.01 == file[6].position_bound
        assert len(file.table_frames) == 1  # tables that the file has are not repeated


def test_a_run_from_the_start_warns(path):
    simulation, reporter = started(path)
    simulation.step(4)
    reporter.close()
    simulation, reporter = started(path, append=True)
    with pytest.warns(UserWarning, match="starts with step 2, .* continues with step 2: all frames are added"):
        simulation.step(2)
    reporter.close()
    assert gpz.open(path).timesteps.tolist() == [2, 4, 2]


def test_append_to_a_missing_file_makes_it(path):
    simulation, reporter = started(path, append=True, eb=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.step(2)
    reporter.close()
    assert gpz.open(path)[0].position_bound == 0.1


def test_nothing_is_written_before_the_first_steps(path):
    path.write_text("another")
    reporter = GPZReporter(path, 2)
    reporter.close()
    assert path.read_text() == "another"
    with pytest.raises(ValueError, match="traj.gpz: the reporter is closed"):
        reporter.describeNextReport(simulation_of(*water()))


def test_an_error_of_the_file_comes_before_the_first_step(tmp_path):
    simulation, _ = started(tmp_path / "missing" / "traj.gpz")
    with pytest.raises(FileNotFoundError, match="traj.gpz"):
        simulation.step(2)
    assert simulation.currentStep == 0


def test_a_topology_of_another_system(path):
    topology, system, positions = water()
    simulation = simulation_of(topology, system, positions)
    simulation.topology = water(molecules=26)[0]
    simulation.reporters.append(GPZReporter(path, 2))
    with pytest.raises(gpz.ArgumentError, match="the system has 77 particles, and the topology 74 atoms"):
        simulation.step(2)
    assert not path.exists()


def test_a_state_of_the_caller(path):
    """Without Simulation.step: the first frame may be that of the start."""
    simulation, reporter = started(path)
    with reporter:
        reporter.report(simulation, simulation.context.getState(positions=True))
        simulation.step(2)
    assert gpz.open(path).timesteps.tolist() == [0, 2]


@pytest.mark.parametrize(("arguments", "said"), [
    ({"eb": 0.01}, "bound=0.1, and the file has 0.01"),
    ({"atomSubset": [0, 1, 2]}, "77 atoms, and these are 3"),
    ({"velocities": True}, "columns id type x y z, not id type vx vy vz x y z"),
    ({"enforcePeriodicBox": False}, "columns id type x y z, not id type xu yu zu"),
])  # fmt: skip
def test_what_contradicts_the_file_is_refused_before_the_first_step(path, arguments, said):
    simulation, reporter = started(path, eb=0.001)
    simulation.step(2)
    reporter.close()
    before = path.read_bytes()
    simulation, _ = started(path, append=True, **arguments)
    with pytest.raises(gpz.ArgumentError, match=f"traj.gpz: append: .*{said}"):
        simulation.step(2)
    assert simulation.currentStep == 0 and path.read_bytes() == before


def test_another_timestep_goes_on_with_its_times(path):
    """Each frame has its time: 2 steps of 1 fs, then 2 of 2 fs."""
    simulation, reporter = started(path)
    simulation.step(2)
    reporter.close()
    end = simulation.context.getTime()
    simulation, reporter = started(path, append=True)
    simulation.context.setTime(end)
    simulation.currentStep = 2
    simulation.integrator.setStepSize(0.002)
    simulation.step(2)
    reporter.close()
    file = gpz.open(path)
    assert file.timesteps.tolist() == [2, 4] and file.metadata["timestep_size"] == 1
    assert np.allclose(file.times, [2, 6])
