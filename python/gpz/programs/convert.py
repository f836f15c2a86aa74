# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-convert, which `gpz convert` starts."""

from __future__ import annotations

import argparse
import re
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

import gpz
from gpz._checks import THERMAL
from gpz._slices import as_slice
from gpz.programs.exit_codes import HELP, exit_code
from gpz.programs.parser import Parser

# What the arguments of the function are called in the shell.
OPTIONS = {
    "bound": "--eb",
    "bounds": "--bound",
    "bounds['velocities']": "--bound velocities",
    "bounds['forces']": "--bound forces",
    "key_interval": "--key",
    "precision": "--precision",
    "topology": "--topology",
    "threads": "--threads",
    "order": "--order",
    "effort": "--effort",
}


def option(convert: Callable[[str], Any], wanted: str) -> Callable[[str], Any]:
    """For argparse: the message names the value and what is wanted."""

    def converted(text: str) -> Any:
        try:
            return convert(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{wanted}, not {text!r}") from None

    return converted


def bound(text: str) -> float:
    """ValueError for all but finite numbers that are not negative, and for numbers that are too small for a float."""
    value = float(text)
    digits = re.split("[eE]", text, maxsplit=1)[0]
    if "_" in text or not 0 <= value < float("inf") or (value == 0 and re.search("[1-9]", digits)):
        raise ValueError(text)
    return value


# And as gpz encode names them.
QUANTITIES = {"velocities": "velocities", "forces": "forces", "v*": "velocities", "f*": "forces"}


def bound_of(text: str) -> tuple[str, float | str]:
    """A quantity and its bound from "velocities=1e-4" or "vx=thermal". Raises ValueError for other texts."""
    name, _, value = text.partition("=")
    if name not in QUANTITIES:
        raise ValueError(text)
    return QUANTITIES[name], value if value == THERMAL else bound(value)


def parser() -> argparse.ArgumentParser:
    """The options of gpz convert."""
    made = Parser(
        prog="gpz convert",
        description="Converts .gpz to DCD, AMBER NetCDF, XTC, TRR or H5MD, and these and whatever else MDAnalysis reads "
        "(TNG, GRO, PDB, mdcrd, TRZ, ...) to .gpz; the names say which. What gets lost is said on standard error. For dumps of "
        "LAMMPS and XYZ: gpz encode, gpz decode.",
        epilog=HELP,
    )
    number = option(whole_number, "a whole number")
    made.add_argument("input", metavar="IN", help="a trajectory: .gpz .dcd .nc .ncdf .xtc .trr .h5md .h5 .tng .gro .pdb ...")
    made.add_argument("output", metavar="OUT", help="one of the two is .gpz; replaced when it is complete")
    made.add_argument(
        "--frames",
        metavar="A:B:STEP",
        type=option(as_slice, "A:B or A:B:STEP with whole numbers, or one number"),
        help="a slice as in Python, or one number (all)",
    )
    made.add_argument(
        "--units",
        metavar="STYLE",
        help="of LAMMPS. Of the .gpz file to write (metal), or of one that names none. A DCD file of LAMMPS is in the units "
        "of its run: name them",
    )
    made.add_argument(
        "--precision",
        type=number,
        metavar="N",
        help="decimal places of nm in XTC files, 0 to 9 (3, or those of the XTC file from which IN was made)",
    )
    positions = made.add_mutually_exclusive_group()
    positions.add_argument(
        "--eb",
        type=option(bound, "a finite number that is not negative"),
        metavar="B",
        help="bound of positions in the .gpz file, in its units; 0: exact (0.0005 Angstrom; half of the grid of an XTC file, whose "
        "values are kept)",
    )
    positions.add_argument(
        "--lossless", dest="eb", action="store_const", const=0.0, help="exact positions, as --eb 0; other columns are exact anyway"
    )
    made.add_argument(
        "--bound",
        action="append",
        default=[],
        type=option(bound_of, "velocities=V or forces=V, or v*=V or f*=V: V a finite number that is not negative, or thermal for velocities"),
        metavar="WHAT=B",
        help="WHAT: velocities or forces, or v* or f*; 0: exact (exact); velocities=thermal: a thousandth of the thermal speed "
        "of the heaviest species",
    )
    made.add_argument(
        "--topology",
        metavar="FILE",
        help="for types and elements in the .gpz file, and for the number of atoms of files that do not say it (mdcrd, "
        "TRZ): PDB, GRO, PSF, prmtop, LAMMPS data, ...",
    )
    made.add_argument(
        "--key",
        type=number,
        default=100,
        metavar="K",
        help="a key frame every K frames; the others are stored as differences: smaller, but read from their key frame "
        "on; 1: key frames only (100)",
    )
    made.add_argument(
        "--order",
        choices=("auto", "id", "place", "memory"),
        default="auto",
        help="of particles in key frames: auto, by id where there are ids; id, or memory (that of the input), where "
        "that is smaller; place, sorted by position (auto)",
    )
    made.add_argument(
        "--effort",
        choices=("fast", "standard", "dense"),
        default="standard",
        help="time spent on a smaller file: fast; standard, with bonds and a better code where there are ids; dense, "
        "all there is. Decoded values are the same (standard)",
    )
    made.add_argument("--threads", type=number, default=1, metavar="N", help="for .gpz; 0: all cores (1)")
    made.add_argument(
        "--allow-truncated",
        action="store_true",
        help="an input that ends within a frame is no error: its whole frames are written, a note says where it ends",
    )
    made.add_argument("-q", "--quiet", action="store_true", help="do not say what gets lost")
    return made


def whole_number(text: str) -> int:
    """An integer of at most 18 digits. Raises ValueError for other texts."""
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise ValueError(text)
    return int(text)


def in_the_shell(error: BaseException) -> str:
    """The message, with the options that the user has given instead of arguments in Python."""
    text = str(error)
    if isinstance(error, gpz.ArgumentError) and text.endswith(error.cause):
        name = re.match(r"(\w+(?:\['\w+'\])?)(?==|:)", error.cause)
        if name and name[1] in OPTIONS:
            text = text.removesuffix(error.cause) + OPTIONS[name[1]] + error.cause[name.end() :]
    return text.replace(" (topology=)", "").replace(" (precision=)", "")


def main(arguments: list[str] | None = None) -> int:
    """Runs gpz convert; returns its exit code."""
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    bounds = dict(options.bound)
    if len(bounds) < len(options.bound):
        options_parser.error("--bound: velocities (v*) and forces (f*) have one bound each")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that nothing is left behind
    try:
        from gpz.convert import convert

        warnings.simplefilter("ignore")  # what they say is among the notes
        notes = convert(
            options.input, options.output, frames=options.frames, bound=options.eb, bounds=bounds, units=options.units,
            precision=options.precision, topology=options.topology, key_interval=options.key, order=options.order,
            effort=options.effort, threads=options.threads, allow_truncated=options.allow_truncated,
        )  # fmt: skip
    except ImportError as error:
        print(f'gpz convert: {error.name} is missing: pip install "gpz-md[convert]"', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (gpz.Error, OSError, MemoryError) as error:
        say(getattr(error, "notes", []), options.quiet)
        print(f"gpz convert: {in_the_shell(error)}", file=sys.stderr)
        return exit_code(error)
    except Exception as error:
        print(f"gpz convert: internal error: {type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)
        return exit_code(error)
    say(notes, options.quiet)
    return 0


def say(notes: list[str], quiet: bool) -> None:
    """Prints notes on standard error, unless the user wants quiet."""
    if not quiet:
        for note in notes:
            print(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
