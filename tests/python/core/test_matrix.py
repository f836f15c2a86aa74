# SPDX-License-Identifier: BSD-3-Clause
"""gpz.Writer has every order and effort of docs/matrix.md, and writes the kinds of chunks that stand there."""

import pathlib
import sys

import numpy as np

import gpz

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "docs"))

from matrix_page import expect_orders_and_efforts  # noqa: E402


def test_orders_and_efforts(tmp_path):
    path = tmp_path / "out.gpz"

    def encode(ids, frames, order, effort):
        with gpz.Writer(path, bound=0.001, key_interval=2, order=order, effort=effort) as writer:
            for places in frames:
                writer.write(positions=np.array(places), **({} if ids is None else {"ids": np.array(ids)}))
        return path.read_bytes()

    assert expect_orders_and_efforts(encode) == []


def test_rows_without_ids_keep_their_order_unless_a_set_is_asked_for(tmp_path):
    path = tmp_path / "out.gpz"
    given = np.random.default_rng(3).uniform(0, 10, (2, 3000, 3))
    for bound in (0.001, 0):
        for order in ("auto", "id", "memory", "place"):
            with gpz.Writer(path, bound=bound, order=order) as writer:
                for places in given:
                    writer.write(positions=places)
            with gpz.open(path) as trajectory:
                kept = all(np.abs(frame.positions - places).max() <= bound for frame, places in zip(trajectory, given))
            assert kept == (order != "place" or bound == 0), (order, bound)  # exact values are not sorted
