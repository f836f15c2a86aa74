// SPDX-License-Identifier: BSD-3-Clause
// The unit styles of LAMMPS, as Metadata::units names them, and the bound of positions that is used without another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/export.h"

namespace gpz {

struct UnitStyle {
  const char *name;
  const char *length;     // the unit of distance
  double position_bound;  // in that unit
};

// lj, real, metal, electron, si, cgs, micro, nano. Where a unit of length is natural, the bound is 0.0005 Angstrom (in
// lj 0.0005 sigma): a tenth of the precision of XTC files, and far below thermal motion.
GPZ_API const std::vector<UnitStyle> &unit_styles();
// Throws invalid_argument if LAMMPS has no such style; the message lists them.
GPZ_API const UnitStyle &unit_style(const std::string &name);

// The bound that is proposed for a column other than positions whose values have the root mean square `rms`: a
// thousandth of it, rounded down to 1, 2 or 5 times a power of ten. 0 if there is none.
GPZ_API double usual_bound(double rms);

// The bound of velocities that leaves observables unchanged: a thousandth of the thermal speed of the heaviest species
// (of one component), rounded down to two significant digits. 0 if there is none.
GPZ_API double thermal_bound(double thermal_speed);

struct FieldInput;  // gpz/frame.hpp

// That bound, from the columns vx, vy and vz of a frame (those that it has), in their units. The thermal speed of a
// species is the root mean square of the components of its velocities, about the mean of each. The species with the
// smallest counts, which in equilibrium is the heaviest. A species is the particles with one value in the column type,
// typelabel, element or mass: the first of them that the frame has. Bounds, other columns and values that are not
// finite have no part in it. Throws invalid_argument without velocities (floats), without a column of species, and if
// in no species two particles differ in velocity.
GPZ_API double thermal_bound(const std::vector<FieldInput> &fields, std::uint64_t particles);

}  // namespace gpz
