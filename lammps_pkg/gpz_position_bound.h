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
struct GPZPositionOrigin;

// The number of `keyword`, as utils::numeric reads it. Newer releases of LAMMPS read numbers below the smallest double
// as 0, which means exact here: throws std::invalid_argument.
double read_bound_value(const std::string &keyword, const std::string &word, LAMMPS *lmp);

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

  bool is_exact() const { return value_ == 0; }
  // In distance units. first_edge: longest box edge at the first frame.
  double absolute(double first_edge) const { return kind_ == RELATIVE ? value_ * first_edge : value_; }

  // The bound for positions with such an origin, if it shall hold for the original ones: what was given, or else the
  // sum of what the origin needs and the default, which is at most as large.
  double beside(const GPZPositionOrigin &origin, double first_edge) const;
  // Text about the error of such positions: "within 0.0015 sigma: 0.001 of old.gpz, and 0.0005 in addition".
  std::string text_beside(const GPZPositionOrigin &origin, double first_edge, const char *unit_style) const;
  // Why such a bound cannot be kept, and what to do.
  std::string problem_beside(const GPZPositionOrigin &origin, double first_edge, const char *unit_style,
                             const std::string &dump_id) const;

  // "within 0.0005 sigma (default for units lj; dump_modify ID eb changes it)".
  std::string text(const char *unit_style, const std::string &dump_id) const;

 private:
  enum { DEFAULT, CONTINUED, ABSOLUTE, RELATIVE } kind_ = DEFAULT;
  double value_;    // distance units, or a fraction of first_edge
  double default_;  // of the unit system

  double sum_with_default(const GPZPositionOrigin &origin) const;
};

}  // namespace LAMMPS_NS

#endif
