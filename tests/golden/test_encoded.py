# SPDX-License-Identifier: BSD-3-Clause
"""Encoding the data of the golden files gives the golden files, byte for byte: with each instruction set, and one thread or two."""

import platform
import unittest

import by_hand
import data
import decoders
import make

from long_form import in_turn


def golden(name):
    return (decoders.FILES / f"{name}.gpz").read_bytes()


def instruction_sets():
    """Those that this machine has."""
    if platform.machine() != "x86_64":
        return ["generic"]
    example = data.example()
    names = ["generic", "avx2", "avx512"]
    return [name for name in names if make.encoded(example, 1, name)[1] == name]


def ways(number, sets):
    """Each instruction set, with one thread or two; in the long form with both."""
    return [(threads, name) for place, name in enumerate(sets) for threads in in_turn((1, 2), number + place)]


class Encoded(unittest.TestCase):
    def test_every_instruction_set(self):
        sets = instruction_sets()
        self.assertIn("generic", sets)
        for number, (name, source) in enumerate(data.sources().items()):
            tried = ways(number, sets)
            for (threads, wanted), (content, used) in zip(tried, make.encoded_each(source, tried), strict=True):
                with self.subTest(file=name, threads=threads, instruction_set=wanted):
                    self.assertEqual(used, wanted)
                    self.assertTrue(content == golden(name), "other bytes than those of the golden file")

    def test_files_made_by_hand(self):
        for name, content in by_hand.files().items():
            self.assertTrue(content == golden(name), name)
        name, whole, missing = make.TORN
        self.assertEqual(golden(name), golden(whole)[:-missing])


if __name__ == "__main__":
    unittest.main()
