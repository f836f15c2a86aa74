# SPDX-License-Identifier: BSD-3-Clause
"""What a program has read from .gpz against the text of the same run (runs.py)."""

import numpy as np

# Runs whose frames have the atoms of the first one, whole, in one file: what programs without a changing number of atoms read.
SAME_ATOMS = (
    "melt",
    "melt_place",
    "triclinic",
    "two_dimensional",
    "no_z",
    "group",
    "fields",
    "scaled",
    "unwrapped",
    "elements",
)
ROUNDING = 1e-12  # relative, of conversions between units and of fractions to distances


def positions(frame):
    """(N, 3) absolute coordinates of a frame of the text."""
    columns = frame["columns"]
    for name in ("x", "xu", "xs"):
        if name in columns:
            names = (name, name.replace("x", "y", 1), name.replace("x", "z", 1))
            values = np.column_stack([columns.get(each, np.zeros(len(columns[name]))) for each in names])
            return frame["origin"] + values @ frame["matrix"] if name == "xs" else values
    raise AssertionError(f"no positions among {list(columns)}")


def vectors(frame, names):
    """(N, 3), zeros for columns that the text lacks."""
    columns = frame["columns"]
    return np.column_stack([columns.get(name, np.zeros(len(columns["id"]))) for name in names])


def require_within(got, expected, bound, relative=ROUNDING):
    """Every value within the bound. `relative` is what rounding may add, of the largest value. Returns the largest
    error."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape, f"{got.shape}, not {expected.shape}"
    errors = np.abs(got.astype(np.float64) - expected)
    largest = errors.max(initial=0)
    allowed = bound + relative * np.abs(expected).max(initial=0)
    assert largest <= allowed, f"row {np.unravel_index(errors.argmax(), errors.shape)}: {largest} of {allowed}"
    return largest


def require_positions(frames, run, factor=1.0, origin=True, relative=ROUNDING):
    """Positions of all frames, in units of distance multiplied by `factor`, from the lower corner of the box unless
    `origin`.
    At least one value must differ by a tenth of the bound: what is compared was compressed."""
    assert len(frames) == len(run.frames), f"{len(frames)} frames, not {len(run.frames)}"
    largest = 0
    for got, frame in zip(frames, run.frames):
        expected = positions(frame) - (0 if origin else frame["origin"])
        # Scaled positions too: their bound is one of distances, in a tilted box as well.
        largest = max(largest, require_within(got, expected * factor, run.case.bound * factor, relative))
    assert largest > 0.1 * run.case.bound * factor, f"the largest error is {largest}"
