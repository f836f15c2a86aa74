# SPDX-License-Identifier: BSD-3-Clause
"""Frames of a file as a stream, as a running engine sends them."""

from __future__ import annotations

import os
import select
import socket
import struct
from collections.abc import Callable, Sequence

import numpy as np
from imdclient import IMDProtocol as protocol
from imdclient.IMDProtocol import IMDHeaderType as Kind

import gpz
from gpz import _clients, _core, _observed, _positions, _units
from gpz._arguments import checked_integer
from gpz._errors import FileError, UnsupportedError
from gpz.imd.units import NAMES
from gpz.remote.names import is_url

VERSION = 3
END = "<"  # of numbers in bodies
PATIENCE = 10.0  # seconds that a client has to say that it is ready, and to close the connection at the end
MOST_PORT = 65535


class _Left(Exception):
    """The client has ended the connection."""


class Server:
    """Serves a file by IMD, version 3, to one client after the other. Listens when it is made.

    trajectory: with positions, and a fixed number of particles. frames: their numbers; None: all.
    host, port: where it listens; port 0: a free one.
    convert: Å, ps and kJ/mol are sent, as IMD says. False: the numbers of the file.

    port: where it listens. Raises gpz.FileError if it cannot, ValueError if the number of particles changes or there are no frames.
    """

    def __init__(
        self,
        trajectory: gpz.Trajectory,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        frames: Sequence[int] | None = None,
        convert: bool = True,
    ):
        port = checked_integer("port", port, 0, MOST_PORT, f"a number from 0 (a free one) to {MOST_PORT}")
        _clients.require_fixed_count(trajectory, "IMD")
        self._trajectory = trajectory
        self._frames = range(len(trajectory)) if frames is None else frames
        first = trajectory[self._frames[0]]
        if first.position_columns is None:
            raise gpz.ArgumentError("the file has no positions", trajectory.path)
        self._wrapped = not _positions.is_unwrapped(first.position_columns)
        self._vectors = [name for name in ("velocities", "forces") if getattr(first, name) is not None]
        self._has_box, self._has_energies = first.box is not None, "PotEng" in self._observables_of(first)
        units = trajectory.units if convert else ""
        length, time = _units.length_factor(units, 1e-10), _units.time_factor(units, 1e-12)
        energy = _units.energy_factor(units, _units.KILOJOULE_PER_MOLE)
        self._time, self._energy = time, energy
        self._factors = {"positions": length, "velocities": length / time, "forces": energy / length}
        # A recorder of this stream must not write to the file that it comes from.
        path = trajectory.path
        self._lock = None if path is None or is_url(path) else _core.ReadLock(os.fsencode(path))
        try:
            self._socket = socket.create_server((host, port))
        except OSError as error:
            raise FileError((error.strerror or str(error)).lower(), f"{host}:{port}", errno=error.errno) from None
        self.port: int = self._socket.getsockname()[1]

    def serve(self, progress: Callable[[int], None] | None = None) -> int:
        """Waits for a client, and sends it the frames; returns how many it got. A client that is too slow makes the server wait."""
        client, _ = self._socket.accept()
        sent = 0
        with client:
            try:
                self._greet(client)
                for number in self._frames:
                    _heed(client)
                    client.sendall(self._packed(self._trajectory[number]))
                    sent += 1
                    if progress is not None:
                        progress(sent)
                client.shutdown(socket.SHUT_WR)
                client.settimeout(PATIENCE)
                while True:  # what was sent would be lost if messages of the client were not read
                    _heed(client, wait=True)
            except (_Left, ConnectionError, TimeoutError):
                return sent

    def _greet(self, client: socket.socket) -> None:
        session = bytes(
            [True, self._has_energies, self._has_box, True, self._wrapped, *(name in self._vectors for name in ("velocities", "forces"))]
        )
        hello = struct.pack("!i", Kind.IMD_HANDSHAKE.value) + struct.pack(f"{END}i", VERSION)
        client.sendall(hello + _message(Kind.IMD_SESSIONINFO, len(session), session))
        client.settimeout(PATIENCE)
        if _heard(client) is not Kind.IMD_GO:
            raise _Left
        client.settimeout(None)

    def _packed(self, frame: gpz.Frame) -> bytes:
        """The bytes of a frame."""
        size = self._trajectory.metadata["timestep_size"] * self._time
        time = 0.0 if frame.time is None else frame.time * self._time
        parts = [_message(Kind.IMD_TIME, 1, struct.pack(f"{END}ddq", size, time, frame.timestep))]
        if self._has_energies:
            parts.append(_message(Kind.IMD_ENERGIES, 1, self._packed_energies(frame)))
        if self._has_box:
            matrix = np.zeros((3, 3)) if frame.box is None else frame.box.matrix * self._factors["positions"]
            parts.append(_message(Kind.IMD_BOX, 1, matrix.astype(f"{END}f4").tobytes()))
        kinds = {"positions": Kind.IMD_FCOORDS, "velocities": Kind.IMD_VELOCITIES, "forces": Kind.IMD_FORCES}
        for name in ("positions", *self._vectors):
            values = getattr(frame, name)
            if values is None:
                raise UnsupportedError(
                    f"frame {frame.index} has no {name}, and the first frame has: a stream has them in all frames. Choose frames that have them",
                    self._trajectory.path,
                )
            values = np.pad(values, ((0, 0), (0, 3 - values.shape[1]))) * self._factors[name]
            parts.append(_message(kinds[name], len(values), values.astype(f"{END}f4").tobytes()))
        return b"".join(parts)

    def _observables_of(self, frame: gpz.Frame) -> gpz.Observables:
        return _observed.of_atoms(frame.observables, frame.n_particles, self._trajectory._file.name)

    def _packed_energies(self, frame: gpz.Frame) -> bytes:
        """NaN for those that the frame does not have, and for energies of other atoms."""
        found = self._observables_of(frame)
        if not _observed.are_of(found, frame.n_particles):
            found = {name: value for name, value in found.items() if name == "Temp"}
        values = [found.get(name, np.nan) * (1.0 if name == "Temp" else self._energy) for name in NAMES.values()]
        return struct.pack(f"{END}i9f", frame.timestep % 2**31, *values)

    def close(self) -> None:
        """Listens no longer."""
        self._socket.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()


def _message(kind: Kind, length: int, body: bytes) -> bytes:
    return protocol.create_header_bytes(kind, length) + body


def _heard(client: socket.socket) -> Kind | None:
    """The next message, None for one of an unknown kind. _Left if there will be none."""
    data = b""
    while len(data) < protocol.IMDHEADERSIZE:
        more = client.recv(protocol.IMDHEADERSIZE - len(data))
        if not more:
            raise _Left
        data += more
    try:
        return protocol.IMDHeader(data).type
    except ValueError:
        return None


def _heed(client: socket.socket, wait: bool = False) -> None:
    """Does what the client says; waits while it has paused the stream. wait: for a message. Forces for atoms end the connection."""
    paused = False
    while paused or wait or select.select([client], [], [], 0)[0]:
        kind = _heard(client)
        if kind in (Kind.IMD_DISCONNECT, Kind.IMD_KILL, Kind.IMD_MDCOMM):
            raise _Left
        paused = kind is Kind.IMD_PAUSE or (paused and kind is not Kind.IMD_RESUME)
        wait = False
