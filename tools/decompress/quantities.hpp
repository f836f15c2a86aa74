// SPDX-License-Identifier: BSD-3-Clause
// The names of quantities in extended XYZ, how many numbers they have, and their units there, which are those of ASE.
// The table for Python is python/gpz/_quantities.py.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::tool {

// Columns of LAMMPS that are the components of one property of extended XYZ. The first name is written, all are read.
struct VectorQuantity {
  std::array<std::string_view, 3> columns;
  std::vector<std::string_view> properties;
};
const std::vector<VectorQuantity> &vector_quantities();

// Whether energies and forces of a file with these units are taken as they are for those of ASE: in eV and Angstrom, or
// in no unit that is known.
bool in_electronvolts(const std::string &units);

// The name of the column of one component (from 0 on) of a property: name[1], name[2], ... where LAMMPS has none.
std::string column_of(const std::string &property, std::size_t component, std::size_t components);

// The unit of a number of the comment of extended XYZ that ASE gives a meaning: "eV" of energy. Empty for others.
std::string unit_in_extended_xyz(std::string_view name, std::size_t numbers);

// A value of the comment of extended XYZ, in the units of ASE.
struct FrameValue {
  std::string name;
  std::vector<double> numbers;
  std::size_t columns = 0;  // of each row of an array of two dimensions; 0 for others
};
// Observables of a file with these units as such values: name[1] to name[k] become one. The potential energy becomes
// energy; stress and virial get nine numbers.
std::vector<FrameValue> frame_values(const std::vector<Observable> &observables, const std::string &units);

}  // namespace gpz::tool
