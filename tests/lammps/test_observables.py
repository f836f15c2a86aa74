# SPDX-License-Identifier: BSD-3-Clause
"""Observables of frames: dump_modify thermo and dump_modify observables."""

import re

from harness import case
from systems import BASE, MELT, dumps
from test_append import continued

TABLES, OBSERVABLES = 0x80000001, 0x80000002

# Every digit of the log.
DIGITS = "thermo_modify format float %.17g\n"
STYLE = """
compute gyr all gyration
compute msd all msd
fix mean all ave/time 5 1 5 c_gyr c_msd[4]
variable twice equal 2*temp
variable both vector c_msd
thermo_style custom step temp pe ke etotal press pxx pxz vol density lx c_gyr c_msd[4] f_mean[1] v_twice v_both[2] cpu spcpu atoms
"""


def log_columns(t, name="log.lammps"):
    """{step: {heading: value}} of all thermodynamic output."""
    rows, headings = {}, None
    for line in t.path(name).read_text().splitlines():
        words = line.split()
        if words[:1] == ["Step"]:
            headings = words
        elif headings and len(words) == len(headings) and re.fullmatch(r"[-+.\deE\s]+", line):
            rows[int(words[0])] = {h: float(w) for h, w in zip(headings, words)}
        elif line.startswith("Loop time"):
            headings = None
    return rows


def values(frame):
    return {name: value for name, _, value in frame["observables"]}


def is_in_log(t, frames, but=("CPU", "S/CPU")):
    """Every value of every frame has the digits of the log."""
    log = log_columns(t)
    for frame in frames:
        expected = {name: value for name, value in log[frame["step"]].items() if name not in but}
        assert values(frame) == expected, f"step {frame['step']}: {values(frame)}, not {expected}"


@case(ranks=(1, 2, 4))
def observables_of_thermo(t):
    """Of the steps of the log, whether or not thermodynamic output is due when the frame is written."""
    dump = dumps(BASE, every=10, modify="thermo yes")
    t.lammps(MELT + STYLE + DIGITS + "thermo 5\n" + dump + "run 60")
    frames = t.context()
    assert [frame["step"] for frame in frames] == list(range(0, 70, 10))
    is_in_log(t, frames)
    t.same(frames=7)
    # Nobody else has the energies of these steps computed, and the trajectory is the same.
    t.lammps(MELT + STYLE + dump.replace("t.gpz", "u.gpz").replace("t.dump", "u.dump") + "thermo 1000\nrun 60")
    for mine, theirs in zip(t.context("u.gpz"), frames):
        assert mine["observables"] == theirs["observables"], mine["step"]
    t.same_frames("t.gpz", "u.gpz")
    assert [frame["records"] for frame in frames] == [[TABLES, OBSERVABLES]] + 6 * [[OBSERVABLES]]


@case()
def observables_have_units(t):
    """Those of the unit style; c_, f_ and v_ have none."""
    style = "variable v equal 1\nthermo_style custom step time temp pe press vol density lx pxx fmax cellalpha v_v\n"
    systems = {
        units: MELT.replace("units lj", f"units {units}").replace("fcc 0.8442", lattice) + style
        for units, lattice in (("lj", "fcc 0.8442"), ("real", "fcc 1.7"), ("metal", "fcc 1.7"))
    }
    t.lammps(
        t.in_turn(
            *(
                f"{system}dump gpz all gpz 10 {units}.gpz {BASE}\ndump_modify gpz thermo yes\nrun 0"
                for units, system in systems.items()
            )
        )
    )

    def units_of(name):
        (frame,) = t.context(f"{name}.gpz")
        assert frame["tables"]["observables"]["unit"]["values"] == [unit for _, unit, _ in frame["observables"]]
        return {name: unit for name, unit, _ in frame["observables"]}

    real = units_of("real")
    assert real == {
        "Step": "",
        "Time": "femtoseconds",
        "Temp": "Kelvin",
        "PotEng": "kcal/mol",
        "Press": "atmospheres",
        "Volume": "Angstroms^3",
        "Density": "g/cm^3",
        "Lx": "Angstroms",
        "Pxx": "atmospheres",
        "Fmax": "(kcal/mol)/Angstrom",
        "CellAlpha": "degrees",
        "v_v": "",
    }, real
    assert units_of("metal")["Press"] == "bars"
    lj = units_of("lj")  # where energies are per atom
    assert lj.pop("PotEng") == "1/atom" and set(lj.values()) == {"", "degrees"}


@case(ranks=(1, 2))
def observables_of_a_list(t):
    """In the units of LAMMPS: not divided by the number of atoms, as thermodynamic output is in lj units."""
    listed = "observables c_pe v_twice f_mean[*] c_gyr thermo no"
    t.lammps(MELT + STYLE + DIGITS + "compute pe all pe\nthermo 5\n" + dumps(BASE, modify=listed) + "run 40")
    log = log_columns(t)
    for frame in t.context():
        row, mine = log[frame["step"]], values(frame)
        assert list(mine) == ["c_pe", "v_twice", "f_mean[1]", "f_mean[2]", "c_gyr"], mine
        assert abs(mine["c_pe"] - 500 * row["PotEng"]) < 1e-9
        assert (mine["v_twice"], mine["f_mean[1]"], mine["c_gyr"]) == (row["v_twice"], row["f_mean[1]"], row["c_gyr"])
    # With those of thermodynamic output: a name occurs once, and a later list takes the place of an earlier one.
    both = "thermo yes observables c_gyr observables c_pe c_gyr"
    script = MELT + STYLE + "compute pe all pe\n" + dumps(BASE, modify=both) + "run 0\n"
    t.lammps(script + "dump_modify gpz observables none thermo no\nrun 20")
    first, second = t.context()
    assert list(values(first))[-2:] == ["Atoms", "c_pe"] and "c_gyr" in values(first)
    assert not second["observables"] and second["records"] == [TABLES]


@case()
def observables_per_atom(t):
    """The unit says what thermo_modify norm divides: energies but Ecouple and Econserve, and extensive values of computes and fixes."""
    style = """
compute pe all pe
compute temp all temp
variable v equal c_pe
thermo_style custom step pe ke etotal evdwl epair enthalpy ecouple econserve temp press vol c_pe c_temp c_temp[1] v_v
"""
    t.lammps(MELT + style + DIGITS + "thermo 10\n" + dumps(BASE, every=10, modify="thermo yes")
             + "run 10\nthermo_modify norm no\nrun 10\nrun 10")  # fmt: skip
    frames = t.context()
    is_in_log(t, [frames[0], frames[-1]])  # the log has the steps between twice
    divided = {"PotEng", "KinEng", "TotEng", "E_vdwl", "E_pair", "Enthalpy", "c_pe", "c_temp[1]"}
    for frame, per_atom in zip(frames, (divided, divided, set(), set()), strict=True):
        assert {name for name, unit, _ in frame["observables"] if unit == "1/atom"} == per_atom, frame
    assert [frame["records"] for frame in frames] == 2 * [[TABLES, OBSERVABLES], [OBSERVABLES]]


@case(ranks=(1, 2))
def observables_of_all_atoms(t):
    """Files that may have some of the atoms say how many there are."""
    ways = {
        "group": ("some gpz 10 group.gpz", ""),
        "region": ("all gpz 10 region.gpz", "region half"),
        "thresh": ("all gpz 10 thresh.gpz", "thresh x > 3"),
        "ranks": ("all gpz 10 ranks.%.gpz", ""),
    }
    script = "group some id 1:100\nregion half block 0 4 INF INF INF INF units box\nthermo_style custom step pe\nthermo 10\n" + DIGITS
    for name, (dump, modify) in ways.items():
        script += f"dump {name} {dump} {BASE}\ndump_modify {name} thermo yes share no {modify}\n"
    t.lammps(MELT + script + dumps(BASE, every=10, modify="thermo yes") + "run 20")
    whole = t.context()
    assert [list(values(frame)) for frame in whole] == 3 * [["Step", "PotEng"]]
    for name in ("group", "region", "thresh", *(f"ranks.{rank}" for rank in range(t.ranks if t.ranks > 1 else 0))):
        assert [values(frame) for frame in t.context(f"{name}.gpz")] == [values(frame) | {"Atoms": 500} for frame in whole], name
    if t.ranks > 1:  # those of all ranks together are of so many atoms
        t.gpz("merge", *(f"ranks.{rank}.gpz" for rank in range(t.ranks)), "-o", "merged.gpz")
        assert t.context("merged.gpz") == t.context("ranks.0.gpz")


@case(ranks=(1, 2))
def observables_change_between_runs(t):
    script = MELT + DIGITS + "thermo 10\n" + dumps(BASE, every=10, modify="thermo yes")
    t.lammps(script + "run 10\nthermo_style custom step temp pe\n" + DIGITS + "run 10\nrun 10")
    frames = t.context()
    one, own = ["Step", "Temp", "E_pair", "E_mol", "TotEng", "Press"], ["Step", "Temp", "PotEng"]
    assert [list(values(frame)) for frame in frames] == [one, one, own, own]
    assert [frame["records"] for frame in frames] == 2 * [[TABLES, OBSERVABLES], [OBSERVABLES]]


@case(ranks=(1, 2))
def observables_at_times(t):
    """LAMMPS does not tell computes at which step the next of such frames is due."""
    style = "thermo_style custom step temp pe press\nthermo 1000\n"
    dump = f"dump gpz all gpz 1 t.gpz {BASE}\ndump_modify gpz every/time 0.05 thermo yes\n"
    t.lammps(MELT + style + dump + "run 50")
    frames = t.context()
    assert [frame["step"] for frame in frames] == [0, 10, 20, 30, 40, 50]
    t.lammps(MELT + style + DIGITS + "thermo 10\nrun 50")
    is_in_log(t, frames)


@case(ranks=(1, 4))
def observables_in_every_way(t):
    """The same records in the same places, however the file is written; a file of each rank has all observables."""
    ways = {"now": "async no", "behind": "async compress", "share": "share auto"}
    others = "".join(
        f"dump {name} all gpz 5 {name}.gpz {BASE}\ndump_modify {name} thermo yes share no {modify}\n"
        for name, modify in ways.items()
    )
    parts = f"dump parts all gpz 5 parts.%.gpz {BASE}\ndump_modify parts thermo yes\n"
    steps = f"dump steps all gpz 5 steps.*.gpz {BASE}\ndump_modify steps thermo yes\n"
    t.lammps(MELT + DIGITS + "thermo 5\n" + dumps(BASE, every=5, modify="thermo yes") + others + parts + steps + "run 60")
    frames = t.context()
    is_in_log(t, frames)
    assert t.info()["has_index"]
    t.same_frames("t.gpz", "now.gpz", "behind.gpz")
    for name in ways:
        assert t.context(f"{name}.gpz") == frames, name
    for name in (f"parts.{rank}.gpz" for rank in range(t.ranks)):
        atoms = {"Atoms": 500} if t.ranks > 1 else {}
        assert [values(frame) for frame in t.context(name)] == [values(frame) | atoms for frame in frames], name
    for frame in frames:
        (alone,) = t.context(f"steps.{frame['step']}.gpz")
        assert alone["records"] == [TABLES, OBSERVABLES] and alone["observables"] == frame["observables"]
    t.gpz("verify", "t.gpz")
    t.same(frames=13)


@case(ranks=(1, 2))
def observables_in_a_continued_file(t):
    """The part that is added has its own table of names, and the index is that of all frames."""
    script = MELT + DIGITS + "thermo 20\n" + dumps(BASE, modify="thermo yes") + "restart 60 r.*\nrun 100"
    t.lammps(script)
    before = t.context()
    t.lammps("read_restart r.60\n" + DIGITS + continued("append yes thermo yes") + "thermo 20\nrun 100")
    frames = t.context()
    assert frames[:6] == before
    assert [frame["step"] for frame in frames] == list(range(0, 180, 20))
    is_in_log(t, frames[6:])
    assert [frame["records"] for frame in frames[6:]] == [[TABLES, OBSERVABLES], [OBSERVABLES], [OBSERVABLES]]
    assert t.info()["has_index"]


@case(ranks=(1, 2))
def observables_of_a_killed_run(t):
    """Whatever is cut off: the frames that are left have their observables, and the file can be continued."""
    t.lammps(MELT + DIGITS + "thermo 20\n" + dumps(BASE, modify="thermo yes") + "restart 60 r.*\nrun 100")
    whole = t.context()
    data = t.path("t.gpz").read_bytes()
    for cut in range(1, 12):
        t.path("cut.gpz").write_bytes(data[: len(data) * cut // 12])
        if frames := t.context("cut.gpz"):
            assert frames == whole[: len(frames)]
    t.cut("t.gpz", 0.9)
    t.lammps("read_restart r.60\n" + DIGITS + continued("append yes thermo yes") + "run 40")
    assert [frame["step"] for frame in t.context()] == list(range(0, 120, 20))
    assert t.context()[:5] == whole[:5]
    for mine, theirs in zip(t.context(), whole):
        assert mine["step"] == values(mine)["Step"] and abs(values(mine)["Temp"] - values(theirs)["Temp"]) < 1e-6


@case()
def observables_elsewhere(t):
    """write_dump, minimisations, rerun; and skipped frames, behind which energies are computed again."""
    dump = f"dump gpz all gpz 10 t.gpz {BASE}\ndump_modify gpz thermo yes\n"
    style = "thermo_style custom step temp pe press\nthermo 5\n" + DIGITS
    skip = f"variable odd equal (step%20)\ndump some all gpz 10 some.gpz {BASE}\ndump_modify some thermo yes skip v_odd\n"
    t.lammps(MELT + style + dump + skip + f"run 40\nwrite_dump all gpz w.gpz {BASE} modify thermo yes")
    frames = t.context()
    is_in_log(t, frames)
    assert t.context("some.gpz")[1]["observables"] == frames[2]["observables"]
    assert t.context("w.gpz")[0]["observables"] == frames[4]["observables"]
    # The positions of a rerun are rounded, and its energies are those of its positions.
    again = style + f"dump gpz all gpz 10 r.gpz {BASE}\ndump_modify gpz thermo yes eb 0.01\n"
    t.lammps(MELT + again + "thermo 10\nrerun t.gpz dump x y z")
    is_in_log(t, t.context("r.gpz"))
    t.lammps(MELT + style + f"dump gpz all gpz 2 m.gpz {BASE}\ndump_modify gpz thermo yes\nthermo 1\nminimize 0 0 20 40")
    is_in_log(t, t.context("m.gpz"))
    assert len(t.context("m.gpz")) > 4


@case()
def observables_leave_the_log_alone(t):
    """The same thermodynamic output, and the same errors in the summary of the dump, whose bytes count the observables."""
    texts = []
    for modify in ("", "thermo yes"):
        output = t.lammps(MELT + "thermo 10\n" + dumps(BASE, every=5, modify=modify) + "run 40")
        of_interest = re.compile(r"\s*\d+ +-?\d|  largest")
        texts.append([line for line in output.splitlines() if of_interest.match(line)])
    assert texts[0] == texts[1] and len(texts[0]) >= 6, texts


@case()
def observables_refused(t):
    system = MELT + STYLE + dumps(BASE)
    for modify, expected in (
        ("observables", "Illegal dump_modify observables command: missing argument(s)"),
        (
            "observables temp",
            "Dump gpz gpz: dump_modify observables must be none or a list of v_name, c_ID[i] and f_ID[i], not temp",
        ),
        ("observables c_none", "Dump gpz gpz: observable c_none: there is no such compute"),
        ("observables f_none", "Dump gpz gpz: observable f_none: there is no such fix"),
        ("observables v_none", "Dump gpz gpz: observable v_none: there is no such variable"),
        ("observables c_gyr[7]", "Dump gpz gpz: observable c_gyr[7]: the vector is smaller"),
        ("observables c_gyr[1][1]", "Dump gpz gpz: observable c_gyr[1][1]: there is no global array"),
        ("observables f_nve", "Dump gpz gpz: observable f_nve: there is no global scalar"),
        (
            "observables v_both",
            "Dump gpz gpz: observable v_both: the variable must be of style equal, or of style vector with one index",
        ),
        ("thermo maybe", "Expected boolean parameter instead of 'maybe' in input script or data file"),
        (
            "every 12 thermo yes",
            "Dump gpz gpz: observable f_mean[1]: the fix has values every 5 steps, and the dump has frames every 12",
        ),
    ):
        message = t.error(system + f"dump_modify gpz {modify}\nrun 0")
        assert message == expected, message
