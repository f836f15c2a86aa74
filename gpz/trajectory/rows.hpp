// SPDX-License-Identifier: BSD-3-Clause
// Rows of the caller's arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::trajectory {

using Rows = std::vector<std::uint32_t>;

// Row of each particle; 0, 1, 2, ... if `rows` is null.
inline void take_rows(const int *rows, std::size_t particles, Rows &out) {
  out.resize(particles);
  if (rows == nullptr)
    std::iota(out.begin(), out.end(), 0u);
  else
    std::transform(rows, rows + particles, out.begin(), [](int row) { return static_cast<std::uint32_t>(row); });
}

// Calls take(i, value) for element rows[i] of the array.
template <typename T, typename Take>
void for_rows(const ConstArray &array, const Rows &rows, const Take &take) {
  const char *base = static_cast<const char *>(array.data);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    T value;
    std::memcpy(&value, base + static_cast<std::ptrdiff_t>(rows[i]) * array.stride, sizeof(T));
    take(i, value);
  }
}

template <typename Take>
void for_integers(const ConstArray &array, const Rows &rows, const Take &take) {
  if (array.type == ConstArray::Type::int32)
    for_rows<std::int32_t>(array, rows, take);
  else
    for_rows<std::int64_t>(array, rows, take);
}

}  // namespace gpz::trajectory
