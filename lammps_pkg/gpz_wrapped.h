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

#ifndef LMP_GPZ_WRAPPED_H
#define LMP_GPZ_WRAPPED_H

#include "lmptype.h"

namespace LAMMPS_NS {
class Atom;
class LAMMPS;

// For dump_modify pbc: copies of the atoms, wrapped into the box, take the place of the atoms' own arrays until the end
// of the scope, also if an error is thrown.
class GPZWrapped {
 public:
  // The arrays get the copies: they have room for the local atoms, and outlive this.
  GPZWrapped(LAMMPS *lmp, double **x, double **v, imageint *image);
  ~GPZWrapped();
  GPZWrapped(const GPZWrapped &) = delete;
  GPZWrapped &operator=(const GPZWrapped &) = delete;

 private:
  explicit GPZWrapped(LAMMPS *lmp);

  Atom *atom_;
  double **x_, **v_;  // the atoms' own
  imageint *image_;
};

}  // namespace LAMMPS_NS

#endif
