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

#include "gpz_exit_code.h"

#include <cstdio>
#include <cstdlib>

void LAMMPS_NS::gpz_end_with_failure() {
  static const int arranged = std::atexit([] {
    std::fflush(nullptr);  // it would follow otherwise
    std::_Exit(1);
  });
  static_cast<void>(arranged);
}
