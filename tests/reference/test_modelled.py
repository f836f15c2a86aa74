# SPDX-License-Identifier: BSD-3-Clause
"""Modelled sections: the library and the reference decoder must decode the same bits."""

import contextlib
import struct
import unittest
from unittest import mock

from gpz_reference import difference as gpz_difference
from gpz_reference import modelled as gpz_modelled
from gpz_reference.modelled import LATTICE, LATTICE_NEIGHBOURS, PAIR_FORCES, SLOTS, SPACE, TEMPORAL
from library import HELPER, LibraryTest, helper


@contextlib.contextmanager
def noting_models(found):
    """Adds to a set what modelled sections that are decoded meanwhile make use of."""
    start = gpz_modelled.Pass.__init__

    def note_start(self, cursor, history, t, axes, models):
        model, flags, levels = cursor.data[cursor.offset : cursor.offset + 3]
        start(self, cursor, history, t, axes, models)
        found.add(("model", model))
        found.update(("flag", flag) for flag in (SLOTS, SPACE, LATTICE_NEIGHBOURS) if flags & flag)
        found.add(("components", len(axes)))
        found.update(["levels"] if levels > 1 else [])
        found.update(["margin"] if any(self.margins) else [])
        found.update(["exceptions"] if self.exceptions else [])
        found.update(["other image"] if any(axis.periodic for axis in axes) else ["open"])
        found.update(["several levels of slots"] if len(self.weights) > 1 else [])
        found.update(["not positions"] if not history.field.leading else [])

    with mock.patch.object(gpz_modelled.Pass, "__init__", note_start):
        yield


@unittest.skipUnless(HELPER, "GPZ_LIBRARY_HELPER is not set")
class Modelled(LibraryTest):
    def test_files_of_the_library(self):
        found = set()
        with noting_models(found):
            self.compare_folder("modelled", ("backward", "fields", "stream"), every=2)
        expected = {("model", model) for model in (TEMPORAL, LATTICE, PAIR_FORCES)}
        expected |= {("flag", flag) for flag in (SLOTS, SPACE, LATTICE_NEIGHBOURS)} | {("components", d) for d in (2, 3)}
        expected |= {"levels", "margin", "exceptions", "other image", "open", "not positions"}
        self.assertEqual(expected - found, set())

    def test_both_refuse_the_same(self):
        """Damage with its checksums mended."""
        self.assertEqual(helper("modelled", self.folder).returncode, 0)
        chunk, file_with = self.opened(self.folder / "f64-waters.gpz", 1)
        lengths = struct.unpack_from("<3Q", chunk, 40)
        section = 40 + 8 * 3 + lengths[0] + lengths[1]  # of the velocities
        self.assertEqual(chunk[section], gpz_difference.MODELLED)
        head = section + 8 + 16 * 3 + 8
        self.compare_refusals(chunk, file_with, [*range(section, head + 60, 2), *range(head + 60, len(chunk), 101)])


if __name__ == "__main__":
    unittest.main()
