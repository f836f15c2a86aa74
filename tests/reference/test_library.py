# SPDX-License-Identifier: BSD-3-Clause
"""The library and the reference decoder must decode the same bits from each other's files."""

import contextlib
import itertools
import math
import struct
import unittest
from unittest import mock

from gpz_reference import cells as gpz_cells
from gpz_reference import difference as gpz_difference
from gpz_reference import ordered as gpz_ordered
from gpz_reference.codec import ELIAS_FANO, EXACT, FLOAT32, FLOAT64, PLAIN, RUNS
from gpz_write import WriteField, encode_chunk, file_header, frame_record, record, write_bytes
from library import GOLDEN, HELPER, LibraryTest, helper, in_turn, sample
from test_reference import cloud, ids, positions


@contextlib.contextmanager
def noting_cells(found):
    """Notes what cell chunks use."""
    decode_section, count = gpz_cells.decode_section, gpz_cells.CellReader.count
    count_of_site, number, particle = (getattr(gpz_cells.SiteReader, name) for name in ("count", "number", "particle"))

    def note_section(data, field, particles, others):
        found.add(("coding", data[0]))
        found.update(["exact values"] if data[0] != 2 and any(data[8:16]) else [])
        return decode_section(data, field, particles, others)

    def note_count(reader, depth, extent, particles):
        found.add("large count" if particles > gpz_cells.LEARNT_COUNT else "learnt count")
        return count(reader, depth, extent, particles)

    def note_count_of_site(reader, alone):
        found.update(["two dimensions"] if reader.dimensions == 2 else [])
        found.update(["sublattices"] if len(reader.sublattices) > 1 else [])
        result = count_of_site(reader, alone)
        found.add(("particles of a site", result))
        return result

    def note_number(reader, d, expected):
        result = number(reader, d, expected)
        found.update(["long number"] if result >> reader.shifts[d] >= gpz_cells.MOST_UNARY else [])
        return result

    def note_particle(reader, s, cells, site):
        result = particle(reader, s, cells, site)
        for axis, column in zip(reader.axes, reader.columns):
            found.update(["outside"] if axis.periodic and not axis.lo <= column[-1] < axis.lo + axis.period else [])
        return result

    with (
        mock.patch.object(gpz_cells, "decode_section", note_section),
        mock.patch.object(gpz_cells.CellReader, "count", note_count),
        mock.patch.multiple(
            gpz_cells.SiteReader, count=note_count_of_site, number=note_number, particle=note_particle
        ),
    ):
        yield


@unittest.skipUnless(HELPER, "GPZ_LIBRARY_HELPER is not set")
class Library(LibraryTest):
    def test_orders_of_reading(self):
        """Golden files: what they have, and their frames from the first to the last, is compared in tests/golden."""
        for number, path in enumerate(sorted(GOLDEN.glob("*.gpz"))):
            forward = helper("digest", path)
            for order in in_turn(("backward", "scattered", "fields"), number):
                with self.subTest(file=path.name, order=order):
                    self.assertEqual(helper("digest", path, order).stdout, forward.stdout)

    def test_files_the_library_would_not_write(self):
        cases = itertools.product((RUNS, ELIAS_FANO, PLAIN, EXACT), (FLOAT32, FLOAT64), (32, 64, 1024, 4096), (1, 3))
        for mode, kind, block_size, dimensions in sample(cases, 3):
            n = 2 * block_size + 13 if block_size < 1024 else 1100
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
        self.compare_refusals(data, lambda changed: write_bytes({}, [frame_record(fields, [(70, changed)])]), range(len(data)))

    def compare_golden_refusals(self, name, number, kind, places):
        """Damage of the chunk of a frame of a golden file, at each of the places below 200 and at some further on."""
        chunk, file_with = self.opened(GOLDEN / f"{name}.gpz", number)
        self.assertEqual(chunk[4], kind)
        self.compare_refusals(chunk, file_with, [*range(200), *range(200, len(chunk), places)])

    def test_both_refuse_the_same_differences(self):
        for name in ("difference-f64", "difference-neighbours-f32", "difference-triples-f32"):
            with self.subTest(file=name):
                self.compare_golden_refusals(name, 1, gpz_difference.DIFFERENCES, 3)

    def test_both_refuse_the_same_order(self):
        for name in ("key-id-special-f64", "key-id-gaps-f64"):
            with self.subTest(file=name):
                self.compare_golden_refusals(name, 0, gpz_ordered.ORDERED, 11)

    def test_files_without_ids(self):
        found = set()
        with noting_cells(found):
            self.compare_folder("cells")
        expected = {("coding", coding) for coding in (2, 6, 7)} | {("particles of a site", n) for n in range(4)}
        expected |= {"large count", "learnt count", "exact values", "outside", "long number", "two dimensions", "sublattices"}
        self.assertEqual(expected - found, set())

    def test_both_refuse_the_same_cells(self):
        for name in ("f64-gas-coarse", "f64-fcc-faulty"):
            with self.subTest(file=name):
                self.assertEqual(helper("cells", self.folder).returncode, 0)
                chunk, file_with = self.opened(self.folder / f"{name}.gpz", 1)
                self.assertEqual(chunk[4], gpz_cells.CELLS)
                self.compare_refusals(chunk, file_with, [*range(0, 450, 5), *range(450, len(chunk), 211)])


if __name__ == "__main__":
    unittest.main()
