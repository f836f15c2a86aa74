// SPDX-License-Identifier: BSD-3-Clause
// Prediction of a particle's remainder (its residual after temporal prediction) from the remainders of the particles in
// the slots before it (docs/decisions/0013; docs/format.md, section 9).
#pragma once

#include <cstddef>

#include "gpz/core/residual.hpp"

namespace gpz::core {

inline constexpr std::uint32_t max_neighbour_levels = 16;
inline constexpr std::uint32_t max_neighbour_lags = 4;

// Coefficients in units of 1/64: slot s has those of level s mod `levels`, weight[level][j] of slot s - 1 - j.
struct Neighbours {
  std::uint32_t levels = 0;  // 0: no such prediction
  std::uint32_t lags = 0;
  std::int8_t weight[max_neighbour_levels][max_neighbour_lags] = {};
};

inline namespace GPZ_ISA {

// Whether a section may have so many coefficients.
GPZ_HD bool are_neighbours(std::uint32_t levels, std::uint32_t lags) {
  return levels >= 1 && levels <= max_neighbour_levels && lags >= 1 && lags <= max_neighbour_lags;
}

// The part of a section header: levels, lags, weights.
GPZ_HD std::size_t neighbour_header_size(std::uint32_t levels, std::uint32_t lags) {
  return 2 + static_cast<std::size_t>(levels) * lags;
}

// What the temporal prediction leaves of a particle that went from `last` to q.
GPZ_HD std::int64_t remainder_of(std::int64_t q, std::int64_t last, std::int32_t expected, const GridAxis &axis) {
  return difference_of(displacement(q, last, axis), expected_step(expected));
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
