# SPDX-License-Identifier: BSD-3-Clause
"""gpz encode of inputs that end at 50 random places: the whole frames before the cut are written, and the message names the last one.

    GPZ=build/bin/gpz python3 tests/cli/test_cut.py --table    # what happens at each place
"""

import json
import os
import random
import re
import subprocess
import sys

from cli_case import BOX, GPZ, CliCase, binary_frame, dump_frame, record_offsets

FRAMES, PARTICLES, PLACES = 8, 60, 50
FILES = {"in.dump": "text", "in.bin": "binary", "in.xyz": "XYZ", "in.gpz": ".gpz"}
NOTHING = {"text": 5, "binary": 5, "XYZ": 5, ".gpz": 5}


def made():
    source = random.Random(44)
    return [[(i, 1 + i % 2, *(source.uniform(0, 10) for _ in range(3))) for i in range(1, PARTICLES + 1)] for _ in range(FRAMES)]


class Cut(CliCase):
    def setUp(self):
        super().setUp()
        columns = "id type x y z"
        frames = made()
        self.write("in.dump", "".join(dump_frame(10 * k, rows, columns) for k, rows in enumerate(frames)))
        self.write("in.bin", b"".join(binary_frame(10 * k, columns, rows) for k, rows in enumerate(frames)))
        comment = "Properties=species:S:1:pos:R:3:id:I:1 Timestep="
        self.write("in.xyz", "".join(
            f"{len(rows)}\n{comment}{10 * k}\n" + "".join(f"{'CH'[t - 1]} {x!r} {y!r} {z!r} {i}\n" for i, t, x, y, z in rows)
            for k, rows in enumerate(frames)))
        self.gpz("encode", "in.dump", "-o", "in.gpz", "--lossless", "--key", "3")

    def ends(self, name):
        """Where the frames of the input end."""
        content = self.read(name)
        if name == "in.gpz":
            return record_offsets(content)[1:]
        if name == "in.bin":
            return [len(content) * k // FRAMES for k in range(1, FRAMES + 1)]
        start = b"ITEM: TIMESTEP" if name == "in.dump" else b"%d\nProp" % PARTICLES
        return [match.start() for match in re.finditer(re.escape(start), content)][1:] + [len(content)]

    def decoded(self, name):
        out = self.gpz("decode", name, "-o", "-", "--format", "lammps", "--sort", "id", "--exact", out=None).decode()
        return out.split("ITEM: TIMESTEP\n")[1:]

    def at(self, name, length, *options):
        """(exit code, message, frames that are in the output and equal to those of the whole input)"""
        self.write("cut" + name[2:], self.read(name)[:length])
        if os.path.exists(self.path("out.gpz")):
            os.unlink(self.path("out.gpz"))
        done = subprocess.run([GPZ, "encode", "cut" + name[2:], "-o", "out.gpz", "--lossless", *options], cwd=self.folder,
                              capture_output=True, check=False)
        frames = self.decoded("out.gpz") if os.path.exists(self.path("out.gpz")) else []
        self.assertEqual(frames, self.whole[:len(frames)])
        return done.returncode, done.stderr.decode(), len(frames)

    def expect(self, name, length):
        ends = self.ends(name)
        kept = sum(end <= length for end in ends)
        code, message, frames = self.at(name, length)
        if length in ends:  # nothing tells that there was more
            self.assertEqual((code, message, frames), (0, "", kept))
        elif kept == 0:
            self.assertEqual((code, frames), (NOTHING[FILES[name]], 0), message)
            self.assertIn("cut" + name[2:], message)
        else:
            self.assertEqual((code, frames), (5, kept), message)
            self.assertIn(f"the last whole frame is frame {kept - 1}, which ends at byte {ends[kept - 1]}; ", message)
            self.assertEqual(self.at(name, length, "--allow-truncated"), (0, message, kept))
            self.verify(name, message)
        return code, message, frames, kept

    def verify(self, name, message):
        """The file of the whole frames against the input that was cut."""
        arguments = ["verify", "out.gpz", "--against", "cut" + name[2:]]
        if name == "in.gpz":  # a .gpz file that is cut is named by the same message, but is no dump
            return
        cut = message.removeprefix("gpz: ").rsplit("; ", 1)[0]
        self.gpz(*arguments, code=5, err=cut.split("; ", 1)[0])
        self.gpz(*arguments, "--allow-truncated", err=cut, out=None)

    def test_random_places(self):
        source = random.Random(1)
        for name in FILES:
            self.gpz("encode", name, "-o", "out.gpz", "--lossless")
            self.whole = self.decoded("out.gpz")
            self.assertEqual(len(self.whole), FRAMES)
            size = self.ends(name)[-1]
            places = sorted(source.sample(range(1, size), PLACES))
            for length in places if TABLE else places[::5]:
                code, message, frames, kept = self.expect(name, length)
                if TABLE:
                    print(f"| {FILES[name]} | {length} of {size} | {code} | {message.strip()} | {frames} of {kept} |")

    def test_an_index_that_is_cut_loses_nothing(self):
        self.gpz("encode", "in.gpz", "-o", "out.gpz", "--lossless")
        self.whole = self.decoded("out.gpz")
        code, message, frames = self.at("in.gpz", len(self.read("in.gpz")) - 5)
        self.assertEqual((code, frames), (0, FRAMES))
        self.assertIn("all 8 frames are whole, the index is damaged", message)


TABLE = "--table" in sys.argv

if __name__ == "__main__":
    import unittest

    unittest.main(argv=sys.argv[:1])
