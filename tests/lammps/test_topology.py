# SPDX-License-Identifier: BSD-3-Clause
"""Tables of topology, types and atoms: dump_modify topology."""

import re

from harness import case
from systems import BASE, dumps

TABLES, OBSERVABLES = 0x80000001, 0x80000002
IMAGES = BASE + " ix iy iz"

# A molecule is a chain with a branch: types, charges and places of its atoms, and its lists by the numbers of these atoms.
ATOMS = [(1, 0.5, (0, 0, 0)), (2, -0.25, (1, 0, 0)), (1, 0.25, (2, 0.2, 0)), (2, -0.75, (3, 0, 0.3)), (2, 0.25, (2, 1.2, 0.1))]
LISTS = {
    "Bonds": [(1, 1, 2), (2, 2, 3), (1, 3, 4), (2, 3, 5)],
    "Angles": [(1, 1, 2, 3), (2, 2, 3, 4), (1, 2, 3, 5), (2, 4, 3, 5)],
    "Dihedrals": [(1, 1, 2, 3, 4), (2, 5, 3, 2, 1)],
    "Impropers": [(1, 3, 2, 4, 5)],
}
MOLECULES = 48


def data_file():
    """48 molecules on a grid; ids of a molecule are far from each other."""
    count = MOLECULES * len(ATOMS)
    ids = [1 + 77 * n % count for n in range(count)]  # 77 and 240 have no common divisor
    text = f"molecules\n\n{count} atoms\n2 atom types\n"
    for name, entries in LISTS.items():
        kind = name.lower()
        text += f"{MOLECULES * len(entries)} {kind}\n{max(e[0] for e in entries)} {kind[:-1]} types\n"
    text += "0 20 xlo xhi\n0 20 ylo yhi\n0 15 zlo zhi\n\nMasses\n\n1 1.5\n2 2.25\n\nAtoms # full\n\n"
    for m in range(MOLECULES):
        corner = [5 * (m % 4), 5 * (m // 4 % 4), 5 * (m // 16)]
        for a, (kind, charge, place) in enumerate(ATOMS):
            x, y, z = (c + p for c, p in zip(corner, place))
            text += f"{ids[m * len(ATOMS) + a]} {m + 1} {kind} {charge} {x} {y} {z}\n"
    for name, entries in LISTS.items():
        text += f"\n{name}\n\n"
        for n in range(MOLECULES * len(entries)):
            m, (kind, *atoms) = n // len(entries), entries[n % len(entries)]
            text += f"{n + 1} {kind} " + " ".join(str(ids[m * len(ATOMS) + a - 1]) for a in atoms) + "\n"
    return text


BONDS = """
bond_style harmonic
bond_coeff 1 50 1.0
bond_coeff 2 60 1.1
angle_style harmonic
angle_coeff * 10 110
dihedral_style harmonic
dihedral_coeff * 0.5 1 2
improper_style harmonic
improper_coeff * 1 0
special_bonds lj 0 0 0
pair_style lj/cut 1.5
pair_coeff * * 0.1 0.7
"""

SYSTEM = (
    "units lj\natom_style full\nnewton on NEWTON\n"
    + "bond_style harmonic\nangle_style harmonic\ndihedral_style harmonic\nimproper_style harmonic\nread_data molecules.data\n"
    + BONDS
    + """
comm_modify cutoff 4
velocity all create 2.0 87287 loop geom
fix nve all nve/limit 0.1
thermo 1000
timestep 0.002
neigh_modify every 1 delay 0
"""
)


def system(t, newton="on"):
    t.path("molecules.data").write_text(data_file())
    return SYSTEM.replace("NEWTON", newton)


def rows(table):
    """The rows as tuples, in the order of the file."""
    return list(zip(*(column["values"] for column in table.values())))


def of_data_file(t, name):
    """The sections of a file of write_data, sorted as tables are: (type, atoms...) by the atoms."""
    found, section = {}, None
    for line in t.path(name).read_text().splitlines():
        words = line.split("#")[0].split()
        if words and words[0].isalpha():
            section = found.setdefault(words[0].lower(), [])
        elif words and section is not None:
            section.append(words)
    lists = {
        kind: sorted((tuple(int(w) for w in words[1:]) for words in found.get(kind, [])), key=lambda r: (*r[1:], r[0]))
        for kind in ("bonds", "angles", "dihedrals", "impropers")
    }
    # id mol type q x y z
    lists["atoms"] = sorted((int(w[0]), int(w[2]), int(w[1]), float(w[3])) for w in found["atoms"])
    return lists


def is_data_file(t, tables, name):
    expected = of_data_file(t, name)
    for kind in ("bonds", "angles", "dihedrals", "impropers"):
        assert rows(tables[kind]) == expected[kind], f"{kind}: {rows(tables[kind])[:9]}, not {expected[kind][:9]}"
        atoms = [f"atom{n + 1}" for n in range(len(tables[kind]) - 1)]
        assert list(tables[kind]) == ["type", *atoms], tables[kind].keys()
    return expected


@case(ranks=(1, 2, 4))
def topology_of_molecules(t):
    """What write_data lists, whoever has the atoms and with or without Newton's third law; once, for it does not change."""
    columns = "id x y z"
    dump = f"dump gpz all gpz 20 NAME.gpz {columns}\ndump_modify gpz topology yes share no\n"
    scripts = [
        system(t, newton) + dump.replace("NAME", newton) + f"write_data {newton}.data\nrun 100" for newton in ("on", "off")
    ]
    t.lammps(t.in_turn(*scripts))
    for newton in ("on", "off"):
        frames = t.context(f"{newton}.gpz")
        assert [frame["records"] for frame in frames] == [[TABLES]] + 5 * [[]]
        tables = frames[0]["tables"]
        expected = is_data_file(t, tables, f"{newton}.data")
        assert len(expected["bonds"]) == 4 * 48 and len(expected["impropers"]) == 48
        assert list(tables["atoms"]) == ["id", "type", "mol", "q"] and rows(tables["atoms"]) == expected["atoms"]
        assert rows(tables["types"]) == [(1, 1.5), (2, 2.25)]
        assert all(frame["tables"] == tables for frame in frames)
    # Without the law, LAMMPS does not know which atom of a bond came first.
    on, off = (t.context(f"{newton}.gpz")[0]["tables"] for newton in ("on", "off"))
    assert {(row[0], *sorted(row[1:])) for row in rows(on["bonds"])} == set(rows(off.pop("bonds")))
    assert off == {name: table for name, table in on.items() if name != "bonds"}
    # and on one rank the same tables, also where fix shake makes types negative
    alone = system(t).replace("thermo 1000", "thermo 999") + "fix stiff all shake 1e-4 10 0 b 1\n" + dump.replace("NAME", "alone") + "run 0"
    t.lammps(alone, ranks=1)
    assert t.context("alone.gpz")[0]["tables"] == t.context("on.gpz")[0]["tables"]


@case(ranks=(1, 2))
def topology_leaves_out_columns(t):
    """The table atoms has what the dump does not have."""
    script = system(t)
    for name, columns in {"a": "id type x y z", "b": "id mol x y z q", "c": "id mol element x y z q"}.items():
        script += f"dump {name} all gpz 20 {name}.gpz {columns}\ndump_modify {name} topology yes\n"
    t.lammps(script + "dump_modify c element H O\nlabelmap atom 1 H 2 O\nrun 0")
    tables = {name: t.context(f"{name}.gpz")[0]["tables"] for name in "abc"}
    assert [list(tables[name].get("atoms", ())) for name in "abc"] == [["id", "mol", "q"], ["id", "type"], []]
    assert rows(tables["a"]["types"]) == [(1, 1.5, "H"), (2, 2.25, "O")]
    # Without molecules: no lists of bonds.
    spheres = (
        "units si\natom_style sphere\nlattice sc 1\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\ncreate_atoms 1 box\n"
        "set group all diameter 0.5 density 3.0\npair_style zero 1.0\npair_coeff * *\n"
        "dump gpz all gpz 20 s.gpz id x y z\ndump_modify gpz topology yes\nrun 0\n"
    )
    t.lammps(spheres)
    (frame,) = t.context("s.gpz")
    assert set(frame["tables"]) == {"atoms"}, frame["tables"].keys()
    atoms = frame["tables"]["atoms"]
    assert list(atoms) == ["id", "type", "mass", "radius"] and atoms["mass"]["unit"] == "kilograms"
    assert set(atoms["radius"]["values"]) == {0.25} and len(rows(atoms)) == 64


@case(ranks=(1, 2, 4))
def topology_of_a_group(t):
    """Bonds all of whose atoms are in the group, also if the group changes."""
    script = system(t) + "group some molecule 1:20\ngroup two type 2\nregion left block 0 2 INF INF INF INF\n"
    script += "group left dynamic all region left every 10\n"
    for name in ("some", "two", "left"):
        script += f"dump {name} {name} gpz 50 {name}.gpz id x y z\ndump_modify {name} topology yes\n"
    t.lammps(script + "write_data all.data\nrun 200")
    data = of_data_file(t, "all.data")
    molecule = {atom: mol for atom, _, mol, _ in data["atoms"]}
    kind = {atom: type_ for atom, type_, _, _ in data["atoms"]}

    def is_of(frame, atoms):
        for name in ("bonds", "angles", "dihedrals", "impropers"):
            assert rows(frame["tables"][name]) == [row for row in data[name] if atoms.issuperset(row[1:])], name
        assert [row[0] for row in rows(frame["tables"]["atoms"])] == sorted(atoms)

    some, two, left = (t.context(f"{name}.gpz") for name in ("some", "two", "left"))
    is_of(some[0], {atom for atom, mol in molecule.items() if mol <= 20})
    is_of(two[0], {atom for atom, type_ in kind.items() if type_ == 2})
    assert [frame["records"] for frame in some + two] == 2 * ([[TABLES]] + 4 * [[]])
    for frame, decoded in zip(left, t.decode("left.gpz")):
        is_of(frame, {int(atom) for atom in decoded.by_id})
    assert len({len(frame["tables"]["bonds"]["type"]["values"]) for frame in left}) > 1


@case(ranks=(1, 2))
def topology_changes(t):
    """Bonds that are deleted between runs, molecules that leave during one, types that are set: only what changed is written."""
    dump = f"dump gpz all gpz 20 t.gpz {IMAGES}\ndump_modify gpz topology yes thermo yes\n"
    dump += "dump typeless all gpz 20 u.gpz id x y z\ndump_modify typeless topology yes\n"
    changes = (
        "run 40\n"
        "set group all type/fraction 2 0.5 4711\nrun 40\n"
        "mass 1 1.75\nrun 40\n"
        "delete_bonds all bond 1 remove special\nwrite_data cut.data\nrun 40\n"
        "region all block INF INF INF INF INF INF\nfix shrink all evaporate 30 10 all 99 molecule yes\nrun 40\nwrite_data end.data"
    )
    t.lammps(system(t) + dump + changes)
    frames = t.context()
    names = [frame["tables"] for frame in frames]
    written = [TABLES in frame["records"] for frame in frames]
    # runs begin with the last step of the one before, which has a frame already
    assert [frame["step"] for frame in frames] == list(range(0, 220, 20))
    assert [step for step, is_written in zip(range(0, 220, 20), written) if is_written] == [0, 100, 140, 180], written
    assert rows(names[5]["types"]) == [(1, 1.75), (2, 2.25)] and rows(names[4]["types"]) == [(1, 1.5), (2, 2.25)]
    assert names[2]["bonds"] == names[6]["bonds"] != names[7]["bonds"], "after delete_bonds"
    is_data_file(t, names[7], "cut.data")
    assert not any(type_ == 1 for type_, *_ in rows(names[7]["bonds"]))
    is_data_file(t, names[10], "end.data")
    assert len(rows(names[10]["bonds"])) < len(rows(names[8]["bonds"]))
    typeless = t.context("u.gpz")
    assert [frame["step"] for frame in typeless if TABLES in frame["records"]] == [0, 60, 100, 140, 180]
    assert typeless[2]["tables"]["atoms"]["type"] != typeless[3]["tables"]["atoms"]["type"]
    assert rows(typeless[-1]["tables"]["atoms"]) == of_data_file(t, "end.data")["atoms"]


@case(ranks=(1, 2))
def topology_of_broken_bonds(t):
    """Bonds that break during a run have type 0, and are none."""
    chain = system(t).replace("bond_style harmonic", "bond_style quartic").replace(
        "bond_coeff 1 50 1.0\nbond_coeff 2 60 1.1", "bond_coeff * 1200 -0.55 0.25 1.3 34.6878"
    )
    chain = re.sub(r"(angle|dihedral|improper)_(style|coeff).*\n", "", chain)
    chain = chain.replace("special_bonds lj 0 0 0", "special_bonds lj 1 1 1").replace("create 2.0", "create 300.0")
    t.lammps(chain + "dump gpz all gpz 10 t.gpz id x y z\ndump_modify gpz topology yes\nthermo_style custom step bonds\nrun 60\nwrite_data end.data")
    frames = t.context()
    counts = [len(rows(frame["tables"]["bonds"])) for frame in frames]
    assert counts == sorted(counts, reverse=True) and counts[0] == 192 > counts[-1] > 0, counts
    assert rows(frames[-1]["tables"]["bonds"]) == of_data_file(t, "end.data")["bonds"]


@case(ranks=(1, 4))
def topology_in_every_way(t):
    """In each way of writing; in files of ranks in the first one; in files of steps in each."""
    ways = {"now": "async no", "behind": "async compress", "share": "share auto"}
    script = system(t) + f"dump gpz all gpz 10 t.gpz {IMAGES}\ndump_modify gpz topology yes thermo yes share no\n"
    for name, modify in ways.items():
        script += f"dump {name} all gpz 10 {name}.gpz {IMAGES}\ndump_modify {name} topology yes thermo yes share no {modify}\n"
    script += f"dump parts all gpz 10 parts.%.gpz {IMAGES}\ndump_modify parts topology yes thermo yes\n"
    script += f"dump steps all gpz 10 steps.*.gpz {IMAGES}\ndump_modify steps topology yes thermo yes\n"
    t.lammps(script + "run 40\ndelete_bonds all bond 1 remove\nrun 40\nwrite_restart r")
    frames = t.context()
    assert [frame["step"] for frame in frames if frame["records"] == [TABLES, OBSERVABLES]] == [0, 50]
    assert all(frame["records"][-1] == OBSERVABLES for frame in frames)
    assert len(rows(frames[4]["tables"]["bonds"])) == 192 and len(rows(frames[5]["tables"]["bonds"])) == 96
    t.same_frames("t.gpz", "now.gpz", "behind.gpz")
    for name in ways:
        assert t.context(f"{name}.gpz") == frames, name
    # Files of some ranks have the number of all atoms as well.
    topologies = [{name: table for name, table in frame["tables"].items() if name != "observables"} for frame in frames]
    atoms = [["Atoms", "", MOLECULES * len(ATOMS)]] if t.ranks > 1 else []
    for rank in range(t.ranks):
        for mine, whole, topology in zip(t.context(f"parts.{rank}.gpz"), frames, topologies, strict=True):
            assert mine["observables"] == whole["observables"] + atoms
            assert mine["tables"].pop("observables") and mine["tables"] == ({} if rank else topology)
    if t.ranks > 1:
        t.gpz("merge", *(f"parts.{rank}.gpz" for rank in range(t.ranks)), "-o", "merged.gpz")
        for merged, whole, topology in zip(t.context("merged.gpz"), frames, topologies, strict=True):
            assert merged["observables"] == whole["observables"] + atoms
            assert merged["tables"].pop("observables") and merged["tables"] == topology
    for frame in frames:
        (alone,) = t.context(f"steps.{frame['step']}.gpz")
        assert alone["tables"] == frame["tables"] and alone["observables"] == frame["observables"]
    # A continued file has the tables again.
    modify = "dump_modify gpz topology yes thermo yes append yes share no\n"
    again = BONDS + "fix nve all nve/limit 0.1\ntimestep 0.002\n"
    t.lammps(f"read_restart r\n{again}dump gpz all gpz 10 t.gpz {IMAGES}\n{modify}run 20")
    more = t.context()
    assert more[: len(frames)] == frames and len(more) == len(frames) + 2
    assert more[len(frames)]["records"] == [TABLES, OBSERVABLES] and more[-1]["tables"]["bonds"] == frames[-1]["tables"]["bonds"]
    assert t.info()["has_index"]


@case()
def topology_has_the_first_charges(t):
    """Charges are those of the first frame: a fix may change them at every step."""
    script = system(t) + "dump gpz all gpz 10 t.gpz id type mol x y z\ndump_modify gpz topology yes\n"
    t.lammps(script + "run 20\nset group all charge 1.0\nrun 20")
    frames = t.context()
    assert all(frame["tables"]["atoms"] == frames[0]["tables"]["atoms"] for frame in frames)


@case()
def topology_does_not_change_the_log(t):
    """But for the bytes of the file, which are those of the frames and tables."""
    texts, sizes = [], []
    for modify in ("", "topology yes"):
        output = t.lammps(system(t) + dumps(IMAGES, every=5, modify=modify) + "run 40")
        of_interest = re.compile(r"\s*\d+ +-?\d|  largest")
        texts.append([line for line in output.splitlines() if of_interest.match(line)])
        sizes.append((int(re.search(r"Dump gpz gpz: t.gpz: 9 frames, (\d+) bytes", output)[1]), t.info()["other_records"]["bytes"]))
    assert texts[0] == texts[1] and texts[0], texts
    (without, none), (with_tables, tables) = sizes
    assert none == 0 and with_tables - without == tables > 1000, sizes
    t.same(frames=9)
