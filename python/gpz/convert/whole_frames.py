# SPDX-License-Identifier: BSD-3-Clause
"""How many whole frames a file has, and the byte where the last of them ends.

The lengths of the records are followed; no coordinate is decoded. MDAnalysis stops at a cut without a word.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import gpz


@dataclass(frozen=True)
class Extent:
    """frames: that are whole, from the first one on. end: the byte where the last of them ends. size: of the file.

    promised: how many frames the header says that there are; None: the format does not say.
    cut: the file ends within a frame, or before the frames that its header promises.
    damage: what stands behind the whole frames and is no frame; empty for files that are not damaged.
    cause: why no frame of a cut file can be read, where that is not plain.
    """

    frames: int
    end: int
    size: int
    promised: int | None = None
    cut: bool = False
    damage: str = ""
    cause: str = ""

    def problem(self, path: str | os.PathLike) -> gpz.CorruptError | None:
        """What is wrong with the file, named `path` for the user."""
        path = os.fspath(path)
        if self.damage:
            return gpz.CorruptError(f"{self.damage}. {count(self.frames)} before it complete", path, self.end)
        if not self.cut:
            return None
        if self.frames == 0:
            why = self.cause or f"the file ends at byte {self.size}"
            return gpz.TruncatedError(f"truncated before its first frame is complete: {why}", path, self.end)
        promised = f" of {self.promised}" if self.promised else ""
        rest = self.size - self.end
        why = f"{rest} bytes more are no whole frame" if rest else "the file ends there"
        return gpz.TruncatedError(
            f"truncated after frame {self.frames - 1} ({self.frames}{promised} complete): {why}", path, self.end
        )


def count(frames: int) -> str:
    return "1 frame is" if frames == 1 else f"{frames} frames are"


class Bytes:
    """Parts of a file by their places. EOFError where the file is too short."""

    def __init__(self, file: int, order: str = ">"):
        self.file, self.order = file, order
        self.size = os.fstat(file).st_size

    def at(self, place: int, length: int) -> bytes:
        found = os.pread(self.file, length, place) if place >= 0 else b""
        if len(found) < length:
            raise EOFError
        return found

    def numbers(self, place: int, kinds: str) -> tuple:
        """Of the kinds of the module struct, without padding."""
        form = self.order + kinds
        return struct.unpack(form, self.at(place, struct.calcsize(form)))

    def begins_like(self, start: bytes) -> bool:
        """Whether it begins with `start`, or is too short to tell."""
        found = os.pread(self.file, len(start), 0)
        return start.startswith(found)


class NoFrame(ValueError):
    """What stands at a place is no frame."""


def walk(bytes_: Bytes, start: int, length_at: Callable[[Bytes, int], int], promised: int | None = None) -> Extent:
    """Frame after frame, whose lengths `length_at` reads. It raises EOFError and NoFrame."""
    frames, place = 0, start
    damage = ""
    try:
        while place < bytes_.size:
            end = place + length_at(bytes_, place)
            if end > bytes_.size:
                break
            frames, place = frames + 1, end
    except EOFError:
        pass
    except NoFrame as error:
        damage = str(error)
    cut = not damage and (place < bytes_.size or frames == 0 or (promised is not None and frames < promised))
    return Extent(frames, place, bytes_.size, promised if promised and promised > frames else None, cut, damage)


# --- XTC and TRR: XDR, big-endian ---

XTC_MAGIC, LARGE_XTC_MAGIC, TRR_MAGIC = 1995, 2023, 1993
MOST_ATOMS_UNCOMPRESSED = 9  # by XTC


def xtc_length(bytes_: Bytes, place: int) -> int:
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
    (packed,) = bytes_.numbers(place + 88, kind)
    if packed < 0:
        raise NoFrame(f"a frame of XTC with a length of {packed} bytes")
    return head + packed + -packed % 4


def trr_length(bytes_: Bytes, place: int) -> int:
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
    return 12 + text + 13 * 4 + 2 * real + sum(sizes)


def xdr(length_at: Callable[[Bytes, int], int], *magics: int) -> Callable[[Bytes], Extent | None]:
    def extent(bytes_: Bytes) -> Extent | None:
        if not any(bytes_.begins_like(struct.pack(">i", magic)) for magic in magics):
            return None
        return walk(bytes_, 0, length_at)

    return extent


# --- DCD: records of Fortran, each between two markers that are its length ---


def dcd(bytes_: Bytes) -> Extent | None:
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
    """With its markers. MDAnalysis writes titles of another length than their first marker says."""
    width = struct.calcsize("=" + marker)
    title, lines = bytes_.numbers(place, marker + "i")
    lengths = [length for length in (title, 4 + 80 * lines) if length >= 0]
    for length in lengths:
        if bytes_.numbers(place + width + length, marker) == (title,):
            return 2 * width + length
    return 2 * width + max(title, 0)


def frames_or_none(bytes_: Bytes, width: int) -> int | None:
    try:
        (frames,) = bytes_.numbers(width + 4, "i")
    except EOFError:
        return None
    return frames if frames > 0 else None


# --- NetCDF, the classic format: frames are its records ---

DIMENSIONS, VARIABLES, ATTRIBUTES = 10, 11, 12
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}  # of the types, in bytes


class NetcdfHeader:
    """Reads the header. count: how many records it promises; None: a stream. begin, length: of the records.

    counts_at: the byte of the number of records, wide: whether it has 8 bytes.
    """

    def __init__(self, bytes_: Bytes, version: int):
        self.bytes, self.place = bytes_, 4
        self.wide = version == 5
        self.count: int | None = self.number()
        if self.count == (2**64 if self.wide else 2**32) - 1:
            self.count = None
        lengths = [self.name_and(self.number) for _ in range(self.items(DIMENSIONS))]
        self.attributes()
        records = []  # (begin, length, padded length)
        for _ in range(self.items(VARIABLES)):
            self.name_and(lambda: None)
            shape = [lengths[self.number()] for _ in range(self.number())]
            self.attributes()
            kind = self.kind()
            self.number()  # the length, which is of no use for variables of 4 GiB and more
            begin = self.take("I" if version == 1 else "Q")
            if shape and shape[0] == 0:
                length = SIZES[kind]
                for side in shape[1:]:
                    length *= side
                records.append((begin, length, length + -length % 4))
        self.begin = min((begin for begin, _, _ in records), default=bytes_.size)
        # One variable alone has no padding.
        self.length = records[0][1] if len(records) == 1 else sum(padded for _, _, padded in records)

    def take(self, kind: str) -> int:
        (value,) = self.bytes.numbers(self.place, kind)
        self.place += struct.calcsize("=" + kind)
        return value

    def number(self) -> int:
        return self.take("Q" if self.wide else "I")

    def kind(self) -> int:
        kind = self.take("I")
        if kind not in SIZES:
            raise NoFrame(f"the header of NetCDF has a type {kind}")
        return kind

    def items(self, tag: int) -> int:
        found, number = self.take("I"), self.number()
        if found != tag and (found or number):
            raise NoFrame(f"the header of NetCDF has a list {found} where {tag} belongs")
        return number

    def name_and(self, then: Callable[[], int | None]) -> int | None:
        length = self.number()
        self.place += length + -length % 4
        return then()

    def attributes(self) -> None:
        for _ in range(self.items(ATTRIBUTES)):
            self.name_and(lambda: None)
            length = SIZES[self.kind()] * self.number()
            self.place += length + -length % 4


def netcdf(bytes_: Bytes) -> Extent | None:
    version = next((v for v in (1, 2, 5) if bytes_.begins_like(b"CDF" + bytes([v]))), None)
    if version is None:
        return None
    try:
        header = NetcdfHeader(bytes_, version)
    except EOFError:
        return Extent(0, 0, bytes_.size, cut=True)
    except (NoFrame, IndexError):
        return None  # MDAnalysis says what it does not understand
    if header.length == 0:
        return None
    whole = max(bytes_.size - header.begin, 0) // header.length
    if header.count is not None and header.count <= whole:
        # What is behind them is not counted yet, by a program that runs.
        return Extent(header.count, header.begin + header.count * header.length, bytes_.size)
    end = header.begin + whole * header.length if whole else 0
    cut = header.count is not None or end < bytes_.size
    return Extent(whole, end, bytes_.size, header.count, cut)


def copy_whole(source: Path, target: Path, extent: Extent, form: str) -> None:
    """A file of the whole frames alone, for readers that read none of a file which has not all of its frames."""
    with open(source, "rb") as read, open(target, "wb") as made:
        left = extent.end
        while left:
            # Shares the bytes of both files where the file system can.
            copied = os.copy_file_range(read.fileno(), made.fileno(), left)
            if copied == 0:
                raise gpz.FileError("the file became shorter while it was read", os.fspath(source))
            left -= copied
    if form == "NCDF":
        with open(target, "r+b") as made:
            wide = made.read(4)[3] == 5
            made.write(struct.pack(">Q" if wide else ">I", extent.frames))


# --- HDF5 knows the size of its files ---

HDF5_START = b"\x89HDF\r\n\x1a\n"
LONGEST_SUPERBLOCK = 2048  # with the first objects


def hdf5(bytes_: Bytes, path: Path) -> Extent | None:
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


# --- All of them ---

BY_BYTES: dict[str, Callable[[Bytes], Extent | None]] = {
    "XTC": xdr(xtc_length, XTC_MAGIC, LARGE_XTC_MAGIC),
    "TRR": xdr(trr_length, TRR_MAGIC),
    "DCD": dcd,
    "NCDF": netcdf,
}


def extent_of(path: str | os.PathLike, form: str) -> Extent | None:
    """form: MDAnalysis's name of the format. None for formats that are not followed, for whole files whose frames are
    counted by others, and for files of another format."""
    with open(path, "rb") as file:
        bytes_ = Bytes(file.fileno())
        if form in BY_BYTES:
            return BY_BYTES[form](bytes_)
        if form == "H5MD":
            return hdf5(bytes_, Path(path))
    return None
