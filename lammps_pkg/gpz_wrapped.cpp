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

#include "gpz_wrapped.h"

#include <cstring>

#include "atom.h"
#include "domain.h"
#include "lammps.h"

using namespace LAMMPS_NS;

GPZWrapped::GPZWrapped(LAMMPS *lmp) : atom_(lmp->atom), x_(atom_->x), v_(atom_->v), image_(atom_->image) {}

// An error of Domain::pbc() calls the destructor, too, because the other constructor has returned by then.
//
// Domain's own functions are named because KOKKOS overrides them with ones that change the live atoms on the device.
GPZWrapped::GPZWrapped(LAMMPS *lmp, double **x, double **v, imageint *image) : GPZWrapped(lmp) {
  const int nlocal = atom_->nlocal;
  if (nlocal) {
    const std::size_t n = static_cast<std::size_t>(nlocal);
    memcpy(&x[0][0], &x_[0][0], 3 * n * sizeof(double));
    memcpy(&v[0][0], &v_[0][0], 3 * n * sizeof(double));
    memcpy(image, image_, n * sizeof(imageint));
  }
  atom_->x = x;
  atom_->v = v;
  atom_->image = image;
  Domain *const domain = lmp->domain;
  if (domain->triclinic) domain->Domain::x2lamda(nlocal);
  domain->Domain::pbc();
  if (domain->triclinic) domain->Domain::lamda2x(nlocal);
}

GPZWrapped::~GPZWrapped() {
  atom_->x = x_;
  atom_->v = v_;
  atom_->image = image_;
}
