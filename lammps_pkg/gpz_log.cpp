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

#include "gpz_log.h"

#include "comm.h"
#include "error.h"
#include "gpz_exit_code.h"
#include "lammps.h"
#include "utils.h"

using namespace LAMMPS_NS;

void GPZLog::fail(const std::string &problem) const { lmp_->error->all(FLERR, name_ + problem); }

void GPZLog::fail_alone(const std::string &problem) const { lmp_->error->one(FLERR, name_ + problem); }

void GPZLog::fail_in_destructor(const std::string &problem) const {
  gpz_end_with_failure();
  if (lmp_->comm->me == 0) utils::logmesg(lmp_, "ERROR: " + name_ + problem + "\n");
}

void GPZLog::warn(const std::string &text) const {
  if (lmp_->comm->me == 0) lmp_->error->warning(FLERR, name_ + text);
}

void GPZLog::say(const std::string &text) const {
  if (lmp_->comm->me == 0) utils::logmesg(lmp_, name_ + text + "\n");
}

void GPZLog::say_if_new(const std::string &text, std::string &last) const {
  if (text == last) return;
  say(text);
  last = text;
}
