# SPDX-License-Identifier: BSD-3-Clause
"""The reference decoder against the test writer: every block mode, and files that must be refused."""

import itertools
import math
import random
import struct
import unittest

from gpz_reference import codec as gpz_codec
from gpz_reference import reader as gpz_ref
from gpz_reference.codec import ELIAS_FANO, EXACT, FLOAT32, FLOAT64, INTEGER, PLAIN, RUNS, BadFile
from gpz_write import WriteField, encode_chunk, file_header, frame_record, record, write_bytes

LEADING = 1


def cloud(seed, n, spread, letter):
    """Coordinates as a file of that type holds them."""
    rng = random.Random(seed)
    return list(struct.unpack(f"<{n}{letter}", struct.pack(f"<{n}{letter}", *(rng.gauss(3, spread) for _ in range(n)))))


def positions(n, kind, modes, spread=4.0, step=0.01, dimensions=3, shifts=(0,)):
    letter = "f" if kind == FLOAT32 else "d"
    values = [cloud(d, n, spread, letter) for d in range(dimensions)]
    return WriteField(kind, list("xyz")[:dimensions], values, step, step * 0.51, LEADING, list(modes), list(shifts))


def ids(n):
    return WriteField(INTEGER, ["id"], [[i * 7 - 3 for i in range(n)]])


def one_frame(fields, chunk_sizes, block_size, **head):
    """A file of one frame, and for each chunk row in decoding order the row of the fields it came from."""
    start, chunks, rows = 0, [], []
    for size in chunk_sizes:
        data, order = encode_chunk(fields, range(start, start + size), block_size)
        chunks.append((size, data))
        rows += order
        start += size
    return write_bytes({"units": "lj"}, [frame_record(fields, chunks, **head)]), rows


def same(a, b):
    return a == b or (a != a and b != b)


class RoundTrip(unittest.TestCase):
    def check(self, fields, chunk_sizes, block_size):
        data, rows = one_frame(fields, chunk_sizes, block_size)
        file = gpz_ref.read_bytes(data)
        self.assertEqual(file.damage, [])
        self.assertIsNone(file.torn)
        self.assertEqual(len(file.index), 1)
        for f in fields:
            for name, written in zip(f.names, f.values):
                column = file.frames[0].column(name)
                for value, row in zip(column.values, rows, strict=True):
                    if f.bound and math.isfinite(written[row]):
                        self.assertLessEqual(abs(value - written[row]), f.bound)
                    else:
                        self.assertTrue(same(value, written[row]), (name, row, value, written[row]))
        return file

    def test_every_mode_type_and_block_size(self):
        for mode, kind, block_size in itertools.product((RUNS, ELIAS_FANO, PLAIN, EXACT), (FLOAT32, FLOAT64), (32, 64, 1024)):
            for dimensions in (1, 2, 3):
                with self.subTest(mode=mode, kind=kind, block_size=block_size, dimensions=dimensions):
                    n = 2 * block_size + 13
                    fields = [positions(n, kind, [mode], dimensions=dimensions), ids(n)]
                    self.check(fields, [n], block_size)

    def test_modes_mixed_over_blocks_and_chunks(self):
        n = 500
        fields = [positions(n, FLOAT64, [RUNS, EXACT, ELIAS_FANO, PLAIN], shifts=[9, 0, 5]), ids(n)]
        fields.append(WriteField(FLOAT32, ["vx", "vy"], [cloud(8, n, 1, "f"), cloud(9, n, 1, "f")], 0.5, 0.26, 0, [PLAIN, EXACT]))
        self.check(fields, [200, 0, 1, 299], 64)

    def test_exceptions_in_every_mode(self):
        n = 70
        for mode in (RUNS, ELIAS_FANO, PLAIN, EXACT):
            for kind in (FLOAT32, FLOAT64):
                field = positions(n, kind, [mode])
                for i, value in ((0, math.nan), (33, math.inf), (69, -math.inf), (40, 1e38), (41, -0.0)):
                    field.values[i % 3][i] = struct.unpack("<f", struct.pack("<f", value))[0]
                self.check([field, ids(n)], [n], 32)

    def test_extreme_integers(self):
        n = 65
        values = [[(-(2**63), 2**63 - 1, 0, -1)[i % 4] for i in range(n)], [5] * n]
        self.check([WriteField(INTEGER, ["a", "b"], values)], [n], 32)

    def test_offsets_wider_than_a_word(self):
        self.check([positions(40, FLOAT64, [ELIAS_FANO, RUNS], spread=4e11, step=1e-3, dimensions=1, shifts=[50])], [40], 32)

    def test_empty_frame(self):
        file = self.check([positions(0, FLOAT64, [PLAIN]), ids(0)], [0], 1024)
        self.assertEqual(file.frames[0].column("x").values, [])

    def test_head_of_a_frame(self):
        box = tuple(float(i) for i in range(9)) + (0.0,) * 3
        data, _ = one_frame([ids(3)], [3], 1024, timestep=-5, time=2.5, box_kind=2, box=box)
        frame = gpz_ref.read_bytes(data).frames[0]
        self.assertEqual((frame.timestep, frame.time, frame.box_kind, frame.box), (-5, 2.5, 2, box))
        self.assertEqual(frame.boundary, "ppffsm")


class Damage(unittest.TestCase):
    def setUp(self):
        fields = [positions(40, FLOAT64, [ELIAS_FANO, PLAIN]), ids(40)]
        data, _ = encode_chunk(fields, range(40), 32)
        self.header = len(file_header({}))
        self.frame = frame_record(fields, [(40, data)], timestep=1)
        self.file = write_bytes({}, [self.frame] * 3)

    def test_truncation_keeps_the_complete_frames(self):
        for length in range(0, len(self.file), 7):
            if length < self.header:
                with self.assertRaises(BadFile):
                    gpz_ref.read_bytes(self.file[:length])
                continue
            file = gpz_ref.read_bytes(self.file[:length])
            whole, left = divmod(length - self.header, len(self.frame))
            self.assertEqual(len(file.frames), min(whole, 3))
            self.assertEqual(file.torn is not None, left > 0)

    def test_every_changed_byte_is_noticed(self):
        for position in range(0, len(self.file), 5):
            changed = bytearray(self.file)
            changed[position] ^= 0x41
            try:
                file = gpz_ref.read_bytes(bytes(changed))
            except BadFile:
                continue
            noticed = file.damage or file.torn is not None
            self.assertTrue(noticed, position)
            self.assertGreaterEqual(len(file.frames), 2)

    def test_a_frame_after_damage_is_found(self):
        changed = bytearray(self.file)
        changed[self.header + 3] ^= 1
        file = gpz_ref.read_bytes(bytes(changed))
        self.assertEqual(len(file.frames), 2)
        self.assertEqual(len(file.damage), 1)

    def test_unknown_records(self):
        optional = record(1 << 31 | 9, bytes(8), bytes(16))
        file = gpz_ref.read_bytes(file_header({}) + optional + self.frame)
        self.assertEqual((len(file.frames), file.damage), (1, []))
        with self.assertRaisesRegex(BadFile, "type 9"):
            gpz_ref.read_bytes(file_header({}) + record(9, b""))

    def test_versions_and_features(self):
        self.assertEqual(gpz_ref.read_bytes(file_header({}, minor=7, optional=8)).frames, [])
        later = bytearray(file_header({}))
        later[8] = 2
        with self.assertRaisesRegex(BadFile, "version 2"):
            gpz_ref.read_bytes(bytes(later))

    def test_an_index_that_lies_is_noticed(self):
        wrong = record(gpz_ref.INDEX, struct.pack("<QQQqQQ", 1, self.header, len(self.frame), 2, 0, 40))
        with self.assertRaisesRegex(BadFile, "index"):
            gpz_ref.read_bytes(file_header({}) + self.frame + wrong)

    def test_an_index_in_the_middle_is_skipped(self):
        index = self.file[self.header + 3 * len(self.frame) :]
        file = gpz_ref.read_bytes(self.file[: -len(index)] + index + self.frame)
        self.assertEqual((len(file.frames), file.damage, file.torn), (4, [], None))

    def test_metadata_of_the_wrong_type(self):
        for metadata in ([], {"units": 3}, {"columns": "x y"}, {"elements": [1]}, {"timestep_size": "1"}):
            with self.assertRaisesRegex(BadFile, "metadata"):
                gpz_ref.read_bytes(file_header(metadata))


class Sections(unittest.TestCase):
    """Structures that break a rule although every checksum holds."""

    def setUp(self):
        self.fields = [positions(40, FLOAT64, [ELIAS_FANO])]
        self.chunk, _ = encode_chunk(self.fields, range(40), 32)
        self.declared = gpz_ref.Field(FLOAT64, 3, LEADING, 0.006, 0.01, 0.006, list("xyz"), [0, 1, 2])

    def decode(self, chunk, particles=40, field=None):
        return gpz_codec.decode_chunk(bytes(chunk), [field or self.declared], particles)

    def test_sound_chunk(self):
        self.assertEqual(len(self.decode(self.chunk)[0]), 40)

    def test_wrong_lengths(self):
        for chunk, particles in (
            (self.chunk + bytes(8), 40),
            (self.chunk[:-8], 40),
            (self.chunk, 41 + 32),
            (self.chunk, 31),
            (self.chunk, 0),
            (self.chunk, 2**63),
        ):
            with self.assertRaises(BadFile):
                self.decode(chunk, particles)

    def test_block_sizes(self):
        for size in (0, 16, 33, 65568):
            with self.assertRaisesRegex(BadFile, "block size"):
                self.decode(struct.pack("<I", size) + self.chunk[4:])

    def test_modes_that_the_field_may_not_use(self):
        lossless = gpz_ref.Field(FLOAT64, 3, LEADING, 0, 0, 0, list("xyz"), [0, 1, 2])
        following = gpz_ref.Field(FLOAT64, 3, 0, 0.006, 0.01, 0.006, list("xyz"), [0, 1, 2])
        for field in (lossless, following):
            with self.assertRaisesRegex(BadFile, "mode"):
                self.decode(self.chunk, field=field)

    def test_any_changed_byte_gives_values_or_a_refusal(self):
        """Never another exception, never endless work."""
        for position, bit in itertools.product(range(len(self.chunk)), (0, 3, 7)):
            changed = bytearray(self.chunk)
            changed[position] ^= 1 << bit
            try:
                columns = self.decode(changed)
                self.assertEqual([len(c) for c in columns], [40] * 3)
            except BadFile:
                pass


if __name__ == "__main__":
    unittest.main()
