# SPDX-License-Identifier: BSD-3-Clause
"""The library, by way of the program built from library_helper.cpp, which GPZ_LIBRARY_HELPER names."""

import os
import subprocess

import gpz_ref

HELPER = os.environ.get("GPZ_LIBRARY_HELPER")


def helper(*arguments):
    return subprocess.run([HELPER, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300)


def each(folder):
    """What the library makes of every file of a folder: lines by name of the file, or one that begins with "refused"."""
    result = helper("each", folder)
    assert result.returncode == 0, result.stderr
    files = {}
    for line in result.stdout.splitlines():
        if line.endswith(".gpz"):
            lines = files[line] = []
        else:
            lines.append(line)
    return files


def listing(file):
    """What gpz_ref.py prints."""
    lines = []
    for i, frame in enumerate(gpz_ref.describe(file)):
        lines.append(f"frame {i} timestep {frame['timestep']} particles {frame['particles']}")
        lines += [f"  {c['name']} {c['type']} {c['digest']}" for c in frame["columns"]]
    return lines
