# SPDX-License-Identifier: BSD-3-Clause
"""Each way of the library to read a file stays within any limit: for files that cost more than they are, and golden files."""

import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import costly  # first: it knows where the reference decoder is
import costly_tables
from gpz_reference.codec import INTEGER
from gpz_reference.reader import FRAME, RECORD_OVERHEAD, TRAILER_SIZE, Record, read_file_header, read_frame_head
from long_form import LONG, sample

WAYS = ("frames", "turn", "verify", "sorted", "columns", "tables", "stream", "c", "c-stream")
EVERY = 1 if LONG else 3  # of the ways, for costly files
PROBE = os.environ["GPZ_LIMITS_PROBE"]
GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "files"
OK, CORRUPT, TRUNCATED, NOT_FOUND, LIMITED = 0, 5, 6, 8, 9

# What a limit does not count: heads and what is made of them, which are in proportion to the file, and the working memory of
# threads.
BYTES_OF_A_BYTE = 24
BESIDES = 4 << 20
# Once for the scan, once for the head alone, once for the frame; and from a key frame on twice more, if it is read field by field.
TIMES_READ = 10


def tried(paths, every):
    """Each file in one of so many ways, in turn; with 1 in all."""
    return {(path.stem, way) for number, path in enumerate(paths) for turn, way in enumerate(WAYS, number) if turn % every == 0}


def probe(limit, every, *paths):
    """(path, way, status, most memory in use, bytes read) of each."""
    result = subprocess.run([PROBE, str(limit), str(every), *map(str, paths)], capture_output=True, check=True, text=True)  # noqa: S603
    for line in result.stdout.splitlines():
        path, way, *numbers = line.rsplit(" ", 4)
        yield pathlib.Path(path), way, *map(int, numbers)


class Facts:
    """What the heads of a file say, read by the reference decoder. It does not look at checksums, which hold."""

    def __init__(self, data):
        self.size, self.values, self.chunks, self.particles = len(data), 0, 0, 0
        self.has_ids = True
        _, _, at = read_file_header(data)
        while at + RECORD_OVERHEAD <= len(data):
            kind, head, length = struct.unpack_from("<IIQ", data, at + 8)
            if at + length > len(data):
                break
            if kind == FRAME:
                body = memoryview(data)[at + 32 + head : at + length - TRAILER_SIZE]
                self.add(read_frame_head(Record(kind, at, length, data[at + 24 : at + 24 + head], 0, body)))
            at += length
        self.torn = at < len(data)

    def add(self, frame):
        columns = sum(len(field.names) for field in frame.fields)
        self.particles = max(self.particles, frame.particles)
        self.values = max(self.values, 8 * frame.particles * columns)  # bytes of the largest frame in memory
        self.chunks += sum(length for _, length, _ in frame.chunks)  # bytes
        self.has_ids &= any(field.type == INTEGER and field.names == ["id"] for field in frame.fields)


DECODES = {"frames", "sorted", "stream"}  # the values of a frame, all at once
READS = DECODES | {"verify", "c", "c-stream"}  # every chunk


def without_limit(name, facts, way):
    """The status of the first frame that is not read, whatever the memory."""
    if name == "lost-in-interval":
        return CORRUPT
    if facts.torn and way in ("stream", "c-stream"):
        return TRUNCATED
    return NOT_FOUND if way == "sorted" and not facts.has_ids else OK


def expected(name, facts, way, limit, enough):
    """The statuses that a way may end in. A limit never changes a status but to LIMITED, and not if it is enough."""
    if way == "tables":  # which has nothing to do with frames
        return {OK} if enough else {OK, LIMITED}
    skipped = way == "columns" and facts.particles > 100_000_000  # by the probe
    if name in costly.BEYOND_LIMIT and not skipped:
        return {LIMITED}
    status = without_limit(name, facts, way)
    if facts.values > limit and way in DECODES:
        return {LIMITED, status} - {OK}
    return {status} if enough or skipped else {status, LIMITED}


def expected_of_tables(name, way, limit, size):
    """The frames of these files have no particles, and no ids. A pipe holds a record as a whole."""
    if way != "tables":
        return {NOT_FOUND if way == "sorted" else OK, *([LIMITED] if "stream" in way and size > limit else [])}
    if name in costly_tables.BEYOND_LIMIT:
        return {LIMITED}
    return {CORRUPT if name in costly_tables.BROKEN else OK, *([LIMITED] if limit < costly_tables.LIMIT else [])}


class Library(unittest.TestCase):
    def check(self, limit, files, enough=frozenset(), every=1):
        """`files`: paths, with their facts. The limit is enough for those whose names are in `enough`."""
        seen = set()
        for path, way, status, most, read in probe(limit, every, *files):
            name, facts = path.stem, files[path]
            seen.add((name, way))
            with self.subTest(file=name, way=way, limit=limit):
                self.assertIn(status, expected(name, facts, way, limit, name in enough))
                self.assertLessEqual(read, TIMES_READ * facts.size + 4096)
                self.assertLessEqual(most, limit + BYTES_OF_A_BYTE * facts.size + BESIDES)
                if status == OK and way in READS:
                    self.assertGreaterEqual(read, facts.chunks)
                if status == OK and way in DECODES:
                    self.assertGreaterEqual(most, facts.values)
        self.assertEqual(seen, tried(files, every))

    def test_costly_files(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for name, make in costly.FILES.items():
                data = make()
                path = pathlib.Path(folder) / f"{name}.gpz"
                path.write_bytes(data)
                files[path] = Facts(data)
            for name in costly.BEYOND_LIMIT:
                self.assertGreater(8 * files[pathlib.Path(folder) / f"{name}.gpz"].particles, costly.LIMIT)
            for limit in (1 << 16, 1 << 22):
                self.check(limit, files, every=EVERY)
            self.check(costly.LIMIT, files, set(costly.FILES) - costly.BEYOND_LIMIT, EVERY)

    def test_costly_tables(self):
        """Of which the other ways see nothing."""
        with tempfile.TemporaryDirectory() as folder:
            sizes = {}
            for name, make in costly_tables.FILES.items():
                path = pathlib.Path(folder) / f"{name}.gpz"
                sizes[name] = path.write_bytes(make())
            paths = sorted(pathlib.Path(folder).glob("*.gpz"))
            for limit in (1 << 16, 1 << 22, costly_tables.LIMIT):
                for path, way, status, most, read in probe(limit, EVERY, *paths):
                    name = path.stem
                    with self.subTest(file=name, way=way, limit=limit):
                        self.assertLessEqual(read, TIMES_READ * sizes[name] + 4096)
                        self.assertLessEqual(most, limit + BYTES_OF_A_BYTE * sizes[name] + BESIDES)
                        self.assertIn(status, expected_of_tables(name, way, limit, sizes[name]))

    def test_golden_files(self):
        paths = sorted(GOLDEN.glob("*.gpz"))
        self.assertGreater(len(paths), 30)
        enough = 1 << 26
        for number, limit in enumerate((1 << 10, 1 << 14, 1 << 18, enough)):
            files = {path: Facts(path.read_bytes()) for path in sample(paths, 4, number)}
            self.check(limit, files, {path.stem for path in files if limit == enough})


if __name__ == "__main__":
    unittest.main()
