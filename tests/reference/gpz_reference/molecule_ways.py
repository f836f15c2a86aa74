# SPDX-License-Identifier: BSD-3-Clause
"""Section 9c of docs/format.md: what is remembered of a particle, and where its way from the parent is expected, component by
component. Slow and plain on purpose: a Python float is an f64, and math.sqrt rounds to nearest."""

import struct
from math import copysign, inf, nan, sqrt

USUAL, LAST, WIDE = range(3)  # contexts of a component
MOST_SIZES, MOST_FRAMES = 12, 16


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def clamp(x, most):
    return max(min(x, most), -most)


def sq(x):
    return x * x


def root(x):
    return sqrt(x) if x > 0.0 else 0.0


def ratio(a, b):
    """a / b, b = 0 included."""
    if b == 0:
        return nan if a == 0 else copysign(inf, a) * copysign(1, b)
    return a / b


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def size(a):
    return sqrt(dot(a, a))


def times(k, a):
    return [k * x for x in a]


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def weighted(weights, features):
    total = 0.0
    for weight, feature in zip(weights, features):
        total += weight * feature
    return total


# ---- what is remembered of a particle


class Particle:
    """Of a root, y, y' and the scale alone have a meaning. w, y and y' are whole numbers."""

    def __init__(self):
        self.way, self.y, self.y_before = [0.0] * 3, [0.0] * 3, [0.0] * 3
        self.image = (0, 0, 0)
        self.known = self.frames = self.sizes = 0
        self.place, self.mean = [0.0] * 3, [0.0] * 3
        self.length = self.mean_length = 0.0
        self.scale = 1.0

    def update_scale(self, x):
        self.sizes = min(self.sizes + 1, MOST_SIZES)
        s = self.scale
        self.scale = f32(max(min(s + (max(min(x, 8.0), 0.05) - s) / self.sizes, 8.0), 0.1))

    def update_place(self, axes):
        """With the way of this frame."""
        is_first = self.frames == 0
        exact, length = [dot(self.way, axis) for axis in (axes.a, axes.b, axes.c)], size(self.way)
        self.length, self.place = f32(length), [f32(x) for x in exact]
        self.frames = min(self.frames + 1, MOST_FRAMES)
        part = 1 / self.frames
        self.mean_length = self.length if is_first else f32(self.mean_length + part * (length - self.mean_length))
        if not is_first and self.known >= axes.k:
            self.mean = [f32(mean + part * (x - mean)) for mean, x in zip(self.mean, exact)]
        else:
            self.mean = list(self.place)
        self.known = axes.k


BESIDE, ABOVE, BEYOND = range(3)


class Axes:
    """The frame of a particle: its axes A, B and C, of which k are known. `links`: along and across, each a particle and one
    of the words above, or None. `parent`, `grandparent`: particles."""

    def __init__(self, links, parent, grandparent):
        self.k, self.a, self.b, self.c = 0, [0.0] * 3, [0.0] * 3, [0.0] * 3
        along, across = links
        if along is None:
            return
        first = minus([0.0] * 3, parent.way) if along[1] == ABOVE else along[0].way
        length = size(first)
        if length < 1:
            return
        self.k, self.a = 1, times(1 / length, first)
        if across is None:
            return
        second = across[0].way
        if across[1] == ABOVE:
            second = minus([0.0] * 3, grandparent.way)
        if across[1] != BESIDE:
            second = minus(second, parent.way)
        normal = cross(self.a, second)
        length = size(normal)
        if length >= 1 and length * length >= 0.01 * dot(second, second):
            self.k, self.c = 2, times(1 / length, normal)
            self.b = cross(self.c, self.a)


# ---- expected ways


class ExpectedWay:
    """`take(expected, variance, kind)` takes a component, `take_side(t)` whether it is the other side."""

    def __init__(self, particle, parent_moves, parent_y, axes, fitted):
        """`parent_moves`: y and y' of the parent in the last frame; `parent_y`: y in this one. The particle is that of the last
        frame."""
        last_y, last_y_before = parent_moves
        self.fitted, self.scale = fitted, particle.scale
        self.last_way = particle.way
        self.motion = (
            minus(particle.y, last_y),
            minus(particle.y_before, last_y_before),
            parent_y,
            last_y,
        )
        moved = [w + weighted(fitted.weights["motion"], m) for w, m in zip(particle.way, zip(*self.motion))]
        self.length_before, self.along_before = particle.length, particle.place[0]
        l0, a0 = self.length_before, self.along_before
        self.find_plane(particle, axes, moved)

        length = size(moved)
        self.features = {
            "length": (length - l0, particle.mean_length - l0, fitted.mean_length - l0),
            "along": (0.0, 0.0, 0.0),
            "across": self.across,
        }
        self.l = max(l0 + weighted(fitted.weights["length"], self.features["length"]), 1.0)
        self.v_l = max(sq(fitted.off_length), 0.17)
        ss = self.scale * self.scale
        if self.framed:
            mean_along = 0.0 if fitted.mean_along is None else fitted.mean_along - a0
            self.features["along"] = (dot(moved, self.A) - a0, particle.mean[0] - a0, mean_along)
            self.a = clamp(a0 + weighted(fitted.weights["along"], self.features["along"]), 0.98 * self.l)
            self.v_a = max(sq(fitted.off_along) * ss, 0.17)
            self.r = root(self.l * self.l - self.a * self.a)
            c = clamp(weighted(fitted.weights["across"], self.across), 0.98 * self.r)
            self.P = times(1 / self.r, plus(times(c, self.Q), times(root(self.r * self.r - c * c), self.H)))
            bend = fitted.bend2
        else:
            self.r = self.l
            self.P = [1.0, 0.0, 0.0] if length <= 0.5 else times(1 / length, moved)
            bend = 0.5 * fitted.bend2
        rr = self.r * self.r
        self.v_c = min(max(rr * bend * ss, 0.17), 0.5 * rr)
        twist = max(2 * fitted.bend - fitted.bend * fitted.bend - fitted.bend2, 0.0)
        self.v_t = min(rr * twist * ss * ss, 0.5 * rr)
        self.shrinkage = max(1 - fitted.bend * ss, 0.0)
        self.wide = self.v_c > 0.1 * self.r * self.r

    def find_plane(self, particle, axes, moved):
        self.across, self.framed = (0.0, 0.0, 0.0), False
        self.A = axes.a
        k = min(axes.k, particle.known)
        if k == 2:
            _, p, q = particle.place
            radius = root(p * p + q * q)
            if radius < 0.5 or radius < 0.05 * self.length_before:
                return
            self.H = times(1 / radius, plus(times(p, axes.b), times(q, axes.c)))
            self.Q = times(1 / radius, minus(times(p, axes.c), times(q, axes.b)))
            self.across = (dot(moved, self.Q), (p * particle.mean[2] - q * particle.mean[1]) / radius, 0.0)
            self.framed = True
        elif k == 1:
            normal = cross(self.A, moved)
            length = size(normal)
            if length < 0.5 or length < 0.05 * size(moved):
                return
            self.Q = times(1 / length, normal)
            self.H = cross(self.Q, self.A)
            self.framed = True

    def order_axes(self, x, n):
        y, z = (x + 1) % 3, (x + 2) % 3
        self.xyz = (x, z, y) if abs(n[y]) > abs(n[z]) else (x, y, z)

    def read(self, take, take_side):
        """The components of the way."""
        self.take_side = take_side
        way = [0.0] * 3
        expected, variance = self.first()
        for step, d in enumerate(self.xyz):
            kind = LAST if step == 2 else WIDE if self.wide and (step == 0 or not self.framed) else USUAL
            way[d] = float(take(expected, variance + 0.1, kind))
            if step == 0:
                expected, variance = self.second(way, expected, variance)
            elif step == 1:
                expected, variance = self.third(way, expected)
        self.way = way
        return way

    def first(self):
        if self.framed:
            self.C = cross(self.A, self.P)
            n = times(1 / self.l, plus(times(self.a, self.A), times(self.r, self.P)))
            k = self.a / self.l
            i = 1 / (1 - k * k)
            self.D = times(i, minus(n, times(k, self.A)))
            self.F = times(i, minus(self.A, times(k, n)))
            if self.v_c > 0.2 * self.r * self.r:
                x = min(range(3), key=lambda d: abs(self.A[d]))
            else:
                x = max(range(3), key=lambda d: abs(self.C[d]))
            self.order_axes(x, n)
            expected = self.shrinkage * self.r * self.P[x] + self.a * self.A[x]
            of_shape = self.v_l * sq(self.D[x]) + self.v_a * sq(self.F[x])
            return expected, of_shape + self.v_c * sq(self.C[x]) + self.v_t * sq(self.P[x])
        n = self.P
        x = min(range(3), key=lambda d: abs(n[d]))
        self.order_axes(x, n)
        expected = self.shrinkage * self.r * self.P[x]
        return expected, (self.v_l + self.v_t) * sq(n[x]) + self.v_c * (1 - sq(n[x]))

    def second(self, way, expected, variance):
        x, y, z = self.xyz
        if not self.framed:
            c = sq(self.l) - sq(way[x])
            radius = sqrt(c) if c > 0.01 else 0.1
            p = root(self.P[y] * self.P[y] + self.P[z] * self.P[z])
            p_y, p_z = (self.P[y] / p, self.P[z] / p) if p > 0.01 else (0.0, 1.0)
            self.w_z = radius * p_z
            expected = self.shrinkage * radius * p_y
            v = expected / self.l
            return expected, max(self.v_c * p_z * p_z + self.v_l * v * v + self.v_t * p_y * p_y, 0.1)

        A, C, D, F = self.A, self.C, self.D, self.F
        o = (way[x] - expected) / variance

        def near(d):
            moved = self.v_l * D[x] * D[d] + self.v_a * F[x] * F[d] + self.v_c * C[x] * C[d]
            return self.a * A[d] + self.r * self.P[d] + o * moved

        e_y, e_z = near(y), near(z)
        q, h = sq(A[y]) + sq(A[z]), self.a - way[x] * A[x]
        c = (sq(self.l) - sq(way[x])) * q - sq(h)
        radius = root(c)
        points = [((h * A[y] - R * A[z]) / q, (h * A[z] + R * A[y]) / q) for R in (radius, -radius)]
        off = [abs(Y - e_y) + abs(Z - e_z) for Y, Z in points]
        chosen = 1 if off[1] < off[0] else 0
        if self.wide and sq(radius) > 4 * (self.v_l + self.v_a) * q:
            if self.take_side(abs(off[1] - off[0]) / (0.5 * root(self.v_c) + 1)):
                chosen = 1 - chosen
        Y, Z = points[chosen]
        if self.wide:
            g = 2 * self.l * root(self.v_l) * q + 2 * abs(h) * root(self.v_a)
            variance = sq(A[z] / q) * (sq(g) / (4 * max(c, 0.0) + 2 * g)) + sq(A[y] / q) * self.v_a + 0.2 * self.v_l
            self.slope = 0.0
        else:
            Y, Z, variance = self.refine(way[x], Y, Z)
        self.w_z = Z
        return Y, variance

    def refine(self, w_x, Y, Z):
        x, y, z = self.xyz
        A, C = self.A, self.C
        w = [0.0] * 3
        w[x], w[y], w[z] = w_x, Y, Z
        i_l, i_a, i_c = 1 / self.v_l, 1 / self.v_a, 1 / self.v_c
        m = max(size(w), 1.0)
        v_y, v_z = Y / m, Z / m
        o_l, o_a, o_c = (self.l - m) * i_l, (self.a - dot(w, A)) * i_a, -dot(w, C) * i_c
        j_yy = v_y * v_y * i_l + A[y] * A[y] * i_a + C[y] * C[y] * i_c
        j_yz = v_y * v_z * i_l + A[y] * A[z] * i_a + C[y] * C[z] * i_c
        j_zz = v_z * v_z * i_l + A[z] * A[z] * i_a + C[z] * C[z] * i_c
        g_y = v_y * o_l + A[y] * o_a + C[y] * o_c
        g_z = v_z * o_l + A[z] * o_a + C[z] * o_c
        det = j_yy * j_zz - j_yz * j_yz
        variance = 2 * sq(self.r)
        if det > 1e-9 * j_yy * j_zz:
            Y += clamp((j_zz * g_y - j_yz * g_z) / det, self.l)
            Z += clamp((j_yy * g_z - j_yz * g_y) / det, self.l)
            variance = min(j_zz / det, variance)
        else:
            variance = min(ratio(1, j_yy), variance)
        self.slope = ratio(j_yz, j_zz)
        return Y, Z, variance

    def third(self, way, expected):
        x, y, z = self.xyz
        if self.framed:
            self.w_z -= self.slope * (way[y] - expected)
        c = sq(self.l) - sq(way[x]) - sq(way[y])
        sign = -1.0 if self.w_z < 0 else 1.0
        g = self.l * root(self.v_l)
        if not self.framed and self.wide and c > 4 * g:
            if self.take_side(abs(self.w_z) / (root(self.v_c) + 0.5)):
                sign = -sign
        radius = sign * root(c)
        weight = 0.25 / g if c < -4 * g else (radius * radius + 0.25 * g) / (sq(self.l) * self.v_l)
        total = radius * weight
        if self.framed:
            for axis, middle, variance in ((self.A, self.a, self.v_a), (self.C, 0.0, self.v_c))[: 1 if self.wide else 2]:
                weight += axis[z] * axis[z] / variance
                total += (middle - way[x] * axis[x] - way[y] * axis[y]) * axis[z] / variance
        return total / weight, 1 / weight

    def learn(self, sums, is_sampled):
        """Adds what the way says to the sums of the class; returns what the scale becomes by."""
        w, s, fitted = self.way, self.scale, self.fitted
        t = dot(w, self.A) if self.framed else 0.0
        flat = minus(w, times(t, self.A)) if self.framed else w
        length, flat_length = size(w), size(flat)
        k = dot(flat, self.P) / flat_length if flat_length > 0.1 else 1.0
        bend = max(min(1 - k, 2.0), 0.0)
        usual = bend * min(1 / (s * s), 1.0)
        sums.add(count=1, off_length=abs(length - self.l), length=length, bend=usual, bend2=1 - (1 - usual) * (1 - usual))
        x = root(bend / fitted.bend)
        if self.framed:
            sums.add(off_along=abs(t - self.a) / s, along=t)
            x = 0.5 * x + 0.5 * (1.25 * abs(t - self.a) / fitted.off_along)
        if is_sampled:
            sums.add(samples=1)
            for d in range(3):
                sums.fits["motion"].add([m[d] for m in self.motion], w[d] - self.last_way[d])
            sums.fits["length"].add(self.features["length"], length - self.length_before)
            if self.framed:
                sums.fits["along"].add(self.features["along"], t - self.along_before)
                sums.fits["across"].add(self.across, dot(w, self.Q))
        return 1.2 * x
