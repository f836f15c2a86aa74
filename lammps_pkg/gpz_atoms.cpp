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

#include "gpz_atoms.h"

#include "atom.h"
#include "lammps.h"

using namespace LAMMPS_NS;
using gpz::ConstArray;

namespace {

template <typename T>
ConstArray scalars(const T *values) {
  return {values, sizeof(T), gpz_type_of<T>()};
}

// LAMMPS allocates an array of vectors as one piece with `width` components a row.
ConstArray vectors(double *const *rows, int component, int width = 3) {
  return {rows ? rows[0] + component : nullptr, static_cast<std::ptrdiff_t>(width * sizeof(double)),
          ConstArray::Type::float64};
}

}  // namespace

ConstArray GPZHostAtoms::find(GPZProperty property, int component) {
  const Atom *const atom = lmp_->atom;
  switch (property) {
    case GPZProperty::id:
      return scalars(atom->tag);
    case GPZProperty::molecule:
      return scalars(atom->molecule);
    case GPZProperty::type:
      return scalars(atom->type);
    case GPZProperty::image: {
      const int shift = gpz_image_shift(component);
      const std::size_t nlocal = static_cast<std::size_t>(atom->nlocal);
      std::vector<int> &flags = image_[component];
      if (flags.size() < nlocal) flags.resize(static_cast<std::size_t>(atom->nmax));
      for (std::size_t i = 0; i < nlocal; ++i)
        flags[i] = static_cast<int>((atom->image[i] >> shift) & IMGMASK) - IMGMAX;
      return scalars(flags.data());
    }
    case GPZProperty::x:
      return vectors(atom->x, component);
    case GPZProperty::xu:
      break;  // packed by DumpCustom
    case GPZProperty::v:
      return vectors(atom->v, component);
    case GPZProperty::f:
      return vectors(atom->f, component);
    case GPZProperty::q:
      return scalars(atom->q);
    case GPZProperty::mu:
      return vectors(atom->mu, component, 4);
    case GPZProperty::radius:
      return scalars(atom->radius);
    case GPZProperty::omega:
      return vectors(atom->omega, component);
    case GPZProperty::angmom:
      return vectors(atom->angmom, component);
    case GPZProperty::torque:
      return vectors(atom->torque, component);
  }
  return {};
}

double GPZHostAtoms::memory_usage() const {
  double bytes = 0;
  for (const auto &flags : image_) bytes += static_cast<double>(flags.capacity() * sizeof(int));
  return bytes;
}
