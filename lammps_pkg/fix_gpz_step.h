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

#ifdef FIX_CLASS
// clang-format off
FixStyle(GPZ/STEP,FixGPZStep);
// clang-format on
#else

#ifndef LMP_FIX_GPZ_STEP_H
#define LMP_FIX_GPZ_STEP_H

#include <string>

#include "fix.h"

namespace LAMMPS_NS {

// Internal: every dump gpz has one, to be called at every step and at the end of a run.
class FixGPZStep : public Fix {
 public:
  FixGPZStep(class LAMMPS *, int, char **);
  // For the run that begins, when LAMMPS has made its lists of fixes: this fix acts after all others, but before fixes
  // that only read, if told to. KOKKOS copies all atoms to the host for those, takes them for changed, and would have
  // to copy them back for the frame.
  void move_in_lists(bool before_readers);
  int setmask() override;
  void init() override;
  void final_integrate() override;
  void end_of_step() override;
  // Instead of it: KOKKOS's steps without output, run_style respa, minimisations.
  void fused_integrate(int) override { poll(); }
  void final_integrate_respa(int, int) override { poll(); }
  void min_post_force(int) override { poll(); }
  void post_run() override;
  // As in Fix. Here because the plugin can only report wrong integer sizes if it loads, so it must not refer to a
  // function of LAMMPS that has such an integer in its signature.
  void set_molecule(int, tagint, int, double *, double *, double *) override {}

 private:
  std::string dump_id_;
  bool before_readers_ = false;

  class GPZStepObserver *dump() const;
  bool may_follow(int fix) const;
  bool all_that_follow_may(const int *list, int count) const;
  void poll();
  void step_is_over(bool nothing_follows);
};

}  // namespace LAMMPS_NS

#endif
#endif
