// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "gpz_position_bound.h"

#include <algorithm>
#include <cmath>
#include <gpz/units.hpp>
#include <stdexcept>

#include "error.h"
#include "fmt/format.h"
#include "gpz_rerun_origin.h"
#include "lammps.h"
#include "utils.h"

using namespace LAMMPS_NS;

double LAMMPS_NS::read_bound_value(const std::string &keyword, const std::string &word, LAMMPS *lmp) {
  const double value = utils::numeric(FLERR, word, false, lmp);
  const std::string digits = word.substr(0, word.find_first_of("eE"));
  if (value == 0.0 && digits.find_first_of("123456789") != std::string::npos)
    throw std::invalid_argument(keyword + ": " + word + " is smaller than the smallest number above 0");
  return value;
}

// Used without dump_modify eb.
GPZPositionBound::GPZPositionBound(const char *unit_style)
    : value_(gpz::unit_style(unit_style).position_bound), default_(value_) {}

int GPZPositionBound::read(int narg, char **arg, LAMMPS *lmp) {
  GPZPositionBound bound = *this;
  bound.kind_ = ABSOLUTE;
  int used = 1;
  if (narg > 1 && strcmp(arg[1], "rel") == 0) {
    bound.kind_ = RELATIVE;
    ++used;
  } else if (narg > 1 && strcmp(arg[1], "abs") == 0) {
    ++used;
  }
  if (narg <= used) utils::missing_cmd_args(FLERR, "dump_modify eb", lmp->error);
  bound.value_ = read_bound_value("dump_modify eb", arg[used], lmp);
  const bool relative = bound.kind_ == RELATIVE;
  if (!(bound.value_ >= 0.0) || !std::isfinite(bound.value_) || (relative && bound.value_ >= 1.0))
    throw std::invalid_argument(std::string("dump_modify eb ") +
                                (relative ? "rel must be a fraction of the longest box edge, from 0 (exact) to below 1"
                                          : "must be a number, 0 (exact) or larger") +
                                ", not " + arg[used]);
  *this = bound;
  return used + 1;
}

void GPZPositionBound::take(double bound) {
  if (kind_ != DEFAULT) return;
  kind_ = CONTINUED;
  value_ = bound;
}

// A bound that is smaller than the default has its reason, unless it is that of rounding.
double GPZPositionBound::sum_with_default(const GPZPositionOrigin &origin) const {
  const double added = std::min(default_, origin.least);
  return origin.least + (added > 1000 * origin.rounding ? added : default_);
}

double GPZPositionBound::beside(const GPZPositionOrigin &origin, double first_edge) const {
  return origin.bound > 0 && kind_ == DEFAULT ? sum_with_default(origin) : absolute(first_edge);
}

std::string GPZPositionBound::text_beside(const GPZPositionOrigin &origin, double first_edge,
                                          const char *unit_style) const {
  const double bound = beside(origin, first_edge);
  std::string text = fmt::format("within {:.8g} {}: {:.8g} of {}", bound, gpz::unit_style(unit_style).length,
                                 origin.least, origin.path);
  if (origin.least != origin.bound)
    text += fmt::format(" ({:.8g} there, and more as fractions of this box, or rotated)", origin.bound);
  return text + fmt::format(", and {:.8g} in addition", bound - origin.least);
}

std::string GPZPositionBound::problem_beside(const GPZPositionOrigin &origin, double first_edge, const char *unit_style,
                                             const std::string &dump_id) const {
  std::string text = fmt::format("positions come from {}, which are within {:.8g} {} of the original ones", origin.path,
                                 origin.bound, gpz::unit_style(unit_style).length);
  if (origin.least != origin.bound)
    text += fmt::format(" (within {:.8g} as fractions of this box, or rotated)", origin.least);
  const double bound = beside(origin, first_edge);
  text += fmt::format(", and are quantized once more: a bound of {:.8g}{} cannot be kept; ", bound,
                      bound == 0 ? " (exact)" : "");
  if (kind_ == CONTINUED) return text + "write to another file than the one that is continued";
  return text + fmt::format("dump_modify {} eb sets a larger one, and without it the bound is {:.8g}", dump_id,
                            sum_with_default(origin));
}

std::string GPZPositionBound::text(const char *unit_style, const std::string &dump_id) const {
  const char *const source = kind_ == CONTINUED ? " (as in the file that is continued)" : "";
  if (value_ == 0) return std::string("exact") + source;
  std::string text = fmt::format("within {:.8g} ", value_);
  text += kind_ == RELATIVE ? "of the longest box edge at the first frame" : gpz::unit_style(unit_style).length;
  text += source;
  if (kind_ == DEFAULT)
    text += fmt::format(" (default for units {}; dump_modify {} eb changes it)", unit_style, dump_id);
  return text;
}
