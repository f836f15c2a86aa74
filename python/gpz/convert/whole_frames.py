# SPDX-License-Identifier: BSD-3-Clause
"""How many whole frames a file has, and the byte where the last of them ends.

The lengths of the records are followed; no coordinate is decoded. MDAnalysis stops at a cut without a word.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import gpz
from gpz.convert.extent import Bytes, Extent, NoFrame, walk
from gpz.convert.netcdf import netcdf, with_count

# --- XTC and TRR: XDR, big-endian ---

XTC_MAGIC, LARGE_XTC_MAGIC, TRR_MAGIC = 1995, 2023, 1993
MOST_ATOMS_UNCOMPRESSED = 9  # by XTC
SMALLEST_OF_XTC = (9, 72)  # the places in its table of sizes


def xtc_length(bytes_: Bytes, place: int) -> int:
    """The bytes of the frame of XTC that begins at byte `place`. Raises NoFrame if none begins there, EOFError at the end."""
    magic, atoms = bytes_.numbers(place, "ii")
    if magic not in (XTC_MAGIC, LARGE_XTC_MAGIC) or atoms < 0:
        raise NoFrame("what begins here is no frame of XTC")
    # Magic, atoms, step, time and 9 numbers of the box; then the number of atoms once more.
    (again,) = bytes_.numbers(place + 52, "i")
    if again != atoms:
        raise NoFrame(f"a frame of XTC with two numbers of atoms, {atoms} and {again}")
    if atoms <= MOST_ATOMS_UNCOMPRESSED:
        return 56 + 12 * atoms
    # Precision, 6 limits and the size of the smallest difference; then the number of bytes.
    head, kind = (92, "i") if magic == XTC_MAGIC else (96, "q")
    *limits, smallest = bytes_.numbers(place + 60, "7i")
    (packed,) = bytes_.numbers(place + 88, kind)
    # The library of XTC writes beyond its arrays for others.
    if not SMALLEST_OF_XTC[0] <= smallest <= SMALLEST_OF_XTC[1] or any(a > b for a, b in zip(limits, limits[3:])):
        raise NoFrame("a frame of XTC whose head has impossible numbers")
    if not 0 <= packed <= 16 * atoms + 64:
        raise NoFrame(f"a frame of XTC with {packed} bytes for {atoms} atoms")
    return head + packed + -packed % 4


class TrrHead(NamedTuple):
    """length: in bytes. data: those after it. real: "f" or "d", of its numbers. The box, if there is one, begins after the head."""

    length: int
    data: int
    real: str
    has_box: bool


def trr_length(bytes_: Bytes, place: int) -> int:
    """The bytes of the frame of TRR that begins at byte `place`. Raises NoFrame if none begins there, EOFError at the end."""
    head = head_of_trr(bytes_, place)
    return head.length + head.data


def head_of_trr(bytes_: Bytes, place: int) -> TrrHead:
    """That of a frame, as trr_length."""
    magic, _, text = bytes_.numbers(place, "iii")
    if magic != TRR_MAGIC or not 0 <= text < 1000:
        raise NoFrame("what begins here is no frame of TRR")
    text += -text % 4
    # ir, e, box, vir, pres, top, sym, x, v, f: lengths in bytes. Then atoms, step, nre.
    sizes = bytes_.numbers(place + 12 + text, "10i")
    (atoms,) = bytes_.numbers(place + 52 + text, "i")
    if min(sizes) < 0 or atoms < 0:
        raise NoFrame("a frame of TRR with a negative length")
    box, vectors = sizes[2], [size for size in sizes[7:] if size]
    real = box // 9 if box else vectors[0] // (3 * atoms) if vectors and atoms else 4
    if real not in (4, 8) or any(size != 3 * atoms * real for size in vectors):
        raise NoFrame(f"a frame of TRR whose lengths are not those of {atoms} atoms")
    return TrrHead(12 + text + 13 * 4 + 2 * real, sum(sizes), "f" if real == 4 else "d", box > 0 and not any(sizes[:2]))


def xdr(length_at: Callable[[Bytes, int], int], *magics: int) -> Callable[[Bytes], Extent | None]:
    """A function that counts whole frames of a format whose frames begin with one of these magic numbers; it returns None for
    other files."""
    def extent(bytes_: Bytes) -> Extent | None:
        if not any(bytes_.begins_like(struct.pack(">i", magic)) for magic in magics):
            return None
        return walk(bytes_, 0, length_at)

    return extent


# --- DCD: records of Fortran, each between two markers that are its length ---


def dcd(bytes_: Bytes) -> Extent | None:
    """How many whole frames a DCD file has; None if it is another file."""
    found = os.pread(bytes_.file, 12, 0)
    layouts = [(order, kind) for order in "<>" for kind in "iq"]
    starts = {layout: struct.pack("".join(layout), 84) + b"CORD" for layout in layouts}
    layout = next((layout for layout, start in starts.items() if start.startswith(found[: len(start)])), None)
    if layout is None:
        return None
    bytes_.order, marker = layout[0], layout[1]
    width = struct.calcsize("=" + marker)
    try:
        header = bytes_.numbers(width + 4, "20i")
        frames, fixed, cell, fourth, charmm = header[0], header[8], header[10], header[11], header[19]
        place = 2 * width + 84
        place += title_length(bytes_, place, marker)
        (atoms,) = bytes_.numbers(place + width, "i")
        place += 2 * width + 4
    except EOFError:
        return Extent(0, 0, bytes_.size, frames_or_none(bytes_, width), cut=True)
    if atoms < 0 or not 0 <= fixed <= atoms:
        return None
    if fixed:
        place += 2 * width + 4 * (atoms - fixed)
    cell_record = 2 * width + 48 if charmm and cell else 0
    vectors = 4 if charmm and fourth == 1 else 3
    first = place

    def length_at(bytes_: Bytes, place: int) -> int:
        size = 4 * (atoms if place == first else atoms - fixed)
        length = cell_record + vectors * (2 * width + size)
        last = length - width
        if cell_record and bytes_.numbers(place, marker) != (48,):
            raise NoFrame("what begins here is no frame of DCD: its unit cell has no 48 bytes")
        if bytes_.numbers(place + cell_record, marker) != (size,):
            raise NoFrame(f"what begins here is no frame of DCD with {size // 4} atoms")
        if bytes_.numbers(place + last, marker) != (size,):
            raise NoFrame(f"a frame of DCD that does not end after {size // 4} atoms")
        return length

    # Programs that do not count while they run leave 0 or too few there.
    return walk(bytes_, first, length_at, frames if frames > 0 else None)


def title_length(bytes_: Bytes, place: int, marker: str) -> int:
    """Length of the title with its markers. MDAnalysis writes titles of another length than their first marker says."""
    width = struct.calcsize("=" + marker)
    title, lines = bytes_.numbers(place, marker + "i")
    lengths = [length for length in (title, 4 + 80 * lines) if length >= 0]
    for length in lengths:
        if bytes_.numbers(place + width + length, marker) == (title,):
            return 2 * width + length
    return 2 * width + max(title, 0)


def frames_or_none(bytes_: Bytes, width: int) -> int | None:
    """The number of frames that the header of a DCD file names; None if it names none."""
    try:
        (frames,) = bytes_.numbers(width + 4, "i")
    except EOFError:
        return None
    return frames if frames > 0 else None


# --- TRZ: frames of one length, which the flag for forces and the number of atoms decide ---

HEADER_OF_TRZ = 100


def trz(bytes_: Bytes) -> Extent | None:
    """Markers of its records are not compared: MDAnalysis writes other ones than it should."""
    bytes_.order = "<"
    if not bytes_.begins_like(struct.pack("<i", 80)):
        return None
    try:
        (forces,) = bytes_.numbers(92, "i")
        (atoms,) = bytes_.numbers(HEADER_OF_TRZ + 12, "i")
    except EOFError:
        return Extent(0, 0, bytes_.size, cut=True)
    if forces not in (10, 20) or atoms < 1:
        return None
    length = 280 + 24 * atoms + (24 + 12 * atoms if forces == 20 else 0)
    return walk(bytes_, HEADER_OF_TRZ, lambda _bytes, _place: length)


# --- HDF5 knows the size of its files ---

HDF5_START = b"\x89HDF\r\n\x1a\n"
LONGEST_SUPERBLOCK = 2048  # with the first objects


def hdf5(bytes_: Bytes, path: Path) -> Extent | None:
    """An empty extent with the cause if an H5MD file is cut; None if HDF5 opens the file, or if it is another file."""
    import h5py

    if not bytes_.begins_like(HDF5_START):
        return None
    try:
        with h5py.File(path, "r"):
            return None
    except OSError as error:
        sizes = re.search(r"truncated file: eof = (\d+), .*stored_eof = (\d+)", str(error))
        if sizes is None and bytes_.size >= LONGEST_SUPERBLOCK:
            return None
    of = f" of {sizes[2]}" if sizes else ""
    cause = f"the file has {bytes_.size}{of} bytes, and HDF5 opens none that is cut"
    return Extent(0, 0, bytes_.size, cut=True, cause=cause)


# --- AMBER's text: lines of 10 numbers in 8 columns each, after a title ---


BOX_OF_MDCRD = 24  # letters


def mdcrd(path: str | os.PathLike, n_atoms: int) -> Extent:
    """A frame may end with a line for the box: where the first one does, as for MDAnalysis."""
    widths = [8 * min(10, 3 * n_atoms - first) for first in range(0, 3 * n_atoms, 10)]
    with open(path, "rb") as file:
        file.readline()
        frames, end = 0, file.tell()
        while all(is_whole_line(file.readline(), width) for width in widths):
            if frames == 0 and n_atoms > 1:
                behind = file.tell()
                if len(file.readline().rstrip()) == BOX_OF_MDCRD:
                    widths.append(BOX_OF_MDCRD)
                else:
                    file.seek(behind)
            frames, end = frames + 1, file.tell()
        size = file.seek(0, os.SEEK_END)
        file.seek(end)
        cut = frames == 0 or bool(file.read(sum(widths)).strip())
    cause = f"a frame of {n_atoms} atoms has {len(widths)} lines, the file has {size - end} bytes after its title"
    return Extent(frames, end if cut else size, size, cut=cut, cause=cause)


def is_whole_line(line: bytes, width: int) -> bool:
    """The last line of a file may lack its line break; then all its numbers have to be there."""
    return line.endswith(b"\n") or len(line) >= width


# --- All of them ---

BY_BYTES: dict[str, Callable[[Bytes], Extent | None]] = {
    "XTC": xdr(xtc_length, XTC_MAGIC, LARGE_XTC_MAGIC),
    "TRR": xdr(trr_length, TRR_MAGIC),
    "DCD": dcd,
    "NCDF": netcdf,
    "TRZ": trz,
}
MDCRD = ("MDCRD", "TRJ", "CRDBOX")


def extent_of(path: str | os.PathLike, form: str, n_atoms: int | None = None) -> Extent | None:
    """form: MDAnalysis's name of the format. n_atoms: of a topology, for files that do not say it. None for formats that
    are not followed, for compressed ones, for whole files whose frames are counted by others, and for files of another
    format."""
    if form in MDCRD:
        compressed = os.fspath(path).endswith((".bz2", ".gz"))
        return None if n_atoms is None or compressed else mdcrd(path, n_atoms)
    with open(path, "rb") as file:
        bytes_ = Bytes(file.fileno())
        if form in BY_BYTES:
            return BY_BYTES[form](bytes_)
        if form == "H5MD":
            return hdf5(bytes_, Path(path))
    return None


PDB = ("PDB", "ENT", "XPDB", "PDBQT")


def doubts(path: str | os.PathLike, form: str) -> list[str]:
    """A line if a file of text, whose frames are not followed, may have been cut: nothing in these formats says so."""
    with open(path, "rb") as file:
        file.seek(max(os.path.getsize(path) - 200, 0))
        end = file.read()
    if not end or not all(32 <= letter < 127 or letter in b"\t\r\n" for letter in end):
        return []
    if form in PDB and not end.splitlines()[-1].startswith(b"END"):
        return ["the file does not end with END: if it was cut there, atoms or frames are missing"]
    if not end.endswith(b"\n"):
        return ["the last line has no line break: if the file was cut there, its last number has lost digits"]
    return []


PART = 2**20  # bytes


def copy_whole(source: Path, target: Path, extent: Extent, form: str) -> None:
    """A file of the whole frames alone, for readers that read none of a file which has not all of its frames."""
    with open(source, "rb") as read, open(target, "wb") as made:
        left = extent.end
        while left:
            part = read.read(min(left, PART))
            if not part:
                raise gpz.FileError("the file became shorter while it was read", os.fspath(source))
            left -= made.write(part)
    if form == "NCDF":
        with_count(target, extent.frames)
