# SPDX-License-Identifier: BSD-3-Clause
"""Section 9c of docs/format.md: molecules. Slow and plain on purpose."""

from math import frexp

from .block import residual_of
from .bonds import KIND_CONTEXTS, MOST_KINDS, PARTS, KindHistory, half_octaves
from .codec import require
from .difference import Axis, limited, signed
from .molecule_classes import Class, Sums
from .molecule_ways import ABOVE, BESIDE, BEYOND, LAST, USUAL, WIDE, Axes, ExpectedWay, Particle, clamp
from .numbers import NumberStream, segment_streams

NEW, TILTED, BRICK, QUIET = 1, 2, 4, 8  # flags
MOST_LEVELS = 40  # base and levels together
LARGEST_TILT = 2**52
LARGEST_WAY, LARGEST_STEP = 2**20, 2**29  # components of ways and displacements
LARGEST_EXPECTED = 2**30
FAR = 255  # slots
SEGMENT = 4096
MOST_CLASSES = 256
FINEST = 7


# ---- images


class Box:
    def __init__(self, axes, tilts=(0, 0, 0), brick=False):
        self.lo, self.brick = [axis.lo for axis in axes], brick
        self.period = [axis.period if axis.periodic else 0 for axis in axes]
        xy, xz, yz = tilts
        px, py, pz = self.period
        edges = (px, 0, 0), (xy, py, 0), (xz, yz, pz)
        self.edges = [edge if period else (0, 0, 0) for edge, period in zip(edges, self.period)]

    def add(self, place, image):
        """The place plus image times edges."""
        return [signed(p + sum(k * edge[d] for k, edge in zip(image, self.edges))) for d, p in enumerate(place)]

    def short(self, way):
        """The short way and the image."""
        image = [0, 0, 0]
        for d in (2, 1, 0):
            half = self.period[d] // 2
            if self.period[d] and abs(way[d]) > half:
                image[d] = 1 if way[d] > half else -1
                way = [signed(w - image[d] * e) for w, e in zip(way, self.edges[d])]
        return way, tuple(image)

    def wrapping(self, place):
        """The image that wraps a place."""
        image, fraction = [0, 0, 0], [0.0, 0.0, 0.0]
        for d in (2, 1, 0):
            period = self.period[d]
            if period == 0:
                continue
            lo = self.lo[d]
            if not self.brick:
                for k in range(2, d, -1):
                    lo += int(self.edges[k][d] * fraction[k])
            if place[d] < lo:
                image[d] = 1
            elif place[d] >= lo + period:
                image[d] = -1
            place = [signed(p + image[d] * e) for p, e in zip(place, self.edges[d])]
            fraction[d] = clamp(float(place[d] - lo) / float(period), 2.0)
        return tuple(image)


# ---- who hangs on whom


def take_lags(cursor, particles):
    """The parent of each particle; None: it is a root."""
    (count,) = cursor.unpack("B")
    lags = cursor.unpack(f"{count}B")
    require(count <= MOST_KINDS and 0 not in lags, "lags of molecules")
    cursor.skip_padding()
    (length,) = cursor.unpack("Q")
    numbers, history, parents = NumberStream(cursor.take(length), KIND_CONTEXTS), KindHistory(), []
    for i in range(particles):
        expected, number = history.expected(), numbers.get(history.context())
        kind = expected if number == 0 else number - 1 if number <= expected else number
        require(kind <= count, "an unknown lag")
        require(kind == 0 or lags[kind - 1] <= i, "a particle hangs on nobody")
        parents.append(None if kind == 0 else i - lags[kind - 1])
        history.add(kind)
    numbers.end()
    return parents


def find_links(parents):
    """along and across of each particle, as Axes takes them: (slot, word), or None."""
    children = [[] for _ in parents]  # so far

    def near(i, j, word):
        return (j, word) if i - j <= FAR else None

    links = []
    for i, p in enumerate(parents):
        along = across = None
        if p is not None and parents[p] is None:
            if children[p]:
                along = near(i, children[p][-1], BESIDE)
            if along and len(children[p]) > 1:
                across = near(i, children[p][-2], BESIDE)
        elif p is not None:
            g = parents[p]
            along = near(i, g, ABOVE)
            others = [j for j in children[g][:2] if j != p]
            if along and children[p] and i - children[p][-1] <= FAR:
                across = children[p][-1], BESIDE
            elif along and parents[g] is not None:
                across = near(i, parents[g], ABOVE)
            elif along and others:
                across = near(i, others[0], BEYOND)
        links.append((along, across))
        if p is not None:
            children[p].append(i)
    return links


def find_segments(parents):
    """The slots at which segments end."""
    least, first = [], len(parents)  # the first parent of those from i on
    for i in reversed(range(len(parents))):
        first = min(first, i if parents[i] is None else parents[i])
        least.append(first)
    least.reverse()
    ends, start = [], 0
    for i in range(len(parents)):
        if i - start >= SEGMENT and least[i] >= i:
            ends.append(i)
            start = i
    return [*ends, len(parents)]


def find_classes(parents, links, ways):
    """The class of each particle, and how many there are."""
    children = [0] * len(parents)
    for p in parents:
        if p is not None:
            children[p] += 1
    numbers, classes = {(-1, 0, 0, 0): 0}, []
    for i, p in enumerate(parents):
        if p is None:
            traits = -1, min(children[i], 5), 0, 0
        else:
            is_below_root = parents[p] is None
            squares = sum(w * w for w in ways[i])
            known = sum(link is not None for link in links[i])
            traits = half_octaves(squares), min(children[i], 3), min(children[p], 4), 2 * known + is_below_root
        if traits not in numbers and len(numbers) == MOST_CLASSES:
            classes.append(MOST_CLASSES - 1)
        else:
            classes.append(numbers.setdefault(traits, len(numbers)))
    return classes, len(numbers)


# ---- sections


class Molecules:
    """What is remembered of field 0 for sections of molecules, since the independent chunk."""

    def __init__(self, count):
        self.parents, self.class_of, self.particles, self.classes = [None] * count, [0] * count, [], []
        self.at = None  # frame of the last section

    def remove(self, slots, particles):
        gone = set(slots)
        staying = [slot for slot in range(particles) if slot not in gone]
        slot_of = {slot: i for i, slot in enumerate(staying)}
        parents, class_of = [], []
        for slot in staying:
            parent = slot_of.get(self.parents[slot])
            parents.append(parent)
            class_of.append(0 if parent is None and self.parents[slot] is not None else self.class_of[slot])
        self.parents, self.class_of = parents, class_of
        self.particles = [self.particles[slot] for slot in staying]
        if not staying:
            self.classes = []

    def append(self, count):
        self.parents += [None] * count
        self.class_of += [0] * count
        self.particles += [Particle() for _ in range(count)]

    def take_classes(self, cursor, links):
        """Those of new molecules."""
        self.class_of, count = find_classes(self.parents, links, [list(map(int, particle.way)) for particle in self.particles])
        self.classes = []
        for number in range(count):
            members = [particle for particle, c in zip(self.particles, self.class_of) if c == number]
            mean_length = 0.0
            for particle in members:
                mean_length += particle.length
            self.classes.append(Class(len(members), mean_length / len(members) if members else 0.0, *cursor.unpack("3B")))
        cursor.skip_padding()


def take_box(cursor, brick):
    places, tilts = cursor.unpack("6q"), cursor.unpack("3q")
    require(max(map(abs, tilts)) <= LARGEST_TILT, "tilts of molecules")
    return Box([Axis(*axis) for axis in zip(places[::2], places[1::2])], tilts, brick)


class Pass:
    """The pass over the particles."""

    def __init__(self, cursor, history, axes, memory, is_known):
        """`is_known`: whether the last frame had a section of molecules."""
        self.memory, self.last = memory, list(zip(*history.index))
        self.box = Box(axes)
        flags, self.base, self.levels = cursor.unpack("3B")
        require(not any(cursor.take(5)), "reserved bytes of molecules are not zero")
        require(flags < 16 and (flags & TILTED or not flags & BRICK), "flags of molecules")
        require(self.levels >= 1 and self.base + self.levels <= MOST_LEVELS, "levels of molecules")
        if flags & TILTED:
            self.box = take_box(cursor, bool(flags & BRICK))
        self.quiet = bool(flags & QUIET)
        (count,) = cursor.unpack("Q")
        given = [cursor.unpack("Q3q") for _ in range(count)]
        slots = [slot for slot, *_ in given]
        require(all(a < b for a, b in zip(slots, slots[1:])), "exceptions are out of order")
        require(not slots or slots[-1] < len(self.last), "an exception of nobody")
        self.exceptions = {slot: index for slot, *index in given}

        if flags & NEW:
            memory.parents = take_lags(cursor, len(self.last))
        require(flags & NEW or memory.classes, "molecules that were never given")
        self.links = find_links(memory.parents)
        if flags & NEW or not is_known:
            self.recall()
        if flags & NEW:
            memory.take_classes(cursor, self.links)
        self.fine = max(0, min(FINEST + 1 - self.base, self.levels))
        self.group = self.levels + 3 * self.fine  # contexts of usual components, and as many of last ones
        self.sides = 2 * self.group + self.levels
        self.images = self.sides + 8
        self.ends = find_segments(memory.parents)
        self.streams = segment_streams(cursor.rest(), self.images + 4, len(self.ends))

    def short_way(self, places, i, p):
        way, image = self.box.short([signed(a - b) for a, b in zip(places[i], places[p])])
        return [float(limited(w, LARGEST_WAY)) for w in way], image

    def recall(self):
        """Makes the memory from the last indices."""
        parents, particles = self.memory.parents, [Particle() for _ in self.last]
        self.memory.particles = particles
        for i, p in enumerate(parents):
            if p is not None:
                particles[i].way, particles[i].image = self.short_way(self.last, i, p)
        for i, p in enumerate(parents):
            if p is not None:
                particles[i].update_place(self.axes(i))

    def axes(self, i):
        particles, parents = self.memory.particles, self.memory.parents
        parent = parents[i]
        above = parents[parent]
        links = [link and (particles[link[0]], link[1]) for link in self.links[i]]
        return Axes(links, particles[parent], above is not None and particles[above])

    def read(self):
        """The indices, a list a component."""
        memory = self.memory
        self.index = []
        self.moves = [(particle.y, particle.y_before) for particle in memory.particles]  # of the last frame
        sums = []  # of the classes of each segment
        for end, self.stream in zip(self.ends, self.streams):
            sums.append([Sums() for _ in memory.classes])
            for i in range(len(self.index), end):
                self.index.append(self.read_particle(i, sums[-1]))
            self.stream.end()
        for number, fitted in enumerate(memory.classes):
            fitted.update([of_segment[number] for of_segment in sums])
        return [list(column) for column in zip(*self.index)]

    def read_particle(self, i, sums):
        memory, p = self.memory, self.memory.parents[i]
        particle, number = memory.particles[i], memory.class_of[i]
        fitted, of_class = memory.classes[number], sums[number]
        index, is_given = self.exceptions.get(i), i in self.exceptions
        if p is None:
            if is_given:
                step, _ = self.box.short([signed(a - b) for a, b in zip(index, self.last[i])])
                particle.y = [float(limited(y, LARGEST_STEP)) for y in step]
            else:
                particle.y = self.read_root(particle, fitted, of_class, fitted.is_sampled(i))
                index = self.read_index(self.last[i], particle.y, None, particle)
        else:
            axes, last_way, parent_y = self.axes(i), particle.way, memory.particles[p].y
            if is_given:
                particle.way, particle.image = self.short_way([index, self.index[p]], 0, 1)
            else:
                way = ExpectedWay(particle, self.moves[p], parent_y, axes, fitted)
                particle.way = way.read(self.read_component, self.read_side)
                particle.update_scale(way.learn(of_class, fitted.is_sampled(i)))
                index = self.read_index(self.index[p], particle.way, particle.image, particle)
            moved = zip(parent_y, particle.way, last_way)
            particle.y = [clamp(y + w - last, float(LARGEST_STEP)) for y, w, last in moved]
            particle.update_place(axes)
        particle.y_before = self.moves[i][0]
        return index

    def read_root(self, particle, fitted, sums, is_sampled):
        features = list(zip(particle.y, particle.y_before))
        a, b = fitted.weights["motion"][:2]
        s = particle.scale
        d = s * fitted.off_length
        variance = d * d + 1.0 / 6
        expected = [a * y + b * y_before for y, y_before in features]
        step = [float(self.read_component(e, variance, USUAL, LARGEST_STEP)) for e in expected]
        off = sum(abs(y - e) for y, e in zip(step, expected)) / 3
        sums.add(count=1, off_length=off / s)
        if is_sampled:
            sums.add(samples=1)
            for (y, y_before), target in zip(features, step):
                sums.fits["motion"].add((y, y_before, 0.0, 0.0), target)
        particle.update_scale(off / fitted.off_length)
        return step

    def read_component(self, expected, variance, kind, most=LARGEST_WAY):
        n = limited(round(clamp(PARTS * expected, float(LARGEST_EXPECTED))), LARGEST_EXPECTED) + PARTS // 2
        level = limited(max(frexp(variance)[1] + 2, 0), MOST_LEVELS - 1)
        j = min(max(level - self.base, 0), self.levels - 1)
        fraction = n % PARTS
        part = (31 - fraction if fraction < 32 else fraction - 32) >> 3
        if kind == WIDE:
            context = 2 * self.group + j
        else:
            context = (self.group if kind == LAST else 0) + (4 * j + part if j < self.fine else j + 3 * self.fine)
        return limited((n >> 6) + residual_of(self.stream.get(context), n), most)

    def read_side(self, t):
        """Whether it is the other one."""
        return self.stream.get(self.sides + int(min(2 * t, 7))) != 0

    def read_index(self, start, way, usual, particle):
        """`usual`: the image of the last frame; None for roots."""
        place = [signed(a + int(w)) for a, w in zip(start, way)]
        wrapping = self.box.wrapping(place)
        image = usual or (0, 0, 0)
        differ = image != wrapping
        if differ or not self.quiet:
            number = self.stream.get(self.images + (0 if usual is None else 2) + differ)
            if number == 0:
                image = wrapping
            elif number >= 2:
                c = (number - 2) % 27
                image = c % 3 - 1, c // 3 % 3 - 1, c // 9 % 3 - 1
        particle.image = image
        return self.box.add(place, image)


def read_molecules(cursor, history, t, axes):
    """The indices of a section of molecules, to the end of the cursor, a list a component."""
    require(len(axes) == 3, "molecules of other than three components")
    if history.molecules is None:
        history.molecules = Molecules(len(history.index[0]))
    is_known, history.molecules.at = history.molecules.at == t - 1, t
    return Pass(cursor, history, axes, history.molecules, is_known).read()
