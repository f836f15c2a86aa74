# SPDX-License-Identifier: BSD-3-Clause
"""Molecules that move, for golden files of sections of steps."""

import random

import decoders  # noqa: F401  makes the reference decoder known
from matter import turned
from source import Frame, Source, number_field

from gpz_reference.features import STEPS


class Molecules:
    """Waters, and chains of `length` atoms of which some have branches: every atom is drawn to where it is from its molecule, and
    thrown about. Places are not brought back into the box."""

    def __init__(self, seed, waters, chains, length, edge, flat=False):
        self.random = rng = random.Random(seed)
        self.edge, self.places, self.ids, self.parts = edge, [], [], []
        self.next_id = 1
        for number in range(waters + chains):
            self.add(3 if number < waters else length, flat)
        rng.random()

    def add(self, length, flat=False):
        """A molecule, at the end."""
        rng = self.random
        start, by = ([scale * (rng.random() - 0.5) for _ in range(3)] for scale in (self.edge, 4.0))
        shape = [(0.0, 0.0, 0.0)]
        for k in range(1, length):
            if length == 3:
                shape.append((0.5858823, (1.0 if k == 1 else -1.0) * 0.7569503, 0.0))
            elif k % 5 == 4:  # a branch of the atom before it
                x, y, z = shape[-1]
                shape.append((x + 0.3, y, z + 1.0))
            else:
                shape.append((0.9 * k, 0.0 if flat else 0.6 * (k % 2), 0.8 * (k % 3 == 1)))
        if flat:
            by = [0.0] * 3
            start = [round(x) + 0.0 for x in start]
        ways = [turned(place, by) for place in shape]
        self.places += [[x + w for x, w in zip(start, way)] for way in ways]
        self.ids += range(self.next_id, self.next_id + length)
        self.parts.append(ways)
        self.next_id += length

    def run(self, _steps):
        """Molecules drift and turn, atoms shake."""
        rng, first, places = self.random, 0, []
        for ways in self.parts:
            here = self.places[first]
            by, shift = ([scale * (rng.random() - 0.5) for _ in range(3)] for scale in (1.0, 3.0))
            ways[:] = [turned(way, by) for way in ways]
            for way in ways:
                places.append([x + s + w + 0.02 * (rng.random() - 0.5) for x, s, w in zip(here, shift, way)])
            first += len(ways)
        self.places = places


class Mixture:
    """Particles without bonds, each of which goes on as it did, but for kicks. Those of the last ids are light."""

    def __init__(self, seed, count, light, edge):
        self.random = rng = random.Random(seed)
        self.kicks = [0.1 if i >= count - light else 0.0003 * (1 + i // 32 % 4) for i in range(count)]
        self.places = [[edge * rng.random() for _ in range(3)] for _ in range(count)]
        self.velocities = [[2.0 * kick * (rng.random() - 0.5) for _ in range(3)] for kick in self.kicks]
        self.ids = range(1, count + 1)

    def run(self, _steps):
        for place, velocity, kick in zip(self.places, self.velocities, self.kicks):
            velocity[:] = [v + kick * (self.random.random() - 0.5) for v in velocity]
            place[:] = [x + v for x, v in zip(place, velocity)]


def one_leaves(_mixture, number):
    return ({40} if number >= 20 else ()), {}


def of_molecules(molecules, frames, edges, tilts=(0.0, 0.0, 0.0), events=None, boundary="pppppp", brick=False, rest_in=-1, key_interval=10):
    """`events`: what happens before a frame, by its number: a function of the molecules that returns ids that are left out, and
    how far particles are from their places in the box, by id. `brick`: a tilted box has the places of one that is not."""
    made = []
    for number in range(frames):
        if number not in (0, rest_in):
            molecules.run(1)
        left_out, away = events(molecules, number) if events else ((), {})
        rows = [(i, place) for i, place in zip(molecules.ids, molecules.places) if i not in left_out]
        rows = [(i, inside_box(place, edges, tilts, boundary, brick)) for i, place in rows]
        rows = [(i, [x + u for x, u in zip(place, away.get(i, (0.0, 0.0, 0.0)))]) for i, place in rows]
        fields = [number_field("f64", ["x", "y", "z"], zip(*(place for _, place in rows)), bound=0.005, leading=True)]
        fields.append(number_field("i64", ["id"], [[i for i, _ in rows]]))
        box = {"kind": 2 if any(tilts) else 1, "dimension": 3, "boundary": boundary}
        box["values"] = [x for edge in edges for x in (0.0, edge)] + [*tilts, 0.0, 0.0, 0.0]
        made.append(Frame(fields, number, box))
    return Source(made, key_interval=key_interval, order="id", effort="default", features=STEPS)


def inside_box(place, edges, tilts, boundary, brick):
    """The image that is in the box."""
    xy, xz, yz = tilts
    place = list(place)
    for d, edge in ((2, (xz, yz, edges[2])), (1, (xy, edges[1], 0.0)), (0, (edges[0], 0.0, 0.0))):
        low = 0.0
        if not brick:
            z = place[2] / edges[2]
            y = (place[1] - yz * z) / edges[1]
            low = (xy * y + xz * z, yz * z, 0.0)[d]  # of places that are inside on the axes behind it
        while boundary[2 * d] == "p" and place[d] >= low + edges[d]:
            place = [x - e for x, e in zip(place, edge)]
        while boundary[2 * d] == "p" and place[d] < low:
            place = [x + e for x, e in zip(place, edge)]
    return place


def comings_and_goings(molecules, number):
    """The first atom of a water and one within a chain leave and come back, a water arrives, an atom is far away, and some are
    an edge away."""
    if number == 2:
        molecules.add(3)
    left_out = {4, molecules.next_id // 2} if number in (3, 4) else set()
    away = {5: {9: (2e4, 1.0, 2.0), 13: (3e8, 0.0, 0.0)}, 6: {20: (15.0, 0.0, 0.0), 19: (0.0, -16.0, 17.0)}}
    return left_out, away.get(number, {})


def far_away(_molecules, number):
    """An atom is far away, and some are an edge away."""
    return (), {2: {9: (2e4, 1.0, 2.0)}, 3: {20: (24.0, 0.0, 0.0), 19: (0.0, -25.0, 26.0)}}.get(number, {})


def molecule_sources():
    return {
        "steps": of_molecules(
            Molecules(66, 200, 30, 14, 24.0), 5, (24.0, 25.0, 26.0), events=far_away, rest_in=4
        ),
        "steps_tilted": of_molecules(Molecules(67, 120, 24, 14, 40.0), 7, (40.0, 37.0, 34.0), (12.0, -9.0, 15.0), rest_in=3),
        "steps_brick": of_molecules(Molecules(68, 200, 40, 14, 40.0), 3, (40.0, 37.0, 34.0), (12.0, -9.0, 15.0), brick=True),
        "steps_exchange": of_molecules(
            Molecules(61, 50, 12, 14, 15.0), 8, (15.0, 16.0, 17.0), events=comings_and_goings, rest_in=2
        ),
        # Every second frame is a key frame.
        "steps_key": of_molecules(Molecules(71, 60, 16, 14, 30.0), 4, (30.0, 29.0, 28.0), key_interval=2),
        # Motions begin with the history: in frame 1, after frame 3, which is at rest, and when a particle leaves.
        "steps_unbound": of_molecules(Mixture(72, 680, 40, 9.0), 21, (9.0, 9.0, 9.0), events=one_leaves, rest_in=3, key_interval=30),
        "steps_open": of_molecules(Molecules(69, 200, 40, 16, 40.0, flat=True), 3, (40.0, 43.0, 42.0), boundary="ppppss"),
    }
