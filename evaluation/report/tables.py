# SPDX-License-Identifier: BSD-3-Clause
"""Tables in Markdown."""
import math
import re
import statistics

from . import claims
from .results import DIRECTIONS, SLACK, is_ours

LARGE = 10**6  # particles


class Notes:
    """Footnotes: the same text gets the same number."""

    def __init__(self):
        self._texts = []

    def mark(self, text):
        if text not in self._texts:
            self._texts.append(text)
        return f"[{self._texts.index(text) + 1}]"

    def lines(self):
        return [f"[{i}] {text}  " for i, text in enumerate(self._texts, 1)]


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


def plain(bound):
    """1e-3"""
    exponent = math.floor(math.log10(bound) + 1e-9)
    return f"{bound / 10.0**exponent:.3g}e{exponent}"


def short(number):
    """Three significant digits, without an exponent."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    return f"{number:.{max(0, 2 - math.floor(math.log10(abs(number))))}f}"


def cause(row):
    """The text of a failure, for a footnote: without colours, and without counts, so that the same cause is the same text."""
    text = re.sub(r"\x1b?\[\d+m", "", row.failure)

    def share(match):
        return "all values" if int(match[1]) >= row.particles * row.components else "some values"

    return re.sub(r"\b\d{5,}\b", "N", re.sub(r"^(\d+) values", share, text))


def by_cell(results, device, bounds, cell, explain=False):
    """A table of data x bound against programs. cell(row, rows of the same data and bound, notes) is the text of a row that has a result.
    Programs that ran, and have no such results, are left out.
    `explain`: failures get footnotes, and what they compressed to if that is known."""
    programs = results.programs(device)
    notes = Notes()
    rows = []
    for data in results.data:
        for bound in bounds or results.bounds(data):
            here = results.of(data, bound, device)
            texts = []
            for program in programs:
                row = results.at(program, data, bound)
                if row is None:
                    texts.append("")
                elif row.failure is not None:
                    size = f"({short(row.ratio)})" if row.size else "none"
                    texts.append(f"{size} {notes.mark(cause(row))}" if explain else "none")
                else:
                    texts.append(cell(row, here, notes))
            if any(texts):
                rows.append([data if not rows or rows[-1][-1] != data else "", plain(bound), *texts, data])
    columns = list(zip(*rows))[2:-1]
    shown = [i for i, column in enumerate(columns) if "" not in column or set(column) - {"", "none"}]
    rows = [[*row[:2], *(row[2 + i] for i in shown)] for row in rows]
    return table(["", "bound", *(programs[i] for i in shown)], rows) + [""] + notes.lines()


def broken(row, notes):
    """A mark for a result that breaks its bound."""
    if row.error is None:
        return " " + notes.mark("The largest error is not known.")
    if row.error <= SLACK:
        return ""
    return " " + notes.mark("Breaks the bound: see [errors](#errors). It is not compared.")


def ratios(results, device="gpu", bounds=None):
    def cell(row, here, notes):
        text = short(row.ratio)
        if row is claims.smallest(here):
            text = f"**{text}**"
        return text + broken(row, notes)

    return by_cell(results, device, bounds, cell, explain=True)


def speeds(results, device="gpu", how="fresh", bounds=None):
    """GB of input a second, compress / decompress."""

    def cell(row, here, notes):
        values = [row.speed(direction, how) for direction in DIRECTIONS]
        if values == [None, None]:
            return ""
        texts = []
        for direction, value in zip(DIRECTIONS, values):
            others = [other.speed(direction, how) or 0 for other in here if other.kept]
            text = "–" if value is None else short(value / 1e9)
            texts.append(f"**{text}**" if value and row.kept and value == max(others) else text)
        return " / ".join(texts)

    return by_cell(results, device, bounds, cell)


def errors(results, device="gpu", bounds=None):
    """The largest error over the bound, rounded up in the last digit."""

    def cell(row, here, notes):
        if row.error is None:
            return "unknown"
        if row.error <= 1:
            return f"{math.ceil(row.error * 1e5) / 1e5:.5f}"
        if row.error < 1.0001:
            return f"**1 + {row.error - 1:.0e}**"
        return f"**{math.ceil(row.error * 1e5) / 1e5:.5f}**" if row.error < 10 else f"**{short(row.error)}**"

    return by_cell(results, device, bounds, cell)


def equal_bits(results, device=None, bounds=None):
    """PSNR in dB of every program at the bits of our best points, bold where it is above ours. Rows and columns without a value of
    another program are left out."""
    programs = results.programs(device)
    ours = [name for name in programs if is_ours(name)]
    others = [name for name in programs if name not in ours]
    rows = []
    for data in results.data:
        curves = {name: results.curve(name, data) for name in programs}
        for bound in bounds or results.bounds(data):
            point = claims.smallest(row for row in results.of(data, bound, device) if is_ours(row.program) and row.psnr is not None)
            if point is None:
                continue
            # None where another one of ours ends before.
            best = claims.best_at([curves[name] for name in ours], point.bits) or point.psnr
            texts = []
            for name in others:
                value = claims.at_bits(curves[name], point.bits)
                text = "–" if value is None else f"{value:.1f}"
                texts.append(f"**{text}**" if value is not None and value > best + claims.PSNR_TOLERANCE else text)
            if set(texts) - {"–"}:
                rows.append([data, plain(bound), point.program, f"{point.bits:.2f}", f"{best:.1f}", *texts])
    shown = [i for i in range(len(others)) if any(row[5 + i] != "–" for row in rows)]
    rows = [[*row[:5], *(row[5 + i] for i in shown)] for row in rows]
    return table(["", "bound", "ours", "bits a particle", "PSNR", *(others[i] for i in shown)], rows)


def programs(results):
    """The conditions of the comparison: device, version, order, and the spread of the times with allocations (the median of all data sets and bounds)."""
    rows = []
    for name in results.programs():
        own = [row for row in results if row.program == name]
        orders = dict.fromkeys(row.order for row in own if row.order)
        versions = dict.fromkeys(row.version for row in own if row.version)
        kept = sum(row.kept for row in own)
        spreads = [row.spread(direction) for row in own for direction in DIRECTIONS if row.spread(direction) is not None]
        spread = f"{statistics.median(spreads):.0%}" if spreads else ""
        rows.append([name, own[0].device.upper(), "; ".join(versions), "; ".join(orders), f"{kept} of {len(own)}", spread])
    return table(["program", "on", "version", "order of the particles", "results within the bound", "spread of times"], rows)


def speed_verdicts(results):
    """Sets with too few particles to fill a GPU by themselves: their times are those of launches and allocations."""
    small = [data for data in results.data if results.particles(data) < LARGE]
    groups = {"sets of 10^6 particles and more": [data for data in results.data if data not in small], "smaller sets": small}
    said = {}
    for claim, how in (("Fastest with allocations, or within the factor that its ratio is better by", "fresh"), ("Fastest warm, or within that factor", "warm")):
        for group, sets in groups.items():
            verdict = claims.is_fast(results, how, sets)
            if verdict.tested:
                said[f"{claim}: {group}"] = verdict
    for claim, how in (("Fastest with allocations", "fresh"), ("Fastest warm", "warm")):
        for group, sets in groups.items():
            verdict = claims.is_fastest(results, how, sets)
            if verdict.tested:
                said[f"{claim}, whatever the ratio: {group}"] = verdict
    return said


def all_claims(results):
    return {
        "Smallest of all GPU programs": claims.is_smallest(results),
        **speed_verdicts(results),
        "PSNR at equal bits: no GPU program above ours": claims.is_above(results, "gpu"),
        "PSNR at equal bits: no program above ours": claims.is_above(results),
    }


def verdicts(results):
    """Our score: how often each claim holds."""
    said = all_claims(results)
    return table(["claim", "holds"], [[name, f"{verdict.held} of {verdict.tested}"] for name, verdict in said.items()])


def misses(results):
    """Every cell in which a claim does not hold."""
    lines = []
    for name, verdict in all_claims(results).items():
        if verdict.misses:
            lines += ["", f"{name}: not in", "", *[f"- {miss}" for miss in verdict.misses]]
    return lines
