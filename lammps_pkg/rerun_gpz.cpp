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

#include "rerun_gpz.h"

#include <algorithm>
#include <gpz/choices.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpz_rerun_origin.h"

using namespace LAMMPS_NS;

// The argument after the keyword format; nullptr without one. Later arguments belong to a reader.
static const char *format_of(int narg, char **arg) {
  char **const end = arg + narg;
  char **const keyword = std::find(arg, end, std::string("format"));
  return end - keyword > 1 ? keyword[1] : nullptr;
}

bool LAMMPS_NS::gpz_reads(int narg, char **arg) {
  if (const char *format = format_of(narg, arg)) return format == std::string("gpz");
  return narg > 0 && gpz::is_gpz_name(arg[0]);
}

// The arguments, with format gpz appended if only the name says it.
static std::vector<char *> with_format(int narg, char **arg) {
  static char keyword[] = "format", gpz[] = "gpz";
  std::vector<char *> all(arg, arg + narg);
  if (!format_of(narg, arg) && gpz_reads(narg, arg)) all.insert(all.end(), {keyword, gpz});
  return all;
}

void RerunGPZ::command(int narg, char **arg) {
  auto all = with_format(narg, arg);
  std::optional<GPZRerunOrigin> origin;
  if (gpz_reads(narg, arg)) origin.emplace(lmp, arg[0]);
  Rerun::command(static_cast<int>(all.size()), all.data());
}

void ReadDumpGPZ::command(int narg, char **arg) {
  auto all = with_format(narg, arg);
  ReadDump::command(static_cast<int>(all.size()), all.data());
}
