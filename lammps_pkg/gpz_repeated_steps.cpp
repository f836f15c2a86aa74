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

#include "gpz_repeated_steps.h"

#include "fmt/format.h"
#include "gpz_log.h"
#include "gpz_output.h"

using namespace LAMMPS_NS;

bool GPZRepeatedSteps::has(std::int64_t step, bool one_frame) {
  const std::int64_t first = output_.first_step(), last = output_.last_step();
  if (first > last) return false;
  if (one_frame) return step >= first && step <= last;
  if (mode_ == UNDECIDED) {
    mode_ = step > first ? SKIP_OLD : ADD_ALL;
    if (mode_ == ADD_ALL)
      log_.warn(
          fmt::format("{} starts with step {}, and this run continues with step {}: all frames are added, so that "
                      "steps may occur twice",
                      output_.path(), first, step));
  }
  return mode_ == SKIP_OLD && step <= last;
}
