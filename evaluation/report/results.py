# SPDX-License-Identifier: BSD-3-Clause
"""The JSON lines of an evaluation: one a program, data set and bound."""
import json
import statistics
from dataclasses import dataclass, field

# A bound counts as kept up to this factor, so that no peer is left out for rounding its output to FP32, which makes 1 % at 1e-5.
SLACK = 1.02

# The order of the tables; other names follow.
DATA = ("melt", "copper", "cosmology_coarse", "cosmology_fine", "plasma", "poincare", "terrain")
DIRECTIONS = ("compress", "decompress")


# A program that crashes before its first line is known by its executable, evaluation/programs/NAME.
NAMES = {
    "gpz_original": "GPZ (paper)",
    "cuszp": "cuSZp",
    "pfpl": "PFPL",
    "cusz": "cuSZ",
    "cusz_paper": "cuSZ (paper)",
    "fz_gpu": "FZ-GPU",
    "cusz_i": "cuSZ-i",
}


def is_ours(program):
    return program == "gpz" or program.startswith("gpz ")


@dataclass
class Row:
    program: str
    data: str
    bound: float
    particles: int = 0
    components: int = 0
    device: str = "gpu"
    size: float = 0  # bytes
    error: float = None  # largest, over the bound
    psnr: float = None  # dB; None: exact, or unknown
    order: str = ""
    version: str = ""
    failure: str = None
    # Seconds of every run, by direction. `first` has the first call of a process, `fresh` later ones with the allocations that the program makes.
    first: dict = field(default_factory=dict)
    fresh: dict = field(default_factory=dict)
    warm: dict = field(default_factory=dict)

    @property
    def kept(self):
        """Did it give a result within the bound?"""
        return self.failure is None and self.error is not None and self.error <= SLACK

    @property
    def raw(self):
        return 4 * self.particles * self.components

    @property
    def ratio(self):
        return self.raw / self.size

    @property
    def bits(self):
        return 8 * self.size / self.particles

    def speed(self, direction, how="fresh"):
        """Median, bytes of input a second; None: not measured."""
        seconds = getattr(self, how).get(direction)
        return self.raw / statistics.median(seconds) if seconds else None

    def spread(self, direction, how="fresh"):
        """Between the slowest and the fastest run, as a fraction of the median; None: not measured more than once."""
        seconds = getattr(self, how).get(direction) or []
        return (max(seconds) - min(seconds)) / statistics.median(seconds) if len(seconds) > 1 else None


def row_of(line):
    row = Row(NAMES.get(line["program"], line["program"]), line["data"], float(line["bound"]))
    row.particles, row.components = line.get("particles") or 0, line.get("components") or 0
    row.device = line.get("device") or "gpu"
    row.order, row.version = line.get("order") or "", line.get("version") or ""
    row.failure = line.get("failure")
    row.size = line.get("bytes") or 0
    row.error, row.psnr = line.get("error_over_bound"), line.get("psnr")
    for how in ("first", "fresh", "warm"):
        times = {direction: (line.get(direction) or {}).get(how) for direction in DIRECTIONS}
        setattr(row, how, {direction: seconds for direction, seconds in times.items() if seconds})
    if row.failure is None and not row.size:
        row.failure = "gave no size"
    return row


class Results:
    def __init__(self, rows):
        """If there are several rows of a program, data set and bound, the last one counts. A set of two sizes becomes two: the smaller gets another name."""
        rows = list(rows)
        full = {}
        for row in rows:
            full[row.data] = max(row.particles, full.get(row.data, 0))
        for row in rows:
            if 0 < row.particles < full[row.data]:
                row.data = f"{row.data}, {row.particles / 1e6:.2g} M"
        self._rows = {(row.program, row.data, row.bound): row for row in rows}

    @classmethod
    def read(cls, paths):
        rows = []
        for path in paths:
            with open(path) as file:
                rows += [row_of(json.loads(line)) for line in file if line.strip()]
        return cls(rows)

    def __iter__(self):
        return iter(self._rows.values())

    def at(self, program, data, bound):
        return self._rows.get((program, data, bound))

    def of(self, data, bound, device=None):
        return [row for row in self if row.data == data and row.bound == bound and device in (None, row.device)]

    @property
    def data(self):
        """Their names, in the order of the tables."""
        names = {row.data for row in self}
        return sorted(names, key=lambda name: (DATA.index(name.split(",")[0]) if name.split(",")[0] in DATA else len(DATA), name))

    def particles(self, data):
        return max(row.particles for row in self if row.data == data)

    def programs(self, device=None):
        """Ours first, then as they come."""
        names = dict.fromkeys(row.program for row in self if device in (None, row.device))
        return sorted(names, key=lambda name: not is_ours(name))

    def bounds(self, data=None):
        return sorted({row.bound for row in self if data in (None, row.data)}, reverse=True)

    def curve(self, program, data):
        """(bits a particle, PSNR) of a program, by bits; what breaks its bound is not in it."""
        rows = [row for row in self if row.program == program and row.data == data and row.kept and row.psnr is not None]
        best = {}
        for row in rows:
            best[row.bits] = max(row.psnr, best.get(row.bits, row.psnr))
        return sorted(best.items())
