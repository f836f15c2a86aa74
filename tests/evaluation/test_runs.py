# SPDX-License-Identifier: BSD-3-Clause
"""evaluation/run.py, check.py and picture.py, with programs and particles made up here. Needs numpy."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

EVALUATION = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../evaluation"))
sys.path.insert(0, EVALUATION)
import check
from peers import gpz_package, grid

# Writes a line for each bound but those named in CRASH, at which it kills itself, and STOP, at which it ends with a message.
PROGRAM = """
import argparse, json, os, signal, sys
parser = argparse.ArgumentParser()
for name in ("data", "components", "bounds", "json"):
    parser.add_argument("--" + name)
options = parser.parse_args()
if "," in options.bounds:
    sys.exit("one process for several bounds: only one of them has a first call")
for bound in options.bounds.split(","):
    if bound in os.environ.get("CRASH", "").split(","):
        print("about to fall", flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if bound in os.environ.get("STOP", "").split(","):
        sys.exit("cannot do that")
    with open(options.json, "a") as file:
        file.write(json.dumps({"program": "Made Up", "data": "points", "bound": float(bound), "bytes": 5}) + "\\n")
"""


class WithPoints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.points = np.array([[0, 1, 2, 10], [5, 5, 6, 7]], "<f4")
        self.data = self.write("points.f32", self.points)
        with open(self.path("points.json"), "w") as file:
            json.dump({"particles": 4, "components": 2}, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, values):
        values.tofile(self.path(name))
        return self.path(name)


class Run(WithPoints):
    def lines(self, bounds, limit=60, program=PROGRAM, **environment):
        with open(self.path("program.py"), "w") as file:
            file.write(program)
        out = self.path("out.jsonl")
        command = [sys.executable, os.path.join(EVALUATION, "run.py"), "--name", "made_up", "--data", self.data]
        command += ["--bounds", bounds, "--json", out, "--limit", str(limit), "--", sys.executable, self.path("program.py")]
        self.status = subprocess.run(command, env=os.environ | environment, capture_output=True, check=False).returncode
        with open(out) as file:
            return [json.loads(text) for text in file]

    def test_all_bounds(self):
        lines = self.lines("1e-2,1e-3")
        self.assertEqual([line["bound"] for line in lines], [1e-2, 1e-3])
        self.assertEqual(self.status, 0)

    def test_a_crash_is_a_line_and_the_rest_is_run(self):
        lines = self.lines("1e-2,1e-3,1e-4,1e-5", CRASH="1e-3,1e-5")
        self.assertEqual([line["bound"] for line in lines], [1e-2, 1e-3, 1e-4, 1e-5])
        self.assertEqual(lines[1]["failure"], "ended by SIGSEGV: about to fall")
        self.assertEqual([line.get("bytes") for line in lines], [5, None, 5, None])
        self.assertEqual({line["program"] for line in lines}, {"Made Up"})
        self.assertEqual(self.status, 1)

    def test_a_status(self):
        (line,) = self.lines("1e-2", STOP="1e-2")
        self.assertEqual((line["program"], line["failure"]), ("made_up", "ended with status 1: cannot do that"))

    def test_no_line_and_no_reason(self):
        (line,) = self.lines("1e-2", program="")
        self.assertEqual(line["failure"], "gave no result")

    def test_one_that_hangs(self):
        (line,) = self.lines("1e-2", 0.2, "import signal; signal.pause()")
        self.assertEqual(line["failure"], "no result within 0.2 s")

    def test_what_is_there_is_not_run_again(self):
        self.lines("1e-2,1e-3", CRASH="1e-3")
        lines = self.lines("1e-2,1e-3,1e-4")
        self.assertEqual([line["bound"] for line in lines], [1e-2, 1e-3, 1e-4])
        self.assertIn("failure", lines[1])


class Check(WithPoints):
    def test_error_and_psnr(self):
        decoded = self.points + np.array([[0.5, 0, 0, 0], [0, -1, 0, 0]], "<f4")
        largest, psnr = check.deviation(self.points, decoded)
        self.assertEqual(largest, 1)
        self.assertAlmostEqual(psnr, 20 * math.log10(10 / math.sqrt(1.25 / 8)))

    def test_order(self):
        order = np.array([2, 0, 3, 1])
        largest, psnr = check.deviation(self.points, self.points[:, order], order)
        self.assertEqual((largest, psnr), (0, math.inf))
        with self.assertRaises(ValueError):
            check.deviation(self.points, self.points[:, order], np.array([2, 0, 3, 3]))

    def test_not_a_number(self):
        decoded = self.points.copy()
        decoded[1, 2] = math.nan
        self.assertEqual(check.deviation(self.points, decoded)[0], math.inf)

    def test_no_assignment_is_better_than_sorted_coordinates(self):
        """Two blocks of two. Exchanged within a block and moved by 0.25, the error is still 0.25; across blocks it is not."""
        within = self.points[:, [1, 0, 3, 2]] + np.float32(0.25)
        across = self.points[:, [3, 1, 2, 0]]
        for decoded, largest in ((within, 0.25), (across, 9)):
            found, _ = check.deviation(check.sorted_in_blocks(self.points, 2), check.sorted_in_blocks(decoded, 2))
            self.assertEqual(found, largest)
        odd = check.sorted_in_blocks(self.points[:, :3], 2)
        self.assertEqual(odd.tolist(), [[0, 1, 2], [5, 5, 6]])

    def said(self, decoded, **line):
        with open(self.path("said.jsonl"), "w") as file:
            file.write(json.dumps({"program": "x", "bound": 0.1, "eb": 1.0} | line) + "\n")
        command = [sys.executable, os.path.join(EVALUATION, "check.py"), self.data, self.write("decoded.f32", decoded)]
        command += ["--bound", "0.1", "--results", self.path("said.jsonl")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_what_a_program_says_of_itself(self):
        decoded = self.points.copy()
        decoded[0, 0] += 0.5
        psnr = 20 * math.log10(10 / (0.5 / math.sqrt(8)))
        self.assertEqual(self.said(decoded, error_over_bound=0.5, psnr=psnr)[0], 0)
        status, text = self.said(decoded, error_over_bound=0.4, psnr=psnr)
        self.assertEqual(status, 1)
        self.assertIn("says 0.4", text)
        self.assertEqual(self.said(decoded, error_over_bound=0.5, psnr=psnr + 1)[0], 1)
        with open(self.path("decoded.f32.order"), "w") as file:
            np.array([3, 2, 1, 0], "<u4").tofile(file)
        self.assertEqual(self.said(decoded[:, ::-1], error_over_bound=0.5, psnr=psnr)[0], 0)
        os.remove(self.path("decoded.f32.order"))
        lost = {"order": "lost in blocks of 4"}
        self.assertEqual(self.said(decoded[:, ::-1], error_over_bound=0.6, psnr=psnr - 1, **lost)[0], 0)
        self.assertEqual(self.said(decoded[:, ::-1], error_over_bound=0.4, psnr=psnr - 1, **lost)[0], 1)
        status, text = self.said(decoded, error_over_bound=5, psnr=psnr - 20, eb=0.1)
        self.assertEqual(status, 1)
        self.assertIn("broken", text)


class Picture(WithPoints):
    def test_counts(self):
        decoded = self.points + np.array([[0, 0, 0, -8], [0, 0, 0, 0]], "<f4")
        out = self.path("picture.npz")
        command = [sys.executable, os.path.join(EVALUATION, "picture.py"), self.data, "--of", self.write("decoded.f32", decoded)]
        subprocess.run([*command, "--out", out, "--pixels", "10", "--centre", "0.2,0.5"], check=True)
        picture = np.load(out)
        self.assertEqual(picture["whole"].shape, (10, 2))
        self.assertEqual(np.argwhere(picture["whole"]).tolist(), [[0, 0], [1, 0], [2, 1]])
        self.assertEqual(picture["whole"].sum(), 4)
        self.assertEqual(picture["window"].tolist(), [[1.5, 2.5], [5.9, 6.1]])
        self.assertEqual(picture["zoom"].sum(), 1)

    def picture_of(self, points):
        with open(self.path("points.json"), "w") as file:
            json.dump({"particles": points.shape[1], "components": 3}, file)
        self.write("points.f32", points)
        command = [sys.executable, os.path.join(EVALUATION, "picture.py"), self.data, "--pixels", "10", "--out", self.path("p.npz")]
        subprocess.run(command, check=True)
        picture = np.load(self.path("p.npz"))
        return bool(picture["heights"]), {(int(x), int(y)): int(picture["whole"][x, y]) for x, y in np.argwhere(picture["whole"])}

    def test_a_layer_shows_mean_heights(self):
        """Looked at along y: x and z are the longest. Two at one place have the heights 0 and 1."""
        heights, pixels = self.picture_of(np.array([[0, 0, 4, 5], [0, 1, 1, 1], [0, 0, 9.5, 10]], "<f4"))
        self.assertTrue(heights)
        self.assertEqual(pixels, {(0, 0): 1 + 65534 // 2, (4, 9): 65535})

    def test_of_a_box_the_middle_is_seen(self):
        heights, pixels = self.picture_of(np.array([[0, 10, 5, 5], [0, 9, 4.5, 4.7], [0, 10, 2, 2]], "<f4"))
        self.assertFalse(heights)
        self.assertEqual(pixels, {(5, 2): 1})


class Peers(unittest.TestCase):
    def test_morton_codes_of_two_and_three_components(self):
        for components in (2, 3):
            q = np.random.default_rng(components).integers(-1000, 1000, (500, components)).astype(np.int32)
            low, codes, order = grid.morton_codes(q)
            self.assertTrue(np.all(codes[1:] >= codes[:-1]))
            self.assertTrue(np.array_equal(grid.in_order(grid.from_morton(low, codes), order), q))

    def test_fingerprint_knows_rows_but_not_their_order(self):
        rows = np.random.default_rng(1).random((100, 3)).astype(np.float32)
        other = rows.copy()
        other[:2, 0] = rows[1::-1, 0]  # the same numbers in each column
        self.assertEqual(gpz_package.fingerprint(rows), gpz_package.fingerprint(rows[::-1]))
        self.assertNotEqual(gpz_package.fingerprint(rows), gpz_package.fingerprint(other))


if __name__ == "__main__":
    unittest.main()
