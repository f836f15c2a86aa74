# SPDX-License-Identifier: BSD-3-Clause
"""gpz verify --against on several threads: frames are compared side by side, and the report is that of one thread."""

import json
import random
import unittest

from cli_case import CliCase, dump_frame

FRAMES, PARTICLES = 12, 500
THREADS = ("1", "2", "3", "8")


class Against(CliCase):
    def setUp(self):
        super().setUp()
        source = random.Random(3)
        self.frames = [[[i, 1 + i % 2, *(source.uniform(0, 10) for _ in range(3))] for i in range(1, PARTICLES + 1)]
                       for _ in range(FRAMES)]
        self.write("in.dump", self.text_of(self.frames))
        self.gpz("encode", "in.dump", "-o", "in.gpz", "--eb", "0.001", "--key", "5")

    def text_of(self, frames):
        return "".join(dump_frame(10 * k, rows, "id type x y z") for k, rows in enumerate(frames))

    def changed(self, changes):
        """{(frame, row, column): value}"""
        frames = [[list(row) for row in rows] for rows in self.frames]
        for (frame, row, column), value in changes.items():
            frames[frame][row][column] = value
        return self.text_of(frames)

    def test_the_report_does_not_depend_on_threads(self):
        x = self.frames[7][3][2]
        self.write("other.dump", self.changed({(2, 9, 3): self.frames[2][9][3] + 0.5, (7, 3, 2): x + 2.0, (9, 3, 2): 99.0,
                                               (10, 1, 1): 7}))
        reports = []
        for threads in THREADS:
            out = self.gpz("verify", "in.gpz", "--against", "other.dump", "--json", "--threads", threads, code=7, out=None, err=None)
            reports.append(json.loads(out))
        self.assertEqual(reports, [reports[0]] * len(reports))
        columns = {column["name"]: column for column in reports[0]["columns"]}
        self.assertEqual({name: columns[name]["above_bound"] for name in ("id", "type", "x", "y", "z")},
                         {"id": 0, "type": 1, "x": 2, "y": 1, "z": 0})
        self.assertAlmostEqual(columns["x"]["largest_difference"], 99.0 - self.frames[9][3][2], delta=0.0011)
        self.assertTrue(any("id 4, timestep 90" in problem for problem in reports[0]["problems"]))

    def test_equal_differences_name_the_first_frame(self):
        self.write("other.dump", self.changed({(4, 0, 1): 9, (8, 5, 1): 9}))
        for threads in THREADS:
            self.gpz("verify", "in.gpz", "--against", "other.dump", "--threads", threads, code=7, out=None,
                     err="in.gpz: column type: 2 values differ by more than 0, the largest by inf (id 1, timestep 40)")

    def test_the_first_frame_that_cannot_be_compared_is_named(self):
        text = self.changed({(6, 2, 0): 4711, (7, 2, 0): 4712})
        cut = text.index("ITEM: TIMESTEP\n90")
        for name, content in {"ids": text, "and a broken frame": text[:cut] + "ITEM: NONSENSE\n"}.items():
            self.write("other.dump", content)
            for threads in THREADS:
                with self.subTest(name, threads=threads):
                    self.gpz("verify", "in.gpz", "--against", "other.dump", "--threads", threads, code=7, out=None,
                             err="in.gpz: timestep 60: id 3 where other.dump has id 4")


if __name__ == "__main__":
    unittest.main()
