# SPDX-License-Identifier: BSD-3-Clause
"""gpz encode: the bound of every column of positions, bounds of 0, and bounds as large as the box."""

import json
import random
import statistics

from cli_case import A_SET, NUMBERED, CliCase, dump_frame, parse_dump, random_rows

EDGE = 10  # of the box of dump_frame


class BoundCase(CliCase):
    def bounds(self, name="t.gpz"):
        return {c["name"]: c["bound"] for c in json.loads(self.gpz("info", name, "--json", out=None))["columns"]}

    def encode(self, *options, err="", name="in.dump"):
        self.gpz("encode", name, "-o", "t.gpz", *options, err=err)


class Positions(BoundCase):
    def test_every_form_has_the_bound_of_positions(self):
        rows = [(*row, *(x + EDGE for x in row[2:]), *(x / EDGE for x in row[2:])) for row in random_rows(300, 1)]
        self.write("in.dump", dump_frame(0, rows, "id type x y z xu yu zu xs ys zs"))
        self.encode("--eb", "0.001")
        bounds = self.bounds()
        for name in ("x", "y", "z", "xu", "yu", "zu"):
            self.assertEqual(bounds[name], 0.001)
        for name in ("xs", "ys", "zs"):
            self.assertEqual(bounds[name], 0.001 / EDGE)
        self.gpz("verify", "t.gpz", "--against", "in.dump", out=None)
        self.gpz("encode", "in.dump", "-o", "e.gpz", "--eb", "0.001", "--bound", "xu=1", code=2,
                 err="in.dump: --bound is for other columns; positions take --eb or --rel")
        self.gpz("encode", "t.gpz", "-o", "e.gpz", "--lossless", code=2, err=None)

    def test_one_coordinate_alone(self):
        self.write("in.dump", dump_frame(0, [(1, 1.23456789, 4), (2, 3, 5)], "id x q"))
        self.encode("--eb", "0.001")
        self.assertEqual(self.bounds(), {"id": 0, "x": 0.001, "q": 0})


class Exact(BoundCase):
    def setUp(self):
        super().setUp()
        self.write("in.dump", dump_frame(0, [(*row, row[2] / 3) for row in random_rows(50, 2)], "id type x y z q"))

    def test_zero_keeps_every_bit(self):
        self.encode("--lossless")
        lossless = self.read("t.gpz")
        for options in (["--eb", "0"], ["--eb", "0.0"], ["--rel", "0"], ["--lossless", "--bound", "q=0"]):
            self.encode(*options)
            self.assertEqual(self.read("t.gpz"), lossless)

    def test_zero_of_a_column(self):
        self.encode("--eb", "0.1", "--bound", "q=0")
        self.assertEqual(self.bounds()["q"], 0)
        decoded = parse_dump(self.gpz("decode", "t.gpz", "-o", "-", "--format", "lammps", "--sort", "id", out=None).decode())
        self.assertEqual([float(row[5]) for row in decoded[0][2]], [row[2] / 3 for row in sorted(random_rows(50, 2))])


class Large(BoundCase):
    """One line for each bound, with the bound and what it is compared with. The file is written."""

    def test_positions_and_columns(self):
        rows = [(*row, 3.0, -2.0) for row in random_rows(20, 3)]
        self.write("in.dump", dump_frame(0, rows, "id type x y z q vx") + dump_frame(1, rows, "id type x y z q vx"))
        half = "of the positions is at least half of the longest box edge, 10"
        for options, says in ((["--eb", "5"], f"the bound 5 {half}"), (["--eb", "100"], f"the bound 100 {half}"),
                              (["--eb", "1e300"], f"the bound 1e+300 {half}"), (["--rel", "0.5"], f"the bound 5 {half}"),
                              (["--eb", "1", "--bound", "q=3"],
                               "the bound 3 of q is at least its largest value in the first frame, 3")):
            self.encode(*options, err=f"in.dump: {says}")
        for options in (["--eb", "4.9"], ["--rel", "0.49"], ["--eb", "1", "--bound", "q=2.9"]):
            self.encode(*options)

    def test_without_a_box(self):
        self.write("in.xyz", "2\n\nC 1 2 3\nC 4 2 3\n")
        self.encode("--eb", "1.5", "--order", "place", name="in.xyz",
                    err="in.xyz: the bound 1.5 of the positions is at least half of their range in the first frame, 3\n"
                        f"gpz: in.xyz: {A_SET}")
        # A single particle has no range.
        self.write("in.xyz", "1\n\nC 1 2 3\n")
        self.encode("--eb", "100", "--order", "place", name="in.xyz", err=f"in.xyz: {A_SET}")


class Thermal(BoundCase):
    """Of velocities: a thousandth of the thermal speed of the species that is slowest, rounded down to two digits."""

    def write_gas(self, speeds=(2.0, 0.5), drift=100.0, species="type", names=(1, 2)):
        """In the column `species`, whose values are `names`; without one they cannot be told apart."""
        rng = random.Random(4)
        self.speeds = {}
        rows = []
        for i, row in enumerate(random_rows(4000, 3)):
            number, _, x, y, z = row
            kind = i % 2
            velocity = [drift + rng.gauss(0, speeds[kind]) for _ in range(3)]
            self.speeds.setdefault(kind, []).append(velocity)
            rows.append((number, *([names[kind]] if species else []), x, y, z, *velocity, 1.5))
        self.write("in.dump", dump_frame(0, rows, f"id {species} x y z vx vy vz q"))
        lines = [" ".join(map(str, (names[i % 2], *row[-7:-1]))) for i, row in enumerate(rows)]
        self.write("in.xyz", f"{len(rows)}\nProperties=species:S:1:pos:R:3:velo:R:3\n" + "\n".join(lines) + "\n")

    def thermal_speed(self, kind):
        columns = list(zip(*self.speeds[kind]))
        squares = sum(statistics.variance(column) for column in columns) / 3
        return squares**0.5

    def test_of_the_slowest_type_about_its_mean(self):
        self.write_gas()
        speed = self.thermal_speed(1)
        self.encode("--eb", "0.01", "--bound", "v*=thermal", err=None)
        bounds = self.bounds()
        bound = bounds["vx"]
        self.assertEqual((bounds["vy"], bounds["vz"], bounds["q"]), (bound, bound, 0))
        self.assertTrue(0.00091 * speed < bound <= 0.001 * speed, (bound, speed))
        self.assertEqual(float(f"{bound:.1e}"), bound)
        self.encode("--eb", "0.01", "--bound", "vx=thermal",
                    err=f"vx: bound {bound:g}, a thousandth of the thermal speed of the slowest species in the first frame, rounded down")
        self.gpz("verify", "t.gpz", "--against", "in.dump", out=None)

    def test_whatever_column_names_the_species(self):
        self.write_gas()
        self.encode("--eb", "0.01", "--bound", "v*=thermal", err=None)
        bound = self.bounds()["vx"]
        for species, names in (("element", ("O", "H")), ("mass", (1.008, 15.999)), ("typelabel", ("OW", "HW"))):
            self.write_gas(species=species, names=names)
            self.encode("--eb", "0.01", "--bound", "v*=thermal", err=None)
            self.assertEqual(self.bounds()["vx"], bound, species)
        self.encode("--eb", "0.01", "--bound", "v*=thermal", name="in.xyz",
                    err=f"vx vy vz: bound {bound:g}, a thousandth of the thermal speed of the slowest species in the first "
                        f"frame, rounded down\ngpz: in.xyz: {NUMBERED}")
        self.assertEqual(self.bounds()["vx"], bound)

    def test_a_star_for_any_bound(self):
        self.write_gas()
        self.encode("--eb", "0.01", "--bound", "v*=0.25", "--bound", "q=0.5")
        bounds = self.bounds()
        self.assertEqual([bounds[name] for name in ("vx", "vy", "vz", "q")], [0.25, 0.25, 0.25, 0.5])

    def test_refused(self):
        self.write_gas(species="")
        self.gpz("encode", "in.dump", "-o", "e.gpz", "--eb", "0.1", "--bound", "v*=thermal", code=2,
                 err="in.dump: --bound: a thermal bound needs to know which particles are of one species, and no column is "
                     "type, typelabel, element or mass; give one of them, or a number as the bound")
        self.write_gas(speeds=(0.0, 0.0), drift=0.1)  # 0.1: the mean is another number
        refused = {
            "v*=thermal": "in.dump: --bound: no two particles of one species (column type) differ in velocity, so there is no "
                          "thermal speed; give a number as the bound",
            "q=thermal": "in.dump: --bound q=thermal: a thermal bound is for vx, vy and vz, not for q; give a number",
            "w*=thermal": "in.dump: --bound w*: no such column takes a bound",
            "x*=thermal": "in.dump: --bound x*: no such column takes a bound",
            "vx=warm": "--bound vx=warm: a bound is a number above 0, or 0 to keep every bit",
        }
        for bound, says in refused.items():
            self.gpz("encode", "in.dump", "-o", "e.gpz", "--eb", "0.1", "--bound", bound, code=2, err=says)
