# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the bounds of a converted file: the values of its input, and the decimal places that these have."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from gpz.convert import xtc
from gpz.convert.formats import Format



def text_of(name: str) -> str:
    """The entry `reference` of files that are converted from the format of this name."""
    return f"{name} file, as MDAnalysis reads it (float32)"


TEXT_OF_XTC = text_of("XTC")
# Decimal places of positions in Angstrom that a format has by definition, by MDAnalysis's name of the format.
DECIMALS = {"PDB": 0.001, "ENT": 0.001, "MDCRD": 0.001, "TRJ": 0.001, "CRD": 1e-5}


def described(source: Path, form: Format, angstrom: float) -> dict[str, Any]:
    """Metadata of the file to write. angstrom: one, in its unit of distance."""
    said: dict[str, Any] = {"reference": text_of(form.name)}
    grid = {"XTC": xtc.first_grid, "GRO": gro_grid}.get(form.mda, lambda _: DECIMALS.get(form.mda, 0.0))(source)
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
