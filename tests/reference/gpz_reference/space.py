# SPDX-License-Identifier: BSD-3-Clause
"""Section 9b of docs/format.md: what particles nearby say of a particle. Slow and plain on purpose: all pairs are looked at."""

from math import isqrt, prod

from .codec import require
from .pair_force import Places

MOST_SHELLS = 8
LARGEST_RADIUS = 2**20
MOST_CELLS = 1024
REACHES_OF_CELL = (2, 1, 1)


def order_of(places, n):
    """The particles by cells, as section 10d has them."""
    # Open axes have one unit more than they are long: positions begin at 0.
    units = [u if u is not None else max(p) + 1 for u, p in zip(places.units, places.places)]
    positions = places.places + [[0] * n] * (3 - len(units))
    units += [1] * (3 - len(units))
    counts = [
        max(1, min(MOST_CELLS, (h * u - (u >> 20) - 1) // places.reach)) for h, u in zip(REACHES_OF_CELL, units)
    ]
    while prod(counts) > n + 64:
        most = counts.index(max(counts))
        counts[most] = (counts[most] + 1) // 2
    scales = [(c << 53) // u for c, u in zip(counts, units)]

    def cell(i):
        return [min(c - 1, p[i] * scale >> 53) for p, c, scale in zip(positions, counts, scales)][::-1]

    return sorted(range(n), key=cell)


class SpaceNeighbours:
    def __init__(self, cursor, last, axes):
        (count,) = cursor.unpack("B")
        require(1 <= count <= MOST_SHELLS, "shells of neighbours")
        self.shells = [cursor.unpack("Ihh") for _ in range(count)]
        radii = [radius for radius, _, _ in self.shells]
        require(radii[0] >= 1 and radii[-1] <= LARGEST_RADIUS, "radius of a shell")
        require(all(a < b for a, b in zip(radii, radii[1:])), "radii of shells do not ascend")
        self.places = Places(last, axes, radii[-1])
        self.order = order_of(self.places, len(last[0]))
        self.step_of = {j: step for step, j in enumerate(self.order)}

    def neighbours(self, step):
        """(step, way from there, squared distance) of those in earlier steps that are near."""
        near = self.places.near(self.order[step], self.order[:step])
        yield from ((self.step_of[j], way, squared) for j, way, squared in near)

    def weights(self, squared):
        for radius, remainder, along in self.shells[:-1]:
            if squared < (radius >> self.places.shift) ** 2:
                return remainder, along
        return self.shells[-1][1:]

    def expected(self, step, remainders):
        """In 1/64 grid step; remainders by component and step."""
        total = [0] * len(remainders)
        for earlier, way, squared in self.neighbours(step):
            weight, weight_along = self.weights(squared)
            direction = [w * (2**26 // (isqrt(squared) + 1)) >> 16 for w in way]
            remainder = [column[earlier] for column in remainders]
            along = sum(a * b for a, b in zip(direction, remainder)) >> 10
            for d, r in enumerate(remainder):
                total[d] += weight * r + weight_along * (along * direction[d] >> 10)
        return [x >> 6 for x in total]
