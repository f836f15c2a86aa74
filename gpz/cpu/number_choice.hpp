// SPDX-License-Identifier: BSD-3-Clause
// How the encoder of a number stream chooses its tables (docs/decisions/0022).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpz/core/ans.hpp"
#include "gpz/cpu/number_tables.hpp"

namespace gpz::cpu {

// Numbers below 16, and eight ranges for each octave beyond: the tokens of every table are unions of these.
inline constexpr std::uint32_t number_ranges = 240;
inline std::uint32_t range_of(std::uint32_t u) {
  const auto coarse = static_cast<std::uint32_t>(core::bit_length(u | 8) - 4);
  return 8 * coarse + (u >> coarse);
}
inline std::uint32_t range_first(std::uint32_t range) {
  return range < 16 ? range : (8 + range % 8) << (range / 8 - 1);
}

using Histogram = std::array<std::uint64_t, number_ranges>;

// Tables for contexts with these numbers. Integers only, so that every machine chooses alike.
NumberTables choose_tables(const std::vector<Histogram> &contexts);

}  // namespace gpz::cpu
