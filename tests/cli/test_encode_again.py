# SPDX-License-Identifier: BSD-3-Clause
"""gpz encode of .gpz files: bounds against the original values, other orders and key intervals."""

import json
import random
import struct

from cli_case import A_SET, NUMBERED, MOVING_COLUMNS, CliCase, dump_frame, moving_rows, parse_dump, record_offsets

FRAMES = 7
BOUND = 0.001


def single(value):
    """The float32 next to a number or its text."""
    return struct.unpack("<f", struct.pack("<f", float(value)))[0]


class EncodeAgain(CliCase):
    def setUp(self):
        super().setUp()
        self.rows = moving_rows(FRAMES, 400, 8)
        source = random.Random(1)
        self.charges = [[source.gauss(0, 1) for _ in rows] for rows in self.rows]
        self.write("in.dump", "".join(
            dump_frame(10 * k, [(*row, q) for row, q in zip(rows, self.charges[k])], MOVING_COLUMNS + " q")
            for k, rows in enumerate(self.rows)))
        self.gpz("encode", "in.dump", "-o", "t.gpz", "--eb", str(BOUND), "--bound", "q=0.01", "--key", "3", "--units", "metal",
                 "--elements", "C,H,O")

    def info(self, name):
        return json.loads(self.gpz("info", name, "--json", out=None))

    def column(self, name, column):
        return next(found for found in self.info(name)["columns"] if found["name"] == column)

    def decoded(self, name):
        return parse_dump(self.gpz("decode", name, "-o", "-", "--format", "lammps", "--exact", "--sort", "id", out=None).decode())

    def check_against_the_original(self, name, bounds):
        """Every value is within the bound that the new file has, and its largest error is none too small."""
        for k, (_, columns, rows) in enumerate(self.decoded(name)):
            true = {row[0]: (*row, q) for row, q in zip(self.rows[k], self.charges[k])}
            self.assertEqual(len(rows), len(true))
            for column in ("x", "y", "z", "q"):
                place = columns.index(column)
                bound = bounds["q" if column == "q" else "x"]
                original = [true[int(row[0])][place] for row in rows]
                self.assert_within([row[place] for row in rows], original, bound)
                self.assert_within([row[place] for row in rows], original, self.column(name, column)["largest_error"])
        for column, bound in bounds.items():
            self.assertEqual(self.column(name, column)["bound"], bound)

    def test_nothing_asked_for(self):
        """Same values, bounds, errors and metadata; other bytes where the key interval is another."""
        self.gpz("encode", "t.gpz", "-o", "e.gpz")
        self.assertEqual(self.decoded("e.gpz"), self.decoded("t.gpz"))
        before, after = self.info("t.gpz"), self.info("e.gpz")
        self.assertEqual(after["key_frames"]["count"], 1)
        for column in before["columns"] + after["columns"]:
            column.pop("bytes")
        for key in ("columns", "units", "elements", "timesteps", "time", "box", "particles", "generator"):
            self.assertEqual(after[key], before[key], key)

    def test_key_interval_and_order(self):
        for key, order in (("1", "place"), ("2", "id"), ("100", "place")):
            self.gpz("encode", "t.gpz", "-o", "e.gpz", "--key", key, "--order", order)
            self.assertEqual(self.decoded("e.gpz"), self.decoded("t.gpz"))
            self.assertEqual(self.info("e.gpz")["key_frames"]["count"], -(-FRAMES // int(key)))

    def test_larger_bounds(self):
        sizes = []
        for bound in (0.0021, 0.003, 0.0049, 0.01, 0.5):
            self.gpz("encode", "t.gpz", "-o", "e.gpz", "--eb", str(bound))
            self.check_against_the_original("e.gpz", {"x": bound, "q": 0.01})
            sizes.append(len(self.read("e.gpz")))
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertLess(sizes[-1], sizes[0])
        self.gpz("encode", "t.gpz", "-o", "e.gpz", "--bound", "q=0.1", "--eb", "0.02")
        self.check_against_the_original("e.gpz", {"x": 0.02, "q": 0.1})

    def test_once_more(self):
        """The bounds of three generations are those of the last one."""
        self.gpz("encode", "t.gpz", "-o", "e.gpz", "--eb", "0.004")
        self.gpz("encode", "e.gpz", "-o", "f.gpz", "--eb", "0.02")
        self.check_against_the_original("f.gpz", {"x": 0.02, "q": 0.01})

    def test_bounds_with_little_room(self):
        self.gpz("encode", "t.gpz", "-o", "e.gpz", "--eb", "0.0015",
                 err="t.gpz: x y z keep the bound 0.001: with 0.0015, the file would not be smaller")
        self.assertEqual(self.decoded("e.gpz"), self.decoded("t.gpz"))
        self.gpz("encode", "t.gpz", "-o", "e.gpz", "--eb", "0.001")
        self.assertEqual(self.decoded("e.gpz"), self.decoded("t.gpz"))

    def test_smaller_bounds(self):
        for options, reason in ((["--eb", "0.0005"], "x y z are within 0.001 of the original: a bound of 0.0005 cannot be kept"),
                                (["--bound", "q=0.001"], "q is within 0.01 of the original: a bound of 0.001 cannot be kept"),
                                (["--lossless"], "--lossless: x y z are within 0.001 of the original, whose bits are not here; "
                                                 "without --lossless all values are kept as they are"),
                                (["--bound", "x=1"], "--bound is for other columns; positions take --eb or --rel"),
                                (["--bound", "id=1"], "--bound: column id holds integers, which are lossless")):
            self.gpz("encode", "t.gpz", "-o", "e.gpz", *options, code=2, err=f"t.gpz: {reason}")
        self.assert_files("in.dump", "t.gpz")

    def test_lossless_files(self):
        self.gpz("encode", "in.dump", "-o", "l.gpz", "--lossless")
        self.gpz("encode", "l.gpz", "-o", "e.gpz", "--lossless", "--order", "place")
        self.assertEqual(self.decoded("e.gpz"), self.decoded("l.gpz"))
        self.gpz("encode", "l.gpz", "-o", "e.gpz", "--eb", "0.25", "--bound", "q=0.5")
        self.check_against_the_original("e.gpz", {"x": 0.25, "q": 0.5})

    def test_large_values(self):
        """So large that the rounding of the arithmetic counts: the sum of both errors stays within the bound."""
        source = random.Random(3)
        values = [source.uniform(2**40, 2**41) for _ in range(2000)]
        self.write("v.dump", dump_frame(0, [(i + 1, x, 0, 0) for i, x in enumerate(values)], "id x y z"))
        self.gpz("encode", "v.dump", "-o", "v.gpz", "--eb", "0.001")
        for bound in ("0.0045", "0.01"):
            self.gpz("encode", "v.gpz", "-o", "e.gpz", "--eb", bound)
            self.assertEqual(self.column("e.gpz", "x")["bound"], float(bound))
            self.assert_within([row[1] for row in self.decoded("e.gpz")[0][2]], values, bound)

    def test_single_precision(self):
        source = random.Random(4)
        for high, bound in ((10, "0.01"), (10, "0.0025"), (1000, "0.0025"), (20000, "0.0045")):
            values = [single(source.uniform(0, high)) for _ in range(3000)]
            self.write("in.raw", struct.pack("<3000f", *values))
            self.gpz("encode", "in.raw", "-o", "r.gpz", "--raw", "f32", "--eb", "0.001",
                     err=f"in.raw: {NUMBERED}")
            for name, options, limit in (("e.gpz", [], "0.001"), ("f.gpz", ["--eb", bound], bound)):
                self.gpz("encode", "r.gpz", "-o", name, *options, err=None if self.keeps(high, options) else "")
                column = self.column(name, "x")
                self.assertEqual(column["type"], "f32")
                self.assertLessEqual(column["bound"], float(limit))
                # The order of particles is lost without ids: sorted, values are no further from each other.
                rows = self.decoded_without_ids(name)
                for axis in range(3):
                    self.assert_within(sorted(single(row[axis]) for row in rows), sorted(values[axis::3]), limit)

    @staticmethod
    def keeps(high, options):
        """Whether float32 values of that size leave no room between the bounds."""
        return bool(options) and high == 20000

    def decoded_without_ids(self, name):
        out = self.gpz("decode", name, "-o", "-", "--format", "lammps", "--exact", out=None)
        return parse_dump(out.decode())[0][2]

    def test_scaled_positions(self):
        """The bound is a distance: that of the fractions is the same part of it in every box."""
        frames = []
        for k, edge in enumerate((10, 12, 15)):
            box = "ITEM: BOX BOUNDS pp pp pp\n" + 3 * f"0 {edge}\n"
            frames.append(dump_frame(k, [(row[0], *(x / 10 for x in row[2:5])) for row in self.rows[k]], "id xs ys zs", box))
        self.write("s.dump", "".join(frames))
        self.gpz("encode", "s.dump", "-o", "s.gpz", "--eb", "0.01")
        self.gpz("encode", "s.gpz", "-o", "e.gpz", "--eb", "0.05")
        for k, (_, _, rows) in enumerate(self.decoded("e.gpz")):
            true = {row[0]: row for row in self.rows[k]}
            for axis in range(3):
                self.assert_within([row[1 + axis] for row in rows], [true[int(row[0])][2 + axis] / 10 for row in rows],
                                   0.05 / (10, 12, 15)[k])

    def test_relative_bounds(self):
        self.gpz("encode", "t.gpz", "-o", "e.gpz", "--rel", "0.001")  # of an edge of 10
        self.check_against_the_original("e.gpz", {"x": 0.01, "q": 0.01})

    def test_names(self):
        self.gpz("encode", "t.gpz", "-o", "e.gpz", "--elements", "Si,N,F", "--units", "real")
        self.assertEqual((self.info("e.gpz")["elements"], self.info("e.gpz")["units"]), (["Si", "N", "F"], "real"))

    def test_pipes(self):
        self.gpz("encode", "t.gpz", "-o", "e.gpz", "--eb", "0.01")
        out = self.gpz("encode", "-", "-o", "-", "--eb", "0.01", "--format", "gpz", stdin=self.read("t.gpz"), out=None)
        self.assertEqual(out, self.read("e.gpz"))
        self.gpz("encode", "-", "-o", "f.gpz", "--eb", "0.01", stdin=self.read("t.gpz"), code=2,
                 err="standard input: a .gpz file in a pipe: give --format gpz")

    def test_rows_in_the_order_of_memory(self):
        """Lines of a scan without ids: every way of encoding them again keeps their rows, but a set that is asked for."""
        rows = [(9 * abs(i % 200 - 100) / 100, 0.001 * i + i // 1000, 3, i % 3) for i in range(3000)]
        self.write("m.dump", dump_frame(0, rows, columns="x y z q"))
        self.gpz("encode", "m.dump", "-o", "m.gpz", "--eb", "0.001", "--order", "memory")

        def check(name, given, bound):
            decoded = parse_dump(self.gpz("decode", name, "-o", "-", "--format", "lammps", out=None).decode())[0]
            self.assertEqual(decoded[1], ["x", "y", "z", "q"])
            for axis in range(4):
                self.assert_within([row[axis] for row in decoded[2]], [row[axis] for row in given], bound)

        for options, bound in (([], "0.001"), (["--order", "id", "--effort", "dense"], "0.001"), (["--eb", "0.5"], "0.5"),
                               (["--eb", "0.01", "--key", "1"], "0.01")):
            self.gpz("encode", "m.gpz", "-o", "e.gpz", *options)
            check("e.gpz", rows, bound)
        self.gpz("select", "m.gpz", "-o", "s.gpz", "--region", ":,1.5:3.5,:", out=None)
        check("s.gpz", rows[1000:2000], "0.001")
        self.gpz("encode", "m.gpz", "-o", "e.gpz", "--order", "place", err=f"m.gpz: {A_SET}")

    def test_damage(self):
        """As of other inputs, the complete frames before stay."""
        content = bytearray(self.read("t.gpz"))
        offsets = record_offsets(content)
        self.write("d.gpz", bytes(content[:offsets[4] + 99]))
        for name, stdin in (("d.gpz", b""), ("-", self.read("d.gpz"))):
            shown = "standard input" if name == "-" else name
            self.gpz("encode", name, "-o", "e.gpz", "--format", "gpz", code=5, stdin=stdin,
                     err=f"{shown}: truncated after frame 3 (4 complete); the last whole frame is frame 3"
                         f"{'' if name == '-' else f', which ends at byte {offsets[4]}'}; 4 complete frames written")
            self.assertEqual(self.decoded("e.gpz"), self.decoded("t.gpz")[:4])
        content[offsets[4 + 1] - 48] ^= 0x40
        self.write("d.gpz", bytes(content))
        self.gpz("encode", "d.gpz", "-o", "e.gpz", code=4, err=None)
        self.assertEqual(self.decoded("e.gpz"), self.decoded("t.gpz")[:4])


if __name__ == "__main__":
    import unittest
    unittest.main()
