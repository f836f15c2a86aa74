# SPDX-License-Identifier: BSD-3-Clause
"""Matter that moves: liquids, crystals, rigid waters."""

import math
import random

from source import Frame, Source, number_field


def fcc(cells, edge):
    basis = ((0.25, 0.25, 0.25), (0.75, 0.75, 0.25), (0.75, 0.25, 0.75), (0.25, 0.75, 0.75))
    corners = [(x, y, z) for z in range(cells) for y in range(cells) for x in range(cells)]
    return [[(c + b) * edge for c, b in zip(corner, part)] for corner in corners for part in basis]


class Pairs:
    """Particles that repel and attract each other as argon does, in a periodic box: a liquid or a crystal by how fast they are."""

    def __init__(self, seed, cells, density, speed):
        rng = random.Random(seed)
        cell = 4.0 / density
        edge = 1.0
        for _ in range(60):  # the cube root, by Newton's method
            edge -= (edge * edge * edge - cell) / (3.0 * edge * edge)
        self.edge = cells * edge
        self.places = fcc(cells, edge)
        self.velocities = [[speed * (sum(rng.random() for _ in range(4)) - 2.0) for _ in range(3)] for _ in self.places]
        self.age = 0

    def way(self, i, j):
        a, b, edge = self.places[i], self.places[j], self.edge
        return [x - y - edge * math.floor((x - y) / edge + 0.5) for x, y in zip(a, b)]

    def forces(self):
        if self.age % 10 == 0:
            self.near = [(i, j) for i in range(len(self.places)) for j in range(i) if sum(w * w for w in self.way(i, j)) < 6.25]
        self.age += 1
        forces = [[0.0, 0.0, 0.0] for _ in self.places]
        for i, j in self.near:
            way = self.way(i, j)
            squared = way[0] * way[0] + way[1] * way[1] + way[2] * way[2]
            sixth = 1.0 / (squared * squared * squared)
            pull = 24.0 * sixth * (2.0 * sixth - 1.0) / squared
            for d in range(3):
                forces[i][d] += pull * way[d]
                forces[j][d] -= pull * way[d]
        return forces

    def run(self, steps):
        for _ in range(steps):
            for place, velocity, force in zip(self.places, self.velocities, self.forces()):
                for d in range(3):
                    velocity[d] += 0.005 * force[d]
                    place[d] += 0.005 * velocity[d]


def turned(way, by):
    """Turned by a rotation with this vector as the tangent of half its angle: without sines."""
    a, b, c = by
    x, y, z = way
    square = a * a + b * b + c * c
    along = a * x + b * y + c * z
    cross = (b * z - c * y, c * x - a * z, a * y - b * x)
    return [((1.0 - square) * w + 2.0 * along * t + 2.0 * n) / (1.0 + square) for w, t, n in zip(way, by, cross)]


class Waters:
    """Rigid molecules that drift and turn."""

    def __init__(self, seed, count, edge):
        self.random = rng = random.Random(seed)
        self.edge, self.places, self.motions = edge, [], []
        for _ in range(count):
            oxygen, by = ([scale * (rng.random() - 0.5) for _ in range(3)] for scale in (edge, 4.0))
            ways = [turned((0.5858823, sign * 0.7569503, 0.0), by) for sign in (1.0, -1.0)]
            self.places += [oxygen] + [[x + w for x, w in zip(oxygen, way)] for way in ways]
            self.motions.append([[0.2 * (rng.random() - 0.5) for _ in range(3)] for _ in range(2)])

    def run(self, _steps):
        for m, motion in enumerate(self.motions):
            for part in motion:
                part[:] = [x + 0.03 * (self.random.random() - 0.5) for x in part]
            oxygen, *hydrogens = self.places[3 * m : 3 * m + 3]
            ways = [turned([x - o for x, o in zip(hydrogen, oxygen)], motion[1]) for hydrogen in hydrogens]
            oxygen[:] = [x + v for x, v in zip(oxygen, motion[0])]
            for hydrogen, way in zip(hydrogens, ways):
                hydrogen[:] = [o + w for o, w in zip(oxygen, way)]


def of_matter(matter, steps, frames, bound, with_ids=True, charged=False, **more):
    """Every few steps a frame. Without ids there is a mark that tells the particles apart. Charges have no bound."""
    made, edge, count = [], matter.edge, len(matter.places)
    for number in range(frames):
        if number > 0:
            matter.run(steps)
        axes = [[place[d] - edge * math.floor(place[d] / edge) for place in matter.places] for d in range(3)]
        fields = [number_field("f64", ["x", "y", "z"], axes, bound=bound, leading=True)]
        fields.append(number_field("i64", ["id"] if with_ids else ["mark"], [range(1, count + 1)]))
        if charged:
            fields.append(number_field("f64", ["q"], [[0.1 * (i % 3) for i in range(count)]]))
        box = {"kind": 1, "dimension": 3, "boundary": "pppppp", "values": [0.0, edge] * 3 + [0.0] * 6}
        made.append(Frame(fields, number, box))
    return Source(made, key_interval=10, identity="id" if with_ids else "mark", **more)


def liquid(cells, steps):
    matter = Pairs(50, cells, 0.8, 3.0)
    matter.run(steps)
    return matter


class Vibrations:
    """Atoms of a crystal that are joined to their twelve neighbours by springs, of which only the part along the bond counts."""

    def __init__(self, seed, cells):
        rng = random.Random(seed)
        self.edge, self.sites = 4.0 * cells, fcc(cells, 4.0)
        self.away, self.speed = ([[0.1 * (rng.random() - 0.5) for _ in range(3)] for _ in self.sites] for _ in range(2))
        number = {self.key(site): i for i, site in enumerate(self.sites)}
        ways = [(a, b, 0.0) for a in (2.0, -2.0) for b in (2.0, -2.0)]
        ways = [way[k:] + way[:k] for way in ways for k in range(3)]
        self.near = [[(way, number[self.key([x + w for x, w in zip(site, way)])]) for way in ways] for site in self.sites]

    def key(self, site):
        return tuple(round(x) % round(self.edge) for x in site)

    @property
    def places(self):
        return [[x + u for x, u in zip(site, away)] for site, away in zip(self.sites, self.away)]

    def run(self, steps):
        for _ in range(steps):
            pulls = []
            for own, near in zip(self.away, self.near):
                pull = [0.0, 0.0, 0.0]
                for way, j in near:
                    stretch = sum(w * (a - b) for w, a, b in zip(way, self.away[j], own)) / 8.0
                    pull = [p + stretch * w for p, w in zip(pull, way)]
                pulls.append(pull)
            for away, speed, pull in zip(self.away, self.speed, pulls):
                speed[:] = [v + 0.2 * p for v, p in zip(speed, pull)]
                away[:] = [x + 0.2 * v for x, v in zip(away, speed)]
