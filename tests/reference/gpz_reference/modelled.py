# SPDX-License-Identifier: BSD-3-Clause
"""Section 9a of docs/format.md: modelled sections. Slow and plain on purpose."""

from .block import residual_of
from .codec import require
from .difference import LARGEST_NEIGHBOUR, displacement, limited, other_image, signed
from .lattice import LatticeModel, LatticeNeighbourPredictor
from .numbers import NumberStream
from .pair_force import PairForce
from .space import SpaceNeighbours

TEMPORAL, LATTICE, PAIR_FORCES = 0, 1, 2
SLOTS, SPACE, LATTICE_NEIGHBOURS = 1, 2, 16
MOST_LEVELS, LARGEST_BASE = 16, 64
PARTS = 64  # of a grid step
PARTS_OF_LEVEL = 4  # contexts of a fine level
FINEST = 17
EXCEPTION = 2**32 - 1
LARGEST_EXPECTED = 2**30
LARGEST_SIZE = 2**28
LARGEST_MARGIN = 2**31 - 1


def next_scale(scale, size):
    now = min(16 * size, 2**28)
    return max(now if scale == 0 else scale - scale // 4 + now // 4, 1)


def half_octaves(scale):
    bits = scale.bit_length()
    return bits if bits < 2 else 2 * bits - (1 if scale >> bits - 2 & 1 else 2)


def wrap(index, axis):
    if not axis.periodic:
        return index
    if index < axis.lo:
        return signed(index + axis.period)
    return signed(index - axis.period) if index >= axis.lo + axis.period else index



class Models:
    """What is remembered of a field for modelled sections, since the independent chunk."""

    def __init__(self):
        self.scale = None  # of each particle; None before the first modelled section
        self.lattice, self.lattice_neighbours, self.forces = LatticeModel(), LatticeNeighbourPredictor(), PairForce()
        self.forced_at = None  # frame

    def remove(self, slots, particles):
        gone = set(slots)
        staying = [slot for slot in range(particles) if slot not in gone]
        self.lattice.remove(slots)
        self.forces.keep(staying)
        if self.scale is not None:
            self.scale = [self.scale[slot] for slot in staying]

    def append(self, count):
        self.lattice.append(count)
        self.forces.add(count)
        if self.scale is not None:
            self.scale += [0] * count

    def expected(self, model, cursor, history, t, axes):
        """What the model that stands next expects, in 1/64 grid step, a list a component."""
        if model == LATTICE:
            self.lattice.read(cursor, history, axes)
            return self.lattice.expected(history, t, axes)
        if model == PAIR_FORCES:
            if self.forced_at != t - 1:
                self.forces.leave_out()
            self.forced_at = t
            self.forces.read(cursor)
            return self.forces.expect(history.index, history.velocity, axes)
        require(model == TEMPORAL, f"model {model} is unknown")
        weights = cursor.unpack("3b")
        n = len(history.index[0])
        return [[history.expected(d, i, t, weights) - 32 for i in range(n)] for d in range(len(axes))]


class Pass:
    """The pass over the particles."""

    def __init__(self, cursor, history, t, axes, models):
        self.history, self.axes, self.models = history, axes, models
        self.components, self.particles = range(len(axes)), len(history.index[0])
        model, flags, self.levels, self.base = cursor.unpack("4B")
        require(flags in (0, SLOTS, SPACE, LATTICE_NEIGHBOURS), "flags of a modelled section")
        require(not flags & LATTICE_NEIGHBOURS or model == LATTICE, "neighbours in a lattice without one")
        require(1 <= self.levels <= MOST_LEVELS and self.base <= LARGEST_BASE, "contexts of a modelled section")
        self.margins = [min(margin, LARGEST_MARGIN) for margin in cursor.unpack(f"{len(axes)}I")]
        (count,) = cursor.unpack("Q")
        self.exceptions = [cursor.unpack("q")[0] for _ in range(count)][::-1]

        self.alone = models.expected(model, cursor, history, t, axes)
        self.lattice_neighbours = models.lattice_neighbours if flags & LATTICE_NEIGHBOURS else None
        if self.lattice_neighbours:
            self.lattice_neighbours.read(cursor, models.lattice.network)
        self.space = SpaceNeighbours(cursor, history.index, axes) if flags & SPACE else None
        self.weights = [()]
        if flags & SLOTS:
            levels, lags = cursor.unpack("BB")
            require(1 <= levels <= 16 and 1 <= lags <= 4, "levels or neighbours are out of range")
            self.weights = [cursor.unpack(f"{lags}b") for _ in range(levels)]
        cursor.skip_padding()
        self.fine_levels = max(0, min(FINEST + 1 - self.base, self.levels))
        self.first_flag = self.levels + (PARTS_OF_LEVEL - 1) * self.fine_levels
        self.numbers = NumberStream(cursor.rest(), self.first_flag + 2)
        self.index = [[0] * self.particles for _ in axes]
        self.zeros = [0] * (3 - len(axes))
        self.remainders = [[] for _ in axes]  # by step

    def read(self):
        """The indices, a list a component."""
        scale = self.models.scale
        order = self.space.order if self.space else range(self.particles)
        for step, i in enumerate(order):
            expected = self.expected(step, i)
            sizes = [self.read_component(i, d, expected[d], self.context(scale[i], expected[d])) for d in self.components]
            scale[i] = next_scale(scale[i], sum(sizes))
            if self.lattice_neighbours:
                self.lattice_neighbours.update(i, [signed(64 * self.step(i, d) - self.alone[d][i]) for d in self.components] + self.zeros)
        require(not self.exceptions, "there are exceptions left")
        self.numbers.end()
        return self.index

    def context(self, scale, expected):
        level = max(0, min(half_octaves(scale) - self.base, self.levels - 1))
        if level >= self.fine_levels:
            return level + (PARTS_OF_LEVEL - 1) * self.fine_levels
        fraction = expected % PARTS
        return PARTS_OF_LEVEL * level + ((31 - fraction if fraction < 32 else fraction - 32) >> 3)

    def expected(self, step, i):
        """The N of the particle, for each component."""
        nearby = [0] * len(self.axes)
        if self.space or self.lattice_neighbours:
            nearby = self.space.expected(step, self.remainders) if self.space else self.lattice_neighbours.expected(i)
        weights = self.weights[step % len(self.weights)]
        found = []
        for d in self.components:
            before = sum(g * r for g, r in zip(weights, reversed(self.remainders[d])))
            found.append(limited(self.alone[d][i] + 32 + nearby[d] + before, LARGEST_EXPECTED))
        return found

    def read_component(self, i, d, expected, context):
        """Returns the size of the residual."""
        axis, last = self.axes[d], self.history.index[d][i]
        u = self.numbers.get(context)
        if u == EXCEPTION:
            require(self.exceptions, "an exception is missing")
            index = self.exceptions.pop()
        else:
            index = wrap(signed(last + (expected >> 6) + residual_of(u, expected)), axis)
            other = other_image(index, self.margins[d], axis)
            is_beyond = axis.periodic and not axis.lo <= last < axis.lo + axis.period
            if other is not None and self.numbers.get(self.first_flag + is_beyond):
                index = other
        self.index[d][i] = index
        step = self.step(i, d)
        self.remainders[d].append(limited(signed(step - (self.alone[d][i] + 32 >> 6)), LARGEST_NEIGHBOUR))
        residual = signed(step - (expected >> 6))
        return min(residual if residual >= 0 else -residual - 1, LARGEST_SIZE)

    def step(self, i, d):
        """The displacement of the decoded index."""
        return displacement(self.index[d][i], self.history.index[d][i], self.axes[d])


def read_modelled(cursor, history, t, axes):
    """The indices of a modelled section, to the end of the cursor, a list a component."""
    if history.modelled is None:
        history.modelled = Models()
    if not history.modelled.scale:
        history.modelled.scale = [0] * len(history.index[0])
    return Pass(cursor, history, t, axes, history.modelled).read()
