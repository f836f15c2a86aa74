# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-record, which `gpz record` starts."""

from __future__ import annotations

import argparse
import dataclasses
import json
import signal
import sys
import warnings
from types import FrameType
from typing import TYPE_CHECKING

import gpz
from gpz.programs.exit_codes import exit_code
from gpz.programs.options import add_bounds, add_coding, bounds_of, coding_of, in_the_shell, option, size_of_memory, whole_number
from gpz.programs.parser import Parser

if TYPE_CHECKING:
    from gpz.imd import Recorder, Report

STOPPED = (signal.SIGINT, signal.SIGTERM)
CUT = 5  # as gpz.TruncatedError has it


def parser() -> argparse.ArgumentParser:
    """The options of gpz record."""
    made = Parser(
        prog="gpz record",
        description="Connects to a running simulation and writes its frames to a .gpz file. The engine sends them by IMD, version 3: "
        "LAMMPS (fix imd); GROMACS and NAMD were not tested. The file has complete frames at any time. The first Ctrl-C disconnects from "
        "the engine, which goes on, and completes the file.",
        epilog="Exit codes: 0 the engine closed the connection between two frames, or --frames are written; 1 internal error; 2 usage; 3 nobody listens, or the file "
        "cannot be written; 4 what came is not IMD; 5 the engine was cut off within a frame; 6 another version of IMD; 130 and 143: "
        "stopped by SIGINT and SIGTERM. With each of them the file is complete.",
    )
    seconds = option(lambda text: float(whole_number(text)), "a whole number of seconds")
    made.add_argument("url", metavar="imd://HOST:PORT", help="where the engine listens")
    made.add_argument("output", metavar="OUT", help="the .gpz file; replaced when the first frame comes")
    add_bounds(made)
    made.add_argument(
        "--units",
        metavar="STYLE",
        help="the units command of a LAMMPS run, whose numbers come as they are. Without: Angstrom, ps and kJ/mol, as IMD says; the "
        "file is in metal units",
    )
    made.add_argument("--append", action="store_true", help="add to the frames of OUT. Steps that it has are not written again")
    made.add_argument("--frames", metavar="N", type=option(whole_number, "a whole number"), help="stop after N frames")
    made.add_argument(
        "--retry",
        metavar="S",
        type=seconds,
        default=0,
        help="wait S seconds until the engine listens, and again after it has ended (0)",
    )
    made.add_argument(
        "--timeout", metavar="S", type=seconds, help="end when the engine was silent for S seconds (wait for ever)"
    )
    made.add_argument(
        "--buffer",
        metavar="SIZE",
        type=size_of_memory,
        default="64M",
        help="of frames that wait to be written: bytes, or a number with K, M, G or T. When it is full, the engine waits (64M)",
    )
    add_coding(made, threads=1)  # the simulation has the other cores
    made.add_argument("--json", action="store_true", help="the report as JSON")
    made.add_argument("-q", "--quiet", action="store_true", help="no report")
    return made


class Signals:
    """The first signal stops the recorder, the second ends its connection at once. number: of the first; None."""

    def __init__(self, recorder: Recorder):
        self._recorder = recorder
        self.number: int | None = None
        for number in STOPPED:
            signal.signal(number, self._come)

    def _come(self, number: int, frame: FrameType | None) -> None:
        if self.number is None:
            self.number = number
            self._recorder.stop()
        else:
            self._recorder.close()


def main(arguments: list[str] | None = None) -> int:
    """Runs gpz record; returns its exit code."""
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    bounds = bounds_of(options_parser, options.bound)
    try:
        from gpz.imd import Recorder
    except ImportError as error:
        print(f'gpz record: {error.name} is missing: pip install "gpz-md[record]"', file=sys.stderr)
        return 1
    warnings.showwarning = lambda message, *_, **__: print(f"gpz record: {message}", file=sys.stderr)
    recorder = None
    try:
        recorder = Recorder(
            options.url, options.output, bound=options.eb, bounds=bounds, units=options.units, frames=options.frames,
            append=options.append, retry=options.retry, timeout=options.timeout, buffer=options.buffer, **coding_of(options),
        )  # fmt: skip
        signals = Signals(recorder)
        report = recorder.run()
    except (gpz.Error, OSError, MemoryError) as error:
        if recorder is not None and recorder.report.frames:
            say(recorder.report, options)
        print(f"gpz record: {in_the_shell(error)}", file=sys.stderr)
        return exit_code(error)
    say(report, options)
    if signals.number is not None:
        print("gpz record: stopped; the file is complete", file=sys.stderr)
        return 128 + signals.number
    if report.cut:
        print(f"gpz record: {options.url}: the connection ended within a frame; {report.frames} complete frames written", file=sys.stderr)
        return CUT
    return 0


def say(report: Report, options: argparse.Namespace) -> None:
    """Prints the report, and on standard error what is missing."""
    if options.json:
        print(json.dumps(dataclasses.asdict(report)))
    elif not options.quiet:
        print(*lines(report, options.output), sep="\n")
    sys.stdout.flush()
    for before, after in report.missing:
        print(f"gpz record: frames are missing between the steps {before} and {after}", file=sys.stderr)


def lines(report: Report, path: str) -> list[str]:
    """The report as text."""
    steps = "" if report.first_step is None else f", steps {report.first_step} to {report.last_step}"
    repeated = f"; {report.repeated} frames of steps that it had were left out" if report.repeated else ""
    return [f"{path}: {report.frames} frames{steps}, {report.bytes} bytes{repeated}"]


if __name__ == "__main__":
    sys.exit(main())
