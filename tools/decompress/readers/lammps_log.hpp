// SPDX-License-Identifier: BSD-3-Clause
// The thermodynamic output of a LAMMPS log, as the table `thermo` of a .gpz file (docs/format.md, section 11a).
#pragma once

#include <string>

#include "gpz/tables.hpp"

namespace gpz::tool {

// One row a timestep, ascending; of a timestep with which one run ends and the next begins the last row. Where the
// steps go back, rows of earlier runs from that step on are left out. The columns are those of all these runs, NaN
// where a run has them not; columns without a number are left out. What is left out is named on standard error. Throws
// Failure: corrupt (no thermodynamic output, or one of thermo_modify line multi or yaml), io.
Table read_lammps_log(const std::string &path);

}  // namespace gpz::tool
