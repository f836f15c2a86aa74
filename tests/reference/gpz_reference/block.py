# SPDX-License-Identifier: BSD-3-Clause
"""Section 9 of docs/format.md: what a block of indices holds, and the numbers that stand for integers near to what is
expected."""

import functools
import itertools

from .codec import bits_at, ceil_div, require, take_pack

BLOCK_SIZE = 1024
TRIPLE_VALUES = 8  # of each of the three
HEADS = range(4)
TRIPLE_HEADS = range(4, 8)  # of the first component, with triples


class UnaryBitmap:
    def __init__(self, data):
        self.left = int.from_bytes(data, "little")

    def take(self):
        """Zeros before the next one."""
        require(self.left != 0, "the unary bitmap ends too early")
        zeros = (self.left & -self.left).bit_length() - 1
        self.left >>= zeros + 1
        return zeros


def decode_number(plane, width, head, unary):
    if head == 1:
        return plane
    low_width, first = width - head if head >= 2 else width, 2**head - 1
    if plane >> low_width < first:
        return plane
    return (first + unary.take() << low_width) + (plane & (1 << low_width) - 1)


def alternating(number):
    """0, 1, -1, 2, -2, and so on."""
    return number + 1 >> 1 if number & 1 else -(number >> 1)


def residual_of(number, expected):
    """Of the number u, from the nearest to what is expected on."""
    return alternating(number) if expected & 32 else -alternating(number)


def eighths(expected):
    """What is expected lies so far from the nearest integer, to a quarter."""
    return 3 if (expected >> 4 ^ expected >> 5) & 1 == 0 else 1


@functools.lru_cache
def triples_by_rank(distances):
    """(u_1, u_2, u_3) of every rank. `distances`: eighths of the three components."""

    def rating(triple):
        return sum((8 * alternating(u) - k) ** 2 for u, k in zip(triple, distances)), triple

    return sorted(itertools.product(range(TRIPLE_VALUES), repeat=3), key=rating)


def open_block(payload, n, dimensions, record):
    """What stands in a block: the numbers that are coded, a list a component; whether those of the first are ranks of triples;
    the margin, the flags, and the exceptions by place."""
    widths, heads = list(record[:dimensions]), list(record[dimensions : 2 * dimensions])
    unary_words, margin, flag_words, exceptions = record[2 * dimensions :]
    triples = heads[0] in TRIPLE_HEADS
    if triples:
        require(widths[1:] + heads[1:] == [0, 0, 1, 1], "triples are not of three components")
        heads[0] -= 4
    require(max(widths) <= 31 and set(heads) <= {*HEADS}, "a width or head of a block is too large")
    require(all(w >= f for w, f in zip(widths, heads) if f >= 2), "a head is wider than its plane")
    require(margin < 2**31, "a margin is too large")
    require(exceptions <= n * dimensions, "too many exceptions")
    lanes = 32 if n == BLOCK_SIZE else 1
    planes = [take_pack(payload, width, n, lanes) for width in widths]
    unary = UnaryBitmap(payload.take(4 * unary_words))
    numbers = [[decode_number(v, *code, unary) for v in plane] for plane, *code in zip(planes, widths, heads)]
    require(unary.left == 0, "the unary bitmap has more than the values need")
    require(not triples or max(numbers[0]) < TRIPLE_VALUES**3, "a rank is too large")
    require(all(max(column) < 2**32 - 1 for column in numbers), "a residual is too large")
    flags = Flags(payload.take(4 * flag_words))
    places = payload.unpack(f"{exceptions}I")
    require(all(a < b for a, b in zip(places, places[1:])), "exceptions are out of order")
    require(all(place & 0xFFFF < n and place >> 16 < dimensions for place in places), "an exception is out of range")
    return numbers, triples, margin, flags, dict(zip(places, payload.unpack(f"{exceptions}q")))


class Flags:
    """One for each value that may be beyond an edge."""

    def __init__(self, data):
        self.data, self.position = data, 0

    def next(self):
        require(self.position < 8 * len(self.data), "the flags end too early")
        self.position += 1
        return bits_at(self.data, self.position - 1, 1)

    def require_end(self):
        require(len(self.data) == 4 * ceil_div(self.position, 32), "there are too many flags")
