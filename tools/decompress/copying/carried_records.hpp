// SPDX-License-Identifier: BSD-3-Clause
// Records of a file that are no frames, carried along to a new file with the frames (docs/format.md, section 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "copying/records_of_part.hpp"
#include "copying/whole_output.hpp"
#include "gpz/reader.hpp"

namespace gpz::tool {

class CarriedRecords {
 public:
  // All have to outlive this object. `part`: what becomes of the records of frames that lose particles; nullptr: none
  // do.
  CarriedRecords(const Reader &reader, WholeOutput &out, RecordsOfPart *part = nullptr, const Limits &limits = {})
      : reader_(reader), out_(out), part_(part), limits_(limits) {}

  // To be called before frame i is written. The first time, the tables after the last frame of the file, which are
  // valid for frames without a table of their name, are written in front of it: in the new file other frames may
  // follow. Then writes the records in front of it, and those in front of frames since the last call, but not the
  // observables of these. Throws what reading and writing throw; the next call goes on after what could not be read.
  void before(std::size_t i);
  // To be called after frame i was written: after the last frame of the file, writes the records there.
  void after(std::size_t i) {
    if (i + 1 == reader_.frames()) before(i + 1);
  }

 private:
  void move_tables_behind(std::size_t i);
  void copy(const StoredRecord &record, std::size_t i);
  std::uint64_t particles(std::size_t i) const;

  const Reader &reader_;
  WholeOutput &out_;
  RecordsOfPart *part_;
  Limits limits_;
  std::size_t next_ = 0;
  bool begun_ = false;
  std::vector<std::uint64_t> moved_;  // offsets of records after the last frame whose tables stand elsewhere
};

}  // namespace gpz::tool
