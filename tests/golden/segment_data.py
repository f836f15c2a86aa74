# SPDX-License-Identifier: BSD-3-Clause
"""Particles in the order of ids in segments of 8,192 (coding 12), for golden files."""

import math
import random

from matter import turned
from source import Frame, Source, number_field

SEGMENT = 8192
ENDS = SEGMENT - 1, SEGMENT, 2 * SEGMENT - 1, 2 * SEGMENT
AWAY = 1e6
FAR = 3e12  # so far that residuals are exceptions


def in_order(fields, edges, boundary):
    box = {"kind": 1, "dimension": 3, "boundary": boundary, "values": [x for edge in edges for x in (0.0, edge)] + [0.0] * 6}
    return Source([Frame(fields, 0, box)], effort="default", order="id", features=47)


def waters(seed, count):
    """Rigid waters in rows. A segment ends within a molecule; at the ends are values that no grid holds, and atoms that are away from their molecule.
    Ids have gaps, and some atoms are outside the periodic edge."""
    rng, edge = random.Random(seed), 64.0
    rows, ids, next_id = [], [], 1
    for number in range(count):
        oxygen = [4.0 * (number % 16), 3.0 * (number // 16 % 16), 3.0 * (number // 256)]
        by = [4.0 * (rng.random() - 0.5) for _ in range(3)]
        ways = [(0.0, 0.0, 0.0), *(turned((0.5858823, sign * 0.7569503, 0.0), by) for sign in (1.0, -1.0))]
        rows += [[x + w for x, w in zip(oxygen, way)] for way in ways]
        next_id += 4 if number % 700 == 350 else 0
        ids += range(next_id, next_id + 3)
        next_id += 3
    for i, place in enumerate(rows):
        if i % 40 > 0:
            place[:2] = [x - edge * math.floor(x / edge) for x in place[:2]]
    for i in [i for i in ENDS if i < len(rows)]:
        rows[i][0], rows[i - 3][2] = math.nan, AWAY
    fields = [number_field("f64", ["x", "y", "z"], zip(*rows), bound=0.2, leading=True), number_field("i64", ["id"], [ids])]
    return in_order(fields, (edge,) * 3, "ppppss")


def sheet(seed, count):
    """Two components: along lines, some beyond the periodic edge, with molecules of four that are left out."""
    rng = random.Random(seed)
    rows, ids = [], []
    for i in range(2 * count):
        if i % 200 < 4:
            continue
        x = 0.5 * (i % 100) + (0.2 if rng.random() < 0.1 else 0.0)
        ids.append(i + 1)
        rows.append([x - 0.6 if i % 100 == 99 and rng.random() < 0.3 else x, 0.5 * (i // 100 % 100) + (0.2 if rng.random() < 0.1 else 0.0)])
    rows, ids = rows[:count], ids[:count]
    for i in (SEGMENT - 1, SEGMENT):
        rows[i][1] = FAR
    fields = [number_field("f32", ["x", "y"], zip(*rows), bound=0.1, leading=True), number_field("i64", ["id"], [ids])]
    return in_order(fields, (50.0, 50.0, 1.0), "ppppff")


def segment_sources():
    return {"segments-one-f64": waters(53, 150), "segments-f64": waters(66, 5464), "segments-f32": sheet(67, 2 * SEGMENT)}

