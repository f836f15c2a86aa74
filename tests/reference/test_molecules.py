# SPDX-License-Identifier: BSD-3-Clause
"""Sections of molecules: the library and the reference decoder must decode the same bits, and refuse the same sections."""

import pathlib
import shutil
import unittest

from gpz_reference import difference as gpz_difference
from gpz_reference import reader as gpz_ref
import molecules_by_chance
from library import HELPER, LibraryTest, each, listing, sample

GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "files"


@unittest.skipUnless(HELPER, "GPZ_LIBRARY_HELPER is not set")
class Molecules(LibraryTest):
    def check_damage(self, name, number, step):
        """Damage with its checksums mended: every few bytes of the section."""
        shutil.copy(GOLDEN / f"{name}.gpz", self.folder)
        chunk, file_with = self.opened(name, number)
        section = 40 + 8 * 2
        self.assertEqual(chunk[section], gpz_difference.MOLECULES)
        self.compare_refusals(chunk, file_with, range(section + 8, len(chunk), step))

    def test_new_molecules(self):
        self.check_damage("molecules_tilted", 1, 31)

    def test_molecules_that_are_known(self):
        self.check_damage("molecules_brick", 2, 29)

    def test_any_numbers(self):
        """Far from what an encoder writes: ways along axes, bends to any side, places that no box has."""
        files = {f"{seed}.gpz": molecules_by_chance.make(seed) for seed in sample(range(60), 4)}
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        for name, by_library in each(self.folder).items():
            with self.subTest(file=name):
                file = gpz_ref.read_bytes(files[name])
                self.assertEqual(file.damage, [])
                self.assertEqual(by_library, listing(file))


if __name__ == "__main__":
    unittest.main()
