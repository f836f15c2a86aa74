# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: where the components of up to 32 bond vectors of one kind are expected. Slow and plain on purpose;
names are those of the page."""

from .floats import F32, choose, clamp, inverse_root, larger, root, smaller

KINDS = ROOT, SPHERE, WIDE, NARROW = range(4)
USUAL, LAST = 1, 2  # groups of places
MOST_LEVEL_OF_SIDE = 15
LONGEST_MEMORY = 16  # sections
KEY_WEIGHTS = 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0  # C to T of key sections


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(k, a):
    return [k * x for x in a]


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def unit_vectors(a):
    """On the axis of the least component of each lane."""
    found = []
    for lane in zip(*(x.lanes for x in a)):
        axis = min(range(3), key=lambda d: abs(lane[d]))  # of equal ones the first
        found.append([float(d == axis) for d in range(3)])
    return [F32(column) for column in zip(*found)]


class Weights:
    """Of the classes of all lanes, a number each."""

    def __init__(self, kind, constants):
        """`constants`: of each lane (C, L_m, L_c, L_p, A_m, A_c, A_p, H_p, T, length, along, V_l, V_a, bend, bend2)."""
        vectors = [F32(column) for column in zip(*constants)]
        self.C, L_m, self.L_c, self.L_p, A_m, self.A_c, self.A_p, self.H_p, self.T = vectors[:9]
        length, along, self.V_l, self.V_a, bend, self.c2 = vectors[9:]
        self.l_k, self.l_m = 1 - L_m - self.L_c - self.L_p, L_m * length
        self.a_k, self.a_m = 1 - A_m - self.A_c - self.A_p, A_m * along
        self.I_l, self.I_a = 1 / self.V_l, 1 / self.V_a
        self.c_t = larger(2 * bend - bend * bend - self.c2, 0)
        self.Z_s = larger(1 - bend, 0)
        self.M = root(self.V_l) if kind == SPHERE else 4 * root(larger(self.V_l, self.V_a))


class Means:
    """Of all lanes."""

    def __init__(self, of_particles, sections):
        """`sections`: those before with these molecules."""
        self.l, self.a, self.p, self.q = (F32(column) for column in zip(*of_particles))
        self.g = 1 / F32([float(min(sections + 1, LONGEST_MEMORY))] * len(of_particles))

    def take(self, mean, value):
        return mean + self.g * (value - mean)

    def of_particles(self):
        return [list(of_lane) for of_lane in zip(self.l.lanes, self.a.lanes, self.p.lanes, self.q.lanes)]


class Shape:
    """What is expected of the bond vectors."""

    def __init__(self, kind, weights, means, w, y, axis, second, is_key=False):
        """w, y: vectors of the page; `axis`, `second`: A0 and A1, S0 and S1. No axis of spheres. `means` take this frame."""
        self.kind, self.c, self.means, self.is_key = kind, weights, means, is_key
        c = weights
        L = plus(w, times(c.C, y))
        LL = dot(L, L)
        l_0 = root(dot(w, w))
        means.l = means.take(means.l, l_0)
        l = larger(c.l_k * l_0 + c.L_c * root(LL) + c.l_m + c.L_p * means.l, 1)
        self.l = l
        if kind == SPHERE:
            self.P, self.r = times(inverse_root(larger(LL, 0.25)), L), l
        else:
            self.find_circle(L, w, *axis, *second)
        self.m = 1 / l
        r, rr = self.r, self.r * self.r
        self.rr = rr
        self.V_c = smaller(larger(rr * c.c2, 0.17), 0.5 * rr)
        self.V_t = smaller(rr * c.c_t, 0.5 * rr)
        self.g = F32([0.0] * len(r.lanes)) if is_key and kind == SPHERE else 4 * r / self.V_c

    def find_circle(self, L, w, A0, A1, S0, S1):
        c, l, means = self.c, self.l, self.means
        a0, a1 = (times(inverse_root(larger(dot(A, A), 1)), A) for A in (A0, A1))
        k = dot(w, a0)
        means.a = means.take(means.a, k)
        a = clamp(c.a_k * k + c.A_c * dot(L, a1) + c.a_m + c.A_p * means.a, 0.98 * l)
        rr = l * l - a * a
        j = inverse_root(rr)
        r = rr * j

        e0, e1, s0, s1 = dot(a0, S0), dot(a1, S1), dot(S0, S0), dot(S1, S1)
        u0 = s0 - e0 * e0
        t = cross(a1, S1)
        u1 = dot(t, t)
        p = dot(w, S0) - k * e0
        q = dot(w, cross(a0, S0))
        means.p, means.q = means.take(means.p, p), means.take(means.q, q)
        p, q = p + c.H_p * (means.p - p), q + c.H_p * (means.q - q)
        R = p * p + q * q
        conditions = 0.01 * s0 < u0, 0.01 * s1 < u1, smaller(u0, u1) > 1, 0.25 * u0 < R
        framed = list(map(all, zip(*conditions)))
        o = inverse_root(larger(R, 0.25) * larger(u1, 1))
        p, q = o * p, o * q
        b = minus(S1, times(e1, a1))
        H, Q = plus(times(p, b), times(q, t)), minus(times(p, t), times(q, b))
        h = choose(framed, clamp(c.T * dot(L, Q), 0.98 * r), 0)
        Q = [choose(framed, x, 0) for x in Q]
        v = cross(a1, unit_vectors(a1) if self.is_key else L)
        unframed = cross(times(inverse_root(larger(dot(v, v), 0.25)), v), a1)
        H = [choose(framed, x, other) for x, other in zip(H, unframed)]
        self.P = plus(times(j * h, Q), times(j * root(rr - h * h), H))
        self.A, self.a, self.j, self.r = a1, a, j, r

    def order_components(self):
        """The axes of x, y and z in each lane."""
        if self.kind == SPHERE:
            n, m = self.P, self.P
        else:
            n = self.A if self.kind == WIDE else cross(self.A, self.P)
            m = plus(times(self.a, self.A), times(self.r, self.P))
        self.order = []
        for n, m in zip(zip(*(x.lanes for x in n)), zip(*(x.lanes for x in m))):
            x = 0
            for d in (1, 2):
                if abs(n[x]) < abs(n[d]) if self.kind == NARROW else abs(n[d]) < abs(n[x]):
                    x = d
            y, z = (x + 1) % 3, (x + 2) % 3
            self.order.append((x, z, y) if abs(m[z]) < abs(m[y]) else (x, y, z))

    def ordered(self, vector):
        return [F32(vector[axes[d]].lanes[lane] for lane, axes in enumerate(self.order)) for d in range(3)]

    def read(self, take, take_sides):
        """The components, three integers a lane. `take(E, V, group)` takes a component of all lanes; `take_sides(lanes, t)` tells which
        of these lanes are on the other side, t being what the level is the integer part of."""
        self.order_components()
        self.P = self.ordered(self.P)
        if self.kind != SPHERE:
            self.A = self.ordered(self.A)
            self.C = cross(self.A, self.P)
        self.take_sides = take_sides
        E, V = self.first()
        found = [take(E, V, USUAL)]
        x = F32(found[0])
        self.rest = self.l * self.l - x * x
        if self.kind == SPHERE:
            E, V = self.second_of_sphere()
        else:
            Y, Z = self.ends_wide(x) if self.kind == WIDE else self.ends_narrow(x, E)
            E, V = self.second(x, Y, Z)
        found.append(take(E, V, USUAL))
        y = F32(found[1])
        E, V = self.last_of_sphere(y) if self.kind == SPHERE else self.last(x, y, E)
        found.append(take(E, V, LAST))
        ways = [[0] * 3 for _ in self.order]
        for axes, way, components in zip(self.order, ways, zip(*found)):
            for d, component in zip(axes, components):
                way[d] = component
        return ways

    def first(self):
        c, r, P_x, V_c, V_t = self.c, self.r, self.P[0], self.V_c, self.V_t
        if self.kind == SPHERE:
            return c.Z_s * r * P_x, (c.V_l + V_t) * (P_x * P_x) + 0.5 * V_c * (1 - P_x * P_x) + 0.1
        A_x, C_x = self.A[0], self.C[0]
        d, f = self.l * self.j * P_x, A_x - self.a * self.j * P_x
        W = c.V_l * d * d + c.V_a * f * f + V_c * C_x * C_x + V_t * P_x * P_x
        self.i_v, self.i_c = 1 / W, 1 / V_c
        return c.Z_s * r * P_x + self.a * A_x, W + 0.1

    def second_of_sphere(self):
        c, (_, P_y, P_z) = self.c, self.P
        R = root(larger(self.rest, 0.01))
        o = inverse_root(larger(P_y * P_y + P_z * P_z, 0.000001))
        p, q = P_y * o, P_z * o
        E = c.Z_s * R * p
        v = E * self.m
        return E, 0.5 * self.V_c * q * q + c.V_l * v * v + self.V_t * p * p + 0.1

    def ends_wide(self, x):
        c, (_, P_y, P_z), (A_x, A_y, A_z) = self.c, self.P, self.A
        q = larger(A_y * A_y + A_z * A_z, 0.000001)
        o, h = 1 / q, self.a - x * A_x
        left = self.rest * q - h * h  # c of the page
        R = root(larger(left, 0)) * o
        k = h * o
        Y, Z, Y2, Z2 = k * A_y, k * A_z, 0 - R * A_z, R * A_y
        d = Y2 * P_y + Z2 * P_z
        two = 4 * (c.V_l + c.V_a) * q < left
        others = self.sides(two, abs(d) * self.g)
        turn = [a != b for a, b in zip(d < 0, others)]
        return Y + choose(turn, 0 - Y2, Y2), Z + choose(turn, 0 - Z2, Z2)

    def sides(self, lanes, t):
        t = larger(0, smaller(t, MOST_LEVEL_OF_SIDE))
        return self.take_sides(lanes, [int(x) for x in t.lanes])

    def ends_narrow(self, x, E):
        c, (P_x, P_y, P_z), (A_x, A_y, A_z), (C_x, C_y, C_z) = self.c, self.P, self.A, self.C
        o = (x - E) * self.i_v
        k1, k2 = self.l * self.j, self.a * self.j
        b_l, b_a, b_c = c.V_l * k1 * k1 * P_x, c.V_a * (A_x - k2 * P_x), self.V_c * C_x
        k_a, k_p, k_c = self.a + o * b_a, self.r + o * (b_l - k2 * b_a), o * b_c
        return k_a * A_y + k_p * P_y + k_c * C_y, k_a * A_z + k_p * P_z + k_c * C_z

    def second(self, x, Y, Z):
        c, (A_x, A_y, A_z), (C_x, C_y, C_z), m = self.c, self.A, self.C, self.m
        n_y, n_z = Y * m, Z * m
        f_y, f_z, g_y, g_z = n_y * c.I_l, n_z * c.I_l, A_y * c.I_a, A_z * c.I_a
        J_yy, J_zz, J_yz = n_y * f_y + A_y * g_y, n_z * f_z + A_z * g_z, n_z * f_y + A_z * g_y
        if self.kind == NARROW:
            c_y, c_z = C_y * self.i_c, C_z * self.i_c
            J_yy, J_yz, J_zz = J_yy + C_y * c_y, J_yz + C_z * c_y, J_zz + C_z * c_z
        J_zz = larger(J_zz, 0.000001)
        D = J_yy * J_zz - J_yz * J_yz
        D = larger(larger(D, larger(0.02 * J_zz * m, 0.0001 * J_yy * J_zz)), 0.000000001)
        o = 1 / (D * J_zz)
        i_d, self.slope = J_zz * o, J_yz * (D * o)
        if self.kind == NARROW:
            h = (self.rest - Y * Y - Z * Z) * 0.5 * m
            h_a = self.a - x * A_x - Y * A_y - Z * A_z
            h_c = 0 - (x * C_x + Y * C_y + Z * C_z)
            G_y, G_z = f_y * h + g_y * h_a + c_y * h_c, f_z * h + g_z * h_a + c_z * h_c
            s = self.slope * J_zz
            Y = Y + clamp((J_zz * G_y - s * G_z) * i_d, self.l)
            Z = Z + clamp((J_yy * G_z - s * G_y) * i_d, self.l)
        self.Z = Z
        return Y, smaller(J_zz * i_d, 2 * self.r * self.r) + 0.1

    def last_of_sphere(self, y):
        c, l, P_z = self.c, self.l, self.P[2]
        rest = larger(self.rest - y * y, 0)
        Z = root(rest)
        others = self.sides(4 * l * c.M < rest, Z * abs(P_z) * self.g)
        negative = [a != b for a, b in zip(P_z < 0, others)]
        return choose(negative, 0 - Z, Z), l * l * c.V_l / (rest + 0.25 * l * c.M) + 0.1

    def last(self, x, y, Y):
        c, (A_x, A_y, A_z), (C_x, C_y, C_z), m = self.c, self.A, self.C, self.m
        z = self.Z - self.slope * (y - Y)
        h = (self.rest - y * y - z * z) * 0.5 * m
        n = z * m
        h_a = self.a - x * A_x - y * A_y - z * A_z
        f, g = n * c.I_l, A_z * c.I_a
        J, G = n * f + A_z * g, f * h + g * h_a
        if self.kind == NARROW:
            c_z = C_z * self.i_c
            J = J + C_z * c_z
            G = G - c_z * (x * C_x + y * C_y + z * C_z)
        o = 1 / larger(J, 0.000001)
        return z + clamp(G * o, c.M), o + 0.1
