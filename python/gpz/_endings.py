# SPDX-License-Identifier: BSD-3-Clause
"""Formats by the ends of file names."""

from __future__ import annotations

import os
from pathlib import Path

from gpz import _core

# Endings of the formats that gpz convert writes, with MDAnalysis's names.
ENDINGS = {
    "DCD": (".dcd",),
    "NCDF": (".nc", ".ncdf"),
    "XTC": (".xtc",),
    "TRR": (".trr",),
    "H5MD": (".h5md", ".h5"),
}


def ending_of(path: str | os.PathLike) -> str:
    """The extension in small letters, such as ".dcd"; "" if there is none."""
    return Path(os.fspath(path)).suffix.lower()


def is_gpz(path: str | os.PathLike) -> bool:
    """Whether the name ends in .gpz."""
    return _core.is_gpz_name(os.fspath(path))
