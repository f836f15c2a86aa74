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

#ifndef LMP_GPZ_KOKKOS_H
#define LMP_GPZ_KOKKOS_H

#include <cstdint>
#include <vector>

#include "gpz_atoms.h"

namespace LAMMPS_NS {
class LAMMPS;

// The atoms that KOKKOS has in the memory of a GPU. This header is free of KOKKOS, so that only one file needs it; if
// LAMMPS is built without KOKKOS, gpz_no_kokkos.cpp has the same functions.
namespace gpz_kokkos {

// The GPU on which KOKKOS keeps atoms; -1 if it keeps them in host memory or there is no KOKKOS.
int device(LAMMPS *lmp);

// Component of a property in device memory, as GPZAtoms::find; data nullptr if KOKKOS does not keep it there. The
// values are those of the last sync().
gpz::ConstArray find(LAMMPS *lmp, GPZProperty property, int component);
// The copy in device memory of a vector per atom of fix property/atom that is at `host` in host memory; data nullptr if
// KOKKOS has none.
gpz::ConstArray find_custom(LAMMPS *lmp, const void *host);
// Group masks and packed image flags, an int and an imageint for every atom.
const int *mask(LAMMPS *lmp);
const void *image(LAMMPS *lmp);

// Makes the device have what find(), mask() and image() show, with `custom` also find_custom(), and waits for all that
// KOKKOS does there.
void sync(LAMMPS *lmp, const std::vector<GPZProperty> &properties, bool custom);
// Makes the host have these arrays (atom_masks.h), and waits for that.
void sync_host(LAMMPS *lmp, std::uint64_t mask);
// Waits for all that KOKKOS does on the device.
void fence();
// Is KOKKOS in the loop of a run, where the host has only what was asked for?
bool in_loop(LAMMPS *lmp);

}  // namespace gpz_kokkos
}  // namespace LAMMPS_NS

#endif
