# SPDX-License-Identifier: BSD-3-Clause
"""gpz bench: what it measures on, what it reports, and that it leaves nothing behind. No test looks at a time."""

import array
import json
import os
import random
import subprocess

from cli_case import A_SET, NUMBERED, GPZ, CliCase

IN = ("in.f32", "--type", "f32")
QUICK = ("--runs", "3", "--warm-up", "1", "--copy-bytes", "1000000")
TIMED = ("warm", "allocating", "end_to_end")


def cloud(particles, components=3, seed=1, typecode="f"):
    """Values as a file has them, x y z of one particle after the other, in cells as a simulation leaves them."""
    source = random.Random(seed)
    return array.array(typecode, [10 * (i // 500) + source.uniform(0, 10) for i in range(particles)
                                  for _ in range(components)])


class BenchCase(CliCase):
    def bench(self, *arguments, device="cpu"):
        return json.loads(self.gpz("bench", "--device", device, *QUICK, *arguments, "--json", out=None))

    def row(self, *arguments):
        """The only row."""
        (row,) = self.bench(*arguments)["rows"]
        return row


class Report(BenchCase):
    def check_row(self, row, report):
        data = report["data"]
        self.assertTrue(row["verified"])
        self.assertEqual(row["verified_particles"], data["particles"])
        self.assertTrue(0 < row["largest_error"] <= row["bound"])
        self.assertEqual(row["largest_error"], row["largest_error_reported"])
        self.assertAlmostEqual(row["relative_bound"], row["bound"] / data["longest_edge"])
        self.assertAlmostEqual(row["ratio"], data["bytes"] / row["compressed_bytes"])
        self.assertAlmostEqual(row["bits_per_particle"], 8 * row["compressed_bytes"] / data["particles"])
        copied = report["machine"][row["device"]]["copy"]
        self.assertAlmostEqual(copied["read_and_written_gb_per_s"],
                               2 * copied["bytes"] / copied["timing"]["median_s"] / 1e9)
        limit = copied["read_and_written_gb_per_s"] * data["bytes"] / (data["bytes"] + row["compressed_bytes"])
        for direction in ("compress", "decompress"):
            speeds = row[direction]
            self.assertIsNone(speeds["first_s"])  # of a GPU only
            for counted in TIMED:
                timing = speeds[counted]
                self.assertEqual(timing["runs"], 3)
                order = [timing[k + "_s"] for k in ("fastest", "quartile_1", "median", "quartile_3", "slowest")]
                self.assertEqual(order, sorted(order))
                self.assertGreater(order[0], 0)
                self.assertAlmostEqual(timing["gb_per_s"], data["bytes"] / timing["median_s"] / 1e9)
            self.assertAlmostEqual(speeds["limit_gb_per_s"], limit)
            self.assertAlmostEqual(speeds["fraction_of_limit"], speeds["warm"]["gb_per_s"] / limit)

    def setUp(self):
        super().setUp()
        self.write("in.f32", cloud(3000).tobytes())

    def test_bounds(self):
        report = self.bench(*IN, "--eb", "0.1,0.01", "--rel", "1e-2,1e-4", "--threads", "2")
        data = report["data"]
        self.assertEqual((data["source"], data["particles"], data["components"], data["type"], data["layout"], data["bytes"]),
                         ("in.f32 (f32)", 3000, 3, "f32", "aos", 36000))
        edge = data["longest_edge"]
        self.assertEqual(edge, max(data["extents"]))
        self.assertEqual([row["bound"] for row in report["rows"]], [0.1, 0.01, 1e-2 * edge, 1e-4 * edge])
        for row in report["rows"]:
            self.check_row(row, report)
        self.assertEqual(report["options"]["--eb"], ["0.1", "0.01"])
        self.assertEqual(report["machine"]["cpu"]["threads"], 2)
        self.assertRegex(report["time"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertEqual(self.row(*IN)["relative_bound"], 1e-3)

    def test_psnr(self):
        # Rounding to a fine grid leaves errors that are uniform up to the bound: root mean square is bound / sqrt(3).
        self.write("many.f64", cloud(20000, typecode="d").tobytes())
        row = self.row("many.f64", "--type", "f64", "--rel", "1e-4")
        self.assertAlmostEqual(row["psnr_db"], 84.77, delta=0.1)

    def test_threads_do_not_change_the_bytes(self):
        one, three = (self.row(*IN, "--threads", threads)["compressed_bytes"] for threads in ("1", "3"))
        self.assertEqual(one, three)

    def test_table_and_json_have_the_same_numbers(self):
        arguments = ["--device", "cpu", *QUICK, *IN, "--eb", "0.5,0.25"]
        table = self.gpz("bench", *arguments, out=None).decode()
        rows = json.loads(self.gpz("bench", *arguments, "--json", out=None))["rows"]
        for head in ("size and error", "compress", "decompress"):
            part = table.split(f"\n{head}\n")[1].split("\n\n")[0].splitlines()
            self.assertEqual([line.split()[:2] for line in part[1:]], [["cpu", "0.5"], ["cpu", "0.25"]])
        self.assertIn(str(rows[0]["compressed_bytes"]), table)
        self.assertIn("all 3000 particles", table)
        self.assert_files("in.f32")

    def test_ids_and_types(self):
        self.write("many.f32", cloud(8000).tobytes())
        options = ("many.f32", "--type", "f32", "--eb", "0.01")
        plain = self.row(*options)
        ids = self.row(*options, "--with-ids")
        both = self.row(*options, "--with-ids", "--with-types")
        self.assertEqual([row["input_bytes"] for row in (plain, ids, both)], [96000, 128000, 160000])
        # Random order of 8,000 ids takes about log2(8000 / e) bits each, three types take two.
        self.assertTrue(11 < ids["bits_per_particle"] - plain["bits_per_particle"] < 14)
        self.assertAlmostEqual(both["bits_per_particle"] - ids["bits_per_particle"], 2, delta=0.2)
        self.assertTrue(ids["verified"] and both["verified"])


class Files(BenchCase):
    def setUp(self):
        super().setUp()
        self.values = cloud(3000)
        self.write("aos.f32", self.values.tobytes())
        self.write("aos.f64", array.array("d", self.values).tobytes())

    def test_raw(self):
        # What gpz encode makes of the same file.
        self.gpz("encode", "aos.f32", "-o", "t.gpz", "--raw", "f32", "--eb", "0.02", "--order", "place",
                 err=f"aos.f32: {A_SET}")
        info = json.loads(self.gpz("info", "t.gpz", "--json", out=None))
        row = self.row("aos.f32", "--type", "f32", "--eb", "0.02")
        self.assertEqual(row["largest_error"], max(column["largest_error"] for column in info["columns"]))
        self.assertTrue(info["bytes"] - 1000 < row["compressed_bytes"] < info["bytes"])

    def test_layouts_and_types(self):
        expected = self.row("aos.f32", "--type", "f32", "--eb", "0.02")["compressed_bytes"]
        for options in (("aos.f32", "--type", "f32", "--layout", "soa"), ("aos.f64", "--type", "f64", "--value", "f32")):
            row = self.row(*options, "--eb", "0.02")
            self.assertEqual((row["compressed_bytes"], row["input_bytes"], row["verified"]), (expected, 36000, True))
        self.assertEqual(self.row("aos.f64", "--type", "f64", "--eb", "0.02")["input_bytes"], 72000)

    def test_two_components(self):
        report = self.bench("aos.f32", "--type", "f32", "--components", "2", "--eb", "0.02")
        self.assertEqual((report["data"]["particles"], report["data"]["components"]), (4500, 2))
        self.assertTrue(report["rows"][0]["verified"])

    def test_gpz_file(self):
        self.gpz("encode", "aos.f32", "-o", "t.gpz", "--raw", "f32", "--lossless", "--order", "place", err=f"aos.f32: {A_SET}")
        raw = self.row("aos.f32", "--type", "f32", "--eb", "0.02")
        row = self.row("t.gpz", "--eb", "0.02")
        for key in ("compressed_bytes", "largest_error", "psnr_db"):
            self.assertEqual(row[key], raw[key])

    def test_frame(self):
        self.write("in.dump", "".join(
            f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 10\n0 20\n0 30\n"
            f"ITEM: ATOMS x y z\n0 0 0\n{step} 2 3\n" for step in (1, 7)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", err=f"in.dump: {NUMBERED}")
        data = self.bench("t.gpz", "--frame", "1", "--eb", "0.1")["data"]
        self.assertEqual((data["particles"], data["extents"], data["type"]), (2, [7, 2, 3], "f64"))
        self.gpz("bench", "t.gpz", "--frame", "2", code=1, err=None)

    def test_values_that_are_not_finite(self):
        self.values[300] = float("nan")
        self.values[301] = float("inf")
        self.write("odd.f32", self.values.tobytes())
        self.assertTrue(self.row("odd.f32", "--type", "f32", "--eb", "0.02")["verified"])

    def test_errors(self):
        self.write("short.f32", b"12345")
        self.write("empty.f32", b"")
        self.write("point.f32", bytes(24))
        for options, code, reason in (
                (["none.f32", "--type", "f32"], 3, "none.f32: No such file or directory"),
                (["aos.f32"], 2, "aos.f32: is no .gpz file; for a raw array give --type f32 or f64"),
                (["short.f32", "--type", "f32"], 4,
                 "short.f32: 5 bytes are no whole number of particles of 12 bytes"),
                (["empty.f32", "--type", "f32"], 2, "empty.f32: there are no particles to measure with"),
                (["point.f32", "--type", "f32"], 2, "point.f32: all particles are at one place")):
            self.gpz("bench", "--device", "cpu", *QUICK, *options, code=code, err=reason)
        self.assert_files("aos.f32", "aos.f64", "short.f32", "empty.f32", "point.f32")


class Trajectory(BenchCase):
    """All frames of a file, read."""

    def setUp(self):
        super().setUp()
        self.write("ids.dump", "".join(
            f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 10\n0 20\n0 30\n"
            f"ITEM: ATOMS id x y z\n3 0 0 {step}\n1 1 2 3\n2 4 5 6\n" for step in range(4)))
        # Effort fast: GPUs decode it, however small.
        self.gpz("encode", "ids.dump", "-o", "ids.gpz", "--eb", "0.01", "--effort", "fast")
        self.write("aos.f32", cloud(50).tobytes())
        self.gpz("encode", "aos.f32", "-o", "plain.gpz", "--raw", "f32", "--eb", "0.02", "--order", "place",
                 err=f"aos.f32: {A_SET}")

    def check(self, report, device, path, frames, particles, orders):
        read = report["trajectory"]
        self.assertEqual((read["file"], read["frames"], read["particles"]), (path, frames, particles))
        self.assertEqual(read["bytes"], os.path.getsize(self.path(path)))
        rows = [row for row in read["rows"] if row["device"] == device and row["from"] == "file"]
        self.assertEqual([row["order"] for row in rows], orders)
        for row in read["rows"]:
            self.assertTrue(row["verified"])
            self.assertEqual((row["frames"], row["particles"]), (frames, particles))
            self.assertAlmostEqual(row["particles_per_s"], particles / row["pass"]["median_s"], places=3)

    def test_cpu(self):
        self.check(self.bench("--trajectory", "ids.gpz"), "cpu", "ids.gpz", 4, 12, ["stored", "ids"])
        self.check(self.bench("--trajectory", "plain.gpz", "--threads", "2"), "cpu", "plain.gpz", 1, 50, ["stored"])

    def test_table(self):
        table = self.gpz("bench", "--device", "cpu", *QUICK, "--trajectory", "ids.gpz", out=None).decode()
        rows = table.split("\nread\n")[1].splitlines()[1:3]
        self.assertEqual([row.split()[:3] for row in rows], [["cpu", "file", "stored"], ["cpu", "file", "ids"]])

    def test_gpu(self):
        arguments = [GPZ, "bench", "--device", "gpu", *QUICK, "--trajectory", self.path("ids.gpz"), "--json"]
        result = subprocess.run(arguments, capture_output=True, check=False, text=True)
        if result.returncode == 2:
            self.assertRegex(result.stderr, r"\Agpz: --device gpu: ")
            self.skipTest("no GPU: " + result.stderr.strip())
        report = self.bench("--trajectory", "ids.gpz", device="all")
        self.check(report, "gpu", "ids.gpz", 4, 12, ["stored", "ids"])
        rows = [row for row in report["trajectory"]["rows"] if row["device"] == "gpu"]
        self.assertEqual([row["from"] for row in rows], ["device", "file"] * 2)
        for row in rows:
            self.assertEqual((row["frames_checked"], row["frames_decoded_on_cpu"]), (4, 0))

    def test_errors(self):
        self.write("broken.gpz", b"12345")
        self.write("ints.dump", "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"
                   "ITEM: ATOMS id type\n1 1\n")
        self.gpz("encode", "ints.dump", "-o", "ints.gpz", "--lossless")
        for options, code, reason in (
                (["none.gpz"], 3, "none.gpz: cannot open: No such file or directory"),
                (["ints.gpz"], 2, "ints.gpz: its first field is not of floats, as positions are"),
                (["ids.gpz", "plain.gpz"], 2, "--trajectory takes no other FILE"),
                (["broken.gpz"], 4, None)):
            self.gpz("bench", "--device", "cpu", *QUICK, "--trajectory", *options, code=code, err=reason)


class Usage(BenchCase):
    def test_options(self):
        self.write("in.f32", cloud(500).tobytes())
        for options, reason in (
                ([], "give a FILE, or --trajectory FILE"),
                ([*IN, "--eb", "-1"], "--eb -1: has to be a number above 0"),
                ([*IN, "--rel", "1e-3,nan"], "--rel nan: has to be a number above 0")):
            self.gpz("bench", *options, code=2, err=reason)
        for options in (["--runs", "0"], ["--device", "tpu"], ["--value", "f16"], ["--components", "4"]):
            self.gpz("bench", *IN, *options, code=2, err=None)
        self.assert_files("in.f32")


class Gpu(BenchCase):
    def test_gpu(self):
        self.write("in.f32", cloud(70001).tobytes())
        arguments = [GPZ, "bench", "--device", "gpu", *QUICK, self.path("in.f32"), "--type", "f32", "--json"]
        result = subprocess.run(arguments, capture_output=True, check=False, text=True)
        if result.returncode != 0:
            self.assertRegex(result.stderr,
                             r"\Agpz: --device gpu: (this gpz was built without CUDA|no GPU found: .+)\n\Z")
            self.assertEqual(result.returncode, 2)
            self.assertIn("no_gpu", self.bench(*IN, device="all")["machine"])
            self.skipTest("no GPU: " + result.stderr.strip())
        for options in (["--value", "f64"], ["--layout", "soa"], ["--with-ids", "--with-types"]):
            report = self.bench(*IN, "--rel", "1e-2,1e-5", *options, device="all")
            rows = [row for row in report["rows"] if row["device"] == "gpu"]
            self.assertEqual(len(rows), 2)
            for row in rows:
                self.assertTrue(row["verified"] and row["same_bytes_as_cpu"] and row["compress"]["transfers"])
            for direction in ("compress", "decompress"):
                self.assertGreater(rows[0][direction]["first_s"], 0)
                self.assertIsNone(rows[1][direction]["first_s"])
        self.gpz("bench", "--device", "gpu", "--gpu-index", "1000", *IN, code=2, err=None)
