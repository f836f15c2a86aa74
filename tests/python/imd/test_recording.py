# SPDX-License-Identifier: BSD-3-Clause
"""Frames in the file are those that the engine sent."""

import json
import threading
from fractions import Fraction

import numpy as np
import pytest
from conftest import ALL, DISCONNECT, ENERGY_NAMES, GO, Engine, frames_of, greeting, packed, run

import gpz
import gpz.imd

KJ = Fraction("1.602176634e-19") * Fraction("6.02214076e23") / 1000  # eV in kJ/mol


def compare(file, frames, sends=ALL, wrapped=True, bound=0.0005, units="metal", factor=1):
    """factor: kJ/mol in the energy of the file."""
    assert file.units == units and file.timesteps.tolist() == [frame.step for frame in frames]
    for found, sent in zip(file, frames):
        assert found.ids.tolist() == list(range(1, len(sent.positions) + 1))
        assert found.position_columns == (("x", "y", "z") if wrapped or "box" not in sends else ("xu", "yu", "zu"))
        assert np.abs(found.positions.astype(np.float64) - sent.positions).max() <= bound
        assert found.time == (sent.time if "time" in sends else None)
        assert (found.box == gpz.Box.from_vectors(sent.box)) if "box" in sends else found.box is None
        assert np.array_equal(found.velocities, sent.velocities) if "velocities" in sends else found.velocities is None
        forces = (sent.forces.astype(np.float64) * float(factor)).astype(np.float32)
        assert np.allclose(found.forces, forces, rtol=2e-7, atol=0) if "forces" in sends else found.forces is None
        if "energies" in sends:
            energies = [float(sent.energies[0]), *(float(value) * float(factor) for value in sent.energies[1:])]
            assert list(found.observables) == list(ENERGY_NAMES)
            assert list(found.observables.values()) == pytest.approx(energies, rel=1e-12)
        else:
            assert not found.observables


@pytest.mark.parametrize(
    ("sends", "end", "wrapped"),
    [(ALL, "<", True), (ALL, ">", False), (("time", "positions"), "<", False), (("time", "box", "positions", "forces"), "<", True)],
)
@pytest.mark.parametrize("units", [None, "real"])
def test_every_value(path, sends, end, wrapped, units):
    frames = frames_of(7)
    engine = Engine([packed(frame, sends, end) for frame in frames], hello=greeting(sends, end, wrapped))
    report = gpz.imd.record(engine.url, path, units=units, bound=0.002)
    assert (report.frames, report.first_step, report.last_step) == (7, 10, 70) and report.bytes == path.stat().st_size
    assert not report.missing and not report.cut and report.connections == 1
    assert engine.done()[0] == GO
    with gpz.open(path) as file:
        compare(file, frames, sends, wrapped, 0.002, units or "metal", 1 / KJ if units is None else 1)
        assert file.metadata["timestep_size"] == 0.002 and not file.torn and file[0].position_bound == 0.002
        if units is None and "energies" in sends:
            assert set(file[0].observables.units.values()) == {"Kelvin", "eV"}


def test_boxes_of_zeros_are_none(path):
    """Engines send them for a system that is not periodic."""
    frames = [frame._replace(box=np.zeros((3, 3), np.float32)) for frame in frames_of(3)]
    engine = Engine([packed(frame) for frame in frames], hello=greeting(wrapped=False))
    assert gpz.imd.record(engine.url, path).frames == 3
    with gpz.open(path) as file:
        for found, sent in zip(file, frames, strict=True):
            assert found.box is None and found.position_columns == ("x", "y", "z")
            assert np.abs(found.positions.astype(np.float64) - sent.positions).max() <= 0.0005


def test_frames_without_steps_are_numbered(path):
    frames = frames_of(3)
    engine = Engine([packed(frame, ("positions",)) for frame in frames], hello=greeting(("positions",)))
    report = gpz.imd.record(engine.url, path)
    assert report.frames == 3 and report.first_step is None
    assert gpz.open(path).timesteps.tolist() == [0, 1, 2] and gpz.open(path)[0].time is None


def test_the_program(path):
    frames = frames_of(6)
    engine = Engine([packed(frame) for frame in frames])
    options = ["--eb", "0.01", "--bound", "velocities=0.001", "--bound", "f*=0.02", "--key", "3", "--effort", "dense", "--order", "id"]
    code, out, err = run(engine.url, path, *options, "--units", "metal", "--threads", "2", "--json")
    assert (code, err) == (0, "") and json.loads(out) == {
        "frames": 6, "repeated": 0, "bytes": path.stat().st_size, "first_step": 10, "last_step": 60, "missing": [],
        "connections": 1, "cut": False,
    }  # fmt: skip
    with gpz.open(path) as file:
        assert file.key_frames.tolist() == [True, False, False] * 2
        assert {name: bound for name, bound in file[0].bounds.items() if bound} == {"x": 0.01, "y": 0.01, "z": 0.01, **dict.fromkeys(("vx", "vy", "vz"), 0.001), **dict.fromkeys(("fx", "fy", "fz"), 0.02)}
        for found, sent in zip(file, frames):
            assert np.abs(found.positions.astype(float) - sent.positions).max() <= 0.01
            assert np.abs(found.velocities.astype(float) - sent.velocities).max() <= 0.001
            assert np.abs(found.forces.astype(float) - sent.forces).max() <= 0.02


def test_few_frames_have_one_key_interval(path):
    for key in ("auto", "100"):
        code, _, err = run(Engine([packed(frame) for frame in frames_of(4)]).url, path.with_name(f"{key}.gpz"), "--key", key)
        assert (code, err) == (0, "")
    assert path.with_name("auto.gpz").read_bytes() == path.with_name("100.gpz").read_bytes()


def test_frames_that_are_missing_are_named(path):
    frames = [frame for frame in frames_of(9) if frame.step not in (40, 50, 80)]
    code, out, err = run(Engine([packed(frame) for frame in frames]).url, path)
    assert code == 0 and out == f"{path}: 6 frames, steps 10 to 90, {path.stat().st_size} bytes\n"
    assert err.splitlines() == [
        "gpz record: frames are missing between the steps 30 and 60",
        "gpz record: frames are missing between the steps 70 and 90",
    ]
    compare(gpz.open(path), frames, factor=1 / KJ)


def test_a_number_of_frames(path):
    """The engine is let go, and what it sends until it hears so is read, so that none of its writes fails."""
    frames = frames_of(40, atoms=20_000)

    def talk(connection):
        for frame in frames:
            connection.sendall(packed(frame))
        engine.hear(connection)

    engine = Engine(talk)
    report = gpz.imd.record(engine.url, path, frames=3)
    assert engine.done() == [GO, DISCONNECT] and report.frames == 3 and len(gpz.open(path)) == 3


def test_a_slow_recorder_makes_the_engine_wait(path):
    """Nothing is lost, and memory does not grow: the engine cannot send all while no frame is written."""
    frames = frames_of(60, atoms=20_000)
    blocked, unblocked, sent = threading.Event(), threading.Event(), []

    def talk(connection):
        connection.sendall(packed(frames[0]))
        assert blocked.wait(30)
        connection.settimeout(1)
        try:
            for number, frame in enumerate(frames[1:], 1):
                rest = memoryview(packed(frame))
                while len(rest):
                    rest = rest[connection.send(rest) :]
                sent.append(number)
        except TimeoutError:
            pass
        assert len(sent) < 50  # the others do not fit into the buffers of the system
        unblocked.set()
        connection.settimeout(None)
        connection.sendall(rest)
        connection.sendall(b"".join(packed(frame) for frame in frames[number + 1 :]))

    def progress(report):
        if report.frames == 1:
            blocked.set()
            assert unblocked.wait(60)

    engine = Engine(talk)
    report = gpz.imd.record(engine.url, path, buffer=1, effort="fast", progress=progress)
    engine.done()
    assert report.frames == 60 and not report.missing
    assert gpz.open(path).timesteps.tolist() == [frame.step for frame in frames]
