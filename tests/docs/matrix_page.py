# SPDX-License-Identifier: BSD-3-Clause
"""Tables of docs/matrix.md, particles that bring out every kind of chunk, and the kinds that a file has."""
import random
import struct
import sys

from pages import ROOT

sys.path.insert(0, str(ROOT / "tests" / "reference"))

from gpz_reference import reader as gpz_ref  # noqa: E402

KINDS = ("block", "difference", "ordered", "cells", "sequence")


def matrix_table(heading):
    """The rows of the first table behind a heading, each as a list of cells; the header first."""
    text = (ROOT / "docs" / "matrix.md").read_text().split(f"\n## {heading}\n")[1]
    lines = text[text.index("\n|") + 1 :].split("\n\n")[0].splitlines()
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if set(row[0]) != {"-"}]


def samples():
    """[(ids or None, frames of (x, y, z))], as in tests/unit/matrix_support.hpp: a crystal whose ids go row by row, three particles,
    a scan line and a dense cloud without ids."""
    chance = random.Random(5)
    crystal = [tuple(n + chance.uniform(-0.02, 0.02) for n in (i % 10, i // 10 % 10, i // 100)) for i in range(1000)]
    three = [tuple(chance.uniform(0, 1000) for _ in range(3)) for _ in range(3)]
    line = [(0.7 * (i % 100), 5.0 * (i // 100), 0.01 * i) for i in range(2000)]
    cloud = [tuple(chance.uniform(0, 0.1) for _ in range(3)) for _ in range(2000)]
    starts = [(list(range(1, 1001)), crystal), ([0, 1000, 2000], three), (None, line), (None, cloud)]
    return [(ids, [[tuple(x + 0.01 * f for x in place) for place in places] for f in range(3)]) for ids, places in starts]


def chunk_kinds(content):
    """The kinds of the chunks of a file's frames, which have one chunk each, as a set of words."""
    _, _, start = gpz_ref.read_file_header(content)
    frames = [record for record in gpz_ref.walk(content, start, []) if record.type == gpz_ref.FRAME]
    return {KINDS[struct.unpack_from("<I", frame.body, 4)[0]] for frame in frames}


def expect_orders_and_efforts(encode):
    """Calls encode(ids, frames, order, effort), which returns a file with a key frame every 2 frames, for each row of the table, and
    returns the rows that differ from what is in the files."""
    header, *rows = matrix_table("Orders and efforts")
    assert header == ["order", "effort", *KINDS] and len(rows) == 12, header
    differing = []
    for order, effort, *cells in rows:
        found = set()
        for ids, frames in samples():
            found |= chunk_kinds(encode(ids, frames, order, effort))
        if cells != ["yes" if kind in found else "no" for kind in KINDS]:
            differing.append((order, effort, sorted(found)))
    return differing
