# SPDX-License-Identifier: BSD-3-Clause
"""Encoding the data of the golden files gives the golden files, byte for byte: with each instruction set and number of threads."""

import platform
import unittest

import by_hand
import data
import decoders
import make


def golden(name):
    return (decoders.FILES / f"{name}.gpz").read_bytes()


def instruction_sets():
    """Those that this machine has."""
    if platform.machine() != "x86_64":
        return ["generic"]
    example = data.sources()["example"]
    names = ["generic", "avx2", "avx512"]
    return [name for name in names if make.encoded(example, 1, name)[1] == name]


class Encoded(unittest.TestCase):
    def check(self, threads, instruction_set):
        for name, source in data.sources().items():
            with self.subTest(file=name, threads=threads, instruction_set=instruction_set):
                content, used = make.encoded(source, threads, instruction_set)
                self.assertEqual(used, instruction_set)
                self.assertTrue(content == golden(name), "other bytes than those of the golden file")

    def test_every_instruction_set(self):
        sets = instruction_sets()
        self.assertIn("generic", sets)
        for name in sets:
            self.check(1, name)

    def test_two_threads(self):
        self.check(2, instruction_sets()[-1])

    def test_files_made_by_hand(self):
        for name, content in by_hand.files().items():
            self.assertTrue(content == golden(name), name)
        name, whole, missing = make.TORN
        self.assertEqual(golden(name), golden(whole)[:-missing])


if __name__ == "__main__":
    unittest.main()
