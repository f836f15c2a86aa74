# SPDX-License-Identifier: BSD-3-Clause
"""Objects that are compiled for one instruction set give other objects nothing but symbols of their own namespace. The linker keeps
one copy of a weak symbol for the whole program: of an inline function of the standard library it may keep the one with AVX-512
instructions, and a machine without them then stops with an illegal instruction.

    instruction_set_symbols.py NM INSTRUCTION_SET OBJECT...
"""

import re
import shutil
import subprocess
import sys

# Other symbols that are allowed, by their beginnings:
ALLOWED = ("__odr_asan",)  # AddressSanitizer's marks of global variables: data, one for each variable
SKIPPED = 77


def offered_symbols(nm, path):
    """Mangled names of what an object defines and other objects can see."""
    table = subprocess.run([nm, "--defined-only", "--extern-only", "--format=posix", path], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in table.stdout.splitlines()]


def is_own(instruction_set, name):
    """Functions, variables and templates in gpz::core and gpz::codec, and what belongs to them: guards, tables, locals."""
    own = f"{len(instruction_set)}{instruction_set}"
    return re.match(rf"_Z(GV|GR|T[VIST]|Z)*N[VK]*3gpz(4core|5codec){own}", name) is not None


def main():
    nm, instruction_set, *objects = sys.argv[1:]
    if not shutil.which(nm):
        print("skipped: no nm")
        return SKIPPED
    own = 0
    strangers = 0
    for path in objects:
        for name in offered_symbols(nm, path):
            if is_own(instruction_set, name):
                own += 1
            elif not name.startswith(ALLOWED):
                strangers += 1
                print(f"{path}: {name} is not in a namespace {instruction_set} of gpz")
    if strangers:
        return 1
    if not own:
        print("skipped: no symbols; the objects are compiled while linking, or unknown to nm")
        return SKIPPED
    print(f"{len(objects)} objects, {own} symbols, all in the namespace {instruction_set}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
