# SPDX-License-Identifier: BSD-3-Clause
"""Golden frame arrays: both decoders give the pinned values, which are those that were compressed; the library gives the same bytes; what
docs/format.md says is refused is refused by both."""

import math
import pathlib
import struct
import tempfile
import unittest
from unittest import mock

import array_data
import arrays
import decoders
import violations_arrays

from gpz_reference import frame_array as gpz_array
from gpz_reference.chunk import KINDS
from gpz_reference.codec import FLOAT32, FLOAT64, BadFile
from long_form import sample
from source import bits_of
from test_encoded import instruction_sets, ways

PATHS = sorted(arrays.FILES.glob("*.bin"))


class Pinned(unittest.TestCase):
    def check(self, decode):
        digests = arrays.read_digests()
        for path in PATHS:
            with self.subTest(array=path.stem):
                self.assertEqual({**arrays.facts_of_bytes(path), **arrays.pinned(*decode(path))}, digests[path.stem])

    def test_all_arrays_are_pinned(self):
        names = sorted(path.stem for path in PATHS)
        self.assertEqual(sorted(arrays.read_digests()), names)
        self.assertEqual(sorted(arrays.all_arrays()), names)

    def test_library(self):
        self.check(arrays.by_library)

    def test_reference_decoder(self):
        self.check(arrays.by_reference)


class Encoded(unittest.TestCase):
    def test_every_instruction_set(self):
        sets = instruction_sets()
        for number, (name, source) in enumerate(array_data.sources().items()):
            tried = ways(number, sets)
            for (threads, wanted), (content, used) in zip(tried, arrays.encoded_each(source, tried), strict=True):
                with self.subTest(array=name, threads=threads, instruction_set=wanted):
                    self.assertEqual(used, wanted)
                    self.assertEqual(content, arrays.path_of(name).read_bytes())

    def test_arrays_made_by_hand(self):
        for name, content in array_data.by_hand().items():
            self.assertEqual(content, arrays.path_of(name).read_bytes(), name)


class Original(unittest.TestCase):
    def test_values(self):
        """Each is within the bound, or has the same bits."""
        for name, source in array_data.sources().items():
            array = gpz_array.decode_frame_array(arrays.path_of(name).read_bytes())
            described = array.type == FLOAT64, array.frames, array.particles, array.components, array.bound
            self.assertEqual(described, (source.type == "f64", len(source.frames), source.particles, source.components, source.bound))
            code = "f" if array.type == FLOAT32 else "d"
            found = [value for (value,) in struct.iter_unpack("<" + code, array.data)]
            self.assertEqual(len(found), len(source.bits))
            for value, bits in zip(found, source.bits):
                if bits_of(value, source.type) != bits:
                    (original,) = struct.unpack("<" + code, struct.pack("<" + ("I" if code == "f" else "Q"), bits))
                    self.assertTrue(math.isfinite(original), name)
                    self.assertLessEqual(abs(value - original), source.bound, name)


class Coverage(unittest.TestCase):
    def test_everything_occurs(self):
        found = set()
        take_entries, decode, unpacked = gpz_array.take_entries, gpz_array.Frames.decode, gpz_array.unpacked

        def note_entries(cursor, frames, has_bound):
            entries = take_entries(cursor, frames, has_bound)
            steps = [step for _, step, _ in entries]
            found.update(["the step changes"] if len(set(steps)) > 1 else [])
            return entries

        def note_decode(frames, form, step, data):
            found.add(("form", form, "first" if frames.history is None else "later"))
            found.update([("kind", data[4])] if form == gpz_array.WHOLE else [])
            return decode(frames, form, step, data)

        def note_unpacked(data):
            section = unpacked(data)
            count = gpz_array.take_number(gpz_array.Cursor(data, ""))
            found.update(["no packed words"] if count == 0 else ["packed words"])
            found.update(["all words are packed"] if 0 < count == len(section) // 8 else [])
            found.update(["an empty section"] if not section else [])
            return section

        with (
            mock.patch.multiple(gpz_array, take_entries=note_entries, unpacked=note_unpacked),
            mock.patch.object(gpz_array.Frames, "decode", note_decode),
        ):
            for path in PATHS:
                array = gpz_array.decode_frame_array(path.read_bytes())
                found.add((array.type, "bound" if array.bound else "lossless"))
                found.add(("components", array.components))
                found.update(["no particles"] if array.frames and not array.particles else [])
                found.update(["no frames"] if not array.frames and array.particles else [])
        expected = {(kind, what) for kind in (FLOAT32, FLOAT64) for what in ("bound", "lossless")} | {("components", d) for d in (1, 2, 3)}
        expected |= {("form", form, "later") for form in gpz_array.FORMS} | {("form", form, "first") for form in (gpz_array.WHOLE, gpz_array.IN_ORDER)}
        expected |= {("kind", 0), ("kind", 1), "the step changes", "no particles", "no frames"}
        expected |= {"packed words", "no packed words", "all words are packed", "an empty section"}
        self.assertEqual(expected - found, set())
        self.assertLessEqual({what[1] for what in found if what[0] == "kind"}, set(KINDS))


def complaint(content):
    """Of the reference decoder."""
    try:
        gpz_array.decode_frame_array(content)
    except BadFile as error:
        return str(error)
    return ""


class Refused(unittest.TestCase):
    def by_library(self, content):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "array.bin"
            path.write_bytes(content)
            return decoders.codec("decode-array", path)

    def test_sound_arrays_are_read(self):
        for family, _ in violations_arrays.FAMILIES:
            with self.subTest(family=family.__name__):
                self.assertEqual(complaint(family()), "")
                self.assertEqual(self.by_library(family()).returncode, 0)

    def test_reference_decoder(self):
        for family, changes in violations_arrays.FAMILIES:
            for change, cause in changes:
                with self.subTest(family=family.__name__, change=change):
                    self.assertRegex(complaint(family(**change)) or "nothing", cause)

    def test_library(self):
        for family, changes in violations_arrays.FAMILIES:
            for change, _ in changes:
                with self.subTest(family=family.__name__, change=change):
                    self.assertEqual(self.by_library(family(**change)).returncode, 1)

    def test_every_length(self):
        """An array that is cut, with a checksum that holds."""
        content = violations_arrays.array()[:-8]
        for length in sample(range(len(content)), 5):
            cut = content[:length]
            cut += struct.pack("<Q", gpz_array.xxh3_64(cut))
            self.assertNotEqual(complaint(cut), "", length)
            self.assertEqual(self.by_library(cut).returncode, 1, length)


if __name__ == "__main__":
    unittest.main()
