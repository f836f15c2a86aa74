# SPDX-License-Identifier: BSD-3-Clause
"""Thermodynamic output of LAMMPS's logs: which rows and columns `--log` takes."""

from table_case import TableCase

from gpz_reference import read_file  # found by table_case


class Rows(TableCase):
    def test_a_killed_run_in_a_log(self):
        """Another one follows in the same log, with its columns in another order."""
        self.write("t.log", "   Step Temp Press\n0 300 -5\nERROR: killed\n   Step Press Temp\n20 -7 302\nLoop time of 1\n")
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--log", "t.log")
        (table,) = read_file(self.path("t.gpz")).frames[0].tables  # by the second decoder
        columns = {column.name: column.values for column in table.columns}
        self.assertEqual(columns, {"timestep": [0, 20], "Temp": [300, 302], "Press": [-5, -7]})

    def thermo(self, log, err="", units=None):
        self.write("t.log", log)
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--log", "t.log", *(["--units", units] if units else []), err=err)
        (table,) = read_file(self.path("t.gpz")).frames[0].tables
        return {column.name: list(column.values) for column in table.columns}

    def test_steps_that_go_back(self):
        """After reset_timestep no step has a row of the run before, and its columns that are left without numbers are gone."""
        first = "   Step Temp Lx\n0 999 1\n5 998 1\n10 997 1\nLoop time of 1\n"
        columns = self.thermo(first + "Step Temp Press\n0 300 -1\n10 301 -2\nLoop time of 1\n",
                              "t.log: line 7: the steps go back from 10 to 0: 3 rows of earlier runs left out, the first in line 2")
        self.assertEqual(columns, {"timestep": [0, 10], "Temp": [300, 301], "Press": [-1, -2]})
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

    def test_units_that_nothing_names(self):
        """Energies per atom cannot be told from those of all, and it is said once."""
        rows = "   Step Temp PotEng\n0 300 -5\n10 301 -6\nLoop time of 1 on 1 procs for 10 steps with 12 atoms\n"
        again = rows.replace("\n0 300 -5", "").replace("10 301", "20 302")
        said = ("t.log: line {}: neither the log nor the file names units: energies are taken as those of all atoms. If they are per atom, as "
                "in lj units, put a line 'units lj' in front of the log")
        self.assertEqual(self.thermo(rows + again, said.format(1))["PotEng"], [-5, -6, -6])
        self.thermo("   Step Temp\n0 300\nLoop time of 1\n" + rows, said.format(4))
        for known in ("units lj\n", "units real\n", "thermo_modify norm yes\n", "clear\n"):
            self.thermo(known + rows)
        self.thermo(rows.replace("PotEng", "Press"))
        # LAMMPS's screen output has no commands, and names the units in front of each run.
        for style, unit in (("lj", "1/atom"), ("metal", "")):
            self.thermo(f"Setting up Verlet run ...\n  Unit style    : {style}\n  Current step  : 0\n" + rows)
            (table,) = read_file(self.path("t.gpz")).frames[0].tables
            self.assertEqual([column.unit for column in table.columns], ["", "", unit])

    def test_units_that_differ_from_those_of_the_file(self):
        run = "units {}\n   Step Temp PotEng\n{} 300 -5\nLoop time of 1 on 1 procs for 1 steps with 12 atoms\nclear\n"
        said = "t.log: line {}: a run in units {}, and the file is in units metal: its numbers are taken as they are"
        self.thermo(run.format("metal", 0) + run.format("metal", 10), "", "metal")
        self.thermo(run.format("real", 0) + run.format("si", 10), said.format(2, "real"), "metal")
        self.thermo(run.format("metal", 0) + run.format("si", 10), said.format(7, "si"), "metal")

    def test_wrong_log(self):
        self.write("bad.log", "no rows\n")
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.1", "--log", "bad.log", code=4, err=None)
