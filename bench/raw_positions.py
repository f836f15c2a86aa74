#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Positions of the last frame of a LAMMPS binary dump, in its order, as raw f64 (x y z of one particle after the other).

Usage: raw_positions.py DUMP.bin OUT.f64 [KxLxM]

KxLxM: so many copies along each axis, x fastest, each shifted by edges of the box.
"""
import array
import itertools
import struct
import sys


def read_frames(path):
    """Yields (columns, values, edges) for each frame; values are one array of doubles, row by row, edges the lengths of an orthogonal box."""
    with open(path, "rb") as file:
        while head := file.read(8):
            (step,) = struct.unpack("q", head)
            revision = 1
            if step < 0:  # a negative number is the length of a magic string that comes first
                file.read(-step)
                _, revision, _ = struct.unpack("iiq", file.read(16))
            _, triclinic = struct.unpack("qi", file.read(12))
            file.read(6 * 4)
            bounds = struct.unpack("6d", file.read(48))
            file.read(24 if triclinic else 0)
            (size_one,) = struct.unpack("i", file.read(4))
            columns = []
            if revision > 1:
                (units,) = struct.unpack("i", file.read(4))
                file.read(units)
                (has_time,) = struct.unpack("b", file.read(1))
                file.read(8 if has_time else 0)
                (length,) = struct.unpack("i", file.read(4))
                columns = file.read(length).decode().split()
            (chunks,) = struct.unpack("i", file.read(4))
            values = array.array("d")
            for _ in range(chunks):
                (n,) = struct.unpack("i", file.read(4))
                values.fromfile(file, n)
            assert len(values) % size_one == 0
            edges = [bounds[2 * d + 1] - bounds[2 * d] for d in range(3)]
            yield columns, values, edges


def main():
    frame = None
    for frame in read_frames(sys.argv[1]):
        pass
    columns, values, edges = frame
    copies = [int(count) for count in sys.argv[3].split("x")] if len(sys.argv) > 3 else [1, 1, 1]
    at = [columns.index(name) for name in ("x", "y", "z")]
    positions = array.array("d", bytes(8 * 3 * (len(values) // len(columns))))
    for d in range(3):
        positions[d::3] = values[at[d] :: len(columns)]
    with open(sys.argv[2], "wb") as file:
        for k, j, i in itertools.product(*(range(count) for count in reversed(copies))):
            shift = (i * edges[0], j * edges[1], k * edges[2])
            array.array("d", (x + shift[n % 3] for n, x in enumerate(positions))).tofile(file)


if __name__ == "__main__":
    main()
