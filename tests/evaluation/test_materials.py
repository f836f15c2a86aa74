# SPDX-License-Identifier: BSD-3-Clause
"""evaluation/materials.py: the input that it runs, and its tables. Needs numpy."""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import types
import unittest

EVALUATION = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../evaluation"))
sys.path.insert(0, EVALUATION)
import materials


class Inputs(unittest.TestCase):
    def test_the_run_of_the_input_is_replaced(self):
        text = materials.script("lj", "units lj\nrun  100\n", "/out")
        self.assertEqual([line for line in text.splitlines() if line.startswith("run")], ["run 100", "run 200", "run 2000"])
        self.assertIn("dump frames all custom 100 /out/lj.100.lammpstrj id type x y z\n", text)

    def test_names_and_sizes_are_edited(self):
        text = materials.script("gb", "compute_modify rot extra 3\nrun 100", "/out")
        self.assertIn("compute_modify rot extra/dof 3", text)
        self.assertNotIn("eff.100", materials.script("eff", "run 100", "/out"))

    def test_inputs_that_it_does_not_know(self):
        for name, text in (("gb", "run 100"), ("lj", "units lj"), ("lj", "run 1\nrun 2")):
            with self.assertRaises(SystemExit):
                materials.script(name, text, "/out")


class Tables(unittest.TestCase):
    def test_the_smallest_within_its_bound_is_bold(self):
        def cell(bits, kept=True, **more):
            return {"bits": bits, "kept": kept, "error": 1.0, "encode": 2.0, "decode": 1.0, "values": 1e6, **more}

        rows = {
            "lj.100, 0.0005": {"gpz-fast": cell(9.0), "arrays-fast": cell(9.0), "sz3": cell(8.0), "lcp": cell(7.0, orders=4), "pco": cell(5.0, False)},
            "lj.10, 0.0005": {"gpz-fast": cell(4.0), "arrays-fast": cell(4.5), "sz3": {"failure": "why"}},
        }
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.json")
            path.write_text(json.dumps(rows))
            text = io.StringIO()
            with contextlib.redirect_stdout(text):
                materials.print_tables(types.SimpleNamespace(json=path))
        lines = text.getvalue().splitlines()
        self.assertEqual(lines[1], "| trajectory | gpz fast | SZ3 | LCP | pco |")
        self.assertEqual(lines[3:5], ["| lj, 10 | **4.00** | failed |  |  |", "| lj, 100 | 9.00 | 8.00 | **7.00*** | 5.00! |"])
        self.assertIn("| lj, 100 | 6, 12 | 6, 12 | 6, 12 | 6, 12 |", lines)


if __name__ == "__main__":
    unittest.main()
