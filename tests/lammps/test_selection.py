# SPDX-License-Identifier: BSD-3-Clause
"""Boxes, groups, regions, thresholds, and numbers of atoms."""

from harness import DEFAULT_BOUND, case, read_dump
from systems import BASE, CORNER, FLAT, GENERAL_TRICLINIC, MELT, TRICLINIC, dumps


@case(ranks=(1, 2, 4))
def melt(t):
    t.lammps(MELT + dumps(BASE + " ix iy iz") + "run 100")
    assert t.same(frames=6) == 6 * 500 * 8


@case(ranks=(1, 2))
def triclinic(t):
    t.lammps(TRICLINIC + dumps(BASE) + "fix d all deform 1 xy erate 0.05 x erate 0.01\nrun 100")
    t.same()


@case(ranks=(1, 4))
def general_triclinic(t):
    t.lammps(GENERAL_TRICLINIC + dumps(BASE + " vx vy vz fx", both="triclinic/general yes") + "run 40")
    t.same()
    assert len(read_dump(t.path("t.dump"))[0].box) == 12


@case()
def restricted_in_general_triclinic(t):
    t.lammps(GENERAL_TRICLINIC + dumps(BASE + " vx") + "run 40")
    t.same()


@case(ranks=(1, 2))
def two_dimensions(t):
    t.lammps(FLAT + dumps(BASE + " vx vy") + "run 100")
    t.same()


@case()
def boundaries(t):
    t.lammps(
        "boundary p fs m\n"
        + MELT
        + "fix walls all wall/reflect ylo EDGE yhi EDGE zlo EDGE zhi EDGE\n"
        + dumps(BASE)
        + "run 60"
    )
    t.same()


@case(ranks=(1, 2))
def changing_box(t):
    t.lammps(MELT + "unfix nve\nfix npt all npt temp 1 1 1 iso 0 0 2\n" + dumps(BASE) + "run 60")
    t.same()


@case(ranks=(1, 4))
def group(t):
    t.lammps(MELT + "group some id 3:400:7\n" + dumps("type x id z y vx iz xu", group="some") + "run 40")
    t.same()


@case(ranks=(1, 2))
def region(t):
    t.lammps(MELT + "region ball sphere 3 3 3 2 side in\n" + dumps(BASE + " xs", both="region ball") + "run 40")
    t.same(bounds={"xs": DEFAULT_BOUND / 8.3979})


@case(ranks=(1, 2))
def thresh(t):
    t.lammps(
        MELT + "compute pe all pe/atom\n" + dumps(BASE + " c_pe", both="thresh c_pe < -3.0 thresh x > 1") + "run 40"
    )
    t.same()


@case(ranks=(1, 4))
def nothing_selected(t):
    t.lammps(MELT + "group none empty\n" + dumps(BASE + " vx", group="none") + "run 40")
    assert t.same(frames=3) == 0


@case(ranks=(4,))
def empty_ranks(t):
    t.lammps("processors 4 1 1\n" + CORNER + dumps(BASE + " ix vx proc") + "run 20")
    t.same()


@case(ranks=(1, 4))
def growing(t):
    """Atoms arrive and leave."""
    t.lammps(
        MELT
        + "region top block 1 4 1 4 1 4\ndelete_atoms region top\nregion drain block INF INF INF INF INF 1\n"
        + "fix come all deposit 40 1 3 991 region top near 0.7\nfix go all evaporate 10 2 drain 77\n"
        + dumps(BASE + " vx")
        + "run 100"
    )
    assert len({len(f.atoms) for f in read_dump(t.path("t.dump"))}) > 2
    t.same()
