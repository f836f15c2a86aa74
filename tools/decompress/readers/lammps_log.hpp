// SPDX-License-Identifier: BSD-3-Clause
// The thermodynamic output of a LAMMPS log, as the table `thermo` of a .gpz file (docs/format.md, section 11a).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::tool {

class LoggedThermo {
 public:
  // `atoms`: the number of atoms in each row; NaN: unknown.
  LoggedThermo(Table table, std::vector<double> atoms) : table_(std::move(table)), atoms_(std::move(atoms)) {}

  const Table &table() const { return table_; }
  // With the column Atoms.
  Table with_count() const;
  // Whether the table is of another number of atoms at this timestep, and does not say so.
  bool needs_count(std::int64_t timestep, std::uint64_t particles) const;

 private:
  Table table_;
  std::vector<double> atoms_;
};

// One row a timestep, ascending; of a timestep with which one run ends and the next begins the last row. Where the
// steps go back, rows of earlier runs from that step on are left out. The columns are those of all these runs, NaN
// where a run has them not; columns without a number are left out. What is left out is named on standard error.
// Energies per atom have the unit for that; if some of the rows have them and others not, they are made energies of all
// atoms. `units`: where no command in the log names them; may be empty. Throws Failure: corrupt (no thermodynamic
// output, or one of thermo_modify line multi or yaml), io.
LoggedThermo read_lammps_log(const std::string &path, const std::string &units);

}  // namespace gpz::tool
