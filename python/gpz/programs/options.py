# SPDX-License-Identifier: BSD-3-Clause
"""Options of the programs that write .gpz files."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

import gpz
from gpz import _core
from gpz._checks import THERMAL
from gpz._coding import AUTO, EFFORTS, KEY_INTERVAL, ORDERS
from gpz._slices import as_slice

# What the arguments of functions are called in the shell.
OPTIONS = {
    "bound": "--eb",
    "relative_bound": "--rel",
    "bounds": "--bound",
    "bounds['velocities']": "--bound velocities",
    "bounds['forces']": "--bound forces",
    "key_interval": "--key",
    "precision": "--precision",
    "topology": "--topology",
    "group": "--group",
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


USUAL_BOUND = f"{_core.position_bound('metal'):g} Angstrom"
# What gpz encode calls quantities too.
QUANTITIES = {"velocities": "velocities", "forces": "forces", "v*": "velocities", "f*": "forces"}


def bound_of(text: str) -> tuple[str, float | str]:
    """A quantity and its bound from "velocities=1e-4" or "vx=thermal". Raises ValueError for other texts."""
    name, _, value = text.partition("=")
    if name not in QUANTITIES:
        raise ValueError(text)
    return QUANTITIES[name], value if value == THERMAL else bound(value)


def whole_number(text: str) -> int:
    """An integer of at most 18 digits. Raises ValueError for other texts."""
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise ValueError(text)
    return int(text)


def size_of_memory(text: str) -> int:
    """For argparse: bytes."""
    found = re.fullmatch("([0-9]{1,12})([KMGT]?)", text)
    if found is None or int(found[1]) < 1:
        raise argparse.ArgumentTypeError(f"bytes, or a number with K, M, G or T, not {text!r}")
    return int(found[1]) * 1024 ** " KMGT".index(found[2] or " ")


def number_from(least: int, most: int | None = None, instead: str = "") -> Callable[[str], int]:
    """For argparse: a whole number of this range. instead: what else may be given, for the message."""

    def converted(text: str) -> int:
        number = whole_number(text)
        if number < least or (most is not None and number > most):
            raise ValueError(text)
        return number

    return option(converted, f"a whole number from {least}{'' if most is None else f' to {most}'}{instead}")


frames = option(as_slice, "A:B or A:B:STEP with whole numbers, or one number")
port = number_from(0, 65535)


def key_interval(text: str) -> int | str:
    """For argparse: frames, or AUTO."""
    return text if text == AUTO else number_from(1, _core.max_key_interval, f", or {AUTO}")(text)


def add_threads(parser: argparse.ArgumentParser, default: int = 0) -> None:
    """--threads, as gpz encode has it."""
    parser.add_argument(
        "--threads",
        type=number_from(0, _core.max_threads),
        default=default,
        metavar="N",
        help=f"threads to use; 0: one a core ({default})",
    )


def add_bounds(parser: argparse.ArgumentParser, usual: str = USUAL_BOUND, has_relative: bool = False) -> None:
    """--eb, --lossless, and --bound of velocities and forces. `usual`: the bound of positions where none is given. has_relative:
    --rel too."""
    positions = parser.add_mutually_exclusive_group()
    positions.add_argument(
        "--eb",
        type=option(bound, "a finite number that is not negative"),
        metavar="B",
        help=f"bound of positions in the .gpz file, in its units; 0: exact ({usual})",
    )
    if has_relative:
        positions.add_argument(
            "--rel",
            type=option(bound, "a finite number that is not negative"),
            metavar="R",
            help="this bound relative to the longest box edge of the first frame, below 1; without a box to its range of values",
        )
    positions.add_argument(
        "--lossless", dest="eb", action="store_const", const=0.0, help="exact positions, as --eb 0; other columns are exact anyway"
    )
    parser.add_argument(
        "--bound",
        action="append",
        default=[],
        type=option(bound_of, "velocities=V or forces=V, or v*=V or f*=V: V a finite number that is not negative, or thermal for velocities"),
        metavar="WHAT=B",
        help=f"WHAT: velocities or forces, or v* or f*; 0: exact (exact); velocities=thermal: {_core.thermal_bound_text}",
    )


def bounds_of(parser: argparse.ArgumentParser, given: list[tuple[str, float | str]]) -> dict[str, float | str]:
    """The values of --bound; ends the program if one is given twice."""
    bounds = dict(given)
    if len(bounds) < len(given):
        parser.error("--bound: velocities (v*) and forces (f*) have one bound each")
    return bounds


def add_coding(parser: argparse.ArgumentParser, threads: int = 0) -> None:
    """--key, --order, --effort and --threads. threads: the default."""
    parser.add_argument(
        "--key",
        type=key_interval,
        default=AUTO,
        metavar="K",
        help="a key frame every K frames; the others are stored as differences: smaller, but read from their key frame "
        f"on; 1: key frames only; auto: the fewest frames that make the file at most 2 %% larger than {KEY_INTERVAL} do, by the "
        f"sizes of the first six ({AUTO})",
    )
    parser.add_argument(
        "--order",
        choices=ORDERS,
        default=_core.default_order,
        help="of particles in key frames: auto, by id where there are ids; id, or memory (that of the input), where "
        "that is smaller; place, sorted by position (auto)",
    )
    parser.add_argument(
        "--effort",
        choices=EFFORTS,
        default=_core.default_effort,
        help="time spent on a smaller file: fast; standard, with molecules and a better code where there are ids; dense, "
        "all there is. Decoded values are the same (standard)",
    )
    add_threads(parser, threads)


def coding_of(options: argparse.Namespace) -> dict[str, Any]:
    """The values of add_coding(), as arguments of writers."""
    return {"key_interval": options.key, "order": options.order, "effort": options.effort, "threads": options.threads}


def in_the_shell(error: BaseException) -> str:
    """The message of an error, with the options that the user has given instead of arguments in Python."""
    text = str(error)
    if isinstance(error, gpz.ArgumentError) and text.endswith(error.cause):
        name = re.match(r"(\w+(?:\['\w+'\])?)(?==|:)", error.cause)
        if name and name[1] in OPTIONS:
            text = text.removesuffix(error.cause) + OPTIONS[name[1]] + error.cause[name.end() :]
    return re.sub(r" \((topology|precision|units)=\)", "", text)
