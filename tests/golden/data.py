# SPDX-License-Identifier: BSD-3-Clause
"""The data behind the golden files: frames of seeded particles, made with operations that give the same bits on every machine
(+ - * / and Python's Mersenne Twister)."""

import functools
import math
import random
from dataclasses import dataclass

from classed_data import classed_sources
from matter import Vibrations, Waters, liquid, of_matter
from molecule_data import molecule_sources
from source import ELEMENT, NO_BOX, NUMBER, TYPE_LABEL, Field, Frame, Source, bits_of, number_field
from table_data import with_tables


@dataclass
class Motion:
    """What happens to particles. Lengths in distance units, speeds in distance units a frame."""

    seed: int
    particles: int = 150
    frames: int = 6
    structure: str = "gas"  # or chains, crystal
    kind: str = "f64"
    bound: float = 0.001
    velocity_bound: float = 0.01
    speed: float = 0.2
    kick: float = 0.1  # largest change of a velocity in a frame, as a part of `speed`
    dimension: int = 3
    boundary: str = "ppppss"
    edge: float = 10.0
    beyond: float = 0.0  # how far particles may be outside the box before they are brought back
    tilt: tuple = ()  # xy xz yz
    general: bool = False  # the box is kept as three vectors
    molecules: int = 1  # particles that move together
    leave: float = 0.0  # share of the particles in a frame
    arrive: int = 0  # particles in a frame
    replaced_in: int = -1  # frame in which all particles are others
    shuffle: bool = False
    special: float = 0.0  # share of z coordinates that no grid holds, in a frame
    types_change: bool = False
    rest_in: int = -1  # frame in which nothing moves
    id_step: int = 1
    images: bool = True
    velocities: bool = True
    lossless: bool = True  # whether there is a lossless float that changes in some frames
    display: int = NUMBER
    chunks: int = 1  # slabs along x


LOW = -3.0
STRANGE = {"f64": (math.nan, math.inf, -math.inf, 1e300, -0.0, 4e14, 5e-324), "f32": (math.nan, math.inf, 3e38, -0.0, 1e-45)}


class Simulation:
    def __init__(self, motion):
        self.motion, self.random = motion, random.Random(motion.seed)
        self.ids = self.number = 0
        self.particles = []
        for _ in range(motion.particles):
            self.add()

    def uniform(self, low, high):
        return low + (high - low) * self.random.random()

    def add(self):
        m, i = self.motion, len(self.particles)
        start = [self.uniform(LOW, LOW + m.edge) for _ in range(3)]
        if m.structure == "crystal":
            start = [LOW + cell + self.uniform(-0.03, 0.03) for cell in (i % 10, i // 10 % 10, i // 100)]
        elif m.structure == "chains" and i % 10:
            start = [x + self.uniform(-0.2, 0.2) for x in self.particles[-1]["position"]]
        velocity = [self.uniform(-m.speed, m.speed) for _ in range(3)]
        if i % m.molecules:
            velocity = list(self.particles[-1]["velocity"])
        self.ids += m.id_step if self.random.random() < 0.5 else 1
        particle = {"id": self.ids, "type": 1 + i % 3, "position": start, "velocity": velocity}
        particle.update(image=[0, 0, 0], charge=0.25 * (i % 4), energy=self.random.random())
        self.particles.append(particle)
        self.bring_back(particle)

    def bring_back(self, particle):
        """Into the box, where it is periodic. Image flags say how often it went through which edge."""
        m, position = self.motion, particle["position"]
        for d in range(m.dimension):
            if m.boundary[2 * d] != "p" or not math.isfinite(position[d]):
                continue
            while position[d] >= LOW + m.edge + m.beyond:
                position[d] -= m.edge
                particle["image"][d] += 1
            while position[d] < LOW - m.beyond:
                position[d] += m.edge
                particle["image"][d] -= 1

    def step(self):
        m = self.motion
        self.number += 1
        if self.number == m.replaced_in:
            count, self.particles = len(self.particles), []
            for _ in range(count):
                self.add()
        self.particles = [p for p in self.particles if self.random.random() >= m.leave]
        kick = [0.0] * 3
        for i, particle in enumerate(self.particles):
            if i % m.molecules == 0:
                kick = [m.kick * self.uniform(-m.speed, m.speed) for _ in range(3)]
            if self.number != m.rest_in:
                self.move(particle, kick)
        for _ in range(m.arrive):
            self.add()
        if m.shuffle:
            self.random.shuffle(self.particles)

    def move(self, particle, kick):
        m, position = self.motion, particle["position"]
        particle["velocity"] = [v + k for v, k in zip(particle["velocity"], kick)]
        for d in range(m.dimension):
            if not abs(position[d]) < 1000:
                position[d] = self.uniform(LOW, LOW + m.edge)
            position[d] += particle["velocity"][d]
        self.bring_back(particle)
        if self.random.random() < m.special:
            position[m.dimension - 1] = self.random.choice(STRANGE[m.kind])
        if m.types_change and self.random.random() < 0.05:
            particle["type"] = 1 + particle["type"] % 3
        if self.number % 2 and m.lossless:
            particle["energy"] = self.random.random()

    def box(self):
        m = self.motion
        high = LOW + m.edge
        box = {
            "kind": 1,
            "dimension": m.dimension,
            "boundary": m.boundary,
            "values": [LOW, high, LOW, high, LOW, high] + [0.0] * 6,
        }
        if m.tilt:
            box["kind"], box["values"][6:9] = 2, list(m.tilt)
        if m.general:
            box["kind"], box["values"] = 3, [m.edge, 1.0, 0.0, 0.0, m.edge, 2.0, 0.5, 0.0, m.edge, LOW, LOW, LOW]
        return box

    def frame(self):
        m = self.motion
        slabs = [[] for _ in range(m.chunks)]
        for particle in self.particles:
            x = particle["position"][0]
            # The last slab is empty in every third frame.
            slab = int((x - LOW) / m.edge * (m.chunks - (m.chunks > 1 and self.number % 3 == 2)))
            slabs[max(0, min(m.chunks - 1, slab))].append(particle)
        rows = [particle for slab in slabs for particle in slab]
        axes = list("xyz"[: m.dimension])

        def column(key, d=None):
            return [p[key] if d is None else p[key][d] for p in rows]

        def columns(key):
            return [column(key, d) for d in range(m.dimension)]

        fields = [
            number_field(m.kind, axes, columns("position"), bound=m.bound, leading=True),
            number_field("i64", ["id"], [column("id")]),
            number_field("i64", ["type"], [column("type")], display=m.display),
        ]
        if m.images:
            fields.append(number_field("i64", ["i" + a for a in axes], columns("image")))
        if m.velocities:
            fields.append(number_field(m.kind, ["v" + a for a in axes], columns("velocity"), bound=m.velocity_bound))
        fields.append(number_field(m.kind, ["q"], [column("charge")]))
        if m.lossless:
            fields.append(number_field(m.kind, ["energy"], [column("energy")]))
        sizes = [len(slab) for slab in slabs] if m.chunks > 1 else None
        return Frame(fields, 100 * self.number, self.box(), 0.5 * self.number, sizes)


def trajectory(motion, **more):
    simulation = Simulation(motion)
    frames = [simulation.frame()]
    while len(frames) < motion.frames:
        simulation.step()
        frames.append(simulation.frame())
    return Source(frames, chunks=motion.chunks, **more)


# ---- frames of values that are no simulation


def example():
    """The file that docs/format.md explains byte by byte."""
    fields = [
        number_field("f64", ["x", "y"], [[0.6, 1.5], [0.9, -2.1]], bound=0.25, leading=True, step=0.5),
        number_field("i64", ["id"], [[1, 2]]),
    ]
    box = {"kind": 1, "dimension": 2, "boundary": "ppppff", "values": [-3.0, 3.0, -3.0, 3.0, -0.5, 0.5] + [0.0] * 6}
    return Source([Frame(fields, 100, box, 0.5)], metadata={"units": "lj"})


def special_bits(kind, count, rng):
    """NaN with payloads and either sign, infinities, zeros of either sign, subnormals, the largest, and numbers."""
    mantissa, exponent = (23, 255) if kind == "f32" else (52, 2047)
    sign, quiet = 1 << (31 if kind == "f32" else 63), 1 << mantissa - 1
    infinity = exponent << mantissa
    named = [infinity, infinity | sign, infinity | quiet, infinity | quiet | 0x1234, sign | infinity | quiet | 7]
    named += [0, sign, 1, sign | 1, (1 << mantissa) - 1, 1 << mantissa, infinity - 1, sign | infinity - 1]
    return [named[i] if i < len(named) else bits_of(rng.random() - 0.5, kind) for i in range(count)]


def lossless(kind, seed):
    """Three frames: the second has all values of the first, the third others."""
    rng, frames, n = random.Random(seed), [], 40
    bits = [special_bits(kind, n, rng) for _ in range(3)]
    following = [special_bits(kind, n, rng)[::-1]]
    for number in range(3):
        if number == 2:
            bits = [column[1:] + column[:1] for column in bits]
            following = [special_bits(kind, n, rng)]
        fields = [Field(kind, ["x", "y", "z"], bits, leading=True), number_field("i64", ["id"], [range(1, n + 1)])]
        fields.append(Field(kind, ["c_stress"], following))
        frames.append(Frame(fields, number, NO_BOX))
    return Source(frames, key_interval=3, metadata={})


def integers(seed):
    """Of all 64 bits; the file has nothing else."""
    rng, frames, n = random.Random(seed), [], 60
    ids = [(i - 30) * (2**63 // 31) for i in range(n)]
    for number in range(4):
        wide = [rng.getrandbits(64) - 2**63 for _ in range(n)]
        edges = [(-(2**63), 2**63 - 1, 0, -1, 1)[(i + number) % 5] for i in range(n)]
        small = [i // 7 + number * (i == 9) for i in range(n)]
        fields = [number_field("i64", ["id"], [ids]), number_field("i64", ["wide", "edges"], [wide, edges])]
        fields.append(number_field("i64", ["mol"], [small]))
        frames.append(Frame(fields, -(2**62) + number, NO_BOX))
    return Source(frames, key_interval=4, metadata={"columns": ["id", "wide", "edges", "mol"]})


# Of the bound 0.01. For large values of 32 bits, an encoder would choose a smaller one.
USUAL_STEP_F32 = 0.01995847705984488


def without_ids(kind, seed, particles):
    """Only key frames are possible. Enough particles for a full block and values for every block mode."""
    rng, frames = random.Random(seed), []
    for number, (n, spread) in enumerate(((particles, 3.0), (70, 1e6), (40, 4e11))):
        axes = [[math.floor(spread * rng.random() * 1024) / 1024 for _ in range(n)] for _ in range(3)]
        if number == 0:  # a block of few segments, far apart
            axes = [[x + 90.0 * (i % 3) for i, x in enumerate(axis)] for axis in axes]
        for i, value in enumerate(STRANGE[kind]):
            axes[i % 3][5 * i] = value
        mark = [1 + i / 4096 for i in range(n)]
        fields = [number_field(kind, ["x", "y", "z"], axes, bound=0.01, leading=True, step=USUAL_STEP_F32 if kind == "f32" else 0.0)]
        fields.append(number_field(kind, ["mark"], [mark]))
        fields.append(number_field(kind, ["fx"], [[rng.random() - 0.5 for _ in range(n)]], bound=0.05))
        frames.append(Frame(fields, number, NO_BOX))
    return Source(frames, identity="mark")


def empty():
    """Frames without particles: the first, and one in the middle."""
    simulation = Simulation(Motion(seed=40, particles=0, arrive=5, frames=4))
    frames = [simulation.frame()]
    for _ in range(2):
        simulation.step()
        frames.append(simulation.frame())
        simulation.particles = []
        simulation.motion.arrive = 3
    simulation.motion.arrive = 0
    simulation.step()
    frames.append(simulation.frame())
    return Source(frames, key_interval=10)


def doubled():
    """In the order of ids, of which each occurs twice."""
    frame = Simulation(Motion(41, 300, 1, "crystal", lossless=False)).frame()
    frame.fields[1] = number_field("i64", ["id"], [[i // 2 for i in range(300)]])
    frame.fields.append(number_field("i64", ["mark"], [range(300)]))
    return Source([frame], order="id", identity="mark")


# ---- matter, for codings that model it


def modelled_sources():
    dense = dict(effort="dense")
    return {
        "modelled_liquid": of_matter(liquid(4, 20), 8, 5, 0.001, **dense),
        "modelled_crystal": of_matter(Vibrations(51, 5), 6, 5, 0.001, **dense),
        "modelled_molecules": of_matter(Waters(52, 250, 20.0), 1, 4, 0.01, order="id", **dense),
        "cells": of_matter(Vibrations(54, 6), 5, 2, 0.01, with_ids=False, **dense),
        "cells_charged": of_matter(Vibrations(62, 6), 5, 1, 0.01, with_ids=False, charged=True, **dense),
        "cells_liquid": of_matter(liquid(5, 12), 4, 2, 0.01, with_ids=False, **dense),
    }


def scan_lines(kind, components, count, noise, frames=1, at_rest=False):
    """Along lines there and back, with gaps, values that no grid holds, and noise in the last component; velocities are 0, if
    there are any. No particle is in two frames."""
    rng = random.Random(55)
    made = []
    for number in range(frames):
        at, way, rows = [0.0] * components, 1.0, []
        for i in range(count):
            rows.append([at[0] + rng.uniform(-0.01, 0.01), *at[1:-1], rng.gauss(0, noise)])
            at[0] += way
            if i % 90 == 89:
                at[1], way = at[1] + 2.0, -way
            if i % 700 == 650:
                at[0] += 3000.0
        rows[5][0], rows[count - 1][1] = math.nan, math.inf
        usual = 2 * USUAL_STEP_F32 if kind == "f32" else 0.0
        fields = [number_field(kind, ["x", "y", "z"][:components], zip(*rows), bound=0.02, leading=True, step=usual)]
        fields.append(number_field("i64", ["id"], [range(number * count, (number + 1) * count)]))
        # Whole numbers, of which an encoder would make a grid of its own.
        step = 0.1997068407945335 if kind == "f32" else 0.199951171875
        fields.append(number_field(kind, ["intensity"], [[float(i // 50 % 3) for i in range(count)]], bound=0.1, step=step))
        fields.append(number_field(kind, ["exact"], [[1 / 3] * count]))
        if at_rest:
            fields.append(number_field(kind, ["vx", "vy", "vz"], [[0.0] * count] * 3, bound=0.02))
        made.append(Frame(fields, number, NO_BOX))
    return Source(made, key_interval=10, order="memory")


NAMES = {"columns": ["x", "y", "z", "id", "type"], "elements": ["C", "H", "O"], "type_labels": ["c3", "hc", "oh"]}
NAMES.update(generator="golden", atom_style="full", command="dump 1 all gpz 100", timestep_size=0.005)


@functools.cache
def sources():
    """By name of the golden file."""
    return {
        "example": example(),
        "key-place-f64": without_ids("f64", 1, 1040),
        "key-place-f32": without_ids("f32", 2, 300),
        "key-id-chains-f64": trajectory(
            Motion(3, 1060, 1, "chains", bound=0.02, velocity_bound=0.02, images=False, lossless=False, beyond=0.4), order="id"
        ),
        "key-id-crystal-f32": trajectory(Motion(4, 300, 1, "crystal", "f32", beyond=0.5), order="id"),
        "key-id-gaps-f64": trajectory(Motion(5, 300, 1, "chains", id_step=40, velocity_bound=0.001, lossless=False), order="id"),
        "key-id-special-f64": trajectory(
            Motion(6, 250, 2, "crystal", speed=0.01, special=0.01, shuffle=True, lossless=False), order="id"
        ),
        "key-id-doubled-f64": doubled(),
        "difference-f64": trajectory(Motion(7, 50, 8, rest_in=4), key_interval=7),
        "difference-f32": trajectory(Motion(8, 80, kind="f32"), key_interval=6),
        "difference-block-f64": trajectory(
            Motion(9, 1030, 2, bound=0.05, speed=0.02, images=False, velocities=False, lossless=False), key_interval=2
        ),
        "difference-triples-f64": trajectory(Motion(10, 200, 5, speed=0.01, bound=0.002, lossless=False), key_interval=6),
        "difference-triples-f32": trajectory(Motion(11, 150, 5, kind="f32", speed=0.01, bound=0.003), key_interval=6),
        "difference-neighbours-f64": trajectory(
            Motion(12, 240, 4, "chains", molecules=3, speed=0.3, lossless=False), key_interval=5, order="id"
        ),
        "difference-neighbours-f32": trajectory(
            Motion(13, 240, 4, "chains", "f32", molecules=3, speed=0.02, lossless=False), key_interval=5, order="id"
        ),
        "difference-exchange-f64": trajectory(
            Motion(14, 40, 6, leave=0.05, arrive=6, shuffle=True, types_change=True), key_interval=8
        ),
        "difference-independent-f64": trajectory(Motion(15, 60, 4, replaced_in=2), key_interval=5),
        "difference-independent-id-f64": trajectory(
            Motion(16, 150, 4, "crystal", speed=0.01, beyond=0.5, replaced_in=2, lossless=False), key_interval=5, order="id"
        ),
        "difference-special-f64": trajectory(Motion(17, 60, 5, special=0.05, leave=0.03, arrive=2), key_interval=6),
        "difference-special-f32": trajectory(Motion(18, 80, 5, kind="f32", special=0.05), key_interval=6),
        "difference-beyond-f64": trajectory(Motion(19, 80, 5, beyond=0.4, speed=0.5), key_interval=6),
        "difference-images-f64": trajectory(Motion(20, 60, 5, speed=2.0, boundary="pppppp"), key_interval=6),
        "difference-lossless-f64": trajectory(Motion(21, 20, 3, bound=0.0, velocity_bound=0.0), key_interval=4),
        "lossless-f64": lossless("f64", 22),
        "lossless-f32": lossless("f32", 23),
        "integers": integers(24),
        "two-dimensions-f64": trajectory(Motion(25, 80, 4, dimension=2, boundary="pppmff"), key_interval=6),
        "triclinic-f64": trajectory(Motion(26, 80, 3, tilt=(0.5, -1.0, 0.25), boundary="pppppp"), key_interval=3),
        "general-triclinic-f64": trajectory(Motion(27, 80, 3, general=True, boundary="pppppp"), key_interval=3),
        "chunks-f64": trajectory(Motion(28, 60, 4, leave=0.02, arrive=4, speed=0.5, chunks=4, lossless=False), key_interval=3),
        "chunks-id-f32": trajectory(
            Motion(29, 300, 3, "crystal", "f32", speed=0.01, lossless=False, chunks=3), key_interval=4, order="id"
        ),
        "elements": trajectory(Motion(30, 40, 2, display=ELEMENT), key_interval=2, metadata=NAMES),
        "type-labels": trajectory(Motion(31, 40, 2, display=TYPE_LABEL), key_interval=2, metadata=NAMES),
        "empty": empty(),
        **modelled_sources(),
        **molecule_sources(),
        **classed_sources(),
        "tables": with_tables(trajectory(Motion(63, 20, 4, lossless=False), key_interval=3)),
        "sequence-f32": scan_lines("f32", 3, 4200, 40),
        "sequence-f64": scan_lines("f64", 2, 1500, 0.1, frames=2),
        "sequence-at-rest-f64": scan_lines("f64", 2, 1500, 0.1, at_rest=True),
    }
