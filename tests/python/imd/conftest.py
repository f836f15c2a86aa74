# SPDX-License-Identifier: BSD-3-Clause
"""An engine that sends frames by IMD, version 3, as its description says: written here a second time, without imdclient."""

import os
import socket
import struct
import subprocess
import sys
import threading
from typing import NamedTuple

import numpy as np
import pytest

if "GPZ_CLIENT_TESTS" in os.environ:
    sys.path.insert(0, os.environ["GPZ_CLIENT_TESTS"])
else:
    collect_ignore_glob = ["test_runs*"]

DISCONNECT, ENERGIES, COORDINATES, GO, HANDSHAKE, SESSION, TIME, BOX, VELOCITIES, FORCES = 0, 1, 2, 3, 4, 10, 12, 13, 14, 15
CLOSE = "close"  # in place of what an engine sends: it closes the connection, without a greeting
ALL = ("time", "energies", "box", "positions", "velocities", "forces")
ENERGY_NAMES = ("Temp", "TotEng", "PotEng", "E_vdwl", "E_coul", "E_bond", "E_angle", "E_dihed", "E_impro")


class Sent(NamedTuple):
    """A frame: float32 vectors, a box of float32 edge vectors, float32 energies in the order of ENERGY_NAMES."""

    step: int
    time: float
    positions: np.ndarray
    velocities: np.ndarray
    forces: np.ndarray
    box: np.ndarray
    energies: np.ndarray


def frames_of(count, atoms=50, first=10, interval=10):
    random = np.random.default_rng(11)
    x = random.uniform(-2, 12, (atoms, 3)).astype(np.float32)
    made = []
    for k in range(count):
        x = x + random.normal(0, 0.05, x.shape).astype(np.float32)
        box = np.float32([[10 + 0.1 * k, 0, 0], [1, 9, 0], [-0.5, 0.25, 8]])
        step = first + interval * k
        vectors = [random.normal(size=x.shape).astype(np.float32) for _ in range(2)]
        made.append(Sent(step, step * 0.002, x, *vectors, box, random.normal(-5, 3, 9).astype(np.float32)))
    return made


def message(kind, length, body=b""):
    return struct.pack("!ii", kind, length) + body


def packed(frame, sends=ALL, end="<"):
    """The bytes of a frame."""
    vector = f"{end}f4"
    parts = {
        "time": message(TIME, 1, struct.pack(f"{end}ddq", 0.002, frame.time, frame.step)),
        "energies": message(ENERGIES, 1, struct.pack(f"{end}i", frame.step) + frame.energies.astype(vector).tobytes()),
        "box": message(BOX, 1, frame.box.astype(vector).tobytes()),
        "positions": message(COORDINATES, len(frame.positions), frame.positions.astype(vector).tobytes()),
        "velocities": message(VELOCITIES, len(frame.velocities), frame.velocities.astype(vector).tobytes()),
        "forces": message(FORCES, len(frame.forces), frame.forces.astype(vector).tobytes()),
    }
    return b"".join(parts[name] for name in ALL if name in sends)


def greeting(sends=ALL, end="<", wrapped=True, version=3):
    flags = [name in sends for name in ("time", "energies", "box", "positions")] + [wrapped]
    flags += [name in sends for name in ("velocities", "forces")]
    return struct.pack("!i", HANDSHAKE) + struct.pack(f"{end}i", version) + message(SESSION, 7, bytes(map(int, flags)))


class Engine(threading.Thread):
    """Listens on `port`. Each connection gets the greeting and, after it has said GO, what the next item of `talks` sends:
    a list of bytes, or a function of the socket. Then it is closed. None: nothing is sent behind the greeting. `heard` has the kinds of messages that came."""

    def __init__(self, *talks, hello=None):
        super().__init__(daemon=True)
        self._talks = talks
        self._hello = greeting() if hello is None else hello
        self.heard = []
        self.failed = None
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"imd://127.0.0.1:{self.port}"
        self.start()

    def run(self):
        try:
            for talk in self._talks:
                connection, _ = self._listening.accept()
                with connection:
                    self._talk(connection, talk)
        except Exception as error:  # noqa: BLE001
            self.failed = error
        finally:
            self._listening.close()

    def _talk(self, connection, talk):
        if talk == CLOSE:
            return
        connection.sendall(self._hello)
        if talk is None:
            connection.shutdown(socket.SHUT_WR)
        if not self.hear(connection):
            return
        if callable(talk):
            talk(connection)
        else:
            connection.sendall(b"".join(talk))
            connection.shutdown(socket.SHUT_WR)
            while self.hear(connection):
                pass

    def hear(self, connection):
        """A message of the client; False: it has closed the connection."""
        data = b""
        while len(data) < 8:
            try:
                more = connection.recv(8 - len(data))
            except ConnectionError:
                more = b""
            if not more:
                return False
            data += more
        self.heard.append(struct.unpack("!ii", data)[0])
        return True

    def done(self):
        self.join(30)
        assert not self.is_alive() and self.failed is None, self.failed
        return self.heard


@pytest.fixture
def path(tmp_path):
    return tmp_path / "traj.gpz"


def program(*arguments, **options):
    """gpz record as a process."""
    command = [sys.executable, "-m", "gpz.programs.record", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def run(*arguments):
    """Its exit code, standard output and standard error."""
    process = program(*arguments)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err
