# SPDX-License-Identifier: BSD-3-Clause
"""Allocations of the gpz command that fail: exit code 6 and a message, and no part of an output."""

import os
import unittest

from program_case import COMMANDS, ProgramCase, some

SHIM = os.environ["ALLOC_FAULTS"]
OUT_OF_MEMORY = 6
AT_MOST = 24  # of one kind for one command, in the short form


def complaint(_, result):
    return "" if b"memory" in result.stderr else f"standard error {result.stderr}"


class Memory(ProgramCase):
    def run_failing(self, command, n, following):
        environment = {"LD_PRELOAD": SHIM, "ALLOC_FAULTS_AT": str(n)}
        if following:
            environment["ALLOC_FAULTS_FOLLOWING"] = "1"
        return self.run_program(command, environment)

    def allocations(self, command):
        report = self.path("allocations")
        self.run_program(command, {"LD_PRELOAD": SHIM, "ALLOC_FAULTS_REPORT": report})
        with open(report, encoding="ascii") as file:
            total = int(file.read())
        os.remove(report)
        return total

    def test_single(self):
        """One allocation fails, those behind it do not."""
        for seed, command in enumerate(COMMANDS):
            with self.subTest(command=str(command)):
                numbers = some(self.allocations(command), AT_MOST, seed)
                self.inject(command, "allocation", numbers, lambda n: self.run_failing(command, n, False),
                            {OUT_OF_MEMORY}, complaint)

    def test_following(self):
        """There is no memory from some point on."""
        for seed, command in enumerate(COMMANDS):
            with self.subTest(command=str(command)):
                numbers = some(self.allocations(command), AT_MOST, seed)
                self.inject(command, "allocation and all behind", numbers,
                            lambda n: self.run_failing(command, n, True), {OUT_OF_MEMORY}, complaint)


if __name__ == "__main__":
    unittest.main()
