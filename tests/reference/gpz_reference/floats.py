# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of f32, a number for each lane. Each operation is computed in f64 and then rounded to f32: for sums, differences, products,
quotients and square roots of f32 that is the f32 operation of IEEE 754, as 53 >= 2 * 24 + 2 bits."""

import operator
from array import array
from math import copysign, inf, nan, sqrt

CODE = "f"  # rounds to nearest, to infinity where f32 ends


def nearest(x):
    return array(CODE, [x])[0]


def ratio(a, b):
    """a / b, b = 0 included."""
    if b == 0:
        return nan if a == 0 else copysign(inf, a) * copysign(1, b)
    return a / b


def binary(operation):
    def of(self, other):
        if isinstance(other, F32):
            return F32(map(operation, self.lanes, other.lanes))
        constant = nearest(other)
        return F32(operation(x, constant) for x in self.lanes)

    return of


def turned(operation):
    """With the constant on the left."""
    return binary(lambda x, constant: operation(constant, x))


class F32:
    """`a < b` is a list of truth values, for choose()."""

    __slots__ = ("lanes",)

    def __init__(self, lanes):
        self.lanes = array(CODE, lanes)

    def __len__(self):
        return len(self.lanes)

    __add__, __sub__, __mul__, __truediv__ = map(binary, (operator.add, operator.sub, operator.mul, ratio))
    __radd__, __rsub__, __rmul__, __rtruediv__ = map(turned, (operator.add, operator.sub, operator.mul, ratio))

    def __abs__(self):
        return F32(map(abs, self.lanes))

    def __lt__(self, other):
        return list(map(operator.lt, self.lanes, same(other, self)))

    def __gt__(self, other):
        return list(map(operator.gt, self.lanes, same(other, self)))

    def bits(self):
        return array("I", self.lanes.tobytes())


def same(x, like):
    """A vector, or a constant in each lane: its numbers."""
    return x.lanes if isinstance(x, F32) else [nearest(x)] * len(like)


def choose(condition, a, b):
    """a where the condition holds, b elsewhere."""
    like = a if isinstance(a, F32) else b
    return F32(x if c else y for c, x, y in zip(condition, same(a, like), same(b, like)))


def smaller(a, b):
    """min(a, b) of section 9d."""
    return choose(a < b, a, b)


def larger(a, b):
    """max(a, b) of section 9d."""
    return choose(b < a, a, b)


def clamp(x, most):
    return larger(smaller(x, most), 0 - most)


def root(x):
    return F32(nan if lane < 0 else sqrt(lane) for lane in x.lanes)


def inverse_root(x):
    return 1 / root(x)
