# SPDX-License-Identifier: BSD-3-Clause
"""The kind of an input file: by its first bytes, as in gpz encode, and by its name where the bytes do not say."""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass

from gpz._endings import ENDINGS
from gpz.archive.compressed import compression_of, head

START = 65_536  # bytes that are looked at

LAMMPS, LAMMPS_BINARY, XYZ, GPZ = "lammps", "lammps-binary", "xyz", "gpz"
PACKABLE = (LAMMPS, LAMMPS_BINARY, XYZ)  # read within gzip and others
# Kinds of gpz convert, and the endings by which it knows them.
CONVERTED = {"netcdf" if name == "NCDF" else name.lower(): endings for name, endings in ENDINGS.items()}
HDF5, CLASSIC_NETCDF = b"\x89HDF\r\n\x1a\n", (b"CDF\x01", b"CDF\x02", b"CDF\x05")


@dataclass(frozen=True)
class Kind:
    """name: one of the constants of this module, or a key of CONVERTED. compression: what it is packed with, or
    None."""

    name: str
    compression: str | None = None

    @property
    def is_converted(self) -> bool:
        """Whether gpz convert reads it."""
        return self.name in CONVERTED

    @property
    def may_hold_more(self) -> bool:
        """Whether files of this kind may have what gpz does not store, such as words in comments of XYZ, datasets of
        H5MD, and lambda of TRR. No comparison shows the loss."""
        return self.name == XYZ or self.is_converted


def kind_of(path: str) -> Kind | None:
    """None for a file that is no trajectory. Raises OSError, TaskFailed."""
    with open(path, "rb") as file:
        start = file.read(START)
    compression = compression_of(start)
    if compression is not None:
        start = head(path, compression, START)
    name = _name_of(text_of(start), _name_without(path, compression))
    return None if name is None else Kind(name, compression)


def text_of(start: bytes) -> bytes:
    """The text without a prefix that gpz encode skips: a byte order mark and empty lines, as gpz encode passes them."""
    start = start.removeprefix(codecs.BOM_UTF8)
    lines = re.match(rb"(?:[ \t\r]*\n)*", start)
    return start[lines.end() :] if lines else start


def _name_without(path: str, compression: str | None) -> str:
    name = os.path.basename(path).lower()
    return name.rpartition(".")[0] if compression is not None and "." in name else name


def _name_of(start: bytes, file_name: str) -> str | None:
    if start.startswith((b"ITEM: TIMESTEP", b"ITEM: UNITS", b"ITEM: TIME")):
        return LAMMPS
    if start[8:12] == b"DUMP":
        return LAMMPS_BINARY
    if start.startswith(b"\x89GPZ"):
        return GPZ
    if start[:4] in (b"\0\0\x07\xcb", b"\0\0\x07\xe7"):  # 1995, 2023
        return "xtc"
    if start[:4] == b"\0\0\x07\xc9":  # 1993
        return "trr"
    # Behind a marker of 4 or 8 bytes.
    if b"CORD" in (start[4:8], start[8:12]):
        return "dcd"
    ending = os.path.splitext(file_name)[1]
    if start.startswith(CLASSIC_NETCDF):
        return "netcdf" if ending in CONVERTED["netcdf"] or b"AMBER" in start else None
    if start.startswith(HDF5):
        # An AMBER file may be HDF5 as well. What an .h5 has in it, MDAnalysis finds out.
        return next((kind for kind in ("netcdf", "h5md") if ending in CONVERTED[kind]), None)
    return XYZ if _is_xyz(start) else None


def _is_xyz(start: bytes) -> bool:
    """A number of atoms, a line of any text, and rows with a name and three numbers at least."""
    lines = start.split(b"\n", 3)
    if len(lines) < 3 or not re.fullmatch(rb"[ \t]*[0-9]{1,18}[ \t\r]*", lines[0]):
        return False
    if int(lines[0]) == 0:
        return True
    words = lines[2].split()
    return sum(map(_is_number, words)) >= 3 and len(words) >= 4


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def ending_for(kind: str) -> str:
    """The ending by which gpz convert knows files of this kind."""
    return CONVERTED[kind][0]
