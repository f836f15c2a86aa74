# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: the edges of the box, and images of particles."""

from .codec import require
from .difference import Axis, signed

LARGEST_TILT = 2**52


class Box:
    def __init__(self, axes, tilts=(0, 0, 0), brick=False):
        self.lo, self.brick = [axis.lo for axis in axes], brick
        self.period = [axis.period if axis.periodic else 0 for axis in axes]
        xy, xz, yz = tilts
        px, py, pz = self.period
        edges = (px, 0, 0), (xy, py, 0), (xz, yz, pz)
        self.edges = [edge if period else (0, 0, 0) for edge, period in zip(edges, self.period)]

    def add(self, place, image):
        """The place plus image times edges."""
        return [signed(p + sum(k * edge[d] for k, edge in zip(image, self.edges))) for d, p in enumerate(place)]

    def short(self, way):
        """The short way and the image."""
        image = [0, 0, 0]
        for d in (2, 1, 0):
            half = self.period[d] // 2
            if self.period[d] and abs(way[d]) > half:
                image[d] = 1 if way[d] > half else -1
                way = [signed(w - image[d] * e) for w, e in zip(way, self.edges[d])]
        return way, tuple(image)

    def wrapping(self, place):
        """The image that wraps a place."""
        image, fraction = [0, 0, 0], [0.0, 0.0, 0.0]
        for d in (2, 1, 0):
            period = self.period[d]
            if period == 0:
                continue
            lo = self.lo[d]
            if not self.brick:
                for k in range(2, d, -1):
                    lo += int(self.edges[k][d] * fraction[k])
            if place[d] < lo:
                image[d] = 1
            elif place[d] >= lo + period:
                image[d] = -1
            place = [signed(p + image[d] * e) for p, e in zip(place, self.edges[d])]
            fraction[d] = max(min(float(place[d] - lo) / float(period), 2.0), -2.0)
        return tuple(image)


def take_box(cursor, brick):
    places, tilts = cursor.unpack("6q"), cursor.unpack("3q")
    require(max(map(abs, tilts)) <= LARGEST_TILT, "tilts of molecules")
    return Box([Axis(*axis) for axis in zip(places[::2], places[1::2])], tilts, brick)
