// SPDX-License-Identifier: BSD-3-Clause
// The order of columns in the file that a frame was made from.
#pragma once

#include <algorithm>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::tool {

// In a frame, positions come first; here every column stands where the dump had it.
inline std::vector<const Frame::Column *> columns_in_file_order(const Frame &frame) {
  std::vector<const Frame::Column *> columns;
  for (const Frame::Column &column : frame.columns) columns.push_back(&column);
  const auto rank = [&](const Frame::Column *c) { return frame.info.fields[c->field].components[c->component].column; };
  std::stable_sort(columns.begin(), columns.end(), [&](auto *a, auto *b) { return rank(a) < rank(b); });
  return columns;
}

}  // namespace gpz::tool
