// SPDX-License-Identifier: BSD-3-Clause
// Access to single values of the caller's arrays.
#pragma once

#include <cstddef>
#include <cstring>

#include "gpz/frame.hpp"

namespace gpz::api {

// Row of particle i; `rows` is as in ChunkEncoder::encode.
inline std::size_t row_of(std::size_t i, const int *rows) {
  return rows == nullptr ? i : static_cast<std::size_t>(rows[i]);
}

template <class T>
T value_at(const ConstArray &array, std::size_t row) {
  T value;
  std::memcpy(&value, static_cast<const char *>(array.data) + static_cast<std::ptrdiff_t>(row) * array.stride,
              sizeof value);
  return value;
}

}  // namespace gpz::api
