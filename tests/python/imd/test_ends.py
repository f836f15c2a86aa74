# SPDX-License-Identifier: BSD-3-Clause
"""However a stream ends, the file is complete, and the exit code says how it ended."""

import json
import signal
import socket
import struct
import tracemalloc

import pytest
from conftest import (
    CLOSE,
    COORDINATES,
    DISCONNECT,
    GO,
    TIME,
    Engine,
    frames_of,
    greeting,
    message,
    packed,
    program,
    run,
)
from test_recording import KJ, compare

import gpz
import gpz.imd

FRAMES = frames_of(5)
STREAM = b"".join(packed(frame) for frame in FRAMES)
SIZE = len(STREAM) // 5


def reset(connection):
    """As the system does for a process that is killed while messages for it wait."""
    connection.sendall(STREAM)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def complete(path, frames):
    with gpz.open(path) as file:
        assert not file.torn and not file.damaged
        compare(file, frames, factor=1 / KJ)


@pytest.mark.parametrize(
    "talk", [[STREAM], [STREAM, message(DISCONNECT, 0)]], ids=["closed", "disconnected"]
)
def test_the_engine_ends(path, talk):
    code, out, err = run(Engine(talk).url, path)
    assert (code, err) == (0, "") and "5 frames, steps 10 to 50" in out
    complete(path, FRAMES)


@pytest.mark.parametrize("cut", [1, 8, 40, SIZE - 1])
def test_the_engine_ends_within_a_frame(path, cut):
    engine = Engine([STREAM[: 3 * SIZE + cut]])
    code, _, err = run(engine.url, path)
    assert code == 5 and err == f"gpz record: {engine.url}: the connection ended within a frame; 3 complete frames written\n"
    complete(path, FRAMES[:3])


def test_a_reset(path):
    """What had come in front of it may be lost, and frames are whole."""
    report = gpz.imd.record(Engine(reset).url, path)
    assert report.frames == len(gpz.open(path)) if path.exists() else report.frames == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal(path, number):
    """The engine sends until it hears that nobody listens, and all that it sent is in the file."""
    sent = []

    def talk(connection):
        connection.settimeout(0.001)
        while True:
            frame = frames_of(1, first=10 * len(sent) + 10)[0]
            connection.settimeout(None)
            connection.sendall(packed(frame))
            sent.append(frame)
            if len(sent) == 5:
                process.send_signal(number)
            connection.setblocking(False)
            try:
                if connection.recv(8) == message(DISCONNECT, 0):
                    return
            except BlockingIOError:
                pass

    engine = Engine(talk)
    process = program(engine.url, path)
    out, err = process.communicate(timeout=60)
    engine.done()
    assert process.returncode == 128 + number and err == "gpz record: stopped; the file is complete\n"
    assert f"{len(sent)} frames" in out
    complete(path, sent)


def test_a_signal_while_the_engine_does_not_begin(path):
    """It listens after the recorder has started, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    process = program(f"imd://127.0.0.1:{port}", path, "--retry", "50", "--json")
    with socket.create_server(("127.0.0.1", port)) as server, server.accept()[0]:
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM and json.loads(out)["frames"] == 0 and not path.exists()


def test_the_engine_comes_back(path):
    """It repeats steps, as from a checkpoint: these are in the file already."""
    frames = frames_of(8)
    first = [packed(frame) for frame in frames[:5]]
    second = [packed(frame) for frame in frames[3:]]
    engine = Engine(first, second)
    code, out, err = run(engine.url, path, "--retry", "1")
    assert (code, err) == (0, "") and "8 frames, steps 10 to 80" in out and "2 frames of steps that it had" in out
    assert engine.done().count(GO) == 2
    complete(path, frames)


def test_append(path):
    frames = frames_of(8)
    gpz.imd.record(Engine([packed(frame) for frame in frames[:5]]).url, path, bound=0.01)
    report = gpz.imd.record(Engine([packed(frame) for frame in frames[3:]]).url, path, append=True)
    assert report.frames == 3 and report.repeated == 2
    with gpz.open(path) as file:
        compare(file, frames, bound=0.01, factor=1 / KJ)
    with pytest.raises(gpz.ArgumentError, match="50 atoms, and these are 20"):
        gpz.imd.record(Engine([packed(frames_of(1, atoms=20)[0])]).url, path, append=True)
    with pytest.raises(gpz.ArgumentError, match="units='real', and the file has 'metal'"):
        gpz.imd.record(Engine([packed(frames[0])]).url, path, append=True, units="real")
    with pytest.warns(UserWarning, match="starts with step 10, and this run continues with step 10"):
        gpz.imd.record(Engine([packed(frames[0])]).url, path, append=True)
    assert gpz.open(path).timesteps.tolist() == [*range(10, 90, 10), 10]


@pytest.mark.parametrize(
    ("hello", "talk", "code", "said"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", None, 4, "what listens there does not speak IMD"),
        (greeting(version=2), None, 6, "version 2 of IMD"),
        (greeting(("time", "box")), None, 6, "the engine sends no positions"),
        (greeting()[:8] + message(TIME, 1), None, 4, "IMD_TIME of 1 bytes instead of the session"),
        (greeting()[:11], None, 5, "the connection ended within a message"),
        (b"", None, 5, "the connection was closed before"),
        (None, message(99, 1), 4, "a message of the unknown kind 99"),
        (None, STREAM + message(COORDINATES, 50), 4, "IMD_FCOORDS instead of IMD_TIME"),
        (greeting(("positions",)), message(COORDINATES, 0), 4, "IMD_FCOORDS of 0 atoms"),
        (greeting(("positions",)), message(COORDINATES, -4), 4, "IMD_FCOORDS of -4 atoms"),
        (greeting(("time", "positions")), message(TIME, 2), 4, "IMD_TIME with a length of 2 instead of 1"),
        (None, STREAM + packed(frames_of(1, atoms=20, first=60)[0]), 4, "a frame of 20 atoms after frames of 50"),
        (None, STREAM + packed(FRAMES[0]._replace(forces=FRAMES[0].forces[:9])), 4, "vectors of 9 and of 50 atoms"),
    ],    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_imd(path, hello, talk, code, said):
    engine = Engine(talk and [talk], hello=hello)
    found, _, err = run(engine.url, path)
    assert found == code and err.startswith(f"gpz record: {engine.url}: ") and said in err and err.count("\n") == 1
    if talk and talk.startswith(STREAM):
        complete(path, FRAMES)
    else:
        assert not path.exists()


def test_a_length_is_believed_when_the_bytes_have_come(path):
    tracemalloc.start()
    try:
        report = gpz.imd.record(
            Engine([message(COORDINATES, 2**31 - 1) + bytes(1000)], hello=greeting(("positions",))).url, path
        )
        assert report.cut and tracemalloc.get_traced_memory()[1] < 64 * 2**20
    finally:
        tracemalloc.stop()


def test_a_silent_engine(path):
    def talk(connection):
        connection.sendall(STREAM)
        engine.hear(connection)

    engine = Engine(talk)
    code, out, err = run(engine.url, path, "--timeout", "1")
    assert code == 3 and err == f"gpz record: {engine.url}: the engine has been silent for 1 s\n" and "5 frames" in out
    complete(path, FRAMES)


def test_errors_come_before_the_engine_begins(path, tmp_path):
    engine = Engine([STREAM])
    code, _, err = run(engine.url, tmp_path / "missing" / "traj.gpz")
    assert code == 3 and "the folder of the file does not exist" in err and not engine.heard
    code, _, err = run("imd://localhost:99999", path)
    assert code == 2 and err.startswith("gpz record: url: imd://HOST:PORT")
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    code, _, err = run(f"imd://127.0.0.1:{port}", path)
    assert code == 3 and err == f"gpz record: imd://127.0.0.1:{port}: connection refused\n" and not path.exists()


def test_an_engine_that_ends_while_it_is_called(path):
    """It listens still, and closes the connection at once: the recorder tries again."""
    engine = Engine([STREAM], CLOSE, CLOSE, [STREAM[SIZE:]])
    report = gpz.imd.record(engine.url, path, retry=5)
    assert report.connections == 2 and report.frames == 5 and report.repeated == 4
