# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-serve, which `gpz serve` starts."""

from __future__ import annotations

import argparse
import signal
import sys

import gpz
from gpz.programs.exit_codes import HELP, exit_code
from gpz.programs.options import frames, port
from gpz.programs.parser import Parser

UNSUPPORTED = 6  # as gpz.UnsupportedError has it


def parser() -> argparse.ArgumentParser:
    """The options of gpz serve."""
    made = Parser(
        prog="gpz serve",
        description="Sends the frames of a .gpz file by IMD, version 3, as a running simulation does: to MDAnalysis (imd://), gpz record and "
        "what else reads such streams. Each client gets all frames.",
        epilog=HELP,
    )
    made.add_argument("input", metavar="IN", help="a .gpz file whose number of particles does not change")
    made.add_argument(
        "--port", type=port, default=8888, metavar="N", help="0: a free one, which is printed (8888)"
    )
    made.add_argument("--host", default="127.0.0.1", help="the address to listen at; the default is for this machine only (127.0.0.1)")
    made.add_argument(
        "--frames",
        metavar="A:B:STEP",
        type=frames,
        default=slice(None),
        help="a slice as in Python, or one number (all)",
    )
    made.add_argument("--raw", action="store_true", help="send numbers in units of the file, not in Angstrom, ps and kJ/mol")
    made.add_argument("--once", action="store_true", help="end after the first client")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Runs gpz serve; returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        from gpz.imd.serving import Server
    except ImportError as error:
        print(f'gpz serve: {error.name} is missing: pip install "gpz-md[record]"', file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with gpz.open(options.input) as trajectory:
            frames = range(len(trajectory))[options.frames]
            if not frames:
                raise gpz.ArgumentError("--frames: the file has no such frame", options.input)
            with Server(trajectory, options.host, options.port, frames=frames, convert=not options.raw) as server:
                print(f"imd://{options.host}:{server.port}", flush=True)
                while True:
                    sent = server.serve()
                    print(f"{sent} frames sent", flush=True)
                    if options.once:
                        return 0
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (gpz.Error, OSError, MemoryError, ValueError) as error:
        print(f"gpz serve: {error}", file=sys.stderr)
        return exit_code(error) if isinstance(error, (gpz.Error, OSError, MemoryError)) else UNSUPPORTED


if __name__ == "__main__":
    sys.exit(main())
