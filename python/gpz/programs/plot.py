# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-plot, which `gpz plot` starts."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import gpz
from gpz._files import require_output
from gpz.programs.exit_codes import USAGE, exit_code
from gpz.programs.options import add_threads, frames, number_from, option

PANELS = ("sizes", "gr", "msd", "thermo", "errors")


def parser() -> argparse.ArgumentParser:
    """The options of gpz plot."""
    made = argparse.ArgumentParser(
        prog="gpz plot",
        description="Draws a .gpz file: size by frame and column, g(r), mean square displacement, thermodynamics, errors "
        "against the bound. "
        "With --advise: ratio and change of g(r) against the bound, for the choice of one.",
    )
    made.add_argument("file", help="a .gpz file; with --advise best the uncompressed dump")
    made.add_argument(
        "-o", "--output", metavar="FILE", help="the picture: .png, .svg or .pdf (FILE.png, or FILE_advice.png, here)"
    )
    made.add_argument("--json", action="store_true", help="the numbers as JSON; a picture only with -o")
    made.add_argument(
        "--against", metavar="ORIGINAL", help="the uncompressed trajectory, for errors: a dump of LAMMPS or a .gpz"
    )
    made.add_argument("--panels", metavar="LIST", default=",".join(PANELS), help=f"of {','.join(PANELS)} (all)")
    made.add_argument(
        "--thermo",
        metavar="LIST",
        nargs="?",
        const="",
        help="only the panel thermo, of these observables, such as Temp,PotEng (all that the file has)",
    )
    made.add_argument("--frames", metavar="A:B:STEP", type=frames, help="frames of g(r) and displacement, as a slice in Python")
    made.add_argument(
        "--range", type=float, metavar="R", help="largest distance of g(r), distance units (four particles far)"
    )
    made.add_argument("--bins", type=number_from(1), default=200, metavar="N", help="of g(r) (200)")
    made.add_argument("--advise", action="store_true", help="say which bound the data allow")
    numbers = option(lambda text: [float(bound) for bound in text.split(",")], "numbers with commas between them")
    made.add_argument("--bounds", metavar="LIST", type=numbers, help="bounds that --advise tries, distance units: 0.001,0.002,0.005")
    made.add_argument("--sample", type=number_from(1), default=5, metavar="N", help="frames that --advise looks at (5)")
    made.add_argument("--units", metavar="STYLE", help="of LAMMPS, for a file that names none: lj, real, metal, ...")
    add_threads(made)
    return made


def main(arguments: list[str] | None = None) -> int:
    """Runs gpz plot; returns its exit code."""
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    panels = [panel for panel in options.panels.split(",") if panel]
    if not panels or not set(panels) <= set(PANELS):
        options_parser.error(f"--panels: of {','.join(PANELS)}")
    names = [name for name in (options.thermo or "").split(",") if name] or None
    if options.thermo is not None:
        panels = ["thermo"]
    if options.range is not None and not options.range > 0:
        options_parser.error("--range is larger than 0")

    try:
        from gpz import plot
        from gpz.plot import pages
    except ImportError as error:
        print(f'gpz plot: {error.name} is missing: pip install "gpz-md[plot]"', file=sys.stderr)
        return 1
    output = options.output or f"{Path(options.file).stem}{'_advice' if options.advise else ''}.png"
    try:
        is_drawn = not options.json or options.output
        if is_drawn:
            require_output(output, [options.file, options.against])
        if options.advise:
            # The table has the same lines; they are for people who wait.
            is_watched = sys.stderr.isatty()

            def progress(line: str) -> None:
                if is_watched:
                    print(line, file=sys.stderr)

            numbers = plot.advise(
                options.file, bounds=options.bounds, frames=options.sample, reach=options.range, bins=options.bins,
                threads=options.threads, units=options.units, progress=progress,
            )  # fmt: skip
            report = advice_lines(numbers)
        else:
            numbers = plot.measure(
                options.file, against=options.against, panels=panels, frames=options.frames, reach=options.range,
                bins=options.bins, threads=options.threads, units=options.units, names=names,
            )  # fmt: skip
            report = [f"not drawn: {panel}: {reason}" for panel, reason in numbers.missing.items()]
        said = sys.stderr if options.json else sys.stdout
        print(*report, sep="\n", end="\n" if report else "", file=said)
        if options.json:
            print(json.dumps(pages.as_json(numbers), allow_nan=False))
        if is_drawn:
            plot.picture_of(numbers, title=Path(options.file).name).savefig(output, dpi=150)
            print(output, file=said)
    except (gpz.Error, OSError, ValueError) as error:
        print(f"gpz plot: {error}", file=sys.stderr)
        return USAGE if type(error) is ValueError else exit_code(error)
    return 0


def advice_lines(advice) -> list[str]:
    """The table of the adviser, line by line."""
    from gpz._unit_names import names_of

    distance = names_of(advice.units).distance
    lines = [
        f"{'bound':>9} {'bits':>7} {'ratio':>7} {'change of g(r)':>16} {'of its peak':>12} {'of the msd':>11} "
        f"{'shortest':>9}",
        f"{distance[:9]:>9} {'':7} {'':7} {'times the noise':>16} {'':12} {'':11} {distance[:9]:>9}",
    ]
    for t in advice.trials:
        lines.append(
            f"{t.bound:9g} {t.bits:7.2f} {t.ratio:7.2f} {t.change:16.3g} {t.change_of_peak:12.2g} {t.msd_change:11.2g} "
            f"{t.shortest:9.4g}" + ("   <- advised" if t.bound == advice.bound else "")
        )
    lines.append(
        f"Noise: two standard errors of g(r), {advice.noise_of_peak:.2g} of its peak at the peak, in "
        f"{len(advice.frames)} frames."
    )
    if advice.source_bound is not None:
        lines.append(
            f"The file itself has a bound of {advice.source_bound:g} {distance}: the errors of both compressions add "
            "up, and changes are those from this file, not from the simulation."
        )
    if advice.bound is None:
        lines.append(
            f"g(r) changes with each of these bounds: try tighter ones than {advice.trials[0].bound:g} {distance}."
        )
    else:
        lines.append(f"g(r) is unchanged within this noise up to a bound of {advice.bound:g} {distance}.")
    return lines


if __name__ == "__main__":
    sys.exit(main())
