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

#ifndef LMP_GPZ_EXIT_CODE_H
#define LMP_GPZ_EXIT_CODE_H

namespace LAMMPS_NS {

// From now on the program cannot end with exit code 0: it ends with 1 instead. For errors in destructors, which cannot
// be reported to LAMMPS otherwise.
void gpz_end_with_failure();

}  // namespace LAMMPS_NS

#endif
