# SPDX-License-Identifier: BSD-3-Clause
"""Every run that all programs which read .gpz are compared with (tests/clients), read by rerun and read_dump."""

import os
import sys
from pathlib import Path

from harness import case, compare, read_dump
from reread import THERMO, exact_text, need_package, thermo

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))
import runs  # noqa: E402

FIELDS = "x y z vx vy vz q ix iy iz fx fy fz"


def settings(run, frame):
    """A potential in which every atom counts, and the atoms of the first frame, read by LAMMPS from its text."""
    flat = run.name in ("two_dimensional", "no_z")
    tilted = frame.boundary[0] == "xy"
    charges = "q" in frame.columns
    sigma, cutoff = (1.0, 2.5) if run.units == "lj" else (3.0, 8.0)
    box = ("prism 0 9 0 9 {0} 0 0 0" if tilted else "block 0 9 0 9 {0}").format("-0.25 0.25" if flat else "0 9")
    return f"""
units {run.units}
dimension {2 if flat else 3}
boundary {" ".join(frame.boundary[-3:])}
atom_style {"charge" if charges else "atomic"}
atom_modify map array
region box {box}
create_box 2 box
mass * 1.0
pair_style {"lj/cut/coul/cut" if charges else "lj/cut"} {cutoff}
pair_coeff * * 0.01 {sigma}
fix nve all nve
read_dump {run.text} {frame.step} {"x y" if flat else "x y z"} purge yes replace no add keep
"""


def fields(run, frame):
    present = [name for name in FIELDS.split() if name in frame.columns]
    for axis in "xyz":  # LAMMPS finds scaled and unwrapped ones by itself
        if axis not in present and {axis + "s", axis + "u"} & set(frame.columns):
            present.append(axis)
    if run.name in ("two_dimensional", "no_z"):
        present = [name for name in present if "z" not in name]
    return " ".join(present)


def compare_run(t, name):
    os.environ["LAMMPS_BINARY"] = t.options.lmp
    if t.options.plugin:
        os.environ["GPZ_PLUGIN"] = t.options.plugin
    os.environ["GPZ_MPIEXEC"] = t.options.mpiexec
    if name == "fields":
        need_package(t, "MOLECULE")
    run = runs.make(name, t.options.runs)
    original = read_dump(run.text)
    system = settings(run, original[0])
    columns = fields(run, original[0])
    varying = len({len(frame.atoms) for frame in original}) > 1
    atoms = " purge yes replace no add keep" if varying else ""
    parts = f" nfile {len(run.parts)}" if len(run.parts) > 1 else ""

    for part in run.parts:
        exact_text(t, str(part), part.stem + ".text", fails=run.torn)
    step = original[6].step
    written = [column for column in columns.split() if column not in ("x", "y", "z", "ix", "iy", "iz")]
    ways = {
        "gpz": (run.gpz, " format gpz"),
        "text": (run.gpz.stem + ".text", ""),
        "original": (run.text, ""),
    }
    tables = {}
    for way, (file, form) in ways.items():
        several = parts if way != "original" else ""
        output = t.lammps(
            f"{system}{THERMO}read_dump {file} {step} {columns}{atoms}{several}{form}\n"
            f"write_dump all custom {way}.out id type xu yu zu {' '.join(written)} modify sort id format float %.17g\n"
            f"rerun {file} dump {columns}{atoms}{several}{form}"
        )
        tables[way] = thermo(output)
    assert tables["gpz"] == tables["text"], f"{tables['gpz']}\n{tables['text']}"
    steps = [str(frame.step) for frame in original][: -1 if run.torn else None]
    assert [row[0] for row in tables["gpz"][0]] == steps
    assert len({row[2] for row in tables["gpz"][0]}) == len(steps), "energies do not change"
    assert t.path("gpz.out").read_text() == t.path("text.out").read_text()
    rounding = 1e-12  # LAMMPS moves atoms through the periodic faces, and back
    bounds = {column: bound + rounding for column, bound in run.bounds.items()}
    got, expected = (read_dump(t.path(f"{way}.out")) for way in ("gpz", "original"))
    if "ss" in expected[0].boundary:  # LAMMPS moves these faces to the outermost atoms
        assert all(abs(a - b) <= bounds["x"] for a, b in zip(got[0].box, expected[0].box))
        got[0].box = expected[0].box
    compare(got, expected, bounds)


def register(name):
    def reread_run(t):
        compare_run(t, name)

    reread_run.__name__ = "reread_" + name
    case()(reread_run)


for each in runs.NAMES:
    register(each)
