# SPDX-License-Identifier: BSD-3-Clause
"""Key frames and differences from earlier frames: dump_modify key."""

import argparse
import struct

from harness import DEFAULT_BOUND, Skip, case, read_dump
from systems import BASE, CORNER, FLAT, MELT, TRICLINIC, dumps
from test_append import continued, merged

IMAGES = BASE + " ix iy iz"
VELOCITIES = {c: 0.01 for c in ("vx", "vy", "vz")}


@case(ranks=(1, 2, 4))
def key_interval(t):
    t.lammps(MELT + dumps(IMAGES, every=5, modify="key 4") + "run 45")
    assert t.since_key() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    t.same(frames=10)


@case(ranks=(1, 2))
def key_one(t):
    t.lammps(MELT + dumps(BASE, every=5, modify="key 1") + "run 20")
    assert t.since_key() == [0] * 5
    t.same(frames=5)


@case(ranks=(1, 2))
def key_without_ids(t):
    """Without ids the atoms have no identity: all frames are key frames."""
    t.lammps(MELT + "dump gpz all gpz 5 t.gpz type x y z\nrun 20")
    assert t.since_key() == [0] * 5


@case(ranks=(1, 2))
def key_at_every_run(t):
    """And when it was asked for again."""
    t.lammps(MELT + dumps(BASE, every=10) + "run 20\nrun 20\ndump_modify gpz key 2\nrun 40")
    assert t.since_key() == [0, 1, 2, 0, 1, 0, 1, 0, 1]
    t.same(frames=9)


@case(ranks=(1, 2))
def key_after_append(t):
    t.lammps(MELT + dumps(BASE) + "restart 60 r.*\nrun 100")
    t.lammps("read_restart r.60\n" + continued("append yes") + "run 100")
    assert t.since_key() == [0, 1, 2, 3, 4, 5, 0, 1, 2]
    t.same(custom=merged(t), frames=9)


@case(ranks=(1, 2))
def key_one_file_a_frame(t):
    t.lammps(MELT + f"dump gpz all gpz 5 t.*.gpz {BASE}\nwrite_dump all gpz w.gpz {BASE}\nrun 10")
    for name in ("t.0.gpz", "t.5.gpz", "t.10.gpz", "w.gpz"):
        assert t.since_key(name) == [0], name


@case(ranks=(1, 4))
def key_at_once(t):
    """async no writes the bytes of async yes; several ranks use MPI-IO then."""
    again = f"dump now all gpz 5 now.gpz {IMAGES}\ndump_modify now async no share no\n"
    t.lammps(MELT + dumps(IMAGES, every=5) + again + "run 60")
    t.same_frames("t.gpz", "now.gpz")
    assert max(t.since_key()) == 12
    t.same(frames=13)


@case(ranks=(4,))
def key_one_file_a_rank(t):
    """Each file has difference frames of its own."""
    columns = IMAGES + " vx vy vz"
    velocities = " ".join(f"bound {c} {bound}" for c, bound in VELOCITIES.items())
    t.lammps(MELT + dumps(columns, every=5, gpz="t.%.gpz", modify=velocities) + "run 40")
    original = read_dump(t.path("t.dump"))
    parts = [t.decode(f"t.{rank}.gpz") for rank in range(4)]
    assert all(t.since_key(f"t.{rank}.gpz") == list(range(9)) for rank in range(4))
    for frame, *mine in zip(original, *parts):
        found = {}
        for part in mine:
            found.update(part.atoms)
        assert set(found) == set(frame.atoms), f"step {frame.step}"
        for atom, values in frame.atoms.items():
            for column, bound in {**{c: DEFAULT_BOUND for c in "xyz"}, **VELOCITIES}.items():
                difference = abs(float(found[atom][column]) - float(values[column]))
                assert difference <= bound * (1 + 1e-9), f"step {frame.step}, atom {atom}, {column}: {difference}"


@case(ranks=(1, 2))
def key_atoms_come_and_go(t):
    """Into empty ranks as well."""
    grow = "region top block 4 11 0 6 0 6\nfix grow all deposit 60 1 3 9911 region top near 0.7 attempt 50\n"
    shrink = "fix shrink all evaporate 10 9 corner 4711\nfix nve all nve\n"
    script = "processors * 1 1\n" + CORNER.replace("fix nve all nve\n", "") + grow + shrink
    t.lammps(script + dumps(IMAGES, every=5) + "run 120")
    assert t.since_key() == list(range(25))
    t.same(frames=25)
    counts = {len(frame.atoms) for frame in read_dump(t.path("t.dump"))}
    assert len(counts) > 10, counts


@case(ranks=(1, 2))
def key_group_that_changes(t):
    script = MELT + "region half block 0 2.5 INF INF INF INF\ngroup left dynamic all region half every 5\n"
    t.lammps(script + dumps(IMAGES, every=5, group="left") + "run 60")
    assert t.since_key() == list(range(13))
    t.same(frames=13)


@case()
def key_many_crossings(t):
    """Image flags take less than 3 bits an atom: their key frame and what surrounds a section."""
    script = MELT.replace("create 3.0", "create 9.0")
    others = f"dump bare all gpz 10 bare.gpz {BASE}\n"
    t.lammps(script + dumps(IMAGES, every=10, modify="key 50") + others + "dump_modify bare key 50\nrun 400")
    t.same(frames=41)
    last = read_dump(t.path("t.dump"))[-1]
    assert sum(values["ix"] != "0" for values in last.atoms.values()) > 25
    with_images, without = (t.path(name).stat().st_size for name in ("t.gpz", "bare.gpz"))
    assert (with_images - without) * 8 / (41 * 500) < 3, f"{with_images} and {without} bytes"


@case(ranks=(1, 2))
def key_other_boxes(t):
    systems = {"triclinic": TRICLINIC, "flat": FLAT}
    files = {name: dumps(IMAGES, every=10, gpz=f"{name}.gpz", custom=f"{name}.dump") for name in systems}
    t.lammps(t.in_turn(*(system + files[name] + "run 100" for name, system in systems.items())))
    for name in systems:
        assert t.since_key(f"{name}.gpz") == list(range(11))
        t.same(f"{name}.gpz", f"{name}.dump", frames=11)


@case(ranks=(1, 2))
def key_moving_box(t):
    """The grid of scaled positions moves with the box: since_key counts on, and values keep their bounds, however the chunks are stored."""
    npt = MELT.replace("fix nve all nve", "fix npt all npt temp 1.5 1.5 0.5 iso 2.0 2.0 1.0")
    t.lammps(npt + dumps(IMAGES + " xu yu zu", every=10) + "run 100")
    assert t.since_key() == list(range(11))
    t.same(frames=11)


@case()
def key_refused(t):
    for value in ("0", "-1", "65536"):
        message = t.error(MELT + dumps(BASE, modify=f"key {value}") + "run 0")
        assert message == f"Dump gpz gpz: dump_modify key must be a number from 1 to 65535, not {value}", message


@case(ranks=(1, 2))
def key_smaller(t):
    """A file with difference frames is smaller than one of key frames only."""
    again = f"dump keys all gpz 5 keys.gpz {IMAGES}\ndump_modify keys key 1\n"
    t.lammps(MELT + dumps(IMAGES, every=5) + again + "run 100")
    differences, keys = (t.path(name).stat().st_size for name in ("t.gpz", "keys.gpz"))
    assert differences < 0.75 * keys, f"{differences} and {keys} bytes"
    t.same("keys.gpz", frames=21)


@case(ranks=(1, 2))
def key_order(t):
    """order id stores the same contents in less space."""
    columns = IMAGES + " vx vy vz"
    by_id = f"dump id all gpz 10 id.gpz {columns}\ndump_modify id order id device cpu key 2 bound v* 0.01\n"
    by_place = dumps(columns, every=10, modify="order place effort fast key 2 bound v* 0.01")
    t.lammps(MELT + by_place + by_id + "run 30")
    t.same(frames=4, bounds=VELOCITIES)
    t.same("id.gpz", frames=4, bounds=VELOCITIES)
    assert t.path("id.gpz").stat().st_size < t.path("t.gpz").stat().st_size
    message = t.error(MELT + dumps(BASE, modify="order x") + "run 0")
    assert message == "Dump gpz gpz: dump_modify order must be auto, id, place or memory, not x", message


def features(t, name="t.gpz"):
    """The required features of a file."""
    return struct.unpack_from("<I", t.path(name).read_bytes(), 12)[0]


# "": what is used without dump_modify.
EFFORTS = {"effort fast": 0, "effort standard order place": 0, "": 264, "effort standard": 264, "order memory": 4, "effort dense": 267,
           "effort dense order place": 11}


@case(ranks=(1, 2, 4))
def efforts(t):
    """All efforts store the same contents. The header names what readers have to know."""
    others = "".join(
        f"dump d{k} all gpz 10 d{k}.gpz {IMAGES}\ndump_modify d{k} device cpu key 3 {effort}\n" for k, effort in enumerate(EFFORTS)
    )
    t.lammps(MELT + dumps(IMAGES, every=10) + others + "run 40")
    for k, (effort, expected) in enumerate(EFFORTS.items()):
        name = f"d{k}.gpz"
        assert features(t, name) == expected, effort
        if expected:  # to codings that the reference decoder has
            t.gpz("encode", name, "-o", "plain.gpz", "--effort", "fast")
            name = "plain.gpz"
        t.same(name, frames=5)


@case(ranks=(1, 2))
def effort_without_ids(t):
    t.lammps(MELT + "dump gpz all gpz 5 t.gpz type x y z\ndump_modify gpz effort standard order id device cpu\nrun 20")
    assert features(t) == 0


@case(ranks=(1, 2))
def effort_of_a_file_that_is_continued(t):
    """It keeps to its header, with a warning; a file of more effort takes less."""
    t.lammps(MELT + dumps(BASE, modify="effort fast device cpu") + "restart 60 r.*\nrun 100")
    output = t.lammps("read_restart r.60\n" + continued("append yes effort dense device cpu") + "run 100")
    assert features(t) == 0
    assert "begun with a smaller effort, which is kept" in output
    t.same(custom=merged(t), frames=9)


@case(ranks=(1, 2))
def effort_at_once(t):
    """async no writes the bytes of async yes."""
    again = f"dump now all gpz 5 now.gpz {IMAGES}\ndump_modify now async no share no effort dense device cpu\n"
    t.lammps(MELT + dumps(IMAGES, every=5, modify="effort dense device cpu") + again + "run 30")
    t.same_frames("t.gpz", "now.gpz")


@case()
def effort_refused(t):
    message = t.error(MELT + dumps(BASE, modify="effort strong") + "run 0")
    assert message == "Dump gpz gpz: dump_modify effort must be fast, standard or dense, not strong", message


@case()
def without_mpi(t):
    """A LAMMPS with its own MPI stubs: a dump, and a file that is continued."""
    if not t.options.serial_lmp:
        raise Skip("GPZ_LAMMPS_SERIAL_BINARY is not set")
    t.options = argparse.Namespace(**{**vars(t.options), "lmp": t.options.serial_lmp, "plugin": t.options.serial_plugin})
    output = t.lammps(MELT + dumps(IMAGES, modify="eb 0.002") + "run 20\nwrite_restart r")
    assert "1 by 1 by 1 MPI processor grid" in output, output
    t.lammps("read_restart r\n" + continued("append yes", IMAGES) + "run 20")
    t.same(custom=merged(t), bounds=dict.fromkeys("xyz", 0.002), frames=3)
