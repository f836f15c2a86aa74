#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of every kind for the fuzz targets to start from, in a folder for each kind.

    tests/fuzz/seeds.py FOLDER

Files come from tests/golden: the golden files, cuts of them, and the files that each break one rule of the format.
"""

import inspect
import itertools
import os
import pathlib
import random
import struct
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
for folder in ("golden", "reference", "cli", "hostile"):
    sys.path.insert(0, str(TESTS / folder))

os.environ.setdefault("GPZ", "gpz")  # which the tests of the command run; here they only say how files are made

import costly  # noqa: E402
import costly_tables  # noqa: E402
import violations_arrays  # noqa: E402
import violations_blocks  # noqa: E402
import violations_container  # noqa: E402
import violations_tables  # noqa: E402
import violations_trajectories  # noqa: E402

import gpz_write_tables  # noqa: E402
from gpz_reference import tables as gpz_tables  # noqa: E402
from test_encode import binary_frame  # noqa: E402

GOLDEN = sorted((TESTS / "golden/files").glob("*.gpz"))
SMALL = 4096  # bytes: small inputs are tried more often
LARGEST = 32768  # bytes: what the targets take


def header_length(data):
    (metadata,) = struct.unpack_from("<I", data, 20)
    return (24 + metadata + 7) // 8 * 8 + 8


def records(data):
    """The records of a file, as bytes (docs/format.md, section 2)."""
    at = header_length(data)
    while at + 24 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at + 16)
        if at + length > len(data):
            return
        yield data[at : at + length]
        at += length


def golden_files():
    """Each golden file whole, its first frame, and its first two."""
    for path in GOLDEN:
        data = path.read_bytes()
        start, frames = data[: header_length(data)], list(records(data))
        yield path.stem, data
        for count in (1, 2):
            yield f"{path.stem}-{count}", start + b"".join(frames[:count])


def violations():
    for module in (violations_container, violations_blocks, violations_trajectories, violations_tables):
        yield from of_families(module.FAMILIES)


def of_families(families):
    """What the families make, if it is small enough."""
    for family, changes in families:
        for number, change in [("", {}), *((f"-{i}", change) for i, (change, _) in enumerate(changes))]:
            data = family(**change)
            if len(data) <= LARGEST:
                yield f"{family.__name__}{number}", data


def costly_files():
    """Small forms of the files that ask for time or memory out of proportion."""
    small = {"size": SMALL, "count": 12, "rows": 3000, "columns": 4, "tables": 4, "length": 300}
    for room in (costly, costly_tables):
        for name in sorted({function.__name__ for function in room.FILES.values()} - {"<lambda>"}):
            function = getattr(room, name)
            parameters = inspect.signature(function).parameters
            data = function(**{key: value for key, value in small.items() if key in parameters})
            if len(data) <= LARGEST:
                yield f"{room.__name__}-{name}".replace("_", "-"), data


def files():
    yield from golden_files()
    yield from costly_files()
    yield from violations()


def calls():
    """Lists of calls of the C API, each with a file."""
    dice = random.Random(1)
    images = [data for _, data in golden_files() if len(data) <= SMALL]
    for number in range(200):
        program = bytes(dice.choice((dice.randrange(40), dice.randrange(256))) for _ in range(dice.randrange(8, 160)))
        yield f"calls-{number}", struct.pack("<H", len(program)) + program + dice.choice(images)


def descriptions():
    """Of the frames of a round trip."""
    dice = random.Random(2)
    for number in range(150):
        yield f"frames-{number}", bytes(dice.randrange(256) for _ in range(dice.choice((16, 48, 120))))


def dump(columns, rows, box="BOX BOUNDS pp pp pp\n0 10\n0 10\n0 10\n", before=""):
    """A frame of a text dump of LAMMPS."""
    lines = "".join(" ".join(map(str, row)) + "\n" for row in rows)
    return f"{before}ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n{len(rows)}\nITEM: {box}ITEM: ATOMS {columns}\n{lines}".encode()


def texts():
    rows = [(1, 1, 0.5, 1e-3, -2.25), (2, 2, "nan", 3e300, 4)]
    tilted = "BOX BOUNDS xy xz yz pp ff pp\n0 12 1\n0 10 0.5\n0 10 -1\n"
    general = "BOX BOUNDS abc origin pp pp pp\n10 0 0 0\n0 10 0 0\n0 0 10 0\n"
    yield "dump", b"\0" + dump("id type x y z", rows) * 2
    yield "dump-tilted", b"\0" + dump("id type xs ys zs", rows, tilted)
    yield "dump-general", b"\0" + dump("id element xu yu zu", rows, general)
    yield "dump-time", b"\0" + dump("id x y z vx ix", [(1, 2, 3, 4, 5, 6)], before="ITEM: UNITS\nlj\nITEM: TIME\n0.5\n")
    yield "dump-empty", b"\0" + dump("id type x y z", [])
    yield "xyz", b"\0" + b"2\nAtoms. Timestep: 4\nC 1 2 3\nO 4 5.5 -6e2\n" * 2
    lattice = b'1\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:id:I:1 Time=2.5 pbc="T T F"\nH 1 2 3 9\n'
    yield "extxyz", b"\0" + lattice
    for number, box in enumerate((dict(), dict(kind=1, box=[0, 9, 0, 9, 0, 9, 1, 2, 3]), dict(kind=2, box=[9, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0]))):
        yield f"binary-{number}", b"\0" + binary_frame(5, "id type x y z", [(1, 1, 2, 3, 4), (2, 1, 5, 6, 7)], units="lj", time=0.5, **box)
    yield "binary-parts", b"\0" + binary_frame(5, "id x y z", [(i, 1, 2, 3) for i in range(9)], chunks=3)
    for choices in (5, 5 + 12, 5 + 24, 5 + 48, 5 + 12 + 24 + 48):
        yield f"raw-{choices}", bytes([choices]) + struct.pack("<12d", *range(12))


DATA = "a data file, units = real\n\n3 atoms\n2 atom types\n1 bonds\n1 bond types\n0 9 xlo xhi\n\nMasses\n\n1 12\n2 1\n\nAtoms # full\n\n"
DATA += "1 1 1 -0.5 1 2 3\n2 1 1 0 4 5 6\n3 1 2 0.5 7 8 9\n\nBonds\n\n1 1 1 2\n"
LOG = "units real\nPer MPI rank memory allocation (min/avg/max) = 3 | 3 | 3 Mbytes\n   Step          Temp          PotEng    \n"
LOG += "       100   300   -7.5\nLoop time of 1 on 1 procs for 100 steps with 3 atoms\n"


def encoded():
    """A kind of text (TextKind in text_maker.hpp), options, and the text."""
    dump_kind, xyz_kind, extended_kind, data_kind, log_kind = range(5)
    kinds = {"dump": dump_kind, "xyz": xyz_kind, "extxyz": extended_kind}
    for name, data in texts():
        kind = kinds.get(name.split("-")[0])
        if kind is not None:
            yield name, bytes([kind, 0]) + data[1:]
    yield "data", bytes([data_kind, 0]) + DATA.encode()
    yield "log", bytes([log_kind, 0]) + LOG.encode()


def bodies(name, data):
    """Inputs of the target `tables`: records of tables as they are, and the columns of their first tables."""
    for number, record in enumerate(records(data)):
        kind, head = struct.unpack_from("<II", record, 8)
        body = record[32 + head : -24]
        if kind != gpz_tables.TABLES or len(body) > SMALL or head < 16:
            continue
        (count,) = struct.unpack_from("<I", record, 32)
        yield f"{name}-{number}", struct.pack("<BB", 1, count & 255) + body


def columns(coder, *written):
    """Columns of three rows, or however many the first one has."""
    data = [coder.encode(column) for column in written]
    types = {1: 0, 3: 1, 4: 2}
    program = struct.pack("<BBBB", 2, 1, len(written[0].rows), len(data) - 1)
    for column, of_column in zip(written[:-1], data):
        program += struct.pack("<BH", types[column.type], len(of_column)) + of_column
    return program + struct.pack("<B", types[written[-1].type]) + data[-1]


def tables():
    for path in GOLDEN:
        yield from bodies(path.stem, path.read_bytes())
    for family, changes in violations_tables.FAMILIES:
        yield from bodies(family.__name__, family())
        for number, (change, _) in enumerate(changes):
            yield from bodies(f"{family.__name__}-{number}", family(**change))
    for coding, prediction in itertools.product(gpz_tables.CODINGS, gpz_tables.PREDICTIONS):
        how = {"coding": coding, "prediction": prediction}
        second = gpz_write_tables.WriteColumn(b"b", [5, 5, 7], **how)
        third = gpz_write_tables.WriteColumn(b"c", [b"x", b"", b"x"], gpz_tables.TEXT, **how)
        yield f"columns-{coding}-{prediction}", columns(gpz_write_tables.Columns(), gpz_write_tables.WriteColumn(b"a", [1, 2, 2]), second, third)
    dice = random.Random(3)
    for number in range(100):
        yield f"described-{number}", b"\0" + bytes(dice.choice((dice.randrange(4), dice.randrange(256))) for _ in range(dice.choice((8, 30, 80))))


def arrays():
    """Of frames: bytes of arrays, and descriptions."""
    for path in sorted((TESTS / "golden/files/arrays").glob("*.bin")):
        yield path.stem, b"\2" + path.read_bytes()
    for name, data in of_families(violations_arrays.FAMILIES):
        yield name, b"\2" + data
    dice = random.Random(4)
    for number in range(150):
        yield f"described-{number}", bytes([number % 2, *(dice.randrange(256) for _ in range(dice.choice((12, 30, 60))))])


SEEDS = {"files": files, "arrays": arrays, "tables": tables, "calls": calls, "frames": descriptions, "texts": texts, "encoded": encoded}


def main():
    for kind, seeds in SEEDS.items():
        folder = pathlib.Path(sys.argv[1]) / kind
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
