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
#include "gpz/tables.hpp"

namespace gpz::api {

// Thread-safe. Memory is charged to the current budget.
class TableHistory {
 public:
  explicit TableHistory(const FrameFile &file) : file_(file) {}

  // For each name the last table in front of frame i, or of the whole file if i is the number of frames; only these
  // names if there are any. Ascending by name. Throws not_found, corrupt, limit_exceeded, io_error.
  std::vector<Table> tables(std::size_t i, const std::vector<std::string> &names);
  // The observables of frame i. Throws as tables.
  std::vector<Observable> observables(std::size_t i);

 private:
  struct Place {
    std::size_t frame;   // that the record stands in front of
    RecordEntry record;  // of tables
  };
  using Places = std::map<std::string, std::vector<Place>>;  // ascending by frame, in file order

  void find(std::size_t i);
  // The last record in front of frame i with the table, or nullptr.
  static const RecordEntry *last(const std::vector<Place> &places, std::size_t i);

  const FrameFile &file_;
  std::mutex mutex_;
  std::size_t searched_ = 0;  // in front of so many frames
  Places places_;
  std::uint64_t names_from_ = 0;   // offset of the record that names_ is from; 0: none
  std::vector<Observable> names_;  // names and units of observables
};

}  // namespace gpz::api
