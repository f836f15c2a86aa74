# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: the trees of molecules, and the references of their particles."""

from .bonds import KIND_CONTEXTS, MOST_KINDS, KindHistory
from .codec import require
from .numbers import NumberStream

FAR = 255  # slots
BESIDE, ABOVE, BEYOND = range(3)  # which particle a reference is


def take_lags(cursor, particles):
    """The parent of each particle; None: it is a root."""
    (count,) = cursor.unpack("B")
    lags = cursor.unpack(f"{count}B")
    require(count <= MOST_KINDS and 0 not in lags, "lags of molecules")
    cursor.skip_padding()
    (length,) = cursor.unpack("Q")
    numbers, history, parents = NumberStream(cursor.take(length), KIND_CONTEXTS), KindHistory(), []
    for i in range(particles):
        expected, number = history.expected(), numbers.get(history.context())
        kind = expected if number == 0 else number - 1 if number <= expected else number
        require(kind <= count, "an unknown lag")
        require(kind == 0 or lags[kind - 1] <= i, "a particle hangs on nobody")
        parents.append(None if kind == 0 else i - lags[kind - 1])
        history.add(kind)
    numbers.end()
    return parents


def find_links(parents):
    """First and second reference of each particle: (slot, which), or None."""
    children = [[] for _ in parents]  # so far

    def near(i, j, which):
        return (j, which) if i - j <= FAR else None

    links = []
    for i, p in enumerate(parents):
        first = second = None
        if p is not None and parents[p] is None:
            if children[p]:
                first = near(i, children[p][-1], BESIDE)
            if first and len(children[p]) > 1:
                second = near(i, children[p][-2], BESIDE)
        elif p is not None:
            g = parents[p]
            first = near(i, g, ABOVE)
            others = [j for j in children[g][:2] if j != p]
            if first and children[p] and i - children[p][-1] <= FAR:
                second = children[p][-1], BESIDE
            elif first and parents[g] is not None:
                second = near(i, parents[g], ABOVE)
            elif first and others:
                second = near(i, others[0], BEYOND)
        links.append((first, second))
        if p is not None:
            children[p].append(i)
    return links
