# SPDX-License-Identifier: BSD-3-Clause
"""Continuing a file, after a restart or the death of its writer."""

import signal
import subprocess
import sys

from harness import case, read_dump
from systems import BASE, MELT, dumps


@case(ranks=(1, 2))
def append(t):
    t.lammps(MELT + dumps(BASE) + "run 40\nwrite_restart r")
    t.lammps("read_restart r\n" + continued("append yes") + "run 40")
    t.same(custom=merged(t), frames=5)
    assert t.info()["has_index"]


def continued(modify, columns=BASE):
    """A restarted melt that continues t.gpz. The text dump has a file of its own."""
    return "pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\nfix nve all nve\nthermo 100\n" + dumps(
        columns, custom="again.dump", modify=modify
    )


def merged(t):
    """t.dump with what again.dump has beyond it: each step once."""
    first, again = (t.path(n).read_text().split("ITEM: TIMESTEP\n")[1:] for n in ("t.dump", "again.dump"))
    steps = {frame.split("\n")[0]: frame for frame in again}
    steps.update({frame.split("\n")[0]: frame for frame in first})
    t.path("merged.dump").write_text("".join("ITEM: TIMESTEP\n" + steps[s] for s in sorted(steps, key=int)))
    return "merged.dump"


@case(ranks=(1, 2))
def restart(t):
    """A run continued from an older restart file: no step is written twice, and none is missing."""
    t.lammps(MELT + dumps(BASE) + "restart 60 r.*\nrun 100")
    output = t.lammps("read_restart r.60\n" + continued("append yes") + "run 100")
    assert "3 frames" in output, output  # 60, 80 and 100 were there
    t.same(custom=merged(t), frames=9)


@case(ranks=(1, 2))
def restart_with_other_interval(t):
    """Steps that the file lacks but goes beyond are not added behind its end."""
    t.lammps(MELT + dumps(BASE) + "restart 60 r.*\nrun 100")
    denser = continued("append yes every 15")
    output = t.lammps("read_restart r.60\n" + denser + "run 60")
    assert "the file goes beyond them: 3 frames" in output, output  # 60, 75 and 90
    assert [f.step for f in t.decode("t.gpz")] == [0, 20, 40, 60, 80, 100, 105, 120]


@case(ranks=(1, 2))
def restart_with_torn_frame(t):
    """The writer died inside a frame."""
    t.lammps(MELT + dumps(BASE) + "restart 60 r.*\nrun 100")
    t.cut("t.gpz", 0.75)
    t.lammps("read_restart r.60\n" + continued("append yes") + "run 100")
    t.same(custom=merged(t), frames=9)


@case()
def restart_after_kill(t):
    """SIGKILL between two frames: everything is there, and the next run continues."""
    t.path("in.lammps").write_text("")
    with subprocess.Popen(
        t.command(1, ["-log", "none"]), cwd=t.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as lammps:
        lammps.stdin.write(
            t.load()
            + MELT
            + dumps(BASE)
            + "dump_modify custom flush yes\nrestart 20 r.*\nrun 60\nprint REACHED\n"
            + "run 0\n" * 4000
        )
        lammps.stdin.flush()
        for line in lammps.stdout:
            if line.startswith("REACHED"):
                break
        lammps.send_signal(signal.SIGKILL)
    assert t.same(frames=4) > 0
    t.lammps("read_restart r.40\n" + continued("append yes") + "run 60")
    t.same(custom=merged(t), frames=6)


@case()
def append_to_nothing(t):
    t.path("t.gpz").write_bytes(b"\x89GPZ\r\n")  # the writer died inside the file header
    t.lammps(MELT + dumps(BASE, modify="append yes") + "run 20")
    t.same()


@case()
def append_after_reset_timestep(t):
    t.lammps(MELT + dumps(BASE) + "run 40\nwrite_restart r")
    output = t.lammps("read_restart r\nreset_timestep 0\n" + continued("append yes") + "run 40")
    assert "WARNING" in output and "all frames are added" in output
    assert [f.step for f in t.decode("t.gpz")] == [0, 20, 40, 0, 20, 40]


@case()
def append_keeps_relative_bound(t):
    """Of the first frame, whatever the box became in the file and behind it."""
    t.lammps(MELT + dumps(BASE, modify="eb rel 1e-4") + "fix grow all deform 1 x scale 1.2 remap x\nrun 40\nwrite_restart r")
    commands = continued("append yes eb rel 1e-4")
    t.lammps("read_restart r\nchange_box all x scale 3 remap\n" + commands + "run 40")
    edge = read_dump(t.path("t.dump"))[0].box[1]
    t.same(custom=merged(t), bounds={c: 1e-4 * edge * (1 + 1e-15) for c in "xyz"}, frames=5)


@case(ranks=(1, 2))
def append_one_file_a_step(t):
    t.lammps(MELT + dumps(BASE, gpz="t.*.gpz") + "run 40\nwrite_restart r")
    t.lammps("read_restart r\n" + continued("append yes").replace(" t.gpz ", " t.*.gpz ") + "run 40")
    before = t.path("t.40.gpz").read_bytes()
    t.lammps("read_restart r\n" + continued("append yes").replace(" t.gpz ", " t.*.gpz ") + "run 0")
    assert sorted(len(t.decode(p.name)) for p in t.directory.glob("t.*.gpz")) == [1] * 5
    assert t.path("t.40.gpz").read_bytes() == before


@case()
def append_to_other_file(t):
    t.path("t.gpz").write_text("precious\n")
    message = t.error(MELT + dumps(BASE, modify="append yes") + "run 20")
    assert "t.gpz" in message and t.path("t.gpz").read_text() == "precious\n"
    t.lammps(MELT + dumps(BASE) + "run 20")
    before = t.path("t.gpz").read_bytes()
    message = t.error(MELT + dumps(BASE + " vx", modify="append yes") + "run 20")
    assert f"columns {BASE} vx: the file has columns {BASE};" in message, message
    assert t.path("t.gpz").read_bytes() == before


def bounds_of(t, name="t.gpz"):
    """{column: bound}, of each frame."""
    sys.path.insert(0, t.options.reference)
    from gpz_reference import reader as gpz_ref

    return [{c.name: c.field.bound for c in frame.columns} for frame in gpz_ref.read_file(str(t.path(name))).frames]


VELOCITIES = BASE + " vx vy vz"


@case(ranks=(1, 2))
def append_takes_the_bounds_of_the_file(t):
    """What is not given is that of the file: bounds, names of elements."""
    given = "eb 0.002 bound v* 0.01 element Ar Kr"
    t.lammps(MELT + dumps(VELOCITIES, modify=given) + "run 20\nwrite_restart r")
    output = t.lammps("read_restart r\n" + continued("append yes", VELOCITIES) + "run 20")
    assert "positions within 0.002 sigma (as in the file that is continued)" in output, output
    bounds = {**dict.fromkeys("xyz", 0.002), **dict.fromkeys(("vx", "vy", "vz"), 0.01)}
    t.same(custom=merged(t), bounds=bounds, frames=3)
    assert bounds_of(t) == [{**dict.fromkeys(("id", "type"), 0), **bounds}] * 3
    assert t.info()["elements"] == ["Ar", "Kr"]


@case()
def append_takes_the_bound_of_fractions(t):
    """It is a distance, also where the box has grown."""
    columns = "id type xs ys zs"
    t.lammps(MELT + dumps(columns, modify="eb 0.002") + "run 20\nwrite_restart r")
    grown = "change_box all x scale 3 remap\n" + continued("append yes", columns)
    again = "\nread_restart r\n" + continued("append yes eb 0.002", columns)
    t.lammps(t.in_turn("read_restart r\n" + grown + "run 20\nwrite_restart r\n", again + "run 20"))
    edges = [frame.box[1] - frame.box[0] for frame in t.decode("t.gpz")]
    assert edges[-1] > 2 * edges[0] and len(edges) == 4
    for bounds, edge in zip(bounds_of(t), edges):
        assert abs(bounds["xs"] * edge - 0.002) < 1e-12, bounds


@case()
def append_refuses_what_differs(t):
    """Each with both values; no byte of the file changes, neither of one with an index nor of a torn one."""
    t.lammps(MELT + dumps(VELOCITIES, modify="eb 0.002 bound v* 0.01 element Ar Kr") + "run 20\nwrite_restart r")
    whole = t.path("t.gpz").read_bytes()
    cases = {
        ("eb 0.001", ""): "column x with bound 0.001: the file has it with bound 0.002;",
        ("eb 0", ""): "column x with bound 0 (exact): the file has it with bound 0.002;",
        ("eb rel 0.1", ""): "the file has it with bound 0.002;",
        ("bound vy 0.1", ""): "column vy with bound 0.1: the file has it with bound 0.01;",
        ("bound vy lossless", ""): "column vy with bound 0 (exact): the file has it with bound 0.01;",
        ("element Ne Kr", ""): "elements Ne Kr: the file has elements Ar Kr;",
    }
    for k, ((modify, command), message) in enumerate(cases.items()):
        before = whole[: -16 * (k % 2)] if k % 2 else whole
        t.path("t.gpz").write_bytes(before)
        found = t.error("read_restart r\n" + command + continued("append yes " + modify, VELOCITIES) + "run 20")
        assert "t.gpz: cannot append" in found and message in found, found
        assert t.path("t.gpz").read_bytes() == before, modify


@case(ranks=(2,))
def append_refuses_what_differs_from_several_files(t):
    """With %: the ranks agree, and no file changes. One of the files lacks a frame, which would be cut off."""
    t.lammps(MELT + dumps(BASE, gpz="t.%.gpz", modify="eb 0.002") + "run 40\nwrite_restart r")
    t.cut("t.1.gpz", 0.75)
    files = {name: t.path(name).read_bytes() for name in ("t.0.gpz", "t.1.gpz")}
    again = continued("append yes EB", BASE).replace(" t.gpz ", " t.%.gpz ")
    message = t.error("read_restart r\n" + again.replace("EB", "eb 0.001") + "run 20")
    assert "bound 0.001: the file has it with bound 0.002;" in message, message
    assert files == {name: t.path(name).read_bytes() for name in files}
    output = t.lammps("read_restart r\n" + again.replace("EB", "") + "run 20")
    assert "1 frame(s) that not all" in output, output
    assert {b["x"] for name in files for b in bounds_of(t, name)} == {0.002}


@case()
def append_with_another_timestep(t):
    """Each frame has its time. Without times, nothing would say which frames have which timestep."""
    t.lammps(MELT + dumps(BASE, modify="eb 0.002") + "run 20\ntimestep 0.001\nrun 20\nwrite_restart r")
    t.lammps("read_restart r\n" + continued("append yes") + "run 20")
    facts = t.info()
    assert facts["frames"] == 4 and abs(facts["time"]["last"] - (20 * 0.005 + 40 * 0.001)) < 1e-12, facts
    t.gpz("decode", "t.gpz", "--format", "lammps", "-o", "t.text")
    t.gpz("encode", "t.text", "-o", "t.gpz", "--eb", "0.002", "--units", "lj", "--dt", "0.005")
    message = t.error("read_restart r\n" + continued("append yes") + "run 20")
    assert "cannot append with timestep 0.001: the file has timestep 0.005;" in message, message


@case()
def append_with_a_timestep_that_changes(t):
    """The file cannot say which one it is."""
    reset = "fix dt all dt/reset 5 1e-5 0.1 0.01\n"
    t.lammps(MELT + reset + dumps(BASE) + "run 20\nwrite_restart r")
    t.lammps("read_restart r\n" + reset + continued("append yes") + "run 20")
    assert [f.step for f in t.decode("t.gpz")] == [0, 20, 40]


@case()
def append_to_a_file_of_another_program(t):
    """It says neither an atom style nor a timestep, which LAMMPS always has."""
    t.lammps(MELT + dumps(BASE, modify="eb 0.002") + "run 20\nwrite_restart r")
    t.gpz("decode", "t.gpz", "--format", "lammps", "-o", "t.text")
    t.gpz("encode", "t.text", "-o", "t.gpz", "--eb", "0.002", "--units", "lj")
    assert b"atom_style" not in t.path("t.gpz").read_bytes()
    t.lammps("read_restart r\n" + continued("append yes") + "run 20")
    assert [b["x"] for b in bounds_of(t)] == [0.002] * 3
