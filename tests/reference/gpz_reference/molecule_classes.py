# SPDX-License-Identifier: BSD-3-Clause
"""Section 9c of docs/format.md: what classes of particles learn from frame to frame. Slow and plain on purpose."""

LEAST_BEND = 1e-6
FADING = 0.75  # of sums, from frame to frame


class Products:
    """The sums of a fit: of products of features, and of features with targets."""

    def __init__(self, count):
        self.matrix, self.target = [[0.0] * (a + 1) for a in range(count)], [0.0] * count

    def add(self, features, target):
        for a, x in enumerate(features):
            for b in range(a + 1):
                self.matrix[a][b] += x * features[b]
            self.target[a] += x * target

    def rows(self):
        return *self.matrix, self.target

    def fade(self, others):
        """`others`: those of the segments."""
        for i, row in enumerate(self.rows()):
            for a in range(len(row)):
                row[a] *= FADING
                for other in others:
                    row[a] += other.rows()[i][a]

    def solve(self, towards, samples):
        count = range(len(towards))
        m = [[self.matrix[max(a, b)][min(a, b)] for b in count] for a in count]
        t = list(self.target)
        part = 1.0 / 512 + 4 / (samples + 1)
        for a in count:
            grown = part * m[a][a] + samples / 512
            m[a][a] += grown
            t[a] += grown * towards[a]
        for k in count:
            for a in count[k + 1 :]:
                f = m[a][k] / m[k][k]
                for b in count[k:]:
                    m[a][b] -= f * m[k][b]
                t[a] -= f * t[k]
        weights = [0.0] * len(towards)
        for a in reversed(count):
            rest = t[a]
            for b in count[a + 1 :]:
                rest -= m[a][b] * weights[b]
            weights[a] = rest / m[a][a]
        return weights


FITS = {  # the weights towards which they are solved
    "motion": (0.0, 0.0, 0.0, 0.0),
    "length": (0.0, 0.5, 0.5),
    "along": (0.0, 1.0, 0.0),
    "across": (0.3, 0.3, 0.0),
}
NUMBERS = "count", "samples", "off_length", "off_along", "length", "along", "bend", "bend2"


class Sums:
    def __init__(self):
        self.numbers = dict.fromkeys(NUMBERS, 0.0)
        self.fits = {name: Products(len(weights)) for name, weights in FITS.items()}

    def add(self, **numbers):
        for name, x in numbers.items():
            self.numbers[name] += x

    def fade(self, others):
        """`others`: those of the segments."""
        for name in NUMBERS:
            self.numbers[name] *= FADING
            for other in others:
                self.numbers[name] += other.numbers[name]
        for name, products in self.fits.items():
            products.fade([other.fits[name] for other in others])


def quarter_octave(x, offset):
    return (1.0, 1.189207115002721, 1.4142135623730951, 1.681792830507429)[x % 4] * 2.0 ** (x // 4 + offset)


class Class:
    """What is fitted for the particles of a class."""

    def __init__(self, members, mean_length, length, along, bend):
        self.members, self.sums, self.weights = members, Sums(), dict(FITS)
        self.mean_length, self.mean_along = mean_length, None
        self.off_length, self.off_along = quarter_octave(length, -2), quarter_octave(along, -2)
        self.bend = min(quarter_octave(bend, -24), 1.0)
        self.bend2 = 2 * self.bend - self.bend * self.bend * 4 / 3

    def is_sampled(self, slot):
        return self.members <= 256 or (slot * 0x9E3779B1 & 2**32 - 1) * self.members < 2**40

    def update(self, of_segments):
        self.sums.fade(of_segments)
        s = self.sums.numbers
        count = s["count"]
        if count == 0:
            return
        if s["samples"] > 0:
            self.weights = {name: self.sums.fits[name].solve(towards, s["samples"]) for name, towards in FITS.items()}
        self.off_length = max(1.25 * s["off_length"] / count, 0.3)
        self.off_along = max(1.25 * s["off_along"] / count, 0.3)
        self.bend = max(s["bend"] / count, LEAST_BEND)
        self.bend2 = max(s["bend2"] / count, LEAST_BEND)
        self.mean_length = s["length"] / count
        self.mean_along = s["along"] / count
