# SPDX-License-Identifier: BSD-3-Clause
"""How a simulation was made, as a table: dump_modify provenance."""

import getpass
import re
import socket
import subprocess

from harness import case
from systems import BASE, MELT

TABLES, OBSERVABLES = 0x80000001, 0x80000002
DUMP = f"dump gpz all gpz 10 t.gpz {BASE}\ndump_modify gpz provenance yes\n"


def provenance(frame):
    """[(name, value)]"""
    table = frame["tables"]["provenance"]
    return list(zip(table["name"]["values"], table["value"]["values"]))


@case(ranks=(1, 2))
def provenance_of_a_run(t):
    """With the script that was read, and without the places of files."""
    t.path("half.lammps").write_text("print half\n")
    script = f"{MELT}include {t.directory}/half.lammps\nvariable some equal 1/2/4 # and 3 /5/6\n"
    t.lammps(script + "# read from ~someone/data/x.dat, file:///tmp/y/z\n" + DUMP + "run 20")
    frames = t.context()
    assert [frame["records"] for frame in frames] == [[TABLES], [], []]
    rows = provenance(frames[0])
    facts = dict(rows)
    assert len(facts) == len(rows), "one row of each name"
    assert facts["program"].startswith("LAMMPS ") and facts["units"] == "lj" and facts["atom_style"] == "atomic"
    assert "MOLECULE" in facts["packages"].split() and facts["ranks"] == str(t.ranks)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", facts["date"]), facts["date"]
    assert facts["command"] == " ".join(["lmp", *t.lmp_arguments, "-in in.lammps -log log.lammps"]), facts["command"]
    expected = t.path("in.lammps").read_text()
    for place in (t.directory, str(t.options.plugin).rpartition("/")[0]):
        expected = expected.replace(f"{place}/", "")
    assert facts["input"] == expected.replace("~someone/data/x.dat", "x.dat").replace("///tmp/y/z", "z"), facts["input"]
    assert "1/2/4" in facts["input"] and "3 /5/6" in facts["input"]
    everything = "\n".join(facts.values())
    for secret in (str(t.directory), socket.gethostname(), f"/{getpass.getuser()}/", "/home/"):
        assert secret not in everything, secret


@case()
def provenance_of_scripts(t):
    """The script of the command line and the one that is being read, from a file at standard input as well; none from a pipe."""
    t.path("inner.lammps").write_text(DUMP + "run 0\n")
    t.lammps(MELT + "include inner.lammps")
    inputs = [value for name, value in provenance(t.context()[0]) if name == "input"]
    assert len(inputs) == 2 and inputs[0].endswith("include inner.lammps\n") and inputs[1] == DUMP + "run 0\n", inputs
    script = t.load() + MELT + DUMP + "run 0\n"
    t.path("in.other").write_text(script)
    command = t.command(1, ["-log", "none"])
    for stdin, count in ((t.path("in.other").open(), 1), (subprocess.PIPE, 0)):
        text = {"input": script} if count == 0 else {"stdin": stdin}
        done = subprocess.run(command, cwd=t.directory, text=True, stdout=subprocess.PIPE, **text)
        assert done.returncode == 0, done.stdout
        inputs = [value for name, value in provenance(t.context()[0]) if name == "input"]
        assert len(inputs) == count and all(MELT in value for value in inputs), inputs


@case(ranks=(1, 4))
def provenance_of_every_file(t):
    """Once in each file, the same in all that are written at a time; a run that continues a file adds its own."""
    script = MELT + DUMP + f"dump parts all gpz 10 parts.%.gpz {BASE}\ndump_modify parts provenance yes thermo yes\n"
    script += f"dump steps all gpz 10 steps.*.gpz {BASE}\ndump_modify steps provenance yes topology yes thermo yes\n"
    t.lammps(script + "run 10\nrun 10\nwrite_restart r")
    first = provenance(t.context()[0])
    assert [frame["records"] for frame in t.context()] == [[TABLES], [], []]
    for rank in range(t.ranks):
        frames = t.context(f"parts.{rank}.gpz")
        assert [frame["records"] for frame in frames] == [[TABLES, OBSERVABLES], [OBSERVABLES], [OBSERVABLES]]
        assert [row for row in provenance(frames[0]) if row[0] != "date"] == [row for row in first if row[0] != "date"]
    for step in (0, 10, 20):
        (frame,) = t.context(f"steps.{step}.gpz")
        assert set(frame["tables"]) == {"provenance", "types", "observables"}
    again = "pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\nfix nve all nve\n"
    t.lammps(f"read_restart r\n{again}{DUMP}dump_modify gpz append yes\nrun 20")
    frames = t.context()
    assert [frame["records"] for frame in frames] == [[TABLES], [], [], [TABLES], []]
    assert provenance(frames[2]) == first and "read_restart r" in dict(provenance(frames[3]))["input"]
    t.gpz("verify", "t.gpz")
