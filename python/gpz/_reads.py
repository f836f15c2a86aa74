# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a frame into new arrays, or those of the caller: Trajectory.read and read_positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpz import _positions
from gpz._decode import (
    checked_array,
    checked_dtype,
    checked_names,
    checked_order,
    checked_out,
    cut,
    position_names,
    read_columns,
    to_cartesian,
)
from gpz._errors import ArgumentError, ColumnError
from gpz._head import Head
from gpz._open_file import File


def read(
    file: File,
    index: int,
    columns: Sequence[str] | None,
    out: Mapping[str, np.ndarray] | None,
    dtype: npt.DTypeLike,
    order: str | None,
) -> dict[str, np.ndarray]:
    """Trajectory.read of this frame of the file."""
    head = file.head(index)
    out = {} if out is None else checked_out(out)
    if columns is None:
        columns = () if out else tuple(head.columns)
    columns = checked_names(columns)
    dtype = checked_dtype(dtype)
    arrays: dict[str, np.ndarray] = {}
    for name in (*columns, *out):
        if name not in head.columns:
            raise ColumnError(f"no column {name}: there are {' '.join(head.columns)}", file.path)
        if name in out:
            shape = (rows_for(file, head, out[name]),)
            arrays[name] = checked_array(f"out[{name!r}]", out[name], shape, head.columns[name].dtype.kind)
        else:
            arrays[name] = file.options.new_array((head.n_particles,), file.options.dtype_of(head, (name,), dtype))
    count = read_columns(file.decoder(index), file.options.sorts(head, checked_order(order)), arrays)
    for name in out:
        require_rows(f"out[{name!r}]", out[name], count)
    return {name: cut(array, count) for name, array in arrays.items()}


def read_positions(
    file: File, index: int, out: np.ndarray | None, dtype: npt.DTypeLike, order: str | None
) -> np.ndarray:
    """Trajectory.read_positions of this frame of the file."""
    head = file.head(index)
    options = file.options
    names = position_names(head)
    given = out
    if out is None:
        out = options.new_array((head.n_particles, 3), options.dtype_of(head, names, checked_dtype(dtype)))
    else:
        checked_array("out", out, (rows_for(file, head, out), 3), "f")
    is_scaled = _positions.is_scaled(names)
    # Fractions of the box are rounded to float32 once, as coordinates.
    into = options.new_array(out.shape, np.dtype(np.float64)) if is_scaled else out
    columns = {name: into[:, k] for k, name in enumerate(names)}
    count = read_columns(file.decoder(index), options.sorts(head, checked_order(order)), columns)
    if given is not None:
        require_rows("out", given, count)
    into, out = cut(into, count), cut(out, count) if is_scaled else None
    into[:, len(names) :] = 0
    if out is None:
        return into
    to_cartesian(head, into)
    out[...] = into
    return out


def rows_for(file: File, head: Head, out: Any) -> int:
    """How many rows an array of the caller has to have. Of some of the atoms this is known when they are decoded."""
    is_known = file.selection is None or not isinstance(out, np.ndarray) or out.ndim == 0
    return head.n_particles if is_known else len(out)


def require_rows(name: str, out: np.ndarray, count: int) -> None:
    if len(out) != count:
        raise ArgumentError(f"{name}: the array has {len(out)} rows, and the frame has {count} of these atoms")
