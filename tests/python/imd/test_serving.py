# SPDX-License-Identifier: BSD-3-Clause
"""A file as a stream: read by gpz record, by imdclient's own client, and by a client of the tests."""

import signal
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import DISCONNECT, GO, frames_of, greeting, message, packed
from imdclient.IMDClient import IMDClient

import gpz
import gpz.imd

PAUSE, RESUME = 7, 11


@pytest.fixture
def source(tmp_path):
    """A file in real units, with a box, velocities, forces and energies."""
    path = tmp_path / "source.gpz"
    with gpz.Writer(path, units="real", bound=0, metadata={"timestep_size": 2.0}) as writer:
        for frame in frames_of(6):
            writer.write(
                positions=frame.positions, ids=np.arange(1, 51), velocities=frame.velocities, forces=frame.forces, box=gpz.Box.from_vectors(frame.box),
                timestep=frame.step, time=frame.time, observables={"PotEng": (float(frame.energies[2]), "kcal/mol"), "Temp": 300.0},
            )  # fmt: skip
    return path


class Served:
    """A server in a thread, for so many clients."""

    def __init__(self, path, clients=1, **options):
        self.sent = []
        self._trajectory = gpz.open(path)
        self.server = gpz.imd.Server(self._trajectory, **options)
        self.url = f"imd://127.0.0.1:{self.server.port}"
        self._thread = threading.Thread(target=lambda: self.sent.extend(self.server.serve() for _ in range(clients)), daemon=True)
        self._thread.start()

    def done(self):
        self._thread.join(30)
        assert not self._thread.is_alive()
        self.server.close()
        return self.sent


def test_not_recorded_over_itself(source, tmp_path):
    """By this program or another one. Frames may be added to the file meanwhile."""
    before = source.read_bytes()
    (tmp_path / "link.gpz").symlink_to(source)
    served = Served(source, clients=2)
    with pytest.raises(gpz.ArgumentError, match="open for reading in this program"):
        gpz.imd.record(served.url, tmp_path / "link.gpz")
    command = [sys.executable, "-m", "gpz.programs.record", served.url, str(source), "-q"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    served.done()
    assert ended.returncode == 2 and "is being read by another program, and would be emptied" in ended.stderr
    assert source.read_bytes() == before


def test_recorded_as_it_is(source, tmp_path):
    served = Served(source, clients=2, convert=False)
    for name in ("one.gpz", "two.gpz"):
        report = gpz.imd.record(served.url, tmp_path / name, units="real", bound=0)
        assert report.frames == 6 and not report.cut
        with gpz.open(source) as file, gpz.open(tmp_path / name) as copy:
            assert copy.metadata["timestep_size"] == 2 and copy.timesteps.tolist() == file.timesteps.tolist()
            for found, expected in zip(copy, file):
                assert np.array_equal(found.positions, expected.positions) and found.time == expected.time
                assert np.array_equal(found.velocities, expected.velocities)
                assert np.array_equal(found.forces, expected.forces) and found.box == expected.box
                assert found.observables["PotEng"] == expected.observables["PotEng"] and np.isnan(found.observables["E_bond"])
    assert served.done() == [6, 6]


def test_energies_are_those_of_all_atoms(tmp_path):
    """Those per atom are multiplied; some of the atoms have none."""
    for name, observables in (("a.gpz", {"PotEng": (-2.0, "kcal/mol/atom")}), ("b.gpz", {"PotEng": -6.0, "Atoms": 4.0})):
        with gpz.Writer(tmp_path / name, units="real", metadata={"timestep_size": 2.0}) as writer:
            writer.write(positions=np.eye(3), ids=[1, 2, 3], observables=observables)
    served = Served(tmp_path / "a.gpz", convert=False)
    gpz.imd.record(served.url, tmp_path / "c.gpz", units="real")
    with gpz.open(tmp_path / "c.gpz") as copy:
        assert copy[0].observables["PotEng"] == -6
    with pytest.warns(UserWarning, match="b.gpz: PotEng of 4 atoms is left out, because frames have 3"):
        served = Served(tmp_path / "b.gpz")
    gpz.imd.record(served.url, tmp_path / "d.gpz")
    with gpz.open(tmp_path / "d.gpz") as copy:
        assert not copy[0].observables


def test_imdclient_reads_it_in_its_units(source):
    served = Served(source, frames=range(1, 6, 2))
    client = IMDClient("127.0.0.1", served.server.port, 50, multithreaded=False)
    session = client.get_imdsessioninfo()
    assert session.version == 3 and session.wrapped_coords and session.energies and session.box and session.velocities and session.forces
    for sent in frames_of(6)[1::2]:
        frame = client.get_imdframe()
        assert frame.step == sent.step and frame.time == pytest.approx(sent.time / 1000) and frame.dt == pytest.approx(0.002)
        assert frame.positions == pytest.approx(sent.positions, rel=1e-6)
        assert frame.velocities == pytest.approx(sent.velocities * 1000, rel=1e-6)
        assert frame.forces == pytest.approx(sent.forces * 4.184, rel=1e-6)
        assert frame.box == pytest.approx(sent.box, rel=1e-6)
        assert frame.energies["potential_energy"] == pytest.approx(sent.energies[2] * 4.184, rel=1e-6)
        assert frame.energies["temperature"] == 300
    with pytest.raises(EOFError):
        client.get_imdframe()
    assert served.done() == [3]


def test_pause_resume_and_disconnect(tmp_path):
    path = tmp_path / "plain.gpz"
    frames = frames_of(3)
    with gpz.Writer(path, bound=0) as writer:
        for frame in frames:
            writer.write(xu=frame.positions[:, 0], yu=frame.positions[:, 1], zu=frame.positions[:, 2], timestep=frame.step)
    served = Served(path, clients=2)
    with socket.create_connection(("127.0.0.1", served.server.port)) as client, client.makefile("rb") as stream:
        hello = greeting(("time", "positions"), wrapped=False)
        assert stream.read(len(hello)) == hello
        client.sendall(message(GO, 0) + message(PAUSE, 0) + message(PAUSE, 0))
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)
        client.setblocking(True)
        client.sendall(message(RESUME, 0))
        expected = b"".join(packed(frame._replace(time=0.0), ("time", "positions")) for frame in frames)
        received = stream.read()
        assert len(received) == len(expected)
        vectors = [np.frombuffer(data[40:640], "<f4") for data in (received, expected)]
        assert np.array_equal(*vectors)
    with socket.create_connection(("127.0.0.1", served.server.port)) as client, client.makefile("rb") as stream:
        client.sendall(message(GO, 0) + message(DISCONNECT, 0))
        stream.read()
    assert served.done()[0] == 3 and served.sent[1] <= 1


def test_the_program(source, tmp_path):
    command = [sys.executable, "-m", "gpz.programs.serve", str(source), "--port", "0", "--frames", ":2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        for name in ("one.gpz", "two.gpz"):
            assert gpz.imd.record(url, tmp_path / name).frames == 2
            assert process.stdout.readline() == "2 frames sent\n"
        assert gpz.open(tmp_path / "one.gpz").units == "metal"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM


@pytest.mark.parametrize(("arguments", "code", "said"), [
    (["missing.gpz"], 3, "missing.gpz"),
    (["source.gpz", "--frames", "9:"], 2, "source.gpz: --frames: the file has no such frame"),
    (["source.gpz", "--port", "99999"], 2, "--port: a whole number from 0 to 65535, not '99999'"),
    (["changing.gpz"], 6, "the number of particles changes from 1 to 2"),
])  # fmt: skip
def test_what_is_refused(source, tmp_path, arguments, code, said):
    with gpz.Writer(tmp_path / "changing.gpz") as writer:
        writer.write(positions=[[0.0, 0, 0]])
        writer.write(positions=[[0.0, 0, 0]] * 2)
    command = [sys.executable, "-m", "gpz.programs.serve", *arguments]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == code and run.stderr.startswith("gpz serve: ") and said in run.stderr and run.stderr.count("\n") == 1
