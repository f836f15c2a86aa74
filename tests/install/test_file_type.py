# SPDX-License-Identifier: BSD-3-Clause
"""file(1) and the desktop's database of file types know .gpz files by what is installed for them."""
import shutil
import unittest

from staged import SOURCE, STAGE, StagedCase, run

TYPE = "application/vnd.gpz-trajectory"
GOLDEN = sorted((SOURCE.parent / "golden" / "files").glob("*.gpz"))


class FileType(StagedCase):
    def file(self, path, *options):
        return run("file", "-b", "-m", STAGE / "share" / "gpz" / "magic", *options, path).strip()

    def test_file(self):
        self.assertTrue(GOLDEN)
        for path in GOLDEN:
            minor = int.from_bytes(path.read_bytes()[10:12], "little")
            text = rf"^gpz trajectory of particles, format version 1\.{minor}(, units [a-z]+)?$"
            self.assertRegex(self.file(path), text, path)
            self.assertEqual(self.file(path, "--mime-type"), TYPE)
        melt = self.file(SOURCE.parent / "golden" / "files" / "lammps-melt.gpz")
        self.assertEqual(melt, "gpz trajectory of particles, format version 1.0, units lj")

    def test_file_of_another_kind(self):
        (self.folder / "cut.gpz").write_bytes(GOLDEN[0].read_bytes()[:6])
        (self.folder / "other.gpz").write_bytes(b"GPZ\r\n\x1a\n" + GOLDEN[0].read_bytes()[8:])
        for name in ("cut.gpz", "other.gpz"):
            self.assertNotEqual(self.file(self.folder / name, "--mime-type"), TYPE)

    def test_database_of_the_desktop(self):
        shutil.copytree(STAGE / "share" / "mime", self.folder / "mime")
        run("update-mime-database", "-V", self.folder / "mime")
        self.assertIn(f":{TYPE}:*.gpz\n", (self.folder / "mime" / "globs2").read_text())
        magic = (self.folder / "mime" / "magic").read_bytes()
        self.assertIn(f":{TYPE}]\n>0=".encode() + b"\0\x08\x89GPZ\r\n\x1a\n", magic)


if __name__ == "__main__":
    unittest.main()
