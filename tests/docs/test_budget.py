# SPDX-License-Identifier: BSD-3-Clause
"""What a test may cost: the table in HACKING.md, and what slowest.py says of it."""

import sys
import unittest

from pages import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import slowest  # noqa: E402


class Budget(unittest.TestCase):
    def test_the_table_has_a_row_for_what_is_measured(self):
        allowed = slowest.budgets((ROOT / "HACKING.md").read_text())
        self.assertGreaterEqual(set(allowed), {"compile", "unit", "golden", "reference", "cli", "lammps", "python", "other"})
        for label, budget in allowed.items():
            self.assertLess(budget.recorded, budget.together, label)

    def test_what_takes_longer_is_named(self):
        allowed = slowest.budgets("| `unit` | 2 s | 1,010 s | 700 s |\n")
        self.assertEqual(slowest.over_budget({"unit": {"A.B": 1.9, "A.C": 2}}, allowed), [])
        self.assertEqual(len(slowest.over_budget({"unit": {"A.B": 2.1, "A.C": 1}}, allowed)), 1)
        self.assertEqual(len(slowest.over_budget({"unit": dict.fromkeys(map(str, range(1011)), 1)}, allowed)), 1)
        self.assertEqual(slowest.over_budget({"none": {"A.B": 1}}, allowed), ["none: has no row in HACKING.md"])


if __name__ == "__main__":
    unittest.main()
