# SPDX-License-Identifier: BSD-3-Clause
"""A .gpz file against the trajectory from which it was converted, frame by frame."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

import gpz
from gpz.convert.formats import format_to_read
from gpz.convert.sources import Place, open_whole
from gpz.convert.to_gpz import timesteps, vectors_of
from gpz.convert.whole_frames import extent_of

COMPONENTS = {"positions": ("x", "y", "z"), "velocities": ("vx", "vy", "vz"), "forces": ("fx", "fy", "fz")}


@dataclass
class Column:
    """bound: 0 where it is lossless. largest: difference of a value, in the units of the .gpz file. above: values
    beyond the bound."""

    name: str
    bound: float
    largest: float = 0.0
    above: int = 0


class Compared(NamedTuple):
    """frames: how many were compared. columns: with their differences. cut: whether the source ends within a frame, or
    before the frames that its header promises."""

    frames: int
    columns: list[Column]
    cut: bool


def compare(source: str | os.PathLike, made: str | os.PathLike) -> Compared:
    """What the comparison finds. Both files have the same frames, in the same order.

    Raises gpz.ArgumentError if they do not, and what reading them raises. The whole frames of a source that is cut are
    compared.
    """
    source = Path(os.fspath(source))
    form = format_to_read(source)
    extent = extent_of(source, form.mda)
    columns: dict[str, Column] = {}
    with (
        tempfile.TemporaryDirectory(prefix="gpz-compare-") as folder,
        warnings.catch_warnings(),
        gpz.open(made) as file,
    ):
        warnings.simplefilter("ignore")
        units = form.units(file.units)
        place = Place(source, Path(folder))
        with open_whole(place, form, None, extent) as reader:
            total = reader.n_frames if extent is None else extent.frames
            frames = (vectors_of(ts, units) for ts in timesteps(reader, range(total), place))
            compared = -1
            # Those without positions are left out by the conversion.
            for compared, vectors in enumerate(vectors for vectors in frames if "positions" in vectors):
                if compared < len(file):
                    _compare_frame(file[compared], vectors, columns, f"frame {compared}", os.fspath(made))
            total = compared + 1
            if total != len(file):
                raise gpz.ArgumentError(f"has {len(file)} frames, {source.name} has {total}", os.fspath(made))
    cut = extent is not None and extent.problem(source) is not None
    return Compared(total, list(columns.values()), cut)


def _compare_frame(
    frame: gpz.Frame, vectors: dict[str, np.ndarray], columns: dict[str, Column], which: str, made: str
) -> None:
    for quantity, values in vectors.items():
        for component, name in enumerate(COMPONENTS[quantity]):
            if name not in frame.columns:
                raise gpz.ArgumentError(f"{which}: no column {name}", made)
            found = np.asarray(frame[name], dtype=np.float64)
            expected = values[:, component].astype(np.float64)
            if len(found) != len(expected):
                raise gpz.ArgumentError(f"{which}: {len(found)} particles, the source has {len(expected)}", made)
            bound = frame.bounds[name] or 0.0
            column = columns.setdefault(name, Column(name, bound))
            column.bound = max(column.bound, bound)
            # Values that are no numbers are stored exactly.
            same = (found == expected) | (np.isnan(found) & np.isnan(expected))
            with np.errstate(invalid="ignore"):
                difference = np.where(same, 0.0, np.abs(found - expected))
            difference[np.isnan(difference)] = np.inf
            column.largest = max(column.largest, float(difference.max(initial=0.0)))
            column.above += int((difference > bound).sum())


def main(arguments: list[str]) -> int:
    """python -m gpz.convert.comparison SOURCE MADE: prints JSON as gpz verify --against does; exit code 7 for
    differences."""
    source, made = arguments
    try:
        frames, columns, cut = compare(source, made)
    except gpz.ArgumentError as error:
        print(f"gpz: {error}", file=sys.stderr)
        return 7
    except (gpz.Error, OSError, MemoryError) as error:
        print(f"gpz: {error}", file=sys.stderr)
        return 1
    listed = [
        {"name": column.name, "bound": column.bound, "largest_difference": column.largest, "above_bound": column.above}
        for column in columns
    ]
    print(json.dumps({"frames": frames, "not_compared": {"file": [], "against": []}, "columns": listed, "cut": cut}))
    for column in columns:
        if column.above:
            print(f"gpz: {made}: column {column.name}: {column.above} values differ by more than the bound {column.bound:g}, the "
                  f"largest by {column.largest:g}", file=sys.stderr)  # fmt: skip
            return 7
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
