# SPDX-License-Identifier: BSD-3-Clause
"""Difference frames: files of the test writer in the reference decoder and, if GPZ_LIBRARY_HELPER is set, in the library."""

import itertools
import pathlib
import random
import struct
import tempfile
import unittest

from gpz_reference import block as gpz_block
from gpz_reference import difference as gpz_difference
from gpz_reference import reader as gpz_ref
from gpz_reference.codec import EXACT, FLOAT32, FLOAT64, INTEGER, PLAIN
from gpz_write import WriteField, encode_chunk, frame_record, write_bytes
from gpz_write_difference import Section, difference_chunk, encode_block_coded, encode_predicted, image
from library import HELPER, each, in_turn, listing, sample

LEADING = 1
STEP = 0.01
ALONE = (0, 1)  # code of the other components of triples
AXES = [(-300, 1000), (-2, 9), (0, 0)]  # lo and period in steps; the last one is open


def value_of(index, kind):
    value = index * STEP
    return struct.unpack("<f", struct.pack("<f", value))[0] if kind == FLOAT32 else value


def passage(index, before, period):
    if period == 0:
        return 0
    moved = index - before
    return -1 if moved > period // 2 else 1 if moved < -(period // 2) else 0


class Trajectory:
    """Positions on a grid, a count of the edges that they go through, and lossless floats; difference frames of them."""

    def __init__(self, seed, kind, particles, block_size):
        self.random, self.kind, self.block_size = random.Random(seed), kind, block_size
        self.positions, self.images, self.exact = [[], [], []], [[], [], []], [[]]
        self.records, self.expected = [], []
        self.append(particles)
        self.add_record([(particles, self.key_chunk(range(particles)))], 0)

    def fields(self, rows=None):
        """Of the particles in these rows; None: all."""
        rows = range(len(self.exact[0])) if rows is None else rows
        columns = lambda values: [[column[i] for i in rows] for column in values]
        positions = [[value_of(q, self.kind) for q in column] for column in columns(self.positions)]
        return [
            WriteField(self.kind, ["x", "y", "z"], positions, STEP, STEP * 0.51, LEADING, [PLAIN]),
            WriteField(INTEGER, ["ix", "iy", "iz"], columns(self.images)),
            WriteField(self.kind, ["q"], columns(self.exact), modes=[EXACT]),
        ]

    def key_chunk(self, rows):
        return encode_chunk(self.fields(rows), range(len(rows)), self.block_size)[0]

    def append(self, count):
        for d, (lo, period) in enumerate(AXES):
            self.positions[d] += [self.random.randrange(lo, lo + (period or 900)) for _ in range(count)]
            self.images[d] += [self.random.randrange(-2, 3) for _ in range(count)]
        self.exact[0] += [self.random.randrange(-9, 9) / 8 for _ in range(count)]

    def remove(self, slots):
        for column in (*self.positions, *self.images, *self.exact):
            column[:] = [value for slot, value in enumerate(column) if slot not in slots]

    def add_record(self, chunks, since_key):
        fields = self.fields()
        before = self.records[-1] if self.records else None
        self.records.append(frame_record(fields, chunks, timestep=len(self.records), since_key=since_key, reference=before))
        self.expected.append({name: list(v) for f in fields for name, v in zip(f.names, f.values)})

    def move(self, codes, margin, speed):
        """The section of the positions, and the passages through edges."""
        before = [list(column) for column in self.positions]
        for d, (lo, period) in enumerate(AXES):
            for i, q in enumerate(before[d]):
                p, other = image(q + self.random.randrange(-speed, speed + 1), lo, period, margin)
                self.positions[d][i] = self.random.choice((p, other or p))
            if before[d] and self.random.random() < 0.5:
                self.positions[d][0] = self.random.randrange(-(2**49), 2**49)
        passages = [
            [passage(q, last, period) for q, last in zip(*columns)]
            for columns, (_, period) in zip(zip(self.positions, before), AXES)
        ]
        return Section(self.positions, before, AXES, codes, margin), passages

    def step(self, leaving=(), arriving=0, codes=((9, 0),), margin=0, speed=4, coding=1, levels=None):
        n = len(self.exact[0])
        self.remove(set(leaving))
        sections = [b""] * 3
        if self.exact[0]:
            positions, passages = self.move(codes, margin, speed)
            positions.levels = levels
            if coding == 1:
                sections[0] = encode_predicted(positions)
            else:
                sections[0] = encode_block_coded(self.fields()[0])
                passages = [[0] * len(column) for column in passages]
            edges = (2, 1, 3)  # not in the order of the axes
            counted = [[i + p for i, p in zip(column, passages[e - 1])] for column, e in zip(self.images, edges)]
            self.images = [[i + (self.random.random() < 0.1) for i in column] for column in counted]
            sections[1] = encode_predicted(Section(self.images, counted, codes=[(0, 0)], edges=edges))
            if self.random.random() < 0.5:
                self.exact[0][0] = self.random.random()
                if self.kind == FLOAT32:
                    self.exact[0][0] = 0.375
                sections[2] = encode_block_coded(self.fields()[2])
        self.append(arriving)
        total = len(self.exact[0])
        arrivals = self.key_chunk(range(total - arriving, total)) if arriving else b""
        chunk = difference_chunk(n, sorted(leaving), sections, arriving, arrivals)
        self.add_record([(total, chunk)], len(self.records))

    @property
    def file(self):
        return write_bytes({}, self.records)


class Written(unittest.TestCase):
    def check(self, trajectories):
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for name, trajectory in trajectories.items():
                files[f"{name}.gpz"] = file = gpz_ref.read_bytes(trajectory.file)
                self.assertEqual(file.damage, [], name)
                for frame, expected in zip(file.frames, trajectory.expected, strict=True):
                    for column in frame.columns:
                        self.assertEqual(column.values, expected[column.name], (name, frame.timestep, column.name))
                (pathlib.Path(folder) / f"{name}.gpz").write_bytes(trajectory.file)
            if HELPER:
                by_library = each(folder)
                for name, file in files.items():
                    self.assertEqual(by_library[name], listing(file), name)

    def test_every_code(self):
        cases = {}
        for number, (head, width) in enumerate(((0, 0), (0, 3), (1, 0), (1, 31), (1, 4), (2, 2), (2, 7), (3, 3), (3, 31))):
            for kind in in_turn((FLOAT32, FLOAT64), number):
                t = cases[f"{kind}-{head}-{width}"] = Trajectory(width, kind, 70, 32)
                for speed in (0, 3, 40):
                    t.step(codes=[(width, head), (4, 2)], speed=speed)
        self.check(cases)

    def test_blocks(self):
        t = Trajectory(1, FLOAT64, 2 * 1024 + 5, 1024)
        t.step(codes=[(2, 2), (5, 0), (6, 3), (3, 1)], margin=40, leaving=range(3, 2053, 90))
        t.step(codes=[(1, 0)], margin=1, arriving=3)
        self.check({"blocks": t})

    def test_flags_at_the_edges(self):
        cases = {}
        for margin in (1, 2, 5, 250, 2**31 - 1):
            t = cases[str(margin)] = Trajectory(margin, FLOAT64, 90, 64)
            for _ in range(4):
                t.step(codes=[(4, 0)], margin=margin, speed=60)
        self.check(cases)

    def test_neighbours(self):
        cases = {}
        for levels, lags in sample(itertools.product((1, 2, 3, 7, 16), range(1, 5)), 3):
            t = cases[f"{levels}-{lags}"] = Trajectory(levels, (FLOAT32, FLOAT64)[lags % 2], 1024 * (lags == 4) + 70, 64)
            for speed in (3, 60):
                weights = [[t.random.randrange(-128, 128) for _ in range(lags)] for _ in range(levels)]
                t.step(codes=[(9, 0), (5, 3), (4, 2)], margin=speed, speed=speed, levels=weights, leaving=[5, 9])
        self.check(cases)

    def test_triples(self):
        cases = {}
        for head, width in ((4, 0), (4, 5), (5, 0), (5, 3), (5, 9), (6, 2), (6, 7), (7, 3), (7, 31)):
            t = cases[f"{head}-{width}"] = Trajectory(width, (FLOAT32, FLOAT64)[head % 2], 1024 * (width == 7) + 70, 32)
            for speed, lags in sample(itertools.product((0, 1, 3, 40), range(3)), 4, head + width):
                weights = [[t.random.randrange(-128, 128) for _ in range(lags)] for _ in range(3)] if lags else None
                codes = [(width, head), ALONE, ALONE, (4, 0), (5, 3), (4, 2)]
                t.step(codes=codes, margin=speed, speed=speed, levels=weights, leaving=[5], arriving=1)
        self.check(cases)

    def test_leaving_and_arriving(self):
        cases = {}
        for seed in sample(range(12), 3):
            t = cases[str(seed)] = Trajectory(seed, (FLOAT32, FLOAT64)[seed % 2], (0, 1, 5, 200)[seed % 4], 32)
            for share in (0, 0.03, 0.5, 0.97, 1, 0):
                leaving = [slot for slot in range(len(t.exact[0])) if t.random.random() < share]
                t.step(leaving, arriving=t.random.choice((0, 1, 40)), coding=t.random.choice((1, 1, 2)))
        self.check(cases)

    def test_all_leave_and_others_come(self):
        t = Trajectory(3, FLOAT64, 10, 32)
        t.step(leaving=range(10))
        t.step(arriving=7)
        t.step(leaving=range(7), arriving=2)
        self.check({"all": t})


class Numbers(unittest.TestCase):
    def test_order(self):
        """From the nearest to what is expected on."""
        for expected in range(-64, 128):
            integers = [(expected >> 6) + gpz_block.residual_of(u, expected) for u in range(9)]
            distances = [abs(64 * y - (expected - 32)) for y in integers]
            self.assertEqual((distances, len(set(integers))), (sorted(distances), 9))
            self.assertLessEqual(abs(8 * gpz_block.eighths(expected) - distances[0]), 8)

    def test_ranks(self):
        everything = set(itertools.product(range(8), repeat=3))
        for distances in itertools.product((1, 3), repeat=3):
            triples = gpz_block.triples_by_rank(distances)
            self.assertEqual((len(triples), set(triples), triples[0]), (512, everything, (0, 0, 0)))
        self.assertEqual(gpz_block.triples_by_rank((1, 1, 1))[1:4], [(0, 0, 1), (0, 1, 0), (1, 0, 0)])
        self.assertEqual(gpz_block.triples_by_rank((1, 3, 1))[1:3], [(0, 1, 0), (0, 0, 1)])

    def test_mean(self):
        history = gpz_difference.FieldHistory(None, [])
        for t, total, mean in ((3, 99, 0), (4, 1, 2), (5, 1, 2), (7, -10, -11), (4, 2**31 - 1, 2**23 - 1)):
            history.sum = [[total]]
            self.assertEqual(history.mean(0, 0, t), mean)
        history.velocity, history.velocity_before, history.sum = [[7]], [[-3]], [[1]]
        self.assertEqual(history.expected(0, 0, 4, (5, 9, -3)), 35 - 27 - 1 + 32)


def small(since_key=1, reference=None, chunk=None, **head):
    """A key frame of 3 integers, and one that builds on it."""
    field = WriteField(INTEGER, ["id"], [[5, 6, 7]])
    key = frame_record([field], [(3, encode_chunk([field], range(3), 32)[0])])
    chunk = chunk or difference_chunk(3, [], [b""])
    return [key, frame_record([field], [(3, chunk)], since_key=since_key, reference=reference or key, **head)]


class Refused(unittest.TestCase):
    def check(self, records, cause, frames=1):
        data = write_bytes({}, records)
        file = gpz_ref.read_bytes(data)
        self.assertEqual(len(file.frames), frames)
        self.assertRegex(" ".join(file.damage), cause)
        if HELPER:
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "file.gpz").write_bytes(data)
                self.assertRegex(each(folder)["file.gpz"][-1], "^refused")

    def test_sound(self):
        file = gpz_ref.read_bytes(write_bytes({}, small()))
        self.assertEqual((file.damage, file.frames[1].column("id").values), ([], [5, 6, 7]))

    def test_references(self):
        key = small()[0]
        other = frame_record([WriteField(INTEGER, ["id"], [[5]])], [], timestep=9)
        self.check(small(reference=other), "checksum")
        self.check(small(since_key=2), "number")
        self.check(small()[1:], "missing", frames=0)
        self.check([key, key, *small(since_key=3)[1:]], "number", frames=2)
        self.check(small() + small()[1:], "number", frames=2)

    def test_what_follows_a_lost_frame(self):
        records = small()
        for since_key in (2, 3):
            records.append(small(since_key=since_key, reference=records[-1])[1])
        self.assertEqual(gpz_ref.read_bytes(write_bytes({}, records)).damage, [])
        damaged = bytearray(records[1])
        damaged[-25] ^= 1
        self.check([records[0], bytes(damaged), *records[2:], records[0]], "checksum.*missing.*missing", frames=2)

    def test_codecs(self):
        self.check(small(codec=1), "codec 1")
        self.check([small()[0], frame_record([WriteField(INTEGER, ["id"], [[]])], [], codec=2)], "codec 2")

    def test_kinds(self):
        self.check(small(chunk=difference_chunk(3, [], [b""], kind=3)), "kind 3")
        field = WriteField(INTEGER, ["id"], [[]])
        self.check([small()[0], frame_record([field], [(0, difference_chunk(0, [], [b""]))])], "kind 1")

    def test_chunks_that_do_not_add_up(self):
        arrival = encode_chunk([WriteField(INTEGER, ["id"], [[8]])], range(1), 32)[0]
        for chunk in (
            difference_chunk(4, [0], [b""]),
            difference_chunk(3, [0], [b""]),
            difference_chunk(3, [], [b""], 1, arrival),
            difference_chunk(3, [], [b""], 0, arrival),
            difference_chunk(3, [0], [b""], 1),
            difference_chunk(3, [1, 0], [b""], 2, arrival),
            difference_chunk(3, [2, 3], [b""], 2, arrival),
            difference_chunk(3, [], [bytes(8)]),
            difference_chunk(3, [], [b"\3" + bytes(7)]),
            difference_chunk(3, [], [b"\1\1" + bytes(6)]),
            difference_chunk(3, [], [b""], block_size=512),
            difference_chunk(3, [], [b""]) + bytes(8),
        ):
            self.check(small(chunk=chunk), "chunk 0")

    def test_other_fields(self):
        for f in (
            WriteField(FLOAT64, ["id"], [[1.0] * 3]),
            WriteField(INTEGER, ["id", "mol"], [[5, 6, 7]] * 2),
        ):
            key = small()[0]
            self.check([key, frame_record([f], [(3, difference_chunk(3, [], [b""]))], since_key=1, reference=key)], "other fields")
        fields = [WriteField(FLOAT64, ["x"], [[1.0]], step, step, 0, [PLAIN]) for step in (0.5, 0.25)]
        key = frame_record(fields[:1], [(1, encode_chunk(fields[:1], range(1), 32)[0])])
        for chunk, cause in ((difference_chunk(1, [], [b""]), "other fields"), (encode_chunk(fields[1:], range(1), 32)[0], "")):
            following = frame_record(fields[1:], [(1, chunk)], since_key=1, reference=key)
            if cause:
                self.check([key, following], cause)
            else:
                self.assertEqual(gpz_ref.read_bytes(write_bytes({}, [key, following])).damage, [])

    def test_triples(self):
        def records(codes, payload=b""):
            columns = [[[5, 6, 7]] * (len(codes) - 1) + [[5, 6, last]] for last in (7, 8)]
            fields = [WriteField(INTEGER, list("xyz"[: len(codes)]), values) for values in columns]
            key = frame_record(fields[:1], [(3, encode_chunk(fields[:1], range(3), 32)[0])])
            section = encode_predicted(Section(fields[1].values, fields[0].values, codes=codes))
            chunk = difference_chunk(3, [], [section[: len(section) - len(payload)] + payload])
            return [key, frame_record(fields[1:], [(3, chunk)], since_key=1, reference=key)]

        for rank in (0, 511, 512, 800):
            in_plane, in_bitmap = (rank << 10, 0), (rank % 32 << 10, 3 | 4 << rank // 32)
            for code, words in (((10, 5), in_plane), ((5, 4), in_bitmap)):
                ranks = records([code, ALONE, ALONE], struct.pack("<2I", *words))
                if rank < 512:
                    self.assertEqual(gpz_ref.read_bytes(write_bytes({}, ranks)).damage, [])
                else:
                    self.check(ranks, "a rank is too large")
        for codes in ([(9, 4), (1, 1), ALONE], [(9, 4), ALONE, (0, 0)], [(9, 4), ALONE], [(9, 4)]):
            self.check(records(codes), "triples are not")
        for codes in ([(9, 8), ALONE, ALONE], [ALONE, (9, 4), ALONE], [ALONE, ALONE, (9, 5)]):
            self.check(records(codes), "width or head")
        for code in ((1, 6), (2, 7)):
            self.check(records([code, ALONE, ALONE]), "a head is wider")

    def test_numbers_of_chunks(self):
        key, following = small()
        field = WriteField(INTEGER, ["id"], [[]])
        two = frame_record([field], [(0, encode_chunk([field], [], 32)[0])] * 2, since_key=1, reference=key)
        self.check([key, two], "number of chunks")


if __name__ == "__main__":
    unittest.main()
