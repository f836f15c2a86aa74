# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: the trees of molecules, and the references of their particles."""

from .codec import MASK, require
from .numbers import NumberStream

FAR = 255  # slots
MOST_KINDS = 63
KIND_CONTEXTS = 16
HASHES = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
BESIDE, ABOVE, BEYOND = range(3)  # which particle a reference is


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
    """First and second reference of each particle: (slot, which), or None."""
    children = [[] for _ in parents]  # so far

    def near(i, j, which):
        return (j, which) if i - j <= FAR else None

    links = []
    for i, p in enumerate(parents):
        first = second = None
        if p is not None and parents[p] is None:
            if children[p]:
                first = near(i, children[p][-1], BESIDE)
            if first and len(children[p]) > 1:
                second = near(i, children[p][-2], BESIDE)
        elif p is not None:
            g = parents[p]
            first = near(i, g, ABOVE)
            others = [j for j in children[g][:2] if j != p]
            if first and children[p] and i - children[p][-1] <= FAR:
                second = children[p][-1], BESIDE
            elif first and parents[g] is not None:
                second = near(i, parents[g], ABOVE)
            elif first and others:
                second = near(i, others[0], BEYOND)
        links.append((first, second))
        if p is not None:
            children[p].append(i)
    return links
