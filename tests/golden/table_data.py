# SPDX-License-Identifier: BSD-3-Clause
"""Data of golden files with tables and observables (sections 11a and 11b of docs/format.md)."""

import math
import random

from source import Table, TableColumn, bits_of, table_column

STRANGE_BITS = [0, 1 << 63, 1, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF0000000000001, 0xFFF8000000000007]


def waters(count):
    """Molecules O H H: topology in columns that follow from each other."""
    first = [3 * m + 1 for m in range(count)]
    bonds = [(1, o, o + h) for o in first for h in (1, 2)]
    angles = [(1, o + 1, o, o + 2) for o in first]
    names = [name for _ in first for name in (b"OW", b"HW1", b"HW2")]
    atoms = [
        table_column("id", range(1, 3 * count + 1)),
        table_column("type", [1, 2, 2] * count),
        table_column("mol", [m + 1 for m in range(count) for _ in range(3)]),
        table_column("q", [-0.8476, 0.4238, 0.4238] * count, "e"),
        table_column("name", names),
        table_column("resname", [b"SOL"] * 3 * count),
    ]
    return [
        Table("atoms", atoms),
        Table("types", [table_column("type", [1, 2]), table_column("mass", [15.9994, 1.008], "grams/mole"), table_column("label", [b"OW", b"HW"])]),
        Table("bonds", [table_column(name, column) for name, column in zip(("type", "atom1", "atom2"), zip(*bonds))]),
        Table("angles", [table_column(name, column) for name, column in zip(("type", "atom1", "atom2", "atom3"), zip(*angles))]),
    ]


def numbers(seed):
    """Columns for each prediction, of many and of few distinct residuals."""
    rng, n = random.Random(seed), 60
    wide = [rng.getrandbits(64) - 2**63 for _ in range(n)]
    walk = [0]
    while len(walk) < n:
        walk.append(walk[-1] + rng.randrange(-900, 900))
    return Table(
        "numbers",
        [
            table_column("wide", wide),
            table_column("beside", [(v + rng.randrange(2**20) + 2**63) % 2**64 - 2**63 for v in wide]),
            table_column("walk", walk),
            table_column("again", [v + 3 + rng.randrange(2) for v in walk]),
            table_column("steps", [7 * i + (i > 30) for i in range(n)]),
            table_column("signs", [rng.choice((-(2**63), 2**63 - 1, 0, -1)) for _ in range(n)]),
            TableColumn("strange", "f64", [rng.choice(STRANGE_BITS) for _ in range(n)]),
            table_column("noise", [rng.random() for _ in range(n)]),
            table_column("texts", [rng.choice((b"", b"a", b"\0\n\xff", "Å".encode(), b"long " * 30)) for _ in range(n)]),
        ],
    )


def facts(*pairs):
    return Table("provenance", [table_column("name", [name for name, _ in pairs]), table_column("value", [value for _, value in pairs])])


EMPTY = [Table("dihedrals", [TableColumn("type", "i64", []), TableColumn("name", "text", []), TableColumn("k", "f64", [])]), Table("impropers", [])]


def observables(*entries):
    return [(name, unit, bits_of(value, "f64")) for name, unit, value in entries]


def with_tables(source):
    """A trajectory of four frames, with tables in front of, between and behind the frames. The table `thermo` has the observables of
    the third frame."""
    first, second, third, last = source.frames
    first.tables = [waters(20), [numbers(1), *EMPTY]]
    first.observables = observables(("temp", "K", 300.5), ("pe", "kcal/mol", -1 / 3))
    second.observables = observables(("temp", "K", math.nan), ("pe", "kcal/mol", math.inf))
    bonds = waters(7)[2]
    third.tables = [[bonds, facts((b"program", b"LAMMPS"), (b"packages", b"MOLECULE"), (b"packages", b"KSPACE"))]]
    last.tables = [[], [Table("bonds", [TableColumn("type", "i64", [])])]]
    last.observables = observables(("press", "", -0.0))
    program = Table("history", [table_column("program", [b"gpz select"]), table_column("input", [b"all.gpz"])])
    thermo = [table_column("timestep", [0, 200, 300]), table_column("density", [1.0, 0.25, 2.0], "g/cm^3"), table_column("n", [1, 2, 3])]
    source.tables = [[facts((b"date", b"2026-01-01")), program], [Table("thermo", thermo)]]
    return source
