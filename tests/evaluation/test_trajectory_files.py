# SPDX-License-Identifier: BSD-3-Clause
"""evaluation/trajectory_files.py: what it reads, how it follows particles, which result counts. Needs numpy."""
import functools
import os
import sys
import tempfile
import unittest

import numpy as np

EVALUATION = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../evaluation"))
sys.path.insert(0, EVALUATION)
import trajectory_files as files
from peers import Failed, Result, text_dump


def dump(rows, columns="id type x y z", box="0 4\n-1 1\n0 5\n", kind="pp pp pp"):
    lines = rows.count("\n")
    return f"ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n{lines}\nITEM: BOX BOUNDS {kind}\n{box}ITEM: ATOMS {columns}\n{rows}"


class TextDumps(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "d")
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            return text_dump.read(path)

    def test_frames_types_and_edges(self):
        positions, types, cells = self.read(dump("1 3 0.5 0 1\n4 2 1 2 3\n") + dump("1 3 0.25 0 1\n4 2 1 2 3.5\n"))
        np.testing.assert_array_equal(positions, [[[0.5, 0, 1], [1, 2, 3]], [[0.25, 0, 1], [1, 2, 3.5]]])
        np.testing.assert_array_equal(types, [3, 2])
        np.testing.assert_array_equal(cells, [np.diag([4, 2, 5])] * 2)

    def test_what_it_cannot_read(self):
        for text, why in (
            (dump("2 1 0 0 0\n1 1 0 0 0\n"), "sorted"),
            (dump("1 1 0 0 0\n", columns="id type xs ys zs"), "columns"),
            (dump("1 1 0 0 0\n", kind="xy xz yz pp pp pp", box="0 4 1\n0 4 0\n0 4 0\n"), "triclinic"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                self.read(text)


class Rows(unittest.TestCase):
    def test_particles_are_followed_through_faces_of_a_triclinic_box(self):
        cell = np.array([[4.0, 0, 0], [1, 4, 0], [-1, 1, 4]])
        true = np.array([0.5, 0.5, 0.5]) + 1.3 * np.arange(12)[:, None, None] * np.ones((1, 1, 3))
        wrapped = (true @ np.linalg.inv(cell) % 1.0) @ cell
        self.assertGreater(np.abs(wrapped - true).max(), 4)
        followed = files.unwrapped(wrapped, np.array([cell] * 12))
        np.testing.assert_allclose(followed - followed[0], true - true[0], atol=1e-12)

    def test_the_smallest_counts_among_those_that_keep_the_bound(self):
        def measured(size, error, scratch, orders=1):
            self.assertTrue(os.path.isdir(scratch))
            return Result(size, error, 1.0, 1.0, notes={"orders": orders})

        def fails(scratch):
            raise Failed("no")

        def cells(*results):
            return [files.cell_of(functools.partial(measured, *result), 16) for result in results]

        self.assertEqual(files.text_of(files.smaller(cells((10, 1.0), (8, 1.0), (4, 1.5)))), "4.00")
        self.assertEqual(files.text_of(files.smaller(cells((4, 1.5)))), "2.00!")
        self.assertEqual(files.text_of(files.smaller([files.cell_of(fails, 16), *cells((10, 1.0))])), "5.00")
        self.assertEqual(files.text_of(files.cell_of(fails, 16)), "failed")
        self.assertEqual(files.text_of(files.cell_of(functools.partial(measured, 4, 1.0, orders=3), 16)), "2.00*")
        self.assertEqual(files.text_of(None), "")


if __name__ == "__main__":
    unittest.main()
