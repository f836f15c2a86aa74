# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-convert, which `gpz convert` starts."""

from __future__ import annotations

import argparse
import signal
import sys
import warnings

import gpz
from gpz.programs.exit_codes import HELP, exit_code
from gpz.programs.options import (
    USUAL_BOUND,
    add_bounds,
    add_coding,
    bounds_of,
    coding_of,
    frames,
    in_the_shell,
    option,
    whole_number,
)
from gpz.programs.parser import Parser


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
        type=frames,
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
    add_bounds(made, f"{USUAL_BOUND}; half of the grid of an XTC file, whose values are kept", has_relative=True)
    made.add_argument(
        "--topology",
        metavar="FILE",
        help="for types and elements in the .gpz file, and for the number of atoms of files that do not say it (mdcrd, "
        "TRZ): PDB, GRO, PSF, prmtop, LAMMPS data, ...",
    )
    made.add_argument(
        "--group", metavar="NAME", help="of particles in an H5MD file that has several (the first one with positions)"
    )
    add_coding(made)
    made.add_argument(
        "--allow-truncated",
        action="store_true",
        help="an input that ends within a frame is no error: its whole frames are written, a note says where it ends",
    )
    made.add_argument("-q", "--quiet", action="store_true", help="do not say what gets lost")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Runs gpz convert; returns its exit code."""
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    bounds = bounds_of(options_parser, options.bound)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that nothing is left behind
    try:
        from gpz.convert import convert

        warnings.simplefilter("ignore")  # what they say is among the notes
        notes = convert(
            options.input, options.output, frames=options.frames, bound=options.eb, relative_bound=options.rel, bounds=bounds,
            units=options.units, precision=options.precision, topology=options.topology, group=options.group,
            allow_truncated=options.allow_truncated, **coding_of(options),
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
