# SPDX-License-Identifier: BSD-3-Clause
"""Real runs of LAMMPS with fix imd, recorded, and compared with the text dump of the same run."""

import os
import socket
import subprocess

import numpy as np
import pytest
from runs import read_text

import gpz
import gpz.imd

COLUMNS = "vx vy vz fx fy fz"
INPUT = """
units {units}
atom_style atomic
lattice fcc {lattice}
region box prism -2 2 -2 2 0 4 {tilt} 0 0
create_box 1 box
create_atoms 1 box
mass 1 {mass}
pair_style lj/cut {cutoff}
pair_coeff 1 1 {energy} {sigma}
velocity all create {temperature} 87287 loop geom
fix move all nve
fix stream all imd {port} version 3 trate 5 {options}
dump truth all custom 5 truth.dump id {positions} {columns}
dump_modify truth sort id format float %.17g
run {steps}
"""
LJ = {"units": "lj", "lattice": 0.8442, "mass": 1, "cutoff": 2.5, "energy": 1, "sigma": 1, "temperature": 3, "tilt": 0}
ARGON = {
    "units": "real", "lattice": 5.3, "mass": 39.948, "cutoff": 8, "energy": 0.238, "sigma": 3.405, "temperature": 300, "tilt": 1
}  # fmt: skip


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Run:
    """LAMMPS as a process of one rank, which waits for a recorder. With several ranks, fix imd ends the run when it sends the first frame."""

    def __init__(self, folder, material, steps=50, options="", positions="x y z"):
        self.folder, self.port = folder, free_port()
        text = INPUT.format(**material, port=self.port, steps=steps, options=options, positions=positions, columns=COLUMNS)
        (folder / "in.stream").write_text(text)
        command = [os.environ["LAMMPS_BINARY"], "-in", "in.stream", "-log", "none"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.url = f"imd://127.0.0.1:{self.port}"

    def wait_until_it_listens(self):
        for line in self.process.stdout:
            if "Waiting for IMD connection" in line:
                return
        raise AssertionError(f"LAMMPS ended with {self.process.wait()}")

    def ends(self):
        """Its exit code."""
        self.process.stdout.read()
        return self.process.wait(60)

    def truth(self):
        """Without step 0, which a fix does not see."""
        return [frame for frame in read_text(self.folder / "truth.dump") if frame["timestep"]]


@pytest.fixture
def start(tmp_path):
    runs = []

    def started(*arguments, **options):
        runs.append(Run(tmp_path, *arguments, **options))
        runs[-1].wait_until_it_listens()
        return runs[-1]

    yield started
    for run in runs:
        run.process.kill()
        run.process.communicate()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "traj.gpz"


def compare(path, truth, positions="x y z", bound=0.0005):
    with gpz.open(path) as file:
        assert file.timesteps.tolist() == [frame["timestep"] for frame in truth] and not file.torn
        for frame, expected in zip(file, truth):
            columns = expected["columns"]
            assert frame.ids.tolist() == columns["id"].tolist() and frame.position_columns == tuple(positions.split())
            for name in positions.split():
                assert np.abs(frame[name].astype(np.float64) - columns[name].astype(np.float32)).max() <= bound
            for name in COLUMNS.split():
                assert np.array_equal(frame[name], columns[name].astype(np.float32))
            assert np.array_equal(frame.box.matrix, expected["matrix"].astype(np.float32))


@pytest.mark.parametrize(
    ("material", "options", "positions"),
    [(LJ, "", "x y z"), (LJ, "unwrap on", "xu yu zu"), (ARGON, "unwrap on", "xu yu zu")],
    ids=["lj", "lj unwrapped", "triclinic unwrapped"],
)
def test_every_frame_of_a_run(start, path, material, options, positions):
    run = start(material, 60, options, positions)
    report = gpz.imd.record(run.url, path, units=material["units"], bound=0.002, key_interval=5)
    assert run.ends() == 0
    truth = run.truth()
    assert report.frames == len(truth) == 12 and not report.missing and not report.cut
    compare(path, truth, positions, 0.002)
    with gpz.open(path) as file:
        step = 0.005 if material is LJ else 1.0
        assert file.units == material["units"] and file.metadata["timestep_size"] == step
        assert file.times == pytest.approx(file.timesteps * step) and file.key_frames[5]


def test_lammps_goes_on_when_the_recorder_leaves(start, path):
    run = start(LJ, 400, "nowait off")
    recorder = gpz.imd.Recorder(run.url, path, units="lj", progress=lambda report: report.frames == 5 and leave())

    def leave():
        assert run.process.poll() is None
        recorder.stop()

    report = recorder.run()
    assert 5 <= report.frames and not report.cut
    again = gpz.imd.record(run.url, path, units="lj", append=True)  # LAMMPS waits for it
    assert run.ends() == 0 and again.repeated == 0
    compare(path, [frame for frame in run.truth() if frame["timestep"] in set(gpz.open(path).timesteps.tolist())])
    assert report.frames + again.frames >= 79  # of 80: the one in whose step nobody listened may be lost


def test_lammps_is_killed(start, path):
    run = start(LJ, 100_000)
    report = gpz.imd.record(run.url, path, units="lj", progress=lambda report: report.frames == 5 and run.process.kill())
    assert run.ends() == -9
    assert report.frames >= 5 and gpz.open(path).timesteps.tolist() == list(range(5, 5 * report.frames + 5, 5))
    assert not gpz.open(path).torn
