// SPDX-License-Identifier: BSD-3-Clause
// The tables and observables of a stream, taken from its records as they pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/tables.hpp"

namespace gpz::python {

class StreamTables {
 public:
  // max_memory: bytes, of all tables together; 0: as gpz::Reader.
  explicit StreamTables(std::uint64_t max_memory);

  // For StreamReader::on_record. Damage is no error here: the frames of the stream stay readable.
  void take(const StoredRecord &record);
  // Those in front of the last frame, ascending by name. Throws what the first damaged record threw.
  std::vector<Table> tables() const;
  // Those of the frame that was read last. Called once for each frame. Throws as Reader::observables.
  std::vector<Observable> observables(std::int64_t timestep);

 private:
  void keep(std::vector<Table> tables);
  std::vector<Observable> names() const;
  std::vector<Observable> of_record(const StoredRecord &record) const;
  std::vector<Observable> of_thermo(std::int64_t timestep);

  std::uint64_t max_memory_;
  std::map<std::string, Table> tables_;
  std::exception_ptr damage_;
  std::unordered_map<std::int64_t, std::size_t> rows_of_thermo_;  // by timestep
  bool rows_known_ = false;
  std::deque<StoredRecord> waiting_;  // observables in front of the next frame
};

}  // namespace gpz::python
