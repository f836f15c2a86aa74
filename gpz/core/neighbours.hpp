// SPDX-License-Identifier: BSD-3-Clause
// Predicts a particle's remainder (its residual after temporal prediction) from the remainders in the preceding slots
// (docs/decisions/0013; docs/format.md, section 9).
#pragma once

#include <cstddef>

#include "gpz/core/residual.hpp"

namespace gpz::core {

inline constexpr std::uint32_t max_neighbour_levels = 16;
inline constexpr std::uint32_t max_neighbour_lags = 4;

// Weights in units of 1/64. Slot s uses level s mod `levels`; weight[level][j] applies to slot s - 1 - j.
struct Neighbours {
  std::uint32_t levels = 0;  // 0: no neighbour prediction
  std::uint32_t lags = 0;
  std::int8_t weight[max_neighbour_levels][max_neighbour_lags] = {};
};

inline namespace GPZ_ISA {

// True if the format allows these dimensions.
GPZ_HD bool are_neighbours(std::uint32_t levels, std::uint32_t lags) {
  return levels >= 1 && levels <= max_neighbour_levels && lags >= 1 && lags <= max_neighbour_lags;
}

// Bytes in the section header: levels, lags, weights.
GPZ_HD std::size_t neighbour_header_size(std::uint32_t levels, std::uint32_t lags) {
  return 2 + static_cast<std::size_t>(levels) * lags;
}

// Residual of the temporal prediction for a particle that moved from `last` to q.
GPZ_HD std::int64_t remainder_of(std::int64_t q, std::int64_t last, std::int32_t expected, const GridAxis &axis) {
  return difference_of(displacement(q, last, axis), expected_step(expected));
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
