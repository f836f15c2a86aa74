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

#include "gpz_formula.h"

#include <cctype>
#include <cstdlib>

#include "input.h"
#include "lammps.h"
#include "variable.h"

using namespace LAMMPS_NS;

namespace {

// Variable::get_info, where there is one.
template <typename V>
auto info_of(const V &variables, int index, int) -> decltype(variables.get_info(index)) {
  return variables.get_info(index);
}

template <typename V>
std::string info_of(const V &, int, long) {
  return {};
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

GPZFormula::GPZFormula(LAMMPS *lmp, const std::string &variable) {
  Variable *const variables = lmp->input->variable;
  const int index = variables->find(variable.c_str());
  if (index < 0) return;
  per_atom = variables->atomstyle(index);
  if (!per_atom && !variables->equalstyle(index)) return;
  const std::string info = info_of(*variables, index, 0), mark = " def =";
  const std::size_t begin = info.find(mark);
  if (begin == std::string::npos) return;
  known = true;
  for (const char *at = info.c_str() + begin + mark.size(); *at;) {
    if (std::isdigit(static_cast<unsigned char>(*at)) || *at == '.') {
      char *end = nullptr;
      std::strtod(at, &end);
      at = end > at ? end : at + 1;
    } else if (in_name(*at)) {
      std::string word;
      while (in_name(*at)) word += *at++;
      while (*at == ' ') ++at;
      if (*at == '(' || *at == '[') word += *at;
      words.push_back(word);
    } else {
      ++at;
    }
  }
}
