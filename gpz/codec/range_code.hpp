// SPDX-License-Identifier: BSD-3-Clause
// Adaptive binary range coding (docs/format.md, section 10e): probabilities adapt to the coded bits and divide the
// range. Integers only.
#pragma once

#include <array>

#include "gpz/core/config.hpp"

namespace gpz::core {

// Probability of a 0 in units of 2^-24, and the number of bits that it was learnt from.
struct AdaptiveBit {
  std::uint32_t zero = 1u << 23;
  std::uint32_t seen = 0;
};

inline constexpr std::uint32_t certain_bit = 1u << 24;  // a probability of 1
inline constexpr std::uint32_t least_zero = 1u << 11;   // least probability of either bit value
// The initial probability weighs as much as first_weight bits. `seen` stops at most_seen, so old bits fade
// exponentially.
inline constexpr std::uint32_t first_weight = 8;
inline constexpr std::uint32_t most_seen = 248;

// The range is at least 2^32 between steps. A smaller range is renormalized by a 32-bit word.
inline constexpr std::uint64_t least_range = std::uint64_t{1} << 32;
// Limit of outcomes of a choice with equal probabilities.
inline constexpr std::uint32_t most_outcomes = 1u << 24;

// Weight of the next bit: 2^16 / (seen + first_weight + 1).
inline constexpr auto learning_rate = [] {
  std::array<std::uint32_t, most_seen + 1> rate{};
  for (std::uint32_t seen = 0; seen <= most_seen; ++seen) rate[seen] = 65536 / (seen + first_weight + 1);
  return rate;
}();

inline namespace GPZ_ISA {

GPZ_HD std::uint32_t checked_probability(std::uint32_t zero) {
  return min_of(max_of(zero, least_zero), certain_bit - least_zero);
}

// The part of the range that codes a 0.
GPZ_HD std::uint64_t range_of_zero(std::uint64_t range, const AdaptiveBit &model) {
  return (range >> 16) * (model.zero >> 8);
}

inline void learn(AdaptiveBit &model, bool bit) {
  const std::uint64_t away = bit ? model.zero : certain_bit - model.zero;
  const auto step = static_cast<std::uint32_t>((away * learning_rate[model.seen]) >> 16);
  model.zero = checked_probability(bit ? model.zero - step : model.zero + step);
  if (model.seen < most_seen) ++model.seen;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
