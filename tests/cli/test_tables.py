# SPDX-License-Identifier: BSD-3-Clause
"""Topology, masses, charges and thermodynamic output: from LAMMPS's data files and logs into .gpz files, through the commands that
copy frames, and back to data files (docs/format.md, sections 11a and 11b)."""

import json
import struct

from cli_case import NUMBERED, CliCase, dump_frame
from test_other_records import records

from gpz_reference import read_file
from gpz_reference.xxh3 import xxh3_64  # found by test_other_records

TABLES_TYPE = 1 << 31 | 1
WATERS = 4

# Two types, an atom style that the line `Atoms` names, rows in any order, and comments.
DATA = """LAMMPS data file by hand, timestep = 0, units = real

12 atoms
8 bonds
4 angles
2 atom types
1 bond types
1 angle types

0.0 10.0 xlo xhi
0 10 ylo yhi
0 10 zlo zhi

Masses

1 15.9994  # O
2 1.008    # H

Pair Coeffs # lj/cut

1 0.1 3.1
2 0 0

Atoms # full

""" + "".join(
    f"{3 * m + k + 1} {m + 1} {1 if k == 0 else 2} {-0.82 if k == 0 else 0.41} {m}.5 {k}.25 {m + k}.125 0 0 0\n"
    for k in (2, 0, 1) for m in range(WATERS)
) + "\nBonds\n\n" + "".join(
    f"{i + 1} 1 {3 * m + 1} {3 * m + 1 + h}\n" for i, (h, m) in enumerate((h, m) for h in (2, 1) for m in range(WATERS))
) + "\nAngles\n\n" + "".join(f"{m + 1} 1 {3 * m + 2} {3 * m + 1} {3 * m + 3}\n" for m in reversed(range(WATERS)))

LOG = """LAMMPS (22 Jul 2025)
thermo 10
Setting up Verlet run ...
   Step          Temp          PotEng    
         0   300           -12.5        
        10   301.25        -12.25       
Loop time of 0.1 on 1 procs for 10 steps with 12 atoms
   Step          Temp          Press     
        10   301.25        7            
WARNING: something between rows (src/x.cpp:1)
        20   299.5         -1.5e-3      
Loop time of 0.1 on 1 procs for 10 steps with 12 atoms
"""


class TableCase(CliCase):
    def setUp(self):
        super().setUp()
        self.write("t.dump", "".join(self.frame(10 * k) for k in range(3)))
        self.write("t.data", DATA)
        self.write("t.log", LOG)
        self.gpz("encode", "t.dump", "-o", "plain.gpz", "--eb", "0.001", "--units", "real")

    @staticmethod
    def frame(timestep):
        rows = [(3 * m + k + 1, 1 if k == 0 else 2, m + 0.5 + timestep / 100, k + 0.25, m + k + 0.125)
                for m in range(WATERS) for k in range(3)]
        return dump_frame(timestep, rows, "id type x y z")

    def info(self, name):
        info = json.loads(self.gpz("info", name, "--json", out=None))
        return {table["name"]: (table["rows"], table["columns"]) for table in info["tables"]}, info

    TABLES = {
        "atoms": (12, ["id", "type", "mol", "q"]),
        "bonds": (8, ["type", "atom1", "atom2"]),
        "angles": (4, ["type", "atom1", "atom2", "atom3"]),
        "types": (2, ["type", "mass"]),
        "thermo": (3, ["timestep", "Temp", "PotEng", "Press"]),
    }


class Encode(TableCase):
    def test_data_and_log(self):
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--units", "real", "--data", "t.data", "--log", "t.log")
        tables, info = self.info("t.gpz")
        self.assertEqual(tables, self.TABLES)
        self.assertEqual([o["name"] for o in info["observables"]], ["Temp", "PotEng", "Press"])
        text = self.gpz("info", "t.gpz", out=None).decode()
        self.assertIn("  tables      angles 4, atoms 12 (id type mol q), bonds 8, thermo 3 (timestep Temp PotEng Press), "
                      "types 2 (type mass)\n  observables Temp PotEng Press\n", text)
        for name in ("t.gpz", "plain.gpz"):
            self.gpz("decode", name, "-o", name + ".dump", "--format", "lammps", "--exact", "--sort", "id")
        self.assertEqual(self.text("t.gpz.dump"), self.text("plain.gpz.dump"))
        # Encoded again, it keeps its tables.
        self.gpz("encode", "t.gpz", "-o", "again.gpz")
        self.assertEqual(self.info("again.gpz")[0], self.TABLES)

    def test_wrong_data_files(self):
        def refused(code, err, text, *arguments):
            self.write("bad.data", text)
            self.gpz("encode", "t.dump", "-o", "bad.gpz", "--eb", "0.1", "--data", "bad.data", *arguments, code=code, err=err)
            self.assert_files("bad.data", "plain.gpz", "t.data", "t.dump", "t.log")

        refused(4, "bad.data: no LAMMPS data file: no line says how many atoms there are", "title\n\n")
        refused(2, "bad.data: the line 'Atoms' does not name the atom style; give it, e.g. --atom-style full",
                DATA.replace("Atoms # full", "Atoms"))
        refused(4, "bad.data: line 38: the section Atoms has fewer rows than the 13 atoms of the header",
                DATA.replace("12 atoms", "13 atoms"))
        refused(5, None, DATA[:DATA.rindex("\n1 1 2 1 3") + 1])
        refused(4, None, DATA.replace("\n5 1 1 2\n", "\n5 1 1 x\n"))
        refused(4, "bad.data: two atoms have id 1", DATA.replace("\n4 2 1 -0.82", "\n1 2 1 -0.82"))

    def test_data_of_another_system(self):
        """encode refuses it as annotate does, and leaves no file."""
        lines = DATA.splitlines(keepends=True)
        row = next(line for line in lines if line.startswith("5 2 "))
        self.write("lacks.data", DATA.replace("12 atoms", "11 atoms").replace(row, ""))
        says = "lacks.data: has no atom with id 5, which is in the first frame"
        for source in ("t.dump", "plain.gpz"):
            self.gpz("encode", source, "-o", "e.gpz", "--eb", "0.1", "--data", "lacks.data", code=7, err=says)
        with open(self.path("plain.gpz"), "rb") as file:  # a pipe has no columns of its own
            self.gpz("encode", "-", "-o", "e.gpz", "--format", "gpz", "--data", "lacks.data", code=7, err=says, stdin=file.read())
        self.gpz("annotate", "plain.gpz", "--data", "lacks.data", code=7, err=says)
        self.assert_files("lacks.data", "plain.gpz", "t.data", "t.dump", "t.log")
        self.write("more.data", DATA.replace("12 atoms", "13 atoms").replace("\nBonds", "13 5 2 0 1 1 1 0 0 0\n\nBonds"))
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.1", "--data", "more.data")

    def test_what_is_left_over_in_data_files(self):
        def refused(old, new, err, code=4):
            self.assertIn(old, DATA)
            self.write("bad.data", DATA.replace(old, new, 1))
            self.gpz("encode", "t.dump", "-o", "bad.gpz", "--eb", "0.1", "--data", "bad.data", code=code, err=f"bad.data: {err}")

        refused("\nBonds\n\n", "\nBonds\n", "line 39: the section Bonds needs a blank line behind its name")
        refused("\nMasses\n\n", "\nMasses # of types\n", "line 14: the section Masses needs a blank line behind its name")
        refused("12 atoms", "11 atoms", "line 37: '11 4 2 0.41 3.5 1.25 4.125 0 0 0' behind the rows of the section Atoms, of which "
                "the header has 11")
        refused("8 bonds", "8 bonds\n9 bonds", "line 5: '9 bonds', and a line in front says 8")
        refused("12 atoms", "-12 atoms", "line 3: '-12 atoms' is no number of atoms")
        refused("12 atoms", "12 13 atoms", "line 3: '12 13 atoms': 2 numbers where 1 is expected")
        refused("0 10 zlo zhi", "0 zlo zhi", "line 12: '0 zlo zhi': 1 number where 2 are expected")
        refused(" 0 0 0\n", " 0 0 x\n", "line 26: 'x' is no number")
        refused("\n5 1 1 2\n", "\nfive 1 1 2\n", "line 45: 'five' is no integer")
        refused("1 15.9994  # O", "1 15.9994 O", "line 16: a row of Masses with 3 words where 2 are expected")
        refused(" 0 0 0\n", " 0 0\n", "line 26: a row of Atoms with 9 words where 7 or 10 are expected; is it the right atom style?")
        refused("\n5 1 1 2\n", "\n5 1 1 2 3\n", "line 45: a row of Bonds with 5 words where 4 are expected")
        refused("\nMasses", "\nmore text\n\nMasses", "line 14: 'more text' is no line of the header and no section")
        for labels, line, label, number in (("1 O\n1 H", 17, "H", 1), ("1 O\n2 O", 17, "O", 2)):
            refused("\nMasses", f"\nAtom Type Labels\n\n{labels}\n\nMasses",
                    f"line {line}: a second label of type {number}, or a second type with the label {label}")

    def test_unknown_parts_of_data_files(self):
        """They are named, and left out; sections of LAMMPS that gpz does not need are not."""
        for old, new, note in (
                ("Masses", "Tags\n\n1 a b\n2 c d\n\nMasses", "the section Tags is not known, and left out"),
                ("Masses", "Velocities\n\n1 0 0 0\n\nMasses", ""),
                ("12 atoms", "12 atoms\n3 crossterms", "'3 crossterms' in the header is not known, and left out"),
                ("12 atoms", "12 atoms\n2 extra bond per atom\n0 0 0 xy xz yz", "")):
            self.write("u.data", "\ufeff" + DATA.replace(old, new, 1))
            self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "u.data", err=f"u.data: {note}" if note else "")
            self.assertEqual(self.info("t.gpz")[0]["atoms"], self.TABLES["atoms"])

    def test_a_section_with_another_name(self):
        self.write("u.data", DATA.replace("Angles\n", "Angels\n"))
        self.gpz("encode", "t.dump", "-o", "e.gpz", "--eb", "0.001", "--data", "u.data", code=4,
                 err="u.data: the section Angels is not known, and left out\n"
                     "gpz: u.data: the header says 4 angles, and there is no section Angles")

    def test_atom_style_by_name(self):
        self.write("u.data", DATA.replace("Atoms # full", "Atoms"))
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "u.data", "--atom-style", "full")
        self.assertEqual(self.info("t.gpz")[0]["atoms"], self.TABLES["atoms"])

    def test_names_of_atom_styles(self):
        """Accelerated variants, the option before the comment, and words that are no style."""
        for comment, arguments in (("full/kk", ()), ("full/omp and more", ()), ("id mol type q x y z", ("--atom-style", "full"))):
            self.write("u.data", DATA.replace("Atoms # full", f"Atoms # {comment}").replace("2 atom types", "2  atom\ttypes"))
            self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "u.data", *arguments)
            self.assertEqual(self.info("t.gpz")[0]["atoms"], self.TABLES["atoms"], comment)
        for comment, arguments in (("fulll", ()), ("full", ("--atom-style", "charged"))):
            self.write("u.data", DATA.replace("Atoms # full", f"Atoms # {comment}"))
            self.gpz("encode", "t.dump", "-o", "u.gpz", "--eb", "0.001", "--data", "u.data", *arguments, code=2, err=None)
        # With another style, molecules are taken for types.
        self.write("u.data", DATA)
        self.gpz("encode", "t.dump", "-o", "u.gpz", "--eb", "0.001", "--data", "u.data", "--atom-style", "charge", code=4,
                 err="u.data: line 26: a row of Atoms with 10 words where 6 or 9 are expected; is it the right atom style?")
        self.write("u.data", DATA.replace(" 0 0 0\n", " 0 0\n"))
        self.gpz("encode", "t.dump", "-o", "u.gpz", "--eb", "0.001", "--data", "u.data", "--atom-style", "charge", code=4,
                 err="u.data: line 28: 3 is none of the atom types of the header; is it the right atom style?")

    def test_a_killed_run_in_a_log(self):
        """Another one follows in the same log, with its columns in another order."""
        self.write("t.log", "   Step Temp PotEng\n0 300 -5\nERROR: killed\n   Step PotEng Temp\n20 -7 302\nLoop time of 1\n")
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--log", "t.log")
        (table,) = read_file(self.path("t.gpz")).frames[0].tables  # by the second decoder
        columns = {column.name: column.values for column in table.columns}
        self.assertEqual(columns, {"timestep": [0, 20], "Temp": [300, 302], "PotEng": [-5, -7]})

    def thermo(self, log, err=""):
        self.write("t.log", log)
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--log", "t.log", err=err)
        (table,) = read_file(self.path("t.gpz")).frames[0].tables
        return {column.name: list(column.values) for column in table.columns}

    def test_steps_that_go_back(self):
        """After reset_timestep no step has a row of the run before, and its columns that are left without numbers are gone."""
        first = "   Step Temp Lx\n0 999 1\n5 998 1\n10 997 1\nLoop time of 1\n"
        columns = self.thermo(first + "Step Temp PotEng\n0 300 -1\n10 301 -2\nLoop time of 1\n",
                              "t.log: line 7: the steps go back from 10 to 0: 3 rows of earlier runs left out, the first in line 2")
        self.assertEqual(columns, {"timestep": [0, 10], "Temp": [300, 301], "PotEng": [-1, -2]})
        # A restart from step 5: what was before stays.
        columns = self.thermo(first + "Step Temp\n5 800\n10 801\n15 802\n",
                              "t.log: line 7: the steps go back from 10 to 5: 2 rows of earlier runs left out, the first in line 3")
        self.assertEqual((columns["timestep"], columns["Temp"]), ([0, 5, 10, 15], [999, 800, 801, 802]))
        self.assertEqual(columns["Lx"][0], 1)
        self.assertTrue(all(value != value for value in columns["Lx"][1:]))
        # A step with which one run ends and the next begins.
        columns = self.thermo(first + "Step Temp\n10 800\n20 801\n")
        self.assertEqual((columns["timestep"], columns["Temp"]), ([0, 5, 10, 20], [999, 998, 800, 801]))

    def test_what_is_left_out_of_logs(self):
        setup = "Per MPI rank memory allocation (min/avg/max) = 3 | 3 | 3 Mbytes\n"
        rows = "   Step Temp E nothing\n0 1 2 nan\n10 3 4 nan\n"
        columns = self.thermo("\ufeff" + rows + "20 5\n20 5 6 7 8\nLoop time of 1\n",
                              "t.log: line 4: a row has another number of columns than the line with their names; 2 such rows left out")
        self.assertEqual(columns, {"timestep": [0, 10], "Temp": [1, 3], "E": [2, 4]})
        left_out = "the output of a run is left out: it has no column Step, or is of thermo_modify line multi or yaml"
        for other in ("------------ Step              0 ----- CPU =            0 (sec) -------------\n", "---\nkeywords: ['Step']\n",
                      "   Time Temp\n0 7\n"):
            columns = self.thermo(rows + "Loop time of 1\n" + setup + other + "Loop time of 1\n", f"t.log: line 6: {left_out}")
            self.assertEqual(columns["timestep"], [0, 10])
        # The run before was killed: what follows is not of its columns.
        columns = self.thermo("Step Temp\n0 1\n10 2\n" + setup + "   Time Temp\n20 7\n30 8\nLoop time of 1\n", f"t.log: line 5: {left_out}")
        self.assertEqual(columns, {"timestep": [0, 10], "Temp": [1, 2]})
        columns = self.thermo(setup + "   Temp Step E\n1 0 2\n3 10 4\n")
        self.assertEqual(columns, {"timestep": [0, 10], "Temp": [1, 3], "E": [2, 4]})
        columns = self.thermo("Step Temp Temp\n0 1 2\n", "t.log: line 1: two columns Temp: the last one counts")
        self.assertEqual(columns, {"timestep": [0], "Temp": [2]})

    def test_wrong_log(self):
        self.write("bad.log", "no rows\n")
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.1", "--log", "bad.log", code=4, err=None)


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
                                  "without a number of atoms, beside runs with energies of all atoms; those of 2 rows left out")["PotEng"]
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


class ExtendedXyz(TableCase):
    def test_numbers_of_the_comment(self):
        """Numbers of each frame are observables, those that gpz has elsewhere are not; plain XYZ has a comment for people."""
        head = 'Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3'
        frames = [f'1\n{head} Energy=-1.{k} stress="1 2 {k}" label=abc Time={k} pbc="T T T"\nAr 1 2 3\n' for k in range(3)]
        frames.append(f"1\n{head} Energy=7\nAr 1 2 3\n")
        self.write("t.extxyz", "".join(frames))
        self.gpz("encode", "t.extxyz", "-o", "x.gpz", "--eb", "0.001",
                 err=f"t.extxyz: left out, as it is no number: label\ngpz: t.extxyz: {NUMBERED}")
        _, info = self.info("x.gpz")
        self.assertEqual(info["observables"], [{"name": name, "unit": ""} for name in ("Energy", "stress[1]", "stress[2]", "stress[3]")])
        self.assertEqual(info["other_records"]["count"], 4 + 2)  # the names changed once
        values = [struct.unpack_from("<qQ", part, 24) + struct.unpack_from(f"<{(len(part) - 72) // 8}d", part, 40)
                  for kind, part in records(self.read("x.gpz")) if kind == 1 << 31 | 2]
        self.assertEqual([row[:1] + row[2:] for row in values], [(k, -1 - k / 10, 1, 2, k) for k in range(3)] + [(3, 7)])
        self.gpz("verify", "x.gpz", out=None)
        self.write("t.xyz", "1\nEnergy=3\nAr 1 2 3\n")
        self.gpz("encode", "t.xyz", "-o", "y.gpz", "--eb", "0.001", err=None)
        self.assertEqual(self.info("y.gpz")[1]["observables"], [])


class Annotate(TableCase):
    def test_in_place(self):
        before = self.read("plain.gpz")
        self.write("t.gpz", before)
        self.gpz("annotate", "t.gpz", "--data", "t.data", "--log", "t.log", err=None)
        self.assertEqual(self.info("t.gpz")[0], self.TABLES)
        index = sum(len(part) for kind, part in records(before) if kind == 2)
        self.assertEqual(self.read("t.gpz")[:len(before) - index], before[:len(before) - index])  # no frame was written again
        self.gpz("verify", "t.gpz", out=None)
        once = self.read("t.gpz")
        self.gpz("annotate", "t.gpz", "--data", "t.data", err="t.gpz: has all of it already")
        self.assertEqual(self.read("t.gpz"), once)
        # A file that is put together of it has the tables for its frames.
        self.gpz("cat", "t.gpz", "-o", "c.gpz", out=None)
        self.assertEqual(self.info("c.gpz")[0], self.TABLES)

    def test_a_table_in_front_stays(self):
        """One behind the last frame would be valid for no frame."""
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "t.data")
        whole = self.read("t.gpz")
        self.write("u.data", DATA.replace("1.008 ", "2.014 "))
        self.gpz("annotate", "t.gpz", "--data", "u.data", code=2,
                 err="t.gpz: has another table types in front of its first frame, which stays valid (gpz encode --data makes a new file)")
        self.assertEqual(self.read("t.gpz"), whole)

    def test_copies_keep_what_was_added(self):
        """Also without the last frame, and each file of several its own."""
        for name, first, charge in (("a", 0, "-0.82"), ("b", 30, "-0.5")):
            self.write("in.dump", "".join(self.frame(first + 10 * k) for k in range(3)))
            self.write("in.data", DATA.replace("-0.82", charge))
            self.write("in.log", f"   Step Temp\n{first} 1\n{first + 10} 2\n{first + 20} 3\nLoop time\n")
            self.gpz("encode", "in.dump", "-o", f"{name}.gpz", "--eb", "0.001", "--units", "real")
            self.gpz("annotate", f"{name}.gpz", "--data", "in.data", "--log", "in.log", err=None)
        self.gpz("select", "a.gpz", "-o", "s.gpz", "--frames", ":2", out=None)
        tables, info = self.info("s.gpz")
        self.assertEqual((tables["bonds"][0], [o["name"] for o in info["observables"]]), (8, ["Temp"]))
        self.gpz("cat", "a.gpz", "b.gpz", "-o", "c.gpz", out=None)
        self.gpz("cat", "a.gpz", "plain.gpz", "-o", "d.gpz", "--keep", "all", out=None)
        for name, frame, charge in (("c", 0, "-0.82"), ("c", 2, "-0.82"), ("c", 3, "-0.5"), ("c", -1, "-0.5"), ("d", 0, "-0.82")):
            self.gpz("decode", f"{name}.gpz", "--data", str(frame), "-o", "o.data", err=None)
            self.assertIn(f"\n1 1 1 {charge} ", self.text("o.data"), (name, frame))
        self.assertEqual(records(self.read("c.gpz"))[-1][0], 2)  # nothing but the index behind the last frame

    def test_info_has_the_tables_of_all_runs(self):
        """Of a file of two runs, with other bonds and other observables."""
        fewer = DATA.replace("8 bonds", "7 bonds").replace("\n1 1 1 3\n", "\n")
        for name, first, data, observable in (("a", 0, DATA, "Temp"), ("b", 30, fewer, "Press")):
            self.write("in.dump", "".join(self.frame(first + 10 * k) for k in range(3)))
            self.write("in.data", data)
            self.write("in.log", f"   Step {observable}\n{first} 1\n{first + 10} 2\n{first + 20} 3\nLoop time\n")
            self.gpz("encode", "in.dump", "-o", f"{name}.gpz", "--eb", "0.001", "--units", "real", "--data", "in.data", "--log", "in.log")
        self.gpz("cat", "a.gpz", "b.gpz", "-o", "c.gpz", out=None)
        text = self.gpz("info", "c.gpz", out=None).decode()
        self.assertIn("atoms 12 (id type mol q; 2 tables), bonds 7 to 8 (2 tables), ", text)
        self.assertIn("  observables Temp Press\n", text)
        info = self.info("c.gpz")[1]
        (bonds,) = (table for table in info["tables"] if table["name"] == "bonds")
        self.assertEqual([bonds[key] for key in ("rows", "count", "fewest_rows", "most_rows")], [8, 2, 7, 8])
        self.assertEqual([o["name"] for o in info["observables"]], ["Temp", "Press"])

    def test_a_later_table_counts(self):
        self.write("t.gpz", self.read("plain.gpz"))
        self.gpz("annotate", "t.gpz", "--data", "t.data", err=None)
        self.write("u.data", DATA.replace("1.008 ", "2.014 "))
        self.gpz("annotate", "t.gpz", "--data", "u.data", err=None)
        self.gpz("decode", "t.gpz", "--data", "0", "-o", "o.data", err=None)
        self.assertIn("\nMasses\n\n1 15.9994\n2 2.014\n", self.text("o.data"))

    def test_refused(self):
        self.write("t.gpz", self.read("plain.gpz"))
        whole = self.read("t.gpz")
        self.gpz("annotate", "t.gpz", code=2, err="nothing to add: give --data, --log or both")
        self.write("few.data", DATA.replace("12 atoms", "11 atoms").replace("12 4 2 0.41 3.5 2.25 5.125 0 0 0\n", ""))
        self.gpz("annotate", "t.gpz", "--data", "few.data", code=7,
                 err="few.data: has no atom with id 12, which is in the first frame")
        self.assertEqual(self.read("t.gpz"), whole)
        index = sum(len(part) for kind, part in records(whole) if kind == 2)
        self.write("open.gpz", whole[:-index])
        self.gpz("annotate", "open.gpz", "--log", "t.log", code=5,
                 err="open.gpz: has no index at its end: it is still being written, or damaged (gpz repair)")


class Copies(TableCase):
    def setUp(self):
        super().setUp()
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--units", "real", "--data", "t.data", "--log", "t.log")

    def test_commands_keep_tables(self):
        self.gpz("select", "t.gpz", "-o", "s.gpz", "--frames", "1:", out=None)
        self.gpz("cat", "t.gpz", "-o", "c.gpz", out=None)
        self.gpz("repair", "t.gpz", "-o", "r.gpz", out=None)
        for name in ("s.gpz", "c.gpz", "r.gpz"):
            self.assertEqual(self.info(name)[0], self.TABLES, name)

    def test_some_atoms(self):
        """A file of some atoms has the topology that a data file of these atoms gives."""
        self.gpz("select", "t.gpz", "-o", "s.gpz", "--ids", "1:5", out=None)
        tables, _ = self.info("s.gpz")
        self.assertEqual({name: rows for name, (rows, _) in tables.items()},
                         {"atoms": 5, "bonds": 3, "angles": 1, "types": 2, "thermo": 3})
        self.gpz("decode", "s.gpz", "--data", "0", "-o", "s.data", err=None)
        self.gpz("decode", "t.gpz", "--data", "0", "-o", "t.data", "--ids", "1:5", err=None)
        self.assertEqual(self.text("s.data"), self.text("t.data"))
        with open(self.path("t.gpz"), "rb") as pipe:
            self.gpz("select", "-", "-o", "p.gpz", "--ids", "1:5", out=None, stdin=pipe.read())
        self.assertEqual(self.info("p.gpz")[0], tables)

    def test_damage(self):
        content = bytearray(self.read("t.gpz"))
        at = content.index(struct.pack("<I", TABLES_TYPE)) + 100
        content[at] ^= 1
        self.write("d.gpz", bytes(content))
        self.gpz("verify", "d.gpz", code=4, out=None, err="d.gpz: in front of frame 0: the checksum of a record of tables does not hold")
        self.assertIn("state       damaged: tables cannot be read\n", self.gpz("info", "d.gpz", out=None).decode())
        self.gpz("select", "d.gpz", "-o", "s.gpz", "--ids", "1:5", out=None)
        self.gpz("verify", "s.gpz", code=4, out=None, err=None)
        self.gpz("decode", "d.gpz", "-o", "d.dump", "--format", "lammps")
        self.gpz("decode", "t.gpz", "-o", "t.out", "--format", "lammps")
        self.assertEqual(self.text("d.dump"), self.text("t.out"))


class History(TableCase):
    def history(self, name):
        return self.gpz("info", name, "--history", out=None).decode()

    def test_from_command_to_command(self):
        """Each command adds its line; folders are left out, and digests are those of the inputs."""
        program = self.gpz("--version", out=None).decode().split(" (")[0]
        self.gpz("encode", self.path("t.dump"), "-o", "a.gpz", "--eb", "0.001", "--history")
        digest = xxh3_64(self.read("t.dump"))
        first = f"  1  {program}: gpz encode t.dump -o a.gpz --eb 0.001 --history\n     from t.dump xxh3:{digest:016x}\n"
        self.assertEqual(self.history("a.gpz"), first)
        # A file without a history, then commands that keep what is there.
        self.gpz("info", "plain.gpz", "--history", code=2, err="plain.gpz: has no history (gpz encode --history)")
        self.gpz("select", "a.gpz", "-o", "s.gpz", "--frames", "1:", out=None)
        digest = xxh3_64(self.read("a.gpz"))
        second = f"  2  {program}: gpz select a.gpz -o s.gpz --frames 1:\n     from a.gpz xxh3:{digest:016x}\n"
        self.assertEqual(self.history("s.gpz"), first + second)
        self.gpz("cat", "s.gpz", "plain.gpz", "-o", "c.gpz", "--keep", "first", out=None)
        lines = self.history("c.gpz")
        self.assertTrue(lines.startswith(first + second))
        self.assertEqual(lines.count(": gpz cat s.gpz plain.gpz -o c.gpz"), 2)
        self.gpz("encode", "c.gpz", "-o", "e.gpz")
        self.assertTrue(self.history("e.gpz").startswith(lines))
        self.gpz("verify", "e.gpz", out=None)
        # Without the option, and without a history before, there is none: the same input gives the same bytes.
        self.gpz("encode", "t.dump", "-o", "b.gpz", "--eb", "0.001", "--units", "real", "--threads", "1")
        self.assertEqual(self.read("b.gpz"), self.read("plain.gpz"))

    def test_of_a_pipe(self):
        self.gpz("encode", "-", "-o", "a.gpz", "--eb", "0.001", "--history", stdin=self.read("t.dump"))
        self.assertTrue(self.history("a.gpz").endswith(": gpz encode - -o a.gpz --eb 0.001 --history\n     from -\n"))


class DataFile(TableCase):
    def rows(self, text, section, count):
        lines = text[text.index(f"\n{section}"):].split("\n")[3:3 + count]
        return sorted(tuple(line.split()) for line in lines)

    def test_what_came_in_goes_out(self):
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--units", "real", "--data", "t.data")
        self.gpz("decode", "t.gpz", "--data", "-1", "-o", "o.data",
                 err="the frame has no velocities: the input script has to create them")
        text = self.text("o.data")
        self.assertRegex(text, r"\ALAMMPS data file by gpz [0-9.]+, timestep = 20, units = real\n\n12 atoms\n2 atom types\n"
                               r"8 bonds\n1 bond types\n4 angles\n1 angle types\n\n0 10 xlo xhi\n0 10 ylo yhi\n0 10 zlo zhi\n")
        for section, given, count in (("Masses", "Masses", 2), ("Bonds", "Bonds", 8), ("Angles", "Angles", 4)):
            rows = [row[1 if section != "Masses" else 0:] for row in self.rows(text, section, count)]
            expected = [row[1 if section != "Masses" else 0:][:len(rows[0])] for row in self.rows(DATA, given, count)]
            self.assertEqual(sorted(rows), sorted(expected), section)
        atoms = self.rows(text, "Atoms # full", 12)
        given = self.rows(DATA, "Atoms # full", 12)
        self.assertEqual([row[:4] for row in atoms], [row[:4] for row in given])
        for row, source in zip(atoms, given):
            for value, place, shift in zip(row[4:7], source[4:7], (0.2, 0, 0)):
                self.assertLessEqual(abs(float(value) - float(place) - shift), 0.001 + 1e-12)
        # A file that is made of it again has the same tables.
        self.gpz("encode", "t.dump", "-o", "u.gpz", "--eb", "0.001", "--units", "real", "--data", "o.data")
        self.assertEqual(self.read("u.gpz"), self.read("t.gpz"))

    def test_some_atoms(self):
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "t.data")
        self.gpz("decode", "t.gpz", "--data", "0", "-o", "o.data", "--ids", "1:5", err=None)
        text = self.text("o.data")
        self.assertIn("\n5 atoms\n", text)
        self.assertEqual([row[2:] for row in self.rows(text, "Bonds", 3)], [("1", "2"), ("1", "3"), ("4", "5")])
        self.assertEqual([row[2:] for row in self.rows(text, "Angles", 1)], [("2", "1", "3")])

    def test_without_tables(self):
        self.gpz("decode", "plain.gpz", "--data", "0", "-o", "o.data",
                 err="not all masses are known: the input script has to set them\n"
                     "gpz: the frame has no velocities: the input script has to create them")
        self.assertIn("\nAtoms # atomic\n\n1 1 0.", self.text("o.data"))

    def test_types_that_lammps_has_not(self):
        for kind in (0, 400_000_000_000):
            self.write("n.dump", dump_frame(0, [(1, kind, 1.5, 2, 3)], "id type x y z"))
            self.gpz("encode", "n.dump", "-o", "n.gpz", "--eb", "0.1")
            self.gpz("decode", "n.gpz", "--data", "0", "-o", "o.data", code=2, err=f"n.gpz: LAMMPS has no type {kind}")
        self.write("n.dump", dump_frame(0, [(1, 2_000_000_000, 1.5, 2, 3)], "id type x y z"))
        self.gpz("encode", "n.dump", "-o", "n.gpz", "--eb", "0.1")
        self.gpz("decode", "n.gpz", "--data", "0", "-o", "o.data", "--max-memory", "16M", err=
                 "not all masses are known: the input script has to set them\n"
                 "gpz: the frame has no velocities: the input script has to create them")

    def test_refused(self):
        for options in (("--format", "xyz"), ("--columns", "id"), ("--frames", "1:"), ("--exact",), ("--sort", "id")):
            self.gpz("decode", "plain.gpz", "--data", "0", "-o", "o.data", *options, code=2,
                     err="--data: a data file takes --ids, --types and --region, and no other option of text")
        self.gpz("decode", "plain.gpz", "--data", "0:2", "-o", "o.data", code=2, err="--data: '0:2' is not the number of a frame")
        self.gpz("decode", "plain.gpz", "--data", "3", "-o", "o.data", code=2, err="plain.gpz: no frame 3")
        self.write("n.dump", "".join(dump_frame(0, [(1.5, 2, 3)], "x y z")))
        self.gpz("encode", "n.dump", "-o", "n.gpz", "--eb", "0.1", "--order", "place", err=None)
        self.gpz("decode", "n.gpz", "--data", "0", "-o", "o.data", code=2, err="n.gpz: the frame has no ids")
