# SPDX-License-Identifier: BSD-3-Clause
"""Where ours is the smallest, the fastest and the best at equal bits, and where it is not."""
from dataclasses import dataclass

from .results import DIRECTIONS, is_ours

PSNR_TOLERANCE = 0.05  # dB; 6 dB are a bit a coordinate


@dataclass
class Verdict:
    tested: int  # comparisons
    misses: list  # what to say of each one that is lost

    @property
    def held(self):
        return self.tested - len(self.misses)


def smallest(rows):
    """The smallest of those that keep the bound; None if none does."""
    kept = [row for row in rows if row.kept]
    return min(kept, key=lambda row: row.size) if kept else None


def cells(results, device="gpu"):
    """(data, bound, our smallest row, rows of the others that keep the bound) where ours has a result."""
    for data in results.data:
        for bound in results.bounds(data):
            rows = results.of(data, bound, device)
            ours = smallest(row for row in rows if is_ours(row.program))
            if ours:
                yield data, bound, ours, [row for row in rows if not is_ours(row.program) and row.kept]


def is_smallest(results):
    tested, misses = 0, []
    for data, bound, ours, others in cells(results):
        tested += 1
        best = smallest(others)
        if best and best.size < ours.size:
            misses.append(
                f"{data}, {bound:g}: {best.program} has {best.ratio:.2f}, {ours.program} {ours.ratio:.2f} ({best.ratio / ours.ratio:.2f} times)"
            )
    return Verdict(tested, misses)


def is_fast(results, how="fresh", sets=None):
    """Each direction by itself: is ours, the smallest one, the fastest, or slower than another by no more than its ratio is better? A miss names the
    other that is ahead by most. `sets`: names of the data sets that count; None: all."""
    tested, misses = 0, []
    for data, bound, ours, others in cells(results):
        if sets is not None and data not in sets:
            continue
        for direction in DIRECTIONS:
            mine = ours.speed(direction, how)
            if mine is None:
                continue
            tested += 1
            lost = []
            for other in others:
                speed = other.speed(direction, how)
                better = ours.ratio / other.ratio
                if speed and speed > mine and speed / mine > better:
                    text = f"{other.program} is {speed / mine:.2f} times as fast, the ratio of {ours.program} {better:.2f} times"
                    lost.append((speed / mine / better, text))
            if lost:
                misses.append(f"{data}, {bound:g}, {direction}: {max(lost)[1]}")
    return Verdict(tested, misses)


def is_fastest(results, how="fresh", sets=None):
    """Each direction by itself: is one of ours the fastest of those that keep the bound? Sizes do not count."""
    tested, misses = 0, []
    for data, bound, _, others in cells(results):
        if sets is not None and data not in sets:
            continue
        ours = [row for row in results.of(data, bound, "gpu") if is_ours(row.program) and row.kept]
        for direction in DIRECTIONS:
            speeds = [speed for speed in (row.speed(direction, how) for row in ours) if speed]
            if not speeds:
                continue
            tested += 1
            theirs = [(row.speed(direction, how), row.program) for row in others if row.speed(direction, how)]
            if theirs and max(theirs)[0] > max(speeds):
                misses.append(f"{data}, {bound:g}, {direction}: {max(theirs)[1]} is {max(theirs)[0] / max(speeds):.2f} times as fast")
    return Verdict(tested, misses)


def at_bits(curve, bits):
    """PSNR of a curve at some bits a particle, linear between its points; None outside."""
    for (b0, p0), (b1, p1) in zip(curve, curve[1:]):
        if b0 <= bits <= b1:
            return p0 + (p1 - p0) * (bits - b0) / (b1 - b0)
    return next((psnr for b, psnr in curve if b == bits), None)


def best_at(curves, bits):
    """The best of several curves. None beyond the end of one of them, which could be the best there."""
    if any(curve and bits > curve[-1][0] for curve in curves):
        return None
    values = [value for value in (at_bits(curve, bits) for curve in curves) if value is not None]
    return max(values) if values else None


@dataclass
class Lead:
    """By how much a curve is above ours, where both are known."""

    program: str
    largest: float  # dB; negative: below everywhere
    bits: float  # where


def leads(results, data, device=None):
    """One for each other program. Curves are straight between points, so the largest lead is at a point of either."""
    names = results.programs(device)
    ours = [results.curve(name, data) for name in names if is_ours(name)]
    found = []
    for name in names:
        if is_ours(name):
            continue
        curve = results.curve(name, data)
        places = {bits for line in (*ours, curve) for bits, _ in line}
        values = [(at_bits(curve, bits), best_at(ours, bits), bits) for bits in places]
        ahead = [(theirs - mine, bits) for theirs, mine, bits in values if theirs is not None and mine is not None]
        if ahead:
            found.append(Lead(name, *max(ahead)))
    return found


def is_above(results, device=None):
    """PSNR at equal bits: is nobody above ours? One comparison a data set and program."""
    tested, misses = 0, []
    for data in results.data:
        for lead in leads(results, data, device):
            tested += 1
            if lead.largest > PSNR_TOLERANCE:
                misses.append(f"{data}: {lead.program} is above by up to {lead.largest:.1f} dB, at {lead.bits:.2f} bits a particle")
    return Verdict(tested, misses)
