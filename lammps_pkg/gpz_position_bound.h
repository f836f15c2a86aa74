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

#ifndef LMP_GPZ_POSITION_BOUND_H
#define LMP_GPZ_POSITION_BOUND_H

#include <string>

namespace LAMMPS_NS {
class LAMMPS;

// The error bound of positions as the user gave it: dump_modify eb.
class GPZPositionBound {
 public:
  // The default of a unit system.
  explicit GPZPositionBound(const char *unit_style);

  // Reads "eb V", "eb abs V" or "eb rel V", and returns the number of words; 0 is exact. Throws std::invalid_argument
  // if V is no bound; a LAMMPS error if it is missing or no number.
  int read(int narg, char **arg, LAMMPS *lmp);

  // Becomes the bound of a file that is continued, in distance units, if none was given.
  void take(double bound);

  // In distance units. first_edge: longest box edge at the first frame.
  double absolute(double first_edge) const { return kind_ == RELATIVE ? value_ * first_edge : value_; }

  // "within 0.0005 sigma (default for units lj; dump_modify ID eb changes it)".
  std::string text(const char *unit_style, const std::string &dump_id) const;

 private:
  enum { DEFAULT, CONTINUED, ABSOLUTE, RELATIVE } kind_ = DEFAULT;
  double value_;  // distance units, or a fraction of first_edge
};

}  // namespace LAMMPS_NS

#endif
