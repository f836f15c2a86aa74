// SPDX-License-Identifier: BSD-3-Clause
// The thermodynamic output of a LAMMPS log, as the table `thermo` of a .gpz file (docs/format.md, section 11a).
#pragma once

#include <string>

#include "gpz/tables.hpp"

namespace gpz::tool {

// One row a timestep, ascending; of a timestep that occurs several times the last row. The columns are those of all
// runs, NaN where a run has them not. Throws Failure: corrupt (no thermodynamic output, or one of thermo_modify line
// multi or yaml), io.
Table read_lammps_log(const std::string &path);

}  // namespace gpz::tool
