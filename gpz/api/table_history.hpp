// SPDX-License-Identifier: BSD-3-Clause
// Which tables and observables are valid for a frame of a file (docs/format.md, sections 11a and 11b).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gpz/api/frame_file.hpp"
#include "gpz/api/observables.hpp"
#include "gpz/api/tables.hpp"
#include "gpz/tables.hpp"

namespace gpz::api {

// Thread-safe. Memory is charged to the current budget.
class TableHistory {
 public:
  explicit TableHistory(const FrameFile &file) : file_(file) {}

  // For each name the last table in front of frame i, or else the last one after all frames; only these names if there
  // are any. i may be the number of frames. Ascending by name. Throws not_found, corrupt, limit_exceeded, io_error.
  std::vector<Table> tables(std::size_t i, const std::vector<std::string> &names);
  // The observables of frame i: those in front of it, or else those of the table `thermo`. Throws as tables.
  std::vector<Observable> observables(std::size_t i);

 private:
  struct TableRecord {
    std::size_t frame;   // that the record stands in front of
    RecordEntry record;  // of tables
  };
  using TableRecords = std::map<std::string, std::vector<TableRecord>>;  // by name, in file order

  // Searches in front of all frames up to frame i, and after the last one.
  void find(std::size_t i);
  void find_in_front_of(std::size_t i, TableRecords &tables) const;
  std::vector<Observable> observables_of_thermo(std::size_t i);
  // The table of this name alone.
  std::vector<Table> read_table(const RecordEntry &entry, const std::string &name, Charges &charges) const;
  // The record with the table of this name that is valid for frame i, or nullptr.
  const RecordEntry *valid(const std::string &name, std::size_t i) const;

  const FrameFile &file_;
  std::mutex mutex_;
  std::size_t searched_ = 0;  // frames whose records were searched
  bool searched_behind_ = false;
  TableRecords tables_;
  TableRecords behind_;  // the last frame
  // Contents of the records at these offsets, kept for the next frame; 0: of none.
  std::uint64_t names_from_ = 0;
  std::vector<Observable> names_;  // names and units of observables
  Charges names_charges_;
  std::uint64_t thermo_from_ = 0;
  ThermoTable thermo_;
};

}  // namespace gpz::api
