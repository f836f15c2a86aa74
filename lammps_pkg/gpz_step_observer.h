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

#ifndef LMP_GPZ_STEP_OBSERVER_H
#define LMP_GPZ_STEP_OBSERVER_H

namespace LAMMPS_NS {

// The functions of its dump that fix GPZ/STEP calls, on all ranks.
class GPZStepObserver {
 public:
  // At every step: frames in the background may go on.
  virtual void poll() = 0;
  // Nothing of the step is left to do except its output.
  virtual void step_is_over() = 0;
  // The run or minimisation has ended.
  virtual void end_of_run() = 0;

 protected:
  ~GPZStepObserver() = default;
};

}  // namespace LAMMPS_NS

#endif
