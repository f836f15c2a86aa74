# SPDX-License-Identifier: BSD-3-Clause
"""What docs/format.md says is refused is refused by the reference decoder, and by the library: a file for each rule."""

import pathlib
import tempfile
import unittest

import decoders  # noqa: F401  makes the reference decoder known
import violations_blocks
import violations_classed
import violations_container
import violations_few_values
import violations_steps
import violations_tables
import violations_trajectories

from gpz_reference import reader as gpz_ref
from gpz_reference.codec import BadFile
from library import each, helper, listing

ROOMS = (
    violations_container,
    violations_blocks,
    violations_trajectories,
    violations_few_values,
    violations_classed,
    violations_steps,
    violations_tables,
)
FAMILIES = [family for room in ROOMS for family in room.FAMILIES]
INCOMPLETE = violations_container.INCOMPLETE
LEFT_THE_FORMAT = (
    ("molecules", "a section of coding 9", "3e11c2d5"),
    ("steps", "the first form of steps", "3e11c2d5"),
    ("second_steps", "the second form of steps", "5723a4f0"),
    ("order", "a section of coding 5", "5723a4f0"),
    ("segments", "the order of ids in segments", "450b42d0"),
)  # file, what it has, the last commit that reads it


def complaints(content):
    """Of the reference decoder."""
    try:
        return " ".join(gpz_ref.read_bytes(content).damage)
    except BadFile as error:
        return str(error)


class Refused(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def by_library(self, contents):
        """The lines of the library helper for each of these files."""
        for number, content in enumerate(contents):
            (self.folder / f"{number}.gpz").write_bytes(content)
        found = each(self.folder)
        return [found[f"{number}.gpz"] for number in range(len(contents))]

    def test_sound_files_are_read(self):
        contents = [family() for family, _ in FAMILIES]
        for (family, _), content, lines in zip(FAMILIES, contents, self.by_library(contents), strict=True):
            with self.subTest(family=family.__name__):
                self.assertEqual(complaints(content), "")
                self.assertEqual(lines, listing(gpz_ref.read_bytes(content)))

    def test_reference_decoder(self):
        for family, changes in FAMILIES:
            for change, cause in changes:
                with self.subTest(family=family.__name__, change=change):
                    self.assertRegex(complaints(family(**change)) or "nothing", cause)

    def test_library(self):
        cases = [(family, change) for family, changes in FAMILIES for change, _ in changes]
        contents = [family(**change) for family, change in cases]
        for (family, change), lines in zip(cases, self.by_library(contents), strict=True):
            with self.subTest(family=family.__name__, change=change):
                self.assertRegex((lines or ["nothing"])[-1], "^(refused|damaged)")

    def test_library_from_a_pipe(self):
        path = self.folder / "file.gpz"
        for family, changes in FAMILIES:
            if (family, changes) in violations_tables.FAMILIES:
                continue  # a pipe gives records as they are
            for change, _ in changes:
                if "index" in change:
                    continue  # a pipe has no use for it
                with self.subTest(family=family.__name__, change=change):
                    path.write_bytes(family(**change))
                    self.assertEqual(helper("digest", path, "stream").returncode, 1)

    def test_frames_stay(self):
        """Whatever is wrong with tables and observables."""
        cases = [(family, change) for family, changes in violations_tables.FAMILIES for change, _ in changes]
        contents = [family(**change) for family, change in cases]
        for (family, change), content, lines in zip(cases, contents, self.by_library(contents), strict=True):
            with self.subTest(family=family.__name__, change=change):
                self.assertEqual(len(gpz_ref.read_bytes(content).frames), 2)
                self.assertEqual([line for line in lines if line.startswith("frame ")], ["frame 0 timestep 5 particles 0", "frame 1 timestep 5 particles 0"])

    def test_codings_that_left_the_format(self):
        """Files that early programs wrote, before version 1 was frozen."""
        for name, found, commit in LEFT_THE_FORMAT:
            path = decoders.FOLDER / "refused" / f"{name}.gpz"
            with self.subTest(file=name):
                self.assertRegex(complaints(path.read_bytes()), "coding|required features|reserved bits")
                refused = helper("digest", path)
                self.assertNotEqual(refused.returncode, 0)
                self.assertIn(f"{found}, which left the format before version 1 was frozen; commit {commit} of gpz reads it", refused.stderr)

    def test_records_that_are_not_complete(self):
        """Are passed over."""
        contents = [violations_container.incomplete(**change) for change, _ in INCOMPLETE]
        sound = violations_container.incomplete()
        self.assertEqual((complaints(sound), len(gpz_ref.read_bytes(sound).frames)), ("", 2))
        for (change, cause), content, lines in zip(INCOMPLETE, contents, self.by_library(contents), strict=True):
            with self.subTest(change=change):
                self.assertRegex(complaints(content), cause)
                self.assertEqual(len(gpz_ref.read_bytes(content).frames), 1)
                self.assertEqual(lines, [*listing(gpz_ref.read_bytes(content)), "damaged"])

    def test_unused_index(self):
        contents = [violations_container.records(**change) for change in violations_container.UNUSED_INDEX]
        for change, content, lines in zip(violations_container.UNUSED_INDEX, contents, self.by_library(contents), strict=True):
            with self.subTest(change=change):
                self.assertEqual(lines, listing(gpz_ref.read_bytes(content)))
                self.assertEqual(len(lines), 1)


if __name__ == "__main__":
    unittest.main()
