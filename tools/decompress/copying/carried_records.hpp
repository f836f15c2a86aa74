// SPDX-License-Identifier: BSD-3-Clause
// Records of a file that are no frames, carried along to a new file with the frames (docs/format.md, section 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "copying/whole_output.hpp"
#include "gpz/reader.hpp"
#include "gpz/selection.hpp"

namespace gpz::tool {

class CarriedRecords {
 public:
  // All have to outlive this object. `ids`: of the particles that are kept; nullptr: all.
  CarriedRecords(const Reader &reader, WholeOutput &out, const NumberRanges *ids = nullptr, const Limits &limits = {})
      : reader_(reader), out_(out), ids_(ids), limits_(limits) {}

  // To be called before frame i is written. The first time, the tables behind the last frame of the file, which are
  // valid for frames without a table of their name, are written in front of it: in the new file other frames may
  // follow. Then writes the records in front of it, and those in front of frames since the last call, but not the
  // observables of these. Throws what reading and writing throw; the next call goes on behind what could not be read.
  void before(std::size_t i);
  // To be called after frame i was written: behind the last frame of the file, writes the records there.
  void after(std::size_t i) {
    if (i + 1 == reader_.frames()) before(i + 1);
  }

 private:
  void move_tables_behind(std::size_t i);
  void copy(const RecordEntry &entry);

  const Reader &reader_;
  WholeOutput &out_;
  const NumberRanges *ids_;
  Limits limits_;
  std::size_t next_ = 0;
  bool begun_ = false;
  std::vector<std::uint64_t> moved_;  // offsets of records behind the last frame whose tables stand elsewhere
};

}  // namespace gpz::tool
