# SPDX-License-Identifier: BSD-3-Clause
"""Programs that were linked to an earlier release of the same soname run with this one."""
import os
import unittest

from abi import LIBRARIES, RECORD, complete_headers, cpp_symbols, describe_c, functions_in_c, recorded_symbols, run, symbols_file
from staged import LIBDIR, STAGE, StagedCase

CHANGED, INCOMPATIBLE = 4, 8  # bits of abidiff's exit code
RECORD_ANEW = "if that is right, run tests/install/abi.py BUILD"


class Abi(StagedCase):
    def setUp(self):
        super().setUp()
        self.include = complete_headers(STAGE / "include", self.folder)

    def test_functions_and_structures_of_c(self):
        describe_c(os.environ["GPZ_CC"], self.include, self.folder / "now.abi")
        code, report = run("abidiff", RECORD / "gpz.abi", self.folder / "now.abi")
        self.assertEqual(code & INCOMPATIBLE, 0, f"programs in C would break: the soname has to change\n{report}")
        self.assertEqual(code & ~CHANGED, 0, report)
        self.assertEqual(code, 0, f"the C interface has changed; {RECORD_ANEW}\n{report}")

    def test_a_changed_structure_is_noticed(self):
        include = self.folder / "include" / "gpz"
        include.mkdir(parents=True)
        for header in (self.include / "gpz").iterdir():
            text = header.read_text()
            if header.name == "gpz_frame.h":
                self.assertIn("size_t struct_size;", text)
                text = text.replace("size_t struct_size;", "int before; size_t struct_size;")
            (include / header.name).write_text(text)
        describe_c(os.environ["GPZ_CC"], self.folder / "include", self.folder / "now.abi")
        code, report = run("abidiff", RECORD / "gpz.abi", self.folder / "now.abi")
        self.assertNotEqual(code & CHANGED, 0, report)
        self.assertIn("struct_size", report)

    def test_every_function_of_c_is_described(self):
        described = (RECORD / "gpz.abi").read_text()
        defined = functions_in_c(self.include).count("__builtin_trap")
        self.assertGreaterEqual(defined, 100)
        self.assertEqual(described.count("<elf-symbol "), defined)

    def test_symbols_of_cpp(self):
        for name in LIBRARIES:
            library = LIBDIR / f"lib{name}.so"
            if not library.exists():
                self.assertEqual(name, "gpz_cuda")
                continue
            recorded, now = recorded_symbols(name), cpp_symbols(library)
            self.assertTrue(recorded)
            self.assertEqual(sorted(recorded - now), [], f"{name}: programs would break: the soname has to change")
            self.assertEqual(sorted(now - recorded), [], f"new in {symbols_file(name).name}; {RECORD_ANEW}")


if __name__ == "__main__":
    unittest.main()
