# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of lossless columns, and usual bounds for them."""

from __future__ import annotations

import os

import numpy as np

import gpz
from gpz import _core, _positions
from gpz._frame import VECTORS
from gpz._head import Column


def notes(path: str | os.PathLike) -> list[str]:
    """The advice about lossless columns, if there is any."""
    reader = _core.Reader.open(os.fsencode(path), _core.default_memory_limit())
    advice = _core.LosslessAdvice()
    size = 0
    with gpz.open(path) as file:
        for i in range(len(file)):
            columns = lossless(file[i])
            size += int(reader.field_sizes(i)[sorted({column.field for column in columns})].sum()) if columns else 0
            if advice.takes(i):
                for column in columns:
                    advice.add(column.name, i, np.ascontiguousarray(file[i][column.name], np.float64))
    text = advice.text(size, os.path.getsize(path), option)
    return [text] if text else []


def lossless(frame: gpz.Frame) -> list[Column]:
    """The float columns of a frame that have no bound, but no positions."""
    positions = {name for form in _positions.FORMS for name in form}
    return [
        column
        for column in frame.column_info.values()
        if column.dtype.kind == "f" and column.bound is None and column.name not in positions
    ]


def option(columns: list[str], bound: str) -> str:
    """The --bound option that gives these columns this bound in gpz convert. The components of a velocity, or of a force, share one."""
    quantities = {name: quantity for quantity, vector in VECTORS.items() for name in vector}
    return f"--bound {quantities.get(columns[0], columns[0])}={bound}"
