# SPDX-License-Identifier: BSD-3-Clause
"""Small systems for the cases, as LAMMPS commands."""

BASE = "id type x y z"  # columns

LJ = """
pair_style lj/cut 2.5
pair_coeff * * 1.0 1.0 2.5
velocity all create 3.0 87287 loop geom
fix nve all nve
thermo 100
"""

MELT = """
units lj
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 2 box
create_atoms 1 box
set group all type/fraction 2 0.3 4711
mass * 1.0
""" + LJ

TRICLINIC = MELT.replace("region box block 0 5 0 5 0 5", "region box prism 0 5 0 5 0 5 1.5 0.7 -0.9")

GENERAL_TRICLINIC = """
units lj
lattice custom 1.0 a1 1.6 0.1 0.2 a2 0.3 1.5 -0.1 a3 -0.2 0.4 1.7 basis 0 0 0 basis 0.5 0.5 0.5 triclinic/general
create_box 2 NULL 0 5 0 5 0 5
create_atoms 1 box
mass * 1.0
""" + LJ

FLAT = """
units lj
dimension 2
lattice sq2 0.8442
region box block 0 20 0 20 -0.25 0.25
create_box 2 box
create_atoms 1 box
mass * 1.0
""" + LJ + "fix flat all enforce2d\n"

# Three quarters of the box are empty.
CORNER = """
units lj
lattice fcc 0.8442
region box block 0 12 0 6 0 6
region corner block 0 3 0 6 0 6
create_box 2 box
create_atoms 1 region corner
mass * 1.0
""" + LJ


def dumps(columns, every=20, gpz="t.gpz", custom="t.dump", group="all", both="", modify="", share="no"):
    """One dump in both formats. dump_modify arguments: `both` for both, `modify` for the .gpz file alone. Systems are so small
    that ranks would share a chunk; unless `share` lets them, each makes its own, as it does where it has more atoms."""
    commands = [
        f"dump gpz {group} gpz {every} {gpz} {columns}",
        f"dump_modify gpz share {share}",
        f"dump custom {group} custom {every} {custom} {columns}",
        "dump_modify custom sort id format float %.17g",
    ]
    if both:
        commands += [f"dump_modify gpz {both}", f"dump_modify custom {both}"]
    if modify:
        commands.append(f"dump_modify gpz {modify}")
    return "\n".join(commands) + "\n"
