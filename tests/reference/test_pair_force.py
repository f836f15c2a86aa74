# SPDX-License-Identifier: BSD-3-Clause
"""Pair forces: the reference decoder against the library, if GPZ_PAIR_FORCES names the program that prints what the library expects."""

import os
import subprocess
import unittest

from gpz_reference.codec import BadFile, Cursor
from gpz_reference.difference import Axis
from gpz_reference.pair_force import PairForce

PROGRAM = os.environ.get("GPZ_PAIR_FORCES")


def numbers(text):
    return [int(word) for word in text.split()]


class Library(unittest.TestCase):
    @unittest.skipUnless(PROGRAM, "GPZ_PAIR_FORCES is not set")
    def test_same_expectations(self):
        lines = iter(subprocess.run([PROGRAM], capture_output=True, text=True, check=True).stdout.splitlines())
        frames = 0
        moved = 0
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "axes":
                edges = numbers(rest)
                axes = [Axis(lo, period) for lo, period in zip(edges[::2], edges[1::2])]
                force = PairForce()
            elif word == "keep":
                force.keep(numbers(rest))
            elif word == "add":
                force.add(int(rest))
            elif word == "skip":
                force.leave_out()
            else:
                cursor = Cursor(bytes.fromhex(rest), "pair forces")
                force.read(cursor)
                self.assertEqual(len(cursor.rest()), 0)
                last, velocity, expected = zip(*([numbers(next(lines)) for _ in range(3)] for _ in axes))
                self.assertEqual(force.expect(last, velocity, axes), list(expected), f"frame {frames}")
                frames += 1
                moved += any(any(x != 64 * v for x, v in zip(*both)) for both in zip(expected, velocity))
        self.assertGreater(frames, 100)
        self.assertGreater(moved, frames // 2)


class Parameters(unittest.TestCase):
    SETTINGS = bytes([1, 2, 38, 64, 2]) + (500).to_bytes(8, "little") + bytes([4, 0]) + bytes(10) + bytes([9, 0]) + bytes(8)

    def test_whole(self):
        cursor = Cursor(self.SETTINGS + b"rest", "pair forces")
        forces = PairForce()
        forces.read(cursor)
        self.assertEqual(cursor.data[cursor.offset :], b"rest")
        self.assertEqual(forces.settings.cutoff, 500)

    def test_broken(self):
        broken = [b"", b"\0", b"\2", self.SETTINGS[:-1]]
        for at, value in (1, 0), (1, 17), (2, 129), (3, 65), (4, 1), (4, 33), (13, 3), (25, 0):
            broken.append(self.SETTINGS[:at] + bytes([value]) + self.SETTINGS[at + 1 :])
        for data in broken:
            with self.subTest(data=data.hex()), self.assertRaises(BadFile):
                PairForce().read(Cursor(data, "pair forces"))


if __name__ == "__main__":
    unittest.main()
