# SPDX-License-Identifier: BSD-3-Clause
"""Section 10c of docs/format.md: crystals. Slow and plain on purpose."""

from collections import defaultdict, deque
from itertools import product
from operator import mul

from .codec import require
from .difference import displacement, limited, signed

ELEMENTS = ((0, 3, 4), (3, 1, 5), (4, 5, 2))  # of a symmetric matrix xx yy zz xy xz yz
LARGEST_FIELD = 32767
WHOLE_GAIN = 64
LATTICE, FILTER, DRIFT = 1, 2, 4


def divided(total, count):
    """Towards zero."""
    return abs(total) // count * (1 if total >= 0 else -1) if count else 0


def scaled(x, shift):
    return x if shift == 0 else x + 2 ** (shift - 1) >> shift


class Lattice:
    def __init__(self, cursor):
        count, self.shift = cursor.unpack("BB")
        (self.tolerance,) = cursor.unpack("q")
        require(1 <= count <= 24 and self.shift <= 24, "vectors or units of a lattice are out of range")
        require(1 <= self.tolerance <= 2**28, "the tolerance of a lattice is out of range")
        self.ways, self.springs = [], []
        for _ in range(count):
            self.ways.append(cursor.unpack("3q"))
            spring = cursor.unpack("6h")
            self.springs.append([[spring[e] for e in row] for row in ELEMENTS])
        require(all(abs(x) <= 2**44 for way in self.ways for x in way), "a vector of a lattice is out of range")
        for r in range(3):
            require(sum(abs(x) for m in self.springs for x in m[r]) <= 2**14, "the springs of a lattice are out of range")

    def directions(self):
        """Ways and springs, along and against each vector."""
        for way, spring in zip(self.ways, self.springs):
            yield way, spring
            yield tuple(-x for x in way), spring


class Filter:
    def __init__(self, cursor=None):
        self.degree, self.gain, self.mean, self.last, self.before = 0, WHOLE_GAIN, 0, (0,), (0,)
        if cursor is None:
            return
        self.degree, self.gain, self.mean = cursor.unpack("BBh")
        require(self.degree <= 12 and 1 <= self.gain <= WHOLE_GAIN, "degree or gain of a lattice are out of range")
        self.last = cursor.unpack(f"{self.degree + 1}h")
        self.before = cursor.unpack(f"{self.degree + 1}h")
        sizes = map(abs, (self.mean, *self.last, *self.before))
        require(sum(sizes) <= 65535, "the coefficients of a lattice are out of range")


class Network:
    def __init__(self, lattice, index, axes):
        self.lattice, self.axes = lattice, axes
        self.index = list(zip(*index))
        self.directions = list(lattice.directions())
        self.near = self.neighbours()
        self.offset = self.places()

    def way(self, i, j):
        return [displacement(b, a, axis) for a, b, axis in zip(self.index[i], self.index[j], self.axes)]

    def neighbours(self):
        """For each particle a list of neighbours, None where there is none."""
        reach = max(sum(x * x for x in way) for way in self.lattice.ways) ** 0.5 / 2**16 + self.lattice.tolerance
        edge = int(reach) + 2
        counts = [max(1, axis.period // edge) if axis.periodic else None for axis in self.axes]

        def place(x, axis, count):
            return (x - axis.lo) // edge if count is None else (x - axis.lo) % axis.period * count // axis.period

        cells, cell_of = defaultdict(list), []
        for i, index in enumerate(self.index):
            cell = tuple(place(x, axis, count) for x, axis, count in zip(index, self.axes, counts))
            cells[cell].append(i)
            cell_of.append(cell)
        rounded = [[x + 2**15 >> 16 for x in way] for way in self.lattice.ways]
        ends = [end for way in rounded for end in (way, [-x for x in way])]
        near = []
        for i, cell in enumerate(cell_of):
            best = [(self.lattice.tolerance**2 + 1, None)] * len(ends)
            around = {tuple(c if count is None else c % count for c, count in zip(around, counts))
                      for around in product(*((c - 1, c, c + 1) for c in cell))}
            for j in sorted(j for c in around for j in cells.get(c, ()) if j != i):
                way = self.way(i, j)
                if sum(x * x for x in way) > edge**2:
                    continue  # of no vector
                for k, end in enumerate(ends):
                    squared = sum((a - b) ** 2 for a, b in zip(way, end))
                    if squared < best[k][0]:
                        best[k] = squared, j
            near.append([j for _squared, j in best])
        return near

    def places(self):
        """The offset of each particle, None where it has no place."""
        components = range(len(self.axes))
        found, offset = {}, [None] * len(self.near)
        for seed in range(len(self.near)):
            if seed in found:
                continue
            part, queue = [], deque([seed])
            found[seed] = [0 for _ in components]
            while queue:
                i = queue.popleft()
                part.append(i)
                for (vector, _spring), j in zip(self.directions, self.near[i]):
                    if j is None or j in found:
                        continue
                    found[j] = [signed(f + 2**16 * w - v) for f, w, v in zip(found[i], self.way(i, j), vector)]
                    queue.append(j)
            means = [divided(signed(sum(found[i][d] >> 10 for i in part)), len(part)) for d in components]
            for i in part:
                away = [signed((f >> 10) - mean) for f, mean in zip(found[i], means)]
                if len(part) > 1 and all(abs(x) <= 2**29 for x in away):
                    offset[i] = away
        return offset

    def distance(self, i, index):
        ways = (displacement(q, q0, axis) for q, q0, axis in zip(index, self.index[i], self.axes))
        return [limited(64 * limited(y, 2**23) + o, 2**29) for y, o in zip(ways, self.offset[i])]

    def turned(self, field):
        """D of section 10c."""
        result = []
        for own, near in zip(field, self.near):
            pull = [0, 0, 0]
            for (_way, spring), j in zip(self.directions, near):
                if j is not None:
                    way = [a - b for a, b in zip(own, field[j])]
                    for r in range(3):
                        pull[r] += sum(map(mul, spring[r], way))
            result.append([(p + 2**11 >> 12) - a for p, a in zip(pull, own)])
        return result

    def polynomials(self, field, degree):
        terms = [field]
        for k in range(degree):
            turned = self.turned(terms[k])
            if k == 0:
                terms.append([[limited(x, LARGEST_FIELD) for x in v] for v in turned])
            else:
                pairs = zip(turned, terms[k - 1])
                terms.append([[limited(2 * x - y, LARGEST_FIELD) for x, y in zip(v, w)] for v, w in pairs])
        return terms

    def displacements(self, columns):
        """The field U of indices (a list a component), its mean, and which particles are lost."""
        count, shift = len(self.near), self.lattice.shift
        away = [None] * count
        for i, index in enumerate(zip(*columns)):
            if self.offset[i] is not None:
                numbers = [scaled(x, shift) for x in self.distance(i, index)]
                if max(map(abs, numbers)) <= LARGEST_FIELD:
                    away[i] = numbers
        known = [x for x in away if x is not None]
        mean = [divided(sum(x), len(known)) for x in zip(*known)] or [0] * len(columns)
        zeros = [0] * (3 - len(mean))
        field = [[0, 0, 0] if x is None else [limited(u - m, LARGEST_FIELD) for u, m in zip(x, mean)] + zeros for x in away]
        return field, mean, [x is None for x in away]

    def remove(self, gone):
        slots = {old: new for new, old in enumerate(i for i in range(len(self.near)) if i not in gone)}
        self.near = [[slots.get(j) for j in self.near[old]] for old in slots]
        self.index = [self.index[old] for old in slots]
        self.offset = [self.offset[old] for old in slots]

    def append(self, count):
        self.near += [[None] * len(self.directions) for _ in range(count)]
        self.index += [(0,) * len(self.axes)] * count
        self.offset += [None] * count


class LatticeModel:
    """What a history remembers for the lattice model. `history` is a FieldHistory, t its number of frames."""

    def __init__(self):
        self.network, self.filter, self.drift = None, Filter(), (0, 0, 0)
        self.predicted = None  # t, network, F and P of the last prediction

    def read(self, cursor, history, axes):
        (parts,) = cursor.unpack("B")
        require(parts < 8, "the parameters of a lattice have unknown parts")
        require(parts & LATTICE or self.network, "there is no lattice")
        if parts & LATTICE:
            self.network, self.filter = Network(Lattice(cursor), history.index, axes), Filter()
        if parts & FILTER:
            self.filter = Filter(cursor)
        self.drift = cursor.unpack("3i") if parts & DRIFT else (0, 0, 0)
        require(all(abs(x) <= 2**28 for x in self.drift), "the drift of a lattice is out of range")

    def expected(self, history, t, axes):
        """The expected displacements in 1/64 grid steps, a list a component."""
        network, lattice_filter, shift = self.network, self.filter, self.network.lattice.shift
        network.axes = axes
        displaced, mean, lost = network.displacements(history.index)
        if self.predicted and self.predicted[:2] == (t - 1, network):
            _t, _network, before, prediction = self.predicted
            last = [
                [0, 0, 0] if gone else [limited(p + (lattice_filter.gain * (u - p) + 32 >> 6), LARGEST_FIELD) for u, p in zip(us, ps)]
                for us, ps, gone in zip(displaced, prediction, lost)
            ]
        else:
            last = displaced
            moved = [[signed(q - v) for q, v in zip(*columns)] for columns in zip(history.index, history.velocity)]
            before = network.displacements(moved)[0]
        terms_last = network.polynomials(last, lattice_filter.degree)
        terms_before = network.polynomials(before, lattice_filter.degree)

        expected, prediction = [[] for _ in axes], []
        for i, gone in enumerate(lost):
            prediction.append([0, 0, 0])
            for d in range(len(axes)):
                if gone:
                    expected[d].append(0)
                    continue
                to_mean = limited(scaled(8 * history.mean(d, i, t), shift) + displaced[i][d], LARGEST_FIELD) if t >= 4 else 0
                p = lattice_filter.mean * to_mean + 2**11
                p += sum(a * term[i][d] for a, term in zip(lattice_filter.last, terms_last))
                p += sum(b * term[i][d] for b, term in zip(lattice_filter.before, terms_before))
                p >>= 12
                prediction[i][d] = limited(p, LARGEST_FIELD)
                distance = network.distance(i, [column[i] for column in history.index])[d]
                expected[d].append(limited((p + mean[d]) * 2**shift + self.drift[d] - distance, 2**29))
        self.predicted = t, network, last, prediction
        return expected

    def remove(self, slots):
        """Before these slots of the history are removed."""
        gone = set(slots)
        if self.network:
            self.network.remove(gone)
        self._change(lambda field: [v for slot, v in enumerate(field) if slot not in gone])

    def append(self, count):
        if self.network:
            self.network.append(count)
        self._change(lambda field: field + [[0, 0, 0]] * count)

    def _change(self, change):
        if self.predicted:
            t, network, last, prediction = self.predicted
            self.predicted = t, network, change(last), change(prediction)


class LatticeNeighbourPredictor:
    """Neighbours in earlier slots."""

    def __init__(self):
        self.weights = None

    def read(self, cursor, network):
        (parts,) = cursor.unpack("B")
        require(parts < 2, "the weights of a lattice have unknown parts")
        vectors = network.lattice.ways
        if parts:
            self.weights = [cursor.unpack("hh") for _ in vectors]
        require(self.weights and len(self.weights) == len(vectors), "there are no weights for the lattice")
        self.matrices = []
        for way, (both, along) in zip(vectors, self.weights):
            while max(way) >= 2**15 or min(way) < -(2**15):
                way = [x >> 1 for x in way]
            square = max(1, sum(x * x for x in way))
            self.matrices.append([[both * (a == b) + divided(along * way[a] * way[b], square) for b in range(3)] for a in range(3)])
        numbers = [abs(x) for matrix in self.matrices for row in matrix for x in row]
        require(max(numbers) <= LARGEST_FIELD, "the weights of a lattice are out of range")
        for r in range(3):
            require(sum(abs(x) for m in self.matrices for x in m[r]) <= 2**14, "the weights of a lattice are out of range")
        self.network, self.field = network, [[0, 0, 0] for _ in network.near]

    def expected(self, i):
        """Of particle i, in 1/64 grid steps, beside what was expected at first."""
        total = [2**11] * 3
        for k, j in enumerate(self.network.near[i]):
            if j is not None:
                for r in range(3):
                    total[r] += sum(m * e for m, e in zip(self.matrices[k // 2][r], self.field[j]))
        return [(x >> 12) * 2**self.network.lattice.shift for x in total]

    def update(self, i, remainder):
        """The difference of particle i from what was expected at first, in 1/64 grid steps."""
        shift = self.network.lattice.shift
        self.field[i] = [limited(signed(x + (2**shift >> 1)) >> shift, LARGEST_FIELD) for x in remainder]
