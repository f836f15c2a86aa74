# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-archive, which `gpz archive` starts."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from types import FrameType

import gpz
from gpz._coding import EFFORTS, KEY_INTERVAL, ORDERS
from gpz.programs.exit_codes import exit_code
from gpz.programs.options import key_interval, number_from, size_of_memory
from gpz.programs.parser import Parser

STOPPED = (signal.SIGINT, signal.SIGTERM)


class Signalled(BaseException):
    """A signal that ends the program has come."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


def parser() -> argparse.ArgumentParser:
    """The options of gpz archive."""
    made = Parser(
        prog="gpz archive",
        description="Makes a .gpz file of each trajectory in files and folders, compares it with its input, and notes in "
        "DIR/manifest.jsonl what it did. LAMMPS dumps and XYZ, also as .gz .zst .bz2 .xz; DCD, XTC, TRR, AMBER NetCDF, H5MD; .gpz. If "
        "it is interrupted, the same command goes on where it was.",
        epilog="Exit codes: 0 success; 1 an input failed, or one that should be removed was kept (the others are done); 2 usage; 3 the "
        "folder cannot be written, or no space is left.",
    )
    made.add_argument("files", metavar="IN", nargs="+", help="a file, or a folder with all that is in it")
    made.add_argument(
        "--to", metavar="DIR", required=True, help="the folder of the archive; it is made if it is not there"
    )
    made.add_argument(
        "--remove-inputs",
        action="store_true",
        help="remove each input after its output was compared with it, if it is still the same file; XYZ and what gpz convert reads "
        "stay, because they may hold more than gpz stores",
    )
    made.add_argument(
        "--replace",
        action="store_true",
        help="an output may take the place of one that was made of other bytes, unless the input of that one is gone",
    )
    made.add_argument(
        "--join",
        nargs="?",
        const="last",
        choices=("last", "first", "all"),
        help="the inputs of each folder are a run and its restarts, and become one file; of two frames of one step the last stays (last)",
    )
    made.add_argument("--jobs", type=number_from(1), metavar="N", help="programs at the same time (as many as there are cores)")
    made.add_argument(
        "--max-memory",
        type=size_of_memory,
        metavar="SIZE",
        help="of all of them together: bytes, or a number with K, M, G or T (half of this machine's each)",
    )
    made.add_argument(
        "--piece-size",
        type=size_of_memory,
        metavar="SIZE",
        help="cut LAMMPS dumps into pieces of at least this size, which are encoded at the same time (256M)",
    )
    made.add_argument(
        "--scheduler", metavar="ADDRESS", help="of dask.distributed: its workers do the work. They see the same files"
    )
    made.add_argument(
        "--eb", metavar="B", help="bound of positions, in distance units; 0: exact (the default of the units)"
    )
    made.add_argument("--rel", metavar="B", help="this bound relative to the longest box edge of the first frame")
    made.add_argument("--lossless", action="store_true", help="keep every bit of the positions")
    made.add_argument(
        "--bound",
        dest="bounds",
        metavar="COLUMN=V",
        action="append",
        help="bound of another float column, as in gpz encode",
    )
    made.add_argument("--units", metavar="STYLE", help="LAMMPS unit style of the inputs, such as metal")
    made.add_argument("--dt", metavar="T", help="length of a timestep, in time units")
    made.add_argument("--elements", metavar="LIST", help="names of atom types 1, 2, ..., such as C,H,O")
    made.add_argument("--effort", choices=EFFORTS, help="time spent on smaller files (standard)")
    made.add_argument("--key", type=key_interval, metavar="K", help=f"a key frame every K frames ({KEY_INTERVAL}); auto: as in gpz encode")
    made.add_argument("--order", choices=ORDERS, help="of particles in key frames (auto)")
    made.add_argument(
        "--allow-truncated",
        action="store_true",
        help="an input that ends within a frame is no error: its whole frames are archived",
    )
    made.add_argument("--json", action="store_true", help="the report as JSON")
    made.add_argument("-q", "--quiet", dest="progress", action="store_false", help="no progress")
    return made


def interrupt(number: int, frame: FrameType | None) -> None:
    """The handler of signals that end the program."""
    for stopped in STOPPED:
        signal.signal(stopped, signal.SIG_IGN)
    raise Signalled(number)


def main(arguments: list[str] | None = None) -> int:
    """Runs gpz archive; returns its exit code."""
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    try:
        from gpz.archive import archive
        from gpz.archive.errors import DiskFull, Interrupted
    except ImportError as error:
        print(f'gpz archive: {error.name} is missing: pip install "gpz-md[archive]"', file=sys.stderr)
        return 1
    given = {name: value for name, value in vars(options).items() if value is not None and name != "json"}
    for number in STOPPED:
        signal.signal(number, interrupt)
    try:
        report = archive(**given)
    except (Signalled, Interrupted) as stop:
        print("gpz archive: interrupted; the same command goes on where it was", file=sys.stderr)
        return 128 + (stop.number if isinstance(stop, Signalled) else signal.SIGTERM)
    except DiskFull as error:
        print(
            f"gpz archive: {error}; what is done stays, and the same command goes on when there is space",
            file=sys.stderr,
        )
        return exit_code(OSError())
    except ImportError as error:
        extra = "archive-cluster" if error.name in ("dask", "distributed") else "archive"
        print(f'gpz archive: {error.name} is missing: pip install "gpz-md[{extra}]"', file=sys.stderr)
        return 1
    except (gpz.Error, OSError, MemoryError) as error:
        print(f"gpz archive: {error}", file=sys.stderr)
        return exit_code(error)
    if options.json:
        print(json.dumps(report.as_json()))
    else:
        print(*report.lines(), sep="\n")
    sys.stdout.flush()
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
