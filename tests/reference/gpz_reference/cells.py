# SPDX-License-Identifier: BSD-3-Clause
"""Section 10e of docs/format.md: chunks whose positions are a set. Slow and plain on purpose."""

import math

from .block import residual_of
from .codec import LARGEST_INDEX, MASK, Cursor, ceil_div, decode_chunk, require
from .difference import BLOCK_CODED, CLASSED, FEW_VALUES, Axis, limited, other_image, signed
from .gridded import classed, columns_of, decode_sections, few_values, read_exact
from .ordered import place_of

CELLS = 3  # kind of chunks
HALVED, SITES = 6, 7  # codings of sections
CERTAIN = 2**24  # a probability of 1
LEAST = 2**11
FIRST_WEIGHT, MOST_SEEN = 8, 248
LEAST_RANGE = 2**32
LEARNT_COUNT = 15
EVEN_EXTENT = 16  # from here on
PLACE_BITS = 8
SITE_FRACTION, DEVIATION_FRACTION, WEIGHT_FRACTION = 20, 6, 12
LARGEST_DEVIATION = 2**26 - 1
LARGEST_REACH, LARGEST_EDGE, LARGEST_CELL = 2**40, 2**41, 2**17
SUBLATTICES, NEIGHBOURS, LARGEST_SHIFT = 8, 8, 40
MOST_UNARY = 20


# ---- the range coder


class Model:
    """Of an adaptive bit."""

    def __init__(self, zero=CERTAIN // 2):
        self.zero, self.seen = max(LEAST, min(zero, CERTAIN - LEAST)), 0

    def learn(self, bit):
        rate = 65536 // (self.seen + FIRST_WEIGHT + 1)
        step = (self.zero if bit else CERTAIN - self.zero) * rate >> 16
        self.zero = max(LEAST, min(self.zero - step if bit else self.zero + step, CERTAIN - LEAST))
        self.seen = min(self.seen + 1, MOST_SEEN)


class Choices:
    """The end of a section: a range coder, and plain bits."""

    def __init__(self, cursor):
        (count,) = cursor.unpack("Q")
        require(0 < count <= (len(cursor.data) - cursor.offset) // 4, "a range coder has no words")
        self.words = [*cursor.unpack(f"{count}I"), 0]
        require(count % 2 == 0 or not any(cursor.take(4)), "the padding of a range coder is not zero")
        plain = cursor.rest()
        require(len(plain) % 8 == 0, "plain bits are not whole words")
        self.plain_bits, self.plain_left = int.from_bytes(plain, "little"), 8 * len(plain)
        self.range = MASK
        self.code = self.next_word() << 32
        self.code |= self.next_word()

    def next_word(self):
        require(self.words, "a range coder has no next word")
        return self.words.pop(0)

    def normalise(self):
        if self.range < LEAST_RANGE:
            self.range <<= 32
            self.code = (self.code << 32 & MASK) | self.next_word()

    def bit(self, model):
        zero = (self.range >> 16) * (model.zero >> 8)
        bit = self.code >= zero
        if bit:
            self.code -= zero
            self.range -= zero
        else:
            self.range = zero
        model.learn(bit)
        self.normalise()
        return int(bit)

    def choice(self, outcomes):
        self.range //= outcomes
        value = self.code // self.range
        require(value < outcomes, "a choice is none")
        self.code -= self.range * value
        self.normalise()
        return value

    def plain(self, width):
        require(width <= self.plain_left, "there are too few plain bits")
        value = self.plain_bits & ((1 << width) - 1)
        self.plain_bits >>= width
        self.plain_left -= width
        return value

    def unary(self, models, most):
        count = 0
        while count < most and self.bit(models[count]):
            count += 1
        return count

    def require_end(self):
        require(not self.words, "a range coder has words that nobody reads")
        require(self.plain_left < 64 and self.plain_bits == 0, "there are plain bits that nobody reads")


# ---- cells


def halvings(extents):
    """For each depth, the component that is halved."""
    extents, out = list(extents), []
    while max(extents) > 1:
        widest = extents.index(max(extents))
        out.append(widest)
        extents[widest] = ceil_div(extents[widest], 2)
    return out


def probability(low, middle, high, particles, lower, upper):
    """That at most `middle` particles are in the lower half, in units of 2^-24."""
    weights = {
        k: math.comb(particles, k) * lower**k * upper ** (particles - k) for k in range(low, high + 1)
    }
    below, everything = sum(weights[k] for k in range(low, middle + 1)), sum(weights.values())
    excess = max(everything.bit_length() - 40, 0)
    return ((below >> excess) << 24) // (everything >> excess)


class CellReader:
    def __init__(self, choices, extents):
        self.choices, self.halvings = choices, halvings(extents)
        self.small, self.large, self.second = {}, {}, {}
        self.places = []

    def read(self, depth, at, extents, particles):
        """A box, at whatever depth."""
        while particles > 1 and depth < len(self.halvings):
            d = self.halvings[depth]
            depth += 1
            if extents[d] == 1:
                continue
            lower = self.count(depth, extents[d], particles)
            half = extents[d] // 2
            self.read(depth, at, [*extents[:d], half, *extents[d + 1 :]], lower)
            at = [*at[:d], at[d] + half, *at[d + 1 :]]
            extents = [*extents[:d], extents[d] - half, *extents[d + 1 :]]
            particles -= lower
        for _ in range(particles):
            self.places.append(self.place(at, extents))

    def count(self, depth, extent, particles):
        if particles > LEARNT_COUNT:
            return self.large_count(extent, particles)
        uneven = extent % 2 if extent < EVEN_EXTENT else 0
        lower, upper = (extent // 2, ceil_div(extent, 2)) if uneven else (1, 1)
        low, high = 0, particles
        while low < high:
            middle = (low + high) // 2
            key = depth, uneven, particles, middle
            if key not in self.small:
                self.small[key] = Model(probability(low, middle, high, particles, lower, upper))
            if self.choices.bit(self.small[key]):
                low = middle + 1
            else:
                high = middle
        return low

    def large_count(self, extent, particles):
        shift = max(extent.bit_length() - 15, 0)
        expected = (particles * ((extent // 2 >> shift) << 16) // (extent >> shift)) >> 16
        kind = particles.bit_length()
        bits = self.choices.unary(self.large.setdefault(kind, [Model() for _ in range(34)]), 34)
        number = min(bits, 1)
        if bits > 1:
            number = 2 | self.choices.bit(self.second.setdefault((kind, bits), Model()))
        if bits > 2:
            number = number << (bits - 2) | self.choices.plain(bits - 2)
        count = expected + (-(number + 1) // 2 if number % 2 else number // 2)
        require(0 <= count <= particles, "a half has more particles than the whole")
        return count

    def place(self, at, extents):
        plain = [max(extent.bit_length() - PLACE_BITS, 0) for extent in extents]
        outcomes = [((extent - 1) >> p) + 1 for extent, p in zip(extents, plain)]
        chosen = self.choices.choice(math.prod(outcomes)) if math.prod(outcomes) > 1 else 0
        place = []
        for first, extent, p, count in zip(at, extents, plain, outcomes):
            inside = chosen % count << p | self.choices.plain(p)
            chosen //= count
            require(inside < extent, "a place is outside its box")
            place.append(first + inside)
        return place


def read_cells(cursor, particles, dimensions):
    box = [cursor.unpack("qQ") for _ in range(dimensions)]
    for least, extent in box:
        require(extent > 0 and -LARGEST_INDEX <= least <= LARGEST_INDEX + 1 - extent, "the box of the particles is wrong")
    choices = Choices(cursor)
    reader = CellReader(choices, [extent for _, extent in box])
    reader.read(0, [least for least, _ in box], [extent for _, extent in box], particles)
    choices.require_end()
    return [list(column) for column in zip(*reader.places)]


# ---- sites


class Neighbour:
    def __init__(self, sublattice, cells):
        self.sublattice, self.cells = sublattice, cells

    def is_earlier_than(self, sublattice):
        if self.sublattice != sublattice:
            return self.sublattice < sublattice
        last = [cell for cell in self.cells if cell]
        return bool(last) and last[-1] < 0


class Sublattice:
    def __init__(self, cursor, number, dimensions):
        self.origin = cursor.unpack(f"{dimensions}q")
        require(all(abs(x) <= LARGEST_REACH << SITE_FRACTION for x in self.origin), "an origin is too far away")
        (count,) = cursor.unpack("B")
        require(count <= NEIGHBOURS, "there are too many neighbours")
        self.neighbours = []
        for _ in range(count):
            sublattice, *cells = cursor.unpack(f"B{dimensions}b")
            self.neighbours.append(Neighbour(sublattice, cells))
            require(self.neighbours[-1].is_earlier_than(number), "a neighbour comes later")
        weights = cursor.unpack(f"{dimensions * count * dimensions}h")
        self.weights = [weights[d * count * dimensions : (d + 1) * count * dimensions] for d in range(dimensions)]


class SiteReader:
    def __init__(self, cursor, particles, dimensions):
        start = cursor.offset
        self.left, self.dimensions = particles, dimensions
        self.axes, self.margins, self.window = [], [], []
        for _ in range(dimensions):
            lo, period, margin, begin, end = cursor.unpack("5q")
            axis = Axis(lo, period)
            require(0 <= margin <= min(axis.period // 4 if axis.periodic else 0, 2**31 - 1), "a margin is too wide")
            require(max(abs(begin), abs(end)) <= LARGEST_REACH, "a window is too far away")
            self.axes.append(axis)
            self.margins.append(margin)
            self.window.append((begin << SITE_FRACTION, end << SITE_FRACTION))
        self.edges = [cursor.unpack(f"{dimensions}q") for _ in range(dimensions)]
        require(all(abs(x) <= LARGEST_EDGE for edge in self.edges for x in edge), "an edge is too long")
        require(any(self.edges[0]), "an edge is zero")
        cells = [cursor.unpack("iI") for _ in range(dimensions - 1)]
        for first, count in cells:
            require(abs(first) <= LARGEST_CELL and count <= LARGEST_CELL, "there are too many cells")
        (sublattices,) = cursor.unpack("B")
        require(0 < sublattices <= SUBLATTICES, "the number of sublattices is wrong")
        self.shifts = cursor.unpack(f"{dimensions}B")
        require(max(self.shifts) <= LARGEST_SHIFT, "a shift is too large")
        self.sublattices = [Sublattice(cursor, s, dimensions) for s in range(sublattices)]
        require(not any(cursor.take((start - cursor.offset) % 8)), "the padding of a lattice is not zero")
        self.ranges = [range(first, first + count) for first, count in cells]
        most = 4 * particles + 4096
        require(sublattices * math.prod(map(len, self.ranges)) <= most, "there are too many rows of sites")
        self.rows = list(self.rows_of_sites())
        require(sum(len(cells) for _, _, _, cells in self.rows) <= most, "there are too many sites")

        self.choices = Choices(cursor)
        self.alone, self.other, self.some, self.more = Model(), Model(), Model(), Model()
        self.outside = [Model() for _ in range(dimensions)]
        self.unary = [[[Model() for _ in range(MOST_UNARY)] for _ in range(4)] for _ in range(dimensions)]
        self.length = [[Model() for _ in range(48)] for _ in range(dimensions)]
        self.deviations = {}  # of sites that have a particle
        self.columns = [[] for _ in range(dimensions)]

    def rows_of_sites(self):
        """Sublattice, cells along the other edges, the site of cell 0, and the cells along edge 1."""
        thirds = self.ranges[1] if self.dimensions == 3 else [0]
        for s, sublattice in enumerate(self.sublattices):
            for k in thirds:
                for j in self.ranges[0]:
                    others = (j, k)[: self.dimensions - 1]
                    begin = [
                        x + sum(cell * edge[d] for cell, edge in zip(others, self.edges[1:]))
                        for d, x in enumerate(sublattice.origin)
                    ]
                    yield s, others, begin, self.cells_in_window(begin)

    def cells_in_window(self, begin):
        first, end = None, None
        for x, step, (low, high) in zip(begin, self.edges[0], self.window):
            if step == 0:
                if not low <= x < high:
                    return range(0)
                continue
            if step > 0:
                here = ceil_div(low - x, step), ceil_div(high - x, step)
            else:
                here = (x - high) // -step + 1, (x - low) // -step + 1
            first = here[0] if first is None else max(first, here[0])
            end = here[1] if end is None else min(end, here[1])
        return range(first, end)

    def read(self):
        for s, others, begin, cells in self.rows:
            before = 1
            for i in cells:
                before = self.count(before == 1)
                site = [x + i * step for x, step in zip(begin, self.edges[0])]
                for p in range(before):
                    deviation = self.particle(s, (i, *others), site)
                    if p == 0:
                        first = deviation
                if before:
                    self.deviations[s, (i, *others)] = first
        require(self.left == 0, "there are fewer particles than announced")
        self.choices.require_end()
        return self.columns

    def count(self, alone):
        count = 1
        if self.choices.bit(self.alone if alone else self.other):
            if not self.choices.bit(self.some):
                return 0
            count = 2
            while count <= self.left and self.choices.bit(self.more):
                count += 1
        require(count <= self.left, "there are more particles than announced")
        self.left -= count
        return count

    def particle(self, s, cells, site):
        """Adds a particle to the columns, and gives its deviation."""
        sublattice = self.sublattices[s]
        known = []
        for neighbour in sublattice.neighbours:
            there = tuple(a + b for a, b in zip(cells, neighbour.cells))
            known += self.deviations.get((neighbour.sublattice, there), [0] * self.dimensions)
        deviation = []
        for d, axis in enumerate(self.axes):
            down = SITE_FRACTION - DEVIATION_FRACTION
            rounded = (site[d] + (1 << (down - 1))) >> down
            total = sum(weight * far for weight, far in zip(sublattice.weights[d], known))
            expected = rounded + (total >> WEIGHT_FRACTION) + 32
            reached = signed((expected >> DEVIATION_FRACTION) + residual_of(self.number(d, expected), expected))
            far = signed(signed(64 * reached) - rounded)
            deviation.append(limited(far, LARGEST_DEVIATION))
            place = place_of(reached, axis)
            other = other_image(place, self.margins[d], axis)
            taken = other is not None and self.choices.bit(self.outside[d])
            self.columns[d].append(other if taken else place)
        return deviation

    def number(self, d, expected):
        off = min(abs(expected % 64 - 32) // 8, 3)
        high = self.choices.unary(self.unary[d][off], MOST_UNARY)
        if high == MOST_UNARY:
            bits = self.choices.unary(self.length[d], 48)
            high += (1 << bits | self.choices.plain(bits)) - 1
        return high << self.shifts[d] | self.choices.plain(self.shifts[d])


# ---- sections and chunks


def decode_section(data, field, particles, others):
    cursor = Cursor(data, f"section {field.names[0]}")
    coding, *reserved = cursor.unpack("8B")
    require(not any(reserved), "reserved bytes of a section are not zero")
    require(coding in (BLOCK_CODED, HALVED, SITES, CLASSED, FEW_VALUES), f"coding {coding} is unknown")
    if coding == FEW_VALUES:
        return few_values(cursor, particles, field, others)
    if coding == CLASSED:
        return classed(cursor, particles, field, others)
    if coding == BLOCK_CODED:
        following = type(field)(**{**vars(field), "flags": field.flags & ~1})
        return decode_chunk(cursor.rest(), [following], particles)

    require(field.leading and field.step > 0, "a field that is not a set")
    exact = read_exact(cursor, particles, field)
    if coding == HALVED:
        indices = read_cells(cursor, particles, field.dimensions)
    else:
        require(field.dimensions > 1, "a lattice of one component")
        indices = SiteReader(cursor, particles, field.dimensions).read()
    return columns_of(indices, exact, field)


def decode_cells(data, fields, particles):
    """A chunk of kind 3 to columns as decode_chunk gives them."""
    return decode_sections(data, fields, particles, "cell", decode_section)
