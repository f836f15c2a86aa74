# SPDX-License-Identifier: BSD-3-Clause
"""Section 10j of docs/format.md: the order of ids in segments. Slow and plain on purpose."""

import struct

from .codec import ceil_div, require
from .difference import displacement, other_image, signed
from .numbers import segment_streams

SEGMENT = 8192  # particles
LARGEST_LAG = 1023
LEVELS = 24
LARGEST_BASE = 64
ESCAPE = 2**32 - 1
FIRST_LEVEL, FLAG, CONTEXTS = 50, 108, 109  # contexts of numbers; the others are not used


def next_scale(scale, size):
    now = min(16 * size, 2**28)
    return max(now if scale == 0 else scale - scale // 4 + now // 4, 1)


def half_octaves(scale):
    bits = scale.bit_length()
    return bits if bits < 2 else 2 * bits - (1 if scale >> bits - 2 & 1 else 2)


class Section:
    """What all particles of a section have in common, and what each segment has of its own."""

    def __init__(self, cursor, particles, axes):
        self.axes, self.particles = axes, particles
        count = len(axes)
        unused, self.swapped, *self.lags, self.base, zero = cursor.unpack("BBHHBB")
        require(unused == 0, "reserved bits of a section are not zero")
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
        segments = ceil_div(particles, SEGMENT)
        counts = cursor.unpack(f"{segments}I")
        require(segments % 2 == 0 or cursor.unpack("I") == (0,), "padding is not zero")
        self.exceptions = [struct.unpack(f"<{n}q", cursor.take(8 * n)) for n in counts]
        self.streams = segment_streams(cursor.rest(), CONTEXTS, segments)

    def read(self, ids):
        """The indices, a list a component."""
        if any(a >= b for a, b in zip(ids, ids[1:])):
            ids = range(self.particles)
        columns = [[] for _ in self.axes]
        for number, start in enumerate(range(0, self.particles, SEGMENT)):
            for column, indices in zip(columns, Reader(self, number, ids[start : start + SEGMENT]).read()):
                column += indices
        return columns


class Reader:
    """Of one segment."""

    def __init__(self, section, number, ids):
        self.axes, self.particles = section.axes, len(ids)
        self.swapped, self.lags, self.base = section.swapped, section.lags, section.base
        self.offsets, self.first, self.margins = section.offsets, section.first, section.margins
        self.exceptions, self.stream = list(reversed(section.exceptions[number])), section.streams[number]
        self.ids, self.row_of = ids, {of_particle: i for i, of_particle in enumerate(ids)}
        self.places = [[] for _ in self.axes]
        self.indices = [[] for _ in self.axes]

    def level(self, scale):
        return LEVELS if scale == 0 else max(0, min(half_octaves(scale) - self.base, LEVELS - 1))

    def value(self, d, expected, context):
        """Takes component d of the next particle; returns the size of the residual."""
        axis = self.axes[d]
        u = self.stream.get(context)
        if u == ESCAPE:
            require(self.exceptions, "an exception is missing")
            index = self.exceptions.pop()
            place = inside(index, axis)
        else:
            residual = u // 2 + 1 if u % 2 else -(u // 2)
            place = wrap(signed(expected + residual), axis)
            require(not axis.periodic or axis.lo <= place < axis.lo + axis.period, "a place is outside the box")
            other = other_image(place, self.margins[d], axis)
            index = other if other is not None and self.stream.get(FLAG) else place
        self.indices[d].append(index)
        self.places[d].append(place)
        return min(abs(displacement(place, expected, axis)), 2**28)

    def particle(self, i, scale):
        """Returns the next scale."""
        size, context = 0, FIRST_LEVEL + self.level(scale)
        for d, axis in enumerate(self.axes):
            expected = self.first[d]
            if i > 0 and self.lags[0]:
                expected = self.places[d][i - 1]
                for k in (1, 0) if self.swapped >> d & 1 else (0, 1):
                    parent = self.row_of.get(self.ids[i] - self.lags[k]) if self.lags[k] else None
                    if parent is not None:
                        expected = wrap(signed(self.places[d][parent] + self.offsets[k][d]), axis)
                        break
            size += self.value(d, expected, context)
        return next_scale(scale, size)

    def read(self):
        scale = 0
        for i in range(self.particles):
            scale = self.particle(i, scale)
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


def read_segments(cursor, ids, particles, axes):
    """The indices of a section of coding 12, a list a component."""
    return Section(cursor, particles, axes).read(ids)
