#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether every source, script and CMake file begins with the licence that it is under, as an SPDX line.

    spdx.py [--fix]      --fix adds the lines that are missing

Looks at the files that git knows. Input scripts of LAMMPS are left out: they are there to be copied and changed.
"""

import argparse
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TAG = "SPDX-License-Identifier:"
SLASHES = {".c", ".cpp", ".cu", ".cuh", ".h", ".hpp"}
HASHES = {".bash", ".cmake", ".fish", ".py", ".sh", ".zsh"}


def licence_of(path):
    """What lammps_pkg/ derives from LAMMPS, which is under version 2; see LICENSE."""
    return "GPL-2.0-only" if path.parts[0] == "lammps_pkg" else "BSD-3-Clause"


def comment_of(path, text):
    """What comments of the file begin with; None for files that are neither source nor script."""
    suffix = pathlib.Path(path.stem).suffix if path.suffix == ".in" else path.suffix
    if suffix in SLASHES:
        return "//"
    if suffix in HASHES or path.name == "CMakeLists.txt" or text.startswith("#!"):
        return "#"
    return None


def checked(path, text):
    """What is wrong with a file, and its text with the line added; (None, text) for one that is right."""
    comment = comment_of(path, text)
    if comment is None:
        return None, text
    wanted = f"{comment} {TAG} {licence_of(path)}"
    lines = text.splitlines(keepends=True)
    at = 1 if text.startswith("#!") else 0  # the line that says what runs a script is its first
    if len(lines) > at and lines[at].rstrip("\n") == wanted:
        return None, text
    if any(TAG in line for line in lines[: at + 1]):
        return f"another licence than {licence_of(path)}, or not written as '{wanted}'", None
    return f"no '{wanted}' in line {at + 1}", "".join([*lines[:at], wanted + "\n", *lines[at:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    fix = parser.parse_args().fix
    names = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    wrong = 0
    for name in filter(None, names.split("\0")):
        file = REPOSITORY / name
        if file.is_symlink() or not file.is_file():
            continue
        try:
            text = file.read_bytes().decode()
        except UnicodeDecodeError:
            continue  # no source of ours
        cause, mended = checked(pathlib.PurePath(name), text)
        if cause is None:
            continue
        if fix and mended is not None:
            file.write_bytes(mended.encode())
        else:
            print(f"{name}: {cause}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
