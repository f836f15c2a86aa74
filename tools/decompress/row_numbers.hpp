// SPDX-License-Identifier: BSD-3-Clause
// Numbers that keep the rows of a foreign file in their order: ids, or the numbers of the rows where there are none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::tool {

// Gives the ids 1, 2, ... to a frame, as its last column.
void number_rows(Frame &frame);
// Whether a frame has positions, by which its rows may be sorted, and no ids.
bool lacks_ids(const Frame &frame);
// Whether the ids of a .gpz file are numbers of rows: the columns of the file that it was made from have none.
bool ids_are_row_numbers(const Metadata &metadata);

class RowNumbers {
 public:
  // `order`: the one in which the frames are encoded.
  explicit RowNumbers(Order order) : order_(order) {}

  // Numbers the rows of a frame without ids, if the order may change them. Throws Failure (usage) if the frame has ids
  // and the first one has none, or vice versa.
  void apply(const std::string &file, Frame &frame);

  // The note on the file: that its rows were numbered or sorted, and the first id that occurs twice.
  std::vector<std::string> notes(const std::string &file) const;

 private:
  void compare_rows(const Frame &frame);
  void find_equal_ids(const Frame &frame);

  Order order_;
  std::uint64_t frames_ = 0;
  std::uint64_t particles_ = 0;                     // these two: of the first frame
  std::vector<std::vector<std::int64_t>> species_;  // of each row: elements, types
  std::optional<std::uint64_t> first_;              // the first frame with particles
  bool first_lacks_ids_ = false;
  bool numbers_ = false;
  std::string other_rows_;  // which frame has other particles in its rows than the first one, and how they differ
  std::string equal_ids_;   // where the first id is that occurs twice
};

}  // namespace gpz::tool
