# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: constants, shapes, tables and images, as they are stored. Slow and plain on purpose."""

import functools
import math
import struct

from .codec import require
from .numbers import NumberStream

LANES = 32
WEIGHTS = 9
CONSTANTS_OF_CLASS = WEIGHTS + 6
LARGEST_LENGTH = 2**24 - 1
LARGEST_EXPONENT = 400  # of variances
VARIANCE_OFFSETS = -8, -8, -20, -20
EIGHTHS = 0x3F800000, 0x3F8B95C2, 0x3F9837F0, 0x3FA5FED7, 0x3FB504F3, 0x3FC5672A, 0x3FD744FD, 0x3FEAC0C7
KINDS_OF_NUMBERS, LEVELS, FINE_LEVELS, PARTS = 3, 40, 6, 4
PLACES_OF_KIND = LEVELS * PARTS
PLACES = KINDS_OF_NUMBERS * PLACES_OF_KIND
SLOTS, SIDE_SLOTS = 512, 128
SIDE_LEVELS = 16
LARGEST_TOKEN = 126
CODES = 27
NORMALS = 10
MOST_WEIGHT = 255
FARTHEST = 12  # deviations
ROOT_OF_HALF = 0.7071067811865476
OF_NORMAL = 0.0000430638, 0.0002765672, 0.0001520143, 0.0092705272, 0.0422820123, 0.0705230784
CONTEXTS = GAP, FIRST, COUNT, SIDE, WEIGHT, LEVEL, FREQUENCY = range(7)
TABLE_CONTEXTS = FREQUENCY + 11


def from_unsigned(u):
    return -(u + 1) // 2 if u % 2 else u // 2


def take_table_stream(cursor, contexts):
    (length,) = cursor.unpack("Q")
    return NumberStream(cursor.take(length), contexts)


# ---- constants


def variance_of(exponent, offset):
    bits = EIGHTHS[exponent % 8] + (exponent // 8 + offset << 23)
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def take_constants(cursor, before):
    """The integers of each class, from those before."""
    numbers, found = take_table_stream(cursor, CONSTANTS_OF_CLASS), []
    for last in before:
        of_class = [x + from_unsigned(numbers.get(context)) for context, x in enumerate(last)]
        require(all(-(2**15) <= weight < 2**15 for weight in of_class[:WEIGHTS]), "a weight of steps is out of range")
        length, along, *exponents = of_class[WEIGHTS:]
        require(0 <= length <= LARGEST_LENGTH and abs(along) <= LARGEST_LENGTH, "a length of steps is out of range")
        require(all(0 <= exponent <= LARGEST_EXPONENT for exponent in exponents), "a variance of steps is out of range")
        found.append(of_class)
    numbers.end()
    return found


def constants_of(integers):
    """(C, L_m, L_c, L_p, A_m, A_c, A_p, H_p, T, length, along, V_l, V_a, bend, bend2) of a class."""
    variances = [variance_of(exponent, offset) for exponent, offset in zip(integers[WEIGHTS + 2 :], VARIANCE_OFFSETS)]
    return (*(x / 16 for x in integers[: WEIGHTS + 2]), *variances)


# ---- shapes


def rounded(x):
    """Halves away from zero."""
    whole = math.floor(abs(x))
    whole += abs(x) - whole >= 0.5
    return -whole if x < 0 else whole


def raw_bits_of_level(level):
    """The b of a component."""
    return max(0, level // 2 - 3)


def normal_below(x):
    """The N of the page."""
    y, total = abs(x) * ROOT_OF_HALF, 0.0
    for c in OF_NORMAL:
        total = (total + c) * y
    p = 1 + total
    for _ in range(4):
        p = p * p
    return 0.5 / p if x < 0 else 1 - 0.5 / p


def shares_of(weights, place):
    """Of the tokens, from the lowest one on."""
    level, part = place // PARTS % LEVELS, place % PARTS
    v = math.sqrt(1.45 * 2.0 ** (level - 4))
    u = 2.0 ** raw_bits_of_level(level) / v
    o = (-0.5 - (part + 0.5) / 8) / v if level < FINE_LEVELS else -0.5 / v

    @functools.cache
    def below(x):
        total = 0.0
        for k, weight in enumerate(weights):
            if weight:
                c = (ROOT_OF_HALF if k % 2 else 1.0) * (4 / 2 ** (k // 2))
                total += weight * normal_below(x * c)
        return total / sum(weights)

    shares = []
    for token in range(-LARGEST_TOKEN, LARGEST_TOKEN + 1):
        begin, end = token * u + o, (token + 1) * u + o
        is_far = end <= -FARTHEST or begin >= FARTHEST or not any(weights)
        shares.append(0.0 if is_far else below(end) - below(begin))
    return shares


@functools.cache
def table_of_shape(weights, place):
    shares, total = [*shares_of(weights, place), 0.001], 0.0
    for share in shares:
        total += share
    slots = [share / total * SLOTS for share in shares]
    escape = max(1, rounded(slots.pop()))
    frequencies = [0 if z <= 0.04 else max(1, rounded(z)) for z in slots]
    while (missing := SLOTS - escape - sum(frequencies)) != 0:
        most = max(frequencies)
        change = min(abs(missing), max(1, most // 16))
        frequencies[frequencies.index(most)] += change if missing > 0 else -change
    return Table((token - LARGEST_TOKEN, frequency) for token, frequency in enumerate(frequencies))


# ---- tables


class Table:
    """Of a place. `tokens`: pairs of a token and its frequency."""

    def __init__(self, tokens=()):
        self.slots, start = [], 0  # token (None: the escape), frequency and first slot of each slot
        for token, frequency in tokens:
            self.slots += [(token, frequency, start)] * frequency
            start += frequency
        self.slots += [(None, SLOTS - start, start)] * (SLOTS - start)


ESCAPES = Table()


class Tables:
    """Of all places."""

    def __init__(self, shapes):
        """`shapes`: of each kind of numbers (weights, levels)."""
        self.shapes, self.stored = shapes, {}

    def __getitem__(self, place):
        if place in self.stored:
            return self.stored[place]
        weights, levels = self.shapes[place // PLACES_OF_KIND]
        level, part = place // PARTS % LEVELS, place % PARTS
        if level not in levels or level >= FINE_LEVELS and part > 0:
            return ESCAPES
        return table_of_shape(weights, place)


def take_shape(numbers):
    weights = tuple(numbers.get(WEIGHT) for _ in range(NORMALS))
    require(max(weights) <= MOST_WEIGHT, "a weight of a shape is out of range")
    first = numbers.get(LEVEL)
    require(first <= LEVELS, "the levels of a shape are out of range")
    count = numbers.get(LEVEL)
    require(count <= LEVELS - first, "the levels of a shape are out of range")
    return weights, range(first, first + count)


def take_table(numbers):
    first = from_unsigned(numbers.get(FIRST))
    require(abs(first) <= LARGEST_TOKEN, "the first token of a place is out of range")
    count = numbers.get(COUNT)
    require(count <= LARGEST_TOKEN + 1 - first, "a place has too many tokens")
    tokens, total, frequency = [], 0, 0
    for token in range(first, first + count):
        frequency = numbers.get(FREQUENCY + frequency.bit_length())
        total += frequency
        require(total < SLOTS, "the frequencies of a place are too large")
        tokens.append((token, frequency))
    return Table(tokens)


def take_tables(cursor):
    """The S of sides, and the tables of the places."""
    numbers = take_table_stream(cursor, TABLE_CONTEXTS)
    sides = [numbers.get(SIDE) for _ in range(SIDE_LEVELS)]
    require(all(1 <= s < SIDE_SLOTS for s in sides), "the share of a side is out of range")
    tables, place = Tables([take_shape(numbers) for _ in range(KINDS_OF_NUMBERS)]), 0
    while True:
        without = numbers.get(GAP)
        require(without <= PLACES - place, "more places than there are")
        place += without
        if place == PLACES:
            break
        tables.stored[place] = take_table(numbers)
        place += 1
    numbers.end()
    return sides, tables


# ---- images


def take_images(cursor, steps):
    """The codes of the slots that are listed. `steps`: the particles of each, of all blocks."""
    (count,) = cursor.unpack("Q")
    require(count <= LANES * len(steps), "more images than slots")
    if count == 0:
        return {}
    numbers, slot, codes = take_table_stream(cursor, 2), -1, {}
    for _ in range(count):
        slot += 1 + numbers.get(0)
        require(slot < LANES * len(steps), "an image of nobody")
        code = numbers.get(1)
        require(code < CODES, "an unknown image")
        particles, lane = steps[slot // LANES], slot % LANES
        if lane < len(particles):
            codes[particles[lane]] = code
    numbers.end()
    return codes
