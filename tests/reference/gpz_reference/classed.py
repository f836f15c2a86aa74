# SPDX-License-Identifier: BSD-3-Clause
"""Sections 10h and 10i of docs/format.md: segmented number streams, and classed sections. Slow and plain on purpose."""

import struct

from .block import residual_of
from .codec import ceil_div, require
from .few_values import signed
from .numbers import LEAST_STATE, NumberStream, take_tables

CLASSED = 10  # coding of sections
RULES_FOLLOW, BY_GROUP = 1, 2  # flags
SEGMENT = 8192  # particles
KINDS = LAST_INDEX, VELOCITY, VELOCITY_BEFORE, MEAN, CONSTANT = range(5)
MOST_LEVELS, MOST_BASE, MOST_GROUPS, MOST_TERMS = 16, 64, 64, 32
LEAST_SHIFT, LARGEST_SHIFT = -12, 40
LARGEST_INDEX_TERM = LARGEST_SIZE = LARGEST_SCALE = 2**28
MOST_CONTEXTS = 256
EXCEPTION = 2**32 - 1
PARTS_OF_LEVEL, FINEST = 4, 17


class Segment(NumberStream):
    """One of a segmented stream: the tables are known."""

    def __init__(self, data, tables):
        require(len(data) % 8 == 0 and len(data) >= 8, "the length of a segment")
        self.data, self.tables, self.at = bytes(data), tables, 8
        self.states = list(struct.unpack_from("<2I", self.data))
        require(min(self.states) >= LEAST_STATE, "a state of a number stream is too small")
        self.raw, self.raw_at, self.count = self.data[::-1], 0, 0


def take_segments(cursor, contexts, segments):
    """All streams of a segmented number stream, to the end of the cursor."""
    (table_bytes,) = cursor.unpack("I")
    lengths = cursor.unpack(f"{segments}I")
    require(segments % 2 or cursor.unpack("I") == (0,), "padding of segments is not zero")
    data = cursor.take(table_bytes)
    tables, used = take_tables(bytes(data), contexts)
    require(table_bytes == used + -used % 8, "the tables of segments have another length")
    require(not any(data[used:]), "padding of tables is not zero")
    streams = [Segment(cursor.take(length), tables) for length in lengths]
    require(len(cursor.rest()) == 0, "segments do not fill their section")
    return streams


class Rules:
    def __init__(self, cursor, dimensions):
        self.base, count, self.groups = cursor.unpack("qBB")
        require(1 <= self.groups <= MOST_GROUPS, "the number of groups is out of range")
        self.group = cursor.unpack(f"{count}B")
        require(all(g < self.groups for g in self.group), "a class has an unknown group")
        self.terms, self.weights = [], []
        for _ in range(dimensions):
            (terms,) = cursor.unpack("B")
            require(terms <= MOST_TERMS, "there are too many terms")
            self.terms.append([cursor.unpack("BBBb") for _ in range(terms)])
            for _source, _component, kind, shift in self.terms[-1]:
                require(kind in KINDS and LEAST_SHIFT <= shift <= LARGEST_SHIFT, "a term is unknown")
            self.weights.append([cursor.unpack(f"{terms}h") for _ in range(self.groups)])

    def group_of(self, number):
        return self.group[number - self.base] if 0 <= number - self.base < len(self.group) else 0


def half_octaves(x):
    bits = x.bit_length()
    return bits if bits < 2 else 2 * bits - (1 if x >> bits - 2 & 1 else 2)


class Memory:
    """Of a field: what its classed sections remember."""

    def __init__(self):
        self.rules, self.scale = None, []

    def remove(self, slots):
        gone = set(slots)
        self.scale = [scale for slot, scale in enumerate(self.scale) if slot not in gone]

    def append(self, count):
        if self.scale:
            self.scale += [0] * count


class Reader:
    def __init__(self, cursor, particles, field, others, history, t):
        self.particles, self.history, self.t = particles, history, t
        start = cursor.offset
        flags, self.levels, self.base, count, class_field = cursor.unpack("4BH")
        require(flags < 4, "reserved flags of a classed section")
        require(1 <= self.levels <= MOST_LEVELS and self.base <= MOST_BASE, "levels of a classed section")
        require(history is not None or self.levels == 1, "levels of a classed section without history")
        numbers = cursor.unpack(f"{count}H")
        require(0 not in numbers, "a source of a classed section")
        self.classes = others.classes(class_field - 1) if class_field else [0] * particles
        self.sources = [others.history(number - 1, history) for number in numbers]
        self.memory = history.classed if history is not None else Memory()
        if flags & RULES_FOLLOW:
            self.memory.rules = Rules(cursor, len(field.names))
        self.rules = self.memory.rules
        require(self.rules is not None, "a classed section without rules")
        for terms in self.rules.terms:
            for term in terms:
                self.check(*term)
        segments = ceil_div(particles, SEGMENT)
        counts = cursor.unpack(f"{segments}I")
        while (cursor.offset - start) % 8:
            require(cursor.unpack("B") == (0,), "padding of a classed section is not zero")
        self.exceptions = [list(cursor.unpack(f"{count}q")) for count in counts]
        self.fine_levels = max(0, min(FINEST + 1 - self.base, self.levels))
        self.each = self.levels + (PARTS_OF_LEVEL - 1) * self.fine_levels
        self.by_group = bool(flags & BY_GROUP)
        contexts = self.each * (self.rules.groups if self.by_group else 1)
        require(contexts <= MOST_CONTEXTS, "a classed section has too many contexts")
        self.streams = take_segments(cursor, contexts, segments)

    def check(self, source, component, kind, _shift):
        if kind == CONSTANT:
            return
        require(source < len(self.sources), "a term has no source")
        field = self.sources[source].field
        require(component < len(field.names), "the source of a term has no such component")
        require(kind == LAST_INDEX or field.step > 0, "a plain source has no displacements")

    def value(self, i, source, component, kind, _shift):
        if kind == CONSTANT:
            return 64
        of = self.sources[source]
        if kind == LAST_INDEX:
            return max(-LARGEST_INDEX_TERM, min(LARGEST_INDEX_TERM, of.index[component][i]))
        if kind == VELOCITY:
            return of.velocity[component][i]
        if kind == VELOCITY_BEFORE:
            return of.velocity_before[component][i]
        return of.mean(component, i, of.frames)

    def context(self, scale, group, expected):
        level = max(0, min(half_octaves(scale) - self.base, self.levels - 1))
        within = level + (PARTS_OF_LEVEL - 1) * self.fine_levels
        if level < self.fine_levels:
            fraction = expected % 64
            within = PARTS_OF_LEVEL * level + ((31 - fraction if fraction < 32 else fraction - 32) >> 3)
        return within + (group * self.each if self.by_group else 0)

    def read(self):
        """The indices, a list a component."""
        dimensions = len(self.rules.terms)
        columns = [[] for _ in range(dimensions)]
        scale = self.memory.scale or [0] * self.particles
        for i in range(self.particles):
            stream, exceptions = self.streams[i // SEGMENT], self.exceptions[i // SEGMENT]
            group = self.rules.group_of(self.classes[i])
            total = 0
            for d in range(dimensions):
                expected = 32
                for term, weight in zip(self.rules.terms[d], self.rules.weights[d][group]):
                    product = weight * self.value(i, *term)
                    expected += product >> term[3] if term[3] >= 0 else product << -term[3]
                origin = self.history.index[d][i] if self.history is not None else 0
                place = signed(origin + (expected >> 6))
                u = stream.get(self.context(scale[i], group, expected))
                if u == EXCEPTION:
                    require(exceptions, "more exceptions than a segment has")
                    index = exceptions.pop(0)
                else:
                    index = signed(place + residual_of(u, expected))
                columns[d].append(index)
                residual = signed(index - place)
                total += min(residual if residual >= 0 else -residual - 1, LARGEST_SIZE)
            if self.history is not None:
                now = min(16 * total, LARGEST_SCALE)
                before = scale[i]
                scale[i] = max(now, 1) if before == 0 else max(before - before // 4 + now // 4, 1)
        require(not any(self.exceptions), "fewer exceptions than a segment has")
        for stream in self.streams:
            stream.end()
        self.memory.scale = scale
        return columns


def read_classed(cursor, particles, field, others, history=None, t=0):
    """The indices of a section behind its exact values. `history`: of the field, in difference chunks."""
    return Reader(cursor, particles, field, others, history, t).read()
