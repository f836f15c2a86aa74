# SPDX-License-Identifier: BSD-3-Clause
"""Sections 10b and 10j of docs/format.md: bonds, and codings 5 and 12 of section 10. Slow and plain on purpose."""

import struct
from math import isqrt

from .codec import MASK, ceil_div, require
from .difference import displacement, limited, other_image, signed
from .numbers import NumberStream, segment_streams

PARTS = 64  # of a grid step
LONGEST = 2**26  # lengths, in these parts
LONGEST_OF_CIRCLE = 2**19
LARGEST_BOND_LAG = 255
MOST_KINDS = 63
LARGEST_LAG = 1023
KIND_CONTEXTS = 16
HASHES = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
LEVELS = 24
LARGEST_BASE = 64
ESCAPE = 2**32 - 1

# Contexts of numbers in a section of codings 5 and 12.
UNBOUND, SPHERE, CHAIN, SIDE = 0, 25, 50, 75
CLASSES, ANY_SIDE, FLAG, CONTEXTS = 82, 106, 108, 109


def quotient(a, b):
    """Rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3] for d in range(3)]


# ---- the table


class Kind:
    def __init__(self, lags, lengths):
        self.lags, self.lengths = lags, lengths
        self.is_circle, self.is_fixed = lags[1] != 0, lengths[0] != 0
        require(0 < lags[0] <= LARGEST_BOND_LAG and lags[1] <= LARGEST_BOND_LAG, "a bond has a lag out of range")
        if self.is_circle:
            require(lags[0] != lags[1] and self.is_fixed, "a circle without a sphere")
            require(max(lengths) < LONGEST_OF_CIRCLE, "a circle is too large")
        else:
            require(lengths[0] < LONGEST and lengths[1] == 0, "a length out of range")

    def sphere(self):
        return Kind((self.lags[0], 0), (self.lengths[0], 0))


class KindHistory:
    def __init__(self):
        self.kinds, self.short, self.long, self.hits = [0] * 12, [0] * 4096, [0] * 4096, 0

    def place(self, count):
        """Of the last `count` kinds."""
        low = sum(kind << 6 * j for j, kind in enumerate(reversed(self.kinds[-min(count, 6) :])))
        high = sum(kind << 6 * j for j, kind in enumerate(reversed(self.kinds[-12:-6]))) if count == 12 else 0
        return (low * HASHES[0] & MASK ^ high * HASHES[1] & MASK) >> 52

    def expected(self):
        known = self.long[self.place(12)]
        return known - 1 if known else self.short[self.place(5)]

    def context(self):
        return (8 if self.long[self.place(12)] else 0) + self.hits

    def add(self, kind):
        self.hits = (2 * self.hits + (kind == self.expected())) % 8
        self.short[self.place(5)] = kind
        self.long[self.place(12)] = kind + 1
        self.kinds.append(kind)


def take_kinds(numbers, kinds, particles):
    """A number for each particle that stands in a stream: 0, or 1 + that of its kind."""
    history, found = KindHistory(), []
    for i in range(particles):
        expected, number = history.expected(), numbers.get(history.context())
        kind = expected if number == 0 else number - 1 if number <= expected else number
        require(kind <= len(kinds), "an unknown kind of bonds")
        require(kind == 0 or max(kinds[kind - 1].lags) <= i, "a bond leads to nobody")
        found.append(kind)
        history.add(kind)
    numbers.end()
    return found


def take_bonds(cursor, particles, segment=None):
    """The kinds, and the number of that of each particle. `segment`: particles that are decoded without the others; None: there is one stream."""
    (count,) = cursor.unpack("Q")
    require(0 < count <= MOST_KINDS, "there are too many kinds of bonds, or none")
    kinds = []
    for _ in range(count):
        *lags, first, second = cursor.unpack("HHII")
        kinds.append(Kind(tuple(lags), (first, second)))
    (length,) = cursor.unpack("Q")
    cursor.skip_padding()
    data, numbers = cursor.take(length), []
    if segment is None:
        return kinds, take_kinds(NumberStream(data, KIND_CONTEXTS), kinds, particles)
    for stream, start in zip(segment_streams(data, KIND_CONTEXTS, ceil_div(particles, segment)), range(0, particles, segment)):
        numbers += take_kinds(stream, kinds, min(segment, particles - start))
    return kinds, numbers


# ---- bound particles


class BoundWay:
    def __init__(self, kind, between, expected=None):
        """`expected` in 1/64 steps; None: the way may have any direction."""
        self.anywhere, self.circle = expected is None, kind.is_circle
        self.expected_way = [0] * 3 if expected is None else list(expected)
        self.length, self.level = kind.lengths[0], 0
        self.left = self.length**2
        if self.circle:
            bits = (max(kind.lengths) // PARTS).bit_length()
            self.shift = min(6, 13 - bits)
            b = self.between = [x << self.shift for x in between]
            self.circle = max(map(abs, b)) < 2**14
        if self.circle:
            first, second = (length**2 >> 2 * (6 - self.shift) for length in kind.lengths)
            self.left, self.plane, self.unit = first, (first - second + dot(b, b)) >> 1, 1 << (6 - self.shift)
            if self.anywhere:
                if any(b):
                    self.expected_way = [quotient(self.plane * x * self.unit, dot(b, b)) for x in b]
                start = min(range(3), key=lambda d: abs(b[d]))
            else:
                along = cross(self.expected_way, b)
                start = max(range(3), key=lambda d: abs(along[d]))
        elif self.anywhere:
            start = 0
        else:
            start = max(range(3), key=lambda d: abs(self.expected_way[d])) + 1
        self.axes = [(start + step) % 3 for step in range(3)]
        self.side_step = 1 if self.circle else 2

    def expected(self, step):
        return self.expected_way[self.axes[step]]

    def class_of(self, step):
        if self.circle:
            return 8 + self.level if step else 23 if self.anywhere else 7
        if step == 2:
            return 1 + self.level
        return 0 if not self.anywhere else 14 if step == 0 else 15 + self.level

    def take_other_side(self):
        if self.circle:
            self.take_cut(1 - self.nearer)
        else:
            self.expected_way[self.axes[2]] *= -1

    def update(self, step, way):
        if step == 2:
            return
        if self.circle:
            if step == 0:
                self.cut_circle(limited(way, 2**14 >> self.shift) << self.shift)
            else:
                off = [abs(cut[0] - PARTS * limited(way, 2**34)) for cut in self.cuts]
                if off[1 - self.nearer] + 2 * PARTS < off[self.nearer]:
                    self.take_cut(1 - self.nearer)
            return
        self.left -= (PARTS * limited(way, 2**21)) ** 2
        if step == 0:
            self.level = max(self.left, 0) * 7 // self.length**2
            return
        self.level = 5
        if self.left < -4 * PARTS * self.length:
            return
        root = isqrt(max(self.left, 0))
        self.level = sum(16 * root < part * self.length for part in (13, 10, 8, 4, 2))
        z = self.axes[2]
        self.expected_way[z] = -root if self.expected_way[z] < 0 else root

    def cut_circle(self, x):
        bx, by, bz = (self.between[d] for d in self.axes)
        square, rest = by**2 + bz**2, self.plane - x * bx
        cut = (self.left - x**2) * square - rest**2
        root = isqrt(max(cut, 0))
        here = [self.expected_way[d] for d in self.axes[1:]]
        self.cuts = [here, here]
        if square:
            self.cuts = [
                [
                    quotient((rest * by - side * bz) * self.unit, square),
                    quotient((rest * bz + side * by) * self.unit, square),
                ]
                for side in (root, -root)
            ]
        octaves = (self.left * square).bit_length() - max(cut, 0).bit_length()
        self.level = max(0, min(5, quotient(octaves, 2)))
        off = [abs(cut[0] - here[0]) + abs(cut[1] - here[1]) for cut in self.cuts]
        self.take_cut(1 if off[1] < off[0] else 0)

    def take_cut(self, k):
        self.nearer = k
        self.expected_way[self.axes[1]], self.expected_way[self.axes[2]] = self.cuts[k]


# ---- frames of molecules


class Frame:
    def __init__(self, u, v, longest):
        bits = (longest // PARTS).bit_length()
        self.shift = max(0, bits - 9)
        self.cross_shift = bits - self.shift
        self.u, self.v = ([x >> self.shift for x in way] for way in (u, v))
        uu, vv, self.uv = dot(self.u, self.u), dot(self.v, self.v), dot(self.u, self.v)
        self.uu, self.vv, self.w = uu, vv, cross(self.u, self.v)
        self.determinant = uu * vv - self.uv**2
        is_short = max(map(abs, self.u + self.v)) < 2**11
        self.valid = is_short and self.determinant > 0 and 32 * self.determinant >= uu * vv

    def way_of(self, place):
        way = []
        for u, v, w in zip(self.u, self.v, self.w):
            parts = place[0] * u + place[1] * v + (place[2] * w >> self.cross_shift)
            way.append(limited(parts << self.shift >> 6, 2**36))
        return way

    def place_of(self, way):
        way = [limited(x >> self.shift, 2**11) for x in way]
        wu, wv = dot(way, self.u), dot(way, self.v)
        numerators = (
            wu * self.vv - wv * self.uv << 12,
            wv * self.uu - wu * self.uv << 12,
            dot(way, self.w) << 12 + self.cross_shift,
        )
        return [limited(quotient(x, self.determinant), 2**18) for x in numerators]


class Site:
    def __init__(self):
        self.place, self.frames, self.scale = [0] * 3, 0, 0

    def add(self, seen):
        part = (0, 1, 2, 2, 3)[self.frames]
        self.place = [old + (new - old >> part) for old, new in zip(self.place, seen)]
        self.frames = min(self.frames + 1, 4)


def next_scale(scale, size):
    now = min(16 * size, 2**28)
    return max(now if scale == 0 else scale - scale // 4 + now // 4, 1)


def half_octaves(scale):
    bits = scale.bit_length()
    return bits if bits < 2 else 2 * bits - (1 if scale >> bits - 2 & 1 else 2)


# ---- sections of codings 5 and 12


class Section:
    """What all particles of a section have in common, and what each segment has of its own."""

    def __init__(self, cursor, particles, axes, segment=None):
        """`segment`: particles that are decoded without the others; None: there are no segments, which is coding 5."""
        self.axes, self.particles, self.segment = axes, particles, segment or particles
        count = len(axes)
        (flags,) = cursor.unpack("B")
        require(flags <= 1 and (flags == 0 or count == 3), "unknown flags of a section")
        self.swapped, *self.lags, self.base, zero = cursor.unpack("BHHBB")
        require(self.swapped >> count == 0, "components that are not there look for a lag")
        require(max(self.lags) <= LARGEST_LAG and self.base <= LARGEST_BASE and zero == 0, "a header out of range")
        self.offsets = [cursor.unpack(f"{count}q") for _ in self.lags]
        for steps in self.offsets:
            for axis, step in zip(axes, steps):
                require(not axis.periodic or 0 <= step < axis.period, "an offset is longer than the period")
        self.first = [inside(index, axis) for index, axis in zip(cursor.unpack(f"{count}q"), axes)]
        self.margins = cursor.unpack(f"{count}I")
        require(count % 2 == 0 or cursor.unpack("I") == (0,), "padding is not zero")
        require(max(self.margins) < 2**31, "a margin is too large")
        segments = ceil_div(particles, self.segment)
        if segment is None:
            counts = cursor.unpack("Q")
        else:
            counts = cursor.unpack(f"{segments}I")
            require(segments % 2 == 0 or cursor.unpack("I") == (0,), "padding is not zero")
        self.exceptions = [struct.unpack(f"<{n}q", cursor.take(8 * n)) for n in counts]
        self.kinds, self.bonds = take_bonds(cursor, particles, segment) if flags else ([], [])
        self.longest = max([kind.lengths[0] for kind in self.kinds], default=0)
        rest = cursor.rest()
        self.streams = [NumberStream(rest, CONTEXTS)] if segment is None else segment_streams(rest, CONTEXTS, segments)

    def read(self, ids):
        """The indices, a list a component. `ids` may be None."""
        if ids is None or any(a >= b for a, b in zip(ids, ids[1:])):
            ids = range(self.particles)
        columns = [[] for _ in self.axes]
        for number, start in enumerate(range(0, self.particles, self.segment)):
            for column, indices in zip(columns, Reader(self, number, ids[start : start + self.segment]).read()):
                column += indices
        return columns


class Reader:
    """Of one segment, which is all of a section of coding 5. Slots are counted from its first particle."""

    def __init__(self, section, number, ids):
        self.axes, self.particles = section.axes, len(ids)
        self.swapped, self.lags, self.base = section.swapped, section.lags, section.base
        self.offsets, self.first, self.margins = section.offsets, section.first, section.margins
        self.kinds, self.longest = section.kinds, section.longest
        start = number * section.segment
        self.bonds = section.bonds[start : start + self.particles]
        self.exceptions, self.stream = list(reversed(section.exceptions[number])), section.streams[number]
        self.ids, self.row_of = ids, {of_particle: i for i, of_particle in enumerate(ids)}
        self.places = [[] for _ in self.axes]
        self.indices = [[0] * self.particles for _ in self.axes]
        self.parents = list(range(self.particles))
        self.sites = {}

    def level(self, scale):
        return LEVELS if scale == 0 else max(0, min(half_octaves(scale) - self.base, LEVELS - 1))

    def value(self, i, d, start, expected, context):
        """Takes component d of particle i, expected so far from `start`; returns the size of the residual."""
        axis = self.axes[d]
        u = self.stream.get(context)
        if u == ESCAPE:
            require(self.exceptions, "an exception is missing")
            index = self.exceptions.pop()
            place = inside(index, axis)
        else:
            x = -(u // 2) if u % 2 == 0 else u // 2 + 1
            residual = x if (expected + 32) & 32 else -x
            place = wrap(signed(start + (expected + 32 >> 6) + residual), axis)
            require(not axis.periodic or axis.lo <= place < axis.lo + axis.period, "a place is outside the box")
            other = other_image(place, self.margins[d], axis)
            index = other if other is not None and self.stream.get(FLAG) else place
        self.indices[d][i] = index
        self.here[d] = place
        rest = displacement(place, signed(start + (expected >> 6)), axis)
        return min(abs(rest), 2**28)

    def place(self, i):
        return [column[i] for column in self.places]

    def follow_chain(self, i, scale):
        size, context = 0, CHAIN + self.level(scale)
        for d, axis in enumerate(self.axes):
            expected = self.first[d]
            if i > 0 and self.lags[0]:
                expected = self.places[d][i - 1]
                for k in (1, 0) if self.swapped >> d & 1 else (0, 1):
                    parent = self.row_of.get(self.ids[i] - self.lags[k]) if self.lags[k] else None
                    if parent is not None:
                        expected = wrap(signed(self.places[d][parent] + self.offsets[k][d]), axis)
                        break
            size += self.value(i, d, expected, 0, context)
        return next_scale(scale, size)

    def way(self, start, end):
        way = [displacement(b, a, axis) for a, b, axis in zip(start, end, self.axes)]
        return way if max(map(abs, way)) <= LONGEST // PARTS else None

    def frame(self, i, parent):
        above = self.parents[parent]
        if above == parent:
            return None
        other = self.parents[above] if self.parents[above] != above else parent
        for j in range(i - 1, max(parent, i - 5), -1):
            if self.parents[j] == parent:
                other = j
                break
        if other == parent:
            return None
        u, v = (self.way(self.place(parent), self.place(j)) for j in (above, other))
        if u is None or v is None:
            return None
        frame = Frame(u, v, self.longest)
        return frame if frame.valid else None

    def bind(self, i, kind, site):
        parent = self.parents[i] = i - kind.lags[0]
        start, frame = self.place(parent), self.frame(i, parent)
        way = frame.way_of(site.place) if frame and site.frames else None
        level, size = self.level(site.scale), 0
        if kind.is_fixed:
            between = self.way(start, self.place(i - kind.lags[1])) if kind.is_circle else None
            if between is not None:
                bound = BoundWay(kind, between)
            else:
                bound = BoundWay(kind.sphere(), None, way)
            for step in range(3):
                if step == bound.side_step:
                    side = ANY_SIDE + (between is not None) if bound.anywhere else SIDE + level // 4
                    if self.stream.get(side):
                        bound.take_other_side()
                d, of_class = bound.axes[step], bound.class_of(step)
                context = SPHERE + level if of_class == 0 else CLASSES + of_class
                size += self.value(i, d, start[d], bound.expected(step), context)
                bound.update(step, displacement(self.here[d], start[d], self.axes[d]))
        else:
            for d in range(3):
                size += self.value(i, d, start[d], (way or [0] * 3)[d], UNBOUND + level)
        seen = self.way(start, self.here)
        if frame and seen is not None:
            site.add(frame.place_of(seen))
        site.scale = next_scale(site.scale, size)

    def site(self, i):
        key = sum((self.bonds[j] if 0 <= j < self.particles else 0) << 6 * (i + 3 - j) for j in range(i - 2, i + 4))
        return self.sites.setdefault((key * HASHES[0] & MASK) >> 52, Site())

    def read(self):
        scale = 0
        for i in range(self.particles):
            self.here = [0] * len(self.axes)
            if not self.bonds:
                scale = self.follow_chain(i, scale)
            else:
                site = self.site(i)
                if self.bonds[i]:
                    self.bind(i, self.kinds[self.bonds[i] - 1], site)
                else:
                    site.scale = self.follow_chain(i, site.scale)
            for column, place in zip(self.places, self.here):
                column.append(place)
        require(not self.exceptions, "there are exceptions left")
        self.stream.end()
        return self.indices


def wrap(index, axis):
    if not axis.periodic:
        return index
    if index < axis.lo:
        return signed(index + axis.period)
    return signed(index - axis.period) if index >= axis.lo + axis.period else index


def inside(index, axis):
    place = wrap(index, axis)
    return place if not axis.periodic or axis.lo <= place < axis.lo + axis.period else axis.lo


def read_modelled_order(cursor, ids, particles, axes, segment=None):
    """The indices of a section of coding 5, or of coding 12 with segments of so many particles: a list a component."""
    return Section(cursor, particles, axes, segment).read(ids)
