# SPDX-License-Identifier: BSD-3-Clause
"""The golden files have all that docs/format.md names: a coding without a golden file fails here."""

import unittest

import occurrences
import decoders


class Coverage(unittest.TestCase):
    def test_everything_occurs(self):
        found = occurrences.of_files(sorted(decoders.FILES.glob("*.gpz")))
        missing = occurrences.expected() - found
        self.assertEqual(missing, set(), "\n".join(sorted(map(str, missing))))


if __name__ == "__main__":
    unittest.main()
