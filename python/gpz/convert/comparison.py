# SPDX-License-Identifier: BSD-3-Clause
"""A .gpz file against the trajectory from which it was converted, frame by frame."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import gpz
from gpz._differences import Difference, Differences
from gpz.convert.formats import format_to_read
from gpz.convert.sources import Place, open_whole
from gpz.convert.to_gpz import timesteps, vectors_of
from gpz.convert.whole_frames import extent_of

COMPONENTS = {"positions": ("x", "y", "z"), "velocities": ("vx", "vy", "vz"), "forces": ("fx", "fy", "fz")}


def compare(source: str | os.PathLike, made: str | os.PathLike) -> Differences:
    """Compares two files. Both have the same frames, in the same order.

    Raises gpz.ArgumentError if they do not, and what reading them raises. The whole frames of a source that is cut are
    compared.
    """
    source = Path(os.fspath(source))
    form = format_to_read(source)
    extent = extent_of(source, form.mda)
    columns: dict[str, Difference] = {}
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
    return Differences(total, list(columns.values()), {"file": [], "against": []}, cut)


def _compare_frame(
    frame: gpz.Frame, vectors: dict[str, np.ndarray], columns: dict[str, Difference], which: str, made: str
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
            column = columns.setdefault(name, Difference(name, bound))
            column.bound = max(column.bound, bound)
            # Values that are no numbers are stored exactly.
            same = (found == expected) | (np.isnan(found) & np.isnan(expected))
            with np.errstate(invalid="ignore"):
                difference = np.where(same, 0.0, np.abs(found - expected))
            difference[np.isnan(difference)] = np.inf
            column.largest_difference = max(column.largest_difference or 0.0, float(difference.max(initial=0.0)))
            column.above_bound += int((difference > bound).sum())


def main(arguments: list[str]) -> int:
    """python -m gpz.convert.comparison SOURCE MADE: prints JSON as gpz verify --against does; exit code 7 for
    differences."""
    source, made = arguments
    try:
        found = compare(source, made)
    except gpz.ArgumentError as error:
        print(f"gpz: {error}", file=sys.stderr)
        return 7
    except (gpz.Error, OSError, MemoryError) as error:
        print(f"gpz: {error}", file=sys.stderr)
        return 1
    print(found.as_json())
    for column in found.columns:
        if column.above_bound:
            print(f"gpz: {made}: column {column.name}: {column.above_bound} values differ by more than the bound {column.bound:g}, the "
                  f"largest by {column.largest_difference:g}", file=sys.stderr)  # fmt: skip
            return 7
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
