# SPDX-License-Identifier: BSD-3-Clause
"""The library, by way of the program built from library_helper.cpp, which GPZ_LIBRARY_HELPER names."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

from gpz_reference import digests
from gpz_reference import reader as gpz_ref
from gpz_write import record
from gpz_reference.xxh3 import xxh3_64

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from long_form import LONG, in_turn, sample  # noqa: E402

HELPER = os.environ.get("GPZ_LIBRARY_HELPER")
GOLDEN = pathlib.Path(__file__).parents[1] / "golden/files"


def helper(*arguments):
    how = {"text": True, "encoding": "utf-8", "errors": "backslashreplace"}
    return subprocess.run([HELPER, *map(str, arguments)], capture_output=True, check=False, timeout=300, **how)


def each(folder):
    """What the library makes of every file of a folder: lines by name of the file, or one that begins with "refused"."""
    result = helper("each", folder)
    assert result.returncode == 0, result.stderr
    return by_name(result.stdout, ".gpz")


def by_name(text, ending):
    """The lines behind each line that is the name of a file."""
    files = {}
    for line in text.splitlines():
        if line.endswith(ending):
            lines = files[line] = []
        else:
            lines.append(line)
    return files


def is_unchecked(cause):
    """Whether only the reference decoder refuses that."""
    return re.search("a key is larger|a residual is too large|a first place is outside|a place is outside", cause)


def listing(file):
    """What `python -m gpz_reference` prints."""
    return list(digests.lines(file))


class LibraryTest(unittest.TestCase):
    """What tests with files have in common: a folder, and comparisons with the library."""

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
        return by_library.stdout

    def written(self, command, every):
        """Some of the files that this command of the helper writes, each in double or in single precision; in the long form all."""
        self.assertEqual(helper(command, self.folder).returncode, 0)
        precisions = {}
        for path in sorted(self.folder.glob("*.gpz")):
            precisions.setdefault(re.sub("^f(32|64)-", "", path.name), []).append(path)
        return [path for number, paths in enumerate(sample(precisions.values(), every)) for path in in_turn(paths, number)]

    def compare_folder(self, command, orders=("fields", "stream"), every=1):
        """Files that this command of the helper writes; the library reads them the same in other orders."""
        for path in self.written(command, every):
            with self.subTest(file=path.name):
                forward = self.compare(path)
                for order in orders:
                    self.assertEqual(helper("digest", path, order).stdout, forward, order)

    def compare_refusals(self, data, file_with, places):
        """Changes a byte of the data at each place, or at some of them; `file_with` makes a file of what comes out."""
        files = {}
        for place in sample(places, 3, len(data)):
            changed = bytearray(data)
            changed[place] ^= 1 << place % 8
            content = files[f"{place}.gpz"] = file_with(bytes(changed))
            (self.folder / f"{place}.gpz").write_bytes(content)
        disagreements, refusals = [], 0
        for name, by_library in each(self.folder).items():
            file = gpz_ref.read_bytes(files[name])
            if file.damage and is_unchecked(file.damage[0]):
                continue
            refused = by_library[-1].startswith("refused")
            refusals += refused
            if refused != bool(file.damage) or (not refused and by_library != listing(file)):
                disagreements.append((name, file.damage, by_library[-1]))
        self.assertEqual(disagreements, [], "\n".join(map(str, disagreements)))
        self.assertGreater(refusals, 20 if LONG else 5)

    def opened(self, path, number):
        """The only chunk of a frame, and what makes a file that ends with that frame of another chunk. Empties the folder."""
        content = path.read_bytes()
        for path in self.folder.glob("*.gpz"):
            path.unlink()
        frame = gpz_ref.read_bytes(content).frames[number]
        head, body = (getattr(gpz_ref.read_record(content, frame.offset), part) for part in ("head", "body"))
        chunk = bytes(body)

        def file_with(changed):
            mended = head.replace(struct.pack("<Q", xxh3_64(chunk)), struct.pack("<Q", xxh3_64(changed)))
            return content[: frame.offset] + record(gpz_ref.FRAME, mended, changed)

        return chunk, file_with
