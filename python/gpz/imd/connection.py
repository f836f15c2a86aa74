# SPDX-License-Identifier: BSD-3-Clause
"""A connection to an engine that sends frames by IMD, version 3.

The messages are those of the package imdclient. Its client needs the number of atoms beforehand, takes the signals of the program, and
has one exception for an engine that has ended and for one that was cut off within a frame.
"""

from __future__ import annotations

import contextlib
import math
import socket
import struct
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from imdclient import IMDProtocol as protocol
from imdclient.IMDProtocol import IMDHeaderType as Kind

from gpz._errors import CorruptError, FileError, TruncatedError, UnsupportedError
from gpz.imd.address import Address

HANDSHAKE_SECONDS = 10.0
BETWEEN_ATTEMPTS = 0.5  # s
TICK = 0.2  # s after which a read looks whether it is to end
LAST_SECONDS = 10.0  # that an engine has to close the connection after it was told to
PIECE = 16 * 1024**2  # bytes that are asked for at once: memory is taken for what has come
SESSION_BYTES = 7
VECTOR_BYTES = 12  # three float32
VECTORS = {Kind.IMD_FCOORDS: "positions", Kind.IMD_VELOCITIES: "velocities", Kind.IMD_FORCES: "forces"}


class StreamFrame(NamedTuple):
    """A frame as it was sent. positions, velocities, forces: (N, 3) float32. box: (3, 3) edge vectors as rows. energies: by the names
    of imdclient. None for what the engine does not send."""

    step: int | None = None
    time: float | None = None
    timestep_size: float | None = None
    energies: dict[str, float] | None = None
    box: np.ndarray | None = None
    positions: np.ndarray | None = None
    velocities: np.ndarray | None = None
    forces: np.ndarray | None = None

    @property
    def n_atoms(self) -> int:
        """The number of atoms of the first vector that is not None."""
        return next(len(vector) for vector in (self.positions, self.velocities, self.forces) if vector is not None)


class Ended(Exception):
    """The engine has closed the connection between two frames."""


class GivenUp(Exception):
    """Nobody wants the connection any more, and the engine has not begun."""


class Connection:
    """Connects, and lets the engine begin.

    wait: seconds in which the connection is tried again while nobody listens.
    timeout: seconds in which the engine may be silent; None: for ever.
    given_up: whether to wait no longer for the engine to begin, which raises GivenUp.

    wrapped: whether positions are in the box. Raises FileError if nobody listens, is silent or closes the connection, CorruptError
    for what is not IMD, UnsupportedError for another version.
    """

    def __init__(
        self, address: Address, wait: float = 0, timeout: float | None = None, given_up: Callable[[], bool] = lambda: False
    ):
        self.address = address
        self._silence: float | None = HANDSHAKE_SECONDS
        self._end_of_reads = math.inf  # by the monotonic clock
        self._given_up = given_up
        end = time.monotonic() + wait
        while True:
            self._socket = _connected(address, end, given_up)
            try:
                self._socket.settimeout(TICK)
                self._handshake()
                self._send(Kind.IMD_GO)
                break
            except TruncatedError:  # as of an engine that is just ending
                self._socket.close()
                if time.monotonic() >= end:
                    raise
                time.sleep(BETWEEN_ATTEMPTS)
            except BaseException:
                self._socket.close()
                raise
        self._silence = timeout
        self._given_up = lambda: False

    def _handshake(self) -> None:
        try:
            number, version = struct.unpack("!i4s", self._receive(protocol.IMDHEADERSIZE))
            versions = {end: struct.unpack(f"{end}i", version)[0] for end in "<>"}
            if number != Kind.IMD_HANDSHAKE.value or not set(versions.values()) & {2, 3}:
                raise CorruptError("what listens there does not speak IMD", str(self.address))
            self._end = next(end for end, found in versions.items() if found in (2, 3))
            if versions[self._end] == 2:
                raise UnsupportedError(
                    "the engine speaks version 2 of IMD, which has no steps and no boxes: set version 3 in its input", str(self.address)
                )
            header = self._header()
            if header.type is not Kind.IMD_SESSIONINFO or header.length != SESSION_BYTES:
                raise self._wrong(f"{header.type.name} of {header.length} bytes instead of the session")
            session = protocol.parse_imdv3_session_info(self._receive(SESSION_BYTES), self._end)
        except Ended:
            raise TruncatedError("the connection was closed before the engine said what it sends", str(self.address)) from None
        sent = (
            (session.time, Kind.IMD_TIME),
            (session.energies, Kind.IMD_ENERGIES),
            (session.box, Kind.IMD_BOX),
            (session.positions, Kind.IMD_FCOORDS),
            (session.velocities, Kind.IMD_VELOCITIES),
            (session.forces, Kind.IMD_FORCES),
        )
        self._kinds = [kind for is_sent, kind in sent if is_sent]
        self.wrapped: bool = session.wrapped_coords
        if Kind.IMD_FCOORDS not in self._kinds:
            raise UnsupportedError("the engine sends no positions: switch them on in its input", str(self.address))

    def read(self) -> StreamFrame:
        """The next frame. Raises Ended between two frames, TruncatedError if the connection ends within one, CorruptError for what is
        not IMD, FileError if the engine is silent for too long."""
        header = self._header()
        if header.type in (Kind.IMD_DISCONNECT, Kind.IMD_KILL):
            raise Ended
        try:
            values: dict[str, object] = {}
            for index, kind in enumerate(self._kinds):
                header = header if index == 0 else self._header()
                if header.type is not kind:
                    raise self._wrong(f"{header.type.name} instead of {kind.name}")
                values |= self._body(kind, header.length)
        except Ended:
            raise TruncatedError("the connection ended within a frame", str(self.address)) from None
        frame = StreamFrame(**values)  # type: ignore[arg-type]
        counts = {len(getattr(frame, name)) for name in VECTORS.values() if getattr(frame, name) is not None}
        if len(counts) > 1:
            raise self._wrong(f"a frame with vectors of {min(counts)} and of {max(counts)} atoms")
        return frame

    def _body(self, kind: Kind, length: int) -> dict[str, object]:
        if kind in VECTORS:
            if length < 1:
                raise self._wrong(f"{kind.name} of {length} atoms")
            numbers = np.frombuffer(self._receive(length * VECTOR_BYTES), f"{self._end}f4")
            return {VECTORS[kind]: numbers.reshape(length, 3).astype(np.float32, copy=False)}
        if length != 1:
            raise self._wrong(f"{kind.name} with a length of {length} instead of 1")
        if kind is Kind.IMD_TIME:
            found = protocol.IMDTime(self._receive(protocol.IMDTIMEPACKETLENGTH), self._end)
            return {"step": found.step, "time": found.time, "timestep_size": found.dt}
        if kind is Kind.IMD_BOX:
            return {"box": protocol.parse_box_bytes(self._receive(protocol.IMDBOXPACKETLENGTH), self._end)}
        return {"energies": protocol.parse_energy_bytes(self._receive(protocol.IMDENERGYPACKETLENGTH), self._end)}

    def stop(self) -> None:
        """Tells the engine that nobody listens any more. It may have sent frames: read() until it raises Ended. An engine whose
        connection is closed while it sends a frame may end with an error."""
        if self._end_of_reads == math.inf:
            self._end_of_reads = time.monotonic() + LAST_SECONDS
            with contextlib.suppress(FileError):  # the engine may have closed the connection already
                self._send(Kind.IMD_DISCONNECT)

    def close(self) -> None:
        """A read() of another thread raises Ended."""
        self._end_of_reads = 0
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _send(self, kind: Kind) -> None:
        try:
            self._socket.sendall(protocol.create_header_bytes(kind, 0))
        except OSError as error:
            raise _file_error(error, self.address) from None

    def _header(self) -> protocol.IMDHeader:
        data = self._receive(protocol.IMDHEADERSIZE)
        try:
            return protocol.IMDHeader(data)
        except ValueError:
            raise self._wrong(f"a message of the unknown kind {struct.unpack('!i4x', data)[0]}") from None

    def _wrong(self, cause: str) -> CorruptError:
        return CorruptError(f"the engine sent {cause}", str(self.address))

    def _receive(self, size: int) -> bytearray:
        """All of these bytes. Ended if the connection ends in front of the first, TruncatedError within them."""
        data = bytearray()
        while len(data) < size:
            begin = len(data)
            data += bytes(min(PIECE, size - begin))
            with memoryview(data) as view:
                while begin < len(view):
                    count = self._receive_some(view[begin:])
                    if not count:
                        break
                    begin += count
            if begin < len(data):
                if begin:
                    raise TruncatedError("the connection ended within a message", str(self.address))
                raise Ended
        return data

    def _receive_some(self, view: memoryview) -> int:
        """0: the connection has ended."""
        begin = time.monotonic()
        while True:
            if time.monotonic() >= self._end_of_reads:  # also of an engine that does not stop sending
                return 0
            try:
                return self._socket.recv_into(view)
            except TimeoutError:
                now = time.monotonic()
                if now >= self._end_of_reads:
                    return 0
                if self._given_up():
                    raise GivenUp from None
                if self._silence is not None and now - begin >= self._silence:
                    raise FileError(f"the engine has been silent for {self._silence:g} s", str(self.address)) from None
            except OSError as error:
                # One that was killed resets the connection.
                if isinstance(error, ConnectionError) or time.monotonic() >= self._end_of_reads:
                    return 0
                raise _file_error(error, self.address) from None


def _connected(address: Address, end: float, given_up: Callable[[], bool]) -> socket.socket:
    """Tries until `end`, by the monotonic clock, but once at least."""
    while True:
        if given_up():
            raise GivenUp
        try:
            made = socket.create_connection(address, timeout=HANDSHAKE_SECONDS)
        except OSError as error:
            if time.monotonic() >= end or isinstance(error, socket.gaierror):
                raise _file_error(error, address) from None
            time.sleep(min(BETWEEN_ATTEMPTS, max(0.0, end - time.monotonic())))
        else:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return made


def _file_error(error: OSError, address: Address) -> FileError:
    return FileError((error.strerror or str(error)).lower(), str(address), errno=error.errno)
