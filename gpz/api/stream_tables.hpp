// SPDX-License-Identifier: BSD-3-Clause
// The tables and observables of a stream, taken from its records as they pass (docs/format.md, sections 11a and 11b).
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpz/api/observables.hpp"
#include "gpz/api/tables.hpp"

namespace gpz::api {

// Memory is charged to the current budget.
class StreamTables {
 public:
  // A record in front of the next frame. A damaged one is no error here: the frames stay readable.
  void take(const StoredRecord &record);
  // The frame after these records was read.
  void pass_frame(std::int64_t timestep);
  // Those that are valid for the last frame, ascending by name. Throws what the first damaged record threw.
  std::vector<Table> tables() const;
  // Those of the last frame. Throws as tables, and corrupt.
  std::vector<Observable> observables();

 private:
  struct Kept {
    Table table;
    std::shared_ptr<Charges> charges;  // of all tables of the record
  };

  // The table with a charge of its own; an empty list if there is none.
  std::vector<Table> copy_of(const std::string &name, Charges &charges) const;

  std::map<std::string, Kept> tables_;
  std::exception_ptr damage_;
  std::optional<ThermoTable> thermo_;  // made when it is first needed
  std::deque<StoredRecord> waiting_;   // observables in front of the next frame
  std::deque<StoredRecord> of_frame_;  // those in front of the last frame
  std::int64_t timestep_ = 0;          // of the last frame
};

}  // namespace gpz::api
