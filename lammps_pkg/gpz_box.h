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

#ifndef LMP_GPZ_BOX_H
#define LMP_GPZ_BOX_H

#include <gpz/frame.hpp>

namespace LAMMPS_NS {
class Domain;

// The simulation box as a frame has it; `general`: with the edge vectors of a general triclinic box.
gpz::Box gpz_box(const Domain &domain, bool general);

// No coordinate of a position in the box is larger in magnitude, distance units. A power of two, so that most boxes
// that change keep it.
double gpz_largest_coordinate(const Domain &domain);

// The longest edge of a box, distance units.
double gpz_longest_edge(const gpz::Box &box);

}  // namespace LAMMPS_NS

#endif
