"""The library and the reference decoder must decode the same bits from each other's files.

GPZ_LIBRARY_HELPER names the program built from library_helper.cpp.
"""

import itertools
import math
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

import gpz_codec
import gpz_ref
from gpz_codec import ELIAS_FANO, EXACT, FLOAT32, FLOAT64, INTEGER, PLAIN, RUNS
from gpz_write import WriteField, encode_chunk, file_header, frame_record, record, write_bytes
from test_reference import cloud, ids, positions

HELPER = os.environ.get("GPZ_LIBRARY_HELPER")


def helper(*arguments):
    return subprocess.run([HELPER, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300)


def listing(file):
    """What gpz_ref.py prints."""
    lines = []
    for i, frame in enumerate(gpz_ref.describe(file)):
        lines.append(f"frame {i} timestep {frame['timestep']} particles {frame['particles']}")
        lines += [f"  {c['name']} {c['type']} {c['digest']}" for c in frame["columns"]]
    return lines


@unittest.skipUnless(HELPER, "GPZ_LIBRARY_HELPER is not set")
class Library(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, path):
        by_library = helper("digest", path)
        self.assertEqual(by_library.returncode, 0, by_library.stderr)
        file = gpz_ref.read_file(path)
        self.assertEqual((file.damage, file.torn), ([], None))
        self.assertEqual(by_library.stdout.splitlines(), listing(file))

    def test_files_of_the_library(self):
        self.assertEqual(helper("write", self.folder).returncode, 0)
        modes = set()
        read = gpz_codec.read_directory

        def read_and_note(*arguments):
            records = read(*arguments)
            modes.update((arguments[1].type, r.mode) for r in records)
            return records

        with mock.patch.object(gpz_codec, "read_directory", read_and_note):
            for path in sorted(self.folder.glob("*.gpz")):
                with self.subTest(file=path.name):
                    self.compare(path)
        floats = set(itertools.product((FLOAT32, FLOAT64), (RUNS, ELIAS_FANO, PLAIN, EXACT)))
        self.assertEqual(modes, floats | {(INTEGER, EXACT)})

    def test_files_the_library_would_not_write(self):
        cases = itertools.product((RUNS, ELIAS_FANO, PLAIN, EXACT), (FLOAT32, FLOAT64), (32, 64, 1024, 4096))
        for mode, kind, block_size in cases:
            for dimensions in (1, 3):
                n = 2 * block_size + 13 if block_size <= 1024 else 3000
                fields = [positions(n, kind, [mode, ELIAS_FANO], dimensions=dimensions, shifts=[0, 3]), ids(n)]
                for i, value in ((0, math.nan), (33, math.inf), (40, 3e37), (41, -0.0)):
                    rounded = struct.unpack("<f", struct.pack("<f", value))[0]
                    fields[0].values[i % dimensions][i] = rounded
                fields.append(WriteField(kind, ["q"], [cloud(3, n, 1, "f")], 0.5, 0.26, 0, [PLAIN, EXACT]))
                with self.subTest(mode=mode, kind=kind, block_size=block_size, dimensions=dimensions):
                    data, _ = encode_chunk(fields, range(n), block_size)
                    path = self.folder / "file.gpz"
                    path.write_bytes(write_bytes({}, [frame_record(fields, [(n, data)])]))
                    self.compare(path)

    def test_optional_parts_of_a_file(self):
        fields = [positions(40, FLOAT64, [PLAIN])]
        data, _ = encode_chunk(fields, range(40), 32)
        frame = frame_record(fields, [(40, data)], timestep=-(2**62), time=0.5)
        path = self.folder / "file.gpz"
        path.write_bytes(file_header({"new": [1]}, minor=3, optional=1 << 31) + record(1 << 31 | 5, bytes(8), bytes(80)) + frame)
        self.compare(path)

    def test_both_refuse_the_same(self):
        """Damage with its checksums mended: both refuse it, or both decode the same bits.

        Only the reference decoder looks at every single key; the library need not.
        """
        fields = [positions(70, FLOAT64, [ELIAS_FANO, RUNS, PLAIN]), ids(70)]
        data, _ = encode_chunk(fields, range(70), 32)
        path = self.folder / "file.gpz"
        disagreements = []
        for position in range(len(data)):
            changed = bytearray(data)
            changed[position] ^= 1 << position % 8
            path.write_bytes(write_bytes({}, [frame_record(fields, [(70, bytes(changed))])]))
            by_library = helper("digest", path)
            file = gpz_ref.read_file(path)
            if file.damage and "a key is larger" in file.damage[0]:
                continue
            refused = bool(file.damage)
            if refused != (by_library.returncode != 0) or (not refused and by_library.stdout.splitlines() != listing(file)):
                disagreements.append((position, file.damage, by_library.stderr.strip()))
        self.assertEqual(disagreements, [], "\n".join(map(str, disagreements)))


if __name__ == "__main__":
    unittest.main()
