# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-convert, which `gpz convert` starts."""

from __future__ import annotations

import argparse
import signal
import sys

import gpz
from gpz._slices import as_slice


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="gpz convert",
        description="Converts .gpz to DCD, AMBER NetCDF, XTC, TRR or H5MD, and back; the names say which. What gets lost "
        "is said on standard error. For dumps of LAMMPS and XYZ: gpz encode, gpz decode.",
    )
    made.add_argument(
        "input", metavar="IN", help="a file whose name ends with .gpz .dcd .nc .ncdf .xtc .trr .h5md or .h5"
    )
    made.add_argument("output", metavar="OUT", help="one of the two is .gpz; replaced when it is complete")
    made.add_argument("--frames", metavar="A:B:STEP", help="a slice as in Python, or one number (all)")
    made.add_argument(
        "--units", metavar="STYLE", help="of LAMMPS. Of the .gpz file to write (metal), or of one that names none"
    )
    made.add_argument("--precision", type=int, default=3, metavar="N", help="decimal places of nm in XTC files (3)")
    made.add_argument(
        "--eb", type=float, metavar="B", help="bound of positions in the .gpz file, in its units (0.0005 Angstrom)"
    )
    made.add_argument(
        "--bound", action="append", default=[], metavar="WHAT=B", help="WHAT: velocities or forces (exact)"
    )
    made.add_argument(
        "--topology", metavar="FILE", help="for types and elements in the .gpz file: PDB, GRO, PSF, LAMMPS data, ..."
    )
    made.add_argument(
        "--key",
        type=int,
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
    made.add_argument("--threads", type=int, default=1, metavar="N", help="for .gpz; 0: all cores (1)")
    made.add_argument("-q", "--quiet", action="store_true", help="do not say what gets lost")
    return made


def bounds_of(texts: list[str]) -> dict[str, float]:
    bounds = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in ("velocities", "forces"):
            raise ValueError(text)
        bounds[name] = float(value)
    return bounds


def main(arguments: list[str] | None = None) -> int:
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    try:
        frames = None if options.frames is None else as_slice(options.frames)
    except ValueError:
        options_parser.error(f"--frames {options.frames}: A:B or A:B:STEP, or one number")
    try:
        bounds = bounds_of(options.bound)
    except ValueError as error:
        options_parser.error(f"--bound {error}: velocities=V or forces=V")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that nothing is left behind
    try:
        from gpz.convert import convert

        notes = convert(
            options.input, options.output, frames=frames, bound=options.eb, bounds=bounds, units=options.units,
            precision=options.precision, topology=options.topology, key_interval=options.key, order=options.order,
            effort=options.effort, threads=options.threads,
        )  # fmt: skip
    except ImportError as error:
        print(f'gpz convert: {error.name} is missing: pip install ".[convert]" in the sources of gpz', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (gpz.Error, OSError, ValueError, TypeError) as error:
        print(f"gpz convert: {error}", file=sys.stderr)
        return 1
    if not options.quiet:
        for note in notes:
            print(f"note: {note}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
