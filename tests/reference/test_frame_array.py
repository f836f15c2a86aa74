# SPDX-License-Identifier: BSD-3-Clause
"""Frame arrays: the library and the reference decoder must decode the same bits, and refuse the same."""

import pathlib
import shutil
import struct
import tempfile
import unittest

from gpz_reference import frame_array as gpz_array
from gpz_reference.codec import FLOAT32, BadFile
from gpz_reference.xxh3 import xxh3_64
from library import GOLDEN, HELPER, by_name, helper, is_unchecked

ARRAYS = GOLDEN / "arrays"


def each(folder):
    """What the library makes of every array of a folder: lines by name."""
    result = helper("each-array", folder)
    assert result.returncode == 0, result.stderr
    return by_name(result.stdout, ".bin")


def listing(content):
    """The same of the reference decoder; raises BadFile."""
    array = gpz_array.decode_frame_array(content)
    size = len(array.data) // array.frames if array.frames else 0
    frames = [array.data[size * t : size * (t + 1)] for t in range(array.frames)]
    kind = "f32" if array.type == FLOAT32 else "f64"
    return [f"{kind} {array.frames} {array.particles} {array.components} {array.bound:.17g}", *(f"{xxh3_64(frame):016x}" for frame in frames)]


@unittest.skipUnless(HELPER, "GPZ_LIBRARY_HELPER is not set")
class Arrays(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_single_frames(self):
        """Of golden arrays, which are compared as a whole in tests/golden."""
        for path in ARRAYS.glob("*.bin"):
            shutil.copy(path, self.folder)
        for name, lines in each(self.folder).items():
            with self.subTest(array=name):
                self.assertEqual(lines, listing((self.folder / name).read_bytes()))

    def test_both_refuse_the_same(self):
        """Damage with checksums that hold."""
        sound = {name: (ARRAYS / f"{name}.bin").read_bytes() for name in ("still", "lines", "walk-fast", "hand-forms")}
        contents = {}
        for name, content in sound.items():
            for place in [*range(min(80, len(content) - 8)), *range(80, len(content) - 8, 5)]:
                changed = bytearray(content[:-8])
                changed[place] ^= 1 << place % 8
                contents[f"{name}-{place}.bin"] = bytes(changed) + struct.pack("<Q", xxh3_64(changed))
        for name, content in contents.items():
            (self.folder / name).write_bytes(content)
        disagreements, refusals = [], 0
        for name, lines in each(self.folder).items():
            try:
                expected = listing(contents[name])
            except BadFile as error:
                if is_unchecked(str(error)):
                    continue
                expected = [f"refused: {error}"]
            refused = lines[-1].startswith("refused")
            refusals += refused
            if refused != expected[-1].startswith("refused") or (not refused and lines != expected):
                disagreements.append((name, expected[-1], lines[-1]))
        self.assertEqual(disagreements, [], "\n".join(map(str, disagreements)))
        self.assertGreater(refusals, 100)


if __name__ == "__main__":
    unittest.main()
