# SPDX-License-Identifier: BSD-3-Clause
"""Each way of the library to read a file stays within any limit: for files that cost more than they are, and golden files."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import costly

PROBE = os.environ["GPZ_LIMITS_PROBE"]
GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "files"
OK, CORRUPT, TRUNCATED, NOT_FOUND, LIMITED = 0, 5, 6, 8, 9

# What a limit does not count: heads and what is made of them, which are in proportion to the file, and the working memory of
# threads.
BYTES_OF_A_BYTE = 24
BESIDES = 4 << 20
# Once for the scan, once for the head alone, once for the frame; and from a key frame on twice more, if it is read field by field.
TIMES_READ = 10


def probe(limit, *paths):
    """(path, way, status, most memory in use, bytes read) of each."""
    result = subprocess.run([PROBE, str(limit), *map(str, paths)], capture_output=True, check=True, text=True)  # noqa: S603
    for line in result.stdout.splitlines():
        path, way, *numbers = line.rsplit(" ", 4)
        yield pathlib.Path(path), way, *map(int, numbers)


class Library(unittest.TestCase):
    def check(self, limit, paths, statuses):
        """`statuses` of those that are not read, with this limit."""
        count = 0
        for path, way, status, most, read in probe(limit, *paths):
            with self.subTest(file=path.name, way=way, limit=limit):
                self.assertIn(status, statuses)
                self.assertLessEqual(read, TIMES_READ * path.stat().st_size + 4096)
                self.assertLessEqual(most, limit + BYTES_OF_A_BYTE * path.stat().st_size + BESIDES)
            count += 1
        self.assertEqual(count, 8 * len(paths))

    def test_costly_files(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, make in costly.FILES.items():
                paths.append(pathlib.Path(folder) / name)
                paths[-1].write_bytes(make())
            for limit in (1 << 16, 1 << 22, 1 << 27):
                self.check(limit, paths, {OK, CORRUPT, NOT_FOUND, LIMITED})

    def test_golden_files(self):
        paths = sorted(GOLDEN.glob("*.gpz"))
        self.assertGreater(len(paths), 30)
        for limit in (1 << 10, 1 << 14, 1 << 18):
            self.check(limit, paths, {OK, NOT_FOUND, TRUNCATED, LIMITED})
        self.check(1 << 26, paths, {OK, NOT_FOUND, TRUNCATED})


if __name__ == "__main__":
    unittest.main()
