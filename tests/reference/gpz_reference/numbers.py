# SPDX-License-Identifier: BSD-3-Clause
"""Section 10a of docs/format.md: number streams. Slow and plain on purpose."""

import struct

from .codec import bits_at, require

TOKENS = 240
SLOTS = 4096
LEAST_STATE = 2**16
ESCAPE_BITS = 32
LEAST_SCALE, LARGEST_SCALE = -64, 255
LARGEST_DENSITY = 4095
LONGEST_UNARY = 16


def root_of_two(numerator, denominator, power):
    """floor(2^(power - numerator / denominator)), in integers: the largest x with x^denominator <= 2^(...)."""
    target = 2 ** (power * denominator - numerator)
    low, high = 0, 2**power
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**denominator <= target else (low, middle - 1)
    return low


WEIGHTS = [root_of_two(f, 16, 24) for f in range(16)]
# Rounded: half of what twice as much is rounded down to, and a half.
RATIOS = [(root_of_two(c, 8, 17) + 1) // 2 for c in range(8)]


def coarse_bits(token):
    return 0 if token < 16 else token // 8 - 1


def first(token):
    return token if token < 16 else (8 + token % 8) << coarse_bits(token)


def token_of(number):
    coarse = max(number.bit_length(), 4) - 4
    return 8 * coarse + (number >> coarse)


class Bits:
    """The bit string of the tables."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, width):
        require(self.at + width <= 8 * len(self.data), "the tables of numbers end too early")
        self.at += width
        return bits_at(self.data, self.at - width, width)

    def take_rice(self, low):
        high = 0
        while high < LONGEST_UNARY and self.take(1):
            high += 1
        value = self.take(16) if high == LONGEST_UNARY else high << low | self.take(low)
        return -(value + 1) // 2 if value % 2 else value // 2


def take_shape(bits):
    """The weights of the tokens of a shape."""
    tokens, precision, extrapolated, low = bits.take(8), bits.take(2), bits.take(1), bits.take(3)
    require(1 <= tokens <= TOKENS, "a shape has too many tokens, or none")
    density = [0]
    for i in range(1, tokens):
        expected = 2 * density[-1] - density[-2] if extrapolated and i > 1 else density[-1]
        density.append(expected + bits.take_rice(low))
        require(abs(density[-1]) <= LARGEST_DENSITY, "a density is out of range")
    logs = [(d << precision) + 16 * coarse_bits(i) for i, d in enumerate(density)]
    below = [max(logs) - log for log in logs]
    return [WEIGHTS[b % 16] >> b // 16 if b < 400 else 0 for b in below]


def starts_at_scale(weights, scale):
    """The first slot of each token, and of the escape behind them; and the low bits of numbers that are raw."""
    low = max(0, scale // 8)
    ratio = RATIOS[scale % 8] << (low - scale // 8)
    if not weights:
        return [0], low
    ends = [first(k + 1) << 16 for k in range(len(weights))]
    count = 1 + token_of(min(-(-ends[-1] // ratio) - 1, 2 ** (32 - low) - 1))
    slots_of_weight = ((SLOTS - 1 - count) << 32) // sum(weights)
    starts = [0]
    for i in range(1, count):
        at = ratio * first(i)
        n = sum(end <= at for end in ends)
        weight = sum(weights[:n])
        if n < len(weights):
            weight += weights[n] * ((at - (first(n) << 16)) >> coarse_bits(n)) >> 16
        starts.append(i + (weight * slots_of_weight >> 32))
    return starts + [SLOTS - 1], low


class Table:
    def __init__(self, weights, scale):
        starts, self.low = starts_at_scale(weights, scale)
        self.escape = len(starts) - 1
        self.starts = starts + [SLOTS]
        self.token = [k for k in range(len(starts)) for _ in range(self.starts[k + 1] - self.starts[k])]


def take_tables(data, contexts):
    """The table of each context, and the bytes that they take."""
    bits = Bits(data)
    shapes = [take_shape(bits) for _ in range(bits.take(8))]
    low = bits.take(3)
    tables = []
    shape, scale = 0, 0
    for _ in range(contexts):
        if bits.take(1):
            shape = bits.take(len(shapes).bit_length())
            require(shape <= len(shapes), "a context has an unknown shape")
            scale = bits.take(9) + LEAST_SCALE if shape else 0
        else:
            scale = scale + bits.take_rice(low) if shape else 0
        require(LEAST_SCALE <= scale <= LARGEST_SCALE, "a scale is out of range")
        tables.append(Table(shapes[shape - 1] if shape else [], scale))
    require(bits.take(-bits.at % 16) == 0, "the padding of tables of numbers is not zero")
    return tables, bits.at // 8


class NumberStream:
    """Takes numbers off a stream. Call end() behind the last one."""

    def __init__(self, data, contexts):
        require(len(data) % 8 == 0, "the length of a number stream is not a multiple of 8")
        self.data = bytes(data)
        self.tables, self.at = take_tables(self.data, contexts)
        require(self.at + 8 <= len(data), "a number stream ends before its states")
        self.states = list(struct.unpack_from("<2I", self.data, self.at))
        require(min(self.states) >= LEAST_STATE, "a state of a number stream is too small")
        self.at += 8
        self.raw = self.data[::-1]  # as one integer with its highest bit first
        self.raw_at = 0
        self.count = 0

    def take_word(self):
        require(self.at + 2 <= len(self.data), "a number stream ends before its words")
        (word,) = struct.unpack_from("<H", self.data, self.at)
        self.at += 2
        return word

    def take_raw(self, width):
        self.raw_at += width
        end = (self.raw_at + 7) // 8
        require(end <= len(self.raw), "a number stream ends before its raw bits")
        start = (self.raw_at - width) // 8
        return int.from_bytes(self.raw[start:end], "big") >> (8 * end - self.raw_at) & ((1 << width) - 1)

    def get(self, context):
        table = self.tables[context]
        turn = self.count % 2
        self.count += 1
        state = self.states[turn]
        slot = state % SLOTS
        token = table.token[slot]
        start, end = table.starts[token : token + 2]
        state = (end - start) * (state // SLOTS) + slot - start
        if state < LEAST_STATE:
            state = state << 16 | self.take_word()
        self.states[turn] = state
        if token == table.escape:
            return self.take_raw(ESCAPE_BITS)
        return (first(token) << table.low) + self.take_raw(coarse_bits(token) + table.low)

    def end(self):
        require(self.states == [LEAST_STATE] * 2, "the numbers do not end where their stream does")
        raw_bytes = (self.raw_at + 7) // 8
        spare = len(self.data) - raw_bytes - self.at
        require(0 <= spare < 8, "numbers do not fill their stream")
        require(not any(self.data[self.at : self.at + spare]), "the padding of a number stream is not zero")
        require(self.take_raw(-self.raw_at % 8) == 0, "the padding of a number stream is not zero")
