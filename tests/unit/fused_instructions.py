# SPDX-License-Identifier: BSD-3-Clause
"""No fused multiply-add in the library: it rounds once where two operations round twice, and files would differ between machines.

    fused_instructions.py OBJDUMP LIBRARY
"""

import collections
import re
import shutil
import subprocess
import sys

FUSED = re.compile(r"vfn?m\w*(?:add|sub)\w*|fn?m(?:add|sub|la|ls|ad|sb)\w*")  # x86, ARM
KERNEL = re.compile(r"\bgpz::codec::(generic|avx2|avx512)::")
PRODUCT = re.compile(r"v?mul[sp][sd]|fmul")
INSTRUCTION = re.compile(r"\s+[0-9a-f]+:\s+(\S+)")
FILE = re.compile(r"(?:.*\()?([^():]+)\)?:\s+file format ")  # name or library(name), of GNU and of LLVM
SKIPPED = 77


def instructions(objdump, library):
    """(object file, function, name of the instruction) of everything in it."""
    with subprocess.Popen([objdump, "-d", "-C", "--no-show-raw-insn", library], stdout=subprocess.PIPE, text=True) as dump:
        file = function = ""
        for line in dump.stdout:
            if found := INSTRUCTION.match(line):
                yield file, function, found[1]
            elif line.endswith(">:\n"):
                function = line.split("<", 1)[1][:-3]
            elif found := FILE.match(line):
                file = found[1]
    if dump.returncode:
        sys.exit(f"{objdump} failed on {library}")


def main():
    objdump, library = sys.argv[1:]
    if not shutil.which(objdump):
        print("skipped: no objdump")
        return SKIPPED
    fused = collections.Counter()
    kernels = set()
    for file, function, name in instructions(objdump, library):
        if FUSED.fullmatch(name):
            fused[file, function, name] += 1
        if PRODUCT.fullmatch(name) and (found := KERNEL.search(function)):
            kernels.add(found[1])
    for (file, function, name), count in sorted(fused.items()):
        print(f"{file}: {count} {name} in {function}")
    if fused:
        return 1
    if not kernels:
        print(f"skipped: {library} has no machine code of the kernels, which is compiled while linking or unknown to {objdump}")
        return SKIPPED
    print("no fused instruction; looked at the kernels", *sorted(kernels))
    return 0


if __name__ == "__main__":
    sys.exit(main())
