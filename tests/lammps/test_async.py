# SPDX-License-Identifier: BSD-3-Clause
"""Frames that are written behind the simulation."""

import os
import signal
import subprocess

from harness import DEFAULT_BOUND, Skip, case, compare, read_dump
from systems import BASE, MELT, dumps
from test_append import continued
from test_modify import parts_are_the_whole

BOUNDS = {c: DEFAULT_BOUND for c in "xyz"}
FRAMES_ON_THEIR_WAY = 3
MODES = "no", "yes", "compress"


@case(ranks=(1, 2, 4))
def async_writes_the_same_bytes(t):
    """Chunks of all ranks and of leaders, with thresholds that leave ranks without atoms."""
    for more, both in ("effort dense", ""), ("share 300", ""), ("", "thresh x < 3"):
        scripts = [MELT + dumps(BASE + " vx ix", 1, both=both, modify=f"key 7 async {mode} {more}") + "run 15\n" for mode in MODES]
        moves = [f"undump gpz\nshell mv t.gpz {mode}.gpz" for mode in MODES]
        t.lammps(t.in_turn(*(script + move for script, move in zip(scripts, moves))))
        no, *others = (t.path(f"{mode}.gpz").read_bytes() for mode in MODES)
        assert [other == no for other in others] == [True, True], more
        t.same("compress.gpz", frames=16)


@case(ranks=(1, 2, 4, 8))
def async_many_frames(t):
    for mode in MODES[1:]:
        t.lammps(MELT + dumps(BASE, every=1, modify=f"async {mode}") + "run 20")
        t.same(frames=21)
        assert t.info()["has_index"]


@case(ranks=(8,))
def async_several_files(t):
    three = f"dump three all gpz 2 u.%.gpz {BASE}\ndump_modify three share no nfile 3\n"
    for mode in MODES[1:]:
        t.lammps(MELT + dumps(BASE, every=2, gpz="t.%.gpz", modify=f"async {mode}") + three + f"dump_modify three async {mode}\nrun 20")
        parts_are_the_whole(t, [f"t.{i}.gpz" for i in range(8)])
        parts_are_the_whole(t, [f"u.{i}.gpz" for i in range(3)])


@case(ranks=(4,))
def async_several_hosts(t):
    """Ranks of one file that MPI takes for those of two hosts, on a file system that is not known: with nfile 2, those
    of the second file only."""
    scripts = [
        MELT + dumps(BASE, every=5, gpz=gpz, modify=modify) + "run 20\nrun 20"
        for gpz, modify in (("t.gpz", "async compress"), ("t.%.gpz", "nfile 2"))
    ]
    script = t.in_turn(scripts[0] + "\nprint SECOND", scripts[1])
    output = t.lammps(script, wrapper=two_hosts(t, first=3))
    said = "not written in the background: ranks of several hosts write this file"
    assert [said in part for part in output.split("SECOND")] == [True, True], output
    parts_are_the_whole(t, ["t.gpz"])
    parts_are_the_whole(t, ["t.0.gpz", "t.1.gpz"])
    files = ["t.gpz", "t.0.gpz", "t.1.gpz"]
    records = [t.frame_records(name) for name in files]
    assert "not written in the background" not in t.lammps(script)
    assert [t.frame_records(name) for name in files] == records


def two_hosts(t, first):
    """A wrapper of LAMMPS: its first ranks are on one host, the others on another."""
    if not t.options.two_hosts:
        raise Skip("needs MPI and a linker that knows LD_PRELOAD")
    preload = f"{os.environ.get('LD_PRELOAD', '')} {t.options.two_hosts}".strip()
    return ["env", f"LD_PRELOAD={preload}", f"GPZ_TEST_FIRST_HOST={first}"]


@case(ranks=(1, 2, 3))
def async_can_be_changed(t):
    changes = ("", "async no", "async yes", "async compress", "threads 2 effort fast", "async yes key 3", "async compress")
    runs = ((f"dump_modify gpz {change}\n" if change else "") + "run 20\n" for change in changes)
    output = t.lammps(MELT + dumps(BASE, every=5) + "".join(runs))
    assert "compressed on the CPU, 2 threads a rank" in output, output
    said = [run for run in output.split("Dump gpz gpz: t.gpz: ")[1:] if "time in the loop" in run]
    assert len(said) == len(changes), output
    for run, change in zip(said, changes):
        assert ("written in the background" in run) == (change != "async no"), run
        assert ("compressed there in" in run) == ("compress" in change or "threads" in change), run
    t.same(frames=29)


@case(ranks=(1, 2))
def frames_are_there_when_a_run_ends(t):
    """Whatever comes between runs finds them."""
    t.lammps(
        MELT
        + dumps(BASE, every=5)
        + 'run 20 post no\nshell cp t.gpz first.gpz\nrun 40 pre no every 20 "shell cp t.gpz last.gpz"'
    )
    t.same(frames=13)
    for name, last in ("first.gpz", 20), ("last.gpz", 60):
        assert [f.step for f in t.decode(name)] == list(range(0, last + 1, 5)), name


@case(ranks=(1, 2, 4))
def error_elsewhere(t):
    """An error of LAMMPS itself, which ends without destroying anything: its last frames are those one wants to see."""
    halt = "variable n equal step\nfix halt all halt 1 v_n >= 17 error hard\n"
    for mode in MODES[1:]:
        t.error(MELT + dumps(BASE, every=1, modify=f"async {mode}") + "dump_modify custom flush yes\n" + halt + "run 100")
        steps = [f.step for f in read_dump(t.path("t.dump"))]
        assert steps[-1] in (16, 17)
        t.same(frames=len(steps))


@case(ranks=(1, 2, 4))
def killed(t):
    kill_and_continue(t, "yes")


@case(ranks=(1, 2))
def killed_while_it_compresses(t):
    kill_and_continue(t, "compress effort dense")


def kill_and_continue(t, mode):
    """SIGKILL at any time: all but the frames on their way are in the file, and another run continues it."""
    script = "dump_modify custom flush yes\nthermo 5\nthermo_modify flush yes\nrestart 20 r.*\nrun 1000000"
    t.write_script(MELT + dumps(BASE, every=5, modify=f"async {mode}") + script)
    wrapper = ["sh", "-c", 'echo $$ >> pids; exec "$@"', "sh"]
    command = t.command(t.ranks, ["-in", "in.lammps", "-log", "none"], wrapper)
    with subprocess.Popen(command, cwd=t.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        for line in run.stdout:
            if line.split()[:1] == ["60"]:
                break
        else:
            raise AssertionError("the run ended before step 60")
        for pid in t.path("pids").read_text().split():
            os.kill(int(pid), signal.SIGKILL)

    text = t.path("t.dump").read_text()
    t.path("t.dump").write_text(text[: text.rindex("ITEM: TIMESTEP")])  # the last frame may be torn
    original = read_dump(t.path("t.dump"))
    torn = t.info()["state"] == "torn"  # "gpz decode" then reports it, behind the frames that are complete
    decoded = t.decode("t.gpz", reference=False, fails=torn)
    common = min(len(decoded), len(original))
    compare(decoded[:common], original[:common], BOUNDS)
    assert len(decoded) >= len(original) - FRAMES_ON_THEIR_WAY, f"{len(decoded)} of {len(original)} frames"

    last = decoded[-1].step
    t.lammps(f"read_restart r.40\n{continued('append yes')}run {last}")
    again = t.decode("t.gpz")
    assert [f.step for f in again[: len(decoded)]] == [f.step for f in decoded]
    added = [f for f in read_dump(t.path("again.dump")) if f.step > last]
    assert added
    compare(again[len(decoded) :], added, BOUNDS)
