# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: particles without bonds, which their motion predicts. Slow and plain on purpose."""

from .codec import require
from .floats import F32, nearest
from .step_tables import LANES, VARIANCE_OFFSETS, WEIGHTS, from_unsigned, take_table_stream, variance_of

MOST_CLASSES = 16
COMPONENTS = 3
LONGEST_MEMORY = 64  # frames


def take_classes(cursor, particles):
    """The class of each particle, and the number of classes."""
    numbers, found, of_step = take_table_stream(cursor, 2), [], 0
    classes = numbers.get(0) + 1
    require(classes <= MOST_CLASSES, "too many classes of particles without bonds")
    for first in range(0, particles, LANES):
        of_step += from_unsigned(numbers.get(1))
        require(0 <= of_step < classes, "an unknown class of particles without bonds")
        found += [of_step] * min(LANES, particles - first)
    numbers.end()
    return found, classes


def part_of(frames):
    """A frame's part of so many, f32."""
    return nearest(1 / nearest(frames))


class LineUp:
    """A layout, as that of molecules in steps.py: particles stay in the order of slots."""

    have_bonds = False

    def __init__(self, cursor, particles, block_size, kind):
        """`kind`: of all particles."""
        self.parents = [None] * particles
        self.class_of, self.classes = take_classes(cursor, particles)
        self.steps = [range(first, min(first + LANES, particles)) for first in range(0, particles, LANES)]
        count, steps = max(1, (particles + block_size // 2) // block_size), len(self.steps)
        ranges = [(b * steps // count, (b + 1) * steps // count) for b in range(count)]
        self.blocks = [[(kind, of) for of in self.steps[begin:end]] for begin, end in ranges]


class Motions:
    """m_1, m_2 and m_3 of each particle, each a vector."""

    def __init__(self, history, frames):
        """From what the history of section 9 says after so many frames."""
        columns = history.velocity, history.velocity_before, history.sum
        self.last, self.before, sums = ([F32(of_particle) for of_particle in zip(*of)] for of in columns)
        self.to_mean = [of_particle * part_of(frames) for of_particle in sums]

    def read(self, block, particles, constants, frames):
        """The displacements, three integers a lane. `constants`: the stored integers of the class of each; `frames`: with this one."""
        m_1, m_2, m_3 = ([F32(column) for column in zip(*(of[i].lanes for i in particles))] for of in (self.last, self.before, self.to_mean))
        X_1, X_2, X_3 = (F32(of_class[k] / 256 for of_class in constants) for k in range(3))
        found = []
        for d in range(COMPONENTS):
            V = F32(variance_of(of_class[WEIGHTS + 2 + d], VARIANCE_OFFSETS[0]) for of_class in constants)
            found.append(block.take(X_1 * m_1[d] + X_2 * m_2[d] + X_3 * m_3[d], V, 0))
        keep = nearest(1 - part_of(min(frames, LONGEST_MEMORY)))
        for i, displacement in zip(particles, zip(*found)):
            moved = F32(displacement)
            self.to_mean[i] = keep * (self.to_mean[i] - moved)
            self.before[i], self.last[i] = self.last[i], moved
        return list(zip(*found))
