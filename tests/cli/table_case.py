# SPDX-License-Identifier: BSD-3-Clause
"""A dump of waters, and what belongs to it: a data file and a log by hand (docs/format.md, sections 11a and 11b)."""

import json
import pathlib
import sys

from cli_case import CliCase, dump_frame

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reference"))  # gpz_reference

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
