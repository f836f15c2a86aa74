# SPDX-License-Identifier: BSD-3-Clause
"""dump_modify keywords, files, and the summary in the log."""

import re

from harness import DEFAULT_BOUND, case, read_dump
from systems import BASE, MELT, TRICLINIC, dumps


@case(ranks=(1, 2))
def wrapped(t):
    """pbc yes wraps what is written, and leaves the atoms alone."""
    t.lammps(
        MELT
        + "neigh_modify every 50 delay 0 check no\nneighbor 2.0 bin\n"
        + dumps(BASE + " ix iy iz xu", both="pbc yes")
        + "run 45"
    )
    t.same()
    box = read_dump(t.path("t.dump"))[0].box
    for frame in read_dump(t.path("t.dump")):
        assert all(box[0] <= float(a["x"]) < box[1] for a in frame.atoms.values())


@case()
def wrapped_triclinic(t):
    t.lammps(
        TRICLINIC
        + "neigh_modify every 50 delay 0 check no\nneighbor 1.0 bin\n"
        + dumps(BASE + " ix iy iz", both="pbc yes")
        + "run 45"
    )
    t.same()


@case(ranks=(1, 2))
def when(t):
    t.lammps(
        MELT
        + "variable odd equal step%40!=0\nvariable next equal stride(0,1000,15)\n"
        + dumps(BASE, both="delay 30 skip v_odd first yes")
        + "run 90\n"
        + "dump_modify gpz delay -1 every v_next\ndump_modify custom delay -1 every v_next\nrun 45\n"
        + "dump_modify gpz every/time 0.11\ndump_modify custom every/time 0.11\nrun 60"
    )
    t.same()


@case(ranks=(1, 2))
def harmless_keywords(t):
    t.lammps(
        MELT
        + dumps(BASE, modify="flush no time yes units yes buffer no sort off balance no header yes format none")
        + "run 20"
    )
    t.same()


@case()
def refresh(t):
    """Only atoms that moved since they were written last. One run a format, because each refreshes the compute."""
    script = MELT + "variable moved atom c_moved[4]>0.2\ncompute moved all displace/atom refresh moved\n"
    for line in (
        f"dump d all gpz 20 t.gpz {BASE} c_moved[4]\n",
        f"dump d all custom 20 t.dump {BASE} c_moved[4]\ndump_modify d sort id format float %.17g\n",
    ):
        t.lammps(script + line + "dump_modify d thresh c_moved[4] > 0.2 refresh c_moved\nrun 100")
    t.same()
    assert 0 < len(read_dump(t.path("t.dump"))[-1].atoms) < 500


@case(ranks=(1, 2))
def one_file_a_step(t):
    t.lammps(MELT + dumps(BASE, gpz="t.*.gpz", custom="t.*.dump", both="pad 4") + "run 40")
    for step in (0, 20, 40):
        t.same(f"t.{step:04}.gpz", f"t.{step:04}.dump", frames=1)


@case(ranks=(1, 2))
def at_most_two_files(t):
    t.lammps(MELT + dumps(BASE, gpz="t.*.gpz", custom="t.*.dump", modify="maxfiles 2") + "run 80")
    assert sorted(p.name for p in t.directory.glob("t.*.gpz")) == ["t.60.gpz", "t.80.gpz"]
    t.same("t.80.gpz", "t.80.dump")


def parts_are_the_whole(t, files, whole="t.dump"):
    parts = [t.decode(name) for name in files]
    for i, frame in enumerate(read_dump(t.path(whole))):
        atoms = {}
        for part in parts:
            assert part[i].step == frame.step and not atoms.keys() & part[i].atoms.keys()
            atoms.update(part[i].atoms)
        assert atoms.keys() == frame.atoms.keys()
        for atom, values in frame.atoms.items():
            assert all(abs(float(atoms[atom][c]) - float(values[c])) <= DEFAULT_BOUND for c in "xyz")


@case(ranks=(4,))
def one_file_a_rank(t):
    t.lammps(MELT + dumps(BASE, gpz="t.%.gpz") + "run 40")
    parts_are_the_whole(t, [f"t.{i}.gpz" for i in range(4)])


@case(ranks=(3,))
def nfile(t):
    t.lammps(MELT + dumps(BASE, gpz="t.%.gpz", modify="nfile 2") + "run 40")
    parts_are_the_whole(t, ["t.0.gpz", "t.1.gpz"])


@case(ranks=(4,))
def nfile_again(t):
    """nfile with the number it has changes nothing; another number changes the file of some ranks only, but is refused on all."""
    nfile = "dump_modify gpz nfile %d\n"
    for mode in ("no", "yes", "compress"):
        script = MELT + dumps(BASE, gpz="t.%.gpz", modify=f"nfile 2 async {mode}") + "run 20\n" + nfile % 2 + "run 20\n"
        t.lammps(script)
        parts_are_the_whole(t, ["t.0.gpz", "t.1.gpz"])
        message = t.error(script + nfile % 3 + "run 20")
        assert "nfile and fileper cannot change after the first run" in message, message
        assert [f.step for f in t.decode("t.0.gpz")] == [0, 20, 40]


@case(ranks=(4,))
def fileper(t):
    t.lammps(MELT + dumps(BASE, gpz="t.%.gpz", modify="fileper 3") + "run 40")
    parts_are_the_whole(t, ["t.0.gpz", "t.1.gpz"])


@case(ranks=(1, 2))
def write_dump(t):
    output = t.lammps(
        MELT + "run 20\nwrite_dump all gpz t.gpz id type x y z modify eb 0.01\n"
        "write_dump all custom t.dump id type x y z modify sort id format float %.17g"
    )
    t.same(bounds={c: 0.01 for c in "xyz"}, frames=1)
    assert "1 frame," in output


@case()
def several_dumps_and_clear(t):
    second = dumps(BASE + " vx", gpz="u.gpz", custom="u.dump", every=10)
    second = second.replace("gpz all", "gpz2 all").replace("custom all", "custom2 all").replace("y custom", "y custom2")
    t.lammps(
        t.in_turn(
            MELT + dumps(BASE) + second + "run 20\nundump gpz2\nundump custom2\nrun 20\n",
            MELT + dumps(BASE, gpz="v.gpz", custom="v.dump") + "run 20",
        )
    )
    t.same()
    t.same("u.gpz", "u.dump", frames=3)
    t.same("v.gpz", "v.dump")


@case(ranks=(1, 2))
def replicated(t):
    """A command that puts another object in the place of the atoms."""
    t.lammps(MELT + dumps(BASE + " vx ix") + "run 20\nreplicate 2 2 1\nrun 20")
    t.same(frames=3)


@case(ranks=(1, 2))
def summary(t):
    for mode, phase, behind in (
        ("no", "write", ""),
        ("yes", "wait", r", after it \d+\.\d{3} s; written in the background in \d+\.\d{3} s"),
        ("compress", "wait", r", after it \d+\.\d{3} s; written in the background in \d+\.\d{3} s, compressed there in \d+\.\d{3} s"),
    ):
        commands = dumps(BASE + " vx", every=200, modify=f"bound vx 0.01 async {mode}")
        t.lammps(MELT + commands + "run 400\nrun 200\nrun 50")
        log = t.path("log.lammps").read_text()
        assert "positions within 0.0005 sigma (default for units lj" in log
        blocks = log.split("Dump gpz gpz: t.gpz: ")[1:]
        assert [block.split(",")[0] for block in blocks] == ["3 frames", "1 frame"]
        sizes = [int(block.split(",")[1].split()[0]) for block in blocks]
        rest = t.path("t.gpz").stat().st_size - sum(sizes)
        assert 0 < rest < 2000, f"{sizes}: more than file header and index is not counted"
        for word in ("ratio", "largest error: x y z ", " of 0.0005, vx "):
            assert word in blocks[0], word
        for block in blocks:
            loop = float(re.search("Loop time of ([0-9.]+)", block).group(1))
            line = re.search(rf"time in the loop: (.*); before it \d+\.\d{{3}} s{behind}\n", block).group(1)
            times = re.findall("([a-z]+) ([0-9]+[.][0-9]{3}) s [(]([0-9]+[.][0-9]) %[)]", line)
            assert [name for name, _, _ in times] == ["gather", "compress", "communicate", phase, "sum"], line
            for name, seconds, share in times:  # as far as the digits go
                assert abs(float(share) - 100 * float(seconds) / loop) <= 0.051 + 0.051 / loop, f"{name}: {line}"
            for column, digit in ((1, 0.001), (2, 0.1)):
                *phases, whole = (float(entry[column]) for entry in times)
                assert abs(sum(phases) - whole) <= 2.6 * digit, line
        # the first run is no part of the second one's time
        first = float(re.search("Loop time of ([0-9.]+)", blocks[0]).group(1))
        before = float(re.search(r"before it (\d+\.\d{3}) s", blocks[1]).group(1))
        assert before < first / 2, f"{before} s before the second loop, {first} s in the first one"


@case()
def summary_outside_the_loop(t):
    """A frame that no loop contains has times without shares."""
    output = t.lammps(MELT + f"run 0\nwrite_dump all gpz t.gpz {BASE}")
    line = re.search("  time: (.*)\n", output).group(1)
    assert re.fullmatch("(gather|compress|communicate|write)( [0-9.]+ s, [a-z]+){4} [0-9.]+ s", line), line


@case()
def minimisation_and_rerun(t):
    output = t.lammps(MELT + "run 20\n" + dumps(BASE, every=5) + "minimize 0 0 30 30")
    t.same()
    assert " frames, " in output
    output = t.lammps(MELT + dumps(BASE, custom="u.dump", gpz="u.gpz", every=5) + "rerun t.dump dump x y z")
    t.same("u.gpz", "u.dump")
    assert " frames, " in output


@case(ranks=(1, 2))
def exact_positions(t):
    """The bound 0 means exact, of the box as well."""
    for modify in ("eb 0", "eb rel 0"):
        output = t.lammps(MELT + dumps(BASE, modify=modify) + "run 40")
        assert "positions exact\n" in output and "WARNING" not in output, output
        t.same(bounds=dict.fromkeys("xyz", 0), frames=3)
        assert t.info()["columns"]["x"]["bound"] == 0


@case(ranks=(1, 2))
def bound_as_large_as_the_box(t):
    """One warning at the first frame, with the bound and the box."""
    cases = {
        "eb 4.3": "positions within 4.3 in a box of 8.397981 x 8.397981 x 8.397981:",
        "eb rel 0.5": "positions within 4.1989905 in a box of 8.397981 x",
        "eb 1e300": "positions within 1e+300 in a box of 8.397981 x",
        "eb 4": None,
    }
    for modify, warning in cases.items():
        output = t.lammps(MELT + dumps(BASE, modify=modify) + "run 40\nrun 20")
        warnings = [line for line in output.splitlines() if line.startswith("WARNING")]
        assert len(warnings) == (warning is not None), output
        assert warning is None or (warning in warnings[0] and "at least half of the longest box edge" in warnings[0]), output
