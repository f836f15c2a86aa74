# SPDX-License-Identifier: BSD-3-Clause
"""Ranks with few atoms, which make a chunk together: dump_modify share."""

import struct

from faults import NAMES, each, some
from harness import Skip, case, read_dump
from systems import BASE, CORNER, MELT, TRICLINIC, dumps
from test_append import continued, merged
from test_async import parts_are_the_whole, two_hosts
from test_faults import allocations_fail, at_most, failed, killed, of_the_dump, rank_dies, survived

IMAGES = BASE + " ix iy iz"


def chunks(t, name="t.gpz"):
    """How many chunks each frame has (docs/format.md, section 3)."""
    return [struct.unpack_from("<I", record, 24 + 3 * 8 + 8 + 12 * 8 + 4)[0] for record in t.frame_records(name)]


def alone(columns, every, modify="", name="alone.gpz"):
    """Another dump, in which each rank makes its own chunk."""
    return f"dump alone all gpz {every} {name} {columns}\ndump_modify alone share no {modify}\n"


@case(ranks=(2, 4, 8))
def share_one_chunk(t):
    """The atoms and values of a file in which each rank has a chunk, to the last bit, in less space."""
    output = t.lammps(MELT + dumps(IMAGES, every=5, share="auto") + alone(IMAGES, 5) + "run 60")
    assert f"\n  {t.ranks} ranks make 1 chunk of a frame\n" in output, output
    assert chunks(t) == [1] * 13 and chunks(t, "alone.gpz") == [t.ranks] * 13
    t.same(frames=13)
    assert t.since_key() == list(range(13))
    t.decode("alone.gpz")
    assert t.path("t.gpz.text").read_bytes() == t.path("alone.gpz.text").read_bytes()
    assert t.path("t.gpz").stat().st_size < 0.9 * t.path("alone.gpz").stat().st_size
    t.gpz("verify", "t.gpz")


@case()
def share_one_rank(t):
    assert " make " not in t.lammps(MELT + dumps(BASE, share="auto") + "run 20")
    assert chunks(t) == [1, 1]


@case(ranks=(8,))
def share_number(t):
    """500 atoms, of which no rank has half of 200 or more than 1. The default is auto."""
    expected = {"500": 1, "250": 2, "200": 3, "2": 8, "1": 8, "no": 8, "auto": 1}
    others = "".join(
        f"dump d{share} all gpz 20 {share}.gpz {BASE}\ndump_modify d{share} share {share}\n" for share in expected
    )
    t.lammps(MELT + f"dump default all gpz 20 default.gpz {BASE}\n" + dumps(BASE) + others + "run 20")
    for share, number in expected.items():
        assert chunks(t, f"{share}.gpz") == [number] * 2, share
        t.same(f"{share}.gpz", frames=2)
    assert chunks(t, "default.gpz") == [1, 1]


@case()
def share_refused(t):
    for value in ("0", "-1", "16777217"):
        message = t.error(MELT + dumps(BASE, modify=f"share {value}") + "run 0")
        expected = f"Dump gpz gpz: dump_modify share must be auto, no or a number from 1 to 16777216, not {value}"
        assert message == expected, message
    assert "instead of 'some'" in t.error(MELT + dumps(BASE, modify="share some") + "run 0")


@case(ranks=(2, 4))
def share_at_once(t):
    """async no, and MPI-IO for two hosts, write the bytes of async yes."""
    now = f"dump now all gpz 5 now.gpz {IMAGES}\ndump_modify now async no share 300\n"
    script = MELT + dumps(IMAGES, every=5, share="300") + now + "run 60"
    t.lammps(script)
    t.same_frames("t.gpz", "now.gpz")
    t.same(frames=13)
    if t.options.two_hosts:
        before = t.frame_records("t.gpz")
        t.lammps(script, wrapper=two_hosts(t, first=1))
        assert t.frame_records("t.gpz") == before == t.frame_records("now.gpz")


@case(ranks=(2, 4))
def share_selection(t):
    """Some atoms of each rank, columns of all kinds and widths."""
    columns = IMAGES + " mol proc q mass vx c_energy xs"
    full = MELT.replace("units lj\n", "units lj\natom_style full\n")
    energy = "compute energy all ke/atom\ngroup some id 1:300:2 310:500:3\n"
    t.lammps(full + energy + dumps(columns, group="some", both="thresh x > 2 pbc yes", share="auto") + "run 60")
    assert chunks(t) == [1] * 4
    t.same(frames=4, bounds={"xs": 0.0005 / read_dump(t.path("t.dump"))[0].box[1] * (1 + 1e-12)})


@case(ranks=(2, 4))
def share_triclinic(t):
    t.lammps(TRICLINIC + dumps(IMAGES, every=10, share="300") + "run 100")
    assert chunks(t) == [2] * 11
    t.same(frames=11)


@case(ranks=(2, 4))
def share_order_and_effort(t):
    efforts = ("order id", "order id effort dense", "effort dense")
    both = ""
    for n, modify in enumerate(efforts):
        for name, share in ((f"shared{n}", "auto"), (f"alone{n}", "no")):
            both += f"dump {name} all gpz 10 {name}.gpz {IMAGES}\n"
            both += f"dump_modify {name} share {share} {modify} device cpu key 3\n"
    t.lammps(MELT + dumps(IMAGES, every=10) + both + "run 50")
    for n, modify in enumerate(efforts):
        # to codings that the reference decoder has
        t.gpz("encode", f"shared{n}.gpz", "-o", f"plain{n}.gpz", "--effort", "fast")
        t.same(f"plain{n}.gpz", frames=6)
        assert t.path(f"shared{n}.gpz").stat().st_size < t.path(f"alone{n}.gpz").stat().st_size, modify


@case(ranks=(2, 4))
def share_without_ids(t):
    t.lammps(MELT + "dump gpz all gpz 5 t.gpz type x y z\nrun 20")
    assert t.since_key() == [0] * 5 and chunks(t) == [1] * 5


@case(ranks=(2, 4))
def share_one_file_a_frame(t):
    t.lammps(MELT + f"dump gpz all gpz 5 t.*.gpz {BASE}\nwrite_dump all gpz w.gpz {BASE}\nrun 10")
    for name in ("t.0.gpz", "t.5.gpz", "t.10.gpz", "w.gpz"):
        assert chunks(t, name) == [1], name
        t.decode(name)


@case(ranks=(4,))
def share_files_of_groups(t):
    """Each file has chunks of its own ranks."""
    all_ranks = f"dump ranks all gpz 5 u.%.gpz {BASE}\n"
    t.lammps(MELT + dumps(BASE, every=5, gpz="t.%.gpz", modify="nfile 2", share="auto") + all_ranks + "run 20\nrun 20")
    for part in range(2):
        assert chunks(t, f"t.{part}.gpz") == [1] * 9
        assert t.since_key(f"t.{part}.gpz") == [0, 1, 2, 3, 4, 0, 1, 2, 3]
    parts_are_the_whole(t, ["t.0.gpz", "t.1.gpz"])
    parts_are_the_whole(t, [f"u.{rank}.gpz" for rank in range(4)])


@case(ranks=(2, 4))
def share_append(t):
    """A file can be continued with other chunks."""
    ways = {f"{first}.{then}.gpz": (first, then) for first, then in (("auto", "auto"), ("no", "auto"), ("auto", "no"))}
    begin, go_on = "", ""
    for n, (name, (first, then)) in enumerate(ways.items()):
        dump = f"dump d{n} all gpz 20 {name} {BASE}\ndump_modify d{n} share "
        begin += f"{dump}{first}\n"
        go_on += f"{dump}{then} append yes\n"
    t.lammps(MELT + dumps(BASE) + begin + "restart 60 r.*\nrun 100")
    t.lammps("read_restart r.60\n" + continued("append yes") + go_on + "run 100")
    for name, (first, then) in ways.items():
        expected = [1 if share == "auto" else t.ranks for share in [first] * 6 + [then] * 3]
        assert chunks(t, name) == expected, f"{name}: {chunks(t, name)}"
        t.same(name, custom=merged(t), frames=9)


@case(ranks=(2, 4))
def share_can_be_changed(t):
    """Between runs, also where LAMMPS does not begin anew: then there is a key frame."""
    changes = "dump_modify gpz share no\nrun 20\ndump_modify gpz share auto\nrun 20 pre no\nrun 20 pre no\n"
    t.lammps(MELT + dumps(BASE, every=10, share="auto") + "run 20\n" + changes)
    assert chunks(t) == [1] * 3 + [t.ranks] * 2 + [1] * 4, chunks(t)
    assert t.since_key() == [0, 1, 2, 0, 1, 0, 1, 2, 3], t.since_key()
    t.same(frames=9)


@case(ranks=(2, 4))
def share_several_dumps(t):
    """Each chooses for itself."""
    others = f"group few id 1:40\ndump few few gpz 5 few.gpz {BASE}\n" + alone(BASE, 5)
    t.lammps(MELT + dumps(BASE, every=5, share="60") + others + "run 40")
    assert chunks(t) == [t.ranks] * 9 and chunks(t, "few.gpz") == [1] * 9
    t.same(frames=9)
    few = t.decode("few.gpz")
    original = read_dump(t.path("t.dump"))
    for mine, theirs in zip(few, original, strict=True):
        assert set(mine.atoms) == {str(n) for n in range(1, 41)}
        for atom, values in mine.atoms.items():
            assert all(abs(float(values[c]) - float(theirs.atoms[atom][c])) <= 0.000501 for c in "xyz")


@case(ranks=(2, 4, 8))
def share_atoms_come_and_go(t):
    """Ranks become empty and are filled: at key frames other ranks share."""
    grow = "region top block 4 11 0 6 0 6\nfix grow all deposit 200 1 3 9911 region top near 0.7 attempt 50\n"
    shrink = "fix shrink all evaporate 2 9 corner 4711\n"
    script = "processors * 1 1\n" + CORNER.replace("fix nve all nve\n", "") + grow + shrink + "fix nve all nve\n"
    t.lammps(script + dumps(IMAGES, every=5, modify="key 5", share="60") + "run 150")
    assert t.since_key() == [n % 5 for n in range(31)]
    t.same(frames=31)
    found = chunks(t)
    assert all(found[n] == found[n - n % 5] for n in range(31)), found
    if t.ranks > 2:
        assert len(set(found)) > 1, found


@case(ranks=(2, 4))
def share_rank_that_loses_all(t):
    lose = "region right block 2.5 INF INF INF INF INF\ndelete_atoms region right\n"
    again = "region middle block 3.2 4.3 INF INF INF INF\ncreate_atoms 1 region middle\nvelocity all create 3.0 4711 loop geom\n"
    t.lammps("processors * 1 1\n" + MELT + dumps(BASE, every=10, share="auto") + "run 20\n" + lose + "run 20\n" + again + "run 20")
    t.same(frames=7)
    assert chunks(t) == [1] * 7


@case(ranks=(2, 4))
def share_killed_at_writes(t):
    for faults in each(t, NAMES[:1], "auto"):
        writes = [call for call in faults.calls if call.kind == "write"]
        for n, call in enumerate(some(writes, at_most(t, 4))):
            action = ("kill-before", "kill-half", "kill-after")[n % 3]
            faults.case(f"SIGKILL, {action}", call, lambda: killed(faults, call, action))


@case(ranks=(2, 4))
def share_failing_calls(t):
    for faults in each(t, NAMES[:1], "auto"):
        for n, call in enumerate(some(of_the_dump(faults), at_most(t, 6))):
            action, following = (("ENOSPC", True), ("EIO", False), ("EAGAIN", False))[n % 3]
            faults.case(f"{action} in {call.kind}", call, lambda: failed(faults, call, action, following))
            faults.case(f"EINTR in {call.kind}", call, lambda: survived(faults, call, "EINTR"))


@case(ranks=(2, 4))
def share_rank_dies(t):
    """What ranks of a chunk tell each other, and their atoms."""
    rank_dies(t, ("Allgather", "Gatherv"), at_most=2, share="auto")


@case(ranks=(2,))
def share_failing_allocations(t):
    """Of the rank that makes the chunk, and of the other: all ranks end."""
    if not t.options.alloc_faults:
        raise Skip("needs Linux")
    for faults in each(t, NAMES[:1], "auto"):
        if faults.hosts == 1:
            for rank in range(2):
                allocations_fail(faults, rank)
