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

#ifndef LMP_GPZ_METADATA_H
#define LMP_GPZ_METADATA_H

#include <gpz/frame.hpp>

namespace LAMMPS_NS {
class LAMMPS;

// The metadata of a file about the simulation, without those about the dump.
gpz::Metadata gpz_metadata(LAMMPS *lmp);

}  // namespace LAMMPS_NS

#endif
