# SPDX-License-Identifier: BSD-3-Clause
"""What the bounds of a converted file refer to: the values of its input, and the decimal places that these have."""

from __future__ import annotations

import struct
from itertools import islice
from pathlib import Path
from typing import Any

from gpz.convert.formats import Format

# Of positions, in Angstrom, by MDAnalysis's names: what the format says of their columns.
DECIMALS = {"PDB": 0.001, "ENT": 0.001, "MDCRD": 0.001, "TRJ": 0.001, "CRD": 1e-5}
XTC_PRECISION = 56  # byte of the first frame: behind its head, its box and the second number of atoms
LEAST_ATOMS_ROUNDED = 10  # with fewer, XTC stores float32


def described(source: Path, form: Format, angstrom: float) -> dict[str, Any]:
    """Metadata of the file to write. angstrom: one, in its unit of distance."""
    said: dict[str, Any] = {"reference": f"{form.name} file, as MDAnalysis reads it (float32)"}
    grid = {"XTC": xtc_grid, "GRO": gro_grid}.get(form.mda, lambda _: DECIMALS.get(form.mda, 0.0))(source)
    if grid:
        said["reference_grid"] = float(f"{grid * angstrom:.9g}")
    return said


def gro_grid(source: Path) -> float:
    """Angstrom; 0 if the first atom does not say. Its coordinates begin in column 20, all with as many decimal places."""
    with open(source, encoding="utf-8", errors="replace") as file:
        line = ([*islice(file, 3)] or [""])[-1].rstrip("\n")
    points = [place for place, letter in enumerate(line) if letter == "." and place >= 20]
    width = points[1] - points[0] if len(points) > 1 else 0
    return 10.0 * 10.0 ** -(width - 5) if 5 < width < 20 else 0.0


def xtc_grid(source: Path) -> float:
    """Angstrom; 0 if the file does not say. Numbers are rounded to 1 / precision nm."""
    with open(source, "rb") as file:
        head = file.read(XTC_PRECISION + 4)
    if len(head) < XTC_PRECISION + 4 or struct.unpack_from(">i", head, XTC_PRECISION - 4)[0] < LEAST_ATOMS_ROUNDED:
        return 0.0
    precision = struct.unpack_from(">f", head, XTC_PRECISION)[0]
    return 10.0 / precision if precision > 0 else 0.0
