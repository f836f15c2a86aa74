# SPDX-License-Identifier: BSD-3-Clause
"""Columns that others say something about, for golden files of classed sections and of few values."""

import math
import random

from matter import Vibrations
from source import NO_BOX, Frame, Source, number_field


def of_few_values(seed, frames, with_ids=True, **more):
    """Lossless columns that are constant, constant for each type, or have few values; some of them change."""
    rng, count = random.Random(seed), 260
    places = [[0.05 * i, 0.02 * rng.random(), 0.02 * rng.random()] for i in range(count)]
    types = [(1, 2, 2, 7)[i % 4] if i < 200 else rng.choice((3, 7)) for i in range(count)]
    charges = [(-0.8476, 0.4238, 0.4238, 0.25)[i % 4] if i < 200 else rng.choice((0.25, -0.5, 1.0)) for i in range(count)]
    flags = [rng.randrange(6) for _ in range(count)]
    spins = [float(t) if rng.random() < 0.9 else 0.5 for t in types]  # mostly one value for each type
    made = []
    for number in range(frames):
        axes = [[x + 0.001 * number for x in column] for column in zip(*places)]
        if number > 0:
            types[rng.randrange(count)] = 2
            charges[rng.randrange(count)] += 0.5
            flags[3 * number] += 1
        mass = {1: 15.9994, 2: 1.008, 3: 12.011, 7: 22.98977}
        fields = [number_field("f64", ["x", "y", "z"], axes, bound=0.001, leading=True)]
        fields.append(number_field("i64", ["id"] if with_ids else ["mark"], [range(1, count + 1)]))
        fields.append(number_field("i64", ["type"], [types]))
        fields.append(number_field("f64", ["mass"], [[mass[t] for t in types]]))
        fields.append(number_field("f64", ["q"], [charges]))
        fields.append(number_field("f32", ["a", "b", "c"], [[0.5] * count, [math.nan] * count, [2.0 + number] * count]))
        # Its numbers follow from nothing but themselves, and those of the type.
        fields.append(number_field("f32", ["flag", "sign"], [[0.1 * f for f in flags], [-0.0 if f % 2 else 0.0 for f in flags]]))
        steps = [0.1 * (i // 3 % 3) for i in range(count)]
        fields.append(number_field("f64", ["step"], [steps]))
        fields.append(number_field("f64", ["spin"], [spins]))
        made.append(Frame(fields, number, NO_BOX))
    return Source(made, key_interval=10, identity="id" if with_ids else "mark", features=15, **more)


def of_motion(seed, frames, with_ids=True, **more):
    """A crystal of two kinds of atoms with velocities, forces, charges and neighbour counts, of which some values are strange."""
    matter, rng = Vibrations(seed, 4), random.Random(seed)
    matter.run(20)
    count, made = len(matter.places), []
    types = [1 + i % 2 for i in range(count)]
    charges = [(0.5, -1.0)[t - 1] + 0.1 * (rng.random() - 0.5) for t in types]
    near, far = [rng.randrange(9, 14) for _ in range(count)], [10.0**8 * rng.random() for _ in range(count)]
    for number in range(frames):
        if number > 0:
            before = [list(v) for v in matter.speed]
            matter.run(1)
            near = [n + (rng.randrange(3) - 1 if rng.random() < 0.2 else 0) for n in near]
            near[7] += 2**40 * (number % 2)
            charges = [q + 0.002 * t * (rng.random() - 0.5) for q, t in zip(charges, types)]
            far = [x * (1.0 + 0.01 * rng.random()) for x in far]
        edge = matter.edge
        axes = [[place[d] - edge * math.floor(place[d] / edge) for place in matter.places] for d in range(3)]
        velocities = [[v[d] for v in matter.speed] for d in range(2)]
        before = matter.speed if number == 0 else before
        force = [(1.0, 40.0)[t - 1] * (v[0] - w[0]) for v, w, t in zip(matter.speed, before, types)]
        velocities[1][number], force[4] = math.nan, math.inf
        fields = [number_field("f64", ["x", "y", "z"], axes, bound=0.00002, leading=True)]
        fields.append(number_field("i64", ["id"] if with_ids else ["mark"], [range(1, count + 1)]))
        fields.append(number_field("i64", ["type"], [types]))
        fields.append(number_field("f64", ["vx", "vy"], velocities, bound=0.00002))
        fields.append(number_field("f64", ["fx"], [force], bound=0.001))
        fields.append(number_field("f32", ["q"], [charges], bound=0.001))
        fields.append(number_field("i64", ["near"], [near]))
        fields.append(number_field("f64", ["far"], [far], bound=0.01))
        box = {"kind": 1, "dimension": 3, "boundary": "pppppp", "values": [0.0, edge] * 3 + [0.0] * 6}
        made.append(Frame(fields, number, box))
    return Source(made, key_interval=20, identity="id" if with_ids else "mark", features=15, **more)


def of_segments(seed, count):
    """More particles than a segment has, in one frame."""
    rng = random.Random(seed)
    types = [rng.randrange(1, 4) for _ in range(count)]
    fields = [number_field("i64", ["id"], [range(1, count + 1)]), number_field("i64", ["type"], [types])]
    fields.append(number_field("f64", ["vx"], [[t * t * (rng.random() + rng.random() - 1.0) for t in types]], bound=0.01))
    return Source([Frame(fields, 0, NO_BOX)], effort="default", order="id", features=15)


def classed_sources():
    return {
        "classed": of_motion(59, 5, effort="default", order="id"),
        "classed_cells": of_motion(60, 1, with_ids=False, effort="dense"),
        "classed_segments": of_segments(61, 8400),
        "few_values": of_few_values(56, 4, effort="default", order="id"),
        "few_values_cells": of_few_values(57, 1, with_ids=False, effort="dense"),
        "few_values_memory": of_few_values(58, 1, effort="dense", order="memory"),
    }
