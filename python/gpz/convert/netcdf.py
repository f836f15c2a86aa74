# SPDX-License-Identifier: BSD-3-Clause
"""Whole frames of NetCDF files of the classic format: frames are records, and the header counts them."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable

from gpz.convert.extent import Bytes, Extent, NoFrame

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
        """The next number, of a type of struct."""
        (value,) = self.bytes.numbers(self.place, kind)
        self.place += struct.calcsize("=" + kind)
        return value

    def number(self) -> int:
        """The next count or length: 64 bits in version 5, otherwise 32."""
        return self.take("Q" if self.wide else "I")

    def kind(self) -> int:
        """The next type of values. Raises NoFrame for one that NetCDF does not have."""
        kind = self.take("I")
        if kind not in SIZES:
            raise NoFrame(f"the header of NetCDF has a type {kind}")
        return kind

    def items(self, tag: int) -> int:
        """The number of entries of the next list, which has to be the list `tag` or an absent one. Raises NoFrame otherwise."""
        found, number = self.take("I"), self.number()
        if found != tag and (found or number):
            raise NoFrame(f"the header of NetCDF has a list {found} where {tag} belongs")
        return number

    def name_and(self, then: Callable[[], int | None]) -> int | None:
        """The value that `then` reads after the next name."""
        length = self.number()
        self.place += length + -length % 4
        return then()

    def attributes(self) -> None:
        """Passes over a list of attributes."""
        for _ in range(self.items(ATTRIBUTES)):
            self.name_and(lambda: None)
            length = SIZES[self.kind()] * self.number()
            self.place += length + -length % 4


def netcdf(bytes_: Bytes) -> Extent | None:
    """How many whole records an AMBER NetCDF file has; None if it is another file or one that only MDAnalysis can judge."""
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
        # What is after them is not counted yet, by a program that runs.
        return Extent(header.count, header.begin + header.count * header.length, bytes_.size)
    end = header.begin + whole * header.length if whole else 0
    cut = header.count is not None or end < bytes_.size
    return Extent(whole, end, bytes_.size, header.count, cut)


def with_count(path: str | os.PathLike, frames: int) -> None:
    """Makes the header of a file say that it has so many."""
    with open(path, "r+b") as file:
        wide = file.read(4)[3] == 5
        file.write(struct.pack(">Q" if wide else ">I", frames))
