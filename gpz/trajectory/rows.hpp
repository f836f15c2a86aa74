// SPDX-License-Identifier: BSD-3-Clause
// Rows of the caller's arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpz/codec/parallel.hpp"
#include "gpz/frame.hpp"

namespace gpz::trajectory {

using Rows = std::vector<std::uint32_t>;

// Row of each particle; 0, 1, 2, ... if `rows` is null.
inline void take_rows(const int *rows, std::size_t particles, int threads, Rows &out) {
  out.resize(particles);
  codec::parallel_particles(threads, particles, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) out[i] = static_cast<std::uint32_t>(rows == nullptr ? i : rows[i]);
  });
}

// Calls take(i, value) for element rows[i] of the array. Several threads may call it at the same time.
template <typename T, typename Take>
void for_rows(const ConstArray &array, const Rows &rows, int threads, const Take &take) {
  codec::parallel_particles(threads, rows.size(), [&](std::size_t first, std::size_t last) {
    const char *base = static_cast<const char *>(array.data);
    for (std::size_t i = first; i < last; ++i) {
      T value;
      std::memcpy(&value, base + static_cast<std::ptrdiff_t>(rows[i]) * array.stride, sizeof(T));
      take(i, value);
    }
  });
}

template <typename Take>
void for_integers(const ConstArray &array, const Rows &rows, int threads, const Take &take) {
  if (array.type == ConstArray::Type::int32)
    for_rows<std::int32_t>(array, rows, threads, take);
  else
    for_rows<std::int64_t>(array, rows, threads, take);
}

}  // namespace gpz::trajectory
