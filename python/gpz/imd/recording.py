# SPDX-License-Identifier: BSD-3-Clause
"""Frames of a stream into a file."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import gpz
from gpz import _core
from gpz._arguments import checked_flag, checked_integer, checked_number
from gpz._box import spanned_by
from gpz._checks import require_units
from gpz._coding import Coding
from gpz._files import checked_path, require_output
from gpz._metadata import Existing
from gpz._positions import UNWRAPPED
from gpz._repeated_steps import RepeatedSteps
from gpz.imd.address import Address
from gpz.imd.connection import Connection, Ended, GivenUp, StreamFrame
from gpz.imd.units import Units

BUFFER = 64 * 1024**2  # bytes of frames that wait
LEAST_WAITING = 2  # frames, if they are larger


@dataclass
class Report:
    """A report of the recording.

    frames: that were written. repeated: that the file had already, of a run that goes on. bytes: of the file.
    first_step, last_step: of the frames that were written; None: none, or the engine sends no steps.
    missing: pairs of steps between which frames are missing, compared with the distance of the first two frames.
    connections: how often the engine was there.
    cut: the last connection ended within a frame, of which nothing is in the file.
    """

    frames: int = 0
    repeated: int = 0
    bytes: int = 0
    first_step: int | None = None
    last_step: int | None = None
    missing: list[tuple[int, int]] = field(default_factory=list)
    connections: int = 0
    cut: bool = False


class Recorder:
    """Records the stream of an engine. Arguments: see record(). stop() and close() may be called by a handler of signals, or another
    thread, while run() works."""

    def __init__(
        self,
        url: str,
        path: str | os.PathLike,
        *,
        bound: float | None = None,
        bounds: Mapping[str, float] | None = None,
        units: str | None = None,
        frames: int | None = None,
        append: bool = False,
        retry: float = 0,
        timeout: float | None = None,
        buffer: int = BUFFER,
        key_interval: int | str = "auto",
        order: str = "auto",
        effort: str = "standard",
        threads: int = 1,
        progress: Callable[[Report], None] | None = None,
    ):
        self._address = Address.parse(url)
        self._path = os.fsdecode(checked_path(path))
        require_units(units)
        self._units = Units(units)
        self._most = None if frames is None else checked_integer("frames", frames, 1, 2**63 - 1, "a number of frames from 1")
        self._retry = _seconds("retry", retry)
        self._timeout = None if timeout is None else _seconds("timeout", timeout)
        self._buffer = checked_integer("buffer", buffer, 1, 2**63 - 1, "a number of bytes from 1")
        coding = Coding(key_interval, order, effort, threads).keywords()
        self._options = {"bound": bound, "bounds": bounds, "append": checked_flag("append", append), **coding}
        self._progress = progress
        self._connection: Connection | None = None
        self._writer: gpz.Writer | None = None
        self._repeated: RepeatedSteps | None = None
        self._interval: int | None = None
        self._n_atoms: int | None = None
        self._stopped = False
        self.report = Report()

    def stop(self) -> None:
        """Lets the engine go. run() returns when what the engine has sent until then is in the file."""
        self._stopped = True
        if self._connection is not None:
            self._connection.stop()

    def close(self) -> None:
        """Ends the connection at once. run() returns when the frames that have come are in the file."""
        self._stopped = True
        if self._connection is not None:
            self._connection.close()

    def run(self) -> Report:
        """Returns when the engine has closed the connection and did not come back, or after stop(). The file is complete then, also
        after an exception."""
        _require_folder(self._path)
        require_output(self._path, [])
        try:
            while not self._stopped:
                try:
                    self._connection = Connection(self._address, self._retry, self._timeout, lambda: self._stopped)
                except GivenUp:
                    break
                except (gpz.FileError, gpz.TruncatedError):
                    if not self.report.connections:
                        raise
                    break  # it did not come back
                self.report.connections += 1
                if self._stopped:  # a signal came while it was connected
                    self._connection.stop()
                self._record(self._connection)
                if not self._retry or self._is_full():
                    break
        finally:
            if self._writer is not None:
                self._writer.close()
                self.report.bytes = os.path.getsize(self._path)
        return self.report

    def _is_full(self) -> bool:
        return self._most is not None and self.report.frames >= self._most

    def _record(self, connection: Connection) -> None:
        """All frames of a connection."""
        self.report.cut = False
        self._repeated, previous = None, None
        ahead = _FramesAhead(connection, self._buffer)
        try:
            for frame in ahead:
                self._n_atoms = frame.n_atoms if self._n_atoms is None else self._n_atoms
                if frame.n_atoms != self._n_atoms:
                    raise gpz.CorruptError(
                        f"the engine sent a frame of {frame.n_atoms} atoms after frames of {self._n_atoms}", str(self._address)
                    )
                self._look_for_gap(previous, frame)
                previous = frame
                if not self._is_full():
                    self._write(frame, connection.wrapped)
                    if self._is_full():
                        self.stop()
        except gpz.TruncatedError:
            self.report.cut = True
        finally:
            connection.stop()
            ahead.finish()
            connection.close()

    def _look_for_gap(self, previous: StreamFrame | None, frame: StreamFrame) -> None:
        if previous is None or previous.step is None or frame.step is None:
            return
        distance = frame.step - previous.step
        self._interval = distance if self._interval is None else self._interval
        if distance > self._interval > 0:
            self.report.missing.append((previous.step, frame.step))

    def _write(self, frame: StreamFrame, wrapped: bool) -> None:
        writer = self._open(frame)
        if frame.step is not None:
            if self._repeated is None:
                self._repeated = RepeatedSteps(self._path, self._steps, frame.step)
            if self._repeated.has(frame.step):
                self.report.repeated += 1
                return
        columns: dict[str, Any] = {"ids": np.arange(1, frame.n_atoms + 1)}
        box = spanned_by(frame.box)
        if wrapped or box is None:
            columns["positions"] = frame.positions
        else:
            columns |= dict(zip(UNWRAPPED, frame.positions.T))
        if frame.velocities is not None:
            columns["velocities"] = frame.velocities
        if frame.forces is not None:
            columns["forces"] = self._units.forces(frame.forces)
        writer.write(
            **columns,
            box=box,
            timestep=frame.step,
            time=frame.time,
            observables=None if frame.energies is None else self._units.observables(frame.energies),
        )
        report = self.report
        report.frames += 1
        report.first_step = frame.step if report.first_step is None else report.first_step
        report.last_step = frame.step
        if frame.step is not None:  # of a later connection, these are in the file
            self._steps = np.array([report.first_step if not len(self._steps) else self._steps[0], frame.step])
        if self._progress is not None:
            self._progress(report)

    def _open(self, frame: StreamFrame) -> gpz.Writer:
        """The file; opens it for the first frame."""
        if self._writer is None:
            existing = Existing.find(self._path) if self._options["append"] else None
            self._steps = np.zeros(0, np.int64)
            if existing is not None:
                existing.require_same_atoms(np.arange(1, frame.n_atoms + 1))
                self._steps = existing.timesteps
            metadata = {
                "generator": f"gpz {_core.version} (gpz record)",
                "reference": "float32 values of a stream",
                "timestep_size": frame.timestep_size or 0,
            }
            self._writer = gpz.Writer(self._path, units=self._units.style, metadata=metadata, **self._options)
        return self._writer


class _FramesAhead(threading.Thread):
    """Reads frames while others are compressed. If they fill the buffer, nothing is read, and the engine waits when it sends.
    Iterate over it for the frames. The exception that ended the reading comes behind the last of them."""

    def __init__(self, connection: Connection, buffer: int):
        super().__init__(name="gpz record", daemon=True)
        self._connection = connection
        self._buffer = buffer
        self._frames: queue.Queue[StreamFrame | BaseException] = queue.Queue()
        self._room: threading.Semaphore | None = None
        self._is_finished = False
        self.start()

    def run(self) -> None:
        """Runs in the thread."""
        try:
            while True:
                frame = self._connection.read()
                if self._room is None:
                    vectors = (frame.positions, frame.velocities, frame.forces)
                    size = sum(vector.nbytes for vector in vectors if vector is not None)
                    self._room = threading.Semaphore(max(LEAST_WAITING, self._buffer // size))
                if not self._is_finished:
                    self._room.acquire()
                    self._frames.put(frame)
        except BaseException as error:  # noqa: BLE001 (raised again where frames are taken)
            self._frames.put(error)

    def __iter__(self) -> _FramesAhead:
        return self

    def __next__(self) -> StreamFrame:
        found = self._frames.get()
        if isinstance(found, Ended):
            raise StopIteration
        if isinstance(found, BaseException):
            raise found
        if self._room is not None:
            self._room.release()
        return found

    def finish(self) -> None:
        """After stop() of the connection: reads what the engine still sends, which is dropped, so that it ends no write with an
        error."""
        self._is_finished = True
        if self._room is not None:
            self._room.release()
        self.join()


def record(url: str, path: str | os.PathLike, **arguments: Any) -> Report:
    """Connects to an engine that sends its frames by IMD, version 3, lets it begin, and writes the frames to a file until the engine
    ends.

    url: imd://host:port.
    path: the file, which is replaced when the first frame has come.
    bound: the largest error of a coordinate; None: that of the units. bounds: of velocities and forces; without, they are exact.
        The values that bounds refer to are the float32 that come.
    units: the LAMMPS style of what LAMMPS sends. None: the engine sends Å, ps and kJ/mol, as IMD says and GROMACS and NAMD do; the
        file is in metal units.
    frames: stop after so many; None: when the engine ends.
    append: adds to an existing file of the same atoms. Steps that the file has already are not written again.
    retry: seconds in which the engine may come, and come back after it has ended.
    timeout: seconds in which the engine may be silent; None: for ever.
    buffer: bytes of frames that may wait to be written. If they are more, the engine has to wait.
    key_interval, order, effort, threads: as in gpz.Writer.
    progress: is called with the Report after each frame.

    After each frame the file has complete frames only, and its index when the function returns or raises. Raises gpz.FileError (an
    OSError), gpz.CorruptError for what is not IMD, gpz.UnsupportedError for another version of it, gpz.ArgumentError, TypeError.
    """
    return Recorder(url, path, **arguments).run()


def _seconds(name: str, value: Any) -> float:
    number = checked_number(name, value, "a number of seconds")
    if not 0 <= number < float("inf"):
        raise gpz.ArgumentError(f"{name}: a number of seconds that is not negative, not {number:g}")
    return number


def _require_folder(path: str) -> None:
    """FileError before the engine begins."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise gpz.FileError("the folder of the file does not exist", path)
