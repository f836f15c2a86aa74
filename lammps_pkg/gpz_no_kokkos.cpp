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

// For a LAMMPS without KOKKOS, or one whose KOKKOS keeps atoms in host memory, as class Atom has them.

#include "gpz_kokkos.h"

using namespace LAMMPS_NS;

int gpz_kokkos::device(LAMMPS *) { return -1; }
gpz::ConstArray gpz_kokkos::find(LAMMPS *, GPZProperty, int) { return {}; }
gpz::ConstArray gpz_kokkos::find_custom(LAMMPS *, const void *) { return {}; }
const int *gpz_kokkos::mask(LAMMPS *) { return nullptr; }
const void *gpz_kokkos::image(LAMMPS *) { return nullptr; }
void gpz_kokkos::sync(LAMMPS *, const std::vector<GPZProperty> &, bool) {}
void gpz_kokkos::sync_host(LAMMPS *, std::uint64_t) {}
void gpz_kokkos::fence() {}
bool gpz_kokkos::in_loop(LAMMPS *) { return false; }
