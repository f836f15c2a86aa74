# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program gpz and programs of this package, and ends them when the archive is interrupted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gpz.archive import stopping
from gpz.archive.errors import DiskFull, Interrupted, TaskFailed, says_full

TRUNCATED, DIFFERENT = 5, 7  # exit codes of gpz
STOPS = (signal.SIGINT, signal.SIGTERM)
_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()


@dataclass(frozen=True)
class Ended:
    """How a program ended. error: the last line of standard error, without the name of the program."""

    code: int
    output: bytes
    error: str
    notes: tuple[str, ...] = ()


def find_gpz() -> str:
    """The program gpz: next to this Python or this program, or in the search path. Raises TaskFailed."""
    beside = (os.path.dirname(os.path.abspath(sys.argv[0])), os.path.dirname(sys.executable))
    for folder in beside:
        path = os.path.join(folder, "gpz")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which("gpz")
    if found is None:
        raise TaskFailed("the program gpz is not in the search path")
    return found


def python_program(module: str) -> list[str]:
    """A module of this package as a program."""
    return [sys.executable, "-m", module]


def run(arguments: Sequence[str], fed: Iterable[bytes] = (), named: str = "") -> Ended:
    """Runs a program, with these bytes as its standard input. named: what messages call standard input.

    Raises what `fed` raises, Interrupted after stop(), and DiskFull. If the bytes end by an exception, the program is
    killed: it would take what came before for a whole file.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = _start(arguments, output.fileno(), errors.fileno())
        try:
            _feed(process, fed)
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            with _lock:
                _running.discard(process)
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
        stopping.check()
        if -code in STOPS:
            raise Interrupted
        output.seek(0)
        errors.seek(0)
        lines = errors.read().decode(errors="replace").splitlines()
        ended = Ended(code, output.read(), *_told(lines, code, named))
    if code != 0 and says_full(ended.error):
        raise DiskFull(ended.error)
    return ended


def _start(arguments: Sequence[str], output: int, errors: int) -> subprocess.Popen[bytes]:
    with _lock:
        stopping.check()
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=output, stderr=errors)
        _running.add(process)
    return process


def _feed(process: subprocess.Popen[bytes], fed: Iterable[bytes]) -> None:
    assert process.stdin is not None
    try:
        for block in fed:
            process.stdin.write(block)
        process.stdin.close()
    except BrokenPipeError:
        pass  # its exit code says why


def _told(lines: Sequence[str], code: int, named: str) -> tuple[str, tuple[str, ...]]:
    told = [
        line.removeprefix("gpz: ").removeprefix("gpz convert: ").replace("standard input", named or "standard input")
        for line in lines
    ]
    if code == 0:
        return "", tuple(told)
    if not told:
        ended = f"by signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"with exit code {code}"
        return f"a program ended {ended}", ()
    return told[-1], tuple(told[:-1])


def stop() -> None:
    """Kills the programs that run. Steps that have begun raise Interrupted."""
    with _lock:
        stopping.stop()
        for process in _running:
            process.kill()
