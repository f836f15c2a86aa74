# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: short bonds, the classes that follow from bonds, and templates of key sections. Slow and plain on
purpose."""

from collections import Counter
from math import sqrt

from .codec import require
from .difference import limited
from .step_tables import from_unsigned, rounded, take_table_stream
from .step_ways import ROOT, SPHERE, cross, dot, minus, plus, times

MOST_BONDS, MOST_ENDS = 7, 3  # that labels and profiles tell
CLASS_LEVELS = 4
MOST_CLASSES = 256
LEAST_MEMBERS = 16  # of a class, but at the last level
LARGEST_ROOT = 2**29  # also of rows of templates
LARGEST_HEADING = 64


# ---- classes


def neighbours_of(parents):
    """The parent and the children of each particle."""
    found = [[] for _ in parents]
    for i, p in enumerate(parents):
        if p is not None:
            found[i].append(p)
            found[p].append(i)
    return found


def take_short_bonds(cursor, parents):
    """The s of each particle."""
    numbers = take_table_stream(cursor, 3)
    last_of_two, last_of_one = {}, {}  # labels by the lag and the labels before
    shorts, last, last_but_one = [], 0, 0
    for i, (p, neighbours) in enumerate(zip(parents, neighbours_of(parents))):
        lag = 0 if p is None else i - p
        two, one = (lag, last, last_but_one), (lag, last)
        if two in last_of_two:
            expected, context = last_of_two[two], 0
        elif one in last_of_one:
            expected, context = last_of_one[one], 1
        else:
            expected, context = 0, 2
        short = 0
        if len(neighbours) == 1:
            number = numbers.get(context)
            require(number <= 1, "a bond is neither short nor long")
            short = expected % 2 ^ number
        shorts.append(short)
        label = 2 * min(len(neighbours), MOST_BONDS) + short
        last_of_two[two] = last_of_one[one] = label
        last, last_but_one = label, last
    numbers.end()
    return shorts


def profiles_of(parents, shorts):
    """The f of each particle."""
    profiles = []
    for neighbours, short in zip(neighbours_of(parents), shorts):
        ends = min(sum(shorts[j] for j in neighbours), MOST_ENDS)
        profiles.append(16 * ends + 2 * min(len(neighbours), MOST_BONDS) + short)
    return profiles


def find_classes(parents, links, shorts):
    """Of each particle. `links`: first and second reference of each, as find_links() gives them."""
    profiles, class_of, count = profiles_of(parents, shorts), [None] * len(parents), 0

    def key(i, level):
        x, y = (0 if link is None else 1 + link[1] for link in links[i])
        references = parents[i], *(link and link[0] for link in links[i])
        others = [0 if j is None else profiles[j] + 1 for j in references[: CLASS_LEVELS - 1 - level]]
        return 4 * x + y, profiles[i], *others

    for level in range(CLASS_LEVELS):
        is_last = level == CLASS_LEVELS - 1
        keys = {i: key(i, level) for i, of in enumerate(class_of) if of is None}
        members = Counter(keys.values())
        frequent = sorted((k for k in members if is_last or members[k] >= LEAST_MEMBERS), key=lambda k: (-members[k], k))
        room = MOST_CLASSES - 16 * (CLASS_LEVELS - 1 - level) - count
        numbers = {k: count + number for number, k in enumerate(frequent[:room])}
        if is_last:
            numbers |= {k: MOST_CLASSES - 1 for k in frequent[room:]}
        for i, k in keys.items():
            class_of[i] = numbers.get(k)
        count += len(frequent[:room])
    return class_of, count


# ---- templates


def take_templates(cursor, classes):
    """The row of all roots, and the heading of each class."""
    numbers = take_table_stream(cursor, 3)

    def take(context, largest):
        number = from_unsigned(numbers.get(context))
        require(abs(number) <= largest, "a number of templates is out of range")
        return number

    root = [take(2, LARGEST_ROOT) for _ in range(3)]
    headings = [(take(0, LARGEST_HEADING), take(1, LARGEST_HEADING)) for _ in range(classes)]
    numbers.end()
    return root, headings


def length_of(v):
    return sqrt(dot(v, v))


def directions_across(A, S):
    """Q, U, and whether S tells them."""
    t = cross(A, S)
    n = length_of(t)
    is_told = n > 1
    if not is_told:
        axis = min(range(3), key=lambda d: abs(A[d]))  # of equal ones the first
        t = cross(A, [float(d == axis) for d in range(3)])
        n = max(length_of(t), 0.001)
    Q = times(1 / n, t)
    return Q, cross(Q, A), is_told


def way_of(constants, heading, D, S):
    """From the parent to a particle with an axis. `constants`: length and along of the class, in 16ths."""
    length, along = (x / 16 for x in constants)
    A = times(1 / max(length_of(D), 1.0), D)
    Q, U, is_told = directions_across(A, S)
    p, q = map(float, heading)
    if not is_told or sqrt(p * p + q * q) < 1:
        p, q = 1.0, 0.0
    a = max(min(along, length), -length)
    scale = sqrt(length * length - a * a) / sqrt(p * p + q * q)
    return plus(times(a, A), times(scale, plus(times(p, U), times(q, Q))))


def rows_of_templates(layout, constants, root, headings):
    """Of each particle. `constants`: the integers length and along of each class."""
    rows = [None] * len(layout.parents)
    for kind, particles in (step for steps in layout.blocks for step in steps):
        for i in particles:
            if kind == ROOT:
                rows[i] = list(root)
                continue
            parent, of_class = rows[layout.parents[i]], layout.class_of[i]
            if kind == SPHERE:
                way = [constants[of_class][0] / 16, 0.0, 0.0]
            else:
                second = layout.second[i]
                D, S = (list(map(float, minus(parent if j is None else rows[j], parent))) for j in (layout.axis[i], second))
                way = way_of(constants[of_class], headings[of_class], D, S)
            rows[i] = [limited(x + rounded(w), LARGEST_ROOT) for x, w in zip(parent, way)]
    return rows
