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

#ifndef LMP_GPZ_REPEATED_STEPS_H
#define LMP_GPZ_REPEATED_STEPS_H

#include <cstdint>

namespace LAMMPS_NS {
class GPZLog;
class GPZOutput;

// Which frames of a run are in the file already. A run that was restarted repeats steps up to the last one of the file:
// they are not written, even if the file lacks them because it was written in other intervals, so that its steps
// ascend.
class GPZRepeatedSteps {
 public:
  GPZRepeatedSteps(const GPZLog &log, const GPZOutput &output) : log_(log), output_(output) {}

  // To be called when a file was opened.
  void restart() { mode_ = UNDECIDED; }
  // Is the frame of this step not to be written to the file that is open, which was opened for appending?
  // `one_frame`: the file is of this step alone.
  bool has(std::int64_t step, bool one_frame);

 private:
  const GPZLog &log_;
  const GPZOutput &output_;
  enum { UNDECIDED, SKIP_OLD, ADD_ALL } mode_ = UNDECIDED;
};

}  // namespace LAMMPS_NS

#endif
