# SPDX-License-Identifier: BSD-3-Clause
"""The data behind the golden files: frames of seeded particles, made with operations that give the same bits on every machine
(+ - * / and Python's Mersenne Twister)."""

import math
import random
import struct
from dataclasses import dataclass, field

NUMBER, ELEMENT, TYPE_LABEL = 0, 2, 4  # how an integer field is shown
NO_BOX = {"kind": 0, "dimension": 3, "boundary": "", "values": [0.0] * 12}


def bits_of(value, kind):
    """Of a number in a file: an unsigned integer."""
    if kind == "i64":
        return value % 2**64
    code, bits = ("<f", "<I") if kind == "f32" else ("<d", "<Q")
    return struct.unpack(bits, struct.pack(code, value))[0]


@dataclass
class Field:
    """Values are bit patterns, `bits[component][particle]`, as a file holds them."""

    type: str  # i64, f32, f64
    names: list
    bits: list
    bound: float = 0.0
    leading: bool = False
    display: int = NUMBER
    step: float = 0.0  # 0: the widest grid step that keeps the bound


def number_field(kind, names, values, **more):
    """`values[component][particle]`: numbers."""
    return Field(kind, list(names), [[bits_of(v, kind) for v in column] for column in values], **more)


@dataclass
class Frame:
    fields: list
    timestep: int
    box: dict
    time: float | None = None
    sizes: list | None = None  # particles of each chunk, whose rows follow each other; None: one chunk

    @property
    def particles(self):
        return len(self.fields[0].bits[0]) if self.fields else 0


@dataclass
class Source:
    """What a golden file is made of."""

    frames: list
    key_interval: int = 1
    order: str = "place"  # or "id", "memory": of particles in independent chunks
    effort: str = "fast"  # or default, dense
    features: int = 7  # required features that the file may name: all that there were when the golden file was made
    chunks: int = 1
    identity: str = "id"  # column by which particles are found again: no two of a frame have the same value in it
    metadata: dict = field(default_factory=lambda: {"units": "lj"})

    def as_json(self):
        frames = []
        for frame in self.frames:
            fields = [vars(f) for f in frame.fields]
            frames.append({**vars(frame), "fields": fields, "particles": frame.particles})
        return {**vars(self), "frames": frames}


# ---- particles that move


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
        fields = [number_field(kind, ["x", "y", "z"], axes, bound=0.01, leading=True)]
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


def of_matter(matter, steps, frames, bound, with_ids=True, **more):
    """Every few steps a frame. Without ids there is a mark that tells the particles apart."""
    made, edge, count = [], matter.edge, len(matter.places)
    for number in range(frames):
        if number > 0:
            matter.run(steps)
        axes = [[place[d] - edge * math.floor(place[d] / edge) for place in matter.places] for d in range(3)]
        fields = [number_field("f64", ["x", "y", "z"], axes, bound=bound, leading=True)]
        fields.append(number_field("i64", ["id"] if with_ids else ["mark"], [range(1, count + 1)]))
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


def of_molecules(molecules, frames, edges, tilts=(0.0, 0.0, 0.0), events=None, boundary="pppppp", brick=False, rest_in=-1):
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
    return Source(made, key_interval=10, order="id", effort="default", features=15)


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


def molecule_sources():
    return {
        "molecules": of_molecules(
            Molecules(61, 50, 12, 14, 15.0), 8, (15.0, 16.0, 17.0), events=comings_and_goings, rest_in=2
        ),
        "molecules_tilted": of_molecules(Molecules(62, 40, 8, 14, 40.0), 4, (40.0, 37.0, 34.0), (12.0, -9.0, 15.0)),
        "molecules_brick": of_molecules(Molecules(65, 20, 10, 20, 40.0), 3, (40.0, 37.0, 34.0), (12.0, -9.0, 15.0), brick=True),
        "molecules_open": of_molecules(Molecules(63, 30, 8, 16, 40.0, flat=True), 4, (40.0, 43.0, 42.0), boundary="ppppss"),
    }


def modelled_sources():
    dense = dict(effort="dense")
    usual = dict(effort="default", order="id")
    return {
        "modelled_liquid": of_matter(liquid(4, 20), 8, 5, 0.001, **dense),
        "modelled_crystal": of_matter(Vibrations(51, 5), 6, 5, 0.001, **dense),
        "modelled_molecules": of_matter(Waters(52, 250, 20.0), 1, 4, 0.01, **usual),
        "modelled_ordered": of_matter(Waters(53, 150, 17.0), 1, 1, 0.02, **usual),
        "cells": of_matter(Vibrations(54, 6), 5, 2, 0.01, with_ids=False, **dense),
        "cells_liquid": of_matter(liquid(5, 12), 4, 2, 0.01, with_ids=False, **dense),
    }


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


def scan_lines(kind, components, count, noise, frames=1):
    """Along lines there and back, with gaps, values that no grid holds, and noise in the last component. No particle is in two
    frames."""
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
        fields = [number_field(kind, ["x", "y", "z"][:components], zip(*rows), bound=0.02, leading=True)]
        fields.append(number_field("i64", ["id"], [range(number * count, (number + 1) * count)]))
        # Whole numbers, of which an encoder would make a grid of its own.
        step = 0.1997068407945335 if kind == "f32" else 0.199951171875
        fields.append(number_field(kind, ["intensity"], [[float(i // 50 % 3) for i in range(count)]], bound=0.1, step=step))
        fields.append(number_field(kind, ["exact"], [[1 / 3] * count]))
        made.append(Frame(fields, number, NO_BOX))
    return Source(made, key_interval=10, order="memory")


NAMES = {"columns": ["x", "y", "z", "id", "type"], "elements": ["C", "H", "O"], "type_labels": ["c3", "hc", "oh"]}
NAMES.update(generator="golden", atom_style="full", command="dump 1 all gpz 100", timestep_size=0.005)


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
        "sequence-f32": scan_lines("f32", 3, 4200, 40),
        "sequence-f64": scan_lines("f64", 2, 1500, 0.1, frames=2),
    }
