#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The binary interface of the shared libraries, described so that two versions can be compared (decision 60).

    tests/install/abi.py BUILD      writes tests/install/abi/ from the libraries and headers of a build folder; of a library that it
                                    lacks (gpz_cuda) the record stays

The C interface: functions with their types and structures, as abidw reads them from a library of empty functions that is
compiled from the headers. That takes a second; the real libraries have no types, since they are built without debug
information. The C++ interface: the names of its functions and tables.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
RECORD = FOLDER / "abi"
HEADERS = FOLDER.parents[1] / "gpz" / "include" / "gpz"
LIBRARIES = ("gpz", "gpz_cuda")
# Weak symbols are left out: whether inline functions are among them depends on the compiler.
STRONG = "TDBR"


def run(*command):
    """(exit code, output) of a command."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def must_run(*command):
    code, text = run(*command)
    if code != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {code}\n{text}")
    return text


def complete_headers(include, folder):
    """A copy of the installed headers, with those in C that a build without CUDA does not install."""
    whole = folder / "whole" / "gpz"
    shutil.copytree(include / "gpz", whole)
    for header in HEADERS.glob("*.h"):
        if not (whole / header.name).exists():
            shutil.copy(header, whole)
    return whole.parent


def functions_in_c(include):
    """A program in C that defines every function of the public headers, without a body."""
    lines = ['#include "gpz/gpz.h"', '#include "gpz/gpz_cuda.h"']
    for header in sorted((include / "gpz").glob("*.h")):
        for declared in re.finditer(r"^GPZ_API ([^;{]*?\bgpz_\w+\([^;]*\));", header.read_text(), re.MULTILINE):
            lines.append(f"{declared[1]} {{ __builtin_trap(); }}")
    return "\n".join(lines) + "\n"


def describe_c(compiler, include, out):
    """Writes the C interface of the headers in `include` to `out`, as XML of libabigail."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "functions.c"), pathlib.Path(folder, "functions.so")
        source.write_text(functions_in_c(include))
        # Version 4 of DWARF is what abidw reads from every compiler.
        must_run(compiler, "-g", "-gdwarf-4", "-fPIC", "-shared", "-w", "-I", include, source, "-o", library)
        must_run("abidw", "--drop-private-types", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                 "--headers-dir", include, "--out-file", out, library)


def cpp_symbols(library):
    """Names of what a library defines for others in C++, mangled."""
    names = set()
    for line in must_run("nm", "-D", "--defined-only", "--without-symbol-versions", library).splitlines():
        kind, name = line.split()[-2:]
        if kind in STRONG and name.startswith("_Z"):
            names.add(name)
    return names


def symbols_file(name):
    return RECORD / f"lib{name}.symbols"


def recorded_symbols(name):
    return set(symbols_file(name).read_text().split())


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        installed = pathlib.Path(folder, "installed")
        must_run("cmake", "--install", build, "--prefix", installed)
        describe_c("cc", complete_headers(installed / "include", pathlib.Path(folder)), RECORD / "gpz.abi")
        for name in LIBRARIES:
            for library in installed.rglob(f"lib{name}.so"):
                symbols_file(name).write_text("".join(f"{symbol}\n" for symbol in sorted(cpp_symbols(library))))


if __name__ == "__main__":
    main(sys.argv[1])
