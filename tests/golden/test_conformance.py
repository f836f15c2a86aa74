# SPDX-License-Identifier: BSD-3-Clause
"""The conformance suite of the reference decoder: right decoders pass, and wrong ones are told what is wrong.

Environment: GPZ (the command).
"""

import contextlib
import io
import os
import shlex
import sys
import unittest

import decoders  # noqa: F401  makes the reference decoder known

from gpz_reference import conformance
from long_form import sample

REFERENCE = f"{shlex.join([sys.executable, '-B', '-m', 'gpz_reference'])} {{input}} -o {{output}}"
BY_COMMAND = f"{shlex.quote(os.environ['GPZ'])} decode {{input}} -o {{output}} --format lammps --sort none --exact"
# Decodes by the reference decoder, then spoils the output.
SPOILT = """
import pathlib, sys
from gpz_reference import __main__, read_file
source, output = sys.argv[1:]
__main__.write_columns(read_file(source), output)
data = bytearray(pathlib.Path(output).read_bytes())
{change}
pathlib.Path(output).write_bytes(data)
"""


def suite(*arguments):
    """The exit status and the lines that are printed."""
    said, directory = io.StringIO(), os.getcwd()
    os.chdir(decoders.FOLDER.parent / "reference")  # where python -m finds the decoder
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = conformance.main(list(arguments))
    except SystemExit as error:
        status = error.code
    finally:
        os.chdir(directory)
    return status, said.getvalue().splitlines()


def spoilt(change, name="example"):
    command = shlex.join([sys.executable, "-B", "-c", SPOILT.format(change=change)])
    return suite("--only", name, "--decoder", f"{command} {{input}} {{output}}")


class Conformance(unittest.TestCase):
    def test_reference_decoder(self):
        names = ("example", "torn", "type-labels", "cells")
        self.assertEqual(suite("--only", *names, "--decoder", REFERENCE), (0, ["4 files decoded to the pinned values, 0 failed, 0 left out"]))

    def test_command(self):
        names = sample([file.name for file in conformance.golden_files()], 3)
        expected = 0, [f"{len(names)} files decoded to the pinned values, 0 failed, 0 left out"]
        self.assertEqual(suite("--form", "lammps", "--only", *names, "--decoder", BY_COMMAND), expected)

    def test_a_wrong_bit_is_named(self):
        status, lines = spoilt("data[8] ^= 1")  # the second value of the first column
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], r"^FAILED: example: frame 0, column x: row 1 is \S+ \(bits 0x\w+\) and not \S+ \(bits 0x\w+\)$")

    def test_lengths(self):
        for change, length in (("data += b'1'", 1), ("del data[-3:]", -3)):
            status, lines = spoilt(change)
            self.assertEqual(status, 1)
            found, wanted = (int(word) for word in lines[0].split() if word.isdigit())
            self.assertEqual(found - wanted, length)

    def test_a_decoder_that_fails(self):
        status, lines = spoilt("sys.exit('no such coding')")
        self.assertEqual((status, lines[0]), (1, "FAILED: example: exit status 1: no such coding"))

    def test_a_decoder_that_writes_nothing(self):
        status, lines = spoilt("pathlib.Path(output).unlink(); sys.exit()")
        self.assertEqual((status, lines[0]), (1, "FAILED: example: there is no output"))

    def test_a_decoder_that_is_not_there(self):
        status, lines = suite("--only", "example", "--decoder", "/nowhere/decoder {input} {output}")
        self.assertEqual((status, lines[0]), (1, "FAILED: example: cannot run /nowhere/decoder: No such file or directory"))

    def test_text_of_another_frame(self):
        command = f"{shlex.quote(os.environ['GPZ'])} decode {{input}} -o {{output}} --format lammps --sort none --exact --frames 0"
        status, lines = suite("--form", "lammps", "--only", "type-labels", "--decoder", command)
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], "^FAILED: type-labels: the output has 1 frames and not [2-9]")

    def test_features_that_a_decoder_lacks(self):
        status, lines = suite("--only", "cells", "example", "--without", "cell chunks", "--decoder", REFERENCE)
        self.assertEqual((status, lines), (0, ["left out: cells, with cell chunks", "1 files decoded to the pinned values, 0 failed, 1 left out"]))

    def test_wrong_arguments(self):
        for arguments, said in (
            (["--decoder", "program {input}"], "a command with {input} and {output} is needed"),
            (["--decoder", REFERENCE, "--only", "nothing"], "there is no file nothing (--list prints all)"),
            (["--decoder", REFERENCE, "--without", "wings"], "no feature 'wings'. There are: modelled sections, cell chunks"),
        ):
            status, lines = suite(*arguments)
            self.assertEqual(status, 2)
            self.assertIn(said, lines[-1])


if __name__ == "__main__":
    unittest.main()
