# SPDX-License-Identifier: BSD-3-Clause
"""Section 10d of docs/format.md: particles that are moved by forces between pairs. Slow and plain on purpose: all pairs are looked at."""

from functools import cache

from .codec import require
from .difference import signed

LARGEST = 2**30 - 1
LARGEST_REACH = 32767
LARGEST_LENGTH = 2**30 - 1
MOST_STEPS, MOST_GAIN, MOST_TRUST = 16, 128, 64
KNOTS = range(2, 33)
LARGEST_CUTOFF = 2**48
MOST_BINS = 2048
ONE = 2**20
SMALL_ERROR = 4096
AS_BEFORE, WITH_SETTINGS = 0, 1


def limit(x):
    return max(-LARGEST, min(LARGEST, x))


def smooth(t):
    return (t * t >> 20) * (3 * ONE - 2 * t) >> 20


class Settings:
    def __init__(self, cursor):
        self.steps, self.gain, self.trust, count, self.cutoff, self.close = cursor.unpack("BBBBQH")
        require(1 <= self.steps <= MOST_STEPS, "steps of pair forces")
        require(self.gain <= MOST_GAIN, "gain of pair forces")
        require(self.trust <= MOST_TRUST, "trust of pair forces")
        require(count in KNOTS, "number of knots")
        require(1 <= self.cutoff <= LARGEST_CUTOFF, "cutoff of pair forces")
        require(self.close not in (1, 2, 3), "close pairs")
        self.knots = []
        for _ in range(count):
            bin_number, value, slope = cursor.unpack("Hii")
            require(not self.knots or bin_number > self.knots[-1][0], "order of knots")
            require(abs(value) <= LARGEST, "value of a knot")
            self.knots.append((bin_number, value, slope))


class Curve:
    """Forces, in units of 2^-24 of the way, at squared distances in units of 1/64."""

    def __init__(self, settings, reach):
        self.settings = settings
        end = 64 * reach * reach
        self.shift = 0
        while end - 1 >> self.shift >= MOST_BINS:
            self.shift += 1
        self.bins = min((end - 1 >> self.shift) + 1, settings.knots[-1][0])
        self.close_bins = min(self.bins, settings.close)
        # Many pairs have the same bin.
        self.value, self.close_value = cache(self.value), cache(self.close_value)

    def value(self, b):
        knots = self.settings.knots
        first, value, slope = knots[0]
        if b < first:
            return limit(value + ((b - first) * slope >> 4))
        i = max(i for i in range(len(knots) - 1) if knots[i][0] <= b)
        (b0, w0, z0), (b1, w1, z1) = knots[i : i + 2]
        length = b1 - b0
        t = (b - b0) * ONE // length
        t2 = t * t >> 20
        t3 = t2 * t >> 20
        rise = (w1 - w0) * smooth(t) >> 20
        bend = z0 * (t - 2 * t2 + t3) + z1 * (t3 - t2) >> 20
        return limit(w0 + rise + (bend * length >> 4))

    def close_value(self, b):
        left = self.settings.close - b
        fade = self.settings.close // 4
        if left <= 0:
            return 0
        return self.value(b) if left >= fade else self.value(b) * smooth(left * ONE // fade) >> 20

    def is_close(self, squared):
        return squared >> self.shift < self.close_bins

    def force(self, squared, close):
        b = squared >> self.shift
        if b >= (self.close_bins if close else self.bins):
            return 0
        value = self.close_value if close else self.value
        return value(b) + ((value(b + 1) - value(b)) * (squared & (1 << self.shift) - 1) >> self.shift)


class Places:
    """Positions in units of 2^shift grid steps, and the ways between them. `last` has the last indices of each component; axes have
    `periodic`, `lo` and `period`."""

    def __init__(self, last, axes, cutoff):
        self.periods = []
        ways = []
        lengths = []
        for column, axis in zip(last, axes):
            lo = axis.lo if axis.periodic else min(column)
            lengths.append(axis.period if axis.periodic else (max(column) - lo) % 2**64)
            way = [signed(q - lo) for q in column]
            ways.append([w % axis.period for w in way] if axis.periodic else [w % 2**64 for w in way])
        self.shift = 0
        while cutoff >> self.shift > LARGEST_REACH or any(length >> self.shift > LARGEST_LENGTH for length in lengths):
            self.shift += 1
        self.reach = cutoff >> self.shift
        require(self.reach > 0, "cutoff of pair forces")
        self.places = [[w >> self.shift for w in way] for way in ways]
        self.units = [max(1, length >> self.shift) if axis.periodic else None for length, axis in zip(lengths, axes)]

    def near(self, i, others):
        """(j, way from j to i, its square) of those of the others that are within the reach."""
        axes = [(place, place[i], units, units and units // 2) for place, units in zip(self.places, self.units)]
        most = self.reach**2
        for j in others:
            way, squared = [], 0
            for place, here, units, half in axes:
                w = here - place[j]
                if units is not None:
                    w += units if w < -half else -units if w > half else 0
                way.append(w)
                squared += w * w
                if squared >= most:
                    break
            else:
                yield j, way, squared

    def pairs(self):
        """(i, j, way), j < i."""
        for i in range(len(self.places[0])):
            for j, way, _squared in self.near(i, range(i)):
                yield i, j, way


def part(x, f):
    return x * f + 2**15 >> 16


class PairForce:
    """What a decoder remembers of pair forces, for one chunk since its independent chunk."""

    def __init__(self):
        self.settings = None
        self.memory = None  # speed, expected, slow: each by component and slot

    def read(self, cursor):
        (kind,) = cursor.unpack("B")
        require(kind in (AS_BEFORE, WITH_SETTINGS), "settings of pair forces")
        if kind == WITH_SETTINGS:
            self.settings = Settings(cursor)
        require(self.settings is not None, "pair forces as before, but there were none")

    def leave_out(self):
        """After a frame without pair forces."""
        self.memory = None

    def keep(self, slots):
        if self.memory is not None:
            self.memory = [[[column[i] for i in slots] for column in columns] for columns in self.memory]

    def add(self, count):
        if self.memory is not None:
            for columns in self.memory:
                for column in columns:
                    column += [0] * count

    def expect(self, last, velocity, axes):
        """Expected displacements in 1/64 grid step, by component and slot."""
        settings = self.settings
        components, n = range(len(last)), range(len(last[0]))
        places = Places(last, axes, settings.cutoff)
        curve = Curve(settings, places.reach)
        s = places.shift

        def scaled(total):
            total = signed(total)
            if s <= 19:
                return limit(total >> 19 - s)
            up = min(s - 19, 31)
            return max(-(LARGEST >> up), min(LARGEST >> up, total)) << up

        def sums(pairs, close):
            out = [[0] * len(n) for _ in components]
            for i, j, way in pairs:
                force = curve.force(sum(w * w for w in way), close)
                for d in components:
                    out[d][i] += force * way[d]
                    out[d][j] -= force * way[d]
            return [[scaled(x) for x in column] for column in out]

        pairs = [(i, j, [8 * w for w in way]) for i, j, way in places.pairs()]
        close_pairs = [pair for pair in pairs if curve.is_close(sum(w * w for w in pair[2]))]
        force = sums(pairs, False)
        close = sums(close_pairs, True)
        slow = [[limit(a - b) for a, b in zip(*both)] for both in zip(force, close)]
        r = (65536 + settings.steps // 2) // settings.steps
        speed, moved, change = ([[0] * len(n) for _ in components] for _ in range(3))
        for i in n:
            y = [256 * velocity[d][i] for d in components]
            afresh = self.memory is None
            if not afresh:
                old_speed, old_moved, old_slow = ([columns[d][i] for d in components] for columns in self.memory)
                wrong = sum(abs(y[d] - old_moved[d]) for d in components)
                afresh = wrong >= SMALL_ERROR and wrong >= sum(map(abs, y))
            for d in components:
                if afresh:
                    a = force[d][i]
                    speed[d][i] = limit(y[d] + (a >> 1) - (a * r + 2**16 >> 17))
                else:
                    error = y[d] - old_moved[d]
                    speed[d][i] = limit(old_speed[d] + (error * settings.gain >> 6))
                    moved[d][i] = limit(-(error * (MOST_TRUST - settings.trust) >> 6))
                    change[d][i] = limit(slow[d][i] - old_slow[d])
        for j in range(settings.steps):
            if j > 0:
                fine = [[x + 2 ** (4 + s) >> 5 + s for x in column] for column in moved]
                now = [(a, b, [w + fine[d][a] - fine[d][b] for d, w in enumerate(way)]) for a, b, way in close_pairs]
                close = sums(now, True)
            for d in components:
                for i in n:
                    kick = close[d][i] + slow[d][i] + part(change[d][i], j * r)
                    speed[d][i] = limit(speed[d][i] + part(kick, r))
                    moved[d][i] = limit(moved[d][i] + part(speed[d][i], r))
        self.memory = [speed, moved, slow]
        return [[x + 2 >> 2 for x in column] for column in moved]
