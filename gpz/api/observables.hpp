// SPDX-License-Identifier: BSD-3-Clause
// Observables of a frame as bytes (docs/format.md, section 11b).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/api/tables.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/tables.hpp"

namespace gpz::api {

inline constexpr char observables_table_name[] = "observables";
inline constexpr char thermo_table_name[] = "thermo";

// Names and units from the table `observables`, the only one of the list. Values are NaN. `charges`: of the table, then
// of the result too. Throws corrupt, limit_exceeded.
std::vector<Observable> names_of_observables(std::vector<Table> tables, Charges &charges);
// The timestep of a record of observables. Throws corrupt.
std::int64_t timestep_of_observables(const StoredRecord &record);
// The values of a record, with these names and units. Throws corrupt if the record was written with others.
std::vector<Observable> values_of_observables(const StoredRecord &record, const std::vector<Observable> &names);

// The table `thermo`: observables of many timesteps.
class ThermoTable {
 public:
  ThermoTable() = default;
  // `tables` holds the table `thermo` alone, which takes these charges. Throws corrupt if it has no integer column
  // `timestep`, limit_exceeded.
  ThermoTable(std::vector<Table> tables, Charges charges);

  // Those of the first row with this timestep; empty if there is none.
  std::vector<Observable> at(std::int64_t timestep) const;

 private:
  Table table_;
  Charges charges_;
  const std::int64_t *timesteps_ = nullptr;  // of the rows
  format::Column<std::size_t> rows_;         // ascending by timestep, then by row
};

}  // namespace gpz::api
