// SPDX-License-Identifier: BSD-3-Clause
// Settings of thermodynamic output, from the commands in a LAMMPS log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpz::tool {

class LogSettings {
 public:
  // A line outside of the rows of a run. Lines that are no commands change nothing.
  void take(std::string_view line);

  // Whether energies are divided by the number of atoms; nothing: no command says so, and it depends on the units.
  std::optional<bool> norm() const;
  // The unit style; empty: no command names it.
  const std::string &units() const { return units_; }

 private:
  void take_command(std::string_view command);

  std::string continued_;       // a command whose last line ended in &
  std::string units_;           // empty: unknown
  std::optional<bool> chosen_;  // by thermo_modify norm
};

// Whether LAMMPS divides energies by the number of atoms in these units, where thermo_modify norm does not say so.
inline bool norm_of_units(std::string_view units) { return units == "lj"; }

}  // namespace gpz::tool
