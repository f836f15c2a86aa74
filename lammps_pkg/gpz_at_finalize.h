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

#ifndef LMP_GPZ_AT_FINALIZE_H
#define LMP_GPZ_AT_FINALIZE_H

#include <functional>

namespace LAMMPS_NS {

// Calls `action` when MPI_Finalize begins (without MPI: when the program ends), unless the object is gone by then.
// After an error, LAMMPS ends without destroying anything. Actions run in the order of their objects' creation and may
// communicate; what they throw is lost.
class GPZAtFinalize {
 public:
  explicit GPZAtFinalize(std::function<void()> action);
  ~GPZAtFinalize();
  GPZAtFinalize(const GPZAtFinalize &) = delete;
  GPZAtFinalize &operator=(const GPZAtFinalize &) = delete;

 private:
  std::function<void()> action_;
};

}  // namespace LAMMPS_NS

#endif
