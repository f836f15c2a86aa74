# SPDX-License-Identifier: BSD-3-Clause
"""gpz encode has every order and effort of docs/matrix.md, and writes the kinds of chunks that stand there."""

import pathlib
import sys

from cli_case import A_SET, NUMBERED, CliCase, dump_frame

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "docs"))

from matrix_page import expect_orders_and_efforts  # noqa: E402


class Matrix(CliCase):
    def note(self, ids, order):
        if ids is not None or order == "memory":
            return ""
        return f"in: {A_SET if order == 'place' else NUMBERED}"

    def encode(self, ids, frames, order, effort):
        columns = "x y z" if ids is None else "id x y z"
        rows = [places if ids is None else [(i, *place) for i, place in zip(ids, places)] for places in frames]
        self.write("in", "".join(dump_frame(f, some, columns) for f, some in enumerate(rows)))
        self.gpz("encode", "in", "-o", "out", "--eb", "0.001", "--key", "2", "--order", order, "--effort", effort,
                 err=self.note(ids, order))
        return self.read("out")

    def test_orders_and_efforts(self):
        self.assertEqual(expect_orders_and_efforts(self.encode), [])
