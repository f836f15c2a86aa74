// SPDX-License-Identifier: GPL-2.0-only
/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_GPZ_FORMULA_H
#define LMP_GPZ_FORMULA_H

#include <string>
#include <vector>

namespace LAMMPS_NS {
class LAMMPS;

// The words of the formula of a variable: names, each with the bracket that follows it, as "sqrt(", "x", "c_ID[".
// Numbers and operators are left out.
struct GPZFormula {
  bool known = false;  // false: of another style, or LAMMPS does not tell formulas (before 2026)
  bool per_atom = false;
  std::vector<std::string> words;

  GPZFormula(LAMMPS *lmp, const std::string &variable);
};

}  // namespace LAMMPS_NS

#endif
