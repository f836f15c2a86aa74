// SPDX-License-Identifier: BSD-3-Clause
// How wide the column of names is in a report for people.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gpz/printable.hpp"

namespace gpz::tool {

// In bytes. `items` have names, which are shown printable(). Limited, or one long name would make every line long.
template <typename Items>
std::size_t name_width(const Items &items) {
  constexpr std::size_t widest = 40;
  std::size_t width = 6;  // of the heading, "column"
  for (const auto &item : items) width = std::max(width, std::min(widest, printable(item.name).size()));
  return width;
}

}  // namespace gpz::tool
