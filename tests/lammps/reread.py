# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of rerun and read_dump share: they do the same with a .gpz file as with its exact text."""

import re
import subprocess

from harness import Skip
from systems import MELT

# The output of a rerun shows every digit of what atoms and boxes decide.
THERMO = """
thermo 1
thermo_style custom step atoms pe press pxy lx ly lz xy xz yz
thermo_modify format float %.17g lost ignore
"""
ALL = "id type xu yu zu vx vy vz"


def need_package(t, name):
    known = subprocess.run([t.options.lmp, "-h"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if not re.search(rf"\b{name}\b", known):
        raise Skip(f"LAMMPS was built without the package {name}")


def thermo(output):
    """The lines of all runs that LAMMPS has printed."""
    tables = re.findall(r"^ *Step .*\n((?:.*\n)*?)Loop time", output, re.MULTILINE)
    return [[line.split() for line in table.splitlines()] for table in tables]


def write(
    t, columns="id type x y z vx vy vz ix iy iz", system=MELT, name="t.gpz", modify="", steps=100, more="", ranks=1
):
    """A .gpz file with a frame every 20 steps, and its exact text if it has ids."""
    t.lammps(
        f"{system}{more}\ndump gpz all gpz 20 {name} {columns}\ndump_modify gpz eb 0.001 {modify}\nrun {steps}",
        ranks=ranks,
    )
    return exact_text(t, name) if "id" in columns.split() else None


def exact_text(t, name, text=None, fails=False):
    text = text or name.replace(".gpz", ".text")
    t.gpz("decode", name, "--format", "lammps", "--exact", "--sort", "id", "-o", text, fails=fails)
    return text


def same(t, script, gpz, text, form="format gpz", system=MELT):
    """Runs the script with the .gpz files and with their text. {A}, {B}, {C}, {D} in it are the files, {F} the format, and
    to files whose names begin with {W} it writes atoms. Whatever is printed and written has to be the same to the last
    digit. Returns the tables of runs, and the texts that were written."""
    scripts = []
    for way, files, format in ("gpz", gpz, form), ("text", text, ""):
        names = dict(zip("ABCD", files), F=format, W=f"{way}.out")
        scripts.append(system + THERMO + script.format(**names))
    second = "the same with text"
    outputs = t.lammps(t.in_turn(scripts[0] + f'\nprint "{second}"', scripts[1])).split(second)
    assert len(outputs) == 2, outputs
    results = []
    for way, output in zip(("gpz", "text"), outputs):
        written = [path.read_text() for path in sorted(t.directory.glob(f"{way}.out*"))]
        results.append((thermo(output), written))
    assert results[0] == results[1], "\n".join(map(str, results))
    return results[0]


def same_thermo(t, script, *files, **options):
    tables, _ = same(t, script, *files, **options)
    assert tables and "nan" not in str(tables), tables
    return tables


def same_atoms(t, script, *files, **options):
    _, written = same(t, script, *files, **options)
    assert written and all(written), "no atoms were written"
    return written


def at_rest(system):
    """The system without velocities, to see which are read."""
    return system + "velocity all set 0 0 0\n"
