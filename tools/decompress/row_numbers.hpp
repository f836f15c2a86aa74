// SPDX-License-Identifier: BSD-3-Clause
// Ids for frames of a format that has none: the numbers of the rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::tool {

// The first frame decides whether frames are numbered, so that one pass is enough. A row counts as the same particle as
// long as every frame has as many rows as the first one, with the same species in them. From the first other frame on,
// no frame gets ids.
class RowNumbers {
 public:
  // Gives the ids 1, 2, ... to frames that have positions and no ids, as their last column.
  void apply(const std::string &file, Frame &frame);

  // Whether there are ids, and all frames so far have them.
  bool numbers_all() const { return active_ && frames_ > 0; }

 private:
  std::string difference(const Frame &frame) const;

  bool active_ = true;
  std::uint64_t frames_ = 0;
  std::uint64_t particles_ = 0;                     // of the first frame, as the following one
  std::vector<std::vector<std::int64_t>> species_;  // of each row: elements, types
};

}  // namespace gpz::tool
