# SPDX-License-Identifier: BSD-3-Clause
"""The library and the reference decoder must decode the same bits from each other's files."""

import contextlib
import itertools
import math
import struct
import unittest
from unittest import mock

from gpz_reference import cells as gpz_cells
from gpz_reference import codec as gpz_codec
from gpz_reference import difference as gpz_difference
from gpz_reference import ordered as gpz_ordered
from gpz_reference import reader as gpz_ref
from gpz_reference.codec import ELIAS_FANO, EXACT, FLOAT32, FLOAT64, INTEGER, PLAIN, RUNS
from gpz_write import WriteField, encode_chunk, file_header, frame_record, record, write_bytes
from library import HELPER, LibraryTest, helper, sample
from test_reference import cloud, ids, positions


@contextlib.contextmanager
def noting_differences(found):
    """Adds to a set what difference frames that are decoded meanwhile make use of."""
    decode_section, read_block = (getattr(gpz_difference, name) for name in ("decode_section", "read_block"))
    decode = gpz_ref.decode_any_chunk

    def note_section(data, history, t, passages):
        found.add(("plain" if gpz_difference.is_plain(history.field) else "grid", "coding", data[0] if data else 0))
        found.update(["counted edges"] if any(data[1:4]) else [])
        return decode_section(data, history, t, passages)

    def note_block(payload, history, start, n, t, axes, weights, record, levels):
        d = len(axes)
        found.update(("head", head) for head in record[d : 2 * d])
        found.update(what for what, there in zip(("bitmap", "margin", "flags", "exceptions"), record[2 * d :]) if there)
        found.update(["full block"] if n == gpz_difference.BLOCK_SIZE else [])
        found.update(("weight", i) for i, weight in enumerate(weights) if weight)
        found.update(["periodic axis"] if any(axis.periodic for axis in axes) else [])
        return read_block(payload, history, start, n, t, axes, weights, record, levels)

    def note_chunk(data, fields, particles, history):
        if history is not None:
            found.add(("kind", data[4]))
            if data[4] == gpz_difference.DIFFERENCES:
                _, leaving, arriving = struct.unpack_from("<QQQ", data, 8)
                found.update(what for what, there in (("leaving", leaving), ("arriving", arriving)) if there)
        return decode(data, fields, particles, history)

    with (
        mock.patch.multiple(gpz_difference, decode_section=note_section, read_block=note_block),
        mock.patch.object(gpz_ref, "decode_any_chunk", note_chunk),
    ):
        yield


@contextlib.contextmanager
def noting_order(found):
    """Notes what ordered chunks use, and the kinds of all chunks."""
    decode_section, read_block, read_runs = (
        getattr(gpz_ordered, name) for name in ("decode_section", "read_block", "read_runs")
    )
    decode, read_difference_block = gpz_ref.decode_any_chunk, gpz_difference.read_block

    def note_difference_block(*arguments):
        found.update(["neighbours"] if any(map(any, arguments[-1])) else [])
        return read_difference_block(*arguments)

    def note_section(data, field, particles, ids, *others):
        found.add(("plain" if gpz_difference.is_plain(field) else "grid", "coding", data[0]))
        if data[0] == gpz_ordered.PREDICTED_IN_ORDER:
            found.update(["exact values"] if any(data[8 + 16 * field.dimensions :][:8]) else [])
        return decode_section(data, field, particles, ids, *others)

    def note_block(payload, lags, ids, n, axes, first, record):
        d = len(axes)
        found.update(("head", head) for head in record[d : 2 * d])
        found.update(what for what, there in zip(("bitmap", "margin", "flags", "exceptions"), record[2 * d :]) if there)
        found.update(["full block"] if n == gpz_ordered.BLOCK_SIZE else [])
        found.update(("lag", i) for i, lag in enumerate(lags.lags) if lag)
        found.update(["lag 1 first"] if lags.first_ones else [])
        found.update(["long lag"] if max(lags.lags) > 16 else [])
        found.update(["doubled ids"] if ids is not None and len(set(ids)) < n else [])
        return read_block(payload, lags, ids, n, axes, first, record)

    def note_runs(cursor, particles):
        found.add("runs")
        return read_runs(cursor, particles)

    def note_chunk(data, fields, particles, history):
        found.add(("kind", data[4]))
        return decode(data, fields, particles, history)

    with (
        mock.patch.multiple(gpz_ordered, decode_section=note_section, read_block=note_block, read_runs=note_runs),
        mock.patch.object(gpz_difference, "read_block", note_difference_block),
        mock.patch.object(gpz_ref, "decode_any_chunk", note_chunk),
    ):
        yield


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
    def test_files_of_the_library(self):
        modes = set()
        read = gpz_codec.read_directory

        def read_and_note(*arguments):
            records = read(*arguments)
            modes.update((arguments[1].type, r.mode) for r in records)
            return records

        with mock.patch.object(gpz_codec, "read_directory", read_and_note):
            for path in self.written("write", 1):
                with self.subTest(file=path.name):
                    self.compare(path)
        floats = set(itertools.product((FLOAT32, FLOAT64), (RUNS, ELIAS_FANO, PLAIN, EXACT)))
        self.assertEqual(modes, floats | {(INTEGER, EXACT)})

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

    def test_trajectories_of_the_library(self):
        found = set()
        with noting_differences(found):
            self.compare_folder("trajectories", ("backward", "scattered", "fields", "stream"))
        expected = {("plain", "coding", coding) for coding in range(3)} | {("grid", "coding", 1), ("kind", 0), ("kind", 1)}
        expected |= {("head", head) for head in range(4)} | {("weight", i) for i in range(3)}
        expected |= {"bitmap", "margin", "flags", "exceptions", "full block", "periodic axis", "counted edges"}
        self.assertLessEqual(expected | {"leaving", "arriving"}, found)

    def test_both_refuse_the_same_differences(self):
        self.assertEqual(helper("trajectories", self.folder).returncode, 0)
        chunk, file_with = self.opened("f64-small", 2)
        self.assertEqual(chunk[4], gpz_difference.DIFFERENCES)
        self.compare_refusals(chunk, file_with, [*range(200), *range(200, len(chunk), 11)])

    def test_files_in_the_order_of_ids(self):
        found = set()
        with noting_order(found):
            self.compare_folder("ordered")
        expected = {(what, "coding", coding) for what in ("plain", "grid") for coding in (2, 3)}
        expected |= {("kind", kind) for kind in range(3)} | {("lag", 0), ("lag", 1), "lag 1 first", "long lag"}
        expected |= {"bitmap", "margin", "flags", "exceptions", "exact values", "full block", "doubled ids", "runs", "neighbours"}
        self.assertEqual(expected - found, set())

    def test_both_refuse_the_same_order(self):
        self.assertEqual(helper("ordered", self.folder).returncode, 0)
        chunk, file_with = self.opened("f64-small", 0)
        self.assertEqual(chunk[4], gpz_ordered.ORDERED)
        heads = 16 + 8 * 7
        starts = [heads + sum(struct.unpack_from(f"<{i}Q", chunk, 16)) for i in range(7)]
        places = {*range(heads), *range(heads, len(chunk), 23)}.union(*(range(start, start + 130) for start in starts))
        self.compare_refusals(chunk, file_with, sorted(place for place in places if place < len(chunk)))

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
                chunk, file_with = self.opened(name, 1)
                self.assertEqual(chunk[4], gpz_cells.CELLS)
                self.compare_refusals(chunk, file_with, [*range(0, 450, 5), *range(450, len(chunk), 211)])


if __name__ == "__main__":
    unittest.main()
