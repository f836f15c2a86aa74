// SPDX-License-Identifier: BSD-3-Clause
// Codes three small residuals as one number: their rank by distance from the unrounded prediction
// (docs/decisions/0014). Codes of whole bits waste less on one rank than on three residuals.
#pragma once

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {

inline constexpr std::uint32_t triple_values = 8;  // residual numbers below this can form a triple
inline constexpr std::uint32_t triples = triple_values * triple_values * triple_values;
inline constexpr std::uint8_t triples_head = 4;  // added to the head of the first component
// Largest cost of a rank that no code can store: each component becomes an exception.
inline constexpr std::uint32_t rank_exception_bits = max_components * exception_bits;
// Triples are not tried for blocks with more bits per particle.
inline constexpr std::uint32_t most_triple_bits = 7;

inline namespace GPZ_ISA {

// A triple holds three residual numbers, the first in the highest bits. The format defines this order.
constexpr GPZ_HD std::uint32_t with_number(std::uint32_t triple, std::uint32_t number) {
  return triple * triple_values + number;
}
constexpr GPZ_HD std::uint32_t number_of(std::uint32_t triple, int d) {
  return triple >> 3 * (max_components - 1 - d) & (triple_values - 1);
}

// Rank of each triple and triple of each rank, for each combination of is_between() (bit d: component d).
struct TripleRanks {
  std::uint16_t rank[8][triples] = {};
  std::uint16_t triple[8][triples] = {};
};

// Squared distance, in units of 1/8, between the residual with number u and a prediction above the expected step.
constexpr std::uint32_t squared_distance(std::uint32_t u, bool between) {
  const int x = u % 2 != 0 ? static_cast<int>(u / 2 + 1) : -static_cast<int>(u / 2);
  const int offset = 8 * x - (between ? 3 : 1);
  return static_cast<std::uint32_t>(offset * offset);
}

// Counting sort; triples at equal distance keep their order.
constexpr TripleRanks rank_triples() {
  constexpr std::uint32_t distances = 3 * 961 + 1;
  TripleRanks ranks;
  for (std::uint32_t between = 0; between < 8; ++between) {
    std::uint16_t next[distances + 1] = {};
    std::uint32_t distance[triples] = {};
    for (std::uint32_t t = 0; t < triples; ++t) {
      for (int d = 0; d < max_components; ++d)
        distance[t] += squared_distance(number_of(t, d), (between >> d & 1) != 0);
      ++next[distance[t] + 1];
    }
    for (std::uint32_t k = 1; k < distances; ++k) next[k] = static_cast<std::uint16_t>(next[k] + next[k - 1]);
    for (std::uint32_t t = 0; t < triples; ++t) {
      const std::uint16_t rank = next[distance[t]]++;
      ranks.rank[between][t] = rank;
      ranks.triple[between][rank] = static_cast<std::uint16_t>(t);
    }
  }
  return ranks;
}

GPZ_HD std::uint32_t between_mask(std::int32_t expected0, std::int32_t expected1, std::int32_t expected2) {
  return (is_between(expected0) ? 1u : 0u) | (is_between(expected1) ? 2u : 0u) | (is_between(expected2) ? 4u : 0u);
}

// First rank that the code cannot store.
GPZ_HD std::uint32_t rank_end(const ResidualCode &code) {
  return (head_end(code) + quotient_end(code)) << low_bits(code);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
