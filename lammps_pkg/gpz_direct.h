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

#ifndef LMP_GPZ_DIRECT_H
#define LMP_GPZ_DIRECT_H

#include <string>

#include "pointers.h"

namespace LAMMPS_NS {
class Dump;
class GPZDeviceAtoms;
class GPZSummary;

// Frames that are taken before KOKKOS copies atoms to the host. VerletKokkos copies all arrays before it calls
// Output::write. Fix GPZ/STEP lets a dump call Output::write before that, and KOKKOS then copies only what is read in
// host memory for the dump.
class GPZDirect : protected Pointers {
 public:
  GPZDirect(LAMMPS *lammps, const Dump *dump) : Pointers(lammps), dump_(dump) {}

  // dump_modify direct
  void set_wanted(bool wanted) { wanted_ = wanted; }
  // To be called at the beginning of a run: the one before may have ended with an error.
  void restart() { early_ = false; }
  // The reason why it is impossible in this run; empty if it is possible.
  std::string obstacle() const;
  // Does Output call the dump? Not that of the command write_dump.
  bool in_output() const { return dump_index() >= 0; }
  // Its index among the dumps that Output calls; -1 if Output does not call it.
  int dump_index() const;
  // The variable of dump_modify every, which Output evaluates for the dump; nullptr if there is none.
  const char *step_variable() const;

  // Nothing of the step is left to do except its output: lets Output call the dump, if it is due and nothing stands
  // against it. `atoms`: of KOKKOS on a GPU; nullptr if it has none there.
  void step_is_over(GPZDeviceAtoms *atoms);
  // Is this such a frame, for which KOKKOS has copied nothing to the host?
  bool is_early() const { return early_; }
  // At each frame, before anything else: the time that KOKKOS has taken to copy all arrays for this frame alone.
  void report_copies(GPZSummary &summary);

 private:
  const Dump *dump_;
  bool wanted_ = true, early_ = false;
  double step_over_ = 0;  // MPI_Wtime() when KOKKOS began to copy for this frame alone; or 0

  bool nothing_else_is_due() const;
  void output_of_this_dump();
};

}  // namespace LAMMPS_NS

#endif
