// SPDX-License-Identifier: BSD-3-Clause
// Particles as lines of text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/frame.hpp"
#include "number_text.hpp"
#include "type_names.hpp"

namespace gpz::tool {

// How one column of a frame is printed. Points into the frame.
struct ColumnText {
  enum class Kind { constant, integer, named_integer, fixed, shortest_float32, shortest_float64 };

  Kind kind = Kind::constant;
  std::string constant;
  const std::int64_t *integers = nullptr;
  const double *floats = nullptr;
  const std::vector<std::string> *names = nullptr;  // words; of integer t: entry t - 1; the number where there is none
  int decimals = 0;
};

ColumnText constant_column(const std::string &text);
// `exact` prints every float so that the same value is read back.
ColumnText frame_column(const Frame &frame, const Frame::Column &column, const TypeNames &names, bool exact);

// Appends lines for rows[first] to rows[last - 1] (rows first to last - 1 if `rows` is empty): values with a blank
// between them.
void append_rows(std::string &text, const std::vector<ColumnText> &columns, const std::vector<std::size_t> &rows,
                 std::size_t first, std::size_t last);

}  // namespace gpz::tool
