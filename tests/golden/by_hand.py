# SPDX-License-Identifier: BSD-3-Clause
"""Golden files of what the format allows and the library's encoder does not write, made by the test writer of tests/reference."""

import math
import random
import struct

import decoders  # noqa: F401  makes the test writer known

from gpz_reference import reader as gpz_ref
from gpz_reference.codec import ELIAS_FANO, EXACT, FLOAT32, FLOAT64, INTEGER, PLAIN, RUNS
from gpz_reference.difference import index_from_value
from gpz_reference.tables import FEW_VALUES, NUMBERS, ROW_BEFORE, TEXT
from gpz_write import WriteField, encode_chunk, file_header, frame_record, record, write_bytes
from gpz_write_difference import Section, difference_chunk, encode_predicted
from gpz_write_tables import WriteColumn, WriteTable, names_table, observables_record, tables_record
from steps_by_chance import make as steps_by_chance
from test_difference import ALONE, Trajectory

LEADING = 1
UNKNOWN_TYPE = 1 << 31 | 9


def numbers(kind, count, spread, rng):
    """As a file of that type holds them."""
    letter = "f" if kind == FLOAT32 else "d"
    return list(
        struct.unpack(f"<{count}{letter}", struct.pack(f"<{count}{letter}", *(spread * rng.random() for _ in range(count))))
    )


def position_field(kind, modes, rng, count=75):
    step = 0.01
    axes = [numbers(kind, count, 4.0, rng) for _ in range(3)]
    for i, value in enumerate((math.nan, math.inf, -0.0)):
        axes[i][20 * i] = value
    return WriteField(kind, ["x", "y", "z"], axes, step, step * 0.51, LEADING, modes, [0, 3])


def blocks(kind):
    """Frames of every block size class, and of every mode in turn."""
    rng, frames = random.Random(50 + kind), []
    for number, block_size in enumerate((32, 64, 4096)):
        field = position_field(kind, [RUNS, ELIAS_FANO, PLAIN, EXACT][number % 2 :], rng)
        ids = WriteField(INTEGER, ["id"], [list(range(75))])
        more = WriteField(kind, ["vx", "vy"], [numbers(kind, 75, 1.0, rng) for _ in range(2)], 0.5, 0.26, 0, [PLAIN, EXACT])
        fields = [field, ids, more]
        frames.append(frame_record(fields, [(75, encode_chunk(fields, range(75), block_size)[0])], timestep=number))
    return write_bytes({}, frames)


def container():
    """A file of a later minor version, with records that may be skipped, without an index at its end."""
    ids = WriteField(INTEGER, ["id"], [[3, 1, 2]])
    frame = frame_record([ids], [(3, encode_chunk([ids], range(3), 32)[0])], timestep=1, time=2.5)
    bare = frame_record([], [], timestep=2)
    header = file_header({"units": "real", "a_later_key": [1]}, minor=7, optional=1 << 31 | 1)
    index = record(2, struct.pack("<Q", 0))
    skipped = record(UNKNOWN_TYPE, bytes(range(16)), bytes(range(80)))
    return header + skipped + frame + index + skipped + bare + frame


def other_records():
    """Records that may be skipped in front of, between and behind frames, and an index. A difference frame builds on the
    frame before the record in front of it."""
    t = Trajectory(55, FLOAT64, 20, 32)
    t.step(speed=1)
    t.step(speed=2)
    frames = [t.file[at : at + length] for at, length, *_ in gpz_ref.read_bytes(t.file).index]
    first, second = record(UNKNOWN_TYPE, bytes(range(16)), bytes(range(80))), record(UNKNOWN_TYPE + 1, b"")
    pieces = [first, second]
    for frame in frames:
        pieces += [frame, first]
    return write_bytes({}, [*pieces, second])


def codes(kind):
    """Difference frames with every head, also of triples, and neighbours."""
    t = Trajectory(60 + kind, kind, 34, 32)
    for head, width in ((0, 3), (1, 8), (2, 4), (3, 5)):
        t.step(codes=[(width, head), (4, 2), (3, 0)], speed=3, margin=2)
    for head, width in ((4, 5), (5, 9), (6, 7), (7, 8)):
        levels = [[t.random.randrange(-128, 128) for _ in range(head - 3)] for _ in range(3)]
        t.step(codes=[(width, head), ALONE, ALONE], speed=1, levels=levels, leaving=[5], arriving=1)
    return t.file


def codings():
    """Difference frames with block coded positions; all particles leave, others come, and all leave for good."""
    t = Trajectory(70, FLOAT64, 20, 32)
    t.step(coding=2)
    t.step(speed=0)
    t.step(leaving=range(20), arriving=9)
    t.step(leaving=range(9))
    t.step(arriving=4)
    return t.file


def at_rest():
    """Grid indices and lossless floats without a section, lossless floats predicted, and an integer that is block coded."""
    rng = random.Random(71)
    axes = [[q * 0.25 for q in range(d, d + 6)] for d in range(3)]
    first, second = ([rng.random() for _ in range(6)] for _ in range(2))
    for kind, values in ((FLOAT32, first), (FLOAT32, second)):
        values[:] = struct.unpack("<6f", struct.pack("<6f", *values))

    def fields(q):
        return [
            WriteField(FLOAT32, ["x", "y", "z"], axes, 0.25, 0.25, LEADING, [PLAIN]),
            WriteField(INTEGER, ["id"], [list(range(6))]),
            WriteField(FLOAT32, ["q"], [q]),
        ]

    class Lossless:
        type, step, value_size = FLOAT32, 0, 4

    def keys(q):
        return [[index_from_value(struct.unpack("<I", struct.pack("<f", v))[0], Lossless) for v in q]]

    key = frame_record(fields(first), [(6, encode_chunk(fields(first), range(6), 32)[0])])
    rows = encode_chunk(fields(first), range(6), 32)[1]
    sorted_keys = [[column[row] for row in rows] for column in (*keys(first), *keys(second))]
    predicted = encode_predicted(Section([sorted_keys[1]], [sorted_keys[0]], codes=[(4, 0)]))
    moved = difference_chunk(6, [], [b"", b"", predicted])
    following = frame_record(fields(second), [(6, moved)], timestep=1, since_key=1, reference=key)
    last = difference_chunk(6, [], [b"", b"", b""])
    rest = frame_record(fields(second), [(6, last)], timestep=2, since_key=2, reference=following)
    return write_bytes({}, [key, following, rest])


def tables():
    """What the library does not write: keys that do not occur, texts that are equal or unused, observables of one name, and
    observables of frames that were left out, or several times."""
    few = WriteColumn(b"few", [3, 3, 5], prediction=ROW_BEFORE, coding=FEW_VALUES, keys=[0, 2, 3, 2**64 - 1])
    texts = WriteColumn(b"texts", [b"a", b"b", b"a"], TEXT, texts=[b"unused", b"a", b"a", b"b"], text_numbers=[2, 3, 1])
    odd = WriteTable(b"odd", [few, texts, WriteColumn("Å".encode(), [1.5, -2.5, 0.0], FLOAT64, "Å".encode(), NUMBERS)])
    names, units = [b"temp", b"temp", b"n" * 255], [b"K", b"", "µm".encode()]

    def observed(timestep, first):
        return observables_record(timestep, names, units, [first, 2.0, 3.0])

    earlier = tables_record([names_table([b"pe"], [b""])])
    ids = WriteField(INTEGER, ["id"], [[1, 2]])
    frames = [frame_record([ids], [(2, encode_chunk([ids], range(2), 32)[0])], timestep=number) for number in range(3)]
    behind = observed(5, 7.0), observables_record(1, [b"pe"], [b""], [1.0]), observed(1, 4.0), observed(1, 5.0), observed(0, 6.0)
    pieces = [tables_record([odd]), earlier, observed(0, 1.0), tables_record([names_table(names, units)]), frames[0]]
    return write_bytes({}, [*pieces, *behind, frames[1], frames[2], observed(2, 8.0)])


def files():
    """By name: bytes."""
    return {
        "hand-blocks-f32": blocks(FLOAT32),
        "hand-blocks-f64": blocks(FLOAT64),
        "hand-container": container(),
        "hand-other-records": other_records(),
        "hand-codes-f32": codes(FLOAT32),
        "hand-codes-f64": codes(FLOAT64),
        "hand-codings": codings(),
        "hand-at-rest": at_rest(),
        "hand-steps": steps_by_chance(31),  # a block of 270 steps, which has 32 states
        "hand-new-steps": steps_by_chance(208),  # new molecules behind a key frame in steps
        "hand-unbound-steps": steps_by_chance(233, have_bonds=False),  # after frames in other codings
        "hand-tables": tables(),
    }
