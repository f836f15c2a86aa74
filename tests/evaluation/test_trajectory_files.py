# SPDX-License-Identifier: BSD-3-Clause
"""evaluation/trajectory_files.py: what it reads, how it follows particles, which result counts. Needs numpy."""
import ctypes
import functools
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

EVALUATION = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../evaluation"))
sys.path.insert(0, EVALUATION)
import trajectory_files as files
from peers import Failed, Result, array_file, gpz_package, text_dump, tng


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

    def test_a_triclinic_box_without_tilt(self):
        cells = self.read(dump("1 1 0 0 0\n", kind="xy xz yz pp pp pp", box="0 4 0\n-1 4 0\n0 4 0\n"))[2]
        np.testing.assert_array_equal(cells, [np.diag([4, 5, 4])])

    def test_what_it_cannot_read(self):
        for text, why in (
            (dump("2 1 0 0 0\n1 1 0 0 0\n"), "sorted"),
            (dump("1 1 0 0 0\n", columns="id type xs ys zs"), "columns"),
            (dump("1 1 0 0 0\n", kind="xy xz yz pp pp pp", box="0 4 1\n0 4 0\n0 4 0\n"), "triclinic"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                self.read(text)


class Arrays(unittest.TestCase):
    def read(self, positions, known):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.npy")
            np.save(path, positions)
            with open(os.path.join(folder, "a.json"), "w", encoding="utf-8") as file:
                json.dump(known, file)
            return array_file.read(path)

    def test_types_are_repeated_and_the_box_is_that_of_all_frames(self):
        given = np.arange(36, dtype=np.float32).reshape(2, 6, 3)
        positions, types, cells = self.read(given, {"box": [4, 2, 5], "types": ["O", "H", "H"]})
        np.testing.assert_array_equal(positions, given)
        self.assertEqual(positions.dtype, np.float64)
        np.testing.assert_array_equal(types, [1, 0, 0, 1, 0, 0])
        np.testing.assert_array_equal(cells, [np.diag([4, 2, 5])] * 2)

    def test_a_cell_for_each_frame(self):
        given = [[[4, 0, 0], [0, 4, 0], [2, 2, 3]], [[5, 0, 0], [0, 5, 0], [2, 2, 3]]]
        _, _, cells = self.read(np.zeros((2, 4, 3)), {"cells": given})
        np.testing.assert_array_equal(cells, given)

    def test_neither_box_nor_types(self):
        _, types, cells = self.read(np.zeros((1, 4, 3)), {})
        np.testing.assert_array_equal(types, [0] * 4)
        self.assertIsNone(cells)

    def test_what_it_cannot_read(self):
        for positions, known, why in (
            (np.zeros((4, 3)), {}, "shape"),
            (np.zeros((1, 4, 3)), {"types": [1, 2, 3]}, "3 types of 4"),
            (np.zeros((3, 4, 3)), {"cells": [np.eye(3).tolist()] * 2}, "2 cells of 3 frames"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                self.read(positions, known)

    def test_gpz_by_its_package(self):
        positions = np.random.default_rng(1).random((3, 50, 3))
        for cells in (None, np.array([np.eye(3)] * 3)):
            result = gpz_package.measure_frames(None, positions, 0.001, None, cells, "standard")
            self.assertLess(result.size, positions.size * 4)
            self.assertTrue(0.5 < result.error <= 1)


class ImitatedTng:
    """What the adapter calls of libtng_io: rounds positions to the grid, and keeps them in the file."""

    def __init__(self, _):
        self.frames, self.boxes, self.calls = [], [], {}

    def open(self, path, mode):
        self.path, self.mode = path, mode
        return ctypes.c_void_p(1)

    def close(self, _):
        if self.mode == b"w":
            step = 1 / self.calls["compression_precision_set"]
            np.save(self.path, np.rint(np.array(self.frames) / step) * step)
            os.replace(self.path + ".npy", self.path)

    def values(self, pointer, count):
        return np.array(ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float))[:count])

    def util_pos_write(self, _, number, pointer):
        assert number.value == len(self.frames)
        self.frames.append(self.values(pointer, 3 * self.calls["implicit_num_particles_set"]))

    def util_box_shape_write(self, _, number, pointer):
        assert number.value == len(self.boxes)
        self.boxes.append(self.values(pointer, 9))

    def num_frames_get(self, _, count):
        count._obj.value = len(np.load(self.path))

    def util_pos_read(self, _, pointer, stride):
        values = np.load(self.path).astype(np.float32)
        library = ctypes.CDLL(None)
        library.malloc.restype = ctypes.c_void_p
        memory = library.malloc(ctypes.c_size_t(values.nbytes))
        ctypes.memmove(memory, values.ctypes.data, values.nbytes)
        pointer._obj.contents = ctypes.c_float.from_address(memory)
        stride._obj.value = 1

    def __getattr__(self, name):
        return lambda _, value: self.calls.update({name: value.value})


class Tng(unittest.TestCase):
    def test_positions_boxes_and_the_bound(self):
        made = []
        positions = np.random.default_rng(1).random((4, 10, 3)) * 50
        with mock.patch.object(tng, "Library", lambda path: made.append(ImitatedTng(path)) or made[-1]), tempfile.TemporaryDirectory() as folder:
            result = tng.measure("library", positions, 0.005, folder, np.array([np.eye(3) * 50] * 4), 0.1)
        self.assertTrue(0.5 < result.error <= result.slack)
        self.assertAlmostEqual(made[0].calls["compression_precision_set"], 1000)
        np.testing.assert_array_equal(made[0].boxes, [np.eye(3).reshape(-1) * 5] * 4)

    def test_without_its_library(self):
        with self.assertRaisesRegex(Failed, "libtng_none"):
            tng.measure("libtng_none.so", np.zeros((1, 1, 3)), 0.005, None, None, 0.1)


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

    def test_speeds_and_errors(self):
        cell = {"bits": 20.0, "kept": True, "error": 0.99994, "encode": 0.5, "decode": 0.25}
        self.assertEqual(files.speed_of(cell, 1_000_000), "24 / 48")
        self.assertEqual(files.speed_of({**cell, "decode": 0.0}, 1_000_000), "24 / ")
        self.assertEqual(files.error_of(cell, 1), "0.9999")
        self.assertEqual([text({"failure": "no"}, 1) for text in (files.speed_of, files.error_of)], ["failed"] * 2)


if __name__ == "__main__":
    unittest.main()
