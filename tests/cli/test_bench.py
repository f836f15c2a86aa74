# SPDX-License-Identifier: BSD-3-Clause
"""gpz bench: what it measures on, what it reports, and that it leaves nothing behind. No test looks at a time."""

import array
import json
import os
import random
import signal
import subprocess
import sys

from cli_case import A_SET, NUMBERED, GPZ, CliCase

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

    def test_every_generator(self):
        for kind, components in (("melt", 3), ("uniform", 3), ("clustered", 3), ("terrain", 3), ("orbits", 2)):
            report = self.bench("--generate", kind, "--particles", "3k", "--rel", "1e-2,1e-4", "--threads", "2")
            data = report["data"]
            self.assertEqual((data["particles"], data["components"], data["type"], data["layout"], data["bytes"]),
                             (3000, components, "f32", "aos", 3000 * components * 4))
            self.assertEqual(len(data["extents"]), components)
            self.assertEqual(data["longest_edge"], max(data["extents"]))
            self.assertTrue(data["source"].startswith(kind + " ("))
            self.assertEqual([row["relative_bound"] for row in report["rows"]], [1e-2, 1e-4])
            for row in report["rows"]:
                self.check_row(row, report)
        self.assertEqual(report["options"]["--particles"], ["3000"])
        self.assertEqual(report["machine"]["cpu"]["threads"], 2)
        self.assertRegex(report["time"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")

    def test_synthetic_is_said(self):
        self.assertIn("synthetic", self.bench("--generate", "melt", "--particles", "100")["data"]["source"])

    def test_psnr(self):
        # Rounding to a fine grid leaves errors that are uniform up to the bound: root mean square is bound / sqrt(3).
        row = self.row("--generate", "uniform", "--particles", "20000", "--value", "f64", "--rel", "1e-4")
        self.assertAlmostEqual(row["psnr_db"], 84.77, delta=0.1)

    def test_bounds_of_both_kinds(self):
        report = self.bench("--generate", "melt", "--particles", "2000", "--eb", "0.1,0.01", "--rel", "1e-3")
        edge = report["data"]["longest_edge"]
        self.assertEqual([row["bound"] for row in report["rows"]], [0.1, 0.01, 1e-3 * edge])
        (row,) = self.bench("--generate", "melt", "--particles", "2000")["rows"]
        self.assertEqual(row["relative_bound"], 1e-3)

    def test_seed(self):
        def size(*options):
            return self.row("--generate", "uniform", "--particles", "5000", *options)["compressed_bytes"]
        self.assertEqual(size("--threads", "1"), size("--threads", "3"))
        self.assertNotEqual(self.bench("--generate", "uniform", "--particles", "50")["data"]["extents"],
                            self.bench("--generate", "uniform", "--particles", "50", "--seed", "2")["data"]["extents"])

    def test_write(self):
        self.write("aos.f32", cloud(500).tobytes())
        self.gpz("bench", "--file", "aos.f32", "--type", "f32", "--write", "points.f32")
        written, given = array.array("f", self.read("points.f32")), array.array("f", self.read("aos.f32"))
        self.assertEqual([written[axis * 500:][:500] for axis in range(3)], [given[axis::3] for axis in range(3)])
        about = json.loads(self.text("points.json"))
        self.assertEqual((about["name"], about["particles"], about["components"]), ("points", 500, 3))
        self.assertIn("aos.f32", about["description"])
        self.gpz("bench", "--generate", "orbits", "--particles", "700", "--seed", "5", "--write", "orbits.f32")
        about = json.loads(self.text("orbits.json"))
        self.assertEqual((about["name"], about["particles"], about["components"], about["order"]),
                         ("orbits", 700, 2, "by semi-major axis"))
        self.assertIn("seed 5", about["description"])
        self.assertEqual(len(self.read("orbits.f32")), 700 * 2 * 4)
        self.assert_files("aos.f32", "points.f32", "points.json", "orbits.f32", "orbits.json")

    def test_write_errors(self):
        points = ("--generate", "uniform", "--particles", "10")
        self.gpz("bench", *points, "--write", "points.raw", code=2, err="points.raw: the name has to end in .f32")
        self.gpz("bench", *points, "--write", "none/points.f32", code=3, err="none/points.f32: No such file or directory")
        self.gpz("bench", "--trajectory", "t.gpz", "--write", "points.f32", code=2,
                 err="--trajectory has no points for --write")
        self.assert_files()

    def test_table_and_json_have_the_same_numbers(self):
        arguments = ["--device", "cpu", *QUICK, "--generate", "orbits", "--particles", "2000", "--eb", "0.5,0.25"]
        table = self.gpz("bench", *arguments, out=None).decode()
        rows = json.loads(self.gpz("bench", *arguments, "--json", out=None))["rows"]
        for head in ("size and error", "compress", "decompress"):
            part = table.split(f"\n{head}\n")[1].split("\n\n")[0].splitlines()
            self.assertEqual([line.split()[:2] for line in part[1:]], [["cpu", "0.5"], ["cpu", "0.25"]])
        self.assertIn(str(rows[0]["compressed_bytes"]), table)
        self.assertIn("all 2000 particles", table)
        self.assert_files()

    def test_ids_and_types(self):
        options = ("--generate", "melt", "--particles", "8000", "--eb", "0.01")
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
        self.write("soa.f32", b"".join(self.values[d::3].tobytes() for d in range(3)))
        self.write("aos.f64", array.array("d", self.values).tobytes())

    def test_raw(self):
        # What gpz encode makes of the same file.
        self.gpz("encode", "aos.f32", "-o", "t.gpz", "--raw", "f32", "--eb", "0.02", "--order", "place",
                 err=f"aos.f32: {A_SET}")
        info = json.loads(self.gpz("info", "t.gpz", "--json", out=None))
        row = self.row("--file", "aos.f32", "--type", "f32", "--eb", "0.02")
        self.assertEqual(row["largest_error"], max(column["largest_error"] for column in info["columns"]))
        self.assertTrue(info["bytes"] - 1000 < row["compressed_bytes"] < info["bytes"])

    def test_layouts_and_types(self):
        expected = self.row("--file", "aos.f32", "--type", "f32", "--eb", "0.02")["compressed_bytes"]
        for options in (("soa.f32", "--type", "f32", "--layout", "soa"),
                        ("soa.f32", "--type", "f32", "--file-layout", "soa"),
                        ("aos.f32", "--type", "f32", "--layout", "soa", "--file-layout", "aos"),
                        ("aos.f64", "--type", "f64", "--value", "f32")):
            row = self.row("--file", *options, "--eb", "0.02")
            self.assertEqual((row["compressed_bytes"], row["input_bytes"], row["verified"]), (expected, 36000, True))
        self.assertEqual(self.row("--file", "aos.f64", "--type", "f64", "--eb", "0.02")["input_bytes"], 72000)

    def test_two_components(self):
        report = self.bench("--file", "aos.f32", "--type", "f32", "--components", "2", "--eb", "0.02")
        self.assertEqual((report["data"]["particles"], report["data"]["components"]), (4500, 2))
        self.assertTrue(report["rows"][0]["verified"])

    def test_tiles(self):
        tiled = array.array("d")
        for tile in range(8):
            shift = (70 * (tile % 2), 80 * (tile // 2 % 2), 90 * (tile // 4))
            tiled.extend(value + shift[i % 3] for i, value in enumerate(self.values))
        self.write("tiled.f64", tiled.tobytes())
        expected = self.bench("--file", "tiled.f64", "--type", "f64", "--eb", "0.02")
        found = self.bench("--generate", "melt", "--file", "aos.f64", "--type", "f64", "--tile", "2x2x2", "--box",
                           "70,80,90", "--eb", "0.02")
        self.assertEqual(found["data"]["particles"], 24000)
        self.assertEqual(found["data"]["extents"], expected["data"]["extents"])
        self.assertEqual(found["rows"][0]["compressed_bytes"], expected["rows"][0]["compressed_bytes"])
        self.assertIn("tiled 2x2x2 at 70 80 90", found["data"]["source"])

    def test_gpz_file(self):
        self.gpz("encode", "aos.f32", "-o", "t.gpz", "--raw", "f32", "--lossless", "--order", "place", err=f"aos.f32: {A_SET}")
        raw = self.row("--file", "aos.f32", "--type", "f32", "--eb", "0.02")
        row = self.row("--file", "t.gpz", "--eb", "0.02")
        for key in ("compressed_bytes", "largest_error", "psnr_db"):
            self.assertEqual(row[key], raw[key])

    def test_frame_and_its_box(self):
        self.write("in.dump", "".join(
            f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 10\n0 20\n0 30\n"
            f"ITEM: ATOMS x y z\n0 0 0\n{step} 2 3\n" for step in (1, 7)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--lossless", err=f"in.dump: {NUMBERED}")
        data = self.bench("--file", "t.gpz", "--frame", "1", "--tile", "1x2x1", "--eb", "0.1")["data"]
        self.assertEqual((data["particles"], data["extents"], data["type"]), (4, [7, 22, 3], "f64"))
        self.gpz("bench", "--file", "t.gpz", "--frame", "2", code=1, err=None)

    def test_values_that_are_not_finite(self):
        self.values[300] = float("nan")
        self.values[301] = float("inf")
        self.write("odd.f32", self.values.tobytes())
        self.assertTrue(self.row("--file", "odd.f32", "--type", "f32", "--eb", "0.02")["verified"])

    def test_errors(self):
        self.write("short.f32", b"12345")
        self.write("empty.f32", b"")
        self.write("point.f32", bytes(24))
        for options, code, reason in (
                (["--file", "none.f32", "--type", "f32"], 3, "none.f32: No such file or directory"),
                (["--file", "aos.f32"], 2, "aos.f32: is no .gpz file; for a raw array give --type f32 or f64"),
                (["--file", "short.f32", "--type", "f32"], 4,
                 "short.f32: 5 bytes are no whole number of particles of 12 bytes"),
                (["--file", "empty.f32", "--type", "f32"], 2, "empty.f32: there are no particles to measure with"),
                (["--file", "point.f32", "--type", "f32"], 2, "point.f32: all particles are at one place"),
                (["--file", "aos.f32", "--type", "f32", "--tile", "2x1x1"], 2,
                 "aos.f32: --tile needs the edges of the box: --box LX,LY,LZ"),
                (["--file", "aos.f32", "--type", "f32", "--tile", "2x1x2", "--box", "1,1,1", "--components", "2"], 2,
                 "aos.f32: --tile: two components are not tiled along z")):
            self.gpz("bench", "--device", "cpu", *QUICK, *options, code=code, err=reason)
        self.assert_files("aos.f32", "aos.f64", "soa.f32", "short.f32", "empty.f32", "point.f32")


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
                (["ids.gpz", "--file", "plain.gpz"], 2, "--trajectory takes neither --file nor --generate"),
                (["broken.gpz"], 4, None)):
            self.gpz("bench", "--device", "cpu", *QUICK, "--trajectory", *options, code=code, err=reason)


class Usage(BenchCase):
    def test_options(self):
        for options, reason in (
                ([], "give --file F, --generate KIND or --trajectory F"),
                (["--generate", "terrain", "--file", "x"], "--generate terrain takes no --file"),
                (["--generate", "melt", "--tile", "2x2x2"], "--tile needs --file"),
                (["--generate", "melt", "--eb", "-1"], "--eb -1: has to be a number above 0"),
                (["--generate", "melt", "--rel", "1e-3,nan"], "--rel nan: has to be a number above 0"),
                (["--file", "x", "--box", "1,0,1"], "--box 0: has to be a number above 0"),
                (["--generate", "melt", "--particles", "0"], "there are no particles to measure with"),
                (["--generate", "melt", "--peer", "x"], "--peer x: expected NAME=COMMAND"),
                (["--generate", "melt", "--peer-decompress", "x=y"],
                 "--peer-decompress x=y: there is no --peer of that name")):
            self.gpz("bench", *options, code=2, err=reason)
        for tile in ("2", "2x2", "2x2x0", "2x2x2x2", "axbxc", "2x2x2 ", "-1x1x1", "2,2,2"):
            self.gpz("bench", "--file", "x", "--tile", tile, code=2,
                     err=f"--tile {tile}: expected KxLxM, e.g. 4x2x2")
        for options in (["--generate", "gas"], ["--generate", "melt", "--runs", "0"],
                        ["--generate", "melt", "--device", "tpu"], ["--generate", "melt", "--value", "f16"],
                        ["--generate", "melt", "--particles", "-5"], ["--generate", "melt", "--particles", "5q"],
                        ["--file", "x", "--components", "4"], ["--file", "x", "--box", "1,2"]):
            self.gpz("bench", *options, code=2, err=None)
        self.assert_files()


class Gpu(BenchCase):
    def test_gpu(self):
        arguments = [GPZ, "bench", "--device", "gpu", *QUICK, "--generate", "melt", "--particles", "5000", "--json"]
        result = subprocess.run(arguments, capture_output=True, check=False, text=True)
        if result.returncode != 0:
            self.assertRegex(result.stderr,
                             r"\Agpz: --device gpu: (this gpz was built without CUDA|no GPU found: .+)\n\Z")
            self.assertEqual(result.returncode, 2)
            self.assertIn("no_gpu", self.bench("--generate", "melt", "--particles", "500", device="all")["machine"])
            self.skipTest("no GPU: " + result.stderr.strip())
        for options in (["--value", "f64"], ["--layout", "soa"], ["--with-ids", "--with-types"]):
            report = self.bench("--generate", "terrain", "--particles", "70001", "--rel", "1e-2,1e-5", *options,
                                device="all")
            rows = [row for row in report["rows"] if row["device"] == "gpu"]
            self.assertEqual(len(rows), 2)
            for row in rows:
                self.assertTrue(row["verified"] and row["same_bytes_as_cpu"] and row["compress"]["transfers"])
            for direction in ("compress", "decompress"):
                self.assertGreater(rows[0][direction]["first_s"], 0)
                self.assertIsNone(rows[1][direction]["first_s"])
        self.gpz("bench", "--device", "gpu", "--gpu-index", "1000", "--generate", "melt", code=2, err=None)


class Peers(BenchCase):
    def setUp(self):
        super().setUp()
        self.values = cloud(2000)
        self.write("in.f32", self.values.tobytes())
        # What peers leave behind must not stay, and they use this folder.
        before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = self.folder
        self.addCleanup(lambda: os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before))

    def peers(self, *options):
        return self.bench("--file", "in.f32", "--type", "f32", *options)["peers"]

    def test_the_same_data(self):
        (row,) = self.peers("--eb", "0.5", "--peer", f"copy=cat {{in}} > {{out}}; cp {{in}} {self.path('kept')}",
                            "--peer-decompress", "copy=cp {out} {decoded}; echo done")
        self.assertEqual(self.read("kept"), self.values.tobytes())
        self.assertEqual((row["name"], row["bound"], row["input_bytes"], row["compressed_bytes"], row["ratio"]),
                         ("copy", 0.5, 24000, 24000, 1))
        self.assertEqual((row["largest_error_in_order"], row["psnr_db_in_order"], row["output"]), (0, None, "done\n"))
        for wall in ("compress_wall", "decompress_wall"):
            self.assertEqual(row[wall]["runs"], 3)
            self.assertAlmostEqual(row[wall]["gb_per_s"], 24000 / row[wall]["median_s"] / 1e9)
        self.assert_files("in.f32", "kept")

    def test_errors_of_a_peer(self):
        self.write("shift.py", "import array, sys\nvalues = array.array('f', open(sys.argv[1], 'rb').read())\n"
                   "values[123] += 32.0\nvalues.tofile(open(sys.argv[2], 'wb'))\n")
        (row,) = self.peers("--eb", "0.5", "--peer", "p=cp {in} {out}", "--peer-decompress",
                            f"p={sys.executable} shift.py {{out}} {{decoded}}")
        self.assertAlmostEqual(row["largest_error_in_order"], 32, delta=1e-4)
        self.assert_files("in.f32", "shift.py")

    def test_placeholders(self):
        rows = self.peers("--eb", "0.5,0.25", "--peer-runs", "1", "--peer",
                          "p=echo '{eb} {rel} {n} {values} {components} {type} {other}'", "--peer", "q=touch {out}")
        edge = self.bench("--file", "in.f32", "--type", "f32")["data"]["longest_edge"]
        self.assertEqual([row["name"] for row in rows], ["p", "q", "p", "q"])
        for row, bound in ((rows[0], 0.5), (rows[2], 0.25)):
            words = row["output"].split()
            self.assertEqual(words[0], str(bound))
            self.assertAlmostEqual(float(words[1]), bound / edge)
            self.assertEqual(words[2:], ["2000", "6000", "3", "f32", "{other}"])
            self.assertEqual((row["compressed_bytes"], row["ratio"], row["decompress_wall"]), (None, None, None))
            self.assertEqual(row["compress_wall"]["runs"], 1)
        self.assert_files("in.f32")

    def test_table(self):
        table = self.gpz("bench", "--device", "cpu", *QUICK, "--file", "in.f32", "--type", "f32", "--eb", "0.5",
                         "--peer", "my copy=cp {in} {out}", out=None).decode()
        self.assertRegex(table, r"wall clock(.|\n)*\n  my copy +0\.5 +24000 +1\.00 ")

    def test_failures(self):
        for command, reason in (("echo no licence >&2; exit 3", "peer p: ended with status 3: no licence"),
                                ("kill -SEGV $$", "peer p: ended by signal 11")):
            # The figures of the others are not lost.
            output = self.gpz("bench", "--device", "cpu", *QUICK, "--file", "in.f32", "--type", "f32", "--json",
                              "--peer", "p=" + command, "--peer", "q=cp {in} {out}", code=1, err=reason, out=None)
            report = json.loads(output)
            self.assertTrue(report["rows"][0]["verified"])
            self.assertEqual((report["peers"][0]["failure"], report["peers"][1]["ratio"]), (reason, 1))
        self.assert_files("in.f32")

    def test_ending_it_removes_everything(self):
        # The command says that it runs by opening the pipe; the signal then ends it and gpz.
        os.mkfifo(self.path("running"))
        with subprocess.Popen([GPZ, "bench", "--device", "cpu", *QUICK, "--file", "in.f32", "--type", "f32", "--json",
                               "--peer", "p=echo $$ > running; exec sleep 1000"], cwd=self.folder,
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            with open(self.path("running"), encoding="ascii") as pipe:
                command = int(pipe.read())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.stderr.read().decode(), "gpz: ended by signal 15\n")
            self.assertEqual(process.wait(), 1)
        self.assertRaises(ProcessLookupError, os.kill, command, 0)
        self.assert_files("in.f32", "running")
