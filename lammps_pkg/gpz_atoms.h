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

#ifndef LMP_GPZ_ATOMS_H
#define LMP_GPZ_ATOMS_H

#include <array>
#include <gpz/frame.hpp>
#include <type_traits>
#include <vector>

#include "lmptype.h"

namespace LAMMPS_NS {
class LAMMPS;

// The properties of atoms that LAMMPS stores and columns can show. xu: unwrapped positions, computed from stored ones
// and image flags.
enum class GPZProperty { id, molecule, type, image, x, xu, v, f, q, mu, radius, omega, angmom, torque };

// The type of an array of doubles, floats or integers.
template <typename T>
constexpr gpz::ConstArray::Type gpz_type_of() {
  using Type = gpz::ConstArray::Type;
  return std::is_same<T, double>::value  ? Type::float64
         : std::is_same<T, float>::value ? Type::float32
         : sizeof(T) == 4                ? Type::int32
                                         : Type::int64;
}

// Where in an imageint the flag of an axis begins.
constexpr int gpz_image_shift(int axis) { return axis == 0 ? 0 : axis == 1 ? IMGBITS : IMG2BITS; }

// Where the properties of the local atoms are, in host memory or on a GPU.
class GPZAtoms {
 public:
  virtual ~GPZAtoms() = default;
  // Component of a property; of image flags, the axis. Element i is local atom i; data nullptr: not there.
  virtual gpz::ConstArray find(GPZProperty property, int component) = 0;
};

// In the arrays of class Atom.
class GPZHostAtoms : public GPZAtoms {
 public:
  explicit GPZHostAtoms(LAMMPS *lmp) : lmp_(lmp) {}
  gpz::ConstArray find(GPZProperty property, int component) override;
  double memory_usage() const;

 private:
  LAMMPS *lmp_;                            // whose class Atom changes: the command replicate makes a new one
  std::array<std::vector<int>, 3> image_;  // unpacked, per axis
};

}  // namespace LAMMPS_NS

#endif
