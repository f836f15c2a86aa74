# SPDX-License-Identifier: BSD-3-Clause
"""Of which atoms energies are: those of logs, and of files of some atoms (docs/format.md, section 11b)."""

import struct

from cli_case import dump_frame
from table_case import TableCase

from gpz_reference import read_file  # found by table_case


class OfWhichAtoms(TableCase):
    """Observables are of all atoms of a system: `Atoms` says how many, where a frame has others, and a unit whether values are per
    atom (docs/format.md, section 11b)."""

    ROWS = "   Step Temp PotEng Ecouple\n0 300 -5 1\n10 301 -6 2\n20 302 -7 3\nLoop time of 1 on 1 procs for 20 steps with {} atoms\n"

    def thermo(self, name, frame=0):
        """{column: (unit, values)}, by the second decoder."""
        (table,) = [table for table in read_file(self.path(name)).frames[frame].tables if table.name == "thermo"]
        return {column.name: (column.unit, column.values) for column in table.columns}

    def observables(self, name):
        """{name: value} of each frame, by the second decoder."""
        return [{o.name: struct.unpack("<d", struct.pack("<Q", o.bits))[0] for o in frame.observables}
                for frame in read_file(self.path(name)).frames]

    def encoded_with(self, log, units=None, dump="t.dump", **options):
        self.write("w.log", log)
        self.gpz("encode", dump, "-o", "w.gpz", "--eb", "0.001", "--log", "w.log", *(("--units", units) if units else ()), **options)
        return self.thermo("w.gpz")

    def test_energies_per_atom(self):
        """As LAMMPS decides: thermo_modify norm, which thermo_style forgets, else the default of the units."""
        rows = self.ROWS.format(12)
        for commands, units, per_atom in (
            ("", "real", False), ("", "lj", True), ("units lj\n", None, True), ("units metal # lj\n", None, False),
            ("units lj\nthermo_modify norm no\n", "lj", False), ("units real\nthermo_modify lost warn &\n  norm yes\n", "real", True),
            ("units lj\nthermo_modify norm no\nthermo_style custom step temp pe\n", None, True),
            ("units real\nthermo_modify norm yes\nclear\nunits real\n", None, False),
            ("units real\nclear\n", None, True), ("variable u index metal\nunits ${u}\nunits metal\n", None, False),
            ("# thermo_modify norm yes\nunits real\nthermo_modify flush yes # norm yes\n", None, False),
        ):
            found = self.encoded_with(commands + rows, units)
            unit = "1/atom" if per_atom else ""
            self.assertEqual({name: unit for name, (unit, _) in found.items()},
                             {"timestep": "", "Temp": "", "PotEng": unit, "Ecouple": ""}, (commands, units))
            self.assertEqual(found["PotEng"][1], [-5, -6, -7])

    def test_runs_that_differ(self):
        """Energies of all atoms, as far as a run says how many it has."""
        two = "   Step PotEng\n0 -5\n10 -6\nLoop time of 1 on 1 procs for 10 steps with 12 atoms\nthermo_modify norm no\n   Step PotEng\n20 -84\n"
        self.assertEqual(self.encoded_with(f"units lj\n{two}")["PotEng"], ("", [-60, -72, -84]))
        found = self.encoded_with("units lj\n" + two.replace(" with 12 atoms", ""), err="w.log: line 3: energies per atom of a run "
                                  "without a number of atoms, next to runs with energies of all atoms; those of 2 rows left out")["PotEng"]
        self.assertEqual((found[0], [str(value) for value in found[1]]), ("", ["nan", "nan", "-84.0"]))
        # A run that another replaces decides nothing.
        again = "units lj\nthermo_modify norm no\nStep PotEng\n0 -60\n10 -70\nLoop time of 1\nthermo_modify norm yes\nTemp PotEng Step\n"
        again = again.replace("Temp", "Per MPI rank memory allocation (min/avg/max) = 3 | 3 | 3 Mbytes\n   Temp") + "300 -5 0\n301 -6 10\n"
        found = self.encoded_with(again, err="w.log: line 10: the steps go back from 10 to 0: 2 rows of earlier runs left out, the first in "
                                             "line 4")
        self.assertEqual(found, {"timestep": ("", [0, 10]), "PotEng": ("1/atom", [-5, -6]), "Temp": ("", [300, 301])})

    def test_a_dump_of_some_atoms(self):
        """The log says how many atoms the run has."""
        for log, atoms in ((self.ROWS.format(12), None), (self.ROWS.format(40), 40),
                           ("units real\n" + self.ROWS.format(40) + "Step Temp\n30 4\n", 40)):
            found = self.encoded_with(log, "real")
            self.assertEqual(found.get("Atoms", (None, None))[1], None if atoms is None else [atoms] * len(found["Temp"][1]))
            self.write("a.gpz", self.read("plain.gpz"))
            self.gpz("annotate", "a.gpz", "--log", "w.log", err=None)
            self.assertEqual(str(self.thermo("a.gpz")), str(found))
        # Of the frames, the second one has fewer.
        frames = [self.frame(0), dump_frame(10, [(1, 1, 0.5, 0.5, 0.5)]), self.frame(20)]
        self.write("v.dump", "".join(frames))
        self.encoded_with(self.ROWS.format(12), "real", "v.dump")
        self.assertEqual([frame.get("Atoms") for frame in self.observables("w.gpz")], [None, 12, 12])

    def test_select_of_some_atoms(self):
        self.encoded_with(self.ROWS.format(12), "real")
        log = self.observables("w.gpz")
        self.write("x.extxyz", "".join(
            f'4\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 energy=-{k}.5 Temp=7\nAr 1 2 3\nAr 4 2 3\nNe 1 5 3\nNe 1 2 6\n'
            for k in range(3)))
        self.gpz("encode", "x.extxyz", "-o", "x.gpz", "--eb", "0.001", err=None)
        of_frames = self.observables("x.gpz")
        self.assertEqual([frame["energy"] for frame in of_frames], [-0.5, -1.5, -2.5])
        for name, atoms, given in (("w.gpz", 12, log), ("x.gpz", 4, of_frames)):
            for choice in (("--types", "1"), ("--region", ":,:,0:1")) + ((("--ids", "1:3"),) if name == "w.gpz" else ()):
                self.gpz("select", name, "-o", "s.gpz", *choice, out=None)
                self.gpz("select", "-", "-o", "p.gpz", *choice, out=None, stdin=self.read(name))
                expected = [frame | {"Atoms": atoms} for frame in given]
                self.assertEqual((self.observables("s.gpz"), self.observables("p.gpz")), (expected, expected), choice)
                # A part of a part is one of the same whole.
                self.gpz("select", "s.gpz", "-o", "q.gpz", "--frames", "1:", "--region", ":,:,:", out=None)
                self.assertEqual(self.observables("q.gpz"), expected[1:])
        # Without a choice of atoms, records keep their bytes.
        self.gpz("select", "x.gpz", "-o", "s.gpz", "--frames", "1:", out=None)
        self.assertEqual(self.observables("s.gpz"), of_frames[1:])

    def test_extended_xyz_of_some_atoms(self):
        """It has the energy of all atoms where it has all, from a log with energies per atom too."""
        self.encoded_with("units lj\n" + self.ROWS.format(12))
        self.gpz("select", "w.gpz", "-o", "s.gpz", "--types", "1", out=None)

        def comments(name, *arguments, **options):
            self.gpz("decode", name, "-o", "o.extxyz", "--format", "extxyz", *arguments, **options)
            return [dict(word.split("=") for word in line.split() if word.startswith(("energy=", "Temp=", "Ecouple=", "Atoms=")))
                    for line in self.text("o.extxyz").split("\n") if "Properties" in line]

        expected = [{"Temp": f"{300 + k}", "Ecouple": f"{1 + k}"} for k in range(3)]
        energies = [{"energy": f"{energy}"} for energy in (-60, -72, -84)]
        self.assertEqual(comments("w.gpz"), [one | energy for one, energy in zip(expected, energies)])
        for name, arguments in (("s.gpz", ()), ("w.gpz", ("--types", "1"))):
            note = f"{name}: left out, because they are those of 12 atoms, of which frames have 4: PotEng"
            self.assertEqual(comments(name, *arguments, err=note), [one | {"Atoms": "12"} for one in expected])

    def test_parts_and_the_whole(self):
        """All parts merged have the observables of the whole again, and a frame as many atoms as these are of."""
        self.encoded_with(self.ROWS.format(12), "real")
        for name, ids in (("a", "1:5"), ("b", "6:")):
            self.gpz("select", "w.gpz", "-o", f"{name}.gpz", "--ids", ids, out=None)
        self.gpz("merge", "a.gpz", "b.gpz", "-o", "m.gpz", out=None)
        self.assertEqual([frame.particles for frame in read_file(self.path("m.gpz")).frames], [12] * 3)
        self.assertEqual(self.observables("m.gpz"), [frame | {"Atoms": 12} for frame in self.observables("w.gpz")])

    def test_the_number_of_atoms_changes(self):
        """Each frame has that of its own, also where all observables are in one table."""
        frames = [self.frame(0), dump_frame(10, [(k, 1, k, 0.5, 0.5) for k in range(1, 6)]), self.frame(20)]
        self.write("v.dump", "".join(frames))
        self.encoded_with(self.ROWS.split("Loop")[0], "real", "v.dump")
        self.gpz("select", "w.gpz", "-o", "s.gpz", "--ids", "1:2", out=None)
        self.gpz("select", "-", "-o", "p.gpz", "--ids", "1:2", out=None, stdin=self.read("w.gpz"))
        for name in ("s.gpz", "p.gpz"):
            self.assertEqual([frame["Atoms"] for frame in self.observables(name)], [12, 5, 12])
