# SPDX-License-Identifier: BSD-3-Clause
"""Tables and claims of evaluation/make_report.py."""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../evaluation"))
import equal_bits
import make_report
from report import claims, tables
from report.results import Results, row_of

PARTICLES = 1000


def line(program, bound=1e-3, data="melt", **changes):
    """A result of 12,000 bytes of input, 1 s both ways."""
    times = {"fresh": [3.0, 1.0, 1.0], "warm": []}
    made = {"program": program, "data": data, "bound": bound, "particles": PARTICLES, "components": 3, "bytes": 1200}
    made |= {"compress": times, "decompress": times, "error_over_bound": 0.9, "psnr": 60.0, "failure": None, "order": "kept"}
    return made | changes


def results(*lines):
    return Results([row_of(made) for made in lines])


def cells(lines):
    """The cells of the lines of a table, head and rule left out."""
    rows = [text for text in lines if text.startswith("|")][2:]
    return [[cell.strip() for cell in text.strip("|").split("|")] for text in rows]


class Reading(unittest.TestCase):
    def test_the_last_line_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.jsonl")
            with open(path, "w") as file:
                file.write(json.dumps(line("gpz", bytes=1)) + "\n" + json.dumps(line("gpz", bytes=600)) + "\n")
            (row,) = Results.read([path])
        self.assertEqual(row.ratio, 20)
        self.assertAlmostEqual(row.bits, 4.8)

    def test_speed_is_the_median_of_all_runs(self):
        (row,) = results(line("gpz"))
        self.assertEqual(row.speed("compress"), 12000)
        self.assertIsNone(row.speed("compress", "warm"))
        self.assertIsNone(row.speed("compress", "first"))

    def test_first_calls_have_a_table_of_their_own(self):
        found = results(line("gpz", compress={"first": [1e-6], "fresh": [5e-7]}, decompress={"first": [2e-6], "fresh": [5e-7]}))
        self.assertEqual(cells(make_report.all_tables(found)["first"]), [["melt", "1e-3", "**12.0** / **6.00**"]])

    def test_spread(self):
        (row,) = results(line("gpz"))
        self.assertEqual(row.spread("compress"), 2)
        self.assertIn("200%", cells(tables.programs(results(line("gpz"))))[0])

    def test_a_line_without_a_size_is_a_failure(self):
        (row,) = results({"program": "gpz", "data": "melt", "bound": 1e-3})
        self.assertFalse(row.kept)
        self.assertIsNotNone(row.failure)

    def test_two_sizes_are_two_sets(self):
        small = line("SZ3", particles=PARTICLES // 2, device="cpu")
        found = results(line("gpz"), small, line("gpz", data="copper"))
        self.assertEqual(found.data, ["melt", "melt, 0.0005 M", "copper"])
        self.assertEqual(found.at("SZ3", "melt, 0.0005 M", 1e-3).bits, 19.2)

    def test_one_program_has_one_name(self):
        found = results(line("cuszp", failure="x"), line("cuSZp", 1e-4))
        self.assertEqual(found.programs(), ["cuSZp"])

    def test_known_data_come_first(self):
        found = results(line("gpz", data="aa"), line("gpz", data="terrain"), line("gpz", data="copper"))
        self.assertEqual(found.data, ["copper", "terrain", "aa"])


class Tables(unittest.TestCase):
    def test_the_smallest_is_bold(self):
        found = results(line("cuSZp", bytes=2400), line("gpz", bytes=1200), line("PFPL", bytes=6000))
        self.assertEqual(cells(tables.ratios(found)), [["melt", "1e-3", "**10.0**", "5.00", "2.00"]])

    def test_one_that_breaks_its_bound_is_not_bold(self):
        found = results(line("cuSZp", bytes=600, error_over_bound=1.5), line("gpz"))
        lines = tables.ratios(found)
        self.assertEqual(cells(lines), [["melt", "1e-3", "**10.0**", "20.0 [1]"]])
        self.assertIn("Breaks the bound", lines[-1])

    def test_rounding_beyond_the_bound_is_compared_but_shown(self):
        found = results(line("cuSZp", bytes=600, error_over_bound=1.00002), line("gpz"))
        self.assertEqual(cells(tables.ratios(found)), [["melt", "1e-3", "10.0", "**20.0**"]])
        self.assertEqual(cells(tables.errors(found)), [["melt", "1e-3", "0.90000", "**1 + 2e-05**"]])

    def test_not_a_number_breaks_the_bound(self):
        (row,) = results(line("cuSZp", error_over_bound=float("nan")))
        self.assertFalse(row.kept)

    def test_errors_are_rounded_up(self):
        self.assertEqual(cells(tables.errors(results(line("gpz", error_over_bound=1.234561)))), [["melt", "1e-3", "**1.23457**"]])
        self.assertEqual(cells(tables.errors(results(line("gpz", error_over_bound=0.999991)))), [["melt", "1e-3", "1.00000"]])

    def test_a_failure_is_a_footnote_once(self):
        crash = {"failure": "ended by SIGSEGV"}
        found = results(line("gpz"), line("cuSZ", **crash, bytes=None), line("gpz", 1e-4), line("cuSZ", 1e-4, **crash, bytes=None))
        self.assertEqual([row[-1] for row in cells(tables.speeds(found))], ["none", "none"])
        lines = tables.ratios(found)
        self.assertEqual([row[-1] for row in cells(lines)], ["none [1]", "none [1]"])
        self.assertEqual([text.strip() for text in lines if text.startswith("[")], ["[1] ended by SIGSEGV"])

    def test_counts_and_colours_do_not_make_footnotes_of_their_own(self):
        found = results(
            line("a", failure="3000 values came back as NaN"),
            line("b", failure="17 values came back as NaN"),
            line("c", failure="18 values came back as NaN"),
            line("d", failure="failed at \x1b[31m[1mx.cu:250, 123456 outliers"),
        )
        lines = tables.ratios(found)
        self.assertEqual(cells(lines), [["melt", "1e-3", "(10.0) [1]", "(10.0) [2]", "(10.0) [2]", "(10.0) [3]"]])
        notes = ["[1] all values came back as NaN", "[2] some values came back as NaN", "[3] failed at x.cu:250, N outliers"]
        self.assertEqual([text.strip() for text in lines if text.startswith("[")], notes)

    def test_cpu_programs_have_tables_of_their_own(self):
        found = results(line("gpz"), line("SZ3", bytes=100, device="cpu"))
        self.assertEqual(cells(tables.ratios(found)), [["melt", "1e-3", "**10.0**"]])
        self.assertEqual(cells(tables.ratios(found, "cpu")), [["melt", "1e-3", "**120**"]])

    def test_speeds_in_gb_of_input(self):
        fast = {"fresh": [1e-6], "warm": [5e-7]}
        found = results(line("gpz", compress=fast), line("cuSZp"))
        self.assertEqual(cells(tables.speeds(found)), [["melt", "1e-3", "**12.0** / **0.0000120**", "0.0000120 / **0.0000120**"]])

    def test_programs_that_keep_no_memory_are_no_column_of_warm_speeds(self):
        warm = {"warm": [1e-6]}
        ours = [line("gpz", bound, compress=warm, decompress=warm) for bound in (1e-3, 1e-4)]
        found = results(*ours, line("cuSZ"), line("cuSZ", 1e-4, failure="x"))
        lines = tables.speeds(found, how="warm")
        self.assertEqual(lines[0], "|  | bound | gpz |")
        self.assertEqual(cells(lines), [["melt", "1e-3", "**12.0** / **12.0**"], ["", "1e-4", "**12.0** / **12.0**"]])

    def test_psnr_at_equal_bits_has_the_points_that_others_have(self):
        points = ((1e-2, 100, 40.0), (1e-3, 200, 60.0))
        found = results(
            *(line("gpz", bound, bytes=size, psnr=psnr) for bound, size, psnr in points),
            *(line("cuSZ", bound, bytes=size + 50, psnr=psnr) for bound, size, psnr in points),
            line("PFPL", bytes=9000),
        )
        lines = tables.equal_bits(found)
        self.assertEqual(lines[0], "|  | bound | ours | bits a particle | PSNR | cuSZ |")
        self.assertEqual(cells(lines), [["melt", "1e-3", "gpz", "1.60", "60.0", "50.0"]])

    def test_page(self):
        page = "a\n<!-- table ratios -->\nold\n<!-- end -->\nb\n<!-- table other -->\nkept\n<!-- end -->\n"
        filled = make_report.fill(page, {"ratios": ["| new |"]})
        self.assertNotIn("old", filled)
        self.assertIn("| new |", filled)
        self.assertIn("kept", filled)
        self.assertEqual(make_report.fill(filled, {"ratios": ["| new |"]}), filled)


class Claims(unittest.TestCase):
    def test_smallest(self):
        found = results(line("gpz"), line("cuSZ", bytes=1000), line("gpz", 1e-4), line("cuSZ", 1e-4, bytes=1300))
        verdict = claims.is_smallest(found)
        self.assertEqual((verdict.held, verdict.tested), (1, 2))
        self.assertIn("0.001: cuSZ", verdict.misses[0])

    def test_faster_by_no_more_than_the_ratio_is_better(self):
        for seconds, held in ((0.6, 2), (0.4, 0)):
            times = {"fresh": [seconds]}
            found = results(line("gpz"), line("cuSZp", bytes=2400, compress=times, decompress=times))
            self.assertEqual(claims.is_fast(found).held, held, seconds)

    def test_fastest_whatever_the_ratio(self):
        for seconds, held in ((0.6, 2), (0.4, 0)):
            times = {"fresh": [seconds]}
            # Larger by far: that does not help the slower one.
            found = results(line("gpz", compress={"fresh": [0.5]}, decompress={"fresh": [0.5]}), line("cuSZp", bytes=9600, compress=times, decompress=times))
            self.assertEqual(claims.is_fastest(found).held, held, seconds)

    def test_speed_of_few_particles_stands_by_itself(self):
        slow = {"fresh": [9.0], "warm": []}
        few = {"data": "autzen", "particles": 999_999}
        many = {"data": "melt", "particles": 10**6}
        found = results(
            *(line("gpz", **size, compress=slow, bytes=1000) for size in (few, many)),
            *(line("cuSZp", **size) for size in (few, many)),
        )
        said = tables.verdicts(found)
        score = {claim: held for claim, held in cells(said) if claim.startswith("Fastest with allocations, or")}
        self.assertEqual(list(score.values()), ["1 of 2", "1 of 2"])
        missed = tables.misses(found)
        large, small = (missed.index(f"{claim}: not in") for claim in score)
        self.assertIn("melt", missed[large + 2])
        self.assertIn("autzen", missed[small + 2])
        # Without such sets there is no such row, and no row is lost.
        score = [claim for claim, _ in cells(tables.verdicts(results(line("gpz", **few), line("cuSZp", **few))))]
        self.assertEqual(sum("Fastest with allocations, or" in claim for claim in score), 1)
        self.assertTrue(any("smaller sets" in claim for claim in score))

    def test_one_that_breaks_its_bound_wins_nothing(self):
        found = results(line("gpz"), line("cuSZp", bytes=10, error_over_bound=2, compress={"fresh": [1e-3]}))
        self.assertEqual((claims.is_smallest(found).misses, claims.is_fast(found).misses), ([], []))

    def test_between_two_points(self):
        curve = [(2.0, 40.0), (4.0, 60.0)]
        self.assertEqual(claims.at_bits(curve, 3.0), 50.0)
        self.assertEqual(claims.at_bits(curve, 4.0), 60.0)
        self.assertIsNone(claims.at_bits(curve, 1.9))
        self.assertIsNone(claims.at_bits(curve, 4.1))
        self.assertEqual(claims.at_bits([(2.0, 40.0)], 2.0), 40.0)

    @staticmethod
    def curves(**points):
        return results(
            *[
                line(program.replace("_", " "), 1 / 10**i, bytes=bits * PARTICLES / 8, psnr=psnr)
                for program, curve in points.items()
                for i, (bits, psnr) in enumerate(curve, 1)
            ]
        )

    def test_above_between_our_points(self):
        """Theirs has a point between two of ours, above the line."""
        found = self.curves(gpz=[(2, 40), (6, 80)], cuSZ=[(3, 45), (4, 65), (5, 66)])
        (lead,) = claims.leads(found, "melt")
        self.assertEqual(lead.program, "cuSZ")
        self.assertAlmostEqual(lead.largest, 5)
        self.assertAlmostEqual(lead.bits, 4)
        self.assertEqual(len(claims.is_above(found).misses), 1)

    def test_below(self):
        found = self.curves(gpz=[(2, 40), (6, 80)], cuSZ=[(3, 45), (5, 66)])
        (lead,) = claims.leads(found, "melt")
        self.assertAlmostEqual(lead.largest, -4)
        self.assertEqual(claims.is_above(found).misses, [])

    def test_bound_of_equal_bits(self):
        ours = self.curves(gpz=[(2, 40), (4, 60)])
        for points, bound in (([(1, 30), (4, 50), (9, 70)], 0.01), ([(5, 30), (8, 50)], 0.1)):
            self.assertEqual(equal_bits.of_equal_bits(self.curves(cuSZ=points), ours, 0.01).bound, bound)
        self.assertIsNone(equal_bits.of_equal_bits(results(line("cuSZ", failure="x")), ours, 0.01))

    def test_no_bits_in_common(self):
        self.assertEqual(claims.leads(self.curves(gpz=[(2, 40), (3, 50)], cuSZ=[(4, 90), (5, 95)]), "melt"), [])

    def test_where_the_better_of_ours_has_ended(self):
        """The other one of ours is no measure there: a finer bound of the better one would be."""
        found = self.curves(gpz=[(2, 40), (4, 60)], gpz_memory=[(3, 40), (5, 60)], cuSZ=[(3, 30), (4.5, 59)])
        (lead,) = claims.leads(found, "melt")
        self.assertLess(lead.largest, 0)


if __name__ == "__main__":
    unittest.main()
