# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: short bonds, the classes that follow from bonds, and templates of key sections. Slow and plain on
purpose."""

from collections import Counter

from .codec import require
from .step_tables import from_unsigned, take_table_stream

MOST_BONDS, MOST_ENDS = 7, 3  # that profiles tell
MOST_NEIGHBOURS = 15  # of one number of bonds, that surroundings tell
CLASS_LEVELS = 4
MOST_CLASSES = 256
LEAST_MEMBERS = 16  # of a class, but at the last level
LARGEST_ROOT = 2**29
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
    numbers = take_table_stream(cursor, 2)
    neighbours = neighbours_of(parents)
    shorts, last, ends = [0] * len(parents), {}, Counter()  # `last` by surroundings; `ends` of each neighbour, so far
    for i, of in enumerate(neighbours):
        if len(of) != 1:
            continue
        bonds = Counter(min(len(neighbours[j]), MOST_BONDS) for j in neighbours[of[0]])
        surroundings = (*(min(bonds[b], MOST_NEIGHBOURS) for b in range(1, MOST_BONDS + 1)), min(ends[of[0]], MOST_NEIGHBOURS))
        ends[of[0]] += 1
        number = numbers.get(0 if surroundings in last else 1)
        require(number <= 1, "a bond is neither short nor long")
        shorts[i] = last[surroundings] = last.get(surroundings, 0) ^ number
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
